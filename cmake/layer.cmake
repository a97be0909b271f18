# caucus_layer(NAME SOURCES a.cpp ... USES core ... LIBRARIES ZLIB::ZLIB ... TESTS a_test.cpp ...)
# One static library per layer; what it may use is what it links, the include check does the rest.
function(caucus_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;LIBRARIES;TESTS" ${ARGN})
  add_library(caucus_${name} STATIC ${LAYER_SOURCES})
  add_library(caucus::${name} ALIAS caucus_${name})
  set_target_properties(caucus_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(caucus_${name} PUBLIC cxx_std_20)
  target_include_directories(caucus_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  list(TRANSFORM LAYER_USES PREPEND caucus_)
  target_link_libraries(caucus_${name}
    PUBLIC ${LAYER_USES} ${LAYER_LIBRARIES} PRIVATE $<BUILD_INTERFACE:caucus_flags>)
  if(CAUCUS_TESTS AND LAYER_TESTS)
    caucus_test(${name}_test SOURCES ${LAYER_TESTS} LIBRARIES caucus_${name})
  endif()
endfunction()

# caucus_test(NAME SOURCES ... LIBRARIES ...): one test binary, every test of it known to ctest.
function(caucus_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE
    ${TEST_LIBRARIES} caucus_flags GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest)
  target_compile_definitions(${name} PRIVATE CAUCUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
