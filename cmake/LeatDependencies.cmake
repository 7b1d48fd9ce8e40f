# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Finds the libraries that Leat links. The build includes this file, and so does
# every project that calls find_package(Leat), for which it is installed beside
# LeatConfig.cmake. So this file contains no absolute path, and it defines these
# imported targets:
#   LeatDeps::dnnl   is oneDNN. Debian's CMake file for oneDNN is not used,
#                    because it requires OpenCL headers.
#   LeatDeps::gomp   is libgomp. -fopenmp is not needed, because Leat only sets
#                    the thread count of the calling thread.
#   LeatDeps::farmhash, LeatDeps::gif, LeatDeps::icuuc, LeatDeps::isal,
#   LeatDeps::jpeg, LeatDeps::leveldb, LeatDeps::png, LeatDeps::re2,
#   LeatDeps::snappy are the libraries with these names.
#   LeatDeps::grpc   is gRPC for C++. Debian's CMake file for gRPC is not used,
#                    because it requires everything that the static libraries
#                    need.
include(CMakeFindDependencyMacro)
if(NOT DEFINED THREADS_PREFER_PTHREAD_FLAG)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
endif()
find_dependency(Threads)
find_dependency(absl)
find_dependency(Boost)
find_dependency(Protobuf)
find_dependency(ZLIB)

if(NOT TARGET LeatDeps::dnnl)
  find_path(LEAT_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
  find_library(LEAT_DNNL_LIBRARY NAMES dnnl libdnnl.so.2)
  find_library(LEAT_GOMP_LIBRARY NAMES gomp libgomp.so.1)
  mark_as_advanced(LEAT_DNNL_INCLUDE_DIR LEAT_DNNL_LIBRARY LEAT_GOMP_LIBRARY)
  foreach(file LEAT_DNNL_INCLUDE_DIR LEAT_DNNL_LIBRARY LEAT_GOMP_LIBRARY)
    if(NOT ${file})
      message(FATAL_ERROR "Leat: oneDNN or libgomp is missing (${file}); "
                          "install libdnnl-dev and libgomp1")
    endif()
  endforeach()
  add_library(LeatDeps::dnnl UNKNOWN IMPORTED)
  set_target_properties(LeatDeps::dnnl PROPERTIES
    IMPORTED_LOCATION "${LEAT_DNNL_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LEAT_DNNL_INCLUDE_DIR}")
  add_library(LeatDeps::gomp UNKNOWN IMPORTED)
  set_target_properties(LeatDeps::gomp PROPERTIES
    IMPORTED_LOCATION "${LEAT_GOMP_LIBRARY}")
endif()

# leat_find_library(NAME PACKAGE HEADER) adds the target LeatDeps::NAME for the
# library lib<NAME>.
function(leat_find_library name package header)
  if(TARGET LeatDeps::${name})
    return()
  endif()
  string(TOUPPER "${name}" variable)
  find_path(LEAT_${variable}_INCLUDE_DIR ${header})
  find_library(LEAT_${variable}_LIBRARY NAMES ${name})
  mark_as_advanced(LEAT_${variable}_INCLUDE_DIR LEAT_${variable}_LIBRARY)
  if(NOT LEAT_${variable}_INCLUDE_DIR OR NOT LEAT_${variable}_LIBRARY)
    message(FATAL_ERROR "Leat: lib${name} is missing; install ${package}")
  endif()
  add_library(LeatDeps::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(LeatDeps::${name} PROPERTIES
    IMPORTED_LOCATION "${LEAT_${variable}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LEAT_${variable}_INCLUDE_DIR}")
endfunction()
leat_find_library(farmhash libfarmhash-dev farmhash.h)
leat_find_library(gif libgif-dev gif_lib.h)
leat_find_library(icuuc libicu-dev unicode/unistr.h)
leat_find_library(isal libisal-dev isa-l/crc.h)
leat_find_library(jpeg libjpeg-dev jpeglib.h)
leat_find_library(leveldb libleveldb-dev leveldb/table_builder.h)
leat_find_library(png libpng-dev png.h)
leat_find_library(re2 libre2-dev re2/re2.h)
leat_find_library(snappy libsnappy-dev snappy.h)

if(NOT TARGET LeatDeps::grpc)
  find_path(LEAT_GRPC_INCLUDE_DIR grpcpp/grpcpp.h)
  find_library(LEAT_GRPCXX_LIBRARY NAMES grpc++)
  find_library(LEAT_GRPC_LIBRARY NAMES grpc)
  find_library(LEAT_GPR_LIBRARY NAMES gpr)
  mark_as_advanced(LEAT_GRPC_INCLUDE_DIR LEAT_GRPCXX_LIBRARY LEAT_GRPC_LIBRARY
                   LEAT_GPR_LIBRARY)
  foreach(file LEAT_GRPC_INCLUDE_DIR LEAT_GRPCXX_LIBRARY LEAT_GRPC_LIBRARY
               LEAT_GPR_LIBRARY)
    if(NOT ${file})
      message(FATAL_ERROR "Leat: gRPC is missing (${file}); "
                          "install libgrpc++-dev")
    endif()
  endforeach()
  add_library(LeatDeps::grpc UNKNOWN IMPORTED)
  set_target_properties(LeatDeps::grpc PROPERTIES
    IMPORTED_LOCATION "${LEAT_GRPCXX_LIBRARY}"
    INTERFACE_LINK_LIBRARIES "${LEAT_GRPC_LIBRARY};${LEAT_GPR_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LEAT_GRPC_INCLUDE_DIR}")
endif()
