// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/codec/function_codec.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/codec/op_def_codec.h"
#include "leat/protos/function.pb.h"

namespace leat {
namespace {

using Returns = std::vector<std::pair<std::string, std::string>>;
using ReturnMap = google::protobuf::Map<std::string, std::string>;

absl::Status FunctionError(const pb::FunctionDef& proto,
                           absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("function '", proto.signature().name(), "': ", message));
}

absl::Status Annotated(const absl::Status& status, const pb::FunctionDef& proto,
                       absl::string_view where) {
  return absl::Status(status.code(),
                      absl::StrCat("function '", proto.signature().name(), "'",
                                   where, ": ", status.message()));
}

absl::StatusOr<FunctionNode> NodeFromProto(const pb::FunctionDef& proto,
                                           const pb::NodeDef& node,
                                           AttrBudget& budget) {
  FunctionNode result;
  result.name = node.name();
  result.op = node.op();
  result.inputs.assign(node.input().begin(), node.input().end());
  result.device = node.device();
  absl::StatusOr<AttrMap> attrs = AttrMapFromProto(node.attr(), budget);
  if (!attrs.ok()) {
    return Annotated(attrs.status(), proto,
                     absl::StrCat(", node '", node.name(), "'"));
  }
  result.attrs = *std::move(attrs);
  return result;
}

// Returns the entries of `protos` in the order of `names`. Fails if a name has
// no entry, or if the key of an entry is not in `names`.
absl::StatusOr<Returns> ReturnsFromProto(const pb::FunctionDef& proto,
                                         const std::vector<std::string>& names,
                                         const ReturnMap& protos) {
  Returns result;
  absl::flat_hash_set<absl::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return FunctionError(
          proto, absl::StrCat("output '", name, "' is declared twice"));
    }
    const auto it = protos.find(name);
    if (it == protos.end()) {
      return FunctionError(proto,
                           absl::StrCat("output '", name, "' is not returned"));
    }
    result.emplace_back(name, it->second);
  }
  if (protos.size() == result.size()) return result;
  for (const auto& entry : protos) {
    if (!seen.contains(entry.first)) {
      return FunctionError(proto, absl::StrCat("it returns '", entry.first,
                                               "', which is not declared"));
    }
  }
  return result;
}

absl::Status ArgAttrsFromProto(const pb::FunctionDef& proto, AttrBudget& budget,
                               Function& function) {
  for (const auto& entry : proto.arg_attr()) {
    if (entry.first >= function.signature.inputs.size()) {
      return FunctionError(
          proto, absl::StrCat("it has attrs for argument ", entry.first,
                              ", but the number of its arguments is ",
                              function.signature.inputs.size()));
    }
    absl::StatusOr<AttrMap> attrs =
        AttrMapFromProto(entry.second.attr(), budget);
    if (!attrs.ok()) {
      return Annotated(attrs.status(), proto,
                       absl::StrCat(", argument ", entry.first));
    }
    function.arg_attrs[static_cast<int>(entry.first)] = *std::move(attrs);
  }
  return absl::OkStatus();
}

absl::Status NodeToProto(const FunctionNode& node, pb::NodeDef& proto) {
  proto.set_name(node.name);
  proto.set_op(node.op);
  for (const std::string& input : node.inputs) proto.add_input(input);
  proto.set_device(node.device);
  return AttrMapToProto(node.attrs, *proto.mutable_attr());
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Function>> FunctionFromProto(
    const pb::FunctionDef& proto, AttrBudget& budget) {
  auto function = std::make_shared<Function>();
  absl::StatusOr<OpDef> signature = OpDefFromProto(proto.signature());
  if (!signature.ok()) return Annotated(signature.status(), proto, "");
  function->signature = *std::move(signature);
  function->nodes.reserve(proto.node_def_size());
  for (const pb::NodeDef& node : proto.node_def()) {
    LEAT_ASSIGN_OR_RETURN(FunctionNode converted,
                          NodeFromProto(proto, node, budget));
    function->nodes.push_back(std::move(converted));
  }

  std::vector<std::string> outputs;
  for (const ArgDef& output : function->signature.outputs) {
    outputs.push_back(output.name);
  }
  LEAT_ASSIGN_OR_RETURN(function->returns,
                        ReturnsFromProto(proto, outputs, proto.ret()));
  function->control_outputs.assign(proto.signature().control_output().begin(),
                                   proto.signature().control_output().end());
  LEAT_ASSIGN_OR_RETURN(
      function->control_returns,
      ReturnsFromProto(proto, function->control_outputs, proto.control_ret()));

  absl::StatusOr<AttrMap> attrs = AttrMapFromProto(proto.attr(), budget);
  if (!attrs.ok()) return Annotated(attrs.status(), proto, "");
  function->attrs = *std::move(attrs);
  LEAT_RETURN_IF_ERROR(ArgAttrsFromProto(proto, budget, *function));
  return std::shared_ptr<const Function>(std::move(function));
}

absl::Status FunctionToProto(const Function& function, pb::FunctionDef& proto) {
  proto.Clear();
  LEAT_RETURN_IF_ERROR(
      OpDefToProto(function.signature, *proto.mutable_signature()));
  for (const std::string& output : function.control_outputs) {
    proto.mutable_signature()->add_control_output(output);
  }
  for (const FunctionNode& node : function.nodes) {
    const absl::Status status = NodeToProto(node, *proto.add_node_def());
    if (!status.ok()) {
      return Annotated(status, proto, absl::StrCat(", node '", node.name, "'"));
    }
  }
  for (const auto& [name, tensor] : function.returns) {
    (*proto.mutable_ret())[name] = tensor;
  }
  for (const auto& [name, node] : function.control_returns) {
    (*proto.mutable_control_ret())[name] = node;
  }
  LEAT_RETURN_IF_ERROR(AttrMapToProto(function.attrs, *proto.mutable_attr()));
  for (const auto& [index, attrs] : function.arg_attrs) {
    auto& arg_attrs = (*proto.mutable_arg_attr())[static_cast<uint32_t>(index)];
    LEAT_RETURN_IF_ERROR(AttrMapToProto(attrs, *arg_attrs.mutable_attr()));
  }
  return absl::OkStatus();
}

}  // namespace leat
