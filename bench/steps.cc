// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/bench/steps.h"

#include <cstdio>
#include <cstdlib>

#include "leat/core/check.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/local_session.h"

namespace leat::bench {
namespace {

int64_t NodesOf(const pb::StepStats& stats) {
  int64_t nodes = 0;
  for (const auto& device : stats.dev_stats()) {
    nodes += device.node_stats_size();
  }
  return nodes;
}

}  // namespace

Steps::Steps(const Case& c, int num_cpus) : feeds_(FeedValues(c)), per_(c.per) {
  auto devices = DeviceSet::Create({.num_cpus = num_cpus});
  LEAT_CHECK(devices.ok());
  devices_ = *std::move(devices);
  LocalSessionOptions options;
  options.device_set = devices_;
  if (!c.optimize) options.optimizer.level = OptimizeLevel::kOff;
  auto session = NewLocalSession(c.graph, options);
  if (!session.ok()) Die(session.status());
  session_ = *std::move(session);
  if (!c.graph.init_op().empty()) {
    const auto out = session_->Run({.targets = {c.graph.init_op()}});
    if (!out.ok()) Die(out.status());
  }
  auto callable = session_->MakeCallable(ArgsOf(c));
  if (!callable.ok()) Die(callable.status());
  callable_ = *std::move(callable);
  CallableArgs traced = ArgsOf(c);
  traced.options.trace_level = TraceLevel::kFull;
  callable = session_->MakeCallable(traced);
  if (!callable.ok()) Die(callable.status());
  pb::RunMetadata metadata;
  const auto out = (*callable)(feeds_, &metadata);
  if (!out.ok()) Die(out.status());
  num_nodes_ = NodesOf(metadata.step_stats());
}

int64_t Steps::SystemRequests() const {
  int64_t requests = 0;
  for (const auto& device : devices_->devices()) {
    requests += device->allocator().stats().system_requests;
  }
  return requests;
}

void Steps::Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

Steps& LastSteps::Get(const std::string& name, absl::FunctionRef<Case()> make,
                      int num_cpus) {
  if (steps_ == nullptr || name != name_) {
    steps_ = nullptr;  // frees the old graph first
    steps_ = std::make_unique<Steps>(make(), num_cpus);
    name_ = name;
  }
  return *steps_;
}

void RunSteps(benchmark::State& state, Steps& steps) {
  for (auto _ : state) steps.Run();
  state.counters["nodes"] = static_cast<double>(steps.CountNodes());
  if (steps.per() == 1) return;
  state.counters["per_op"] =
      benchmark::Counter(static_cast<double>(steps.per()),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

}  // namespace leat::bench
