// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepSequences gives ids to the steps of graphs with collectives. Several
// clients may run the same collective, each with a master of its own, and all
// of them must give the step the same id. So the ids follow one another, and
// the leader says with which one they begin.
#ifndef LEAT_DISTRIBUTED_COLLECTIVES_STEP_SEQUENCES_H_
#define LEAT_DISTRIBUTED_COLLECTIVES_STEP_SEQUENCES_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/tasks/task_caller.h"

namespace leat {

// Says which sequence a step belongs to. Is a value.
struct SequenceKey {
  std::string leader = {};  // "/job:worker/replica:0/task:0"
  int64_t graph_key = 0;    // never 0

  friend bool operator==(const SequenceKey&, const SequenceKey&) = default;
  template <class H>
  friend H AbslHashValue(H hash, const SequenceKey& key) {
    return H::combine(std::move(hash), key.leader, key.graph_key);
  }
};

// Is thread-safe. The callbacks of calls under way borrow it.
class StepSequences {
 public:
  static constexpr size_t kMaxSequences = 100'000;

  using Done = absl::AnyInvocable<void(absl::StatusOr<int64_t>) &&>;

  // `own_task` is the name of this task. `tasks` is borrowed.
  StepSequences(std::string own_task, TaskCaller& tasks)
      : own_task_(std::move(own_task)), tasks_(tasks) {}

  // Calls `done` once with the id of the next step, perhaps before Next
  // returns. Steps that run at the same time get the same id. `done` gets the
  // error of the call if the leader must be asked and does not answer.
  void Next(const SequenceKey& key, Done done);

  // Is called when a step has ended. After a step that has failed, the leader
  // gives out other ids, so that nobody takes the next step for a part of it.
  void End(const SequenceKey& key, int64_t step_id, bool succeeded);

  // Returns the next id of a sequence of this task, which is the leader.
  int64_t NextAtLeader(int64_t graph_key);

  // Is called when a step has failed at another member. No sequence uses the id
  // again, nor the one after it. If a sequence was at the id after it, returns
  // that id: a step with it may run here already, but the member does not take
  // part. Otherwise returns 0. Does nothing if `step_id` is 0.
  int64_t HasFailed(int64_t step_id);

 private:
  struct Sequence {
    int64_t next = 0;    // 0 if the leader must be asked
    int64_t failed = 0;  // the last step that has failed, or 0
    std::list<SequenceKey>::iterator place = {};  // in by_use_
  };

  // Moves a sequence on, if its next step would be `step_id` or the one after.
  void Leave(int64_t step_id, const SequenceKey& key, Sequence& sequence) const;
  void Ask(const SequenceKey& key, int64_t failed_step_id, Done done);
  // If there are too many sequences, forgets the one whose last use was first.
  Sequence& FindOrAdd(const SequenceKey& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string own_task_;
  TaskCaller& tasks_;
  Mutex mutex_;
  absl::flat_hash_map<SequenceKey, Sequence> sequences_ ABSL_GUARDED_BY(mutex_);
  // Holds the keys of the sequences; the one that was used last is at the end.
  std::list<SequenceKey> by_use_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_COLLECTIVES_STEP_SEQUENCES_H_
