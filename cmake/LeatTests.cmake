# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#   leat_test(NAME SOURCES ... LINKS ... LABELS ...)
# A GoogleTest program; every TEST in it is one test of CTest, with four minutes:
# on two busy cores under a sanitizer the longest take one and a half. Those of
# BusyMachineTest, which take all processors, run beside no other.
#
#   leat_session_tests(NAME SOURCES ... LABELS ...)
# The tests in those SOURCES of the program that include
# tests/testing/session_under_test.h, once more over sessions on a server, in
# process and by gRPC.
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
  leat_discover_tests(${name} PREFIX "${name}." LABELS ${ARG_LABELS}
                      ENVIRONMENT ${LEAT_TEST_ENVIRONMENT})
endfunction()

#   leat_discover_tests(PROGRAM PREFIX ... [FILTER ...] LABELS ...
#                       ENVIRONMENT ...)
function(leat_discover_tests name)
  cmake_parse_arguments(ARG "" "PREFIX;FILTER" "LABELS;ENVIRONMENT" ${ARGN})
  string(MAKE_C_IDENTIFIER "${ARG_PREFIX}tests" list)
  # Found when CTest runs, so that a build never executes what it builds.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${ARG_PREFIX}"
    TEST_FILTER "${ARG_FILTER}"
    TEST_LIST ${list})
  # gtest_discover_tests loses properties that are lists.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${list}_properties.cmake")
  file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT [[
foreach(test IN LISTS @list@)
  set_tests_properties("${test}" PROPERTIES LABELS "@ARG_LABELS@" TIMEOUT 240
                       ENVIRONMENT "@ARG_ENVIRONMENT@")
  if(test MATCHES "BusyMachineTest")
    set_tests_properties("${test}" PROPERTIES RUN_SERIAL ON)
  endif()
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

function(leat_session_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LABELS" ${ARGN})
  set(suites "")
  foreach(source IN LISTS ARG_SOURCES)
    file(STRINGS "${source}" marks REGEX "testing/session_under_test\\.h")
    if(NOT marks)
      continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" tests REGEX "^TEST(_F|_P)?\\(")
    foreach(test IN LISTS tests)
      if(test MATCHES "^TEST(_F|_P)?\\(([A-Za-z0-9_]+)")
        list(APPEND suites "${CMAKE_MATCH_2}.*" "*/${CMAKE_MATCH_2}.*")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES suites)
  list(JOIN suites ":" filter)
  leat_discover_tests(${name} PREFIX "${name}.in_process." FILTER "${filter}"
    LABELS ${ARG_LABELS} sessions
    ENVIRONMENT ${LEAT_TEST_ENVIRONMENT} LEAT_TEST_SESSION=in_process)
  # The thread sanitizer cannot see into gRPC.
  list(REMOVE_ITEM ARG_LABELS concurrency)
  leat_discover_tests(${name} PREFIX "${name}.grpc." FILTER "${filter}"
    LABELS ${ARG_LABELS} sessions grpc
    ENVIRONMENT ${LEAT_TEST_ENVIRONMENT} LEAT_TEST_SESSION=grpc)
endfunction()
