// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NewSession makes a session that runs a graph. If the target is empty, the
// graph runs on the devices of this process. Otherwise the graph runs on the
// devices of a cluster, and the target names the master of the cluster:
// "grpc://host:port" or "unix:///path".
//
//   GraphBuilder b;
//   Output x = b.Placeholder<float>("x");
//   Output y = x * 2 + 1;
//   LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
//   LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Session> session,
//                         NewSession(graph, {.target = getenv("TARGET")}));
//   LEAT_ASSIGN_OR_RETURN(std::vector<Tensor> fetched,
//                         session->Run({.feeds = {{x, Tensor::Scalar(3.0f)}},
//                                       .fetches = {y}}));
//
// Options say which devices this process has, where the master of a cluster is,
// and how the graph is optimized:
//
//   LEAT_ASSIGN_OR_RETURN(auto two_devices,
//                         NewSession(graph, {.devices = "cpu:2"}));
//   LEAT_ASSIGN_OR_RETURN(
//       auto remote, NewSession(graph, {.target = "grpc://10.0.0.1:2222",
//                                       .connect_timeout =
//                                           std::chrono::seconds(10)}));
#ifndef LEAT_TRAIN_SESSION_H_
#define LEAT_TRAIN_SESSION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"  // IWYU pragma: export
#include "leat/core/threads/cancellation.h"
#include "leat/graph/graph.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/optimizer/optimizer_options.h"
#include "leat/runtime/session.h"

namespace leat {

// Says where a session runs; "" stands for this process. A SessionTarget can be
// made from any kind of text. A null pointer, which getenv() returns for a
// missing variable, stands for "", too.
struct SessionTarget {
  SessionTarget() = default;
  SessionTarget(const char* text)  // NOLINT
      : text(text == nullptr ? "" : text) {}
  SessionTarget(absl::string_view text) : text(text) {}       // NOLINT
  SessionTarget(std::string text) : text(std::move(text)) {}  // NOLINT

  std::string text = {};
};

// Says what kind of session to make. Options marked "local" are only for
// sessions on this process. The options from `device_filters` on are only for
// sessions on a target.
struct SessionOptions {
  SessionTarget target = {};
  // Holds the devices of this process. The tasks of a target have their own
  // devices. This option is local. "cpu:2" stands for two CPU devices,
  // "gpu:all" for a CPU and all GPUs (see ParseDevices, runtime/device_set.h).
  std::string devices = "cpu";
  int num_threads = 0;  // local; 0: one per processor
  // Limits the memory of each CPU device. 0 stands for its share of the memory
  // that this process may use (runtime/device_set.h). This option is local.
  int64_t cpu_memory_bytes = 0;
  // Limits the memory of each GPU, in bytes. If it is 0, `gpu_memory_fraction`
  // sets the limit. This option is local.
  int64_t gpu_memory_bytes = 0;
  // Is the part of each GPU's memory that may be used, in [0, 1]. If both this
  // and `gpu_memory_bytes` are 0, nearly all memory that is free may be used.
  // This option is local.
  double gpu_memory_fraction = 0;
  // If true, a GPU's memory is taken from CUDA when tensors need it, and not
  // all at the first tensor. This option is local.
  bool gpu_allow_growth = false;
  // Lists the CUDA device numbers of GPU 0, GPU 1 and so on. If it is empty,
  // GPU i has the CUDA number i. This option is local.
  std::vector<int> gpu_ordinals = {};
  // If true, matrix products and convolutions of floats on GPUs may use TF32
  // (runtime/device_set.h). This option is local.
  bool gpu_allow_tf32 = false;
  // If true, each kernel on a GPU waits until its work has run, so that an
  // error of the GPU names the node that has caused it. This option is local.
  bool gpu_sync = false;
  // If true, a node goes to another device if the requested device does not
  // exist or has no kernel for the node.
  bool allow_soft_placement = false;
  std::string placement_policy = "greedy";  // local
  LowerLimits lower_limits = {};            // local
  // Is a folder to which this process writes what sampled steps have measured,
  // for planning. If it is empty, nothing is measured. This option is local;
  // the tasks of a target have the flag --costs.
  std::string costs_folder = {};
  // Is called on any thread with messages for people, for example about a
  // library for GPUs that this machine does not have. A session on a target
  // ignores it.
  std::function<void(absl::string_view message)> log = {};
  // Selects the passes that optimize the graph of a step.
  OptimizerOptions optimizer = {};
  // The options below are for sessions on a target only;
  // distributed/client/remote_session.h describes them. A session on this
  // process refuses `device_filters` and ignores the others.
  std::vector<std::string> device_filters = {};
  bool isolate_state = false;
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(60);
  std::shared_ptr<Cancellation> cancellation = {};
  std::function<void(absl::string_view message)> on_waiting = {};
};

// Makes a session for a copy of `graph`. Returns INVALID_ARGUMENT, quoting the
// value, for a malformed option. Returns INVALID_ARGUMENT, naming the option,
// for a local option on a target and for `device_filters` on this process.
// Returns INVALID_ARGUMENT also for nodes that cannot be placed. Returns
// RESOURCE_EXHAUSTED if the graph grows beyond `lower_limits`, and UNAVAILABLE
// if the target does not answer.
absl::StatusOr<std::shared_ptr<Session>> NewSession(
    const Graph& graph, const SessionOptions& options = {});

}  // namespace leat

#endif  // LEAT_TRAIN_SESSION_H_
