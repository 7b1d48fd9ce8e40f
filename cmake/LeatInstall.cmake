# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Makes the library leat from the objects of all folders, exports the library as
# Leat::leat, and installs it.
include(CMakePackageConfigHelpers)

get_property(objects GLOBAL PROPERTY LEAT_OBJECT_LIBRARIES)
get_property(public_libraries GLOBAL PROPERTY LEAT_PUBLIC_LIBRARIES)
get_property(private_libraries GLOBAL PROPERTY LEAT_PRIVATE_LIBRARIES)
list(REMOVE_DUPLICATES public_libraries)
list(REMOVE_DUPLICATES private_libraries)
list(FILTER private_libraries EXCLUDE REGEX "BUILD_INTERFACE")

add_library(leat)
foreach(library IN LISTS objects)
  target_sources(leat PRIVATE $<TARGET_OBJECTS:${library}>)
endforeach()
add_library(Leat::leat ALIAS leat)
set_target_properties(leat PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(leat PUBLIC cxx_std_20)
target_include_directories(leat INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
  "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_include_directories(leat SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>")
target_link_libraries(leat PUBLIC ${public_libraries}
                           PRIVATE ${private_libraries})

install(TARGETS leat EXPORT LeatTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT LeatTargets NAMESPACE Leat::
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Leat")

# If the header is a file of this project, installs it and all headers that it
# includes, directly or not. Installs each header once.
function(install_with_its_includes header)
  get_property(installed GLOBAL PROPERTY LEAT_INSTALLED_HEADERS)
  set(file "${PROJECT_SOURCE_DIR}/${header}")
  if(header IN_LIST installed OR NOT EXISTS "${file}")
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY LEAT_INSTALLED_HEADERS "${header}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${file}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/leat/${folder}")
  file(STRINGS "${file}" includes REGEX "^#include \"leat/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"leat/([^\"]*)\".*" "\\1" path "${include}")
    install_with_its_includes("${path}")
  endforeach()
endfunction()

# leat.h is the list of the public headers.
install_with_its_includes(leat.h)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/protos"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/leat"
  FILES_MATCHING PATTERN "*.proto")
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/leat"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h")

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Leat")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/LeatConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/LeatConfig.cmake"
  INSTALL_DESTINATION "${config_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/LeatConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/LeatConfig.cmake"
              "${PROJECT_BINARY_DIR}/LeatConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/LeatDependencies.cmake"
  DESTINATION "${config_folder}")
