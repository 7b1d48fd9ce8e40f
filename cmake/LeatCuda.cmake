# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Finds nvcc, and compiles the kernels for GPUs:
#
#   leat_device_code(NAME SOURCES ...)
#   Adds an object library of files *.cu. nvcc compiles the files if
#   LEAT_CUDA_FOUND is true. Otherwise the C++ compiler compiles them for the
#   host, so that tests run the same kernels (kernels/cuda/device/launch.h).
#
# With AUTO, LEAT_CUDA_FOUND is true if the build type is Release, there is no
# sanitizer, and nvcc is found. If LEAT_CUDA_FOUND is true, the target
# CUDA::cudart_static exists. The CUDA runtime loads the driver when it is first
# called, so programs start on machines without GPUs. If LEAT_CUDA_FOUND is
# false, only the fake of CUDA (tests/testing/fake_cuda.h) can run the kernels.
set(LEAT_CUDA "AUTO" CACHE STRING
    "Compile kernels for GPUs: ON, OFF, or AUTO, where nvcc is found")
set_property(CACHE LEAT_CUDA PROPERTY STRINGS AUTO ON OFF)
set(LEAT_CUDA_ARCHITECTURES "90" CACHE STRING
    "The compute capabilities of GPUs for which kernels are compiled")

set(LEAT_CUDA_FOUND OFF)
if(LEAT_CUDA STREQUAL "ON" OR (LEAT_CUDA STREQUAL "AUTO" AND NOT LEAT_SANITIZER
                               AND CMAKE_BUILD_TYPE STREQUAL "Release"))
  find_program(LEAT_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)
  mark_as_advanced(LEAT_NVCC)
  if(LEAT_NVCC)
    set(LEAT_CUDA_FOUND ON)
  elseif(LEAT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "LEAT_CUDA is ON, but nvcc is missing")
  endif()
endif()

if(LEAT_CUDA_FOUND)
  set(CMAKE_CUDA_COMPILER "${LEAT_NVCC}" CACHE FILEPATH "")
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "")
  set(CMAKE_CUDA_ARCHITECTURES "${LEAT_CUDA_ARCHITECTURES}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
  set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # Finds the headers of cuDNN. The library itself is opened when a GPU first
  # needs it.
  find_path(LEAT_CUDNN_INCLUDE cudnn_backend.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS})
  mark_as_advanced(LEAT_CUDNN_INCLUDE)
endif()

function(leat_device_code name)
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  # Several of these files define the same private names.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  set_property(GLOBAL APPEND PROPERTY LEAT_OBJECT_LIBRARIES ${name})
  if(NOT LEAT_CUDA_FOUND)
    set_source_files_properties(${ARG_SOURCES} PROPERTIES LANGUAGE CXX)
    leat_compile_options(${name})
    leat_warnings(${name})
    target_compile_options(${name} PRIVATE "SHELL:-x c++")
    return()
  endif()
  set_target_properties(${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ${BUILD_SHARED_LIBS})
  target_include_directories(${name}
    PRIVATE "${PROJECT_BINARY_DIR}/include")
  # CMake 3.25 does not know that nvcc has C++20.
  target_compile_options(${name} PRIVATE -std=c++20 --expt-relaxed-constexpr
    -Xcompiler=-Wall,-Wextra)
  if(LEAT_WERROR)
    target_compile_options(${name} PRIVATE -Werror=all-warnings
                                           -Xcompiler=-Werror)
  endif()
  target_link_libraries(${name} PUBLIC $<BUILD_INTERFACE:CUDA::cudart_static>)
  set_property(GLOBAL APPEND PROPERTY LEAT_PRIVATE_LIBRARIES
               CUDA::cudart_static)
endfunction()
