// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/plan_function.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/graph.h"

namespace leat {
namespace {

// Returns the function `name` under another name. Nothing calls the copy, so
// its body is inlined even if the function is recursive.
absl::StatusOr<Function> Renamed(const FunctionLibrary& library,
                                 const std::string& name) {
  const Function* const function = library.Find(name);
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", name, "' is not in the library"));
  }
  Function copy = *function;
  copy.signature.name = absl::StrCat(name, "/inlined");
  while (library.Find(copy.signature.name) != nullptr) {
    copy.signature.name += "_";
  }
  return copy;
}

// Adds a placeholder for argument `i` of the function.
absl::StatusOr<NodeId> AddArgument(const FunctionToPlan& wanted, size_t i,
                                   Graph& graph) {
  NodeDef def;
  def.name = absl::StrCat("arg_", i);
  LEAT_ASSIGN_OR_RETURN(def.op, graph.ops().Lookup("Placeholder"));
  def.attrs.Set("dtype", BaseOf(wanted.arg_types[i]));
  def.device = std::string(wanted.device);
  if (!wanted.arg_devices.empty() && !wanted.arg_devices[i].empty()) {
    def.device = wanted.arg_devices[i];
  }
  return graph.Add(std::move(def), {}, {});
}

// Adds a node that calls `function`.
absl::StatusOr<NodeId> AddCall(const FunctionToPlan& wanted,
                               const std::string& function,
                               absl::Span<const Endpoint> args, Graph& graph) {
  NodeDef def;
  // The names of functions may begin with a character that those of nodes may
  // not begin with.
  const absl::string_view name = wanted.function.name;
  const bool is_node_name = !name.empty() && absl::ascii_isalpha(name[0]);
  def.name = graph.UniqueName(is_node_name ? std::string(name)
                                           : absl::StrCat("function", name));
  LEAT_ASSIGN_OR_RETURN(def.op, graph.ops().Lookup("StatefulPartitionedCall"));
  const auto base = [](absl::Span<const DType> types) {
    std::vector<DType> result(types.begin(), types.end());
    for (DType& type : result) type = BaseOf(type);
    return result;
  };
  def.attrs.Set("Tin", base(wanted.arg_types));
  def.attrs.Set("Tout", base(wanted.return_types));
  def.attrs.Set("f",
                FunctionRef{.name = function, .attrs = wanted.function.attrs});
  def.device = std::string(wanted.device);
  return graph.Add(std::move(def), args, {});
}

}  // namespace

absl::StatusOr<StepPlan> PlanFunction(const FunctionToPlan& wanted,
                                      absl::Span<const DeviceInfo> devices,
                                      const PrepareOptions& prepare,
                                      const PlanOptions& plan) {
  LEAT_ASSIGN_OR_RETURN(Function body,
                        Renamed(wanted.library, wanted.function.name));
  const std::string name = body.signature.name;
  Graph graph(wanted.ops);
  graph.functions() = wanted.library;
  LEAT_RETURN_IF_ERROR(
      graph.functions().Add(std::make_shared<const Function>(std::move(body))));
  StepSignature signature;
  std::vector<Endpoint> args;
  for (size_t i = 0; i < wanted.arg_types.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(const NodeId arg, AddArgument(wanted, i, graph));
    args.push_back({arg, 0});
    signature.feeds.push_back(graph.node(arg).name());
  }
  LEAT_ASSIGN_OR_RETURN(const NodeId call, AddCall(wanted, name, args, graph));
  const std::string& call_name = graph.node(call).name();
  for (size_t i = 0; i < wanted.return_types.size(); ++i) {
    signature.fetches.push_back(absl::StrCat(call_name, ":", i));
  }
  signature.targets = {call_name};
  LEAT_ASSIGN_OR_RETURN(const Graph prepared,
                        PrepareGraph(graph, devices, prepare));
  return PlanStep(prepared, std::move(signature), devices, plan);
}

}  // namespace leat
