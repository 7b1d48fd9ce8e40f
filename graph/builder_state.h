// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What a GraphBuilder holds. Private to graph/builder*.cc.
#ifndef LEAT_GRAPH_BUILDER_STATE_H_
#define LEAT_GRAPH_BUILDER_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "leat/core/device_name.h"
#include "leat/graph/builder.h"

namespace leat {

// The operations of one ControlDependencies scope, and the nodes made in it,
// whose consumers run after those operations anyway.
struct ControlScope {
  std::vector<NodeId> operations = {};
  absl::flat_hash_set<NodeId> members = {};
};

// What the open scopes say together about new nodes.
struct BuilderContext {
  std::string name_prefix = {};      // "" or "a/b/"
  std::string variable_prefix = {};  // the same of variable scopes
  DeviceName device = {};
  std::vector<std::string> colocation = {};  // "loc:@name"
  std::vector<std::shared_ptr<ControlScope>> controls = {};
  // How often a name has been used for a layer in this variable scope.
  std::shared_ptr<absl::flat_hash_map<std::string, int>> layers =
      std::make_shared<absl::flat_hash_map<std::string, int>>();
};

struct OpenScope {
  uint64_t id = 0;
  std::string description = {};
  SourceLocation location = {};
  BuilderContext outer = {};
};

struct GraphBuilder::State {
  explicit State(const OpRegistry& ops, const GradientRegistry& gradients)
      : graph(ops), gradients(gradients) {}

  Graph graph;
  const GradientRegistry& gradients;
  absl::Status status = absl::OkStatus();
  std::vector<std::vector<InferredOutput>> inferred = {};  // by node

  BuilderContext context = {};
  std::vector<OpenScope> scopes = {};
  uint64_t next_scope = 0;
  absl::flat_hash_map<std::string, int> names = {};  // lower case, uses

  std::vector<leat::Variable> variables = {};
  absl::flat_hash_map<std::string, int> variable_by_name = {};
  std::vector<Operation> updates = {};
  std::optional<int64_t> seed = {};

  // `name` under the name scopes, made unique as TensorFlow's Python does; a
  // name ending in '/' loses that and is only recorded.
  std::string UniqueName(absl::string_view name);
  // The same for a name that has its scopes.
  std::string UniqueFromRoot(std::string full);

  void Fail(absl::Status error, SourceLocation location);

  // Opens a scope whose effect is what `change` does to the context.
  static Scope Open(const std::shared_ptr<State>& state,
                    std::string description, SourceLocation location,
                    absl::FunctionRef<void(BuilderContext&)> change);
  void Close(uint64_t id);

  // Adds the node and infers its shapes.
  absl::StatusOr<NodeId> AddNode(NodeDef def, absl::Span<const Endpoint> inputs,
                                 bool with_controls);

  absl::StatusOr<NodeId> AddConstant(Tensor value, std::string name);
  absl::StatusOr<std::vector<Endpoint>> Endpoints(
      const OpDef& op, const OpArgs& args, absl::string_view node_name,
      const std::vector<std::vector<DType>>& dtypes);

  // The (OK) operations' ids; fails when one is not of `builder`.
  absl::StatusOr<std::vector<NodeId>> Ids(const GraphBuilder* builder,
                                          absl::Span<const Operation> list);
};

// The scalar `number` (bool, int64 or double, see Operand) as `dtype`;
// INVALID_ARGUMENT when its value does not fit.
absl::StatusOr<Tensor> ConvertNumber(const Tensor& number, DType dtype);

// Attrs that follow from the inputs, and the dtype of every number among them.
// INVALID_ARGUMENT naming the argument when inputs and attrs contradict.
absl::Status ResolveAttrs(const OpDef& op, OpArgs& args,
                          std::vector<std::vector<DType>>& dtypes);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_STATE_H_
