// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Queue: elements that steps put in and others take out (TensorFlow's FIFOQueue
// and RandomShuffleQueue).
//
// A call that cannot be served yet waits in line, one line for those that put
// in and one for those that take out, and holds no thread: whoever makes room,
// brings elements, closes the queue or cancels the waiting call's step makes
// the callback, after the lock is released. Each callback is made once. What a
// cancelled or failed call had taken goes back; nothing is lost or doubled.
// Thread-safe; belongs to a shared_ptr.
#ifndef LEAT_KERNELS_QUEUE_H_
#define LEAT_KERNELS_QUEUE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/kernels/queue_elements.h"
#include "leat/kernels/queue_options.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

class Queue final : public Resource,
                    public std::enable_shared_from_this<Queue> {
 public:
  static constexpr char kTypeName[] = "Queue";

  using Elements = std::vector<QueueElement>;
  // What was taken; nothing of calls that take nothing.
  using Done = absl::AnyInvocable<void(absl::StatusOr<Elements>) &&>;

  explicit Queue(QueueOptions options);

  const QueueOptions& options() const { return options_; }
  int64_t max_elements() const { return max_elements_; }

  // Puts `elements`, whose dtypes and shapes the caller has checked, in, as
  // there is room. `cancellation` lives until `done` was called; its reason is
  // the status then. CANCELLED with TensorFlow's text when the queue is closed;
  // RESOURCE_EXHAUSTED beyond max_elements().
  void Enqueue(Elements elements, Cancellation& cancellation, Done done);

  // Takes `count` > 0 elements out, as they come. OUT_OF_RANGE with
  // TensorFlow's text when the queue is closed and has fewer, unless `up_to`
  // and it has any; RESOURCE_EXHAUSTED for a count above max_elements().
  void Dequeue(int64_t count, bool up_to, Cancellation& cancellation,
               Done done);

  // Puts back what Dequeue gave.
  void Return(Elements taken);

  // Nothing more is put in. Waits in line behind those that put in, or with
  // `cancel_pending_enqueues` ends their calls. CANCELLED when closed before.
  void Close(bool cancel_pending_enqueues, Cancellation& cancellation,
             Done done);

  int64_t size() const;
  bool is_closed() const;

  std::string DebugString() const final;

 private:
  enum Line { kEnqueues, kDequeues };

  // A call in line.
  struct Call {
    // To put in, from `next` on; or taken so far.
    Elements elements = {};
    size_t next = 0;
    int64_t wanted = 0;  // still to be taken
    bool up_to = false;
    bool closes = false;
    Done done = {};
    // Null while the call is not registered there.
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };
  // By order of arrival.
  using Calls = std::map<int64_t, Call>;
  // Callbacks, to be made without the lock.
  using Callbacks = std::vector<absl::AnyInvocable<void() &&>>;

  void Start(Line line, Call call, Cancellation& cancellation);
  void Cancel(Line line, int64_t id, const absl::Status& reason);

  // Serves both lines as far as possible.
  void Serve(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether anything changed.
  bool ServeLine(Line line, Callbacks& callbacks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Whether the call need not wait any more, or why it failed.
  absl::StatusOr<bool> PutIn(Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> TakeOut(Call& call)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Takes a call out of its line; what it took goes back unless OK.
  void Finish(Line line, int64_t id, absl::Status status, Callbacks& callbacks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const QueueOptions options_;
  const int64_t max_elements_;

  mutable Mutex mutex_;
  const std::unique_ptr<QueueElements> elements_ ABSL_PT_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  Calls lines_[2] ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_QUEUE_H_
