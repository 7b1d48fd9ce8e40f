// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/builder/op_call.h"

#include <algorithm>
#include <utility>

namespace leat::internal {

Operation CallOp(GraphBuilder* builder, OpArgs args) {
  return builder == nullptr ? AddOp(std::move(args))
                            : builder->AddOp(std::move(args));
}

std::vector<Output> OutputList(const Operation& operation, int64_t begin,
                               int64_t count) {
  std::vector<Output> outputs;
  outputs.reserve(static_cast<size_t>(count));
  for (int64_t i = begin; i < begin + count; ++i) {
    outputs.emplace_back(operation, static_cast<int>(i));
  }
  return outputs;
}

int64_t ListLength(int64_t count) {
  return std::clamp<int64_t>(count, 0, kMaxArgs);
}

}  // namespace leat::internal
