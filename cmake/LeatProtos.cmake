# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#   leat_generate_protos(OUT_SOURCES FILES...)
# Compiles protos/FILE into <build>/generated/leat/protos/. An import is written
# as it is installed: "leat/protos/tensor.proto".

function(leat_generate_protos out)
  set(generated "${PROJECT_BINARY_DIR}/generated")
  set(include "${PROJECT_BINARY_DIR}/include")
  file(MAKE_DIRECTORY "${generated}/leat/protos")
  set(inputs "")
  foreach(file IN LISTS ARGN)
    list(APPEND inputs "${PROJECT_SOURCE_DIR}/protos/${file}")
  endforeach()
  set(outputs "")
  foreach(file IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" stem "${file}")
    set(base "${generated}/leat/protos/${stem}")
    # protoc also rewrites files that do not change, so each proto has its own
    # command. Each command depends on all protos, because a message may have
    # fields of an imported type.
    add_custom_command(
      OUTPUT "${base}.pb.cc" "${base}.pb.h"
      COMMAND protobuf::protoc "--proto_path=${include}"
              "--cpp_out=${generated}" "leat/protos/${file}"
      DEPENDS ${inputs}
      WORKING_DIRECTORY "${include}"
      COMMENT "protoc ${file}"
      VERBATIM)
    list(APPEND outputs "${base}.pb.cc" "${base}.pb.h")
  endforeach()
  set(${out} "${outputs}" PARENT_SCOPE)
endfunction()
