// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TestService has methods that show every behaviour that the handlers of a task
// may have. CallResult records how a call ended. Both are for tests of
// transports.
#ifndef LEAT_TESTS_TESTING_TEST_SERVICE_H_
#define LEAT_TESTS_TESTING_TEST_SERVICE_H_

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/transport/transport.h"
#include "leat/distributed/wire/methods.h"

namespace leat::testing {

// Records the replies of one call. Is thread-safe. May be destroyed before the
// call ends.
class CallResult {
 public:
  // Returns the callback to give to one call.
  Reply Done() const;

  // Returns whether the call has a reply.
  bool is_done() const { return num_replies() > 0; }
  // Returns how often the callback was called. More than one call is an error.
  int num_replies() const;
  // Waits for the reply and returns it. If there is no reply by the WaitLimit,
  // returns DATA_LOSS, which no method returns. Must be called only once.
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

// Makes a call, waits for the answer, and materializes the tensors in it.
absl::StatusOr<Payload> CallNow(Transport& transport, absl::string_view address,
                                const Method& method, Payload request = {},
                                CallOptions options = {});

// Returns a message with `tensors` and one other field, which has the number 1
// and contains the string `text`. REQUIRES: `text` is shorter than 128 bytes.
Payload PayloadOf(absl::string_view text, WireTensors tensors = {});

// Is thread-safe. Must outlive its calls.
class TestService {
 public:
  // kEcho and kEchoUnnamed answer with the request.
  static constexpr Method kEcho{"/leat.Test/Echo", {3, true}, {3, true}};
  static constexpr Method kEchoUnnamed{
      "/leat.Test/EchoUnnamed", {2, false}, {2, false}};
  // Answers with the error of set_error.
  static constexpr Method kFail{"/leat.Test/Fail"};
  // Answers only if the call is cancelled, with the reason of the cancellation.
  static constexpr Method kWait{"/leat.Test/Wait"};
  // Waits for Release before it answers. After Release, answers at once.
  static constexpr Method kHold{"/leat.Test/Hold"};
  // Destroys its reply callback without calling it.
  static constexpr Method kDrop{"/leat.Test/Drop"};
  // Answers with a tensor although the method has no field for one.
  static constexpr Method kMisplace{"/leat.Test/Misplace"};
  // This method is not in the method table.
  static constexpr Method kUnknown{"/leat.Test/Unknown"};

  TestService();

  // Returns the table of the methods above, for Transport::Listen.
  const MethodTable& methods() const { return methods_; }

  // Sets the error that kFail answers with.
  void set_error(absl::Status error);
  // Answers the calls of kHold that wait. Later calls of kHold are answered at
  // once.
  void Release();

  // Returns the number of calls of kWait and kHold whose handler was called.
  int num_begun() const;
  // Returns the number of calls of kWait that were cancelled.
  int num_cancelled() const;
  // Returns the context of the last call of kWait, or null if there was none.
  std::shared_ptr<CallContext> last_context() const;
  // Returns the time at which the handler of the last call of kWait was called.
  Clock::time_point last_begun() const;

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
  Clock::time_point last_begun_ ABSL_GUARDED_BY(mutex_);
  std::vector<Reply> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TESTING_TEST_SERVICE_H_
