// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What a GraphBuilder holds. Private to graph/builder*.cc, control_flow*.cc and
// function_export.cc.
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
#include "leat/graph/body.h"
#include "leat/graph/builder.h"

namespace leat {

// The id of an operation that has no builder: its op function was given
// constants only. What takes its outputs reports that.
inline constexpr NodeId kOfConstants = -2;

// The operations of one ControlDependencies scope, and the nodes made in it,
// whose consumers run after those operations anyway.
struct ControlScope {
  std::vector<NodeId> operations = {};
  absl::flat_hash_set<NodeId> members = {};
};

// A device function, and the device names of the scopes around it up to the
// next function.
struct DeviceFunctionScope {
  std::shared_ptr<const DeviceFunction> function = {};
  DeviceName around = {};
};

// What the open scopes say together about new nodes.
struct BuilderContext {
  std::string name_prefix = {};      // "" or "a/b/"
  std::string variable_prefix = {};  // the same of variable scopes
  DeviceName device = {};  // of the scopes inside of the last function's
  std::vector<DeviceFunctionScope> device_functions = {};
  std::vector<std::string> colocation = {};  // "loc:@name"
  std::vector<std::shared_ptr<ControlScope>> controls = {};
  // How often a name has been used for a layer in this variable scope.
  std::shared_ptr<absl::flat_hash_map<std::string, int>> layers =
      std::make_shared<absl::flat_hash_map<std::string, int>>();

  // The scopes of devices of `inner` are opened in these.
  void NestDevices(const BuilderContext& inner);
  // The device of this node, whatever scopes say.
  void UseDeviceOf(const NodeDef& node);
};

struct OpenScope {
  uint64_t id = 0;
  std::string description = {};
  SourceLocation location = {};
  BuilderContext outer = {};
};

struct GraphBuilder::State {
  State(const OpRegistry& ops, const GradientRegistry& gradients)
      : graph(ops), gradients(gradients) {}

  Graph graph;
  const GradientRegistry& gradients;
  std::vector<std::vector<InferredOutput>> inferred = {};  // by node

  GraphBuilder* self = nullptr;
  BuilderTree* tree = nullptr;
  std::unique_ptr<BuilderTree> own_tree = {};  // of the graph's builder
  std::unique_ptr<Body> body = {};             // of a body's
  absl::flat_hash_map<NodeId, ControlFlowNode> control_flow = {};

  BuilderContext context = {};
  std::vector<OpenScope> scopes = {};
  uint64_t next_scope = 0;
  absl::flat_hash_map<std::string, int> names = {};  // lower case, uses

  std::vector<leat::Variable> variables = {};
  absl::flat_hash_map<std::string, int> variable_by_name = {};
  std::vector<Operation> updates = {};

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

  // The device that the scopes ask for, or the error of a device function.
  // (Sets the node's, which functions look at.)
  absl::StatusOr<std::string> DeviceFor(NodeDef& node) const;

  // Adds the node and infers its shapes.
  absl::StatusOr<NodeId> AddNode(NodeDef def, absl::Span<const Endpoint> inputs,
                                 bool with_controls);

  absl::StatusOr<NodeId> AddConstant(Tensor value, std::string name);
  // Inputs that belong to other builders are resolved.
  absl::StatusOr<std::vector<Endpoint>> Endpoints(
      const OpDef& op, const OpArgs& args, absl::string_view node_name,
      const std::vector<std::vector<DType>>& dtypes);

  // The operations' ids; fails when one is not of this builder.
  absl::StatusOr<std::vector<NodeId>> Ids(
      absl::Span<const Operation> list) const;
  // The same for what nodes are to run after. Whoever calls this body runs
  // after those outside of it.
  absl::StatusOr<std::vector<NodeId>> ControlIds(
      absl::Span<const Operation> list);

  // builder_bodies.cc:

  bool SharesTree(const GraphBuilder* builder) const;
  // This builder and those around it, the graph's last.
  std::vector<GraphBuilder*> Enclosing() const;
  // INVALID_ARGUMENT when a body here would be nested deeper than planning
  // allows.
  absl::Status CheckNesting() const;
  // That it cannot be used here, since it is of a body that has ended.
  absl::Status EndedError(absl::string_view what,
                          const GraphBuilder& owner) const;

  // What stands here for an output of this builder or an enclosing one, or of
  // the forward body: itself, or an argument, made when first needed.
  // INVALID_ARGUMENT for an output of a body that has ended.
  absl::StatusOr<Output> Resolve(const Output& output);
  absl::StatusOr<Output> ResolveForward(const Output& output);
  absl::StatusOr<Output> PopIntermediate(const Output& output);

  // A new argument of the body, the last one.
  absl::StatusOr<Output> AddArgument(absl::string_view name, DType dtype,
                                     InferredOutput known);
  // One that stands for this output of the parent.
  absl::StatusOr<Output> Capture(const Output& outer);

  // A node outside of all scopes, of this name if it is not taken. Works in
  // bodies that have ended too.
  absl::StatusOr<Operation> AddBare(absl::string_view op, std::string name,
                                    AttrMap attrs,
                                    absl::Span<const Endpoint> inputs,
                                    absl::string_view device = {});

  const InferredOutput& InferredAt(Endpoint e) const {
    return inferred[e.node][e.index];
  }
};

// Whether a gradient may pass through values of that type, or be one.
bool CarriesGradient(DType dtype);

// The shape of a list's elements as the ops on lists take it: -1 for what is
// not known (or beyond int32).
Tensor ListElementShape(const PartialShape& shape);

// The error with `prefix` before its message.
absl::Status Annotate(const absl::Status& error, absl::string_view prefix);

// What lets the files named above into a builder.
struct BuilderAccess {
  using State = GraphBuilder::State;
  static State& Of(const GraphBuilder& builder) { return *builder.state_; }
  static GraphBuilder& Current(const GraphBuilder& builder) {
    return builder.Current();
  }
  // The shared one, to open scopes.
  static const std::shared_ptr<State>& Shared(const GraphBuilder& builder) {
    return builder.state_;
  }

  // A new body in the innermost open one of `builder`'s tree (or in the graph).
  // It is not open yet. `function` is made unique.
  static GraphBuilder& NewBody(GraphBuilder& builder, std::string function,
                               GraphBuilder* forward = nullptr,
                               bool pops_intermediates = false);
};

// Opens a body, for as long as it lives. Then the scopes opened in it must have
// ended: the builder fails otherwise.
class BodyScope {
 public:
  BodyScope(GraphBuilder& body, SourceLocation location);
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;
  ~BodyScope();

 private:
  BuilderAccess::State& state_;
  SourceLocation location_;
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
