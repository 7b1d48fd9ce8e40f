// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SyncReplicas makes an optimizer synchronous (J. Chen et al., "Revisiting
// Distributed Synchronous SGD", 2016;
// tf.compat.v1.train.SyncReplicasOptimizer).
//
// Each worker of between-graph training has its own copy of the graph. The
// worker puts its gradients into accumulators, which are on the devices of the
// variables, and then waits for a token. The chief takes the mean of the first
// N gradients of every variable, updates the variables with the means, adds one
// to the global step, and gives out tokens that carry the new step. (If more
// than N gradients have arrived when the chief takes the mean, the mean
// includes all of them, as in TensorFlow.) A gradient that was computed for an
// earlier step is dropped. With N + b workers, the b slowest workers of a step
// therefore do not delay it.
//
// As in TensorFlow, any worker may take any token. If a worker is delayed after
// it has sent its gradient and before it takes its token, another worker that
// has finished a step meanwhile may take that token. That other worker then
// computes twice for the same step. Train until the global step is high enough,
// not for a fixed number of steps per worker: if one worker left before the
// last step, the others would wait for ever.
//
//   auto sync = SyncReplicas(nn::Adam(), {.replicas_to_aggregate = 3,
//                                         .total_replicas = 4});
//   SyncStep step = sync.Minimize(loss, {.global_step = nn::GlobalStep(b)});
//
// When the variables are initialized, every worker runs
// step.local_init(is_chief) after each start, and then step.train again and
// again. The chief also runs step.chief_step, on a thread of its own. A
// RecoverableSession (recoverable_session.h) runs local_init and chief_step.
#ifndef LEAT_TRAIN_SYNC_REPLICAS_H_
#define LEAT_TRAIN_SYNC_REPLICAS_H_

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/nn/optimizers.h"

namespace leat {

struct SyncReplicasAttrs {
  int replicas_to_aggregate = 1;  // N: gradients per mean
  // Is the number of workers, including the backup workers: N + b. 0 stands for
  // N. If there are fewer workers than N, each computes several gradients per
  // step.
  int total_replicas = 0;
  // Is the prefix of the names by which the tasks share the queue and the
  // accumulators. Is needed if a graph has several SyncReplicas optimizers.
  std::string shared_name = {};
};

// Holds the operations to run. A session runs them by their names. All are
// invalid after an error.
struct SyncStep {
  // Is a worker's step: it computes and sends the gradients of its batch, runs
  // the builder's updates(), and waits for the next token. Fails with
  // OUT_OF_RANGE after `finish`.
  Operation train = {};
  // A worker runs this when it begins, or begins again. The worker then starts
  // at the current global step.
  Operation worker_init = {};
  // The chief runs this instead of worker_init. If a chief takes over from a
  // lost chief, or begins again after `finish`, the operation adds one to the
  // global step. Gradients that are still being computed are therefore dropped.
  // Gradients that have already arrived count for the next mean. Until the
  // chief itself runs `train`, other workers take its tokens and compute in its
  // place.
  Operation chief_init = {};
  // Waits for N gradients of every variable and applies their means.
  Operation chief_step = {};
  // Ends the training. When the tokens given out are used up, workers that wait
  // for a token get OUT_OF_RANGE. The training stays ended until chief_init
  // runs.
  Operation finish = {};
  // Is a bool that says whether the training has ended. If the servers outlive
  // a training, a worker that begins should wait until this is false, and then
  // run worker_init again.
  Output finished = {};

  // Returns the operation for RecoverableSessionOptions::local_init.
  const Operation& local_init(bool is_chief) const {
    return is_chief ? chief_init : worker_init;
  }
};

// Is not thread-safe, like builders. Copies share one optimizer, which never
// changes.
class SyncReplicas {
 public:
  template <std::derived_from<nn::Optimizer> Optimizer>
  SyncReplicas(Optimizer optimizer, SyncReplicasAttrs attrs)
      : optimizer_(std::make_shared<const Optimizer>(std::move(optimizer))),
        attrs_(std::move(attrs)) {}
  SyncReplicas(std::shared_ptr<const nn::Optimizer> optimizer,
               SyncReplicasAttrs attrs)
      : optimizer_(std::move(optimizer)), attrs_(std::move(attrs)) {}

  // Does what nn::Optimizer::Minimize does, with these differences.
  // `options.global_step` is needed and must be int64. The mean of sparse
  // gradients is taken over all N gradients, as if one worker had computed them
  // for a batch that is N times as large. (TensorFlow takes the mean over the
  // gradients that have the row.)
  //
  // Errors, such as numbers that are not positive or a missing global step, go
  // to the builder. All workers must call this with the same variables and
  // names.
  SyncStep Minimize(Output loss, nn::MinimizeOptions options = {},
                    SourceLocation location = SourceLocation::Current()) const;

  // Does the second half of Minimize. Programs call it if they compute the
  // gradients themselves, or change them first.
  SyncStep ApplyGradients(
      absl::Span<const nn::VariableGradient> gradients,
      const nn::MinimizeOptions& options = {},
      SourceLocation location = SourceLocation::Current()) const;

 private:
  // Checks the attributes and adds the nodes to `b`.
  SyncStep Build(GraphBuilder& b,
                 absl::Span<const nn::VariableGradient> gradients,
                 const nn::MinimizeOptions& options,
                 SourceLocation location) const;

  std::shared_ptr<const nn::Optimizer> optimizer_;
  SyncReplicasAttrs attrs_;
};

}  // namespace leat

#endif  // LEAT_TRAIN_SYNC_REPLICAS_H_
