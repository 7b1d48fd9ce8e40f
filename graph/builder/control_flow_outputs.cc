// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Adds outputs to If, Case and While nodes for the values that their gradients
// need.
#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"
#include "leat/graph/builder/control_flow_nodes.h"

namespace leat {
namespace {

using State = BuilderAccess::State;

// Holds the inputs and outputs to add to a node.
struct Growth {
  std::vector<Endpoint> inputs = {};
  std::vector<DType> types = {};  // of the outputs
  std::vector<InferredOutput> outputs = {};
};

// Appends the inputs and outputs of `growth` to a node, in place. `types` names
// the attr that lists the types of the node's outputs.
absl::Status Grow(const Operation& node, absl::string_view types,
                  const Growth& growth) {
  if (growth.types.empty()) return absl::OkStatus();
  State& state = BuilderAccess::Of(*node.builder());
  auto def = std::make_shared<NodeDef>(*state.graph.node(node.id()).def);
  LEAT_ASSIGN_OR_RETURN(auto all_types,
                        def->attrs.Get<std::vector<DType>>(types));
  LEAT_ASSIGN_OR_RETURN(
      auto shapes, def->attrs.Get<std::vector<PartialShape>>("output_shapes"));
  all_types.insert(all_types.end(), growth.types.begin(), growth.types.end());
  for (const InferredOutput& output : growth.outputs) {
    shapes.push_back(output.shape);
    state.inferred[node.id()].push_back(output);
  }
  def->attrs.Set(types, std::move(all_types));
  def->attrs.Set("output_shapes", std::move(shapes));
  LEAT_ASSIGN_OR_RETURN(def->input_types, InputTypes(*def->op, def->attrs));
  LEAT_ASSIGN_OR_RETURN(def->output_types, OutputTypes(*def->op, def->attrs));
  state.graph.Replace(node.id(), std::move(def));
  auto& inputs = state.graph.mutable_node(node.id()).inputs;
  inputs.insert(inputs.end(), growth.inputs.begin(), growth.inputs.end());
  return absl::OkStatus();
}

// Returns a tensor of type `dtype` with an arbitrary value. A branch that has
// no value for an output of the node returns such a tensor for this output.
// When that branch runs, nothing uses the output.
absl::StatusOr<Output> Arbitrary(State& state, const InferredOutput& known,
                                 DType dtype) {
  if (dtype == DType::kVariant && known.handle.has_value()) {
    const Tensor shape = Tensor::Scalar<int32_t>(-1);
    LEAT_ASSIGN_OR_RETURN(
        const Operation constant,
        state.AddBare("Const", "unused/element_shape",
                      {{"dtype", shape.dtype()}, {"value", shape}}, {}));
    const Endpoint unknown = constant.output(0).endpoint();
    LEAT_ASSIGN_OR_RETURN(const Operation list,
                          state.AddBare("EmptyTensorList", "unused",
                                        {{"element_dtype", known.handle->dtype},
                                         {"shape_type", DType::kInt32}},
                                        {unknown, unknown}));
    return list.output(0);
  }
  LEAT_ASSIGN_OR_RETURN(
      const Operation parameter,
      state.AddBare("FakeParam", "unused",
                    {{"dtype", dtype}, {"shape", known.shape}}, {}));
  return parameter.output(0);
}

// Adds a variable to the functions of a While. `next` adds the variable's next
// value to the body and returns it. Does not change the node itself, but
// appends the new input and output of the node to `growth`. The caller passes
// `growth` to Grow.
absl::Status AddVariable(
    const Operation& node, absl::string_view name, const Output& initial,
    absl::FunctionRef<absl::StatusOr<Output>(State&, Output)> next,
    Growth& growth) {
  const State& state = BuilderAccess::Of(*node.builder());
  const ControlFlowNode& loop = state.control_flow.at(node.id());
  State& condition = BuilderAccess::Of(*loop.bodies[0]);
  State& body = BuilderAccess::Of(*loop.bodies[1]);
  const InferredOutput known = {.shape = Known(initial).shape,
                                .handle = Known(initial).handle};
  LEAT_RETURN_IF_ERROR(
      condition.AddArgument(name, initial.dtype(), known).status());
  condition.body->arguments.back().outer = initial;
  LEAT_ASSIGN_OR_RETURN(const Output inner,
                        body.AddArgument(name, initial.dtype(), known));
  body.body->arguments.back().outer = initial;
  LEAT_ASSIGN_OR_RETURN(body.body->arguments.back().next, next(body, inner));
  growth.inputs.push_back(initial.endpoint());
  growth.types.push_back(initial.dtype());
  growth.outputs.push_back(known);
  return absl::OkStatus();
}

// Adds a constant to which no open scope applies.
absl::StatusOr<Output> Constant(State& state, std::string name, Tensor value,
                                absl::string_view device) {
  LEAT_ASSIGN_OR_RETURN(
      const Operation constant,
      state.AddBare("Const", std::move(name),
                    {{"dtype", value.dtype()}, {"value", value}}, {}, device));
  return constant.output(0);
}

// Collects the values that an If or Case must return as outputs, and assigns
// new outputs to these values.
class NewBranchOutputs {
 public:
  NewBranchOutputs(absl::Span<GraphBuilder* const> bodies, int first)
      : bodies_(bodies), first_(first), used_(bodies.size()) {
    for (GraphBuilder* body : bodies) {
      auto& numbers = numbers_.emplace_back();
      int number = 0;
      for (const Output& output : BodyOf(*body).returns) {
        numbers.try_emplace(output.endpoint(), number++);
      }
    }
  }

  // Returns the number of the output that has `value` when `branch` runs.
  // Values of different branches can share an output if they have the same
  // KindOf(), because only one branch runs.
  int Find(size_t branch, const Output& value) {
    const auto [it, is_new] =
        numbers_[branch].try_emplace(value.endpoint(), -1);
    if (!is_new) return it->second;
    const std::string kind = KindOf(value);
    std::vector<size_t>& alike = by_kind_[kind];
    const size_t used = used_[branch][kind]++;
    if (used == alike.size()) {
      alike.push_back(values_.size());
      values_.emplace_back(bodies_.size());
      kinds_.push_back(kind);
    }
    values_[alike[used]][branch] = value;
    it->second = first_ + static_cast<int>(alike[used]);
    return it->second;
  }

  // Makes the branches return the new outputs.
  absl::StatusOr<Growth> AddReturns() {
    Growth growth;
    for (const std::vector<Output>& values : values_) {
      const Output& any = *std::find_if(
          values.begin(), values.end(),
          [](const Output& value) { return value.builder() != nullptr; });
      growth.types.push_back(any.dtype());
      growth.outputs.push_back(
          {.shape = Known(any).shape, .handle = Known(any).handle});
    }
    for (size_t branch = 0; branch < bodies_.size(); ++branch) {
      LEAT_RETURN_IF_ERROR(AddReturns(branch, growth));
    }
    return growth;
  }

 private:
  // Returns a text that describes the type, shape and handle that are known of
  // `value`. Two values of the same kind have the same text.
  static std::string KindOf(const Output& value) {
    const InferredOutput& known = Known(value);
    std::string kind =
        absl::StrCat(Name(value.dtype()), known.shape.DebugString());
    if (known.handle.has_value()) {
      absl::StrAppend(&kind, " of ", Name(known.handle->dtype),
                      known.handle->shape.DebugString());
    }
    return kind;
  }

  absl::Status AddReturns(size_t branch, const Growth& growth) {
    State& body = BuilderAccess::Of(*bodies_[branch]);
    absl::flat_hash_map<std::string, Output> arbitrary;
    for (size_t i = 0; i < values_.size(); ++i) {
      Output value = values_[i][branch];
      if (value.builder() == nullptr) {
        Output& unused = arbitrary[kinds_[i]];
        if (unused.builder() == nullptr) {
          LEAT_ASSIGN_OR_RETURN(
              unused, Arbitrary(body, growth.outputs[i], growth.types[i]));
        }
        value = unused;
      }
      body.body->returns.push_back(value);
    }
    return absl::OkStatus();
  }

  const absl::Span<GraphBuilder* const> bodies_;
  const int first_;  // the number of the first new output
  // `numbers_` and `used_` are indexed by branch. `numbers_` maps a value to
  // the number of the output that has the value. `used_` counts the new outputs
  // of each kind that the branch uses.
  std::vector<absl::flat_hash_map<Endpoint, int>> numbers_;
  std::vector<absl::flat_hash_map<std::string, size_t>> used_;
  // Maps a kind to the new outputs of this kind, as indices into values_ and
  // kinds_.
  absl::flat_hash_map<std::string, std::vector<size_t>> by_kind_;
  // `values_` and `kinds_` are indexed by new output. `values_` has the value
  // in each branch, or an invalid Output if a branch has no value. `kinds_` has
  // the kind of the output.
  std::vector<std::vector<Output>> values_;
  std::vector<std::string> kinds_;
};

// Returns how deep lists are nested in `value`, or 0 if `value` is not a list.
// Counts only the lists that nodes keep for their gradients.
int ListDepth(const Output& value) {
  const State& state = BuilderAccess::Of(*value.builder());
  const auto it = state.control_flow.find(value.operation().id());
  if (value.dtype() != DType::kVariant || it == state.control_flow.end()) {
    return 0;
  }
  const std::vector<GraphBuilder*>& bodies = it->second.bodies;
  const size_t index = static_cast<size_t>(value.index());
  if (it->second.is_loop) {
    const Output& pushed = BodyOf(*bodies[1]).arguments[index].pushed;
    return pushed.builder() == nullptr ? 0 : 1 + ListDepth(pushed);
  }
  int depth = 0;
  for (const GraphBuilder* body : bodies) {
    depth = std::max(depth, ListDepth(BodyOf(*body).returns[index]));
  }
  return depth;
}

// Adds a loop variable to the While `node`: a list that starts empty. Each
// iteration appends `value`, which is an output of the loop's body. The caller
// passes `growth` to Grow.
absl::Status AddList(const Operation& node, const Output& value,
                     Growth& growth) {
  if (const int depth = 1 + ListDepth(value); depth > kMaxVariantDepth) {
    return absl::InvalidArgumentError(absl::StrCat(
        "(", value.name(), ") of an iteration would be kept in lists that ",
        "stand ", depth, " deep in each other, one for each loop around it; ",
        "the limit is ", kMaxVariantDepth));
  }
  State& state = BuilderAccess::Of(*node.builder());
  const PartialShape element_shape = Known(value).shape;
  const std::string device = state.graph.node(node.id()).def->device;
  const std::string name =
      absl::StrCat(node.name(), "/", value.operation().name(), "_list");
  LEAT_ASSIGN_OR_RETURN(const Output shape,
                        Constant(state, absl::StrCat(name, "/element_shape"),
                                 ListElementShape(element_shape), device));
  LEAT_ASSIGN_OR_RETURN(const Output limit,
                        Constant(state, absl::StrCat(name, "/max_num_elements"),
                                 Tensor::Scalar<int32_t>(-1), device));
  LEAT_ASSIGN_OR_RETURN(
      const Operation list,
      state.AddBare(
          "EmptyTensorList", name,
          {{"element_dtype", value.dtype()}, {"shape_type", DType::kInt32}},
          {shape.endpoint(), limit.endpoint()}, device));
  const NodeDef& producer =
      *value.builder()->graph().node(value.operation().id()).def;
  const std::string value_device = producer.device;
  LEAT_RETURN_IF_ERROR(AddVariable(
      node, absl::StrCat(value.operation().name(), "_list"), list.output(0),
      [&](State& inside, Output inner) -> absl::StatusOr<Output> {
        LEAT_ASSIGN_OR_RETURN(
            const Operation push,
            inside.AddBare("TensorListPushBack",
                           absl::StrCat(value.operation().name(), "_push"),
                           {{"element_dtype", value.dtype()}},
                           {inner.endpoint(), value.endpoint()}, value_device));
        return push.output(0);
      },
      growth));
  BodyOf(*value.builder()).arguments.back().pushed = value;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Output>>> BranchOutputs(
    const Operation& node, absl::Span<const std::vector<Output>> values) {
  const State& state = BuilderAccess::Of(*node.builder());
  NewBranchOutputs added(state.control_flow.at(node.id()).bodies,
                         node.num_outputs());
  std::vector<std::vector<Output>> outputs(values.size());
  for (size_t branch = 0; branch < values.size(); ++branch) {
    for (const Output& value : values[branch]) {
      outputs[branch].push_back(Output(node, added.Find(branch, value)));
    }
  }
  LEAT_ASSIGN_OR_RETURN(const Growth growth, added.AddReturns());
  LEAT_RETURN_IF_ERROR(Grow(node, "Tout", growth));
  return outputs;
}

absl::StatusOr<Output> IterationsOutput(const Operation& node) {
  State& state = BuilderAccess::Of(*node.builder());
  const int counter = state.control_flow[node.id()].counter;
  if (counter >= 0) return node.output(counter);
  const std::string device = state.graph.node(node.id()).def->device;
  LEAT_ASSIGN_OR_RETURN(
      const Output zero,
      Constant(state, absl::StrCat(node.name(), "/iterations"),
               Tensor::Scalar<int32_t>(0), device));
  Growth growth;
  LEAT_RETURN_IF_ERROR(AddVariable(
      node, "iterations", zero,
      [](State& body, Output inner) -> absl::StatusOr<Output> {
        LEAT_ASSIGN_OR_RETURN(
            const Output one,
            Constant(body, "iterations/one", Tensor::Scalar<int32_t>(1), ""));
        LEAT_ASSIGN_OR_RETURN(
            const Operation sum,
            body.AddBare("AddV2", "iterations/add", {{"T", DType::kInt32}},
                         {inner.endpoint(), one.endpoint()}));
        return sum.output(0);
      },
      growth));
  LEAT_RETURN_IF_ERROR(Grow(node, "T", growth));
  const int added = node.num_outputs() - 1;
  state.control_flow[node.id()].counter = added;
  return node.output(added);
}

absl::StatusOr<std::vector<Output>> ListOutputs(
    const Operation& node, absl::Span<const Output> values) {
  const State& state = BuilderAccess::Of(*node.builder());
  const Body& body = BodyOf(*state.control_flow.at(node.id()).bodies[1]);
  // Maps an output of the body to the index of an output of `node`. This output
  // of `node` is a list that has the value of the body's output in each
  // iteration.
  absl::flat_hash_map<Endpoint, int> numbers;
  for (const BodyArgument& argument : body.arguments) {
    if (argument.pushed.builder() == nullptr) continue;
    numbers.emplace(argument.pushed.endpoint(),
                    body.FindArgument(argument.inner.operation().id()));
  }
  Growth growth;
  std::vector<Output> outputs;
  for (const Output& value : values) {
    const auto [it, is_new] = numbers.try_emplace(
        value.endpoint(), static_cast<int>(body.arguments.size()));
    outputs.push_back(Output(node, it->second));
    if (is_new) LEAT_RETURN_IF_ERROR(AddList(node, value, growth));
  }
  LEAT_RETURN_IF_ERROR(Grow(node, "T", growth));
  return outputs;
}

}  // namespace leat
