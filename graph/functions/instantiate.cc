// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/functions/instantiate.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/graph_validation.h"
#include "leat/graph/op_registry.h"

namespace leat {
namespace {

absl::StatusOr<AttrMap> Substitute(const AttrMap& attrs, const AttrMap& values);

// Replaces the placeholders in the attrs of `function`. This recursion ends,
// because import limits how deeply functions nest in the attrs of other
// functions.
absl::Status SubstituteIn(FunctionRef& function, const AttrMap& values) {
  if (function.attrs == nullptr) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(AttrMap attrs, Substitute(*function.attrs, values));
  function.attrs = std::make_shared<const AttrMap>(std::move(attrs));
  return absl::OkStatus();
}

absl::StatusOr<AttrMap> Substitute(const AttrMap& attrs,
                                   const AttrMap& values) {
  AttrMap result = attrs;
  for (const auto& [name, value] : attrs) {
    if (const auto* placeholder = std::get_if<AttrPlaceholder>(&value)) {
      const AttrValue* actual = values.Find(placeholder->name);
      if (actual == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("attr '", name, "' is '$", placeholder->name,
                         "', which the caller does not give"));
      }
      result.Set(name, *actual);
    } else if (std::holds_alternative<FunctionRef>(value)) {
      FunctionRef function = std::get<FunctionRef>(value);
      LEAT_RETURN_IF_ERROR(SubstituteIn(function, values));
      result.Set(name, std::move(function));
    } else if (std::holds_alternative<std::vector<FunctionRef>>(value)) {
      auto functions = std::get<std::vector<FunctionRef>>(value);
      for (FunctionRef& function : functions) {
        LEAT_RETURN_IF_ERROR(SubstituteIn(function, values));
      }
      result.Set(name, std::move(functions));
    }
  }
  return result;
}

// Instantiates one function.
class Instantiation {
 public:
  Instantiation(const Function& function, const OpRegistry& ops,
                const FunctionLibrary& library, int64_t max_tensors)
      : function_(function),
        ops_(ops),
        library_(library),
        max_tensors_(max_tensors) {}

  absl::StatusOr<FunctionBody> Run(AttrMap attrs) {
    body_.name = function_.signature.name;
    LEAT_RETURN_IF_ERROR(Annotate(
        CheckAttrs(function_.signature, attrs, /*fill_defaults=*/true)));
    LEAT_RETURN_IF_ERROR(Annotate(AddArguments(attrs)));
    body_.nodes.resize(function_.nodes.size());
    for (size_t i = 0; i < function_.nodes.size(); ++i) {
      LEAT_RETURN_IF_ERROR(Annotate(FillNode(i, attrs), i));
    }
    for (size_t i = 0; i < function_.nodes.size(); ++i) {
      LEAT_RETURN_IF_ERROR(Annotate(Connect(i), i));
    }
    LEAT_RETURN_IF_ERROR(Annotate(AddReturns(attrs)));
    LEAT_RETURN_IF_ERROR(Annotate(AddControlOutputs()));
    LEAT_RETURN_IF_ERROR(Annotate(CheckNoReferences()));
    return std::move(body_);
  }

 private:
  // Holds the tensors [begin, end) of an argument of the function or of an
  // output argument of a node's op.
  struct Range {
    int32_t begin = 0;
    int32_t end = 0;
  };

  absl::Status Annotate(const absl::Status& status) const {
    if (status.ok()) return status;
    return absl::Status(status.code(), absl::StrCat("function '", body_.name,
                                                    "': ", status.message()));
  }
  absl::Status Annotate(const absl::Status& status, size_t node) const {
    if (status.ok()) return status;
    return absl::Status(
        status.code(),
        absl::StrCat("function '", body_.name, "', node '",
                     function_.nodes[node].name, "': ", status.message()));
  }

  absl::Status AddArguments(const AttrMap& attrs) {
    LEAT_ASSIGN_OR_RETURN(body_.arg_types,
                          InputTypes(function_.signature, attrs));
    const std::vector<ArgDef>& args = function_.signature.inputs;
    LEAT_ASSIGN_OR_RETURN(const std::vector<int> offsets,
                          ArgOffsets(args, attrs));
    for (size_t i = 0; i < args.size(); ++i) {
      args_.emplace(args[i].name, Range{offsets[i], offsets[i + 1]});
      const int count = offsets[i + 1] - offsets[i];
      for (int k = 0; k < count; ++k) {
        body_.arg_names.push_back(k == 0 ? args[i].name
                                         : absl::StrCat(args[i].name, "_", k));
      }
    }
    return absl::OkStatus();
  }

  absl::Status FillNode(size_t i, const AttrMap& attrs) {
    const FunctionNode& from = function_.nodes[i];
    NodeDef& def = body_.nodes[i].def;
    def.name = from.name;
    def.device = from.device;
    const Function* called = library_.Find(from.op);
    def.op = called != nullptr ? &called->signature : ops_.Find(from.op);
    if (def.op == nullptr) return ops_.Lookup(from.op).status();
    LEAT_ASSIGN_OR_RETURN(def.attrs, Substitute(from.attrs, attrs));
    LEAT_RETURN_IF_ERROR(
        CheckAttrs(*def.op, def.attrs, /*fill_defaults=*/true));
    LEAT_RETURN_IF_ERROR(CheckConstant(def.attrs));
    LEAT_ASSIGN_OR_RETURN(def.input_types, InputTypes(*def.op, def.attrs));
    LEAT_ASSIGN_OR_RETURN(def.output_types, OutputTypes(*def.op, def.attrs));
    num_tensors_ +=
        static_cast<int64_t>(def.input_types.size() + def.output_types.size());
    if (num_tensors_ > max_tensors_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("with this node, the body has ", num_tensors_,
                       " inputs and outputs; the limit is ", max_tensors_,
                       " (max_graph_outputs)"));
    }
    LEAT_ASSIGN_OR_RETURN(std::vector<int> offsets,
                          ArgOffsets(def.op->outputs, def.attrs));
    offsets_.push_back(std::move(offsets));
    nodes_.emplace(from.name, static_cast<int32_t>(i));
    return absl::OkStatus();
  }

  absl::Status Connect(size_t i) {
    BodyNode& node = body_.nodes[i];
    for (const std::string& text : function_.nodes[i].inputs) {
      if (!text.empty() && text[0] == '^') {
        LEAT_RETURN_IF_ERROR(AddControl(text.substr(1), node));
        continue;
      }
      const size_t index = node.inputs.size();
      LEAT_RETURN_IF_ERROR(AddTensors(text, node.inputs));
      for (size_t k = index; k < node.inputs.size(); ++k) {
        if (k >= node.def.input_types.size()) break;  // refused below
        const DType given = TypeOf(node.inputs[k]);
        const DType expected = node.def.input_types[k];
        if (given != expected && BaseOf(given) != expected) {
          return absl::InvalidArgumentError(
              absl::StrCat("input ", k, " '", text, "' is ", Name(given),
                           ", expected ", Name(expected)));
        }
      }
    }
    if (node.inputs.size() == node.def.input_types.size()) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "has ", node.inputs.size(), " inputs, but op ", node.def.op->name,
        " takes ", node.def.input_types.size()));
  }

  absl::Status AddControl(absl::string_view name, BodyNode& node) const {
    const auto it = nodes_.find(name);
    if (it != nodes_.end()) {
      node.controls.push_back(it->second);
      return absl::OkStatus();
    }
    const auto arg = args_.find(name);
    if (arg == args_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no argument or node '", name, "'"));
    }
    for (int32_t k = arg->second.begin; k < arg->second.end; ++k) {
      node.arg_controls.push_back(k);
    }
    return absl::OkStatus();
  }

  // Appends the tensors that `text` names: "arg", "arg:0", "node:output" or
  // "node:output:0". A text without a number names all tensors of the argument
  // or output.
  absl::Status AddTensors(absl::string_view text,
                          std::vector<BodyTensor>& tensors) const {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
    int32_t node = BodyTensor::kArguments;
    Range range;
    size_t named = 1;
    const auto arg = args_.find(parts[0]);
    if (arg != args_.end()) {
      range = arg->second;
    } else {
      named = 2;
      const auto it = nodes_.find(parts[0]);
      if (it == nodes_.end() || parts.size() < 2) return BadTensor(text);
      node = it->second;
      if (!FindOutput(node, parts[1], range)) return BadTensor(text);
    }
    if (parts.size() > named) {
      int index = 0;
      if (!absl::SimpleAtoi(parts[named], &index) || index < 0 ||
          index >= range.end - range.begin) {
        return BadTensor(text);
      }
      tensors.push_back({node, range.begin + index});
      return absl::OkStatus();
    }
    for (int32_t k = range.begin; k < range.end; ++k) {
      tensors.push_back({node, k});
    }
    return absl::OkStatus();
  }

  // Makes the error for a text that names no tensor.
  static absl::Status BadTensor(absl::string_view text) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no tensor '", text, "'"));
  }

  bool FindOutput(int32_t node, absl::string_view name, Range& range) const {
    const std::vector<ArgDef>& outputs = body_.nodes[node].def.op->outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name != name) continue;
      range = {offsets_[node][i], offsets_[node][i + 1]};
      return true;
    }
    return false;
  }

  DType TypeOf(const BodyTensor& tensor) const {
    if (tensor.node == BodyTensor::kArguments) {
      return body_.arg_types[tensor.index];
    }
    return body_.nodes[tensor.node].def.output_types[tensor.index];
  }

  absl::Status AddReturns(const AttrMap& attrs) {
    LEAT_ASSIGN_OR_RETURN(body_.return_types,
                          OutputTypes(function_.signature, attrs));
    for (const auto& [output, text] : function_.returns) {
      LEAT_RETURN_IF_ERROR(AddTensors(text, body_.returns));
    }
    if (body_.returns.size() != body_.return_types.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it returns ", body_.returns.size(),
                       " tensors, but declares ", body_.return_types.size()));
    }
    for (size_t i = 0; i < body_.returns.size(); ++i) {
      const DType given = TypeOf(body_.returns[i]);
      if (BaseOf(given) == BaseOf(body_.return_types[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("it returns ", Name(given), " as tensor ", i,
                       ", which it declares as ", Name(body_.return_types[i])));
    }
    return absl::OkStatus();
  }

  absl::Status AddControlOutputs() {
    for (const auto& [output, name] : function_.control_returns) {
      const auto it = nodes_.find(name);
      if (it == nodes_.end()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "control output '", output, "': there is no node '", name, "'"));
      }
      body_.control_outputs.push_back(it->second);
    }
    if (!body_.control_outputs.empty()) return absl::OkStatus();
    std::vector<bool> consumed(body_.nodes.size());
    const auto consume = [&](const BodyTensor& tensor) {
      if (tensor.node != BodyTensor::kArguments) consumed[tensor.node] = true;
    };
    for (const BodyNode& node : body_.nodes) {
      for (const BodyTensor& input : node.inputs) consume(input);
      for (const int32_t control : node.controls) consumed[control] = true;
    }
    for (const BodyTensor& tensor : body_.returns) consume(tensor);
    for (size_t i = 0; i < body_.nodes.size(); ++i) {
      if (body_.nodes[i].def.op->is_stateful && !consumed[i]) {
        body_.control_outputs.push_back(static_cast<int32_t>(i));
      }
    }
    return absl::OkStatus();
  }

  // Refuses arguments and results that are references, because the tensors that
  // replace them when the call is lowered need not be references.
  absl::Status CheckNoReferences() const {
    for (const auto* types : {&body_.arg_types, &body_.return_types}) {
      for (const DType type : *types) {
        if (!IsRef(type)) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("it takes or returns a reference (", Name(type),
                         "), which a function cannot do"));
      }
    }
    return absl::OkStatus();
  }

  const Function& function_;
  const OpRegistry& ops_;
  const FunctionLibrary& library_;
  const int64_t max_tensors_;
  int64_t num_tensors_ = 0;
  FunctionBody body_;
  absl::flat_hash_map<absl::string_view, Range> args_;
  absl::flat_hash_map<absl::string_view, int32_t> nodes_;
  std::vector<std::vector<int>> offsets_;
};

}  // namespace

absl::StatusOr<FunctionBody> Instantiate(const Function& function,
                                         const AttrMap& attrs,
                                         const OpRegistry& ops,
                                         const FunctionLibrary& library,
                                         int64_t max_tensors) {
  return Instantiation(function, ops, library, max_tensors).Run(attrs);
}

}  // namespace leat
