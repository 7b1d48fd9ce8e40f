// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/worker/registered_graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/distributed/collectives/graph_key.h"

namespace leat {
namespace {

// Returns the full name of the node's device. Returns INVALID_ARGUMENT if the
// device does not belong to this task.
absl::StatusOr<std::string> FullName(const Node& node, absl::string_view task,
                                     const DeviceSet& devices) {
  const std::string& requested = node.def->device;
  if (requested.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Node '", node.name(), "' is missing a device specification"));
  }
  const absl::StatusOr<DeviceName> name = DeviceName::Parse(requested);
  if (!name.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Node '", node.name(), "': ", name.status().message()));
  }
  std::string full = name->ToString();
  if (devices.Find(full) != nullptr) return full;
  return absl::InvalidArgumentError(
      absl::StrCat("Node '", node.name(), "' is for ", QuotedText(requested),
                   ", which is not a device of ", task));
}

// Assigns each node to the device that the node requests. A master has already
// placed the graph, and sends a node's device as its requested device.
absl::Status AssignDevices(absl::string_view task, const DeviceSet& devices,
                           Graph& graph) {
  absl::flat_hash_map<std::string, int> interned;
  for (const NodeId id : graph.NodeIds()) {
    Node& node = graph.mutable_node(id);
    const auto [known, is_new] = interned.try_emplace(node.def->device, -1);
    if (is_new) {
      LEAT_ASSIGN_OR_RETURN(const std::string name,
                            FullName(node, task, devices));
      known->second = graph.InternDevice(name);
    }
    node.device = known->second;
  }
  return absl::OkStatus();
}

// Returns the other tasks from which the graph receives tensors, sorted.
std::vector<std::string> SendersOf(const Graph& graph, absl::string_view task) {
  absl::btree_set<std::string> senders;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (node.op() != "_Recv") continue;
    const auto device = node.attrs().Get<std::string>("send_device");
    if (!device.ok()) continue;
    const absl::string_view sender = TaskOfDevice(*device);
    if (!sender.empty() && sender != task) senders.emplace(sender);
  }
  return {senders.begin(), senders.end()};
}

absl::Status BadKey(absl::string_view what, absl::string_view key,
                    absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", QuotedText(key), " ", why));
}

}  // namespace

RegisteredGraph::RegisteredGraph(Use use, Boundary boundary,
                                 std::vector<std::string> senders,
                                 std::shared_ptr<const RecvBundles> bundles,
                                 std::shared_ptr<CompiledGraph> compiled)
    : use_(use),
      boundary_(std::move(boundary)),
      senders_(std::move(senders)),
      bundles_(std::move(bundles)),
      compiled_(std::move(compiled)) {
  for (const BoundaryKey& feed : boundary_.feeds) {
    feeds_.emplace(feed.key, &feed);
  }
  for (const BoundaryKey& fetch : boundary_.fetches) {
    fetches_.emplace(fetch.key, &fetch);
  }
}

absl::StatusOr<std::shared_ptr<const RegisteredGraph>> RegisteredGraph::Create(
    const pb::GraphDef& def, const OpRegistry& ops, ImportLimits limits,
    absl::string_view task, GraphRunner& runner, Use use,
    std::shared_ptr<SessionCollectives> collectives) {
  limits.allow_internal_names = true;
  LEAT_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(def, ops, limits));
  LEAT_RETURN_IF_ERROR(AssignDevices(task, runner.devices(), graph));
  const bool has_collectives = HasCollectives(graph);
  LEAT_ASSIGN_OR_RETURN(
      const std::shared_ptr<RegisteredGraph> compiled,
      Compile(std::move(graph), std::string(task), runner, use));
  if (has_collectives) compiled->collectives_ = std::move(collectives);
  return std::shared_ptr<const RegisteredGraph>(compiled);
}

absl::StatusOr<std::shared_ptr<RegisteredGraph>> RegisteredGraph::Compile(
    Graph graph, const std::string& task, GraphRunner& runner, Use use) {
  std::optional<Graph> source;
  if (use != Use::kWholeSteps) source = graph;
  LEAT_ASSIGN_OR_RETURN(Boundary boundary, RecvsToArgs(graph));
  if (use == Use::kPartialRuns) graph = *std::exchange(source, std::nullopt);
  std::vector<std::string> senders = SendersOf(graph, task);
  auto bundles = std::make_shared<const RecvBundles>(graph);
  if (bundles->bundles().empty()) bundles = nullptr;
  LEAT_ASSIGN_OR_RETURN(std::shared_ptr<CompiledGraph> compiled,
                        runner.Register(std::move(graph)));
  std::shared_ptr<RegisteredGraph> result(
      new RegisteredGraph(use, std::move(boundary), std::move(senders),
                          std::move(bundles), std::move(compiled)));
  if (source.has_value()) {
    MutexLock lock(result->mutex_);
    result->source_ = std::move(source);
    result->task_ = task;
  }
  return result;
}

absl::StatusOr<std::shared_ptr<const RegisteredGraph>>
RegisteredGraph::ForPartialRuns(GraphRunner& runner) const {
  MutexLock lock(mutex_);
  if (source_.has_value()) {
    partial_ = Compile(*std::exchange(source_, std::nullopt), task_, runner,
                       Use::kPartialRuns);
  }
  return partial_;
}

absl::Status RegisteredGraph::CheckFeed(const WireTensor& feed) const {
  const auto found = feeds_.find(feed.name);
  if (found == feeds_.end()) {
    return BadKey("feed", feed.name, "is not one that the graph takes");
  }
  const DType dtype = found->second->dtype;
  if (feed.tensor.dtype() == dtype) return absl::OkStatus();
  return BadKey("feed", feed.name,
                absl::StrCat("is ", Name(dtype), " but the tensor is ",
                             Name(feed.tensor.dtype())));
}

absl::StatusOr<std::vector<Tensor>> RegisteredGraph::Arguments(
    WireTensors feeds) const {
  std::vector<Tensor> arguments(boundary_.feeds.size());
  for (WireTensor& feed : feeds) {
    LEAT_RETURN_IF_ERROR(CheckFeed(feed));
    const BoundaryKey& key = *feeds_.at(feed.name);
    Tensor& argument = arguments[static_cast<size_t>(key.index)];
    if (argument.IsValid()) return BadKey("feed", key.key, "was given twice");
    argument = std::move(feed.tensor);
  }
  for (const BoundaryKey& key : boundary_.feeds) {
    if (!arguments[static_cast<size_t>(key.index)].IsValid()) {
      return BadKey("feed", key.key, "was not given");
    }
  }
  return arguments;
}

absl::StatusOr<std::vector<int>> RegisteredGraph::Returns(
    absl::Span<const std::string* const> keys) const {
  std::vector<int> returns;
  // If there are more keys than return values, the loop ends early, at a key
  // that is unknown or comes twice.
  returns.reserve(std::min(keys.size(), num_returns()));
  std::vector<bool> taken(num_returns());
  for (const std::string* const key : keys) {
    const auto found = fetches_.find(*key);
    if (found == fetches_.end()) {
      return BadKey("fetch", *key, "is not one that the graph gives");
    }
    const auto index = static_cast<size_t>(found->second->index);
    if (taken[index]) return BadKey("fetch", *key, "was asked for twice");
    taken[index] = true;
    returns.push_back(found->second->index);
  }
  return returns;
}

}  // namespace leat
