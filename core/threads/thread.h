// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Thread runs a function on a thread of its own. All of Leat's threads are
// started with it, so that a test that simulates the time knows them.
//
//   {
//     Thread sweeper("leat-sweeper", [&] { Sweep(); });
//     ...
//   }  // Sweep has returned.
#ifndef LEAT_CORE_THREADS_THREAD_H_
#define LEAT_CORE_THREADS_THREAD_H_

#include <memory>
#include <thread>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"

namespace leat {

// A running thread, or none. Movable. To be used by one thread at a time. What
// `body` refers to is borrowed until the thread has been joined.
class Thread {
 public:
  using Body = absl::AnyInvocable<void() &&>;

  // Makes an object without a thread.
  Thread() = default;
  // Starts a thread, which gets the first 15 characters of `name` as its name,
  // or without one that of the calling thread.
  Thread(absl::string_view name, Body body);
  explicit Thread(Body body) : Thread("", std::move(body)) {}

  Thread(Thread&&) noexcept = default;
  // Joins the thread that this had.
  Thread& operator=(Thread&& other) noexcept;
  // Joins the thread.
  ~Thread() { Join(); }

  // Waits until `body` has returned and has been destroyed. Does nothing if
  // there is no thread, or none any more.
  void Join();

 private:
  struct State;

  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace leat

#endif  // LEAT_CORE_THREADS_THREAD_H_
