// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the fixture for tests of rendezvous between tasks: a parameter server
// (ps) and a worker over a FakeTransport. Each task has the outbox of one step,
// and the RemoteRendezvous of one run in this step.
#ifndef LEAT_TESTS_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_FIXTURE_H_
#define LEAT_TESTS_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_FIXTURE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/exchange/recv_call.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/distributed/wire/wire.h"
#include "leat/protos/step_stats.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/step_stats.h"
#include "leat/tests/distributed/exchange/marked_recvs.h"
#include "leat/tests/distributed/fake_transport.h"
#include "leat/tests/distributed/received_message.h"
#include "leat/tests/distributed/received_tensor.h"

#include "leat/distributed/exchange/remote_rendezvous.h"
#include "leat/tests/distributed/recv_messages.h"

namespace leat::testing::rendezvous {

// Is the id of the step that both tasks run.
inline constexpr int64_t kStepId = 12;
inline constexpr char kPs[] = "/job:ps/replica:0/task:0";
inline constexpr char kWorker[] = "/job:worker/replica:0/task:0";

// Returns the cluster of both tasks. The cluster has a third task, task 1 of
// the job worker, which no handler serves.
inline ClusterSpec Cluster() {
  return *ClusterSpec::Create(
      {{"ps", {{0, "ps:1"}}}, {"worker", {{0, "worker:1"}, {1, "gone:1"}}}});
}

// Returns the devices of `task`, with 256 MiB of memory and a pool of two
// threads.
inline std::unique_ptr<DeviceSet> Devices(const char* task) {
  return *DeviceSet::Create(
      {.task = task, .num_threads = 2, .cpu_memory_bytes = 1 << 28});
}

// Encodes a response and splits the bytes again. The result is what a transport
// between processes gives to its receiver.
inline Payload Received(Payload response) {
  const auto segments =
      *EncodePayload(std::move(response), methods::kRecvTensor.response);
  std::string bytes;
  for (const Segment& segment : segments) {
    if (segment.tensor.IsValid()) {
      bytes.append(segment.tensor.raw_data(),
                   static_cast<size_t>(segment.tensor.num_bytes()));
    } else {
      bytes += segment.bytes;
    }
  }
  return *SplitPayload(ReceivedMessage(bytes).Take(),
                       methods::kRecvTensor.response);
}

// A Task has one step and serves RecvTensor and RecvTensors at its address.
// Owns its devices and the rendezvous of one run. `transport` is borrowed and
// must not be called after the task is destroyed. A test sets the fields
// without a lock, before it makes calls.
struct Task {
  Task(const char* name, const char* address, FakeTransport& transport,
       size_t max_entries = 1000)
      : devices(Devices(name)),
        peers(Cluster(), transport),
        receiver(peers, devices->compute_queue(), nullptr, 1 << 28),
        outbox(std::make_shared<StepOutbox>(kStepId, *devices, max_entries)),
        rendezvous(
            std::make_unique<RemoteRendezvous>(outbox, receiver, RunInputs())) {
    transport.Serve(address, [this](std::shared_ptr<CallContext> context,
                                    Payload payload, Reply reply) {
      {
        MutexLock lock(mutex);
        last_call = std::move(context);
        ++num_pulls;
      }
      const auto request = *DecodeRecvRequest(RecvForm::kOne, payload.header);
      const ParsedKey& key = request.keys.all().front();
      // The receiver of a large tensor also calls GetStatus of the sender. That
      // call arrives here, too. Its request has no key.
      if (key.text().empty()) {
        return std::move(reply)(absl::UnimplementedError("not asked here"));
      }
      EXPECT_EQ(request.step_id, kStepId);
      outbox->RecvForPeer(key, [this, reply = std::move(reply)](
                                   const absl::Status& status, Tensor tensor,
                                   bool is_dead) mutable {
        if (!status.ok()) return std::move(reply)(status);
        Payload response = RespondOne(std::move(tensor), is_dead);
        if (is_remote) response = Received(std::move(response));
        std::move(reply)(std::move(response));
      });
    });
    transport.Serve(address, methods::kRecvTensors,
                    [this](std::shared_ptr<CallContext> context,
                           const Payload& payload, Reply reply) {
                      GiveBundle(std::move(context), payload, std::move(reply));
                    });
  }

  // Replaces this task's rendezvous by one for a new run with `inputs`.
  void Run(RunInputs inputs) {
    rendezvous =
        std::make_unique<RemoteRendezvous>(outbox, receiver, std::move(inputs));
  }

  // Answers RecvTensors with `bundle_answer` if it is set, and otherwise with
  // the tensors of the outbox.
  void GiveBundle(std::shared_ptr<CallContext> context, const Payload& payload,
                  Reply reply) {
    {
      MutexLock lock(mutex);
      last_call = context;
      ++num_bundle_pulls;
    }
    if (bundle_answer) return std::move(reply)(bundle_answer());
    auto request = *DecodeRecvRequest(RecvForm::kList, payload.header);
    EXPECT_EQ(request.step_id, kStepId);
    EXPECT_NE(request.request_id, 0);
    if (is_remote) reply = AsReceived(std::move(reply));
    ReceiveForPeer(*outbox, std::move(request),
                   static_cast<int64_t>(payload.header.size()), peers.traffic(),
                   std::move(context), std::move(reply));
  }

  // Returns a reply that passes responses through Received.
  static Reply AsReceived(Reply reply) {
    return
        [reply = std::move(reply)](absl::StatusOr<Payload> response) mutable {
          if (response.ok()) response = Received(*std::move(response));
          std::move(reply)(std::move(response));
        };
  }

  const Device& device() const { return *devices->devices().front(); }
  // Returns the context of the last call, or null if there was none.
  std::shared_ptr<CallContext> LastCall() {
    MutexLock lock(mutex);
    return last_call;
  }

  // NumPulls returns the number of calls of RecvTensor and GetStatus.
  // NumBundlePulls returns the number of calls of RecvTensors.
  int NumPulls() {
    MutexLock lock(mutex);
    return num_pulls;
  }
  int NumBundlePulls() {
    MutexLock lock(mutex);
    return num_bundle_pulls;
  }

  // If true, tensors travel as bytes, as they do between processes. If false,
  // tensors are passed on as they are.
  bool is_remote = false;
  // If this is set, its result is the answer to RecvTensors.
  std::function<absl::StatusOr<Payload>()> bundle_answer;
  Mutex mutex;
  std::shared_ptr<CallContext> last_call ABSL_GUARDED_BY(mutex);
  int num_pulls ABSL_GUARDED_BY(mutex) = 0;
  int num_bundle_pulls ABSL_GUARDED_BY(mutex) = 0;
  std::unique_ptr<DeviceSet> devices;
  Peers peers;
  TensorReceiver receiver;
  std::shared_ptr<StepOutbox> outbox;
  std::unique_ptr<RemoteRendezvous> rendezvous;
};

// Returns the rendezvous key of a tensor that `from` sends to `to`.
inline std::string Key(const Task& from, const Task& to, absl::string_view name,
                       uint64_t frame = 0, int64_t iteration = 0) {
  RendezvousKey key;
  key.send_device = from.device().name();
  key.send_incarnation = from.device().info().incarnation;
  key.recv_device = to.device().name();
  key.tensor_name = std::string(name);
  key.frame = frame;
  key.iteration = iteration;
  return key.ToString();
}

// The handlers of both tasks run on the caller's thread.
class RemoteRendezvousTest : public ::testing::Test {
 protected:
  // Receives at `task`, as a _Recv kernel does.
  ReceivedTensor Recv(Task& task, const std::string& key) {
    ReceivedTensor received;
    task.rendezvous->RecvAsync(ParsedKey(key), received.Done());
    return received;
  }
  // Receives from the outbox of `task` for another task.
  ReceivedTensor RecvForPeer(Task& task, const std::string& key) {
    ReceivedTensor received;
    task.outbox->RecvForPeer(ParsedKey(key), received.Done());
    return received;
  }

  FakeTransport transport_;
  Task ps_{kPs, "ps:1", transport_};
  Task worker_{kWorker, "worker:1", transport_};
};

// Returns a _Recv of bundle `bundle` for a tensor that `from` sends to `to`.
inline MarkedRecv Marked(const Task& from, const Task& to,
                         const std::string& tensor, int64_t bundle) {
  return {.tensor = tensor,
          .bundle = bundle,
          .sender = from.device().name(),
          .incarnation = from.device().info().incarnation,
          .receiver = to.device().name()};
}

}  // namespace leat::testing::rendezvous

#endif  // LEAT_TESTS_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_FIXTURE_H_
