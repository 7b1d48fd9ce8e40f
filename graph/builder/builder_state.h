// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphBuilder::State holds all data of a GraphBuilder. This file also has
// helpers that work on a State. Only graph/builder/ and graph/autodiff/ use
// this header. A State is not thread-safe, as GraphBuilder is not.
#ifndef LEAT_GRAPH_BUILDER_BUILDER_STATE_H_
#define LEAT_GRAPH_BUILDER_BUILDER_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "leat/core/devices/device_name.h"
#include "leat/graph/builder/body.h"
#include "leat/graph/builder/builder.h"

namespace leat {

// Is the id of the Operation that an op function returns if it gets only
// constants. This Operation has no builder. A builder that gets an output of
// such an Operation reports the error.
inline constexpr NodeId kOfConstants = -2;

// Describes one open ControlDependencies scope. A node that takes an input from
// one of `members` runs after `operations` anyway, so the node needs no control
// edges.
struct ControlScope {
  std::vector<NodeId> operations = {};
  absl::flat_hash_set<NodeId> members = {};  // nodes made in the scope
};

// Describes one open OnDevice scope with a device function. `around` has the
// merged device names of the enclosing scopes, up to the next enclosing scope
// with a device function.
struct DeviceFunctionScope {
  std::shared_ptr<const DeviceFunction> function = {};
  DeviceName around = {};
};

// Holds the properties that all open scopes together give to new nodes.
// BuilderContext is a value type: each OpenScope keeps a copy of the context
// from before the scope.
struct BuilderContext {
  std::string name_prefix = {};      // "" or "a/b/"
  std::string variable_prefix = {};  // the same for variable scopes
  // Holds the merged device names of the open OnDevice scopes. Scopes around
  // the innermost scope that has a device function do not count. UseDeviceOf
  // sets this to the device of a node.
  DeviceName device = {};
  std::vector<DeviceFunctionScope> device_functions = {};  // outermost first
  std::vector<std::string> colocation = {};                // "loc:@name"
  std::vector<std::shared_ptr<ControlScope>> controls = {};
  // Counts the uses of each layer's name in this variable scope. Name, device
  // and control scopes inside of a variable scope share the counts of the
  // variable scope.
  std::shared_ptr<absl::flat_hash_map<std::string, int>> layers =
      std::make_shared<absl::flat_hash_map<std::string, int>>();

  // Adds the device names and device functions of `inner`, as if the device
  // scopes of `inner` had been opened inside of the device scopes of this
  // context.
  void NestDevices(const BuilderContext& inner);
  // Makes new nodes request the device that `node` requests, regardless of the
  // open device scopes.
  void UseDeviceOf(const NodeDef& node);
};

// Describes an open scope, with the data that Close() needs to end it.
struct OpenScope {
  uint64_t id = 0;               // unique in the State
  std::string description = {};  // for errors, such as "name scope 'a'"
  SourceLocation location = {};  // where it was opened
  BuilderContext outer = {};     // the context to return to
};

// Holds the data of a GraphBuilder, which builds a graph or a body. The
// GraphBuilder owns its State, and a Scope keeps a weak reference to it.
// Exactly one of `own_tree` and `body` is set.
struct GraphBuilder::State {
  // `ops` must outlive the state and the graph.
  explicit State(const OpRegistry& ops) : graph(ops) {}

  Graph graph;  // under construction, without functions
  // Says what shape inference knows of the outputs: [node][output].
  std::vector<std::vector<InferredOutput>> inferred = {};

  GraphBuilder* self = nullptr;
  BuilderTree* tree = nullptr;                 // `own_tree` of the root
  std::unique_ptr<BuilderTree> own_tree = {};  // set in the graph's builder
  std::unique_ptr<Body> body = {};             // set in the builder of a body
  // Holds the If, Case and While nodes among the nodes of `graph`.
  absl::flat_hash_map<NodeId, ControlFlowNode> control_flow = {};
  // Holds the bodies of the other functions that nodes of `graph` name
  // (AddFunction). Is not owned.
  std::vector<GraphBuilder*> functions = {};

  BuilderContext context = {};
  std::vector<OpenScope> scopes = {};  // the innermost last
  uint64_t next_scope = 0;             // the id of the next scope
  // Counts the uses of each name of a node or scope. The names are in lower
  // case, because TensorFlow's names are unique without regard to case.
  absl::flat_hash_map<std::string, int> names = {};

  // `variables`, `variable_by_name` and `updates` are set only in the State of
  // the graph's builder, because variables belong to the graph.
  std::vector<leat::Variable> variables = {};
  // Maps the name of a variable to its position in `variables`. Has only the
  // variables that GetVariable made.
  absl::flat_hash_map<std::string, int> variable_by_name = {};
  std::vector<Operation> updates = {};  // what AddUpdate() collected

  // Returns `name` under the open name scopes, made unique as TensorFlow's
  // Python does. A name that ends in '/' is a full name. It loses the '/' and
  // is recorded, but not changed otherwise.
  std::string UniqueName(absl::string_view name);
  // Makes a name unique that already includes the name scopes.
  std::string UniqueFromRoot(std::string full);

  // Records `error`, unless the tree has an error already. Appends the place of
  // the open CallSite() or, without one, `location` to the message.
  void Fail(absl::Status error, SourceLocation location);

  // Opens a scope in `state`. The changes that `change` makes to the context
  // last until the scope ends.
  static Scope Open(const std::shared_ptr<State>& state,
                    std::string description, SourceLocation location,
                    absl::FunctionRef<void(BuilderContext&)> change);
  // Ends the scope with this id. The builder fails with FAILED_PRECONDITION if
  // a scope that was opened later is still open.
  void Close(uint64_t id);

  // Returns the device that the open scopes request, or the error of a device
  // function. Also sets node.device, because device functions read it.
  absl::StatusOr<std::string> DeviceFor(NodeDef& node) const;

  // Adds a node to `graph`, with the device and colocation that the open scopes
  // request, and infers its shapes. Adds the scopes' control edges if
  // `with_controls`. Fails as Graph::Add and the op's shape function do. After
  // a failure, `graph` has no new node. REQUIRES: `inputs` belong to this
  // builder.
  absl::StatusOr<NodeId> AddNode(NodeDef def, absl::Span<const Endpoint> inputs,
                                 bool with_controls);

  // Adds a Const without control edges. `name` includes the name scopes and is
  // made unique.
  absl::StatusOr<NodeId> AddConstant(Tensor value, std::string name);
  // Adds a Pack of `elements`, which must not be empty. `name` includes the
  // name scopes and is made unique.
  absl::StatusOr<NodeId> AddPack(absl::Span<const Endpoint> elements,
                                 DType dtype, std::string name);
  // Returns the endpoint that an operand stands for. A tensor becomes a Const
  // named `name`. Numbers become a Const of dtype `dtype` with this name. A
  // list becomes a Pack with this name, and its elements get the names
  // `name`/0, `name`/1 and so on. Resolve replaces an Output of another builder
  // by one of this builder.
  absl::StatusOr<Endpoint> EndpointOf(const Operand& operand, DType dtype,
                                      const std::string& name);
  // Returns the endpoints of all inputs in `args`. The Consts and Packs that
  // are added for numbers and lists are named after the node and the argument.
  // `dtypes` comes from ResolveAttrs.
  absl::StatusOr<std::vector<Endpoint>> Endpoints(
      const OpDef& op, const OpArgs& args, absl::string_view node_name,
      const std::vector<std::vector<DType>>& dtypes);

  // Returns the ids of the operations. Fails with INVALID_ARGUMENT if one
  // belongs to another builder or to no node.
  absl::StatusOr<std::vector<NodeId>> Ids(
      absl::Span<const Operation> list) const;
  // Returns the ids of those operations in `list` that are in this builder. The
  // caller makes control edges from them to new nodes. For an operation outside
  // of this body, the node that calls the body gets the control edge instead.
  absl::StatusOr<std::vector<NodeId>> ControlIds(
      absl::Span<const Operation> list);

  // The methods below are in builder_bodies.cc.

  // Returns true if `builder` is not null and builds the same graph or a body
  // in it.
  bool SharesTree(const GraphBuilder* builder) const;
  // Returns this builder and the enclosing builders, the innermost first and
  // the builder of the graph last.
  std::vector<GraphBuilder*> Enclosing() const;
  // Fails with INVALID_ARGUMENT if a body opened here would be nested deeper
  // than planning allows (FunctionLimits, graph_validation.h).
  absl::Status CheckNesting() const;
  // Returns an error that says that `what` cannot be used here. `what` belongs
  // to `owner`, the builder of another graph or of a body that has ended.
  absl::Status EndedError(absl::string_view what,
                          const GraphBuilder& owner) const;

  // Returns the output of this builder that stands for `output`. This is
  // `output` itself if `output` belongs to this builder. For an output of an
  // enclosing builder, this is an argument. For an output of the forward body,
  // this is an argument, a constant, or a value popped from a list. The first
  // call for an `output` adds the necessary nodes. Fails with INVALID_ARGUMENT
  // if `output` belongs to a body that has ended or to the builder of another
  // graph.
  absl::StatusOr<Output> Resolve(const Output& output);
  // Resolves the outputs that the body returns. Fails with INVALID_ARGUMENT,
  // naming the function and the position, as Resolve does, or if one of them is
  // an output of no node.
  absl::Status ResolveReturns();
  // Resolves an output of the forward body.
  absl::StatusOr<Output> ResolveForward(const Output& output);
  // Adds an argument that is a list with one value for each iteration of the
  // forward body: the value that `output`, an output of the forward body, had
  // in that iteration. Also adds a node that pops the newest value, and returns
  // this value. Fails with UNIMPLEMENTED for a resource, which no list can
  // hold.
  absl::StatusOr<Output> PopIntermediate(const Output& output);

  // Appends an argument to the body. `known` is what shape inference knows of
  // the argument. Returns the output of its _Arg node.
  absl::StatusOr<Output> AddArgument(absl::string_view name, DType dtype,
                                     InferredOutput known);
  // Appends an argument that stands for `outer`, an output of the parent.
  absl::StatusOr<Output> Capture(const Output& outer);

  // Adds a node to which no open scope applies. The name of the node is `name`,
  // made unique. Also works in a body that has ended.
  absl::StatusOr<Operation> AddBare(absl::string_view op, std::string name,
                                    AttrMap attrs,
                                    absl::Span<const Endpoint> inputs,
                                    absl::string_view device = {});

  // REQUIRES: `e` is an output of a node of `graph`.
  const InferredOutput& InferredAt(Endpoint e) const {
    return inferred[e.node][e.index];
  }
};

// Returns true if values of this type can have gradients or be gradients. The
// gradient of a resource is the gradient of its variable, and the gradient of a
// variant is the gradient of the list in it.
bool CarriesGradient(DType dtype);

// Returns `shape` as a tensor, for the input `element_shape` of the ops on
// tensor lists. The tensor is an int32 vector, with -1 for extents that are
// unknown or beyond int32. For an unknown rank, the tensor is the scalar -1.
Tensor ListElementShape(const PartialShape& shape);

// Returns `error` with `prefix` before its message.
absl::Status Annotate(const absl::Status& error, absl::string_view prefix);

// Gives the files in graph/builder/ and graph/autodiff/ access to the private
// parts of a GraphBuilder.
struct BuilderAccess {
  using State = GraphBuilder::State;
  static State& Of(const GraphBuilder& builder) { return *builder.state_; }
  // Returns the builder that gets the nodes that are added through `builder`.
  static GraphBuilder& Current(const GraphBuilder& builder) {
    return builder.Current();
  }
  // Returns the shared state, to be passed to State::Open.
  static const std::shared_ptr<State>& Shared(const GraphBuilder& builder) {
    return builder.state_;
  }

  // Makes a body inside of the innermost open body of `builder`'s tree, or in
  // the graph if no body is open. Does not open the new body; a BodyScope does.
  // The name `function` is made unique. The tree owns the result. See Body for
  // `forward` and `pops_intermediates`.
  static GraphBuilder& NewBody(GraphBuilder& builder, std::string function,
                               GraphBuilder* forward = nullptr,
                               bool pops_intermediates = false);
};

// Keeps a body open until the BodyScope is destroyed. Scopes that were opened
// in the body must end before the BodyScope; otherwise the builder fails with
// FAILED_PRECONDITION. BodyScopes of one tree must be destroyed in the reverse
// order of their construction.
class BodyScope {
 public:
  // `body` must outlive this object. Errors name `location`.
  BodyScope(GraphBuilder& body, SourceLocation location);
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;
  ~BodyScope();

 private:
  BuilderAccess::State& state_;
  SourceLocation location_;
};

// Converts the numbers in a tensor of dtype bool, int64 or double (see Operand)
// to `dtype`. Fails with INVALID_ARGUMENT if one of them does not fit.
absl::StatusOr<Tensor> ConvertNumbers(const Tensor& numbers, DType dtype);

// Returns the dtype that numbers get if nothing else decides it: bool, int32 or
// float.
DType DefaultDType(const Tensor& numbers);

// Adds to args.attrs the attrs that follow from the inputs, and sets `dtypes`
// to the dtype of each operand: [argument][operand]. Fails with
// INVALID_ARGUMENT, naming the argument, if inputs and attrs contradict each
// other.
absl::Status ResolveAttrs(const OpDef& op, OpArgs& args,
                          std::vector<std::vector<DType>>& dtypes);

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_BUILDER_STATE_H_
