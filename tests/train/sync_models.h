// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines two small models for synchronous training, and batches for them.
// Every worker of a cluster builds the same model.
#ifndef LEAT_TESTS_TRAIN_SYNC_MODELS_H_
#define LEAT_TESTS_TRAIN_SYNC_MODELS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leat/graph/builder/builder.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/sync_replicas.h"

namespace leat::testing {

// Builds a model with placeholders "x" and "y" and returns its loss.
using LossFunction = std::function<Output(GraphBuilder& b)>;

// Returns the loss of a linear model with variables w (3 x 1) and c (1).
Output LinearLoss(GraphBuilder& b);
// Returns the loss of a model that looks up rows of a table and adds the
// variable c (1). The table has 7 rows in two parts.
Output EmbeddingLoss(GraphBuilder& b);

// LinearBatch returns feeds for the model of LinearLoss, and EmbeddingBatch
// returns feeds for the model of EmbeddingLoss. The feeds are the batch of
// `worker` at `step`. Equal arguments give equal batches.
std::vector<Feed> LinearBatch(int worker, int step);
std::vector<Feed> EmbeddingBatch(int worker, int step);
// Returns one batch with the rows of all `batches`, in their order.
std::vector<Feed> Together(const std::vector<std::vector<Feed>>& batches);

// Describes a graph, and the names of the tensors and operations that a test
// runs.
struct SyncModel {
  // Has no value if the graph could not be built.
  std::optional<Graph> graph = {};
  std::string loss, global_step, train, worker_init, chief_init, chief_step,
      finish, finished, uninitialized;
};

struct SyncModelOptions {
  LossFunction loss = LinearLoss;
  // If this is "", no node gets a device.
  std::string worker_device = {};
  int ps_tasks = 1;
  SyncReplicasAttrs attrs = {};
};

// Builds the model of `options.loss` with a SyncReplicas that uses `optimizer`.
// Errors make the test fail.
template <class Optimizer>
SyncModel BuildSyncModel(const Optimizer& optimizer,
                         const SyncModelOptions& options);
// Builds the model of `options.loss` with `sync`. Calls `add` before the graph
// is built, so that a test can add nodes of its own.
SyncModel BuildSyncModel(
    const SyncReplicas& sync, const SyncModelOptions& options,
    const std::function<void(GraphBuilder& b)>& add = nullptr);

template <class Optimizer>
SyncModel BuildSyncModel(const Optimizer& optimizer,
                         const SyncModelOptions& options) {
  return BuildSyncModel(SyncReplicas(optimizer, options.attrs), options);
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_TRAIN_SYNC_MODELS_H_
