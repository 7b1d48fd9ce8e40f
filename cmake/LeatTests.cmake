# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#   leat_test(NAME SOURCES ... LINKS ... LABELS ...)
# A GoogleTest program; every TEST in it is one test of CTest.
#
#   leat_test_code(TARGET)
# Of a target whose code only tests: it is not optimised, nor are its branches
# counted for the fuzzer, which halves the time to compile it.
include(GoogleTest)

set(LEAT_TENSORFLOW_PYTHON "" CACHE FILEPATH
  "A Python with TensorFlow 2.15.1: adds the tests labelled `tensorflow`")

# Suppressions are matched against what the symbolizer says.
find_program(LEAT_SYMBOLIZER NAMES llvm-symbolizer-14 llvm-symbolizer)
mark_as_advanced(LEAT_SYMBOLIZER)
set(symbolizer "external_symbolizer_path=${LEAT_SYMBOLIZER}")
string(CONCAT tsan_options "halt_on_error=1:${symbolizer}:suppressions="
       "${PROJECT_SOURCE_DIR}/tests/tsan_suppressions.txt")
string(CONCAT lsan_options "print_suppressions=0:suppressions="
       "${PROJECT_SOURCE_DIR}/tests/lsan_suppressions.txt")
set(LEAT_TEST_ENVIRONMENT
  "ASAN_OPTIONS=detect_stack_use_after_return=1:${symbolizer}"
  "LSAN_OPTIONS=${lsan_options}"
  "UBSAN_OPTIONS=print_stacktrace=1:${symbolizer}"
  "TSAN_OPTIONS=${tsan_options}")

function(leat_test_code target)
  target_compile_options(${target} PRIVATE -O0)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Precompiled headers are the same bytes whenever they are made.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if(LEAT_SANITIZER STREQUAL "address"
     AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

function(leat_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  leat_executable(${name} SOURCES ${ARG_SOURCES}
    LINKS ${ARG_LINKS} GTest::gmock GTest::gtest GTest::gtest_main)
  leat_test_code(${name})
  target_compile_definitions(${name} PRIVATE
    LEAT_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests")
  # Found when CTest runs, so that a build never executes what it builds.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${name}.")
  # gtest_discover_tests loses properties that are lists.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake")
  file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT [[
foreach(test IN LISTS @name@_TESTS)
  set_tests_properties("${test}" PROPERTIES LABELS "@ARG_LABELS@" TIMEOUT 120
                       ENVIRONMENT "@LEAT_TEST_ENVIRONMENT@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
