// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/placer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/colocation.h"

namespace leat {
namespace {

std::string ListDevices(absl::Span<const DeviceInfo> devices) {
  return absl::StrJoin(devices, ", ",
                       [](std::string* out, const DeviceInfo& device) {
                         out->append(device.name);
                       });
}

// Returns an INVALID_ARGUMENT error that says, in TensorFlow's words, that the
// node cannot be placed. `status` is the reason.
absl::Status CannotPlace(const Node& node, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat("Cannot assign a device for operation ", node.name(), ": ",
                   status.message(), "\n\t(op ", node.op(), ")"));
}

// Makes the PlacementProblem of a graph.
class ConstraintCollector {
 public:
  ConstraintCollector(const Graph& graph, absl::Span<const DeviceInfo> devices,
                      const PlacerOptions& options)
      : graph_(graph), options_(options) {
    problem_.graph = &graph;
    problem_.num_placed = options.num_placed;
    problem_.devices.assign(devices.begin(), devices.end());
    for (const DeviceInfo& device : devices) {
      // The names of Leat's own devices can always be parsed.
      names_.push_back(DeviceName::Parse(device.name).value());
      is_foreign_.push_back(absl::c_linear_search(
          options.foreign_tasks, TaskOf(names_.back()).ToString()));
    }
  }

  absl::StatusOr<PlacementProblem> Collect() {
    LEAT_ASSIGN_OR_RETURN(const std::vector<NodeId> group_of,
                          ColocationGroups(graph_));
    problem_.group_of.assign(graph_.num_ids(), -1);
    std::vector<int> group_at(graph_.num_ids(), -1);
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id)) continue;
      int& group = group_at[group_of[id]];
      if (group < 0) {
        group = static_cast<int>(problem_.groups.size());
        problem_.groups.push_back({.first = id});
        requests_.emplace_back();
        requesters_.push_back(id);
        types_.push_back(nullptr);
        lacks_kernel_.push_back(false);
      }
      problem_.group_of[id] = group;
      LEAT_RETURN_IF_ERROR(AddNode(id, group));
    }
    LEAT_RETURN_IF_ERROR(AddRequests());
    for (size_t i = 0; i < problem_.groups.size(); ++i) {
      LEAT_RETURN_IF_ERROR(FindCandidates(static_cast<int>(i)));
    }
    return std::move(problem_);
  }

 private:
  // Lists device types that have a kernel, each with its negated priority, best
  // first.
  using Types = std::vector<std::pair<int, DeviceType>>;
  // Groups with equal keys share a set of candidates. The parts of the key are
  // the group's request, its device types, and true if one of the group's nodes
  // lacks a kernel.
  using CandidatesKey = std::tuple<std::string, const Types*, bool>;

  // Adds the node's assigned device and device types to its group.
  absl::Status AddNode(NodeId id, int group) {
    const Node& node = graph_.node(id);
    PlacementGroup& info = problem_.groups[group];
    ++info.num_nodes;
    if (node.device >= 0) {
      LEAT_RETURN_IF_ERROR(KeepPlaced(node, info));
    }
    const Types* types = TypesOf(node);
    if (types->empty()) {
      lacks_kernel_[group] = true;
      return absl::OkStatus();
    }
    if (types_[group] != nullptr && types_[group] != types) {
      types = Intersect(types_[group], types);
      if (types->empty()) {
        return CannotPlace(node,
                           absl::InvalidArgumentError(
                               "no device type has kernels for it and all "
                               "nodes it is colocated with"));
      }
    }
    types_[group] = types;
    return absl::OkStatus();
  }

  // Adds the requests of all nodes to their groups. As in TensorFlow, the
  // requests of nodes that are tied to an input come last. Such a request is
  // ignored if it contradicts the requests before it.
  absl::Status AddRequests() {
    std::vector<NodeId> yielding;
    for (NodeId id = 0; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id) || graph_.node(id).def->device.empty()) continue;
      if (IsTiedToInput(graph_, id)) {
        yielding.push_back(id);
      } else {
        LEAT_RETURN_IF_ERROR(AddRequest(id, /*yields=*/false));
      }
    }
    for (const NodeId id : yielding) {
      LEAT_RETURN_IF_ERROR(AddRequest(id, /*yields=*/true));
    }
    return absl::OkStatus();
  }

  // Merges the node's request into the request of its group. If the two
  // contradict each other, ignores the node's request if `yields` is true, and
  // otherwise returns an error.
  absl::Status AddRequest(NodeId id, bool yields) {
    const Node& node = graph_.node(id);
    const int group = problem_.group_of[id];
    PlacementGroup& info = problem_.groups[group];
    LEAT_ASSIGN_OR_RETURN(const DeviceName* request, Parse(node));
    auto merged = MergeDeviceNames(requests_[group], *request,
                                   options_.allow_soft_placement && !yields);
    if (!merged.ok()) {
      return yields ? absl::OkStatus() : CannotPlace(node, merged.status());
    }
    requests_[group] = *std::move(merged);
    if (!info.is_constrained) requesters_[group] = id;
    info.is_constrained = true;
    return absl::OkStatus();
  }

  // Makes the group keep the device that one of its nodes has already.
  absl::Status KeepPlaced(const Node& node, PlacementGroup& group) {
    const std::string& name = graph_.devices()[node.device];
    for (size_t i = 0; i < problem_.devices.size(); ++i) {
      if (problem_.devices[i].name != name) continue;
      if (group.placed >= 0 && group.placed != static_cast<int>(i)) {
        return CannotPlace(
            node, absl::InvalidArgumentError(absl::StrCat(
                      "it is on ", name, " but is colocated with nodes on ",
                      problem_.devices[group.placed].name)));
      }
      group.placed = static_cast<int>(i);
      return absl::OkStatus();
    }
    return CannotPlace(
        node, absl::InvalidArgumentError(
                  absl::StrCat("it was placed on ", name, ", which is gone")));
  }

  // Returns the node's parsed request. The result is valid until this object is
  // destroyed.
  absl::StatusOr<const DeviceName*> Parse(const Node& node) {
    auto found = parsed_.find(node.def->device);
    if (found == parsed_.end()) {
      auto parsed = DeviceName::Parse(node.def->device);
      if (!parsed.ok()) return CannotPlace(node, parsed.status());
      found = parsed_.emplace(node.def->device, *std::move(parsed)).first;
    }
    return &found->second;
  }

  // Returns a pointer that is the same for equal lists.
  const Types* Intern(Types types) {
    return &*interned_.insert(std::move(types)).first;
  }

  // Returns the device types that have a kernel for the node.
  const Types* TypesOf(const Node& node) {
    Types types;
    for (const DeviceType& type : {DeviceType(kGpu), DeviceType(kCpu)}) {
      const KernelSignature* signature =
          graph_.ops().FindSignature(node.op(), type, node.attrs());
      if (signature != nullptr) types.emplace_back(-signature->priority, type);
    }
    std::stable_sort(
        types.begin(), types.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    return Intern(std::move(types));
  }

  // Returns the device types in both lists, in the order of `a`, each with the
  // higher one of its two priorities.
  const Types* Intersect(const Types* a, const Types* b) {
    Types both;
    for (const auto& entry : *a) {
      for (const auto& other : *b) {
        if (entry.second == other.second) {
          both.emplace_back(std::min(entry.first, other.first), entry.second);
        }
      }
    }
    return Intern(std::move(both));
  }

  // Returns the devices that the request and the types allow, best first.
  std::vector<int> Allowed(const DeviceName& request, const Types& types,
                           bool only_foreign) {
    std::vector<int> allowed;
    for (const auto& [priority, type] : types) {
      for (size_t i = 0; i < names_.size(); ++i) {
        if (only_foreign && !is_foreign_[i]) continue;
        if (problem_.devices[i].type == type && request.Matches(names_[i])) {
          allowed.push_back(static_cast<int>(i));
        }
      }
    }
    // Within a device type, the devices of the master's task come first.
    const auto is_local = [&](int device) {
      return TaskOf(names_[device]) == TaskOf(names_[0]);
    };
    std::stable_sort(allowed.begin(), allowed.end(), [&](int a, int b) {
      return problem_.devices[a].type == problem_.devices[b].type &&
             is_local(a) > is_local(b);
    });
    return allowed;
  }

  // Returns the result of Allowed. If this is empty and soft placement is
  // allowed, returns all devices of the requested task that the types allow.
  std::vector<int> AllowedOrSoft(const DeviceName& request, const Types& types,
                                 bool only_foreign) {
    std::vector<int> allowed = Allowed(request, types, only_foreign);
    if (allowed.empty() && options_.allow_soft_placement) {
      allowed = Allowed(TaskOf(request), types, only_foreign);
    }
    return allowed;
  }

  // Sets the candidates of a group. Fails if there are none.
  absl::Status FindCandidates(int group) {
    PlacementGroup& info = problem_.groups[group];
    const DeviceName& request = requests_[group];
    // If no node of the group has a kernel, no step can run the nodes anyway.
    const bool has_no_kernel = types_[group] == nullptr;
    if (has_no_kernel) types_[group] = Intern({{0, kCpu}, {0, kGpu}});
    const CandidatesKey key(request.ToString(), types_[group],
                            lacks_kernel_[group]);
    if (auto found = candidates_of_.find(key); found != candidates_of_.end()) {
      info.candidates = found->second;
      return absl::OkStatus();
    }
    std::vector<int> allowed;
    if (lacks_kernel_[group] && request.job.has_value()) {
      // A foreign task may have the kernel that Leat lacks.
      allowed = AllowedOrSoft(request, {{0, kCpu}}, /*only_foreign=*/true);
    }
    if (allowed.empty()) {
      allowed = AllowedOrSoft(request, *types_[group], /*only_foreign=*/false);
    }
    if (allowed.empty() && has_no_kernel) {
      allowed = Allowed(TaskOf(request), *types_[group], false);
    }
    if (allowed.empty() && has_no_kernel) {
      allowed = Allowed(DeviceName(), *types_[group], false);
    }
    if (allowed.empty()) return NoDeviceError(group);
    // Groups with different keys share a set if it has the same devices.
    const auto [set, is_new] = sets_.try_emplace(
        std::move(allowed), static_cast<int>(problem_.candidates.size()));
    if (is_new) problem_.candidates.push_back(set->first);
    info.candidates = set->second;
    candidates_of_.emplace(key, info.candidates);
    return absl::OkStatus();
  }

  // Returns the error, in TensorFlow's words, for a group whose request no
  // device satisfies.
  absl::Status NoDeviceError(int group) const {
    const Node& node = graph_.node(requesters_[group]);
    const std::string request = requests_[group].ToString();
    for (const DeviceName& name : names_) {
      if (!requests_[group].Matches(name)) continue;
      return CannotPlace(
          node,
          absl::InvalidArgumentError(absl::StrCat(
              "Could not satisfy explicit device specification '", request,
              "' because no supported kernel for ", name.type.value_or(""),
              " devices is available; there are kernels for ",
              absl::StrJoin(*types_[group], ", ",
                            [](std::string* out, const auto& type) {
                              out->append(type.second);
                            }),
              ", and the devices are [ ", ListDevices(problem_.devices),
              " ]")));
    }
    return CannotPlace(
        node,
        absl::InvalidArgumentError(absl::StrCat(
            "{{node ", node.name(), "}} was explicitly assigned to ", request,
            " but available devices are [ ", ListDevices(problem_.devices),
            " ]. Make sure the device specification refers to a valid "
            "device.")));
  }

  const Graph& graph_;
  const PlacerOptions& options_;
  PlacementProblem problem_;
  std::vector<DeviceName> names_;     // of the devices
  std::vector<bool> is_foreign_;      // by device
  std::vector<DeviceName> requests_;  // by group
  std::vector<NodeId> requesters_;    // by group: the first node with a request
  std::vector<const Types*> types_;   // by group
  std::vector<bool> lacks_kernel_;    // by group: a node has no kernel
  std::set<Types> interned_;
  absl::flat_hash_map<std::string, DeviceName> parsed_;  // by request
  // The values of `candidates_of_` and of `sets_` are indices into
  // problem_.candidates.
  absl::flat_hash_map<CandidatesKey, int> candidates_of_;
  std::map<std::vector<int>, int> sets_;
};

}  // namespace

absl::Status PlaceGraph(Graph& graph, absl::Span<const DeviceInfo> devices,
                        const PlacerOptions& options) {
  if (devices.empty()) {
    return absl::InvalidArgumentError("there are no devices to place nodes on");
  }
  LEAT_ASSIGN_OR_RETURN(const PlacementProblem problem,
                        ConstraintCollector(graph, devices, options).Collect());
  LEAT_ASSIGN_OR_RETURN(const std::vector<int> chosen, options.policy(problem));
  std::vector<int> interned;
  for (const DeviceInfo& device : devices) {
    interned.push_back(graph.InternDevice(device.name));
  }
  for (NodeId id = 0; id < graph.num_ids(); ++id) {
    if (!graph.Contains(id)) continue;
    graph.mutable_node(id).device = interned[chosen[problem.group_of[id]]];
  }
  return ColocateControlFlow(graph, [&](NodeId id, int device) {
    const PlacementGroup& group = problem.groups[problem.group_of[id]];
    if (group.num_nodes > 1 || group.placed >= 0) return false;
    for (const int candidate : problem.candidates[group.candidates]) {
      if (interned[candidate] == device) return true;
    }
    return false;
  });
}

}  // namespace leat
