// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Takes bytes as the messages of collectives, one after the other. The first
// byte of each chooses its type, and two bytes its size. Messages of which
// copies can be made must be the same afterwards. The leader of groups must
// answer each request exactly once, at the latest when its caller cancels it. A
// peer waits for a step meanwhile, which a message may end. No step is left.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/distributed/collectives/cluster_collectives.h"
#include "leat/distributed/collectives/collective_messages.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/step_table.h"
#include "leat/distributed/tasks/task_caller.h"
#include "leat/distributed/wire/recv_buf.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/runtime/device_set.h"

namespace {

constexpr char kTask[] = "/job:worker/replica:0/task:0";
constexpr int64_t kMaxBytes = 1 << 20;
constexpr int64_t kStep = 7;  // the one in corpus/collectives_fuzz/aborts

void CheckBufferRequest(absl::string_view bytes) {
  const auto request = leat::DecodeRecvRequest(leat::RecvForm::kBuffer, bytes);
  if (!request.ok()) return;
  const auto again = leat::DecodeRecvRequest(
      leat::RecvForm::kBuffer, leat::EncodeRecvRequest(*request).header);
  LEAT_CHECK(again.ok());
  LEAT_CHECK(again->step_id == request->step_id);
  LEAT_CHECK(again->keys.all()[0].text() == request->keys.all()[0].text());
}

void CheckBufferResponse(absl::string_view bytes) {
  const auto decode = [](absl::string_view response) {
    return leat::DecodeRecvBufResponse(response, leat::HostAllocator(),
                                       kMaxBytes);
  };
  const auto buffer = decode(bytes);
  if (!buffer.ok()) return;
  const auto response = leat::EncodeRecvBufResponse(*buffer);
  LEAT_CHECK(response.ok());
  const auto again = decode(response->header);
  // The message of many small pieces may be smaller than that of one piece.
  if (absl::IsResourceExhausted(again.status())) return;
  LEAT_CHECK(again.ok() && Identical(*again, *buffer));
}

void CheckGroup(absl::string_view bytes) {
  constexpr int32_t kKey = 1;
  const auto group = leat::DecodeGroup(bytes, kKey);
  if (!group.ok()) return;
  const auto again = leat::DecodeGroup(leat::EncodeGroup(**group).header, kKey);
  LEAT_CHECK(again.ok());
  LEAT_CHECK((*again)->id == (*group)->id);
  LEAT_CHECK((*again)->size() == (*group)->size());
  LEAT_CHECK((*again)->num_tasks() == (*group)->num_tasks());
}

// Reaches no task.
class NoTasks final : public leat::TaskCaller {
 public:
  NoTasks() : TaskCaller(std::chrono::seconds(1), leat::RealClock()) {}

 private:
  void DoCall(absl::string_view, const leat::Method&, leat::Payload,
              leat::CallOptions, leat::Reply done) override {
    std::move(done)(absl::UnavailableError("it is gone"));
  }
  void DoGetStatus(absl::string_view, leat::CallOptions,
                   StatusDone done) override {
    std::move(done)(absl::UnavailableError("it is gone"));
  }
};

// A Leader serves the calls of other tasks.
class Leader {
 public:
  Leader()
      : steps_(kTask, leat::ServerLimits(), Timers(),
               [](int64_t step_id) {
                 return std::make_shared<leat::StepOutbox>(step_id, Devices(),
                                                           1000);
               }),
        collectives_(kTask, Cluster(), std::chrono::seconds(1), tasks_,
                     Timers(), steps_) {
    collectives_.AddMethods(methods_);
    bool is_waiting = false;
    LEAT_CHECK(steps_.Await(kStep, is_waiting).ok() && is_waiting);
  }

  void Serve(const leat::Method& method, absl::string_view bytes) {
    calls_.push_back({.context = std::make_shared<leat::CallContext>(),
                      .num_answers = std::make_shared<int>(0)});
    methods_.Find(method.path)
        ->handler(calls_.back().context, {.header = std::string(bytes)},
                  [count = calls_.back().num_answers](
                      const absl::StatusOr<leat::Payload>&) { ++*count; });
  }

  void End() {
    for (const OneCall& call : calls_) {
      call.context->cancellation.Cancel(absl::CancelledError("given up"));
      LEAT_CHECK(*call.num_answers == 1);
    }
    steps_.StopWaiting(kStep);
    LEAT_CHECK(steps_.num_steps() == 0);
  }

 private:
  struct OneCall {
    std::shared_ptr<leat::CallContext> context;
    std::shared_ptr<int> num_answers;
  };

  static leat::TimerQueue& Timers() {
    static auto& timers = *new leat::TimerQueue("fuzz-timers");
    return timers;
  }
  static leat::DeviceSet& Devices() {
    static auto& devices =
        *leat::DeviceSet::Create({.task = kTask, .num_cpus = 1})
             .value()
             .release();
    return devices;
  }
  static const leat::ClusterSpec& Cluster() {
    static const auto& cluster = *new leat::ClusterSpec(
        leat::ClusterSpec::Create(
            {{"worker", {{0, "127.0.0.1:7001"}, {1, "127.0.0.1:7002"}}}})
            .value());
    return cluster;
  }

  NoTasks tasks_;
  leat::StepTable steps_;
  leat::ClusterCollectives collectives_;
  leat::MethodTable methods_;
  std::vector<OneCall> calls_;
};

void Take(size_t type, absl::string_view bytes, Leader& leader) {
  switch (type % 7) {
    case 0:
      return CheckBufferRequest(bytes);
    case 1:
      return CheckBufferResponse(bytes);
    case 2:
      return CheckGroup(bytes);
    case 3:
      return leader.Serve(leat::methods::kCompleteGroup, bytes);
    case 4:
      return leader.Serve(leat::methods::kCompleteInstance, bytes);
    case 5:
      return leader.Serve(leat::methods::kGetStepSequence, bytes);
    default:
      return leader.Serve(leat::methods::kAbortCollectives, bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Leader leader;
  while (size >= 3) {
    const size_t bytes =
        std::min<size_t>(data[1] | size_t{data[2]} << 8, size - 3);
    Take(data[0], {reinterpret_cast<const char*>(data) + 3, bytes}, leader);
    data += 3 + bytes;
    size -= 3 + bytes;
  }
  leader.End();
  return 0;
}
