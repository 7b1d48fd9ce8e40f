// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ChunkedReceive is the receiving end of a transfer (recv_tensor.h).
//
// The tensor is allocated once. Several chunks are fetched at a time. Each
// chunk is copied to its place when it arrives, while other chunks are on their
// way. A new chunk is fetched only after an earlier one has been copied. So at
// most `in_flight` chunks take memory in addition to the tensor, even if the
// copies have to wait a long time for a thread.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_CHUNKED_RECEIVE_H_
#define LEAT_DISTRIBUTED_EXCHANGE_CHUNKED_RECEIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/work_queue.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/payload.h"
#include "leat/distributed/wire/recv_tensor.h"

namespace leat {

// Is thread-safe. The calls and copies under way share the ownership of the
// receive, which is destroyed when the last of them has ended. After `done` has
// been called, the receive does not use the objects that the options borrow.
class ChunkedReceive : public std::enable_shared_from_this<ChunkedReceive> {
 public:
  // Gets the whole tensor, or the error that ended the receive.
  using Done = absl::AnyInvocable<void(absl::StatusOr<Tensor>) &&>;

  struct Options {
    Transfer transfer = {};
    int64_t step_id = 0;
    int in_flight = 1;               // chunks on their way or not yet copied
    Allocator* allocator = nullptr;  // of host memory; borrowed until `done`
    WorkQueue* compute = nullptr;    // borrowed until `done`
    // Calls the sender's method FetchChunk. It is not called after `done`. An
    // error in the reply ends the receive and is passed on unchanged.
    std::function<void(Payload request, Reply reply)> fetch = {};
    // Converts the error of a wrong reply or of a failed allocation to the
    // error that ends the receive.
    std::function<absl::Status(const absl::Status&)> explain = {};
  };

  // Starts a receive and returns at once. `first` is the response that began
  // the transfer; it contains chunk 0. Calls `done` once: in this call, on a
  // thread of `compute` or on a thread that calls the reply of a fetch. If
  // `fetch` destroys a reply without calling it, `done` may be destroyed
  // without a call. The options are kept while calls are under way.
  static void Start(Options options, Payload first, Done done);

  // Only Start calls this constructor.
  ChunkedReceive(Options options, Done done);

 private:
  // Describes a chunk that has arrived and is not yet copied.
  struct Arrived {
    int64_t chunk = 0;
    Payload payload = {};
  };

  // Counts one more user of the objects that the options borrow. Returns false,
  // without counting, if the receive has failed or ended.
  bool Enter();
  // Removes a user from the count. The first `status` that is not OK makes the
  // receive fail. The last user to leave calls `done`, if the receive has
  // failed or every chunk is copied.
  void Leave(const absl::Status& status = absl::OkStatus());
  // Returns true if a status that is not OK was given to Leave.
  bool HasFailed();

  // Allocates the tensor, handles the chunks that have already arrived, and
  // calls Leave. REQUIRES: the caller is counted as a user.
  void Allocate();
  // Fetches the next chunk, if there is one and the receive has not failed.
  // REQUIRES: the caller is counted as a user.
  void FetchNext();
  // Handles the reply to the fetch of `chunk`.
  void Receive(int64_t chunk, absl::StatusOr<Payload> reply);
  // Returns INVALID_ARGUMENT if `payload` is much larger than its chunk. A
  // chunk that waits to be copied must not take much more memory than its
  // length.
  absl::Status CheckBytes(int64_t chunk, const Payload& payload) const;
  // Copies a small chunk at once, and a larger one on `compute`. If the tensor
  // is not allocated yet, keeps the chunk for Allocate. REQUIRES: the caller is
  // counted as a user.
  void Arrive(Arrived arrived);
  // Copies a chunk to its place, counts it and fetches the next one.
  void Copy(Arrived arrived);
  // Decodes a chunk into its place in the tensor. Returns INVALID_ARGUMENT if
  // the payload is not one uint8 tensor of the chunk's length.
  absl::Status CopyToItsPlace(Arrived arrived);

  const Options options_;

  Mutex mutex_;
  int users_ ABSL_GUARDED_BY(mutex_) = 2;  // initially Start and Allocate
  bool is_allocated_ ABSL_GUARDED_BY(mutex_) = false;
  // Holds chunks that arrived before the tensor was allocated.
  std::vector<Arrived> early_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;  // the next chunk to fetch
  int64_t missing_ ABSL_GUARDED_BY(mutex_);   // number of chunks still to copy
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);  // the first error
  Done done_ ABSL_GUARDED_BY(mutex_);             // null after it was called
  // Is set by Allocate, before any chunk is copied, and not changed until the
  // end. The copies write to separate places in the tensor, so they need no
  // lock.
  Tensor tensor_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_CHUNKED_RECEIVE_H_
