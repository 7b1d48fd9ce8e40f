// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/counting_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/cluster/served_cluster.h"

namespace leat::testing {
namespace {

constexpr int64_t kElements = 64;
constexpr absl::Duration kPause = absl::Milliseconds(20);
// A step that hangs must fail the test instead of blocking it.
constexpr auto kStepTimeout = std::chrono::seconds(60);

}  // namespace

absl::StatusOr<CountingModel> MakeCountingModel(int num_ps,
                                                const std::string& worker) {
  GraphBuilder b;
  std::vector<Operation> updates;
  std::vector<std::string> values;
  for (int i = 0; i < num_ps; ++i) {
    const Scope ps = b.OnDevice(absl::StrCat("/job:ps/task:", i));
    const Variable v = b.Variable(
        absl::StrCat("v", i), b.Const(Tensor::Filled(Shape{kElements}, 0.0f)));
    values.push_back(TensorName(v.value()).text);
    Output one;
    {
      const Scope device = b.OnDevice(worker);
      // The result is 1 for every value of the variable. But no optimization
      // pass knows this, so the step reads the variable.
      one = op::Minimum(op::Square(v.value()) + 1.0f, 1.0f);
    }
    updates.push_back(op::AssignAddVariableOp(v.handle(), one));
  }
  const Operation step = b.Group(updates, "step");
  LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
  return CountingModel{.graph = std::move(graph),
                       .step = step.name(),
                       .values = std::move(values)};
}

absl::StatusOr<std::vector<float>> Counts(Session& session,
                                          const CountingModel& model) {
  RunArgs args;
  for (const std::string& value : model.values) args.fetches.push_back(value);
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, session.Run(args));
  std::vector<float> counts;
  for (const Tensor& tensor : tensors) {
    const absl::Span<const float> elements = tensor.data<float>();
    const auto [least, greatest] =
        std::minmax_element(elements.begin(), elements.end());
    if (*least != *greatest) {
      return absl::DataLossError(absl::StrCat("elements of one variable are ",
                                              *least, " and ", *greatest));
    }
    counts.push_back(*least);
  }
  return counts;
}

CountingClient::CountingClient(CountingModel model, SessionOptions options)
    : model_(std::move(model)),
      options_(std::move(options)),
      thread_([this] { Train(); }) {}

void CountingClient::Stop() {
  is_ending_ = true;
  if (thread_.joinable()) thread_.join();
}

void CountingClient::Train() {
  while (!is_ending_) {
    auto session = NewSession(model_.graph, options_);
    if (session.ok()) {
      RunSteps(**session);
    } else {
      Record(session.status(), /*in_step=*/false);
    }
    if (!is_ending_) absl::SleepFor(kPause);
  }
}

void CountingClient::RunSteps(Session& session) {
  while (!is_ending_) {
    ++begun_;
    const auto result = session.Run(
        {.targets = {model_.step}, .options = {.timeout = kStepTimeout}});
    if (!result.ok()) return Record(result.status(), /*in_step=*/true);
    ++done_;
  }
}

void CountingClient::Record(const absl::Status& status, bool in_step) {
  MutexLock lock(mutex_);
  failures_.push_back({status, absl::Now(), in_step});
}

std::vector<CountingClient::Failure> CountingClient::failures() const {
  MutexLock lock(mutex_);
  return failures_;
}

std::optional<CountingClient::Failure> CountingClient::AwaitFailure(
    absl::Time since, absl::Duration timeout) const {
  std::optional<Failure> found;
  Becomes(
      [this, since, &found] {
        for (const Failure& failure : failures()) {
          if (!failure.in_step || failure.when < since) continue;
          found = failure;
          return true;
        }
        return false;
      },
      timeout);
  return found;
}

bool CountingClient::AwaitSteps(int64_t more, absl::Duration timeout) const {
  const int64_t enough = done_ + more;
  return Becomes([this, enough] { return done_ >= enough; }, timeout);
}

}  // namespace leat::testing
