// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A Session runs steps of one graph. The interface is the same for a session on
// the devices of this process (NewLocalSession) and for a session on a cluster.
// NewSession (train/session.h) makes both kinds.
//
//   LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Session> session,
//                         NewSession(graph));
//   LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
//                         session->Run({.feeds = {{"x", value}},
//                                       .fetches = {"y"},
//                                       .targets = {"update"}}));
#ifndef LEAT_RUNTIME_SESSION_H_
#define LEAT_RUNTIME_SESSION_H_

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/devices/device.h"
#include "leat/core/devices/step_observer.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/output.h"
#include "leat/graph/graph.h"

namespace leat::pb {
class RunMetadata;
}  // namespace leat::pb

namespace leat {

// Holds the name of a tensor ("x:0", or "x" for output 0) or of an operation
// ("train"), to be fed, fetched or run. It is made from text, or from an Output
// or an Operation of the graph.
//
// An Output or Operation in the body of a function cannot be fed, fetched or
// run. Its text contains the name of the function and is not the name of any
// node. A step that uses it therefore fails with a clear message.
struct TensorName {
  TensorName(const char* name) : text(name) {}             // NOLINT
  TensorName(std::string name) : text(std::move(name)) {}  // NOLINT
  TensorName(const Output& output);                        // NOLINT
  TensorName(const Operation& node);                       // NOLINT

  std::string text;
};

// Describes a tensor and the value that it has in this step. The value replaces
// what the graph would compute.
struct Feed {
  TensorName name;
  Tensor value;
};

// Says what to record about a step, as in TensorFlow. All levels above kNone
// record the same.
enum class TraceLevel { kNone, kSoftware, kHardware, kFull };

// Holds the options of one step or, in a Callable, of each of its steps.
struct RunOptions {
  // Is the time that the step may take, counted from the call of Run and
  // including its planning. A step that takes longer fails with
  // DEADLINE_EXCEEDED. Planning is not interrupted, but no kernel starts after
  // the time is up.
  std::optional<std::chrono::nanoseconds> timeout = {};
  // Above kNone, RunMetadata.step_stats tells which node ran when, on which
  // device and on which thread, and the types, shapes and sizes in bytes of its
  // outputs. Runs of nodes after the first 2^20 are left out.
  TraceLevel trace_level = TraceLevel::kNone;
  // If true, RunMetadata.partition_graphs holds the graph that each device
  // runs.
  bool output_partition_graphs = false;
  // If true and the step runs out of memory, its error lists the nodes whose
  // tensors take the most. Such a step is slower, because the memory of each
  // node is counted.
  bool report_tensor_allocations_upon_oom = false;
  // Is the observer that is called after each run of a node, or null for none.
  // It is borrowed until the step has ended and must be thread-safe. If an
  // observer is given, a session on a cluster returns UNIMPLEMENTED.
  StepObserver* observer = nullptr;
};

// Says what one step feeds, fetches and runs.
struct RunArgs {
  std::vector<Feed> feeds = {};
  std::vector<TensorName> fetches = {};
  // Lists operations to run without fetching them.
  std::vector<TensorName> targets = {};
  RunOptions options = {};
};

// Makes a step take the tensor `from` wherever the graph takes the tensor `to`.
// For example, `to` may be a placeholder.
struct Connection {
  TensorName from;
  TensorName to;
};

// Says what every step of a Callable feeds, fetches and runs. The values of the
// feeds are given in each call.
struct CallableArgs {
  std::vector<TensorName> feeds = {};
  std::vector<TensorName> fetches = {};
  std::vector<TensorName> targets = {};
  std::vector<Connection> connections = {};
  RunOptions options = {};
};

// Says what a partial run feeds, fetches and runs altogether. A partial run
// uses only three of the options: the timeout, which applies to each call, the
// observer, and report_tensor_allocations_upon_oom.
struct PartialRunArgs {
  std::vector<TensorName> feeds = {};
  std::vector<TensorName> fetches = {};
  std::vector<TensorName> targets = {};
  RunOptions options = {};
};

// A Callable is a step that was planned beforehand, so that each call only runs
// it. Feeds and fetches are matched by position. A Callable is thread-safe.
// Copies share the plan and keep the session alive.
//
//   LEAT_ASSIGN_OR_RETURN(
//       Callable callable,
//       session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}}));
//   LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> fetched, callable({value}));
class Callable {
 public:
  // Is the interface that each kind of session implements. It must be
  // thread-safe.
  class Implementation {
   public:
    virtual ~Implementation() = default;
    virtual absl::StatusOr<std::vector<Tensor>> Run(
        absl::Span<const Tensor> feeds, pb::RunMetadata* metadata) = 0;
  };

  // Makes an empty Callable, which cannot be called.
  Callable() = default;
  explicit Callable(std::shared_ptr<Implementation> implementation)
      : implementation_(std::move(implementation)) {}

  // Runs one step and returns the fetched tensors in order. Returns
  // INVALID_ARGUMENT for a wrong number, dtype or shape of feeds, and
  // FAILED_PRECONDITION for an empty Callable or a closed session. Otherwise
  // returns the error of the step. `metadata` is as in Session::Run.
  absl::StatusOr<std::vector<Tensor>> operator()(
      absl::Span<const Tensor> feeds,
      pb::RunMetadata* metadata = nullptr) const {
    if (implementation_ == nullptr) {
      return absl::FailedPreconditionError(
          "an empty Callable was called; get one from Session::MakeCallable");
    }
    return implementation_->Run(feeds, metadata);
  }
  absl::StatusOr<std::vector<Tensor>> operator()(
      std::initializer_list<Tensor> feeds = {}) const {
    return (*this)(absl::MakeConstSpan(feeds.begin(), feeds.size()));
  }

 private:
  std::shared_ptr<Implementation> implementation_;
};

// A PartialRun is a step that takes its feeds and returns its fetches one after
// another. So a program can compute a feed from what it has fetched before.
// Each feed and each fetch of PartialRunArgs is used at most once. The step
// ends when all feeds have been given and all fetches taken. It also ends at
// its first error, when Finish is called, or when the last copy of the object
// is destroyed. A PartialRun is thread-safe, and keeps its session alive.
//
//   LEAT_ASSIGN_OR_RETURN(
//       PartialRun run, session->StartPartialRun({.feeds = {"x", "reward"},
//                                                 .fetches = {"action"},
//                                                 .targets = {"train"}}));
//   LEAT_RETURN_IF_ERROR(run.Feed({{"x", x}}));
//   LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> action, run.Fetch({"action"}));
//   LEAT_RETURN_IF_ERROR(run.Feed({{"reward", Play(action[0])}}));
class PartialRun {
 public:
  // Is the interface that each kind of session implements. It must be
  // thread-safe, and its destructor ends the step.
  class Implementation {
   public:
    virtual ~Implementation() = default;
    virtual absl::StatusOr<std::vector<Tensor>> Run(
        const std::vector<::leat::Feed>& feeds,
        const std::vector<TensorName>& fetches) = 0;
    virtual absl::Status Finish() = 0;
  };

  // Makes an empty PartialRun, whose calls fail with FAILED_PRECONDITION.
  PartialRun() = default;
  explicit PartialRun(std::shared_ptr<Implementation> implementation)
      : implementation_(std::move(implementation)) {}

  // Gives some of the feeds, then waits for some of the fetches and returns
  // them in order. The call that uses the last feed or fetch waits until the
  // step has ended, targets included.
  //
  // Returns INVALID_ARGUMENT, and the step goes on, in these cases:
  //  - A feed or fetch was used before, or is not in PartialRunArgs.
  //  - A feed has a wrong dtype or shape.
  //  - A fetch depends on a feed that has not been given.
  // Also returns INVALID_ARGUMENT if the step has already ended. Otherwise
  // returns the first error of the step, which ends the step.
  absl::StatusOr<std::vector<Tensor>> Run(
      const std::vector<::leat::Feed>& feeds,
      const std::vector<TensorName>& fetches) const {
    if (implementation_ == nullptr) return Empty();
    return implementation_->Run(feeds, fetches);
  }
  // Gives some of the feeds. Fails as Run does.
  absl::Status Feed(const std::vector<::leat::Feed>& feeds) const {
    return Run(feeds, {}).status();
  }
  // Waits for some of the fetches and returns them in order. Fails as Run does.
  absl::StatusOr<std::vector<Tensor>> Fetch(
      const std::vector<TensorName>& fetches) const {
    return Run({}, fetches);
  }
  // Ends the step, even if feeds or fetches are left. Running calls fail. Does
  // nothing if the step has already ended. Returns an error if the session's
  // master could not be told to end the step.
  absl::Status Finish() const {
    return implementation_ == nullptr ? Empty() : implementation_->Finish();
  }

 private:
  static absl::Status Empty() {
    return absl::FailedPreconditionError(
        "an empty PartialRun was used; get one from Session::StartPartialRun");
  }

  std::shared_ptr<Implementation> implementation_;
};

// Is thread-safe. Steps may run at the same time. Destroying a session closes
// it. A Callable or a PartialRun keeps its session alive.
class Session {
 public:
  virtual ~Session() = default;

  // Runs one step and returns the fetched tensors in order. Returns NOT_FOUND
  // or INVALID_ARGUMENT for names that cannot be fed, fetched or run. Returns
  // INVALID_ARGUMENT for a feed that has another dtype than the tensor, or a
  // shape that the tensor's static shape (declared or inferred) excludes.
  // Returns FAILED_PRECONDITION if the session is closed. Otherwise returns the
  // first error of the step, with node, op and device.
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args) {
    return Run(args, nullptr);
  }
  // Does the same as the function above. If `metadata` is not null, also
  // overwrites it with the data that the options ask for, even if the step
  // fails. Callers that make a RunMetadata include leat/protos/config.pb.h.
  virtual absl::StatusOr<std::vector<Tensor>> Run(
      const RunArgs& args, pb::RunMetadata* metadata) = 0;

  // Plans a step, to be run many times. Fails as Run does for wrong names.
  virtual absl::StatusOr<Callable> MakeCallable(const CallableArgs& args) = 0;

  // Plans a step whose feeds are given one after another (PartialRun), and
  // starts it. Fails as Run does for wrong names.
  virtual absl::StatusOr<PartialRun> StartPartialRun(
      const PartialRunArgs& args) = 0;

  // Adds the nodes of `graph` that are new. Returns INVALID_ARGUMENT if a
  // different node in the session has the same name. In that case the session
  // does not change.
  virtual absl::Status Extend(const Graph& graph) = 0;

  // Returns the devices that nodes may be placed on.
  virtual std::vector<DeviceInfo> ListDevices() const = 0;

  // Cancels all running steps and waits until they have ended. Later calls fail
  // with FAILED_PRECONDITION.
  virtual absl::Status Close() = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_H_
