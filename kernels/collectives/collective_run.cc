// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/collectives/collective_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/kernels/collectives/release_notice.h"

namespace leat {
namespace {

using Kind = CollectiveAction::Kind;

// A thread of a transport merges at most this many bytes itself.
constexpr int64_t kMaxQuickBytes = int64_t{16} << 10;
// These are the elements that ParallelFor counts as one item, and what an item
// costs, in nanoseconds.
constexpr int64_t kBlock = 1024;
constexpr int64_t kBlockCost = 200;

// Calls `body(begin, end)` on parts of [0, elements), on several threads.
void ForBlocks(WorkQueue& queue, int64_t elements,
               absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  const int64_t blocks = (elements + kBlock - 1) / kBlock;
  ParallelFor(queue, blocks, kBlockCost, [&](int64_t begin, int64_t end) {
    body(begin * kBlock, std::min(elements, end * kBlock));
  });
}

}  // namespace

CollectiveRun::CollectiveRun(Options options, CollectiveSchedule schedule,
                             Done done)
    : options_(std::move(options)),
      element_bytes_(static_cast<int64_t>(SizeOf(options_.data.dtype()))),
      left_(schedule.lanes.size()),
      done_(std::move(done)) {
  for (CollectiveLane& actions : schedule.lanes) {
    lanes_.push_back({.actions = std::move(actions)});
  }
}

void CollectiveRun::Start() {
  for (Lane& lane : lanes_) {
    if (Enter()) Advance(lane);
  }
  Leave();
}

bool CollectiveRun::Enter() {
  MutexLock lock(mutex_);
  if (!status_.ok() || done_ == nullptr) return false;
  ++inside_;
  return true;
}

void CollectiveRun::Leave(const absl::Status& status) {
  Done done;
  absl::Status outcome;
  {
    MutexLock lock(mutex_);
    --inside_;
    if (status_.ok()) status_ = status;
    const bool is_over = !status_.ok() || (left_ == 0 && offered_ == 0);
    if (inside_ > 0 || !is_over || done_ == nullptr) return;
    done = std::exchange(done_, nullptr);
    outcome = status_;
  }
  std::move(done)(std::move(outcome));
}

void CollectiveRun::Fail(const absl::Status& why) {
  if (Enter()) Leave(why);
}

void CollectiveRun::Advance(Lane& lane) {
  while (lane.next < lane.actions.size()) {
    const CollectiveAction& action = lane.actions[lane.next];
    if (action.kind == Kind::kReceive || action.kind == Kind::kMerge) {
      return Receive(lane);
    }
    if (action.kind == Kind::kFinish) {
      Finish(action.range);
    } else if (const absl::Status sent = Send(action); !sent.ok()) {
      return Leave(sent);
    }
    ++lane.next;
  }
  {
    MutexLock lock(mutex_);
    --left_;
  }
  Leave();
}

absl::Status CollectiveRun::Send(const CollectiveAction& action) {
  const CollectiveGroup& group = *options_.group;
  const DeviceInfo& own =
      group.members[static_cast<size_t>(options_.rank)].device;
  const DeviceInfo& peer =
      group.members[static_cast<size_t>(action.peer)].device;
  {
    MutexLock lock(mutex_);
    ++offered_;
  }
  return options_.rendezvous->Send(
      BufferKey(own.name, own.incarnation, peer.name,
                absl::StrCat(options_.name, ":", action.name)),
      WithReleaseNotice(
          Slice(action.range),
          [self = shared_from_this()] { self->BufferWasTaken(); }),
      /*is_dead=*/false);
}

void CollectiveRun::BufferWasTaken() {
  {
    MutexLock lock(mutex_);
    if (--offered_ > 0 || left_ > 0 || done_ == nullptr) return;
  }
  // The caller may hold locks, so the callback runs on another thread.
  if (!Enter()) return;
  options_.compute->Add([self = shared_from_this()] { self->Leave(); });
}

void CollectiveRun::Receive(Lane& lane) {
  const CollectiveAction& action = lane.actions[lane.next];
  const CollectiveGroup& group = *options_.group;
  const DeviceInfo& own =
      group.members[static_cast<size_t>(options_.rank)].device;
  const DeviceInfo& peer =
      group.members[static_cast<size_t>(action.peer)].device;
  options_.rendezvous->RecvAsync(
      BufferKey(peer.name, peer.incarnation, own.name,
                absl::StrCat(options_.name, ":", action.name)),
      [self = shared_from_this(), &lane](const absl::Status& status,
                                         Tensor received, bool) {
        if (!self->Enter()) return;
        WorkQueue& compute = *self->options_.compute;
        if (!status.ok() || received.num_bytes() <= kMaxQuickBytes ||
            compute.IsWorkerThread()) {
          return self->Resume(lane, status, std::move(received));
        }
        compute.Add([self, &lane, received = std::move(received)]() mutable {
          self->Resume(lane, absl::OkStatus(), std::move(received));
        });
      });
  Leave();
}

void CollectiveRun::Resume(Lane& lane, const absl::Status& status,
                           Tensor received) {
  if (!status.ok()) return Leave(status);
  const absl::Status taken = Take(lane.actions[lane.next], received);
  received.Reset();  // so that the peer knows that it was taken
  if (!taken.ok()) return Leave(taken);
  ++lane.next;
  Advance(lane);
}

absl::Status CollectiveRun::Take(const CollectiveAction& action,
                                 const Tensor& received) {
  const int64_t bytes = action.range.size() * element_bytes_;
  const DType dtype = options_.data.dtype();
  // A task of TensorFlow sends bytes without a type.
  if (received.num_bytes() != bytes ||
      (received.dtype() != dtype && received.dtype() != DType::kUint8)) {
    return absl::InternalError(
        absl::StrCat("Tensor Size Mismatch: RecvBufResponse returned ",
                     received.IsValid() ? received.num_bytes() : 0,
                     " bytes, expected: ", bytes));
  }
  char* const to = At(action.range.begin);
  const char* const from = received.raw_data();
  ForBlocks(*options_.compute, action.range.size(),
            [&](int64_t begin, int64_t end) {
              char* const place = to + begin * element_bytes_;
              const char* const source = from + begin * element_bytes_;
              const int64_t part = (end - begin) * element_bytes_;
              if (action.kind == Kind::kMerge) {
                options_.ops.merge(place, 1, source, 1, place, end - begin);
              } else if (dtype == DType::kBool) {
                // Only 0 and 1 are values of a bool, but a peer may send any
                // bytes.
                std::transform(source, source + part, place, [](char byte) {
                  return static_cast<char>(byte != 0);
                });
              } else {
                std::memcpy(place, source, static_cast<size_t>(part));
              }
            });
  return absl::OkStatus();
}

void CollectiveRun::Finish(ElementRange range) {
  if (options_.ops.divide == nullptr) return;
  const Tensor divisor =
      kernels::DivisorOf(options_.data.dtype(), options_.group->size());
  ForBlocks(*options_.compute, range.size(), [&](int64_t begin, int64_t end) {
    char* const place = At(range.begin + begin);
    options_.ops.divide(place, 1, divisor.raw_data(), 0, place, end - begin);
  });
}

}  // namespace leat
