# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Each folder is one OBJECT library. All objects together are libleat.
#
#   leat_object_library(NAME
#     SOURCES ...      hand-written files, compiled with our warnings
#     GENERATED ...    generated files, compiled without warnings
#     DEPENDS ...      libraries of other folders that this folder may include
#     PUBLIC ...       third-party libraries that the folder's headers need
#     PRIVATE ...      third-party libraries that only its sources need)
#
#   leat_executable(NAME SOURCES ... LINKS ... [NO_TCMALLOC])
#   Adds a program with Leat's flags. Links tcmalloc, if it is installed, unless
#   a sanitizer is on or NO_TCMALLOC is given.
#
#   leat_program_code(TARGET)
#   Is for a TARGET whose code only parses flags and prints. Such code is not
#   compiled with LEAT_LIBRARY_OPTIONS, because optimizing CLI11 would double the
#   time to compile. If these options are empty, TARGET uses the precompiled
#   header of leat_graph.

function(leat_object_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;GENERATED;DEPENDS;PUBLIC;PRIVATE"
                        ${ARGN})
  set_property(GLOBAL APPEND PROPERTY LEAT_PUBLIC_LIBRARIES ${ARG_PUBLIC})
  set_property(GLOBAL APPEND PROPERTY LEAT_PRIVATE_LIBRARIES ${ARG_PRIVATE})
  if(NOT ARG_SOURCES AND NOT ARG_GENERATED)
    # A folder of headers only is an INTERFACE library.
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS} ${ARG_PUBLIC})
    return()
  endif()
  add_library(${name} OBJECT ${ARG_SOURCES} ${ARG_GENERATED})
  leat_compile_options(${name})
  target_compile_options(${name} PRIVATE ${LEAT_LIBRARY_OPTIONS})
  if(ARG_SOURCES)
    leat_warnings(${name})
  endif()
  # Generated files are kept out of unity builds, because protoc uses the same
  # private names in each file that it writes.
  set_source_files_properties(${ARG_GENERATED} PROPERTIES
    COMPILE_OPTIONS "-w"
    SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} ${ARG_PUBLIC}
                                PRIVATE ${ARG_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY LEAT_OBJECT_LIBRARIES ${name})
endfunction()

find_library(LEAT_TCMALLOC NAMES tcmalloc_minimal libtcmalloc_minimal.so.4)
mark_as_advanced(LEAT_TCMALLOC)

function(leat_executable name)
  cmake_parse_arguments(ARG "NO_TCMALLOC" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  leat_compile_options(${name})
  leat_warnings(${name})
  if(LEAT_TCMALLOC AND NOT LEAT_SANITIZER AND NOT ARG_NO_TCMALLOC)
    # tcmalloc comes first, so that the linker takes malloc from tcmalloc, and
    # not from the C library.
    target_link_libraries(${name} PRIVATE "${LEAT_TCMALLOC}")
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
endfunction()

function(leat_program_code target)
  if(NOT LEAT_LIBRARY_OPTIONS)
    # Clang refuses the precompiled header of another level of optimization.
    target_precompile_headers(${target} REUSE_FROM leat_graph)
  endif()
endfunction()
