// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/traced_model.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/runtime/session.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"

namespace leat::testing {
namespace {

constexpr int kMaxWorkers = 3;

}  // namespace

absl::StatusOr<TracedModel> MakeTracedModel(int worker,
                                            const TracedModelOptions& options) {
  GraphBuilder b;
  const Scope device = b.OnDevice(nn::ReplicaDeviceSetter(
      {.ps_tasks = options.num_ps,
       .worker_device = absl::StrCat("/job:worker/task:", worker)}));
  const Variable w = b.Variable(
      "w", b.Const(Tensor::Filled(Shape{options.num_elements}, 0.0f)));
  const Variable seen = b.Variable(
      "seen", op::Fill(Tensor::Vector<int32_t>({kMaxTracedGradients, 1}),
                       b.Const(0.0f)));
  const Variable step = nn::GlobalStep(b);
  const Output row = b.Placeholder<int32_t>("row", {1});
  const Output loss = op::Sum(w.value() * b.Const(1.0f), {0}) +
                      op::Sum(nn::EmbeddingLookup({{seen}}, row),
                              Tensor::Vector<int32_t>({0, 1}));
  const nn::GradientDescent optimizer(
      nn::GradientDescentAttrs{.learning_rate = 1.0f});
  TracedModel model;
  if (options.sync.has_value()) {
    const SyncStep made = SyncReplicas(optimizer, *options.sync)
                              .Minimize(loss, {.global_step = step});
    model.train = made.train.name();
    model.local_init = made.local_init(worker == 0).name();
    model.chief_step = made.chief_step.name();
  } else {
    model.train = optimizer.Minimize(loss, {.global_step = step}).name();
  }
  const Output missing = UninitializedVariables(b);
  LEAT_ASSIGN_OR_RETURN(model.graph, b.Build());
  model.loss = TensorName(loss).text;
  model.w = TensorName(w.value()).text;
  model.seen = TensorName(seen.value()).text;
  model.global_step = TensorName(step.value()).text;
  model.row = TensorName(row).text;
  model.uninitialized = TensorName(missing).text;
  return model;
}

int32_t TracedRow(int worker, int64_t step) {
  const int64_t row = step * kMaxWorkers + worker;
  EXPECT_LT(row, kMaxTracedGradients);
  return static_cast<int32_t>(row);
}

std::map<int64_t, int64_t> GradientsByMean(const Tensor& seen) {
  std::map<int64_t, int64_t> counts;
  for (const float each : seen.data<float>()) {
    if (each == 0) continue;
    const auto of = static_cast<int64_t>(std::lround(-1 / each));
    EXPECT_EQ(each, -1 / static_cast<float>(of));
    ++counts[of];
  }
  return counts;
}

}  // namespace leat::testing
