// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Session: runs steps of one graph. The same interface whether the graph runs
// in this process (LocalSession) or on a cluster.
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
#include "leat/core/device.h"
#include "leat/core/step_observer.h"
#include "leat/core/tensor.h"
#include "leat/graph/graph.h"
#include "leat/graph/output.h"

namespace leat::pb {
class RunMetadata;
}  // namespace leat::pb

namespace leat {

// The name of a tensor ("x:0", "x") or of an operation ("train"). Nothing in
// the body of a function can be fed, fetched or run by name: of that, a text
// that names no node, but the function.
struct TensorName {
  TensorName(const char* name) : text(name) {}             // NOLINT
  TensorName(std::string name) : text(std::move(name)) {}  // NOLINT
  TensorName(const Output& output);                        // NOLINT
  TensorName(const Operation& node);                       // NOLINT

  std::string text;
};

struct Feed {
  TensorName name;
  Tensor value;
};

// What to record of a step, as in TensorFlow. All above kNone give the same.
enum class TraceLevel { kNone, kSoftware, kHardware, kFull };

struct RunOptions {
  // From the call on, planning included; that is not broken off, but nothing
  // runs once the time is up: DEADLINE_EXCEEDED.
  std::optional<std::chrono::nanoseconds> timeout = {};
  // Above kNone, RunMetadata.step_stats is filled: which node ran when, on
  // which device and thread, and its outputs' types, shapes and bytes (of the
  // first 2^20 runs of nodes).
  TraceLevel trace_level = TraceLevel::kNone;
  // RunMetadata.partition_graphs is filled: what each device runs.
  bool output_partition_graphs = false;
  // Watches the step; borrowed.
  StepObserver* observer = nullptr;
};

// What one step does.
struct RunArgs {
  std::vector<Feed> feeds = {};
  std::vector<TensorName> fetches = {};
  std::vector<TensorName> targets = {};  // run, not fetched
  RunOptions options = {};
};

// What every step of a Callable does.
struct CallableArgs {
  std::vector<TensorName> feeds = {};
  std::vector<TensorName> fetches = {};
  std::vector<TensorName> targets = {};
  RunOptions options = {};
};

// A step planned beforehand. Feeds and fetches go by position. Thread-safe;
// copies share the plan, and keep their session alive.
class Callable {
 public:
  class Implementation {
   public:
    virtual ~Implementation() = default;
    virtual absl::StatusOr<std::vector<Tensor>> Run(
        absl::Span<const Tensor> feeds, pb::RunMetadata* metadata) = 0;
  };

  Callable() = default;
  explicit Callable(std::shared_ptr<Implementation> implementation)
      : implementation_(std::move(implementation)) {}

  // INVALID_ARGUMENT for a wrong number, dtype or shape of feeds, or what the
  // step says. FAILED_PRECONDITION for an empty Callable or a closed session.
  // `metadata` as in Session::Run.
  absl::StatusOr<std::vector<Tensor>> operator()(
      absl::Span<const Tensor> feeds,
      pb::RunMetadata* metadata = nullptr) const {
    if (implementation_ == nullptr) {
      return absl::FailedPreconditionError("an empty Callable was called");
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

// Thread-safe.
class Session {
 public:
  virtual ~Session() = default;

  // The fetched tensors, in order. NOT_FOUND or INVALID_ARGUMENT for names,
  // INVALID_ARGUMENT for a feed of another dtype than the tensor's, or of a
  // shape that its static shape (as declared or inferred) excludes; else the
  // first error of the step, with node, op and device.
  absl::StatusOr<std::vector<Tensor>> Run(const RunArgs& args) {
    return Run(args, nullptr);
  }
  // Overwrites `metadata`, if not null, with what the options ask for, also
  // when the step fails. Include leat/protos/config.pb.h to make one.
  virtual absl::StatusOr<std::vector<Tensor>> Run(
      const RunArgs& args, pb::RunMetadata* metadata) = 0;

  virtual absl::StatusOr<Callable> MakeCallable(const CallableArgs& args) = 0;

  // Adds the nodes of `graph` that are new. INVALID_ARGUMENT when a name is
  // taken by another node; the session is then as it was.
  virtual absl::Status Extend(const Graph& graph) = 0;

  virtual std::vector<DeviceInfo> ListDevices() const = 0;

  // Cancels running steps and waits for them; later calls are
  // FAILED_PRECONDITION.
  virtual absl::Status Close() = 0;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_SESSION_H_
