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
#include "leat/kernels/pipeline/caller_line.h"
#include "leat/kernels/pipeline/pipeline.h"
#include "leat/kernels/pipeline/task.h"
#include "leat/kernels/readers/reader_state.h"
#include "leat/kernels/readers/record_buffer.h"
#include "leat/kernels/readers/work_unit.h"
#include "leat/kernels/resource_store.h"
#include "leat/kernels/resources/queue.h"

namespace leat::kernels {

// Makes the work unit of a string that was taken from a queue. `name` is a
// scalar.
using NewWorkUnit = std::function<std::unique_ptr<WorkUnit>(
    const Tensor& name, const StageContext& context)>;

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
  // records were given out, takes another string from `queue`. Calls are served
  // in the order in which they come. `done` gets the error of the queue, that
  // of the work unit, or the reason of the cancellation if `cancellation` is
  // cancelled first. If the element of the queue is not one string, `done` gets
  // INVALID_ARGUMENT. `done` must keep the reader, and `cancellation` must live
  // until it is called. REQUIRES: most > 0.
  void Read(std::shared_ptr<Queue> queue, int64_t most,
            Cancellation& cancellation, Done done);
  // Puts back records that Read returned and that the caller cannot use. They
  // are lost if there is no memory to hold them.
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
  // reader is as after Reset. Returns INVALID_ARGUMENT, as TensorFlow does, for
  // the state of a reader that was saved in the middle of its work.
  absl::Status RestoreState(const std::string& state);

  std::string DebugString() const override { return options_.name; }

 private:
  // Describes a call that waits.
  struct Caller {
    std::shared_ptr<Queue> queue = {};
    int64_t most = 0;
    Done done = {};
  };

  // Is a call of a queue for a string that the first caller needs. It has a
  // cancellation of its own, which lives as long as the call.
  struct NameCall {
    std::shared_ptr<Queue> queue = {};
    Cancellation cancellation = {};
    // Holds the answer of the queue once it has come. Is set under the lock,
    // and only while `name_call_` is this call.
    std::optional<absl::StatusOr<Queue::Elements>> taken = {};
  };

  // Is what a reset drops. It ends without the lock, because this may close a
  // file.
  struct Dropped {
    std::shared_ptr<WorkUnit> work = {};
    std::deque<KeyedRecord> records = {};
  };

  Reader(ReaderOptions options, std::shared_ptr<Pipeline> pipeline);

  void Advance(Callbacks& callbacks) override;
  // Serves all callers that can be served. Returns the work unit whose next
  // record the first one needs, or null if there is none to work on now. The
  // record is charged already.
  std::shared_ptr<WorkUnit> ServeCallers(Callbacks& callbacks);
  // Keeps what a call of work.Next has produced. Returns false if the work unit
  // waits.
  bool Keep(const WorkUnit& work, const absl::StatusOr<Progress>& progress,
            KeyedRecord record, Callbacks& callbacks);
  // Gives `error` to the first caller. The records read for it are lost, as in
  // TensorFlow. If only memory is missing, the caller gets them instead.
  void Fail(const absl::Status& error, Callbacks& callbacks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Gives `result` to the first caller.
  void Serve(Result result, Callbacks& callbacks)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Gives the first caller as many of the records as it may have.
  void ServeRecords(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns true if the first caller needs no more work.
  bool HasResult() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Begins to work on the string that the queue has given.
  absl::Status BeginWork() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Does what Reset does, and returns what it has dropped.
  Dropped ResetLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sets the state to `state`, whose text it takes.
  absl::Status Restore(ReaderState state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Asks the queue of the first caller for a string.
  void CallQueue(Callbacks& callbacks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Receives the answer of a queue. Puts back what nobody needs.
  void SetName(NameCall& call, absl::StatusOr<Queue::Elements> taken);
  // Ends a call of a queue that nobody needs. What it has taken goes back.
  static void Drop(NameCall& call);

  // Ends the wait of a caller whose step was cancelled.
  void Cancel(int64_t id, const absl::Status& reason);

  const std::shared_ptr<Pipeline> pipeline_;  // ends last
  const ReaderOptions options_;

  // Is not held while a work unit works.
  mutable Mutex mutex_;
  ReaderCounts counts_ ABSL_GUARDED_BY(mutex_);
  // Is the scalar that was taken from a queue last, or Tensor().
  Tensor current_work_ ABSL_GUARDED_BY(mutex_);
  // Is null if the reader needs another string.
  std::shared_ptr<WorkUnit> work_ ABSL_GUARDED_BY(mutex_);
  int64_t unit_ ABSL_GUARDED_BY(mutex_) = 0;  // of `work_`
  // Holds records that no caller has yet.
  RecordBuffer records_ ABSL_GUARDED_BY(mutex_);
  CallerLine<Caller> callers_ ABSL_GUARDED_BY(mutex_);
  // Is the first caller's call of its queue, or null.
  std::shared_ptr<NameCall> name_call_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_READER_H_
