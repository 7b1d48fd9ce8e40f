// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Checks that a program can include, link and call the installed library.
// Prints 42.
#include <leat/leat.h>

#include <cstdio>
#include <string>

#include "program.h"

int main(int argc, char**) {
  // The value of `argc` is unknown at compile time, so the conversion happens
  // at run time. The conversion uses F16C instructions, although no compiler
  // flag of this program enables them.
  if (leat::half(0.25f * argc) != 0.25f) return 1;
  for (const absl::Status& status : {RunProgram(), RunOwnOp()}) {
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  if (leat::BuiltinOps().Find("MatMul") == nullptr) return 1;
  if (!leat::ClusterSpec::FromJson(R"({"ps": ["h:1"]})").ok()) return 1;
  if (!leat::BuiltinTransports().Create("grpc").ok()) return 1;
  const absl::StatusOr<leat::Shape> shape = leat::Shape::Create({6, 7});
  if (!shape.ok()) return 1;
  std::printf("%d\n", static_cast<int>(shape->num_elements()));
}
