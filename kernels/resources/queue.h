// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Queue holds elements that some steps put in and others take out. It is the
// resource behind TensorFlow's FIFOQueue and RandomShuffleQueue.
//
// A call that cannot be served yet waits in one of two lines, one for calls
// that put elements in and one for calls that take elements out. A waiting call
// holds no thread. Its callback is called once, after the lock is released, on
// the thread that makes the call possible. That thread takes elements out, puts
// elements in, closes the queue, or cancels the waiting call's step. If a call
// fails or is cancelled, the elements that it had taken go back into the queue,
// so that no element is lost or doubled.
#ifndef LEAT_KERNELS_RESOURCES_QUEUE_H_
#define LEAT_KERNELS_RESOURCES_QUEUE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/resources/queue_elements.h"
#include "leat/kernels/resources/queue_options.h"

namespace leat::kernels {

// Is thread-safe. REQUIRES: a shared_ptr owns the queue, because waiting calls
// keep weak references to it.
class Queue final : public Resource,
                    public std::enable_shared_from_this<Queue> {
 public:
  static constexpr char kTypeName[] = "N10tensorflow14QueueInterfaceE";

  using Elements = std::vector<QueueElement>;
  // Receives the elements that Dequeue took (none for the other calls), or the
  // reason why the call failed.
  using Done = absl::AnyInvocable<void(absl::StatusOr<Elements>) &&>;

  explicit Queue(QueueOptions options);

  const QueueOptions& options() const { return options_; }
  // Returns the maximum number of elements of the queue: max_tensors of its
  // options divided by the number of components.
  int64_t max_elements() const { return max_elements_; }

  // Puts `elements` into the queue, each as soon as the queue's capacity allows
  // it. The caller has checked their dtypes and shapes. `done` gets one of
  // these errors:
  //  - CANCELLED, with TensorFlow's text, if the queue is closed before all
  //    elements are in;
  //  - RESOURCE_EXHAUSTED if the capacity is above max_elements() and the queue
  //    would have more than max_elements() elements;
  //  - the reason of the cancellation if `cancellation` is cancelled first.
  // `cancellation` must live until `done` has been called.
  void Enqueue(Elements elements, Cancellation& cancellation, Done done);

  // Takes `count` elements out as soon as the queue has them. If the queue is
  // closed and has fewer elements, the result depends on `up_to`. If `up_to` is
  // true and the queue is not empty, `done` gets all elements that are left.
  // Otherwise `done` gets OUT_OF_RANGE with TensorFlow's text. `done` gets
  // RESOURCE_EXHAUSTED if `count` is above max_elements(), and the reason of
  // the cancellation as in Enqueue. REQUIRES: count > 0.
  void Dequeue(int64_t count, bool up_to, Cancellation& cancellation,
               Done done);

  // Puts back elements that Dequeue returned and that the caller cannot use.
  void Return(Elements taken);

  // Closes the queue when the earlier calls of Enqueue have been served, and
  // then calls `done`. After that no more elements can be put in. `done` gets
  // CANCELLED if the queue is closed already. With `cancel_pending_enqueues`,
  // closes the queue at once instead, and makes the waiting calls of Enqueue
  // and Close fail with CANCELLED. In that case it is no error if the queue is
  // closed already.
  void Close(bool cancel_pending_enqueues, Cancellation& cancellation,
             Done done);

  // Returns how many elements the queue has, without those that waiting calls
  // hold.
  int64_t size() const;
  bool is_closed() const;

  std::string DebugString() const final;

 private:
  // Is the index of a line in `lines_`.
  enum Line { kEnqueues, kDequeues };

  // Describes a waiting call of Enqueue, Dequeue or Close.
  struct Call {
    // For Enqueue, these are the elements to put in. The first `next` of them
    // are in the queue already. For Dequeue, this holds the elements taken so
    // far.
    Elements elements = {};
    size_t next = 0;
    int64_t wanted = 0;  // elements that Dequeue still has to take
    bool up_to = false;
    bool closes = false;  // true for a call of Close
    Done done = {};
    // `cancellation` is null while no callback is registered with it.
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };
  // Holds the calls of a line by id. Ids grow in the order in which the calls
  // arrive.
  using Calls = std::map<int64_t, Call>;
  // Holds the callbacks of served calls. They are called after the lock is
  // released, because a callback may use this queue again.
  using Callbacks = std::vector<absl::AnyInvocable<void() &&>>;

  // Puts a call into its line and serves all calls that can be served.
  void Start(Line line, Call call, Cancellation& cancellation);
  // Makes a waiting call fail with `reason`, because its step was cancelled.
  void Cancel(Line line, int64_t id, const absl::Status& reason);

  // Serves both lines until nothing changes any more.
  void Serve(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Serves one line. Returns true if a call was finished or elements moved.
  bool ServeLine(Line line, Callbacks& callbacks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // PutIn puts in as many elements of the call as the capacity allows. TakeOut
  // takes out as many elements as the call wants and may have. Both return true
  // if the call is done, false if the call has to wait, or the error with which
  // the call fails.
  absl::StatusOr<bool> PutIn(Call& call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> TakeOut(Call& call)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Removes a call from its line and adds its callback to `callbacks`. If
  // `status` is an error, the elements that the call has taken go back into the
  // queue.
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

#endif  // LEAT_KERNELS_RESOURCES_QUEUE_H_
