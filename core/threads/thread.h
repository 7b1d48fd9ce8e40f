// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Thread runs a function on a thread of its own. The thread has a name and is
// always joined. While a test simulates time, the thread is part of the
// simulation.
//
//   {
//     const Thread sweeper("leat-sweeper", [&] { Sweep(); });
//     Work();
//   }  // waits until Sweep has returned
#ifndef LEAT_CORE_THREADS_THREAD_H_
#define LEAT_CORE_THREADS_THREAD_H_

#include <memory>
#include <system_error>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Says that the system refuses a thread. It is the only exception that Leat
// throws. It never leaves StartThreads.
class RefusedThread final : public std::system_error {
 public:
  using std::system_error::system_error;
};

// A Thread is a running thread, or nothing. It owns the thread and the
// function. It is not thread-safe.
class Thread {
 public:
  using Body = absl::AnyInvocable<void() &&>;

  // Makes an object without a thread.
  Thread();
  // Starts a thread that calls `body` and then destroys `body`. Debuggers show
  // the first 15 characters of `name`, because Linux keeps no more. Throws
  // RefusedThread if the system refuses the thread; see StartThreads.
  Thread(absl::string_view name, Body body);
  Thread(Thread&&) noexcept;
  // Joins the thread that this object had.
  Thread& operator=(Thread&&) noexcept;
  // Joins the thread, if there is one.
  ~Thread();

  // Waits until the thread has ended. Does nothing if there is no thread. Must
  // not be called by the thread itself.
  void Join();

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

// Calls `start`, which makes objects that own threads, such as a TimerQueue,
// and returns its status. If the system refuses one of the threads, returns
// RESOURCE_EXHAUSTED with the reason. In that case the object that was being
// made has been destroyed, and the threads that it had started have ended.
// Every function that starts threads and returns a status starts them through
// StartThreads.
absl::Status StartThreads(absl::FunctionRef<absl::Status()> start);

}  // namespace leat

#endif  // LEAT_CORE_THREADS_THREAD_H_
