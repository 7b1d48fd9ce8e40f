// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/graph_validation.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

std::string NodeIn(const std::string& function, const std::string& node) {
  return absl::StrCat("function '", function, "', node '", node, "'");
}

// Collects the calls between the functions of a graph and makes the checks that
// need these calls.
class CallGraph {
 public:
  explicit CallGraph(const Graph& graph) : graph_(graph) {
    for (const auto& [name, function] : graph.functions().functions()) {
      index_.emplace(name, static_cast<int>(entries_.size()));
      entries_.emplace_back();
      entries_.back().function = function.get();
    }
  }

  // Validates the functions, and the nodes from `first` on. Sets `called` to
  // the number of nodes that inlining all calls adds to these nodes.
  absl::Status Validate(NodeId first, int64_t called_before,
                        const FunctionLimits& limits, int64_t& called) {
    for (Entry& entry : entries_) FindCalls(entry);
    for (int i = 0; i < static_cast<int>(entries_.size()); ++i) {
      LEAT_RETURN_IF_ERROR(Measure(i, limits.max_nesting));
    }
    LEAT_RETURN_IF_ERROR(MeasureNodes(first, called));
    LEAT_RETURN_IF_ERROR(CheckSize(
        SaturatingAdd(graph_.num_nodes(), SaturatingAdd(called_before, called)),
        limits));
    return CheckReached();
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  struct Entry {
    const Function* function = nullptr;
    std::vector<int> calls = {};  // indices into entries_, one per call
    absl::Status problem = {};    // to report if the function is called
    State state = State::kNew;
    int nesting = 1;
    int64_t nodes = 0;     // with every call inlined
    bool reached = false;  // the graph calls it, directly or indirectly
  };

  // Returns the index of a function in entries_, or -1 if there is none.
  int Find(const std::string& name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? -1 : it->second;
  }

  // Collects the calls that a node makes. Returns an error if the node names a
  // function or an op that does not exist.
  absl::Status CallsOf(const std::string& op_name, const AttrMap& attrs,
                       const std::string& where,
                       std::vector<int>& calls) const {
    absl::Status status;
    const int called = Find(op_name);
    const OpDef* op = graph_.ops().Find(op_name);
    if (called >= 0) {
      op = &entries_[called].function->signature;
      calls.push_back(called);
    } else if (op == nullptr) {
      status = graph_.ops().Lookup(op_name).status();
      status = absl::Status(status.code(),
                            absl::StrCat(where, ": ", status.message()));
    }
    // If an op is only in the op table and not registered, Leat never runs it.
    // So its functions are never called.
    if (called < 0 && !graph_.ops().IsRegistered(op_name)) return status;
    ForEachFunctionRef(
        op, attrs, [&](const std::string& attr, const FunctionRef& function) {
          const int entry = Find(function.name);
          if (entry >= 0) {
            calls.push_back(entry);
          } else if (status.ok()) {
            status = absl::InvalidArgumentError(absl::StrCat(
                where, " (op ", op_name, "), attr '", attr, "': function '",
                function.name, "' is not in the library"));
          }
        });
    return status;
  }

  void FindCalls(Entry& entry) {
    const std::string& name = entry.function->signature.name;
    for (const FunctionNode& node : entry.function->nodes) {
      const absl::Status status =
          CallsOf(node.op, node.attrs, NodeIn(name, node.name), entry.calls);
      if (entry.problem.ok()) entry.problem = status;
    }
    entry.nodes = static_cast<int64_t>(entry.function->nodes.size());
  }

  // Measures the function `root` and all functions that it calls, depth first,
  // with an explicit stack. Fails for calls that nest too deep. Skips calls
  // that lead back to a function whose callees are being measured, because a
  // step makes the calls of a recursive function at run time.
  absl::Status Measure(int root, int max_nesting) {
    if (entries_[root].state != State::kNew) return absl::OkStatus();
    struct Position {
      int entry = 0;
      size_t next = 0;
    };
    std::vector<Position> stack = {Position{root, 0}};
    entries_[root].state = State::kOpen;
    while (!stack.empty()) {
      Entry& entry = entries_[stack.back().entry];
      if (stack.back().next == entry.calls.size()) {
        LEAT_RETURN_IF_ERROR(Finish(entry, max_nesting));
        stack.pop_back();
        continue;
      }
      const int called = entry.calls[stack.back().next++];
      if (entries_[called].state == State::kNew) {
        entries_[called].state = State::kOpen;
        stack.push_back(Position{called, 0});
      }
    }
    return absl::OkStatus();
  }

  // Computes `nesting` and `nodes` of a function from the values of its
  // callees. Skips callees that are still being measured.
  absl::Status Finish(Entry& entry, int max_nesting) {
    for (const int called : entry.calls) {
      if (entries_[called].state == State::kOpen) continue;
      entry.nesting = std::max(entry.nesting, entries_[called].nesting + 1);
      entry.nodes = SaturatingAdd(entry.nodes, entries_[called].nodes);
    }
    entry.state = State::kDone;
    if (entry.nesting <= max_nesting) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "function '", entry.function->signature.name, "' nests calls ",
        entry.nesting, " deep; the limit is ", max_nesting, " (max_nesting)"));
  }

  // Sets `added` to the number of nodes that inlining adds to the nodes from
  // `first` on. Marks the functions that these nodes call directly.
  absl::Status MeasureNodes(NodeId first, int64_t& added) {
    added = 0;
    for (NodeId id = first; id < graph_.num_ids(); ++id) {
      if (!graph_.Contains(id)) continue;
      const Node& node = graph_.node(id);
      std::vector<int> calls;
      LEAT_RETURN_IF_ERROR(CallsOf(node.op(), node.attrs(),
                                   absl::StrCat("node '", node.name(), "'"),
                                   calls));
      for (const int called : calls) {
        added = SaturatingAdd(added, entries_[called].nodes);
        if (!std::exchange(entries_[called].reached, true)) {
          reached_.push_back(called);
        }
      }
    }
    return absl::OkStatus();
  }

  // Checks that the graph stays within limits.max_nodes once all calls are
  // inlined. `nodes` is the number of nodes that it then has.
  static absl::Status CheckSize(int64_t nodes, const FunctionLimits& limits) {
    if (nodes <= limits.max_nodes) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "the graph has ",
        nodes == kUnbounded ? "over 2^63" : absl::StrCat(nodes),
        " nodes once its function calls are inlined; the limit is ",
        limits.max_nodes, " (max_graph_nodes)"));
  }

  // Marks as reached all functions that a reached function calls. Returns the
  // first `problem` of a reached function.
  absl::Status CheckReached() {
    while (!reached_.empty()) {
      const Entry& entry = entries_[reached_.back()];
      reached_.pop_back();
      LEAT_RETURN_IF_ERROR(entry.problem);
      for (const int called : entry.calls) {
        if (!std::exchange(entries_[called].reached, true)) {
          reached_.push_back(called);
        }
      }
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<absl::string_view, int> index_;
  std::vector<int> reached_;
};

void VisitFunctionRef(
    const std::string& attr, const FunctionRef& function,
    absl::FunctionRef<void(const std::string&, const FunctionRef&)> visit) {
  visit(attr, function);
  // This recursion ends, because AttrMapFromProto limits how deeply functions
  // nest in the attrs of other functions.
  if (function.attrs != nullptr) {
    ForEachFunctionRef(nullptr, *function.attrs, visit);
  }
}

}  // namespace

absl::Status CheckConstant(const AttrMap& attrs) {
  const AttrValue* value = attrs.Find("value");
  const AttrValue* dtype = attrs.Find("dtype");
  const Tensor* tensor = value ? std::get_if<Tensor>(value) : nullptr;
  const DType* type = dtype ? std::get_if<DType>(dtype) : nullptr;
  if (tensor == nullptr || type == nullptr || tensor->dtype() == *type) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("attr 'value' is a tensor of type ", Name(tensor->dtype()),
                   ", but attr 'dtype' is ", Name(*type)));
}

absl::Status ValidateControlFlow(const Graph& graph) {
  return FindFrames(graph).status();
}

absl::Status ValidateFunctions(const Graph& graph,
                               const FunctionLimits& limits) {
  int64_t called = 0;
  return ValidateAddedCalls(graph, 0, 0, limits, called);
}

absl::Status ValidateAddedCalls(const Graph& graph, NodeId first,
                                int64_t called_before,
                                const FunctionLimits& limits, int64_t& called) {
  return CallGraph(graph).Validate(first, called_before, limits, called);
}

void ForEachFunctionRef(
    const OpDef* op, const AttrMap& attrs,
    absl::FunctionRef<void(const std::string&, const FunctionRef&)> visit) {
  for (const auto& [name, value] : attrs) {
    const auto* one = std::get_if<FunctionRef>(&value);
    const auto* many = std::get_if<std::vector<FunctionRef>>(&value);
    if (one == nullptr && many == nullptr) continue;
    if (op != nullptr && op->FindAttr(name) == nullptr) continue;
    if (one != nullptr) VisitFunctionRef(name, *one, visit);
    if (many == nullptr) continue;
    for (const FunctionRef& function : *many) {
      VisitFunctionRef(name, function, visit);
    }
  }
}

}  // namespace leat
