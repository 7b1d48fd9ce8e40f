// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphBuilder builds a graph from C++. Op functions (ops.h, generated) take
// Outputs and return Outputs; scopes are RAII objects.
//
//   GraphBuilder b;
//   Output x = b.Placeholder<float>("x", {-1, 2});
//   Variable w = b.Variable("w", Tensor::Filled<float>(Shape{2, 1}, 0.5f));
//   Output y = op::MatMul(x, w) + 1;
//   absl::StatusOr<Graph> graph = b.Build();
//
// Then NewSession (train/session.h) runs the graph. See examples/ for complete
// programs.
//
// The builder keeps the first error, with the name of the node and the place in
// the program that added the node. All calls after an error do nothing, and
// Build() reports the error, so a program needs to check only once.
//
// While the body of a Cond, Case or While (control_flow.h) is being built,
// every new node is added to that body. This also holds for nodes that the
// program adds through another builder of the same graph, and for nodes whose
// inputs all come from outside of the body.
#ifndef LEAT_GRAPH_BUILDER_BUILDER_H_
#define LEAT_GRAPH_BUILDER_BUILDER_H_

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/source_location.h"
#include "leat/graph/builder/index.h"
#include "leat/graph/builder/operand.h"
#include "leat/graph/builder/output.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// An OpInput is one argument of an op: a tensor or a list of tensors. OpInput
// is a value type.
class OpInput {
 public:
  // Makes an argument that is one tensor.
  OpInput(Operand operand)  // NOLINT: the conversion is the purpose
      : operands_({std::move(operand)}) {}
  OpInput(Output output,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : operands_({Operand(output, location)}) {}
  // Makes an argument that is a list of tensors, which may be empty.
  OpInput(const OperandList& list)  // NOLINT
      : is_list_(true), operands_(list.operands()) {}
  OpInput(absl::Span<const Output> list)  // NOLINT
      : OpInput(OperandList(list)) {}

  bool is_list() const { return is_list_; }
  // Returns the tensors of the list, or the only tensor.
  absl::Span<const Operand> operands() const { return operands_; }

 private:
  bool is_list_ = false;
  std::vector<Operand> operands_;
};

// Describes a node to add. The generated op functions fill in an OpArgs and
// pass it to AddOp.
//
// `attrs` may leave out the attrs that give the type or the number of tensors
// of an argument, because the inputs decide these attrs. If they are given,
// they must agree with the inputs. The builder puts `name` under the open name
// scopes and makes it unique. An empty `name` stands for the op's name. A
// `name` that ends in '/' is the full name of the node, without the '/', and is
// not changed. Errors name `location` or, if `location` is not set, the
// location of an input.
struct OpArgs {
  absl::string_view op = {};
  std::vector<OpInput> inputs = {};  // one per argument of the op
  AttrMap attrs = {};
  std::string name = {};
  SourceLocation location = {};
};

namespace internal {

// Is the type of the elements of b.Const<T>(value), where V is the type of the
// value and T is void if the program names no type.
template <class T, class V>
using ConstantType = std::conditional_t<
    !std::is_void_v<T>, T,
    std::conditional_t<Text<V>, std::string, std::decay_t<V>>>;

// Is true if b.Const<T>(value) can make a tensor of a value of type V: the
// value converts to ConstantType<T, V>, and tensors can have elements of that
// type.
template <class V, class T>
concept ConstantOf = std::convertible_to<const V&, ConstantType<T, V>> &&
    (kDTypeOf<ConstantType<T, V>> != DType::kInvalid);

}  // namespace internal

// Chooses a device for each new node of a scope. Returns a full or partial
// device name, or "" for any device. During the call, node.device is the device
// that is requested by the device scopes inside of the function's scope.
// node.input_types and node.output_types are not set yet.
using DeviceFunction =
    std::function<absl::StatusOr<std::string>(const NodeDef& node)>;

// Keeps a scope of a GraphBuilder open until the Scope is destroyed. A Scope
// may outlive the builder. A moved-from Scope does nothing.
class [[nodiscard]] Scope {
 public:
  // Calls `end`, which may be null, on destruction.
  explicit Scope(std::function<void()> end) : end_(std::move(end)) {}
  Scope(Scope&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Scope& operator=(Scope&&) = delete;
  ~Scope() {
    if (end_) end_();
  }

 private:
  std::function<void()> end_;
};

// Says which part of a larger variable this variable is. Only checkpoints use a
// VariablePart: a checkpoint stores all parts under the name of the larger
// variable (train/saver.h).
struct VariablePart {
  // Is the name of the part, such as "emb/part_1". For an optimizer's slot of a
  // part, this is the name of the part, not of the slot. If it is empty, the
  // builder sets it to the name of the variable that it makes.
  std::string variable = {};
  Shape whole = {};    // the shape of the larger variable
  int axis = 0;        // the axis along which it is cut
  int64_t offset = 0;  // the index along this axis at which the part begins
};

// A Variable is a mutable tensor that outlives steps. It is a VarHandleOp
// (resource semantics, the default) or a VariableV2 (reference semantics). A
// Variable object is a handle to the tensor. It is cheap to copy. Its
// GraphBuilder must outlive it.
class Variable {
 public:
  // Returns the output of the variable's node. For a VarHandleOp, this is a
  // handle of dtype resource. For a VariableV2, it is a reference to the
  // tensor.
  Output handle() const { return handle_; }
  // Returns the output that has the variable's value in the current step. If
  // the variable is a resource and the body of a Cond, Case or While is open,
  // each call adds a node to the body. This node reads the variable again.
  Output value() const;
  // Returns the operation that assigns the initial value. The node that
  // Graph::init_op() names runs the initializers of all variables.
  Operation initializer() const { return initializer_; }
  std::string name() const { return handle_.operation().name(); }
  DType dtype() const { return value_.dtype(); }
  PartialShape shape() const { return value_.shape(); }
  bool is_resource() const { return !handle_.is_ref(); }
  bool is_trainable() const { return trainable_; }
  // Returns which part of a larger variable this variable is, or nothing if it
  // is not a part.
  const std::optional<VariablePart>& part() const { return part_; }

 private:
  friend class GraphBuilder;
  Output handle_;
  Output value_;
  Operation initializer_;
  bool trainable_ = true;
  std::optional<VariablePart> part_;
};

// Holds the options of GraphBuilder::Variable and GetVariable.
struct VariableOptions {
  bool trainable = true;     // TrainableVariables() returns it
  bool use_resource = true;  // a VarHandleOp, not a VariableV2
  // Are the container and the name under which the device keeps the variable.
  // Nodes with the same container and name share the variable. An empty
  // `shared_name` stands for the node's name.
  std::string container = {};
  std::string shared_name = {};
  // Is set if the variable is a part of a larger variable.
  std::optional<VariablePart> part = {};
};

// Builds one graph. Is not thread-safe. Outputs, Operations and Variables point
// back at their builder, which must outlive them and cannot be moved. The graph
// that Build() returns does not depend on the builder.
class GraphBuilder {
 public:
  // `ops` is not owned. It must outlive the builder and the graphs that it
  // builds.
  explicit GraphBuilder(const OpRegistry& ops = BuiltinOps());
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // Adds a Placeholder. A step must feed it if the step uses its value. In
  // `shape`, -1 is an unknown extent. Without a shape, any shape can be fed.
  // Fails inside the body of a function, because a step cannot feed a node
  // there.
  Output Placeholder(DType dtype, absl::string_view name,
                     const PartialShape& shape = {},
                     SourceLocation location = SourceLocation::Current());
  template <class T>
  Output Placeholder(absl::string_view name, const PartialShape& shape = {},
                     SourceLocation location = SourceLocation::Current()) {
    return Placeholder(kDTypeOf<T>, name, shape, location);
  }
  // Adds a constant. `value` is a tensor, a scalar, or a list of numbers or
  // strings, which becomes one tensor. A scalar has the dtype T or, without T,
  // the dtype of its C++ type.
  //
  //   b.Const<float>(1), b.Const(true), b.Const("text")
  //   b.Const<int32_t>({1, 2}), b.Const<float>({{1, 0}, {0, 1}})
  //
  // Without T, a list of integers becomes int32, and a list with a fraction
  // becomes float. It is an error if a number does not fit T.
  Output Const(Tensor value, absl::string_view name = "Const",
               SourceLocation location = SourceLocation::Current());
  template <class T = void, internal::ConstantOf<T> V>
  Output Const(const V& value, absl::string_view name = "Const",
               SourceLocation location = SourceLocation::Current()) {
    using Element = internal::ConstantType<T, V>;
    return Const(Tensor::Scalar<Element>(static_cast<Element>(value)), name,
                 location);
  }
  template <class T = void>
  Output Const(std::initializer_list<Operand> list,
               absl::string_view name = "Const",
               SourceLocation location = SourceLocation::Current()) {
    if constexpr (std::is_void_v<T>) {
      return ConstOf(list, std::nullopt, name, location);
    } else {
      static_assert(kDTypeOf<T> != DType::kInvalid,
                    "Const<T> wants a T that tensors can have as elements");
      return ConstOf(list, kDTypeOf<T>, name, location);
    }
  }
  // Converts an operand to an Output, as op functions do. Returns the Output
  // itself, adds a constant, or adds a Pack for a list with Outputs in it.
  // Numbers become constants of `dtype`. It is an error if a number does not
  // fit `dtype`.
  Output AsOutput(const Operand& operand, DType dtype,
                  absl::string_view name = "Const",
                  SourceLocation location = SourceLocation::Current());
  // Converts an operand as the function above does, but without a given dtype.
  // In a list with Outputs, numbers get the dtype of the Outputs. Other numbers
  // get the dtype that Const gives them.
  Output AsOutput(const Operand& operand, absl::string_view name,
                  SourceLocation location = SourceLocation::Current());
  // Adds a NoOp that runs after all operations in `after`.
  Operation Group(absl::Span<const Operation> after,
                  absl::string_view name = "group",
                  SourceLocation location = SourceLocation::Current());

  // Adds a variable with the dtype and shape of `initial_value`. The variable's
  // initializer assigns `initial_value` to the variable. The variable belongs
  // to the graph even if it is added inside the body of a function. In that
  // case, `initial_value` must come from outside of all bodies.
  //
  //   b.Variable("count", 0), b.Variable("bias", {0.5, 0.5})
  leat::Variable Variable(absl::string_view name, const Operand& initial_value,
                          VariableOptions options = {},
                          SourceLocation location = SourceLocation::Current());

  // The next methods open a scope and return it. The scope applies to the nodes
  // that are added until it ends. Scopes must end in the reverse order of their
  // opening; otherwise the builder fails.
  //
  // NameScope puts the names of new nodes under "name/", after making `name`
  // unique. A `name` that ends in '/' is a full name: it does not go under the
  // open name scopes, and is not changed. A program uses a full name to enter a
  // scope again. The name "/" stands for no name scope.
  Scope NameScope(absl::string_view name,
                  SourceLocation location = SourceLocation::Current());
  // Requests `device`, a full or partial name, for new nodes. Parts that
  // `device` leaves open come from the enclosing device scopes.
  Scope OnDevice(absl::string_view device,
                 SourceLocation location = SourceLocation::Current());
  // Requests the device that `function` chooses for each new node. Device
  // scopes inside of this scope override the choice. Enclosing device scopes
  // add the parts that the choice leaves open. The builder does not call
  // `function` for nodes that it puts on the device of another node, such as
  // the read of a variable. train/nn/replica_device_setter.h has an example.
  Scope OnDevice(DeviceFunction function,
                 SourceLocation location = SourceLocation::Current());
  // Puts new nodes on the device of `operation` (TensorFlow's attr _class,
  // "loc:@name").
  Scope ColocateWith(Operation operation,
                     SourceLocation location = SourceLocation::Current());
  // Adds control edges that make new nodes run after `operations`. A node that
  // takes an input from another node of this scope gets no control edges,
  // because that other node runs after `operations` already.
  Scope ControlDependencies(
      absl::Span<const Operation> operations,
      SourceLocation location = SourceLocation::Current());
  // Suspends the enclosing ControlDependencies scopes.
  Scope NoControlDependencies(
      SourceLocation location = SourceLocation::Current());
  // Puts the variables that GetVariable makes under "name/". Entering a
  // variable scope of the same name again gives the same variables (see
  // train/nn). Also opens a name scope with a unique name.
  Scope VariableScope(absl::string_view name,
                      SourceLocation location = SourceLocation::Current());

  // Makes errors name `location` as the place in the program, regardless of the
  // code that adds the nodes. Does nothing inside of another CallSite() scope.
  // Functions that add several nodes for their caller use this scope.
  Scope CallSite(SourceLocation location);

  // Returns the variable `name` of the current variable scope. If there is
  // none, makes it with the initial value that `initial_value` returns.
  // `initial_value` is called in a separate name scope, and the nodes that it
  // adds are colocated with the variable. It is an error if the variable exists
  // with another dtype or shape.
  leat::Variable GetVariable(
      absl::string_view name, DType dtype, const Shape& shape,
      absl::FunctionRef<Output()> initial_value, VariableOptions options = {},
      SourceLocation location = SourceLocation::Current());
  // Returns the name for the next unnamed layer of this kind in the current
  // variable scope: "dense", "dense_1" and so on. Entering the variable scope
  // again gives the same names again. Never returns the name of a variable
  // scope that was opened in the current variable scope.
  std::string LayerName(absl::string_view kind);

  // variables() returns all variables of the graph, and TrainableVariables()
  // returns the trainable ones. Both are in the order in which the variables
  // were made.
  const std::vector<leat::Variable>& variables() const;
  std::vector<leat::Variable> TrainableVariables() const;
  // Adds `operation` to updates(). Every training step runs these operations
  // besides the optimizer's update. An example is the update of a moving
  // average. An operation inside a body runs whenever the body runs.
  void AddUpdate(Operation operation,
                 SourceLocation location = SourceLocation::Current());
  // Returns the operations that AddUpdate added. For an operation inside a
  // body, returns the node that calls the body instead. An optimizer's
  // Minimize() runs these operations.
  const std::vector<Operation>& updates() const;

  // Returns the prefix of names in the open name scopes, such as "a/b/", or ""
  // if no name scope is open.
  const std::string& name_prefix() const;

  // Sets the seed of the graph. OpSeeds derives the seeds of random ops from
  // it.
  void SetSeed(int64_t seed);
  // Returns the seeds of a random op, (graph seed, op seed), as TensorFlow
  // 1.x's Python computes them. If only the graph's seed is set, the op seed is
  // the number of nodes so far. If only `op_seed` is set, the graph seed is
  // 87654321. If neither is set, both are 0, which means that the op is not
  // deterministic.
  std::pair<int64_t, int64_t> OpSeeds(std::optional<int64_t> op_seed = {});

  // Converts the numbers among the inputs to constants, adds a node, and infers
  // its shapes. The op functions and the methods above call AddOp. If `args`
  // and its inputs have no location, errors name `caller`. Returns an invalid
  // Operation after an error.
  Operation AddOp(OpArgs args,
                  SourceLocation caller = SourceLocation::Current());

  // Records the error `status` and adds `location` to its message. Does nothing
  // if the builder already has an error.
  void Fail(absl::Status status, SourceLocation location);
  // Returns the first error, or OK if there was none.
  const absl::Status& status() const;

  // Returns a copy of the graph built so far, with the functions that its nodes
  // call. The program can continue to use the builder. Adds to the copy a NoOp
  // that runs the initializers of all variables. The name of the NoOp is
  // "init", made unique. Graph::init_op() of the copy is this name. Fails with
  // the first error that was recorded, or with FAILED_PRECONDITION inside a
  // body.
  absl::StatusOr<Graph> Build();

  // Returns the graph under construction, or the body if this builder builds a
  // body. The graph has no functions, because Build() adds them to its result
  // only.
  const Graph& graph() const;
  // Returns what shape inference knows of an output of graph(), or null if
  // there is no such output. The pointer is valid until a node is added.
  const InferredOutput* inferred(Endpoint endpoint) const;

 private:
  friend struct BuilderAccess;
  friend class Operation;
  struct State;
  explicit GraphBuilder(std::shared_ptr<State> state);
  // Calls Fail with `status`, and puts the name and op of `node` before the
  // message.
  void FailAt(const Node& node, const absl::Status& status,
              SourceLocation location);
  // Returns the builder that gets new nodes: the builder of the innermost open
  // body, or of the graph if no body is open.
  GraphBuilder& Current() const;
  // Adds a constant with the elements of `list`. Without `dtype`, the numbers
  // decide the dtype.
  Output ConstOf(const Operand& list, std::optional<DType> dtype,
                 absl::string_view name, SourceLocation location);
  // Adds the nodes of a variable. `node_name` includes the name scopes.
  leat::Variable MakeVariable(absl::string_view node_name, Output initial_value,
                              const VariableOptions& options,
                              SourceLocation location);

  std::shared_ptr<State> state_;  // scopes keep weak references
};

// Adds a node to the builder of the first input that has a builder. No input
// has a builder if all inputs are constants or default-constructed. In that
// case, AddOp returns an invalid Operation. The builder that later gets an
// output of this Operation reports the error. The generated op functions call
// AddOp. The functions of ops that may have no inputs take a GraphBuilder& and
// call its AddOp instead.
Operation AddOp(OpArgs args, SourceLocation caller = SourceLocation::Current());

template <class T>
T Operation::attr(absl::string_view name, SourceLocation location) const {
  if (!IsValid() || !builder_->graph().Contains(id_)) return T{};
  const Node& node = builder_->graph().node(id_);
  auto value = node.attrs().Get<T>(name);
  if (!value.ok()) {
    builder_->FailAt(node, value.status(), location);
    return T{};
  }
  return *std::move(value);
}

}  // namespace leat

#endif  // LEAT_GRAPH_BUILDER_BUILDER_H_
