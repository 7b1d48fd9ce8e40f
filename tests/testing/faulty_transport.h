// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FaultyTransport is a transport that calls over another transport. Its calls
// suffer the faults that a CallFaults decides on.
#ifndef LEAT_TESTS_TESTING_FAULTY_TRANSPORT_H_
#define LEAT_TESTS_TESTING_FAULTY_TRANSPORT_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/transport/transport.h"
#include "leat/tests/testing/call_faults.h"

namespace leat::testing {

// Is thread-safe. Owns the other transport, and one thread each for timers and
// for the replies to callers.
class FaultyTransport final : public Transport {
 public:
  FaultyTransport(std::unique_ptr<Transport> transport,
                  std::shared_ptr<CallFaults> faults);
  ~FaultyTransport() override;

  Clock& clock() const override { return transport_->clock(); }
  void Call(absl::string_view address, const Method& method, Payload request,
            CallOptions options, Reply done) override;
  void WatchPeer(absl::string_view address, bool allows_pings) override {
    transport_->WatchPeer(address, allows_pings);
  }
  absl::StatusOr<std::unique_ptr<Listener>> Listen(
      const std::string& address, const MethodTable& methods) override;

 private:
  class FaultyCall;
  using CallRef = std::shared_ptr<FaultyCall>;

  // Returns the name of this caller for CallFaults: the address where it
  // listens, or a name from NewClientName if it does not listen.
  std::string Name();
  // Holds `call` back until the next call to the same address, but not longer
  // than the plan's `max_delay`.
  void Hold(const std::string& address, const CallRef& call);
  // Sends the calls to `address` that are held back.
  void LetGo(const std::string& address);
  // Removes a call whose caller has its result.
  void Remove(const CallRef& call);

  const std::shared_ptr<CallFaults> faults_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<WorkQueue> replies_;  // runs the callers' callbacks

  Mutex mutex_;
  CondVar changed_;
  std::string name_ ABSL_GUARDED_BY(mutex_);
  // Holds the calls whose callers have no result yet.
  absl::flat_hash_set<CallRef> open_ ABSL_GUARDED_BY(mutex_);
  // Holds the calls that are held back, by address.
  absl::flat_hash_map<std::string, std::vector<CallRef>> held_
      ABSL_GUARDED_BY(mutex_);
  TimerQueue timers_;  // destroyed first: its timers use all of the above
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_FAULTY_TRANSPORT_H_
