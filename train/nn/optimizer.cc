// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the methods of the base class Optimizer, which all optimizers share.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/optimizer_update.h"
#include "leat/train/nn/optimizers.h"

namespace leat::nn {
namespace {

Operation Invalid(GraphBuilder* builder) { return Operation(builder, kNoNode); }

// Adds up the rows that have equal indices.
IndexedSlices Deduplicate(const IndexedSlices& rows, SourceLocation location) {
  const auto unique = op::Unique(rows.indices, {}, location);
  const Output count = op::Size(unique.y, {}, location);
  return {.values =
              op::UnsortedSegmentSum(rows.values, unique.idx, count, location),
          .indices = unique.y,
          .dense_shape = rows.dense_shape};
}

// Rounds a number to float32, as TensorFlow's optimizers do for variables of
// all dtypes.
Operand AsFloat32(const Operand& value) {
  if (!value.number().has_value() || value.number()->rank() != 0 ||
      value.number()->dtype() != DType::kDouble) {
    return value;  // the op that takes a list reports the error
  }
  const auto rounded = static_cast<float>(value.number()->scalar<double>());
  return Operand(static_cast<double>(rounded), value.location());
}

// Returns the nodes that are inputs of other nodes.
absl::flat_hash_set<NodeId> UsedNodes(const Graph& graph) {
  absl::flat_hash_set<NodeId> used;
  for (NodeId id : graph.NodeIds()) {
    for (Endpoint input : graph.node(id).inputs) used.insert(input.node);
  }
  return used;
}

// Returns the builder of the first variable or gradient that belongs to a node,
// or null if there is none.
GraphBuilder* BuilderOf(absl::Span<const VariableGradient> gradients) {
  for (const auto& [variable, gradient] : gradients) {
    GraphBuilder* b = variable.handle().builder();
    if (b != nullptr) return b;
    if (gradient.IsNone()) continue;
    b = gradient.IsSparse() ? gradient.slices().values.builder()
                            : gradient.AsDense().builder();
    if (b != nullptr) return b;
  }
  return nullptr;
}

// Returns the operations that a step runs before it updates variables.
std::vector<Operation> RootsOfStep(const Output& loss,
                                   absl::Span<const VariableGradient> gradients,
                                   std::vector<Operation> updates) {
  std::vector<Operation> roots = std::move(updates);
  roots.push_back(loss.operation());
  for (const auto& [variable, gradient] : gradients) {
    if (gradient.IsSparse()) {
      roots.push_back(gradient.slices().values.operation());
      roots.push_back(gradient.slices().indices.operation());
    } else {
      roots.push_back(gradient.AsDense().operation());
    }
  }
  return roots;
}

// Returns the nodes on which `roots` depend, and the roots themselves.
absl::flat_hash_set<NodeId> WithAncestors(const GraphBuilder& b,
                                          absl::Span<const Operation> roots) {
  const Graph& graph = b.graph();
  absl::flat_hash_set<NodeId> found;
  std::vector<NodeId> left;
  const auto visit = [&](NodeId id) {
    if (graph.Contains(id) && found.insert(id).second) left.push_back(id);
  };
  for (const Operation& root : roots) {
    if (root.builder() == &b) visit(root.id());
  }
  while (!left.empty()) {
    const Node& node = graph.node(left.back());
    left.pop_back();
    for (const Endpoint input : node.inputs) visit(input.node);
    for (const NodeId control : node.controls) visit(control);
  }
  return found;
}

// Maps the handle of each variable to nodes of the step. These are the nodes
// that have a body (of a Cond or a While) in which the variable may be read.
absl::flat_hash_map<NodeId, std::vector<Operation>> BodyReaders(
    GraphBuilder& b, absl::Span<const Operation> roots) {
  absl::flat_hash_map<NodeId, std::vector<Operation>> readers;
  const absl::flat_hash_set<NodeId> in_step = WithAncestors(b, roots);
  for (NodeId id : b.graph().NodeIds()) {
    const Node& node = b.graph().node(id);
    if (!in_step.contains(id) ||
        (node.op() != "If" && node.op() != "Case" && node.op() != "While")) {
      continue;
    }
    for (Endpoint input : node.inputs) {
      readers[input.node].push_back(Operation(&b, id));
    }
  }
  return readers;
}

// Adds one to the variable `step`, on its device, after the operations of the
// open scopes.
Operation CountUp(const Variable& step, SourceLocation location) {
  Scope colocated = step.handle().builder()->ColocateWith(
      step.handle().operation(), location);
  if (!step.is_resource()) {
    return op::AssignAdd(step.handle(), 1, {}, location).operation();
  }
  Output one =
      step.handle().builder()->AsOutput(1, step.dtype(), "value", location);
  return op::AssignAddVariableOp(step.handle(), one, location);
}

}  // namespace

std::vector<VariableGradient> Optimizer::ComputeGradients(
    Output loss, absl::Span<const Variable> variables,
    SourceLocation location) const {
  GraphBuilder* b = loss.builder();
  if (b == nullptr || !b->status().ok()) return {};
  const Scope site = b->CallSite(location);
  if (!loss.shape().IsCompatibleWith(Shape{})) {
    b->Fail(absl::InvalidArgumentError(absl::StrCat(
                name_, ": the loss ", loss.name(), " must be a scalar, got ",
                loss.shape().DebugString())),
            location);
    return {};
  }
  std::vector<Output> handles;
  for (const Variable& variable : variables) {
    handles.push_back(variable.handle());
  }
  const Output losses[] = {loss};
  const std::vector<Gradient> gradients =
      Gradients(losses, handles, {}, location);
  std::vector<VariableGradient> result;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (gradients[i].IsNone()) continue;
    result.push_back({.variable = variables[i], .gradient = gradients[i]});
  }
  return result;
}

Operation Optimizer::Minimize(Output loss, MinimizeOptions options,
                              SourceLocation location) const {
  GraphBuilder* b = loss.builder();
  if (b == nullptr || !b->status().ok()) return Invalid(b);
  const Scope site = b->CallSite(location);
  if (!CheckOutsideBodies(*b, location)) return Invalid(b);
  if (options.variables.empty()) options.variables = b->TrainableVariables();
  const std::vector<VariableGradient> gradients =
      ComputeGradients(loss, options.variables, location);
  if (!b->status().ok()) return Invalid(b);
  if (gradients.empty()) {
    b->Fail(absl::InvalidArgumentError(absl::StrCat(
                name_, ": the loss ", loss.name(), " depends on none of the ",
                options.variables.size(), " variables")),
            location);
    return Invalid(b);
  }
  return Apply(loss, gradients, options, location);
}

bool Optimizer::CheckOutsideBodies(GraphBuilder& b,
                                   SourceLocation location) const {
  const std::string function = OpenFunction(b);
  if (function.empty()) return true;
  b.Fail(absl::FailedPreconditionError(absl::StrCat(
             name_, ": variables are updated inside of '", function,
             "': call Minimize or ApplyGradients outside of it")),
         location);
  return false;
}

bool Optimizer::CheckVariables(GraphBuilder& b,
                               absl::Span<const VariableGradient> gradients,
                               const MinimizeOptions& options,
                               SourceLocation location) const {
  const auto check = [&](const Variable& variable, absl::string_view what) {
    const Output handle = variable.handle();
    if (handle.dtype() != DType::kInvalid && handle.builder() == &b) {
      return true;
    }
    b.Fail(absl::InvalidArgumentError(absl::StrCat(
               name_, ": ", what,
               handle.dtype() == DType::kInvalid
                   ? " is no variable"
                   : absl::StrCat(" '", variable.name(),
                                  "' belongs to another GraphBuilder"))),
           location);
    return false;
  };
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!check(gradients[i].variable, absl::StrCat("gradients[", i, "]"))) {
      return false;
    }
  }
  return !options.global_step.has_value() ||
         check(*options.global_step, "global_step");
}

// Makes one node per number and dtype, when the first variable of that dtype is
// updated.
const Optimizer::Values& Optimizer::ValuesFor(GraphBuilder& b, DType dtype,
                                              SourceLocation location,
                                              ValuesByType& all) const {
  auto [it, is_new] = all.try_emplace(dtype);
  if (!is_new) return it->second;
  for (const Number& number : Numbers()) {
    Output value =
        b.AsOutput(AsFloat32(number.value), dtype, number.name, location);
    if (value.IsValid() && value.dtype() != dtype) {
      value = op::Cast(value, dtype, {}, location);
    }
    it->second[number.name] = value;
  }
  return it->second;
}

// The powers are on the device of the variable whose name comes first in
// alphabetical order. They are float32 even if that variable has another dtype,
// as in TensorFlow.
absl::flat_hash_map<std::string, Variable> Optimizer::MakePowers(
    GraphBuilder& b, absl::Span<const VariableGradient> gradients,
    SourceLocation location) const {
  const Variable home =
      std::min_element(gradients.begin(), gradients.end(),
                       [](const auto& x, const auto& y) {
                         return x.variable.name() < y.variable.name();
                       })
          ->variable;
  absl::flat_hash_map<std::string, Variable> powers;
  const std::vector<Number> numbers = Numbers();
  for (const Power& power : Powers()) {
    const auto number =
        std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) {
          return absl::string_view(n.name) == power.number;
        });
    Scope root = b.NameScope("/", location);
    Scope colocated = b.ColocateWith(home.handle().operation(), location);
    const Output initial = b.AsOutput(
        number->value, DType::kFloat,
        absl::StrCat(power.name, "/Initializer/initial_value"), location);
    powers[power.name] = b.Variable(
        power.name, initial,
        {.trainable = false, .use_resource = home.is_resource()}, location);
  }
  return powers;
}

// Multiplies the variable `power` by `number`.
Operation Optimizer::MultiplyPower(const Variable& power, Output number,
                                   SourceLocation location) const {
  Scope colocated = power.handle().builder()->ColocateWith(
      power.handle().operation(), location);
  const Output next = power.value() * number;
  return power.is_resource()
             ? op::AssignVariableOp(power.handle(), next, {}, location)
             : op::Assign(power.handle(), next, {}, location).operation();
}

Operation Optimizer::UpdateOne(Update& update, const Gradient& gradient,
                               SourceLocation location) const {
  if (!gradient.IsSparse()) return Dense(update, gradient.AsDense());
  if (KeepsDuplicates()) return Sparse(update, gradient.slices());
  return Sparse(update, Deduplicate(gradient.slices(), location));
}

Operation Optimizer::ApplyGradients(
    absl::Span<const VariableGradient> gradients,
    const MinimizeOptions& options, SourceLocation location) const {
  return Apply(Output(), gradients, options, location);
}

Operation Optimizer::Apply(const Output& loss,
                           absl::Span<const VariableGradient> gradients,
                           const MinimizeOptions& options,
                           SourceLocation location) const {
  GraphBuilder* const b = BuilderOf(gradients);
  if (b == nullptr || !b->status().ok()) return Invalid(b);
  const Scope site = b->CallSite(location);
  if (!CheckOutsideBodies(*b, location) ||
      !CheckVariables(*b, gradients, options, location)) {
    return Invalid(b);
  }
  Scope scope =
      b->NameScope(options.name.empty() ? name_ : options.name, location);
  const std::string step_name = b->name_prefix();
  const auto powers = MakePowers(*b, gradients, location);
  ValuesByType values;
  const absl::flat_hash_set<NodeId> used = UsedNodes(b->graph());
  const std::vector<Operation> updates =
      options.run_updates ? b->updates() : std::vector<Operation>();
  const auto body_readers =
      BodyReaders(*b, RootsOfStep(loss, gradients, updates));
  std::vector<Operation> last;
  for (const auto& [variable, gradient] : gradients) {
    const Values& numbers = ValuesFor(*b, variable.dtype(), location, values);
    Scope names =
        b->NameScope(absl::StrCat("update_", variable.name()), location);
    Scope colocated = b->ColocateWith(variable.handle().operation(), location);
    // `readers` are the nodes that read the variable in this step. They run
    // before the update.
    std::vector<Operation> readers;
    if (const auto it = body_readers.find(variable.handle().operation().id());
        it != body_readers.end()) {
      readers = it->second;
    }
    if (used.contains(variable.value().operation().id())) {
      readers.push_back(variable.value().operation());
    }
    Scope after = b->ControlDependencies(readers, location);
    Update update(*b, variable, name_, numbers, powers, location);
    last.push_back(UpdateOne(update, gradient, location));
    if (!b->status().ok()) return Invalid(b);
  }
  {
    Scope after = b->ControlDependencies(last, location);
    std::vector<Operation> multiplied;
    for (const Power& power : Powers()) {
      const Variable& variable = powers.at(power.name);
      const Values& numbers = ValuesFor(*b, variable.dtype(), location, values);
      multiplied.push_back(
          MultiplyPower(variable, numbers.at(power.number), location));
    }
    last.insert(last.end(), multiplied.begin(), multiplied.end());
  }
  last.insert(last.end(), updates.begin(), updates.end());
  if (options.global_step.has_value()) {
    Scope after = b->ControlDependencies(last, location);
    last.push_back(CountUp(*options.global_step, location));
  }
  if (!b->status().ok()) return Invalid(b);
  return b->Group(last, step_name, location);
}

}  // namespace leat::nn
