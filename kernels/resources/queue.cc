// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/resources/queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/kernels/callbacks.h"

namespace leat::kernels {
namespace {

std::unique_ptr<QueueElements> NewElements(const QueueOptions& options) {
  return options.kind == QueueKind::kFifo
             ? NewFifoElements()
             : NewShuffledElements(options.seed, options.seed2);
}

absl::Status EnqueueCancelled() {
  return absl::CancelledError("Enqueue operation was cancelled");
}

}  // namespace

Queue::Queue(QueueOptions options)
    : options_(std::move(options)),
      max_elements_(
          options_.max_tensors /
          std::max<int64_t>(1, static_cast<int64_t>(options_.dtypes.size()))),
      elements_(NewElements(options_)) {}

void Queue::Enqueue(Elements elements, Cancellation& cancellation, Done done) {
  Start(kEnqueues,
        Call{.elements = std::move(elements), .done = std::move(done)},
        cancellation);
}

void Queue::Dequeue(int64_t count, bool up_to, Cancellation& cancellation,
                    Done done) {
  if (count > max_elements_) {
    return std::move(done)(absl::ResourceExhaustedError(absl::StrCat(
        TypeName(options_.kind), " '", options_.name, "' was asked for ", count,
        " elements at once, more than the ", max_elements_,
        " that it may have (max_queue_elements)")));
  }
  Start(kDequeues,
        Call{.wanted = count, .up_to = up_to, .done = std::move(done)},
        cancellation);
}

void Queue::Return(Elements taken) {
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    elements_->Return(std::move(taken));
    Serve(callbacks);
  }
  CallAll(std::move(callbacks));
}

void Queue::Close(bool cancel_pending_enqueues, Cancellation& cancellation,
                  Done done) {
  if (!cancel_pending_enqueues) {
    return Start(kEnqueues, Call{.closes = true, .done = std::move(done)},
                 cancellation);
  }
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    while (!lines_[kEnqueues].empty()) {
      Finish(kEnqueues, lines_[kEnqueues].begin()->first, EnqueueCancelled(),
             callbacks);
    }
    Serve(callbacks);
  }
  CallAll(std::move(callbacks));
  std::move(done)(Elements());
}

int64_t Queue::size() const {
  MutexLock lock(mutex_);
  return elements_->size();
}

bool Queue::is_closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

std::string Queue::DebugString() const {
  return absl::StrCat(TypeName(options_.kind), " '", options_.name,
                      "': ", size(), " elements");
}

// Registers a callback with `cancellation` while mutex_ is held. The callback
// takes mutex_, too, so it cannot run before the registration is stored in the
// waiting call. The registration cannot deadlock, because Cancellation does not
// hold its own lock while it runs callbacks.
void Queue::Start(Line line, Call call, Cancellation& cancellation) {
  if (cancellation.IsCancelled()) {
    return std::move(call.done)(cancellation.status());
  }
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    const int64_t id = next_id_++;
    lines_[line].emplace(id, std::move(call));
    Serve(callbacks);
    const auto waiting = lines_[line].find(id);
    if (waiting != lines_[line].end()) {
      auto cancel = [weak = weak_from_this(), line,
                     id](const absl::Status& reason) {
        if (const std::shared_ptr<Queue> queue = weak.lock()) {
          queue->Cancel(line, id, reason);
        }
      };
      if (cancellation.Register(std::move(cancel), &waiting->second.token)) {
        waiting->second.cancellation = &cancellation;
      } else {
        Finish(line, id, cancellation.status(), callbacks);
        Serve(callbacks);
      }
    }
  }
  CallAll(std::move(callbacks));
}

void Queue::Cancel(Line line, int64_t id, const absl::Status& reason) {
  Callbacks callbacks;
  {
    MutexLock lock(mutex_);
    const auto waiting = lines_[line].find(id);
    if (waiting == lines_[line].end()) return;  // The call has been served.
    waiting->second.cancellation = nullptr;
    Finish(line, id, reason, callbacks);
    Serve(callbacks);
  }
  CallAll(std::move(callbacks));
}

void Queue::Serve(Callbacks& callbacks) {
  bool changed = true;
  while (changed) {
    changed = ServeLine(kEnqueues, callbacks);
    changed = ServeLine(kDequeues, callbacks) || changed;
  }
}

bool Queue::ServeLine(Line line, Callbacks& callbacks) {
  const int64_t before = elements_->size();
  bool finished = false;
  while (!lines_[line].empty()) {
    const auto first = lines_[line].begin();
    Call& call = first->second;
    const absl::StatusOr<bool> served =
        line == kEnqueues ? PutIn(call) : TakeOut(call);
    if (served.ok() && !*served) break;
    Finish(line, first->first, served.status(), callbacks);
    finished = true;
  }
  return finished || elements_->size() != before;
}

absl::StatusOr<bool> Queue::PutIn(Call& call) {
  if (closed_) {
    return absl::CancelledError(
        call.closes
            ? absl::StrCat("Queue '", options_.name, "' is already closed.")
            : absl::StrCat(TypeName(options_.kind), " '", options_.name,
                           "' is closed."));
  }
  if (call.closes) {
    closed_ = true;
    return true;
  }
  const int64_t rest = static_cast<int64_t>(call.elements.size() - call.next);
  if (options_.capacity > max_elements_ &&
      rest > max_elements_ - elements_->size()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        TypeName(options_.kind), " '", options_.name, "' has ",
        elements_->size(), " elements and may not have more than ",
        max_elements_, " (max_queue_elements); ", rest, " are to come"));
  }
  while (call.next < call.elements.size() &&
         elements_->size() < options_.capacity) {
    elements_->Push(std::move(call.elements[call.next++]));
  }
  return call.next == call.elements.size();
}

absl::StatusOr<bool> Queue::TakeOut(Call& call) {
  int64_t size = elements_->size();
  if (closed_ && size < call.wanted) {
    // No more elements will come, so this call puts back the elements that it
    // holds. With `up_to`, the call then takes all elements of the queue.
    // Without `up_to`, it leaves them for other calls.
    const int64_t wanted = call.wanted;
    elements_->Return(std::exchange(call.elements, Elements()));
    if (!call.up_to || elements_->size() == 0) {
      call.wanted = 0;
      return absl::OutOfRangeError(
          absl::StrCat(TypeName(options_.kind), " '", options_.name,
                       "' is closed and has insufficient elements (requested ",
                       wanted, ", current size ", size, ")"));
    }
    size = call.wanted = elements_->size();
  }
  if (!closed_) size -= options_.min_after_dequeue;
  for (; size > 0 && call.wanted > 0; --size, --call.wanted) {
    call.elements.push_back(elements_->Pop());
  }
  return call.wanted == 0;
}

void Queue::Finish(Line line, int64_t id, absl::Status status,
                   Callbacks& callbacks) {
  Call call = std::move(lines_[line].extract(id).mapped());
  Elements taken;
  if (line == kDequeues) taken = std::exchange(call.elements, Elements());
  absl::StatusOr<Elements> result;
  if (status.ok()) {
    result = std::move(taken);
  } else {
    elements_->Return(std::move(taken));
    result = std::move(status);
  }
  callbacks.push_back(
      [call = std::move(call), result = std::move(result)]() mutable {
        if (call.cancellation != nullptr) {
          call.cancellation->Deregister(call.token);
        }
        std::move(call.done)(std::move(result));
      });
}

}  // namespace leat::kernels
