// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/endless_calls.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/random_id.h"
#include "leat/distributed/wire/messages.h"
#include "leat/distributed/wire/payload.h"
#include "leat/protos/status.pb.h"

namespace leat::testing {
namespace {

// $0 is the task. No step puts anything into the queue, so a step that dequeues
// from it waits forever.
constexpr char kGraph[] = R"(
  node { name: "q" op: "FIFOQueueV2" device: "$0/device:CPU:0"
         attr { key: "shared_name" value { s: "of nobody" } }
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
  node { name: "taken" op: "QueueDequeueV2" input: "q"
         device: "$0/device:CPU:0"
         attr { key: "component_types" value { list { type: DT_FLOAT } } } }
)";
constexpr char kFetch[] = "taken:0";

}  // namespace

MethodCall RecvThatNobodySends(const std::string& task, uint64_t incarnation) {
  pb::RecvTensorRequest request;
  request.set_step_id(RandomStepId());
  request.set_request_id(RandomStepId());
  request.set_rendezvous_key(
      RendezvousKey{.send_device = absl::StrCat(task, "/device:CPU:0"),
                    .send_incarnation = incarnation,
                    .recv_device = "/job:x/replica:0/task:0/device:CPU:0",
                    .tensor_name = "t"}
          .ToString());
  return {methods::kRecvTensor, ToPayload(request)};
}

EndlessCalls::EndlessCalls(Transport& transport, const std::string& address,
                           const std::string& task)
    : task_(task),
      client_(transport, address),
      incarnation_(client_.Incarnation()),
      of_client_(client_, absl::Substitute(kGraph, task)),
      callable_(of_client_.MakeCallable("", kFetch)),
      of_master_(client_, absl::Substitute(kGraph, task)) {}

MethodCall EndlessCalls::Make(int i) const {
  switch (i % 4) {
    case 0:
      return {methods::kRunStep, ToPayload(of_client_.StepRequest(kFetch))};
    case 1:
      return {methods::kRunCallable,
              ToPayload(of_client_.CallableRequest(callable_))};
    case 2:
      return {methods::kRunGraph, ToPayload(of_master_.StepRequest())};
    default:
      return RecvThatNobodySends(task_, incarnation_);
  }
}

int64_t EndlessCalls::NumWaiting() {
  pb::TaskStatusResponse status;
  const absl::Status called =
      client_.Call(methods::kTaskStatus, pb::TaskStatusRequest(), status);
  EXPECT_TRUE(called.ok()) << called;
  return status.steps().running() + status.num_waiting_recvs();
}

}  // namespace leat::testing
