// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/collectives/step_sequences.h"

#include "leat/core/random_id.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/messages.h"
#include "leat/protos/worker.pb.h"

namespace leat {
namespace {

// Returns the id that follows `step_id`. TensorFlow's ids have 57 bits.
int64_t After(int64_t step_id) {
  return (step_id + 1) & ((int64_t{1} << 57) - 1);
}

absl::StatusOr<int64_t> ReadSequence(const absl::StatusOr<Payload>& reply,
                                     int64_t graph_key) {
  LEAT_RETURN_IF_ERROR(reply.status());
  pb::GetStepSequenceResponse response;
  LEAT_RETURN_IF_ERROR(ParseSmall(reply->header, response));
  for (const pb::StepSequence& sequence : response.step_sequence()) {
    if (sequence.graph_key() == graph_key && sequence.next_step_id() > 0) {
      return sequence.next_step_id();
    }
  }
  return absl::InternalError(
      "the leader of the collectives has returned no step id");
}

}  // namespace

StepSequences::Sequence& StepSequences::FindOrAdd(const SequenceKey& key) {
  const auto found = sequences_.find(key);
  if (found != sequences_.end()) {
    by_use_.splice(by_use_.end(), by_use_, found->second.place);
    return found->second;
  }
  if (sequences_.size() >= kMaxSequences) {
    sequences_.erase(by_use_.front());
    by_use_.pop_front();
  }
  Sequence& added = sequences_[key];
  added.place = by_use_.insert(by_use_.end(), key);
  if (key.leader == own_task_) added.next = RandomStepId();
  return added;
}

void StepSequences::Next(const SequenceKey& key, Done done) {
  int64_t next = 0;
  int64_t failed = 0;
  {
    MutexLock lock(mutex_);
    const Sequence& sequence = FindOrAdd(key);
    next = sequence.next;
    failed = sequence.failed;
  }
  if (next != 0) return std::move(done)(next);
  Ask(key, failed, std::move(done));
}

void StepSequences::Ask(const SequenceKey& key, int64_t failed_step_id,
                        Done done) {
  pb::GetStepSequenceRequest request;
  request.add_graph_key(key.graph_key);
  request.mutable_leat()->set_failed_step_id(failed_step_id);
  tasks_.Call(key.leader, methods::kGetStepSequence, ToPayload(request),
              tasks_.ShortCall(),
              [this, key, done = std::move(done)](
                  const absl::StatusOr<Payload>& reply) mutable {
                absl::StatusOr<int64_t> next =
                    ReadSequence(reply, key.graph_key);
                if (next.ok()) {
                  MutexLock lock(mutex_);
                  FindOrAdd(key).next = *next;
                }
                std::move(done)(std::move(next));
              });
}

void StepSequences::End(const SequenceKey& key, int64_t step_id,
                        bool succeeded) {
  MutexLock lock(mutex_);
  const auto found = sequences_.find(key);
  if (found == sequences_.end()) return;
  Sequence& sequence = found->second;
  if (!succeeded) {
    Leave(step_id, key, sequence);
  } else if (sequence.next == step_id) {
    sequence.next = After(step_id);
  }
}

void StepSequences::Leave(int64_t step_id, const SequenceKey& key,
                          Sequence& sequence) const {
  sequence.failed = step_id;
  if (sequence.next != step_id && sequence.next != After(step_id)) return;
  sequence.next = key.leader == own_task_ ? RandomStepId() : 0;
}

int64_t StepSequences::NextAtLeader(int64_t graph_key) {
  MutexLock lock(mutex_);
  return FindOrAdd({.leader = own_task_, .graph_key = graph_key}).next;
}

int64_t StepSequences::HasFailed(int64_t step_id) {
  if (step_id == 0) return 0;
  const int64_t after = After(step_id);
  int64_t abandoned = 0;
  MutexLock lock(mutex_);
  for (auto& [key, sequence] : sequences_) {
    if (sequence.next == after) abandoned = after;
    if (sequence.next == step_id || sequence.next == after) {
      Leave(step_id, key, sequence);
    }
  }
  return abandoned;
}

}  // namespace leat
