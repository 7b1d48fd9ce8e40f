// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Includes, links and calls the installed library; prints 42.
#include <leat/core/float16.h>
#include <leat/core/shape.h>
#include <leat/distributed/cluster.h>
#include <leat/distributed/transport.h>
#include <leat/graph/op_registry.h>

#include <cstdio>
#include <string>

#include "program.h"

int main(int argc, char**) {
  // Not known to the compiler, and by instructions that it may not know of.
  if (leat::half(0.25f * argc) != 0.25f) return 1;
  if (const absl::Status status = RunProgram(); !status.ok()) {
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
