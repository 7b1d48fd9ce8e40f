// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/analysis/equal.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace leat {
namespace {

bool SameBits(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

bool IsEmptyList(const AttrValue& value) {
  return std::visit(
      [](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (internal::kIsVector<T>) return v.empty();
        return std::is_same_v<T, EmptyList>;
      },
      value);
}

// Returns the nodes of a graph, sorted by name.
std::map<absl::string_view, NodeId> NodesByName(const Graph& graph) {
  std::map<absl::string_view, NodeId> result;
  for (const NodeId id : graph.NodeIds()) {
    result.emplace(graph.node(id).name(), id);
  }
  return result;
}

std::set<absl::string_view> ControlNames(const Graph& graph, const Node& node) {
  std::set<absl::string_view> names;
  for (const NodeId control : node.controls) {
    names.insert(graph.Contains(control) ? graph.node(control).name()
                                         : absl::string_view("(removed)"));
  }
  return names;
}

// Compares two graphs and collects a line of text for each difference.
class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b, const CompareOptions& options)
      : a_(a), b_(b), options_(options) {}

  std::string Run() {
    if (options_.versions) {
      Compare("", "producer", absl::StrCat(a_.producer),
              absl::StrCat(b_.producer));
      Compare("", "min_consumer", absl::StrCat(a_.min_consumer),
              absl::StrCat(b_.min_consumer));
    }
    const auto nodes_a = NodesByName(a_);
    const auto nodes_b = NodesByName(b_);
    for (const auto& [name, id] : nodes_a) {
      const auto it = nodes_b.find(name);
      if (it == nodes_b.end()) {
        Add(absl::StrCat("node '", name, "' (op ", a_.node(id).op(),
                         ") is only in the first"));
      } else {
        CompareNodes(a_.node(id), b_.node(it->second), id, it->second);
      }
    }
    for (const auto& [name, id] : nodes_b) {
      if (nodes_a.contains(name)) continue;
      Add(absl::StrCat("node '", name, "' (op ", b_.node(id).op(),
                       ") is only in the second"));
    }
    if (options_.functions) CompareFunctions();
    if (count_ > options_.max_differences) {
      absl::StrAppend(&text_, "... and ", count_ - options_.max_differences,
                      " more\n");
    }
    return std::move(text_);
  }

 private:
  void Add(absl::string_view line) {
    if (++count_ <= options_.max_differences)
      absl::StrAppend(&text_, line, "\n");
  }

  void Compare(absl::string_view node, absl::string_view what,
               absl::string_view a, absl::string_view b) {
    if (a == b) return;
    const std::string where =
        node.empty() ? std::string() : absl::StrCat("node '", node, "': ");
    Add(absl::StrCat(where, what, " is '", a, "' and '", b, "'"));
  }

  void CompareNodes(const Node& a, const Node& b, NodeId id_a, NodeId id_b) {
    const std::string& name = a.name();
    Compare(name, "op", a.op(), b.op());
    CompareAttrs(name, a, b);
    if (options_.devices) {
      Compare(name, "device", a.def->device, b.def->device);
      Compare(name, "assigned device", a_.AssignedDevice(id_a),
              b_.AssignedDevice(id_b));
    }
    Compare(name, "number of inputs", absl::StrCat(a.num_inputs()),
            absl::StrCat(b.num_inputs()));
    for (int i = 0; i < std::min(a.num_inputs(), b.num_inputs()); ++i) {
      Compare(name, absl::StrCat("input ", i), InputName(a_, a.inputs[i]),
              InputName(b_, b.inputs[i]));
    }
    const auto controls_a = ControlNames(a_, a);
    const auto controls_b = ControlNames(b_, b);
    if (controls_a != controls_b) {
      Compare(name, "control inputs", absl::StrJoin(controls_a, " "),
              absl::StrJoin(controls_b, " "));
    }
  }

  bool Counts(const Node& node, const std::string& attr) const {
    return options_.annotations || node.def->op->FindAttr(attr) != nullptr;
  }

  void CompareAttrs(const std::string& name, const Node& a, const Node& b) {
    for (const auto& [attr, value] : a.attrs()) {
      if (!Counts(a, attr)) continue;
      const AttrValue* other = b.attrs().Find(attr);
      if (other != nullptr && EqualAttrValues(value, *other)) continue;
      Add(absl::StrCat("node '", name, "': attr '", attr, "' is ",
                       DebugString(value), " and ",
                       other ? DebugString(*other) : "absent"));
    }
    for (const auto& [attr, value] : b.attrs()) {
      if (a.attrs().Has(attr) || !Counts(b, attr)) continue;
      Add(absl::StrCat("node '", name, "': attr '", attr, "' is absent and ",
                       DebugString(value)));
    }
  }

  void CompareFunctions() {
    for (const auto& [name, function] : a_.functions().functions()) {
      const Function* other = b_.functions().Find(name);
      if (other == nullptr) {
        Add(absl::StrCat("function '", name, "' is only in the first"));
      } else {
        CompareFunction(name, *function, *other);
      }
    }
    for (const auto& [name, function] : b_.functions().functions()) {
      if (a_.functions().Find(name) != nullptr) continue;
      Add(absl::StrCat("function '", name, "' is only in the second"));
    }
  }

  void CompareFunction(const std::string& name, const Function& a,
                       const Function& b) {
    if (Equal(a, b)) return;
    std::string what;
    if (!(a.signature == b.signature)) what = " in their signatures";
    if (a.returns != b.returns || a.control_returns != b.control_returns) {
      what = " in what they return";
    }
    const size_t nodes = std::min(a.nodes.size(), b.nodes.size());
    for (size_t i = 0; i < nodes && what.empty(); ++i) {
      if (a.nodes[i] == b.nodes[i]) continue;
      what = absl::StrCat(" in node ", i, ": '", a.nodes[i].name, "' and '",
                          b.nodes[i].name, "'");
    }
    if (what.empty() && a.nodes.size() != b.nodes.size()) {
      what =
          absl::StrCat(": ", a.nodes.size(), " and ", b.nodes.size(), " nodes");
    }
    if (what.empty()) what = " in their attrs";
    Add(absl::StrCat("functions '", name, "' differ", what));
  }

  const Graph& a_;
  const Graph& b_;
  const CompareOptions& options_;
  std::string text_;
  int count_ = 0;
};

}  // namespace

std::string Difference(const Graph& a, const Graph& b,
                       const CompareOptions& options) {
  return Comparison(a, b, options).Run();
}

bool EqualAttrValues(const AttrValue& a, const AttrValue& b) {
  if (IsEmptyList(a) && IsEmptyList(b)) {
    return a.index() == b.index() || std::holds_alternative<EmptyList>(a) ||
           std::holds_alternative<EmptyList>(b);
  }
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<float>(&a)) {
    return SameBits(*x, std::get<float>(b));
  }
  if (const auto* x = std::get_if<std::vector<float>>(&a)) {
    const auto& y = std::get<std::vector<float>>(b);
    return std::equal(x->begin(), x->end(), y.begin(), y.end(), SameBits);
  }
  return a == b;
}

std::string InputName(const Graph& graph, Endpoint endpoint) {
  const std::string name = graph.Contains(endpoint.node)
                               ? graph.node(endpoint.node).name()
                               : absl::StrCat("(removed ", endpoint.node, ")");
  return TensorId{name, endpoint.index}.ToString();
}

}  // namespace leat
