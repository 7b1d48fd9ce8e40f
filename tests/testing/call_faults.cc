// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/call_faults.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/hash64.h"
#include "leat/distributed/wire/methods.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/protos/worker.pb.h"

namespace leat::testing {
namespace {

using std::chrono::microseconds;

// These are the shortest and the longest time after which both ends notice that
// a call is lost.
constexpr microseconds kMinLoss = std::chrono::milliseconds(5);
constexpr microseconds kMaxLoss = std::chrono::milliseconds(20);
// Is the shortest time after which a request is sent a second time.
constexpr microseconds kMinAgain(100);

// Identifies the part of a step that a message belongs to. It is empty if the
// message does not belong to a step.
struct StepOfMessage {
  std::optional<int64_t> id = {};
  std::string tensor = {};  // its key, or the position of a chunk
};

// Returns the key with incarnation 0, because incarnations differ in every run.
// Returns a malformed key as it is.
std::string KeyWithoutIncarnation(const std::string& text) {
  absl::StatusOr<RendezvousKey> key = RendezvousKey::Parse(text);
  if (!key.ok()) return text;
  key->send_incarnation = 0;
  return key->ToString();
}

// Returns the part of a step that a request of `method` belongs to. The result
// is empty for methods that do not belong to a step.
StepOfMessage StepOf(absl::string_view method, absl::string_view header) {
  StepOfMessage step;
  if (method == methods::kRunGraph.path) {
    pb::RunGraphRequest request;
    if (request.ParseFromArray(header.data(),
                               static_cast<int>(header.size()))) {
      step.id = request.step_id();
    }
  } else if (method == methods::kCleanupGraph.path) {
    pb::CleanupGraphRequest request;
    if (request.ParseFromArray(header.data(),
                               static_cast<int>(header.size()))) {
      step.id = request.step_id();
    }
  } else if (method == methods::kRecvTensor.path ||
             method == methods::kRecvTensors.path) {
    const absl::StatusOr<RecvRequest> request = DecodeRecvRequest(
        method == methods::kRecvTensor.path ? RecvForm::kOne : RecvForm::kList,
        header);
    if (request.ok()) {
      step.id = request->step_id;
      step.tensor = KeyWithoutIncarnation(request->keys.all().front().text());
    }
  } else if (method == methods::kFetchChunk.path) {
    const absl::StatusOr<FetchChunkRequest> request =
        DecodeFetchChunkRequest(header);
    if (request.ok()) {
      step.id = request->step_id;
      step.tensor = absl::StrCat(request->offset, "+", request->length);
    }
  }
  return step;
}

// Makes pseudorandom decisions by SplitMix64 (Steele, Lea, Flood: Fast
// splittable pseudorandom number generators, 2014).
class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}

  bool Happens(double probability) {
    // A double has a mantissa of 53 bits.
    return static_cast<double>(Next() >> 11) * 0x1.0p-53 < probability;
  }
  microseconds Between(microseconds low, microseconds high) {
    const auto range =
        static_cast<uint64_t>(std::max<int64_t>((high - low).count(), 0)) + 1;
    return low + microseconds(Next() % range);
  }

 private:
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace

uint64_t CallFaults::Identity(absl::string_view caller,
                              absl::string_view callee,
                              absl::string_view method,
                              absl::string_view header) {
  const StepOfMessage step = StepOf(method, header);
  uint64_t hash = Hash64Combine(plan_.seed, Hash64(method));
  hash = Hash64Combine(hash, Hash64(caller));
  hash = Hash64Combine(hash, Hash64(callee));
  if (step.id.has_value()) {
    const uint64_t number =
        steps_.try_emplace(*step.id, steps_.size() + 1).first->second;
    hash = Hash64Combine(hash, number);
    hash = Hash64Combine(hash, Hash64(step.tensor));
  }
  return Hash64Combine(hash, ++calls_[hash]);
}

CallFate CallFaults::FateOf(absl::string_view caller, absl::string_view callee,
                            absl::string_view method,
                            absl::string_view header) {
  MutexLock lock(mutex_);
  if (!is_enabled_) return {};
  Counts& counts = counts_.try_emplace(method).first->second;
  ++counts.calls;
  Draws draws(Identity(caller, callee, method, header));
  CallFate fate;
  if (draws.Happens(plan_.drop)) {
    fate.is_lost = draws.Happens(0.5);
    fate.lost_after = draws.Between(kMinLoss, kMaxLoss);
    ++(fate.is_lost ? counts.lost_requests : counts.lost_replies);
    return fate;
  }
  if (draws.Happens(plan_.delay)) {
    fate.request_delay = draws.Between(microseconds(0), plan_.max_delay);
    fate.reply_delay = draws.Between(microseconds(0), plan_.max_delay);
    ++counts.delayed;
  }
  if (draws.Happens(plan_.duplicate)) {
    fate.again_after =
        draws.Between(kMinAgain, std::max(kMinAgain, plan_.max_delay));
    ++counts.doubled;
  }
  if (draws.Happens(plan_.reorder)) {
    fate.is_overtaken = true;
    ++counts.overtaken;
  }
  return fate;
}

std::string CallFaults::NewClientName() {
  MutexLock lock(mutex_);
  return absl::StrCat("client ", ++num_clients_);
}

void CallFaults::SetEnabled(bool is_enabled) {
  MutexLock lock(mutex_);
  is_enabled_ = is_enabled;
}

CallFaults::Counts CallFaults::counts() const {
  MutexLock lock(mutex_);
  Counts sum;
  for (const auto& [method, counts] : counts_) {
    sum.calls += counts.calls;
    sum.lost_requests += counts.lost_requests;
    sum.lost_replies += counts.lost_replies;
    sum.delayed += counts.delayed;
    sum.doubled += counts.doubled;
    sum.overtaken += counts.overtaken;
  }
  return sum;
}

CallFaults::Counts CallFaults::counts(absl::string_view method) const {
  MutexLock lock(mutex_);
  const auto found = counts_.find(method);
  return found == counts_.end() ? Counts() : found->second;
}

}  // namespace leat::testing
