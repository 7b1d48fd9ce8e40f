// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements ValidateBody of graph_validation.h.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/node_error.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

// Checks the body of one function. Identifies each node by its position in the
// body.
class BodyValidator {
 public:
  BodyValidator(const Function& function, const OpRegistry& ops,
                const FunctionLibrary& functions)
      : function_(function), ops_(ops), functions_(functions) {}

  absl::Status Validate() {
    LEAT_RETURN_IF_ERROR(IndexNames());
    inputs_.resize(function_.nodes.size());
    for (int i = 0; i < static_cast<int>(function_.nodes.size()); ++i) {
      LEAT_RETURN_IF_ERROR(CheckInputs(i));
    }
    for (const auto& [output, tensor] : function_.returns) {
      int node = kArgument;
      const absl::Status status = CheckTensor(tensor, node);
      if (!status.ok()) return ReturnError(output, status.message());
    }
    for (const auto& [output, node] : function_.control_returns) {
      const auto it = index_.find(node);
      if (it == index_.end() || it->second < 0) {
        return ReturnError(
            output, absl::StrCat("the function has no node '", node, "'"));
      }
    }
    return CheckCycles();
  }

 private:
  static constexpr int kArgument = -1;

  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", function_.signature.name, "': ", message));
  }
  absl::Status ErrorAt(int node, absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", function_.signature.name, "', node '",
                     function_.nodes[node].name, "': ", message));
  }
  absl::Status ReturnError(absl::string_view output,
                           absl::string_view message) const {
    return Error(absl::StrCat("output '", output, "': ", message));
  }

  absl::Status IndexNames() {
    for (const ArgDef& arg : function_.signature.inputs) {
      index_.emplace(arg.name, kArgument);
    }
    for (int i = 0; i < static_cast<int>(function_.nodes.size()); ++i) {
      const std::string& name = function_.nodes[i].name;
      // IsValidNodeName does not accept a name that begins with an underscore,
      // but a body that was made from a graph may have such names. The "n" in
      // front makes them acceptable.
      if (!IsValidNodeName(absl::StrCat("n", name)) || name.empty()) {
        return ErrorAt(i, kBadNodeName);
      }
      if (!index_.emplace(name, i).second) {
        return ErrorAt(i, "an argument or node of this name exists");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckInputs(int i) {
    bool has_control = false;
    const std::vector<std::string>& inputs = function_.nodes[i].inputs;
    for (size_t k = 0; k < inputs.size(); ++k) {
      int from = kArgument;
      absl::string_view text = inputs[k];
      absl::Status status;
      if (!text.empty() && text[0] == '^') {
        has_control = true;
        const auto it = index_.find(text.substr(1));
        if (it == index_.end()) {
          status = absl::InvalidArgumentError(
              "the function has no node of this name");
        } else {
          from = it->second;
        }
      } else if (has_control) {
        status = absl::InvalidArgumentError(kDataAfterControl);
      } else {
        status = CheckTensor(text, from);
      }
      if (!status.ok()) {
        return ErrorAt(
            i, absl::StrCat("input ", k, " '", text, "': ", status.message()));
      }
      if (from != kArgument && !ClosesLoop(from, i)) {
        inputs_[i].push_back(from);
      }
    }
    return absl::OkStatus();
  }

  // Checks `text`, which names a tensor as "argument", "argument:0",
  // "node:output" or "node:output:0". Sets `node` to the position of the node
  // that the text names, or to kArgument if the text names an argument.
  absl::Status CheckTensor(absl::string_view text, int& node) const {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
    const auto it = index_.find(parts[0]);
    if (it == index_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the function has no argument or node '", parts[0], "'"));
    }
    node = it->second;
    const size_t max_parts = node == kArgument ? 2 : 3;
    const size_t min_parts = node == kArgument ? 1 : 2;
    if (parts.size() < min_parts || parts.size() > max_parts) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text,
                       "' is not of the form 'argument', 'argument:0', "
                       "'node:output' or 'node:output:0'"));
    }
    int index = 0;
    const auto is_number = [](absl::string_view text) {
      return std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
    };
    if (parts.size() == max_parts &&
        (!is_number(parts.back()) || !absl::SimpleAtoi(parts.back(), &index))) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", parts.back(), "' is not an output index"));
    }
    return node == kArgument ? absl::OkStatus()
                             : CheckOutput(node, parts[1], index);
  }

  absl::Status CheckOutput(int node, absl::string_view output,
                           int index) const {
    const std::string& name = function_.nodes[node].op;
    const Function* function = functions_.Find(name);
    const OpDef* op = function ? &function->signature : ops_.Find(name);
    if (op == nullptr) return absl::OkStatus();
    const auto arg = std::find_if(
        op->outputs.begin(), op->outputs.end(),
        [&](const ArgDef& candidate) { return candidate.name == output; });
    if (arg == op->outputs.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("op ", name, " has no output '", output, "'"));
    }
    if (!arg->number_attr.empty() || !arg->type_list_attr.empty() ||
        index == 0) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("output '", output, "' of op ", name,
                     " is a single tensor, so it has no tensor ", index));
  }

  bool ClosesLoop(int from, int to) const {
    return function_.nodes[from].op == "NextIteration" &&
           function_.nodes[to].op == "Merge";
  }

  // Checks that every cycle is a loop. Repeatedly removes the nodes that wait
  // for no remaining node. The nodes that remain at the end are on a cycle or
  // depend on one.
  absl::Status CheckCycles() const {
    const int size = static_cast<int>(inputs_.size());
    std::vector<std::vector<int>> consumers(inputs_.size());
    std::vector<int> pending(inputs_.size());
    std::vector<int> ready;
    for (int i = 0; i < size; ++i) {
      pending[i] = static_cast<int>(inputs_[i].size());
      if (pending[i] == 0) ready.push_back(i);
      for (const int from : inputs_[i]) consumers[from].push_back(i);
    }
    int done = 0;
    while (!ready.empty()) {
      const int i = ready.back();
      ready.pop_back();
      ++done;
      for (const int to : consumers[i]) {
        if (--pending[to] == 0) ready.push_back(to);
      }
    }
    if (done == size) return absl::OkStatus();
    const auto it = std::find_if(pending.begin(), pending.end(),
                                 [](int count) { return count > 0; });
    return ErrorAt(static_cast<int>(it - pending.begin()),
                   "it takes part in a cycle of nodes, or depends on one");
  }

  const Function& function_;
  const OpRegistry& ops_;
  const FunctionLibrary& functions_;
  absl::flat_hash_map<absl::string_view, int> index_;
  std::vector<std::vector<int>> inputs_;  // the nodes that each node waits for
};

}  // namespace

absl::Status ValidateBody(const Function& function, const OpRegistry& ops,
                          const FunctionLibrary& functions) {
  return BodyValidator(function, ops, functions).Validate();
}

}  // namespace leat
