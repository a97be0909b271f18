# cmake --install: the public headers, the program, and the CMake package `caucus` with two targets:
#   caucus::caucus   the library without a network: Selector, losses, spaces, mirror maps
#   caucus::client   the same and Client, which needs gRPC, OpenSSL and SQLite
# The layers are installed as static libraries behind them; no header of theirs is.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(caucus_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/caucus)
set(caucus_layers caucus_core caucus_data caucus_algorithms caucus_engine)
set(client_layers caucus_federation caucus_proto caucus_wire)

# The public headers have a little arithmetic of their own, which must have the library's bits.
target_compile_options(caucus_core INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)

# The interfaces must not be named like the program, which has the target caucus_cli.
add_library(caucus_library INTERFACE)
add_library(caucus::caucus ALIAS caucus_library)
set_target_properties(caucus_library PROPERTIES EXPORT_NAME caucus)
target_link_libraries(caucus_library INTERFACE caucus_engine)
add_library(caucus_client INTERFACE)
add_library(caucus::client ALIAS caucus_client)
set_target_properties(caucus_client PROPERTIES EXPORT_NAME client)
target_link_libraries(caucus_client INTERFACE caucus_library caucus_wire)

# Whatever package a library links, as in ZLIB::ZLIB, its user must find too.
function(caucus_packages result)
  set(packages)
  foreach(library IN LISTS ARGN)
    get_target_property(links ${library} LINK_LIBRARIES)
    string(REGEX REPLACE "\\$<BUILD_INTERFACE:[^>]*>" "" links "${links}")
    string(REGEX MATCHALL "[A-Za-z0-9_]+::" namespaces "${links}")
    list(APPEND packages ${namespaces})
  endforeach()
  list(TRANSFORM packages REPLACE "::$" "")
  list(TRANSFORM packages REPLACE "^SQLite$" "SQLite3")  # two whose targets have other names
  list(TRANSFORM packages REPLACE "^protobuf$" "Protobuf")
  list(REMOVE_DUPLICATES packages)
  list(REMOVE_ITEM packages caucus)
  if(gRPC IN_LIST packages)  # after Protobuf: see src/caucus/wire
    list(REMOVE_ITEM packages gRPC)
    list(APPEND packages gRPC)
  endif()
  set(${result} ${packages} PARENT_SCOPE)
endfunction()
caucus_packages(library_packages ${caucus_layers})
caucus_packages(client_packages ${client_layers})
list(JOIN library_packages " " library_packages)
list(JOIN client_packages " " client_packages)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/caucusConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/caucusConfig.cmake
  INSTALL_DESTINATION ${caucus_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/caucusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

install(TARGETS caucus_library ${caucus_layers} EXPORT caucusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS caucus_client ${client_layers} EXPORT caucusClientTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(set caucusTargets caucusClientTargets)
  install(EXPORT ${set} NAMESPACE caucus:: DESTINATION ${caucus_package_dir})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/package/caucusConfig.cmake
  ${PROJECT_BINARY_DIR}/package/caucusConfigVersion.cmake DESTINATION ${caucus_package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/caucus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET caucus_cli)
  install(TARGETS caucus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Manual pages, made by the program from its own help.
  set(manual_pages ${PROJECT_BINARY_DIR}/man/man1)
  add_custom_command(OUTPUT ${manual_pages}/caucus.1
    COMMAND caucus_cli man --out ${manual_pages} DEPENDS caucus_cli VERBATIM)
  add_custom_target(caucus_manual ALL DEPENDS ${manual_pages}/caucus.1)
  install(DIRECTORY ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR})
endif()
