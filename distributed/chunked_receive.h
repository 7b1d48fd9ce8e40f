// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// ChunkedReceive: the receiving end of a transfer (recv_tensor.h). The tensor
// is allocated once; its chunks are fetched several at a time, and each is
// copied to its place when it arrives, while others are on their way. The next
// one is asked for when one has been copied, so that no more than these take
// memory beside the tensor, however long copies wait for a thread.
// Thread-safe.
#ifndef LEAT_DISTRIBUTED_CHUNKED_RECEIVE_H_
#define LEAT_DISTRIBUTED_CHUNKED_RECEIVE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/buffer.h"
#include "leat/core/mutex.h"
#include "leat/core/tensor.h"
#include "leat/core/work_queue.h"
#include "leat/distributed/methods.h"
#include "leat/distributed/payload.h"
#include "leat/distributed/recv_tensor.h"

namespace leat {

class ChunkedReceive : public std::enable_shared_from_this<ChunkedReceive> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<Tensor>) &&>;

  struct Options {
    Transfer transfer = {};
    int64_t step_id = 0;
    int in_flight = 1;               // chunks on their way, or not yet copied
    Allocator* allocator = nullptr;  // host memory; borrowed until `done`
    WorkQueue* compute = nullptr;    // borrowed until `done`
    // Calls FetchChunk; not any more once `done` is called. Its errors are
    // those to end with.
    std::function<void(Payload request, Reply reply)> fetch = {};
    // Makes the error to end with of what is wrong with an answer.
    std::function<absl::Status(const absl::Status&)> explain = {};
  };

  // Returns at once. `first` is the response that began the transfer. `done`
  // is called once, by a thread that copies or calls back, unless it is dropped
  // because replies were. The options are kept as long as calls are under way.
  static void Start(Options options, Payload first, Done done);

  // Use Start.
  ChunkedReceive(Options options, Done done);

 private:
  struct Arrived {
    int64_t chunk = 0;
    Payload payload = {};
  };

  // Whoever uses what is borrowed until `done` has entered. False when the
  // receive has failed: there is no use in going on.
  bool Enter();
  // With the error that ends the receive, if it fails. The last one to leave
  // ends what is over.
  void Leave(const absl::Status& status = absl::OkStatus());
  bool HasFailed();

  // REQUIRES: has entered, and leaves.
  void Allocate();
  // REQUIRES: has entered.
  void FetchNext();
  void Receive(int64_t chunk, absl::StatusOr<Payload> reply);
  // What waits to be copied must not be much larger than a chunk.
  absl::Status CheckBytes(int64_t chunk, const Payload& payload) const;
  // Has a chunk copied as soon as there is a place for it. REQUIRES: has
  // entered.
  void Arrive(Arrived arrived);
  void Copy(Arrived arrived);
  absl::Status CopyToItsPlace(Arrived arrived);

  const Options options_;

  Mutex mutex_;
  int users_ ABSL_GUARDED_BY(mutex_) = 2;  // Start and Allocate at first
  bool is_allocated_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Arrived> early_ ABSL_GUARDED_BY(mutex_);  // until then
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;            // chunk to fetch
  int64_t missing_ ABSL_GUARDED_BY(mutex_);             // chunks to copy
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);        // the first
  Done done_ ABSL_GUARDED_BY(mutex_);                   // null: was called
  // Written once, before any chunk is copied; changed no more until the end.
  Tensor tensor_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CHUNKED_RECEIVE_H_
