# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Finds the CUDA toolkit. LEAT_CUDA_FOUND says whether this build uses GPUs. Then
# there is the target CUDA::cudart_static.
#
# The CUDA runtime is linked statically and loads the driver when it is first
# called, so programs start on machines without GPUs. With a sanitizer, and
# without optimization, kernels for GPUs are compiled for the host, where only
# the fake of CUDA (tests/testing/fake_cuda.h) can run them. So AUTO does not
# find the toolkit there.
set(LEAT_CUDA "AUTO" CACHE STRING
    "Compile kernels for GPUs: ON, OFF, or AUTO, where the toolkit is found")
set_property(CACHE LEAT_CUDA PROPERTY STRINGS AUTO ON OFF)

set(LEAT_CUDA_FOUND OFF)
if(LEAT_CUDA STREQUAL "ON" OR (LEAT_CUDA STREQUAL "AUTO" AND NOT LEAT_SANITIZER
                               AND CMAKE_BUILD_TYPE STREQUAL "Release"))
  find_package(CUDAToolkit QUIET)
  if(TARGET CUDA::cudart_static)
    set(LEAT_CUDA_FOUND ON)
  elseif(LEAT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "LEAT_CUDA is ON, but the CUDA toolkit is missing")
  endif()
endif()
