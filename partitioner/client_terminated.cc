// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/client_terminated.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/node_error.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/rendezvous_attrs.h"
#include "leat/partitioner/internal_node.h"

namespace leat {
namespace {

constexpr char kClientTerminated[] = "client_terminated";

bool IsRecv(const Node& node) {
  return node.op() == "_Recv" || node.op() == "_HostRecv";
}
bool IsSend(const Node& node) {
  return node.op() == "_Send" || node.op() == "_HostSend";
}
bool IsArg(const Node& node) { return node.op() == "_Arg"; }
bool IsRetval(const Node& node) { return node.op() == "_Retval"; }

// Returns attr `name` of the node. Returns INVALID_ARGUMENT if the attr is
// missing or has another type.
template <class T>
absl::StatusOr<T> Get(const Node& node, absl::string_view name) {
  absl::StatusOr<T> value = node.attrs().Get<T>(name);
  if (!value.ok()) return NodeError(*node.def, value.status().message());
  return value;
}

absl::StatusOr<bool> IsClientTerminated(const Node& node) {
  if (!IsRecv(node) && !IsSend(node)) return false;
  if (!node.attrs().Has(kClientTerminated)) return false;
  return Get<bool>(node, kClientTerminated);
}

// Returns the text of the rendezvous key that the node has outside of loops.
// Returns INVALID_ARGUMENT if the key is malformed.
absl::StatusOr<std::string> KeyText(const Node& node) {
  const absl::StatusOr<RendezvousKey> key = RendezvousKeyOf(node.attrs());
  if (!key.ok()) return NodeError(*node.def, key.status().message());
  std::string text = key->ToString();
  if (const auto parsed = RendezvousKey::Parse(text); !parsed.ok()) {
    return NodeError(*node.def, parsed.status().message());
  }
  return text;
}

// Returns INVALID_ARGUMENT if one of the two devices in the node's key does not
// belong to the node's own task. A tensor that is fed or fetched never leaves
// the task, because its other end is a RunGraph call to the same task.
absl::Status CheckDevices(const Node& node, const std::string& node_device) {
  const auto own = DeviceName::Parse(node_device);
  if (!own.ok()) return NodeError(*node.def, own.status().message());
  for (const char* attr : {"send_device", "recv_device"}) {
    LEAT_ASSIGN_OR_RETURN(const std::string name, Get<std::string>(node, attr));
    const auto device = DeviceName::Parse(name);
    if (!device.ok()) return NodeError(*node.def, device.status().message());
    if (!device->IsFull() || !TaskOf(*own).Matches(*device)) {
      return NodeError(*node.def,
                       absl::StrCat("ends at the client, but its ", attr, " '",
                                    name, "' is no device of the task",
                                    " it is on, '", node_device, "'"));
    }
  }
  return absl::OkStatus();
}

// Implements RecvsToArgs. All replacements are collected first, so that the
// graph stays unchanged on an error.
class RecvReplacer {
 public:
  explicit RecvReplacer(Graph& graph) : graph_(graph) {}

  absl::StatusOr<Boundary> Replace() {
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id)) continue;
      const Node& node = graph_.node(id);
      if (IsArg(node) || IsRetval(node)) {
        return NodeError(*node.def,
                         "a graph that is registered with a task must have "
                         "_Recv and _Send nodes for its feeds and fetches");
      }
      LEAT_ASSIGN_OR_RETURN(const bool is_boundary, IsClientTerminated(node));
      if (is_boundary) LEAT_RETURN_IF_ERROR(Add(id));
    }
    LEAT_RETURN_IF_ERROR(CheckLoops());
    for (auto& [id, def] : replacements_) graph_.Replace(id, std::move(def));
    return std::move(boundary_);
  }

 private:
  // Collects the replacement of a client-terminated node.
  absl::Status Add(NodeId id) {
    const Node& node = graph_.node(id);
    const bool is_feed = IsRecv(node);
    LEAT_ASSIGN_OR_RETURN(const DType dtype,
                          Get<DType>(node, is_feed ? "tensor_type" : "T"));
    LEAT_ASSIGN_OR_RETURN(std::string key, KeyText(node));
    LEAT_RETURN_IF_ERROR(CheckDevices(
        node, node.device >= 0 ? graph_.AssignedDevice(id) : node.def->device));
    if (!(is_feed ? fed_ : fetched_).insert(key).second) {
      return NodeError(*node.def,
                       absl::StrCat("another ", is_feed ? "feed" : "fetch",
                                    " has its key ", key));
    }
    std::vector<BoundaryKey>& keys =
        is_feed ? boundary_.feeds : boundary_.fetches;
    const int index = static_cast<int>(keys.size());
    keys.push_back({std::move(key), index, dtype});
    NodeDef def{.name = node.name(), .device = node.def->device};
    def.attrs.Set("T", dtype);
    def.attrs.Set("index", static_cast<int64_t>(index));
    auto replacement = InternalNodeDef(is_feed ? "_Arg" : "_Retval",
                                       std::move(def), graph_.ops());
    if (!replacement.ok()) return replacement.status();
    replacements_.emplace_back(id, *std::move(replacement));
    return absl::OkStatus();
  }

  // Returns INVALID_ARGUMENT if a feed or a fetch is inside of a loop. A feed
  // or fetch has one value in a step, but a tensor in a loop has one per
  // iteration.
  absl::Status CheckLoops() const {
    if (replacements_.empty()) return absl::OkStatus();
    LEAT_ASSIGN_OR_RETURN(const Frames frames, FindFrames(graph_));
    for (const auto& [id, def] : replacements_) {
      const int32_t frame = frames.of_inputs[id];
      if (frame == Frames::kRoot) continue;
      return NodeError(
          *graph_.node(id).def,
          absl::StrCat("ends at the client, but is inside of loop '",
                       frames.frames[frame].name, "'"));
    }
    return absl::OkStatus();
  }

  Graph& graph_;
  Boundary boundary_;
  std::vector<std::pair<NodeId, std::shared_ptr<const NodeDef>>> replacements_;
  absl::flat_hash_set<std::string> fed_, fetched_;  // keys
};

// Implements ArgsToRecvs.
class ArgReplacer {
 public:
  ArgReplacer(const StepSignature& signature,
              absl::Span<const DeviceInfo> devices, Graph& part)
      : signature_(signature), part_(part) {
    for (const DeviceInfo& device : devices) {
      incarnations_.emplace(device.name, device.incarnation);
    }
  }

  absl::StatusOr<Boundary> Replace() {
    const int num_ids = part_.num_ids();
    std::vector<NodeId> moved_to(num_ids, kNoNode);
    for (NodeId id = 0; id < num_ids; ++id) {
      if (!part_.Contains(id)) continue;
      const Node& node = part_.node(id);
      if (!IsArg(node) && !IsRetval(node)) continue;
      LEAT_ASSIGN_OR_RETURN(moved_to[id], AddInPlaceOf(id));
    }
    Rewire(moved_to);
    const auto by_index = [](const BoundaryKey& a, const BoundaryKey& b) {
      return a.index < b.index;
    };
    std::sort(boundary_.feeds.begin(), boundary_.feeds.end(), by_index);
    std::sort(boundary_.fetches.begin(), boundary_.fetches.end(), by_index);
    return std::move(boundary_);
  }

 private:
  // Adds the node that takes the place of _Arg or _Retval `id`, with the same
  // inputs and control edges.
  absl::StatusOr<NodeId> AddInPlaceOf(NodeId id) {
    const Node node = part_.node(id);  // a copy, because Add moves nodes
    const bool is_feed = IsArg(node);
    const std::vector<std::string>& names =
        is_feed ? signature_.feeds : signature_.fetches;
    LEAT_ASSIGN_OR_RETURN(const DType dtype, Get<DType>(node, "T"));
    LEAT_ASSIGN_OR_RETURN(const int64_t index, Get<int64_t>(node, "index"));
    if (index < 0 || index >= static_cast<int64_t>(names.size())) {
      return NodeError(
          *node.def,
          absl::StrCat("index ", index, " is not one of the ", names.size(),
                       is_feed ? " feeds" : " fetches"));
    }
    const std::string& tensor = names[static_cast<size_t>(index)];
    LEAT_ASSIGN_OR_RETURN(NodeDef def, Ends(id, tensor, index));
    def.attrs.Set(is_feed ? "tensor_type" : "T", dtype);
    LEAT_ASSIGN_OR_RETURN(const TensorId source, TensorId::Parse(tensor));
    def.name = part_.UniqueName(absl::StrCat(is_feed ? "_recv_" : "_send_",
                                             source.node, "_", source.index));
    LEAT_ASSIGN_OR_RETURN(const NodeId added,
                          AddInternalNode(is_feed ? "_Recv" : "_Send",
                                          std::move(def), node.device, part_));
    Node& end = part_.mutable_node(added);
    end.inputs = node.inputs;
    end.controls = node.controls;
    LEAT_ASSIGN_OR_RETURN(std::string key, KeyText(end));
    (is_feed ? boundary_.feeds : boundary_.fetches)
        .push_back({std::move(key), static_cast<int>(index), dtype});
    return added;
  }

  // Returns a NodeDef with the attrs that a _Send and a _Recv have in common.
  absl::StatusOr<NodeDef> Ends(NodeId id, const std::string& tensor,
                               int64_t index) {
    const Node& node = part_.node(id);
    const std::string& device = part_.AssignedDevice(id);
    const auto incarnation = incarnations_.find(device);
    if (incarnation == incarnations_.end()) {
      return NodeError(*node.def,
                       absl::StrCat("it is on '", device,
                                    "', which is not a device of this step"));
    }
    std::string name = tensor;
    if (IsRetval(node) && !fetched_.insert(tensor).second) {
      absl::StrAppend(&name, "#", index);
    }
    NodeDef def;
    def.attrs.Set("tensor_name", std::move(name));
    def.attrs.Set("send_device", device);
    def.attrs.Set("recv_device", device);
    def.attrs.Set("send_device_incarnation",
                  static_cast<int64_t>(incarnation->second));
    def.attrs.Set(kClientTerminated, true);
    return def;
  }

  // Makes the edges from a replaced node `id` come from moved_to[id] instead.
  // Then removes the replaced nodes.
  void Rewire(const std::vector<NodeId>& moved_to) {
    const auto follow = [&](NodeId& id) {
      const bool moved =
          id < static_cast<int>(moved_to.size()) && moved_to[id] != kNoNode;
      if (moved) id = moved_to[id];
      return moved;
    };
    for (NodeId id = 0; id < part_.num_ids(); ++id) {
      if (!part_.Contains(id)) continue;
      Node& node = part_.mutable_node(id);
      for (Endpoint& input : node.inputs) follow(input.node);
      bool controls_moved = false;
      for (NodeId& control : node.controls) {
        controls_moved = follow(control) || controls_moved;
      }
      if (controls_moved) {
        std::sort(node.controls.begin(), node.controls.end());
      }
    }
    for (size_t id = 0; id < moved_to.size(); ++id) {
      if (moved_to[id] != kNoNode) part_.Remove(static_cast<NodeId>(id));
    }
  }

  const StepSignature& signature_;
  Graph& part_;
  Boundary boundary_;
  absl::flat_hash_map<std::string, uint64_t> incarnations_;  // by device
  absl::flat_hash_set<std::string> fetched_;                 // names of tensors
};

}  // namespace

absl::StatusOr<Boundary> RecvsToArgs(Graph& graph) {
  return RecvReplacer(graph).Replace();
}

absl::StatusOr<Boundary> ArgsToRecvs(const StepSignature& signature,
                                     absl::Span<const DeviceInfo> devices,
                                     Graph& part) {
  return ArgReplacer(signature, devices, part).Replace();
}

}  // namespace leat
