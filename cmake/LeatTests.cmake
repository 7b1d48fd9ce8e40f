# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#   leat_test(NAME SOURCES ... LINKS ... LABELS ...)
# Adds a GoogleTest program. CTest runs the tests of the program in n shards, so
# that the program is not started for each test. Each shard is a process that
# runs every n-th test. The tests in shards simulate time
# (tests/testing/simulated_clock.h) and never sleep. A program labelled
# `processes` starts programs or opens sockets, so its tests depend on the time
# that the machine gives them. CTest knows each of these tests by its name and
# runs it in its own process. If such a test fails, the gate runs it again. The
# tests of BusyMachineTest use all processors. They are labelled `full`, and no
# other test runs at the same time.
#
#   leat_session_tests(NAME SOURCES ... LABELS ...)
# Takes those SOURCES of the program that include
# tests/testing/session_under_test.h, and adds their tests again for other kinds
# of sessions (LEAT_TEST_SESSION): for sessions on a server in the same process,
# for sessions with a fake GPU if LEAT_CUDA_FOUND is false, and for sessions on
# a server over gRPC if there is no sanitizer.
#
#   leat_test_code(TARGET)
# Sets the options of a target whose code is only for tests. The code is not
# optimized, and the fuzzer does not count its branches. This halves the time to
# compile the code.
include(GoogleTest)

set(LEAT_TENSORFLOW_PYTHON "" CACHE FILEPATH
  "A Python with TensorFlow 2.15.1: adds the tests labelled `tensorflow`")

# Sanitizers compare suppressions with the names that the symbolizer prints.
find_program(LEAT_SYMBOLIZER NAMES llvm-symbolizer-14 llvm-symbolizer)
mark_as_advanced(LEAT_SYMBOLIZER)
set(symbolizer "external_symbolizer_path=${LEAT_SYMBOLIZER}")
string(CONCAT tsan_options "halt_on_error=1:${symbolizer}:suppressions="
       "${PROJECT_SOURCE_DIR}/tests/tsan_suppressions.txt")
string(CONCAT lsan_options "print_suppressions=0:suppressions="
       "${PROJECT_SOURCE_DIR}/tests/lsan_suppressions.txt")
# To find uses after return, the sanitizer keeps memory for stack frames of each
# size in each thread. With 64 KiB for each size instead of 1 MiB, tests that
# start many threads take a fifth less time.
string(CONCAT asan_options "detect_stack_use_after_return=1:"
       "max_uar_stack_size_log=16:${symbolizer}")
set(LEAT_TEST_ENVIRONMENT
  "ASAN_OPTIONS=${asan_options}"
  "LSAN_OPTIONS=${lsan_options}"
  "UBSAN_OPTIONS=print_stacktrace=1:${symbolizer}"
  "TSAN_OPTIONS=${tsan_options}")

function(leat_test_code target)
  target_compile_options(${target} PRIVATE -O0)
  leat_not_fuzzed(${target})
endfunction()

# Links the objects of libleat before the objects of the test. If several
# objects have the same inline function, the linker takes the first one. The
# objects of the test are not optimized, so some tests take half the time if the
# function comes from libleat.
function(leat_objects_first name)
  if(BUILD_SHARED_LIBS OR NOT "leat" IN_LIST ARGN)
    return()
  endif()
  get_property(libraries GLOBAL PROPERTY LEAT_OBJECT_LIBRARIES)
  foreach(library IN LISTS libraries)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${library}>)
  endforeach()
endfunction()

function(leat_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  leat_executable(${name} SOURCES ${ARG_SOURCES}
    LINKS ${ARG_LINKS} GTest::gmock GTest::gtest GTest::gtest_main)
  leat_test_code(${name})
  leat_objects_first(${name} ${ARG_LINKS})
  if(LEAT_UNITY_TESTS)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 10)
  target_compile_definitions(${name} PRIVATE
    LEAT_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests")
  if("processes" IN_LIST ARG_LABELS)
    leat_discover_tests(${name} PREFIX "${name}." LABELS ${ARG_LABELS}
                        ENVIRONMENT ${LEAT_TEST_ENVIRONMENT})
  else()
    list(LENGTH ARG_SOURCES files)
    leat_add_shards(${name} PREFIX "${name}." FILES ${files}
      LABELS ${ARG_LABELS}
      ENVIRONMENT ${LEAT_TEST_ENVIRONMENT} LEAT_TEST_SIMULATES_TIME=1)
  endif()
endfunction()

#   leat_add_shards(PROGRAM PREFIX ... FILES N [FILTER ...] LABELS ...
#                   ENVIRONMENT ...)
# Adds tests PREFIX0, PREFIX1 ... to CTest. Each is a shard of the program's
# tests, or of those that FILTER names. N is the number of source files that
# have these tests. Each shard lists the tests that it ran in a file
# results/PREFIX0.json ... in the folder of tests. tools/test counts the tests
# in these files.
function(leat_add_shards name)
  cmake_parse_arguments(ARG "" "PREFIX;FILES;FILTER" "LABELS;ENVIRONMENT"
                        ${ARGN})
  set(filter "")
  if(ARG_FILTER)
    set(filter "GTEST_FILTER=${ARG_FILTER};")
  endif()
  math(EXPR shards "(${ARG_FILES} + 4) / 5")
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(test "${ARG_PREFIX}${shard}")
    add_test(NAME ${test} COMMAND ${name})
    set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600
      ENVIRONMENT "${ARG_ENVIRONMENT};GTEST_TOTAL_SHARDS=${shards};\
GTEST_SHARD_INDEX=${shard};${filter}\
GTEST_OUTPUT=json:${CMAKE_CURRENT_BINARY_DIR}/results/${test}.json")
  endforeach()
endfunction()

#   leat_discover_tests(PROGRAM PREFIX ... [FILTER ...] LABELS ...
#                       ENVIRONMENT ...)
# Adds each test of a program, or each that FILTER names, as a test of CTest.
function(leat_discover_tests name)
  cmake_parse_arguments(ARG "" "PREFIX;FILTER" "LABELS;ENVIRONMENT" ${ARGN})
  string(MAKE_C_IDENTIFIER "${ARG_PREFIX}tests" list)
  # Tests are discovered when CTest runs, so that a build never executes its
  # programs.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_PREFIX "${ARG_PREFIX}"
    TEST_FILTER "${ARG_FILTER}"
    TEST_LIST ${list})
  # gtest_discover_tests loses properties that are lists, so a script sets them.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${list}_properties.cmake")
  file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT [[
foreach(test IN LISTS @list@)
  set_tests_properties("${test}" PROPERTIES LABELS "@ARG_LABELS@" TIMEOUT 240
                       ENVIRONMENT "@ARG_ENVIRONMENT@")
  if(test MATCHES "BusyMachineTest")
    set_tests_properties("${test}" PROPERTIES RUN_SERIAL ON
                         LABELS "@ARG_LABELS@;full")
  endif()
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()

function(leat_session_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LABELS" ${ARGN})
  set(suites "")
  set(files 0)
  foreach(source IN LISTS ARG_SOURCES)
    file(STRINGS "${source}" marks REGEX "testing/session_under_test\\.h")
    if(NOT marks)
      continue()
    endif()
    math(EXPR files "${files} + 1")
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
  leat_add_shards(${name} PREFIX "${name}.in_process." FILES ${files}
    FILTER "${filter}" LABELS ${ARG_LABELS} sessions
    ENVIRONMENT ${LEAT_TEST_ENVIRONMENT} LEAT_TEST_SESSION=in_process
      LEAT_TEST_SIMULATES_TIME=1)
  if(NOT LEAT_CUDA_FOUND)
    leat_add_shards(${name} PREFIX "${name}.gpu." FILES ${files}
      FILTER "${filter}" LABELS ${ARG_LABELS} sessions
      ENVIRONMENT ${LEAT_TEST_ENVIRONMENT} LEAT_TEST_SESSION=gpu
        LEAT_TEST_SIMULATES_TIME=1)
  endif()
  if(LEAT_SANITIZER)
    return()
  endif()
  leat_discover_tests(${name} PREFIX "${name}.grpc." FILTER "${filter}"
    LABELS ${ARG_LABELS} sessions grpc processes
    ENVIRONMENT ${LEAT_TEST_ENVIRONMENT} LEAT_TEST_SESSION=grpc)
endfunction()
