// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TrainingSummaries writes an event file of a training, which TensorBoard
// shows: the curves of loss and accuracy, the distributions of the weights,
// some images, the graph, and the times of one step.
#ifndef LEAT_EXAMPLES_SHARED_TRAINING_SUMMARIES_H_
#define LEAT_EXAMPLES_SHARED_TRAINING_SUMMARIES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "leat/examples/shared/fashion_mnist_model.h"
#include "leat/graph/builder/builder.h"
#include "leat/runtime/session.h"
#include "leat/train/batches.h"
#include "leat/train/summary_writer.h"

namespace leat::examples {

// Is not thread-safe.
class TrainingSummaries {
 public:
  // If `folder` is "", there is no file, and the methods do nothing. All errors
  // of writing name the file.
  explicit TrainingSummaries(std::string folder) : folder_(std::move(folder)) {}

  // Adds the ops that summarize the weights and the images to the graph.
  void AddOps(GraphBuilder& b, const Model& model);
  // Creates the file and writes the graph, which has these ops.
  absl::Status Open(const Graph& graph);
  // Writes the loss and the accuracy of one training step.
  absl::Status AddStep(float loss, float accuracy);
  // Runs a step that summarizes the weights and the images of `batch`. Writes
  // these summaries and the accuracy on the test images. The first call also
  // writes how long each node of the step took.
  absl::Status AddEpoch(double test_accuracy, const LabeledImages& batch,
                        Session& session);
  absl::Status Close();

 private:
  const std::string folder_;
  std::unique_ptr<SummaryWriter> writer_;
  Model model_;
  Output summary_;
  int64_t step_ = 0;
  bool is_traced_ = false;
};

}  // namespace leat::examples

#endif  // LEAT_EXAMPLES_SHARED_TRAINING_SUMMARIES_H_
