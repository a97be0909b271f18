# cmake --install: the libraries as the CMake package `caucus` (targets caucus::core, ..., and
# caucus::caucus for all of them), the headers, and the program.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(caucus_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/caucus)
set(caucus_libraries)
foreach(layer core data algorithms engine simulation federation proto wire)
  if(TARGET caucus_${layer})
    list(APPEND caucus_libraries caucus_${layer})
  endif()
endforeach()

# The libraries define the arithmetic and, through Eigen, the alignment of what crosses their
# headers: a user must compile those headers with the same choices.
set(caucus_public_flags -ffp-contract=off)
if(CAUCUS_NATIVE_V3 AND CAUCUS_CPU_HAS_V3)
  list(APPEND caucus_public_flags -march=x86-64-v3)
endif()
target_compile_options(caucus_core INTERFACE "$<INSTALL_INTERFACE:${caucus_public_flags}>")

add_library(caucus_all INTERFACE)
add_library(caucus::caucus ALIAS caucus_all)
set_target_properties(caucus_all PROPERTIES EXPORT_NAME caucus)
target_link_libraries(caucus_all INTERFACE ${caucus_libraries})

# Whatever package a library links, as in ZLIB::ZLIB, its user must find too.
set(caucus_packages)
foreach(library IN LISTS caucus_libraries)
  get_target_property(links ${library} LINK_LIBRARIES)
  string(REGEX REPLACE "\\$<BUILD_INTERFACE:[^>]*>" "" links "${links}")
  string(REGEX MATCHALL "[A-Za-z0-9_]+::" namespaces "${links}")
  list(APPEND caucus_packages ${namespaces})
endforeach()
list(TRANSFORM caucus_packages REPLACE "::$" "")
list(TRANSFORM caucus_packages REPLACE "^SQLite$" "SQLite3")  # two whose targets have other names
list(TRANSFORM caucus_packages REPLACE "^protobuf$" "Protobuf")
list(REMOVE_DUPLICATES caucus_packages)
if(gRPC IN_LIST caucus_packages)  # after Protobuf: see src/caucus/wire
  list(REMOVE_ITEM caucus_packages gRPC)
  list(APPEND caucus_packages gRPC)
endif()
list(REMOVE_ITEM caucus_packages caucus)
set(caucus_find_dependencies "")
foreach(package IN LISTS caucus_packages)
  string(APPEND caucus_find_dependencies "find_dependency(${package})\n")
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/caucusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/caucusConfig.cmake
  INSTALL_DESTINATION ${caucus_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/caucusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

install(TARGETS caucus_all ${caucus_libraries} EXPORT caucusTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT caucusTargets NAMESPACE caucus:: DESTINATION ${caucus_package_dir})
install(FILES ${PROJECT_BINARY_DIR}/package/caucusConfig.cmake
  ${PROJECT_BINARY_DIR}/package/caucusConfigVersion.cmake DESTINATION ${caucus_package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/caucus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/caucus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*_test*" EXCLUDE PATTERN "test_*" EXCLUDE
  # what only programs have, and Eigen behind the others.
  PATTERN "report" EXCLUDE PATTERN "reproduce" EXCLUDE PATTERN "eager_poll.hpp" EXCLUDE PATTERN "comparator_model.hpp" EXCLUDE PATTERN "comparator_rows.hpp" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET caucus_cli)
  install(TARGETS caucus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
