// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ScriptedTask is a fake task for tests of masters. It has a device, accepts
// sessions and graphs, and runs nothing. A test can tell the task not to
// answer. The task is a TensorFlow task if the test passes no LeatPeer.
#ifndef LEAT_TESTS_DISTRIBUTED_SCRIPTED_TASK_H_
#define LEAT_TESTS_DISTRIBUTED_SCRIPTED_TASK_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"
#include "leat/protos/leat_worker.pb.h"
#include "leat/protos/worker.pb.h"
#include "leat/tests/testing/in_process_network.h"

namespace leat::testing {

// A ScriptedTask is thread-safe. Owns its listener on `network`.
class ScriptedTask {
 public:
  using AddMethods = absl::FunctionRef<void(MethodTable&)>;

  // `task` is a name such as "/job:ps/replica:0/task:0". `leat` is the LeatPeer
  // in the task's answer to GetStatus. Without a version in `leat`, the task is
  // a TensorFlow task. The task has the methods that a master calls, and the
  // methods that `add` adds.
  ScriptedTask(
      const std::string& task, const std::string& address,
      const std::shared_ptr<InProcessNetwork>& network,
      const pb::LeatPeer& leat = {}, AddMethods add = [](MethodTable&) {})
      : transport_(*network->transports().Create("in-process")) {
    pb::GetStatusResponse status;
    pb::DeviceAttributes& device = *status.add_device_attributes();
    device.set_name(absl::StrCat(task, "/device:CPU:0"));
    device.set_device_type("CPU");
    device.set_memory_limit(1 << 28);
    device.set_incarnation(7);
    if (leat.version() > 0) *status.mutable_leat() = leat;
    pb::RegisterGraphResponse registered;
    registered.set_graph_handle("graph");
    Answer(methods::kGetStatus, status);
    Answer(methods::kCreateWorkerSession, pb::CreateWorkerSessionResponse());
    Answer(methods::kDeleteWorkerSession, pb::DeleteWorkerSessionResponse());
    Answer(methods::kRegisterGraph, registered);
    Answer(methods::kDeregisterGraph, pb::DeregisterGraphResponse());
    Answer(methods::kRunGraph, pb::RunGraphResponse());
    Answer(methods::kCleanupGraph, pb::CleanupGraphResponse());
    Answer(methods::kCleanupAll, pb::CleanupAllResponse());
    add(methods_);
    auto listener = transport_->Listen(address, methods_);
    EXPECT_TRUE(listener.ok()) << listener.status();
    if (listener.ok()) listener_ = *std::move(listener);
  }
  // Answers the calls that are not answered yet, and stops listening.
  ~ScriptedTask() {
    SpeakUp();
    listener_.reset();
  }

  // From now on, the task answers no calls of `methods`. If `methods` is empty,
  // it answers no calls at all.
  void BeSilent(const std::vector<Method>& methods = {}) {
    MutexLock lock(mutex_);
    is_silent_ = methods.empty();
    for (const Method& method : methods) silent_.insert(method.path);
  }
  // Answers the calls that are not answered yet, and all later calls.
  void SpeakUp() {
    std::vector<std::pair<std::string, Reply>> kept;
    {
      MutexLock lock(mutex_);
      is_silent_ = false;
      silent_.clear();
      kept.swap(kept_);
    }
    for (auto& [path, reply] : kept) {
      std::move(reply)(Payload{.header = answers_.at(path)});
    }
  }

  // Returns how often the method was called.
  int num_calls(const Method& method) const {
    return static_cast<int>(requests(method).size());
  }
  // Returns the headers of all requests of the method so far.
  std::vector<std::string> requests(const Method& method) const {
    MutexLock lock(mutex_);
    const auto found = requests_.find(method.path);
    return found == requests_.end() ? std::vector<std::string>()
                                    : found->second;
  }

 private:
  // Serves `method` with a handler that answers with `response`. While the task
  // is silent, the handler does not answer.
  void Answer(const Method& method,
              const google::protobuf::MessageLite& response) {
    answers_[method.path] = response.SerializeAsString();
    methods_.Add(method, [this, path = std::string(method.path)](
                             const std::shared_ptr<CallContext>&,
                             const Payload& request, Reply reply) {
      {
        MutexLock lock(mutex_);
        requests_[path].push_back(request.header);
        if (is_silent_ || silent_.count(path) > 0) {
          kept_.emplace_back(path, std::move(reply));
          return;
        }
      }
      std::move(reply)(Payload{.header = answers_.at(path)});
    });
  }

  std::map<std::string, std::string> answers_;  // by path; written once
  MethodTable methods_;
  mutable Mutex mutex_;
  bool is_silent_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<std::string> silent_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<std::string>> requests_
      ABSL_GUARDED_BY(mutex_);  // by path
  std::vector<std::pair<std::string, Reply>> kept_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<Transport> transport_;
  std::unique_ptr<Listener> listener_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_SCRIPTED_TASK_H_
