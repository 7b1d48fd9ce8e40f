// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/traced_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
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

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

constexpr int kMaxWorkers = 3;

// A row of `seen` is -1/n if its gradient is part of a mean of n gradients.
// Returns the number of such rows for each n. Fails the test if a row has
// another value that is not 0.
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

TracedMeans ExpectExactMeans(const TracedValues& values, int required,
                             int64_t takeovers) {
  // A takeover may have added one to the global step without an update
  // (sync_replicas.h). The last update of each session of the chief may have
  // been applied without being counted in the global step.
  const int64_t steps = values.global_step;
  const auto matches = AllOf(Ge(static_cast<double>(steps - takeovers)),
                             Le(static_cast<double>(steps + 1)));
  const absl::Span<const float> w = values.w.data<float>();
  EXPECT_THAT(-w[0], matches);
  EXPECT_EQ(w[0], std::round(w[0]));
  EXPECT_EQ(std::count(w.begin(), w.end(), w[0]), values.w.num_elements());
  TracedMeans made;
  double means = 0;
  for (const auto& [of, count] : GradientsByMean(values.seen)) {
    EXPECT_GE(of, required) << "a mean has too few gradients";
    EXPECT_EQ(count % of, 0) << count << " gradients in means of " << of;
    made.gradients += count;
    means += static_cast<double>(count / of);
    if (of > required) made.large += count / of;
  }
  EXPECT_THAT(means, matches);
  return made;
}

}  // namespace leat::testing
