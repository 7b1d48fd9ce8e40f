// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/training_summaries.h"

#include <vector>

#include "leat/core/status_macros.h"
#include "leat/graph/ops.h"

namespace leat::examples {

void TrainingSummaries::AddOps(GraphBuilder& b, const Model& model) {
  if (folder_.empty()) return;
  model_ = model;
  std::vector<Output> summaries = {op::ImageSummary("images", model.images)};
  for (const leat::Variable& variable : b.TrainableVariables()) {
    summaries.push_back(
        op::HistogramSummary(variable.name(), variable.value()));
  }
  summary_ = op::MergeSummary(summaries);
}

absl::Status TrainingSummaries::Open(const Graph& graph) {
  if (folder_.empty()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(writer_, SummaryWriter::Create(folder_));
  return writer_->AddGraph(graph);
}

absl::Status TrainingSummaries::AddStep(float loss, float accuracy) {
  if (writer_ == nullptr) return absl::OkStatus();
  ++step_;
  LEAT_RETURN_IF_ERROR(writer_->AddScalar("loss", loss, step_));
  return writer_->AddScalar("accuracy", accuracy, step_);
}

absl::Status TrainingSummaries::AddEpoch(double test_accuracy,
                                         const LabeledImages& batch,
                                         Session& session) {
  if (writer_ == nullptr) return absl::OkStatus();
  const RunArgs args = {
      .feeds = {{model_.images, batch.images}, {model_.labels, batch.labels}},
      .fetches = {summary_, model_.loss}};
  LEAT_ASSIGN_OR_RETURN(
      const std::vector<Tensor> fetched,
      is_traced_ ? session.Run(args)
                 : writer_->AddTracedStep("evaluation", args, step_, session));
  is_traced_ = true;
  LEAT_RETURN_IF_ERROR(writer_->AddSummary(fetched[0], step_));
  LEAT_RETURN_IF_ERROR(
      writer_->AddScalar("test_accuracy", test_accuracy, step_));
  return writer_->Flush();
}

absl::Status TrainingSummaries::Close() {
  return writer_ == nullptr ? absl::OkStatus() : writer_->Close();
}

}  // namespace leat::examples
