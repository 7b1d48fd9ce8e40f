// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Includes, links and calls the installed library; prints 42.
#include <leat/core/shape.h>
#include <leat/graph/op_registry.h>

#include <cstdio>

int main() {
  if (leat::BuiltinOps().Find("MatMul") == nullptr) return 1;
  const absl::StatusOr<leat::Shape> shape = leat::Shape::Create({6, 7});
  if (!shape.ok()) return 1;
  std::printf("%d\n", static_cast<int>(shape->num_elements()));
}
