# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
# Sets the compiler launcher, optimization and sanitizers, and defines three
# functions:
#   leat_compile_options(TARGET)   sets the options of every target of Leat
#   leat_warnings(TARGET)          adds warnings, for hand-written code
#   leat_not_fuzzed(TARGET)        is for code that parses nothing: the fuzzer
#                                  does not count its branches; without
#                                  optimization, such code compiles in three
#                                  quarters of the time

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(LEAT_CCACHE ccache)
find_program(LEAT_ENV env)
mark_as_advanced(LEAT_CCACHE LEAT_ENV)
if(LEAT_CCACHE AND LEAT_ENV AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # CCACHE_BASEDIR lets build folders with different names share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${LEAT_ENV}" "CCACHE_BASEDIR=${PROJECT_BINARY_DIR}"
      CCACHE_NOHASHDIR=true
      # Without this setting, ccache caches no file that uses a precompiled
      # header.
      CCACHE_SLOPPINESS=pch_defines,time_macros "${LEAT_CCACHE}")
endif()

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

set(LEAT_SANITIZER_FLAGS "")
set(LEAT_LIBRARY_OPTIONS "")
if(LEAT_SANITIZER STREQUAL "address")
  set(LEAT_SANITIZER_FLAGS -fsanitize=address,undefined
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(LEAT_SANITIZER STREQUAL "thread")
  set(LEAT_SANITIZER_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(LEAT_SANITIZER)
  message(FATAL_ERROR "LEAT_SANITIZER: unknown value '${LEAT_SANITIZER}'")
endif()
if(LEAT_SANITIZER_FLAGS)
  # -gline-tables-only gives line numbers to the reports of sanitizers.
  # Optimizing doubles the time to compile, so only the libraries in which tests
  # spend most of their time are optimized. Without it, graph_test would take
  # nine times as long.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -gline-tables-only")
  set(LEAT_LIBRARY_OPTIONS -O1)
  add_link_options(${LEAT_SANITIZER_FLAGS})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # About thirty programs are linked statically. GNU ld takes 15 s for a program
  # with a sanitizer, and lld takes 1 s. lld links a whole member of an archive
  # even if the program needs only an inline function from it, unless an earlier
  # library has this function, too. So libstdc++ comes first.
  add_link_options(-fuse-ld=lld -lstdc++)
endif()

add_link_options(LINKER:--as-needed)

function(leat_compile_options target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ${BUILD_SHARED_LIBS})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    -march=${LEAT_ARCH}
    # Keeps paths of the build machine out of messages and source locations.
    "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=leat/"
    ${LEAT_SANITIZER_FLAGS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # With this option, a precompiled header has the same bytes whenever it is
    # made.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if(BUILD_SHARED_LIBS)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
  if(LEAT_SANITIZER STREQUAL "address"
     AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  target_include_directories(${target}
    PRIVATE "${PROJECT_BINARY_DIR}/include")
  # Generated code is included as system headers, so our warnings do not apply.
  target_include_directories(${target} SYSTEM
    PRIVATE "${PROJECT_BINARY_DIR}/generated")
endfunction()

function(leat_not_fuzzed target)
  if(LEAT_SANITIZER STREQUAL "address"
     AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()

function(leat_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(LEAT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 gives false warnings about code inside of std::string and
    # absl::InlinedVector. If the headers of these classes are precompiled, g++
    # does not treat them as system headers, so it would show the warnings.
    # clang checks the same code.
    target_compile_options(${target} PRIVATE
      -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
      -Wno-stringop-overflow)
    if(CMAKE_UNITY_BUILD AND NOT target MATCHES "_test$|testing|soak")
      # g++ takes the sources that a unity file includes for headers. It warns
      # if a class in a header has a member whose type is private to a file.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -Wthread-safety)
  endif()
endfunction()
