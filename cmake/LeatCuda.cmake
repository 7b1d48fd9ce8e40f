# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Finds the CUDA toolkit, and sets
#   LEAT_CUDA_FOUND   whether this build uses GPUs
#   LEAT_CUDART       the CUDA runtime to link, or nothing
#
# The runtime is linked statically and loads the driver when it is first called,
# so programs start on machines without GPUs. With a sanitizer, and without
# optimization, the kernels of GPUs are compiled for the host, where only the
# fake of CUDA (tests/testing/fake_cuda.h) can run them.
set(LEAT_CUDA_FOUND OFF)
set(LEAT_CUDART "")
if(LEAT_CUDA STREQUAL "ON" OR (LEAT_CUDA STREQUAL "AUTO" AND NOT LEAT_SANITIZER
                               AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug"))
  find_package(CUDAToolkit QUIET)
  if(TARGET CUDA::cudart_static)
    set(LEAT_CUDA_FOUND ON)
    set(LEAT_CUDART CUDA::cudart_static)
  elseif(LEAT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "Leat: the CUDA toolkit is missing; install it, or set "
                        "LEAT_CUDA to OFF")
  endif()
endif()
