// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphBuilder: builds a graph from C++. Op functions (ops.h, generated) take
// Outputs and return Outputs; scopes are RAII objects. The first error sticks,
// with the node's name and the call site; Build() reports it, everything until
// then is a no-op. Not thread-safe. See examples/ for complete programs.
//
// While the body of a Cond or a While (control_flow.h) is being built, whatever
// is added lands in that body, through whichever handle it was asked for.
#ifndef LEAT_GRAPH_BUILDER_H_
#define LEAT_GRAPH_BUILDER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/source_location.h"
#include "leat/graph/gradient_registry.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/output.h"
#include "leat/graph/shape_inference.h"

namespace leat {

// The argument of an op: one tensor, or a list of them.
class OpInput {
 public:
  OpInput(Operand operand)  // NOLINT: the conversion is the purpose
      : operands_({std::move(operand)}) {}
  OpInput(Output output,  // NOLINT
          SourceLocation location = SourceLocation::Current())
      : operands_({Operand(output, location)}) {}
  OpInput(absl::Span<const Output> list)  // NOLINT
      : is_list_(true), operands_(list.begin(), list.end()) {}

  bool is_list() const { return is_list_; }
  absl::Span<const Operand> operands() const { return operands_; }

 private:
  bool is_list_ = false;
  std::vector<Operand> operands_;
};

// A node to add: what the generated op functions fill in. Attrs that are the
// type or the count of an argument follow from the inputs; those given must
// agree with them. `name` is put under the open name scopes and made unique; ""
// stands for the op's name, one ending in '/' is taken as it is, from the root.
struct OpArgs {
  absl::string_view op = {};
  std::vector<OpInput> inputs = {};  // one per argument of the op
  AttrMap attrs = {};
  std::string name = {};
  SourceLocation location = {};
};

// The (partial) device for a new node, "" for any. `device` of the node is what
// the scopes inside of the function's ask for; its types are not known yet.
using DeviceFunction =
    std::function<absl::StatusOr<std::string>(const NodeDef& node)>;

// Ends when destroyed.
class [[nodiscard]] Scope {
 public:
  explicit Scope(std::function<void()> end) : end_(std::move(end)) {}
  Scope(Scope&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Scope& operator=(Scope&&) = delete;
  ~Scope() {
    if (end_) end_();
  }

 private:
  std::function<void()> end_;
};

// A mutable tensor that outlives steps: a VarHandleOp (resource semantics, the
// default) or a VariableV2 (reference semantics).
class Variable {
 public:
  Output handle() const { return handle_; }  // of dtype resource, or a ref
  // A read in the current step; in the body of a Cond or a While a read there.
  Output value() const;
  Operation initializer() const { return initializer_; }
  std::string name() const { return handle_.operation().name(); }
  DType dtype() const { return value_.dtype(); }
  PartialShape shape() const { return value_.shape(); }
  bool is_resource() const { return !handle_.is_ref(); }
  bool is_trainable() const { return trainable_; }

 private:
  friend class GraphBuilder;
  Output handle_;
  Output value_;
  Operation initializer_;
  bool trainable_ = true;
};

struct VariableOptions {
  bool trainable = true;
  bool use_resource = true;
  std::string container = {};
  std::string shared_name = {};  // "": the node's name
};

class GraphBuilder {
 public:
  // The registries are borrowed and outlive builder and graph.
  explicit GraphBuilder(const OpRegistry& ops = BuiltinOps(),
                        const GradientRegistry& gradients = BuiltinGradients());
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // Ops without inputs.
  Output Placeholder(DType dtype, absl::string_view name,
                     const PartialShape& shape = {},
                     SourceLocation location = SourceLocation::Current());
  template <class T>
  Output Placeholder(absl::string_view name, const PartialShape& shape = {},
                     SourceLocation location = SourceLocation::Current()) {
    return Placeholder(kDTypeOf<T>, name, shape, location);
  }
  Output Const(Tensor value, absl::string_view name = "Const",
               SourceLocation location = SourceLocation::Current());
  template <class T>
  Output Const(const T& value, absl::string_view name = "Const",
               SourceLocation location = SourceLocation::Current()) {
    return Const(Tensor::Scalar<T>(value), name, location);
  }
  // What an op function would make of an argument of that dtype: the output, or
  // a constant (an error when its value does not fit).
  Output AsOutput(const Operand& operand, DType dtype,
                  absl::string_view name = "Const",
                  SourceLocation location = SourceLocation::Current());
  // Does nothing, after all of `after`.
  Operation Group(absl::Span<const Operation> after,
                  absl::string_view name = "group",
                  SourceLocation location = SourceLocation::Current());

  // A variable whose initializer assigns `initial_value`. Variables belong to
  // the graph, also those asked for in a body.
  leat::Variable Variable(absl::string_view name, Output initial_value,
                          VariableOptions options = {},
                          SourceLocation location = SourceLocation::Current());

  // Scopes end in the reverse order of their opening. Until the returned scope
  // ends, new nodes get ...
  // ... names under "name/", made unique ("name/" is taken as it is, from the
  // root, so that a scope can be entered again; "/" is the root);
  Scope NameScope(absl::string_view name,
                  SourceLocation location = SourceLocation::Current());
  // ... this device, merged over the enclosing scopes' (partial) ones;
  Scope OnDevice(absl::string_view device,
                 SourceLocation location = SourceLocation::Current());
  // ... what this says for each of them, merged in the same way, so for what
  // inner scopes leave open (see train/nn/replica_device_setter.h). It is not
  // asked for what stands beside another node, such as a variable's read;
  Scope OnDevice(DeviceFunction function,
                 SourceLocation location = SourceLocation::Current());
  // ... the device of `operation` (TensorFlow's _class "loc:@name");
  Scope ColocateWith(Operation operation,
                     SourceLocation location = SourceLocation::Current());
  // ... control edges from these, unless an input comes from this scope and so
  // runs after them already;
  Scope ControlDependencies(
      absl::Span<const Operation> operations,
      SourceLocation location = SourceLocation::Current());
  // ... no control edges from the scopes opened before.
  Scope NoControlDependencies(
      SourceLocation location = SourceLocation::Current());
  // ... variables shared by name: entering a scope of the same name again
  // gives the same variables (see train/nn). Opens a name scope too.
  Scope VariableScope(absl::string_view name,
                      SourceLocation location = SourceLocation::Current());

  // ... errors that name this place as their call site, whatever place the
  // nodes are made at, unless an enclosing scope names one already: for
  // functions that add several nodes for their caller.
  Scope CallSite(SourceLocation location);

  // A variable of the current variable scope: the one of that name made
  // before, if dtype and shape agree (an error if not), or a new one made from
  // `initial_value`, which is called under the variable's device and name.
  leat::Variable GetVariable(
      absl::string_view name, DType dtype, const Shape& shape,
      absl::FunctionRef<Output()> initial_value, VariableOptions options = {},
      SourceLocation location = SourceLocation::Current());
  // The name for the next unnamed layer: "dense", "dense_1", ... in order
  // within the current variable scope, the same again on re-entry. Names of
  // variable scopes opened here count too.
  std::string LayerName(absl::string_view kind);

  const std::vector<leat::Variable>& variables() const;
  std::vector<leat::Variable> TrainableVariables() const;
  // Operations that every training step runs besides the update (moving
  // averages). Minimize() uses them.
  void AddUpdate(Operation operation,
                 SourceLocation location = SourceLocation::Current());
  const std::vector<Operation>& updates() const;

  // The open name scopes: "" or "a/b/".
  const std::string& name_prefix() const;

  // Seeds ops as TensorFlow 1.x's Python does: (graph seed, op seed), where
  // only the graph's is set, the op's is the number of nodes so far; where only
  // the op's is set, the graph's is 87654321; (0, 0), not deterministic,
  // without.
  void SetSeed(int64_t seed);
  std::pair<int64_t, int64_t> OpSeeds(std::optional<int64_t> op_seed = {});

  // The one way in: adds a node, converts constants, infers shapes. `caller` is
  // for errors where neither `args` nor its inputs have a location.
  Operation AddOp(OpArgs args,
                  SourceLocation caller = SourceLocation::Current());

  // The gradients of the sum of `ys` (each weighted by `grad_ys`, ones when
  // absent) with respect to `xs`. An x that no y reaches gets an empty
  // Gradient.
  std::vector<Gradient> Gradients(
      absl::Span<const Output> ys, absl::Span<const Output> xs,
      absl::Span<const Output> grad_ys = {},
      SourceLocation location = SourceLocation::Current());

  // The first error keeps; OK until then.
  void Fail(absl::Status status, SourceLocation location);
  const absl::Status& status() const;

  // What has been built so far, as a graph of its own, with the functions that
  // it calls: the builder may go on. FAILED_PRECONDITION inside a body.
  // `graph.init_op()` is a NoOp "init" after all variables' initializers.
  absl::StatusOr<Graph> Build();

  // The graph under construction: of the body for the builder of a body's
  // outputs. Functions are added to what Build() gives.
  const Graph& graph() const;
  const InferredOutput* inferred(Endpoint endpoint) const;

 private:
  friend struct BuilderAccess;
  friend class Operation;
  struct State;
  explicit GraphBuilder(std::shared_ptr<State> state);
  // Fail, naming the node.
  void FailAt(const Node& node, const absl::Status& status,
              SourceLocation location);
  // Where what is added lands: this builder, unless a body is open.
  GraphBuilder& Current() const;
  leat::Variable MakeVariable(absl::string_view node_name, Output initial_value,
                              const VariableOptions& options,
                              SourceLocation location);

  std::shared_ptr<State> state_;  // scopes keep weak references
};

// Adds a node to the builder that the inputs belong to. Without any (all inputs
// are constants or default-constructed) the result is invalid. For the
// generated op functions; ops without tensor inputs take a GraphBuilder&.
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

#endif  // LEAT_GRAPH_BUILDER_H_
