// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ElementStream gives the elements of a dataset to callers, one after another.
// It is what an iterator iterates with.
//
// A call that cannot be served yet waits in a line and holds no thread. If the
// step of a waiting call is cancelled, only the wait ends. The element for
// which the stream was working goes to the next caller.
#ifndef LEAT_KERNELS_PIPELINE_ELEMENT_STREAM_H_
#define LEAT_KERNELS_PIPELINE_ELEMENT_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/kernels/pipeline/caller_line.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Is thread-safe. When the last reference to it is gone, the work that it has
// begun is cancelled. Each waiting call shares its ownership.
class ElementStream final : public Task {
 public:
  // Holds an element, or nothing at the end of the sequence.
  using Result = absl::StatusOr<std::optional<Element>>;
  using Done = absl::AnyInvocable<void(Result) &&>;

  // Makes a stream at the beginning of `dataset`. `services` and `call_depth`
  // are those of the step that makes the stream. Returns the errors of
  // MakeStage.
  static absl::StatusOr<std::shared_ptr<ElementStream>> Create(
      DatasetPtr dataset, const SessionServices& services, int call_depth);
  ~ElementStream() override;

  // Calls `done` exactly once, before or after GetNext returns, with the next
  // element. Calls are served in the order in which they come. `done` gets the
  // reason of the cancellation if `cancellation` is cancelled first.
  // `cancellation` must live until `done` is called.
  void GetNext(Cancellation& cancellation, Done done);

  // Ends the stream: all calls that wait, and all later ones, get CANCELLED. A
  // function of a dataset may wait for the stream of this same dataset. Such a
  // stream would otherwise never end.
  void Close();

 private:
  // Describes a call that waits.
  struct Caller {
    Done done = {};
  };

  ElementStream(DatasetPtr dataset, std::shared_ptr<Pipeline> pipeline);

  void Advance(Callbacks& callbacks) override;
  // Returns what the stage produces, or nothing if the stage waits.
  std::optional<Result> Produce();
  bool HasCaller() const;
  // Gives `result` to the first caller. Keeps it if all callers have gone.
  void Serve(Result result, Callbacks& callbacks);
  // Ends the wait of a caller whose step was cancelled.
  void Cancel(int64_t id, const absl::Status& reason);

  const std::shared_ptr<Pipeline> pipeline_;  // ends last
  const DatasetPtr dataset_;
  // These two are used by Advance only.
  std::unique_ptr<Stage> stage_;
  std::optional<Result> kept_;

  mutable Mutex mutex_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  CallerLine<Caller> callers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_ELEMENT_STREAM_H_
