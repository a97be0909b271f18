# caucus_layer(NAME USES core ... LIBRARIES ZLIB::ZLIB ... [EXCEPT name.cpp ...])
# One static library per layer, made of every source file below the layer's folder; its tests are the
# files named *_test.cpp. What a layer may use is what it links; tools/check_layers checks the includes.
function(caucus_layer name)
  cmake_parse_arguments(LAYER "" "" "USES;LIBRARIES;EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(REMOVE_ITEM sources ${LAYER_EXCEPT} "")
  add_library(caucus_${name} STATIC ${sources})
  add_library(caucus::${name} ALIAS caucus_${name})
  set_target_properties(caucus_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(caucus_${name} PUBLIC cxx_std_20)
  target_include_directories(caucus_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:include>)
  list(TRANSFORM LAYER_USES PREPEND caucus_)
  target_link_libraries(caucus_${name}
    PUBLIC ${LAYER_USES} ${LAYER_LIBRARIES} PRIVATE $<BUILD_INTERFACE:caucus_flags>)
  if(CAUCUS_TESTS AND tests)
    caucus_test(${name}_test SOURCES ${tests} LIBRARIES caucus_${name})
  endif()
endfunction()

# caucus_test(NAME SOURCES ... LIBRARIES ...): one test binary, every test of it known to ctest.
function(caucus_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE
    ${TEST_LIBRARIES} caucus_flags GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest)
  # The compiler's time counts for more than a test's own speed; the library under test is fully optimized.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${name} PRIVATE CAUCUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
