# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# cmake -DROOT= -DBUILD= -DSOURCE= -DWORK= -DCOMPILER= -P run.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")

# An installed package may be moved. So no file in it may name the build folder.
file(GLOB_RECURSE texts "${WORK}/prefix/*.h" "${WORK}/prefix/*.cmake")
foreach(text IN LISTS texts)
  file(READ "${text}" content)
  string(FIND "${content}" "${BUILD}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${text} names ${BUILD}")
  endif()
endforeach()
file(RENAME "${WORK}/prefix" "${WORK}/moved")

# All installed headers except those of the protos must compile with only the
# installed package, for any x86-64 processor. These headers must not include or
# declare anything of protobuf, Eigen, oneDNN or gRPC.
file(GLOB_RECURSE headers RELATIVE "${WORK}/moved/include"
     "${WORK}/moved/include/leat/*.h")
list(FILTER headers EXCLUDE REGEX "^leat/protos/")
list(SORT headers)
list(LENGTH headers count)
if(count LESS 40)
  message(FATAL_ERROR "only ${count} headers were installed")
endif()
set(includes "")
foreach(header IN LISTS headers)
  file(READ "${WORK}/moved/include/${header}" content)
  if(content MATCHES "namespace +(google|Eigen|dnnl|grpc)[^a-z]")
    message(FATAL_ERROR "${header} declares something of ${CMAKE_MATCH_1}'s")
  endif()
  string(APPEND includes "#include <${header}>\n")
endforeach()
file(WRITE "${WORK}/headers.cc" "${includes}")
run("${COMPILER}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only
    -MD -MF "${WORK}/headers.d" -isystem "${WORK}/moved/include"
    "${WORK}/headers.cc")
file(READ "${WORK}/headers.d" dependencies)
if(dependencies MATCHES "([^ \n]*/(google/protobuf|Eigen|dnnl|grpc)[^ \n]*)")
  message(FATAL_ERROR "the installed headers lead to ${CMAKE_MATCH_1}")
endif()

# The examples at the top of the public headers must compile, too.
run("${ROOT}/tools/check_api" --examples "${WORK}/examples.cc")
run("${COMPILER}" -std=c++20 -Wall -Wextra -Werror -Wno-unused -fsyntax-only
    -I "${SOURCE}" -isystem "${WORK}/moved/include" "${WORK}/examples.cc")

run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G Ninja
    "-DCMAKE_PREFIX_PATH=${WORK}/moved" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer")
if(NOT output STREQUAL "42\n")
  message(FATAL_ERROR "the consumer printed '${output}', not 42")
endif()
message(STATUS "${count} headers installed; the consumer printed 42")
