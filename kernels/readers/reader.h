// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reader is the resource behind TensorFlow's readers. It takes strings from
// queues, which are mostly the paths of files, and gives out the records of
// each of them.
//
// A call that cannot be served yet waits in a line and holds no thread. If the
// step of a waiting call is cancelled, only the wait ends. What was read for it
// goes to the next caller, and a string that comes too late for it goes back to
// the queue.
#ifndef LEAT_KERNELS_READERS_READER_H_
#define LEAT_KERNELS_READERS_READER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/element_charge.h"
#include "leat/kernels/readers/work_unit.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/resources/queue.h"

namespace leat::pb {
class ReaderBaseState;
}  // namespace leat::pb

namespace leat::kernels {

// Makes the work unit of a string that was taken from a queue.
using NewWorkUnit = std::function<std::unique_ptr<WorkUnit>(
    const std::string& name, const StageContext& context)>;

// Is a value.
struct ReaderOptions {
  std::string name = {};  // the kind and the node, for errors
  NewWorkUnit new_work = {};
  bool has_state = false;  // The state can be saved and restored.
};

// Is thread-safe. A shared_ptr owns it.
class Reader final : public Resource, public Task {
 public:
  static constexpr char kTypeName[] = "N10tensorflow15ReaderInterfaceE";

  using Records = std::vector<KeyedRecord>;
  using Result = absl::StatusOr<Records>;
  using Done = absl::AnyInvocable<void(Result) &&>;

  // `services` and `call_depth` are those of the step that makes the reader.
  static absl::StatusOr<std::shared_ptr<Reader>> Create(
      ReaderOptions options, const SessionServices& services, int call_depth);
  ~Reader() override;

  // Calls `done` exactly once, before or after Read returns, with at least one
  // and at most `most` records, which belong to one work unit. If all of its
  // records were given out, takes another string from `queue`, whose elements
  // are single strings. Calls are served in the order in which they come.
  // `done` gets the error of the queue, that of the work unit, or the reason of
  // the cancellation if `cancellation` is cancelled first. `done` must keep the
  // reader, and `cancellation` must live until it is called. REQUIRES: most >
  // 0.
  void Read(std::shared_ptr<Queue> queue, int64_t most,
            Cancellation& cancellation, Done done);
  // Puts back records that Read returned and that the caller cannot use.
  void Return(Records taken);

  // Returns how many records were given out.
  int64_t num_records() const;
  // Returns how many work units are done.
  int64_t num_work_units() const;

  // Drops the work and all counts. Calls that wait take another string.
  void Reset();
  // Returns TensorFlow's message ReaderBaseState. Returns UNIMPLEMENTED, as
  // TensorFlow does, if the reader cannot save its state.
  absl::StatusOr<std::string> SerializeState() const;
  // Sets the state to one that SerializeState has returned. After an error, the
  // reader is as after Reset. As in TensorFlow, the state of a reader whose
  // work is not done is such an error.
  absl::Status RestoreState(const std::string& state);

  std::string DebugString() const override { return options_.name; }

 private:
  // Describes a call that waits.
  struct Caller {
    std::shared_ptr<Queue> queue = {};
    int64_t most = 0;
    Done done = {};
    // Is null while no callback is registered with it.
    Cancellation* cancellation = nullptr;
    Cancellation::Token token = 0;
  };

  // Is a call of a queue for a string. It has a cancellation of its own, which
  // lives as long as the call.
  struct NameCall {
    std::shared_ptr<Queue> queue = {};
    Cancellation cancellation = {};
  };

  // Counts what TensorFlow saves in a state.
  struct Counts {
    int64_t work_started = 0;
    int64_t work_finished = 0;
    int64_t records = 0;
  };

  Reader(ReaderOptions options, std::shared_ptr<Pipeline> pipeline);

  void Advance(Callbacks& callbacks) override;
  // Serves all calls that can be served. Returns a call of a queue that must be
  // started without the lock, or null.
  std::shared_ptr<NameCall> ServeCallers(Callbacks& callbacks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets the call of a queue, and its error, for a caller that has got
  // records which have come back.
  void DropName(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns what a caller gets that wants `most` records, or nothing if it has
  // to wait.
  std::optional<Result> Produce(int64_t most)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Begins to work on the string that the queue has given.
  absl::Status BeginWork() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Adds the next record of the work unit to `records_`, and ends the work if
  // it is done. Returns false if the caller has to wait.
  absl::StatusOr<bool> Work() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndWork() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Handles an error of the work unit. As in TensorFlow, the records that the
  // same call has read before are lost.
  void Fail() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes up to `most` records.
  Records Take(int64_t most) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ResetLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Checks what RestoreState gets.
  absl::StatusOr<pb::ReaderBaseState> ParseState(
      const std::string& bytes) const;

  void StartNameCall(const std::shared_ptr<NameCall>& call);
  // Receives the answer of a queue.
  void SetName(const std::shared_ptr<NameCall>& call,
               absl::StatusOr<Queue::Elements> taken);
  // Ends the wait of a caller whose step was cancelled.
  void Cancel(int64_t id, const absl::Status& reason);

  const std::shared_ptr<Pipeline> pipeline_;  // ends last
  const ReaderOptions options_;

  mutable Mutex mutex_;
  Counts counts_ ABSL_GUARDED_BY(mutex_);
  std::string current_work_ ABSL_GUARDED_BY(mutex_);
  // Is null if the reader needs another string.
  std::unique_ptr<WorkUnit> work_ ABSL_GUARDED_BY(mutex_);
  // Have been read, and nobody has them yet.
  std::deque<KeyedRecord> records_ ABSL_GUARDED_BY(mutex_);
  ElementCharge charge_ ABSL_GUARDED_BY(mutex_);
  // Is the call of a queue for the first caller, and then what the queue has
  // given.
  std::shared_ptr<NameCall> name_call_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::StatusOr<std::string>> name_ ABSL_GUARDED_BY(mutex_);
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<int64_t, Caller> callers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_READER_H_
