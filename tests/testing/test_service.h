// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TestService: methods of a task that do nothing but behave in all the ways in
// which methods may. CallResult: what became of a call.
#ifndef LEAT_TESTS_TESTING_TEST_SERVICE_H_
#define LEAT_TESTS_TESTING_TEST_SERVICE_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/mutex.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/transport.h"

namespace leat::testing {

// Thread-safe; calls may outlive it.
class CallResult {
 public:
  // To be given to one call.
  Reply Done() const;

  bool is_done() const { return num_replies() > 0; }
  int num_replies() const;
  // Waits up to half a minute; then DATA_LOSS, which no method says. To be
  // called once.
  absl::StatusOr<Payload> Take() const;

 private:
  struct State {
    Mutex mutex;
    CondVar changed;
    int num_replies ABSL_GUARDED_BY(mutex) = 0;
    std::optional<absl::StatusOr<Payload>> last ABSL_GUARDED_BY(mutex);
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Calls, waits, and makes the tensors of the answer.
absl::StatusOr<Payload> CallNow(Transport& transport, absl::string_view address,
                                const Method& method, Payload request = {},
                                CallOptions options = {});

// A message of one field, number 1.
Payload PayloadOf(absl::string_view text, WireTensors tensors = {});

// Thread-safe. Outlives its calls.
class TestService {
 public:
  // Answers with its request.
  static constexpr Method kEcho{"/leat.Test/Echo", {3, true}, {3, true}};
  static constexpr Method kEchoUnnamed{
      "/leat.Test/EchoUnnamed", {2, false}, {2, false}};
  // Answers with `error`.
  static constexpr Method kFail{"/leat.Test/Fail"};
  // Never answers unless it is cancelled, then CANCELLED.
  static constexpr Method kWait{"/leat.Test/Wait"};
  // Answers when Release is called, and then at once.
  static constexpr Method kHold{"/leat.Test/Hold"};
  // Forgets to answer.
  static constexpr Method kDrop{"/leat.Test/Drop"};
  // Answers with a tensor where there is no field for one.
  static constexpr Method kMisplace{"/leat.Test/Misplace"};
  // No method.
  static constexpr Method kUnknown{"/leat.Test/Unknown"};

  TestService();

  const MethodTable& methods() const { return methods_; }

  void set_error(absl::Status error);
  void Release();

  int num_begun() const;  // calls of kWait and kHold
  int num_cancelled() const;
  // Of the last kWait; null before.
  std::shared_ptr<CallContext> last_context() const;
  // When its handler was called.
  std::chrono::steady_clock::time_point last_begun() const;

 private:
  void Wait(std::shared_ptr<CallContext> context, Reply reply);
  void Hold(Reply reply);

  MethodTable methods_;
  mutable Mutex mutex_;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
  bool is_released_ ABSL_GUARDED_BY(mutex_) = false;
  int num_begun_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_cancelled_ ABSL_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<CallContext> last_context_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point last_begun_ ABSL_GUARDED_BY(mutex_);
  std::vector<Reply> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TEST_SERVICE_H_
