// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/trace/rpc_logs.h"

#include <chrono>
#include <utility>

#include "leat/distributed/tasks/fan_out.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/payload.h"
#include "leat/protos/step_stats.pb.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

void CallAll(TaskCaller& tasks, const std::vector<std::string>& names,
             std::chrono::nanoseconds timeout,
             const pb::LoggingRequest& request,
             std::shared_ptr<Cancellation> cancellation,
             Gather<Payload>::Done done) {
  std::vector<TaskCall> calls;
  for (const std::string& name : names) {
    calls.push_back({name, ToPayload(request)});
  }
  FanOut(tasks, methods::kLogging, std::move(calls),
         {.deadline = tasks.clock().After(timeout),
          .cancellation = std::move(cancellation)},
         std::move(done));
}

pb::StepStats StatsOf(const absl::StatusOr<Payload>& reply, int64_t step_id) {
  pb::LoggingResponse response;
  pb::StepStats stats;
  if (!reply.ok() ||
      !ParseMessage(reply->header, kMaxAnswerBytes, response).ok()) {
    return stats;
  }
  for (const pb::LabeledStepStats& step : response.step()) {
    if (step.step_id() == step_id) stats.MergeFrom(step.step_stats());
  }
  return stats;
}

}  // namespace

void StartRpcLogs(TaskCaller& tasks, const std::vector<std::string>& names,
                  std::chrono::nanoseconds timeout,
                  std::shared_ptr<Cancellation> cancellation,
                  absl::AnyInvocable<void() &&> done) {
  pb::LoggingRequest request;
  request.set_enable_rpc_logging(true);
  CallAll(tasks, names, timeout, request, std::move(cancellation),
          [done = std::move(done)](
              const std::vector<absl::StatusOr<Payload>>&) mutable {
            std::move(done)();
          });
}

void EndRpcLogs(TaskCaller& tasks, const std::vector<std::string>& names,
                std::chrono::nanoseconds timeout, int64_t step_id,
                WorkQueue& compute,
                absl::AnyInvocable<void(std::vector<pb::StepStats>) &&> done) {
  pb::LoggingRequest request;
  request.set_disable_rpc_logging(true);
  request.add_fetch_step_id(step_id);
  CallAll(tasks, names, timeout, request, nullptr,
          [step_id, &compute, done = std::move(done)](
              std::vector<absl::StatusOr<Payload>> replies) mutable {
            // The replies may be large, so they are parsed on `compute`.
            compute.Add([step_id, done = std::move(done),
                         replies = std::move(replies)]() mutable {
              std::vector<pb::StepStats> stats;
              for (const auto& reply : replies) {
                stats.push_back(StatsOf(reply, step_id));
              }
              std::move(done)(std::move(stats));
            });
          });
}

}  // namespace leat
