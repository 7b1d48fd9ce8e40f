// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SyncReplicas: makes an optimizer synchronous (J. Chen et al., "Revisiting
// Distributed Synchronous SGD", 2016;
// tf.compat.v1.train.SyncReplicasOptimizer). Workers of between-graph training,
// each with its own copy of the graph, put their gradients into accumulators
// beside the variables and wait for a token. The chief takes the means of the
// first N gradients of every variable (and of those that come before it takes
// them, as TensorFlow's), updates the variables with them, counts up the global
// step, and gives out tokens that bear it. A gradient that was computed for an
// earlier step is dropped, so with N + b workers the b slowest of a step do not
// hold it up.
//
// A token is anybody's, as TensorFlow's. A worker that is held up between its
// gradient and its token, for as long as another needs for a step, may lose it
// to that one, which then computes twice for that step. So train until the
// global step says that it is enough, not for a number of steps each: where one
// leaves before the last step, the others wait for ever.
//
//   auto sync = SyncReplicas(nn::Adam(), {.replicas_to_aggregate = 3,
//                                         .total_replicas = 4});
//   SyncStep step = sync.Minimize(loss, {.global_step = nn::GlobalStep(b)});
//
// Once the variables are initialized every worker runs
// step.local_init(is_chief) after each start, then step.train over and over;
// the chief besides, on a thread of its own, step.chief_step
// (recoverable_session.h does all of it). Not thread-safe, like builders.
#ifndef LEAT_TRAIN_SYNC_REPLICAS_H_
#define LEAT_TRAIN_SYNC_REPLICAS_H_

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "leat/graph/builder.h"
#include "leat/train/nn/optimizers.h"

namespace leat {

struct SyncReplicasAttrs {
  int replicas_to_aggregate = 1;  // N
  // Workers, the backups among them: N + b. 0: N. Of fewer than N each computes
  // several gradients a step.
  int total_replicas = 0;
  // Before the names of the queue and the accumulators, by which the tasks
  // share them: for a graph with several such optimizers.
  std::string shared_name = {};
};

// What to run of the graph, by name in sessions. All invalid after an error.
struct SyncStep {
  // A worker's step: the gradients of its batch, then it waits for the next
  // token. With the builder's updates(). OUT_OF_RANGE after `finish`.
  Operation train = {};
  // A worker begins, or begins again, at the current global step.
  Operation worker_init = {};
  // worker_init, the chief's form. A chief that takes over from one that was
  // lost, or begins again after `finish`, counts the global step up by one, and
  // so drops gradients that are under way; those that have come already count
  // for the next mean. Until its own replica takes tokens, others take them,
  // and compute for it.
  Operation chief_init = {};
  // Waits for N gradients of every variable, applies their means.
  Operation chief_step = {};
  // Training has ended: workers that wait for tokens, and those that will, get
  // OUT_OF_RANGE once those given out are used up. Until chief_init.
  Operation finish = {};
  // Whether it has ended: a bool. On servers that were kept a worker that
  // begins is to wait until it has not, then to run worker_init again.
  Output finished = {};

  const Operation& local_init(bool is_chief) const {
    return is_chief ? chief_init : worker_init;
  }
};

class SyncReplicas {
 public:
  template <std::derived_from<nn::Optimizer> Optimizer>
  SyncReplicas(Optimizer optimizer, SyncReplicasAttrs attrs)
      : optimizer_(std::make_shared<const Optimizer>(std::move(optimizer))),
        attrs_(std::move(attrs)) {}
  SyncReplicas(std::shared_ptr<const nn::Optimizer> optimizer,
               SyncReplicasAttrs attrs)
      : optimizer_(std::move(optimizer)), attrs_(std::move(attrs)) {}

  // As the optimizer's own, but `global_step`, of int64, is needed, and the
  // means of sparse gradients are over all N, as if one worker had computed
  // them of an N times larger batch (TensorFlow: over those with that row).
  // Errors (numbers that are not positive, no global step) go to the builder.
  // All workers must do this with the same variables and names.
  SyncStep Minimize(Output loss, nn::MinimizeOptions options = {},
                    SourceLocation location = SourceLocation::Current()) const;

  // The second half, for programs that change gradients in between.
  SyncStep ApplyGradients(
      absl::Span<const nn::VariableGradient> gradients,
      const nn::MinimizeOptions& options = {},
      SourceLocation location = SourceLocation::Current()) const;

 private:
  SyncStep Build(GraphBuilder& b,
                 absl::Span<const nn::VariableGradient> gradients,
                 const nn::MinimizeOptions& options,
                 SourceLocation location) const;

  std::shared_ptr<const nn::Optimizer> optimizer_;
  SyncReplicasAttrs attrs_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_SYNC_REPLICAS_H_
