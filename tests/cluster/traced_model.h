// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TracedModel is a model whose variables show which gradients were applied, and
// how often. Tests train it on a cluster whose tasks they kill.
//
// The gradient of every element of `w` is 1, and the learning rate is 1, so
// each element of w is minus the number of updates. The gradient of `seen` is 1
// in one row, and each gradient has a row of its own. After asynchronous
// training a row is minus the number of times that its gradient was applied.
// After synchronous training a row is -1/n if its gradient was one of n in a
// mean.
#ifndef LEAT_TESTS_CLUSTER_TRACED_MODEL_H_
#define LEAT_TESTS_CLUSTER_TRACED_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/graph.h"
#include "leat/graph/ops.h"
#include "leat/train/sync_replicas.h"

namespace leat::testing {

// Is the number of rows of the variable `seen`. It is larger than the number of
// gradients that all workers together compute in a test.
inline constexpr int32_t kMaxTracedGradients = 1 << 18;

// Holds the graph of one worker, and the names of its nodes and tensors.
struct TracedModel {
  Graph graph{BuiltinOps()};
  std::string train = {};
  std::string loss = {};
  std::string w = {};
  std::string seen = {};
  std::string global_step = {};
  std::string row = {};  // to be fed
  std::string uninitialized = {};
  // `local_init` and `chief_step` are set for synchronous training only.
  std::string local_init = {};
  std::string chief_step = {};
};

struct TracedModelOptions {
  int num_ps = 1;
  // If this is set, the training is synchronous.
  std::optional<SyncReplicasAttrs> sync = {};
  int64_t num_elements = 4;  // of w
};

// Returns the model of worker number `worker`. Worker 0 is the chief. Fails
// with the errors of GraphBuilder::Build.
absl::StatusOr<TracedModel> MakeTracedModel(int worker,
                                            const TracedModelOptions& options);

// Returns the row for the gradient of a worker's step number `step`. Fails the
// test if `seen` has too few rows. REQUIRES: `worker` is at most 2.
int32_t TracedRow(int worker, int64_t step);

// Holds the values of a model's variables.
struct TracedValues {
  Tensor w;
  Tensor seen;
  int64_t global_step = 0;
};

// Describes the means of gradients that synchronous training has applied:
// `gradients` is the number of gradients in all means.
struct TracedMeans {
  int64_t gradients = 0;
  // Is the number of means that are taken over more gradients than
  // ExpectExactMeans's `required`.
  int64_t large = 0;
};

// Fails the test if the values cannot come from synchronous training. A mean
// must have at least `required` gradients, no gradient may be part of two
// means, and the numbers of means and of updates must match the global step.
// `takeovers` is the number of times that the chief has started again since the
// initialization.
TracedMeans ExpectExactMeans(const TracedValues& values, int required,
                             int64_t takeovers);

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_TRACED_MODEL_H_
