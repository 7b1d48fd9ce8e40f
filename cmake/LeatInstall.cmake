# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Makes the library leat of the objects of all folders, exports it as
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

# These headers are not installed: those of plug-in folders, those that use
# protobuf's own classes, and those that only a task uses inside.
set(inside "callables|create_master_session|graph_bytes|master|master_client")
string(APPEND inside "|master_session|master_sessions|master_watch")
string(APPEND inside "|merged_step_stats|parse_message|plan_wait")
string(APPEND inside "|registered_plan|remote_step|request_queue")
string(APPEND inside "|run_graph_call|session_plans|worker|worker_step")
foreach(folder IN ITEMS core graph partitioner kernels runtime distributed
                       train)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/leat"
    FILES_MATCHING PATTERN "*.h"
    REGEX "/(graph/(ops|gen|gradients|passes)|kernels/(any|cpu|cuda))$" EXCLUDE
    REGEX "/partitioner/policies$" EXCLUDE
    REGEX "/(graph|kernels)/precompiled\\.h$" EXCLUDE
    REGEX "/distributed/(grpc|resolvers|transports)$" EXCLUDE
    REGEX "/distributed/(${inside})\\.h$" EXCLUDE
    REGEX "/(core/parsed_bytes|graph/(attr|function)_codec)\\.h$" EXCLUDE)
endforeach()
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
