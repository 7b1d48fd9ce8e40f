// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/ops.h"

namespace leat::gradients::dynamic_partition {
namespace {

// Partitions the positions of the rows in the same way as the rows. The
// partitioned positions then tell where the gradients of each output belong.
void DynamicPartitionGrad(GradientContext& c) {
  if (!c.needs(0)) return;
  const Output partitions = c.input(1);
  const int64_t count = c.attr<int64_t>("num_partitions");
  const Output positions =
      op::Reshape(op::Range(0, op::Size(partitions), 1), ShapeOf(partitions));
  std::vector<Output> gradients;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    gradients.push_back(c.grad(i));
  }
  const Output rows = op::ParallelDynamicStitch(
      op::DynamicPartition(positions, partitions, count), gradients);
  c.set(0, ReshapeLike(rows, c.input(0)));
}

}  // namespace

void Register(GradientRegistry& registry) {
  registry.Add("DynamicPartition", DynamicPartitionGrad);
}

}  // namespace leat::gradients::dynamic_partition
