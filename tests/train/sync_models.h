// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Two small models for synchronous training, as every worker of a cluster
// builds them, and batches for them.
#ifndef LEAT_TESTS_TRAIN_SYNC_MODELS_H_
#define LEAT_TESTS_TRAIN_SYNC_MODELS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leat/graph/builder.h"
#include "leat/graph/graph.h"
#include "leat/runtime/session.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/sync_replicas.h"

namespace leat::testing {

// A loss, fed by placeholders "x" and "y".
using LossFunction = std::function<Output(GraphBuilder& b)>;

// Of w (3 x 1) and c (1).
Output LinearLoss(GraphBuilder& b);
// Of a table of 7 rows in two parts, whose rows are looked up, and of c.
Output EmbeddingLoss(GraphBuilder& b);

// The batch of a worker at a step: for every number the same one. As feeds for
// the model of that loss.
std::vector<Feed> LinearBatch(int worker, int step);
std::vector<Feed> EmbeddingBatch(int worker, int step);
// Those of workers 0 .. n - 1 in one.
std::vector<Feed> Together(const std::vector<std::vector<Feed>>& batches);

// A graph and the names of what is run of it.
struct SyncModel {
  std::optional<Graph> graph = {};
  std::string loss, global_step, train, worker_init, chief_init, chief_step,
      finish, finished, uninitialized;
};

struct SyncModelOptions {
  LossFunction loss = LinearLoss;
  // "" : no device at all.
  std::string worker_device = {};
  int ps_tasks = 1;
  SyncReplicasAttrs attrs = {};
};

template <class Optimizer>
SyncModel BuildSyncModel(const Optimizer& optimizer,
                         const SyncModelOptions& options);
// With a test's own additions before the graph is made.
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
