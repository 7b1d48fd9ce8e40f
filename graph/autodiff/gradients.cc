// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Implements Gradients, which differentiates in reverse mode by adding nodes.
// In a graph under construction, the id of a node is higher than the ids of its
// inputs, so one pass over descending ids sees every consumer before its
// producers. (The only exceptions are the lists that a While fills for its
// gradient. They have higher ids than the While, but no gradient flows through
// them.)
#include "leat/graph/autodiff/gradients.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/autodiff/differentiate.h"
#include "leat/graph/autodiff/gradient_registry.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/builder_state.h"

namespace leat {
namespace {

bool IsDifferentiable(DType dtype) {
  return CarriesGradient(dtype) && !IsComplex(dtype);
}

// Makes the error for a gradient of complex values: the formulas of the
// gradient functions hold for real numbers only.
absl::Status ComplexError(absl::string_view what, DType dtype) {
  return absl::UnimplementedError(
      absl::StrCat(what, Name(dtype), ": gradients of complex values are not ",
                   "implemented"));
}

Output Concat(absl::Span<const Output> parts) {
  return AddOp({.op = "ConcatV2",
                .inputs = {parts, Operand(0)},
                .name = "concat"})
      .output(0);
}

// Returns the sum of `parts`. The sum is sparse if all parts are sparse.
Gradient Sum(absl::Span<const Gradient> parts) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts[0];
  const bool sparse =
      std::all_of(parts.begin(), parts.end(),
                  [](const Gradient& g) { return g.IsSparse(); });
  std::vector<Output> values, indices;
  for (const Gradient& part : parts) {
    values.push_back(sparse ? part.slices().values : part.AsDense());
    if (sparse) indices.push_back(part.slices().indices);
  }
  if (sparse) {
    return IndexedSlices{.values = Concat(values),
                         .indices = Concat(indices),
                         .dense_shape = parts[0].slices().dense_shape};
  }
  return AddOp({.op = "AddN", .inputs = {absl::MakeConstSpan(values)}})
      .output(0);
}

// Differentiates the nodes of one builder. Call AddX for each x, then
// FindDependents, then Seed for each y, then Run. After this, Total returns the
// gradient of each x.
class Differentiator {
 public:
  Differentiator(GraphBuilder& builder, SourceLocation location)
      : builder_(builder), registry_(BuiltinGradients()), location_(location) {}

  // Returns the arguments of the body. REQUIRES: the builder builds a body.
  const std::vector<BodyArgument>& arguments() const {
    return BuilderAccess::Of(builder_).body->arguments;
  }

  // Asks for the gradient with respect to `x`.
  void AddX(Endpoint x) { xs_.insert(x); }

  // Marks the nodes that depend on an x.
  void FindDependents() {
    const Graph& graph = builder_.graph();
    from_x_.assign(graph.num_ids(), false);
    for (NodeId id = 0; id < graph.num_ids(); ++id) {
      if (!graph.Contains(id)) continue;
      for (Endpoint e : graph.node(id).inputs) {
        if (DependsOnX(e)) from_x_[id] = true;
      }
    }
  }

  bool DependsOnX(Endpoint e) const {
    return xs_.contains(e) ||
           (e.node < static_cast<NodeId>(from_x_.size()) && from_x_[e.node]);
  }

  // Adds `gradient` to the gradients of `y` that Run starts from.
  void Seed(Endpoint y, const Gradient& gradient) {
    parts_[y].push_back(gradient);
    end_ = std::max(end_, y.node + 1);
  }

  // Propagates the gradients from the seeds to the xs.
  void Run() {
    FindSources();
    for (NodeId id = end_ - 1; id >= 0 && builder_.status().ok(); --id) {
      if (!from_x_[id] || !to_y_[id]) continue;
      const Operation operation(&builder_, id);
      std::vector<Gradient> gradients;
      bool any = false;
      for (int i = 0; i < operation.num_outputs(); ++i) {
        gradients.push_back(Total(Endpoint{id, i}));
        any |= !gradients.back().IsNone();
      }
      if (!any) continue;
      const GradientRegistry::Entry* entry = registry_.Find(operation.op());
      if (entry == nullptr) {
        return Fail(operation, "has no registered gradient");
      }
      if (entry->function == nullptr) continue;
      if (!CheckReal(operation)) return;
      Scope scope = OpenScope(operation);
      Differentiate(operation, *entry, std::move(gradients));
    }
  }

  // Returns the sum of the gradients that reached an endpoint.
  Gradient Total(Endpoint endpoint) {
    const auto it = parts_.find(endpoint);
    if (it == parts_.end()) return {};
    if (it->second.size() > 1) it->second = {Sum(it->second)};
    return it->second[0];
  }

 private:
  // Marks the nodes on which a seed depends.
  void FindSources() {
    const Graph& graph = builder_.graph();
    to_y_.assign(end_, false);
    for (const auto& [y, gradients] : parts_) to_y_[y.node] = true;
    for (NodeId id = end_ - 1; id >= 0; --id) {
      if (!to_y_[id] || !graph.Contains(id)) continue;
      for (Endpoint e : graph.node(id).inputs) {
        if (e.node < end_) to_y_[e.node] = true;
      }
    }
  }

  // Opens a scope for the gradient of an operation. Nodes that are added in the
  // scope request the same device as the operation.
  Scope OpenScope(const Operation& operation) const {
    const std::shared_ptr<BuilderAccess::State>& state =
        BuilderAccess::Shared(BuilderAccess::Current(builder_));
    const NodeDef& def = *builder_.graph().node(operation.id()).def;
    const std::string name = state->UniqueName(absl::StrCat(def.name, "_grad"));
    return BuilderAccess::State::Open(
        state, absl::StrCat("gradient of '", def.name, "'"), location_,
        [&](BuilderContext& context) {
          context.name_prefix = absl::StrCat(name, "/");
          if (!def.device.empty()) context.UseDeviceOf(def);
        });
  }

  void Differentiate(const Operation& operation,
                     const GradientRegistry::Entry& entry,
                     std::vector<Gradient> gradients) {
    std::vector<bool> needed;
    for (int i = 0; i < operation.num_inputs(); ++i) {
      const Output input = operation.input(i);
      needed.push_back(DependsOnX(input.endpoint()) &&
                       IsDifferentiable(input.dtype()));
    }
    GradientContext context(operation, std::move(gradients), needed);
    entry.function(context);
    for (size_t k = 0; k < context.result().size(); ++k) {
      const Gradient& gradient = context.result()[k];
      const int i = static_cast<int>(k);
      if (gradient.IsNone()) continue;
      Check(operation, i, gradient);
      parts_[operation.input(i).endpoint()].push_back(gradient);
    }
  }

  // Makes the builder fail and returns false if a gradient would pass through
  // complex values.
  bool CheckReal(const Operation& operation) {
    const int inputs = operation.num_inputs();
    for (int i = 0; i < inputs + operation.num_outputs(); ++i) {
      const bool is_input = i < inputs;
      const Output value =
          is_input ? operation.input(i) : operation.output(i - inputs);
      if (!IsComplex(value.dtype()) ||
          (is_input ? !DependsOnX(value.endpoint())
                    : Total(value.endpoint()).IsNone())) {
        continue;
      }
      builder_.Fail(ComplexError(absl::StrCat(Describe(operation),
                                              is_input ? "takes " : "gives "),
                                 value.dtype()),
                    location_);
      return false;
    }
    return true;
  }

  // Checks `gradient`, the gradient of input i. Makes the builder fail if its
  // type or shape differs from the type or shape of the input.
  void Check(const Operation& operation, int i, const Gradient& gradient) {
    const Output input = operation.input(i);
    if (gradient.IsSparse() || input.dtype() == DType::kResource) return;
    const Output dense = gradient.AsDense();
    if (dense.dtype() == input.dtype() &&
        dense.shape().IsCompatibleWith(input.shape())) {
      return;
    }
    Fail(operation,
         absl::StrCat("has a gradient of ", Name(dense.dtype()),
                      dense.shape().DebugString(), " for its input ", i, ", ",
                      Name(input.dtype()), input.shape().DebugString()));
  }

  void Fail(const Operation& operation, absl::string_view what) {
    builder_.Fail(
        absl::InvalidArgumentError(absl::StrCat(Describe(operation), what)),
        location_);
  }

  // Returns a description such as "node 'x' (Add) of 'cond_then' ". Leaves out
  // the name of the function if the node is not in the body of a function.
  std::string Describe(const Operation& operation) const {
    const Body* body = BuilderAccess::Of(builder_).body.get();
    return absl::StrCat("node '", operation.name(), "' (", operation.op(), ") ",
                        body ? absl::StrCat("of '", body->function, "' ") : "");
  }

  GraphBuilder& builder_;
  const GradientRegistry& registry_;
  SourceLocation location_;
  absl::flat_hash_set<Endpoint> xs_;
  NodeId end_ = 0;
  std::vector<bool> from_x_, to_y_;
  std::map<Endpoint, std::vector<Gradient>> parts_;
};

Output Ones(GraphBuilder& builder, const Output& y, size_t i) {
  const std::string name = absl::StrCat("grad_ys_", i);
  if (y.shape().rank_known() && y.shape().rank() == 0) {
    auto one = ConvertNumbers(Tensor::Scalar<int64_t>(1), y.dtype());
    if (one.ok()) return builder.Const(*std::move(one), name);
  }
  return AddOp({.op = "OnesLike", .inputs = {y}, .name = name}).output(0);
}

// Holds one differentiator for the innermost open body and one for each builder
// around it. If a body captures an output of the builder around it, the
// gradient of the captured value is passed on to that output.
class EnclosingDifferentiators {
 public:
  EnclosingDifferentiators(const BuilderAccess::State& state,
                           SourceLocation location) {
    const std::vector<GraphBuilder*> builders = state.Enclosing();
    captured_.resize(builders.size());
    for (size_t i = 0; i < builders.size(); ++i) {
      number_of_[builders[i]] = i;
      differentiators_.emplace_back(*builders[i], location);
    }
  }

  bool Has(const Output& output) const {
    return number_of_.contains(output.builder());
  }
  // REQUIRES: Has(output).
  Differentiator& Of(const Output& output) {
    return differentiators_[number_of_.at(output.builder())];
  }

  // Calls FindDependents of all differentiators from the outermost to the
  // innermost. If a body captures an output that depends on an x, the
  // argument that stands for the output becomes an x of the body.
  void FindDependents() {
    differentiators_.back().FindDependents();
    for (size_t i = differentiators_.size() - 1; i-- > 0;) {
      for (const BodyArgument& argument : differentiators_[i].arguments()) {
        const Captured captured = {argument.inner.endpoint(),
                                   argument.outer.endpoint()};
        if (!argument.is_captured ||
            !differentiators_[i + 1].DependsOnX(captured.outer)) {
          continue;
        }
        captured_[i].push_back(captured);
        differentiators_[i].AddX(captured.inner);
      }
      differentiators_[i].FindDependents();
    }
  }

  // Runs all differentiators from the innermost to the outermost. The gradient
  // of a captured argument becomes a seed of the next differentiator outwards.
  void Run() {
    for (size_t i = 0; i < differentiators_.size(); ++i) {
      differentiators_[i].Run();
      for (const Captured& captured : captured_[i]) {
        const Gradient gradient = differentiators_[i].Total(captured.inner);
        if (gradient.IsNone()) continue;
        differentiators_[i + 1].Seed(captured.outer, gradient);
      }
    }
  }

 private:
  struct Captured {
    Endpoint inner = {};
    Endpoint outer = {};
  };

  // Hold the differentiator and the captured arguments of each builder, from
  // the innermost body outwards. number_of_ maps each builder to its position.
  std::vector<Differentiator> differentiators_;
  std::vector<std::vector<Captured>> captured_;
  absl::flat_hash_map<const GraphBuilder*, size_t> number_of_;
};

// Checks `outputs`. If an output belongs to none of the enclosing builders,
// replaces it by the output that stands for it in the innermost builder.
absl::Status ResolveOutputs(BuilderAccess::State& state,
                            const EnclosingDifferentiators& enclosing,
                            absl::string_view what, bool differentiable,
                            std::vector<Output>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    Output& output = outputs[i];
    const std::string name = absl::StrCat("Gradients: ", what, "[", i, "] ");
    if (output.dtype() == DType::kInvalid) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, "is an output of no node"));
    }
    if (!enclosing.Has(output)) {
      absl::StatusOr<Output> resolved = state.Resolve(output);
      if (!resolved.ok()) {
        return absl::Status(resolved.status().code(),
                            absl::StrCat(name, resolved.status().message()));
      }
      output = *resolved;
    }
    if (differentiable && IsComplex(output.dtype())) {
      return ComplexError(absl::StrCat(name, "(", output.name(), ") is "),
                          output.dtype());
    }
    if (differentiable && !IsDifferentiable(output.dtype())) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, "(", output.name(), ") is ", Name(output.dtype()),
                       ", which has no gradient"));
    }
  }
  return absl::OkStatus();
}

// Checks that `grad_ys` is empty or has one element for each y. Checks that
// each element has the dtype of its y and a shape that y may have. If y is the
// handle of a variable, its gradient has the dtype and shape of the variable,
// and is not checked.
absl::Status CheckGradYs(absl::Span<const Output> ys,
                         absl::Span<const Output> grad_ys) {
  if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Gradients: there are ", ys.size(), " ys but ", grad_ys.size(),
        " grad_ys; give one for each of the ys, or none"));
  }
  for (size_t i = 0; i < grad_ys.size(); ++i) {
    const Output& y = ys[i];
    const Output& grad = grad_ys[i];
    if (y.dtype() == DType::kResource) continue;
    if (grad.dtype() == y.dtype() && grad.shape().IsCompatibleWith(y.shape())) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "Gradients: grad_ys[", i, "] (", grad.name(), ") is ",
        Name(grad.dtype()), grad.shape().DebugString(), ", but ys[", i, "] (",
        y.name(), ") is ", Name(y.dtype()), y.shape().DebugString()));
  }
  return absl::OkStatus();
}

// Returns the builder of the first operand that has one, or null.
GraphBuilder* BuilderOf(const OperandList& ys, const OperandList& xs) {
  for (const OperandList* const list : {&ys, &xs}) {
    for (const Operand& operand : list->operands()) {
      if (operand.builder() != nullptr) return operand.builder();
    }
  }
  return nullptr;
}

// Returns the Outputs of the list. A number has no Output, so it becomes an
// invalid Output, which ResolveOutputs reports.
std::vector<Output> OutputsOf(const OperandList& list) {
  std::vector<Output> outputs;
  for (const Operand& operand : list.operands()) {
    outputs.push_back(operand.output());
  }
  return outputs;
}

// Returns the tensors that weight the ys. A number becomes a constant of the
// dtype of its y.
std::vector<Output> Weights(GraphBuilder& builder, const OperandList& grad_ys,
                            absl::Span<const Output> ys) {
  std::vector<Output> weights;
  for (const Operand& operand : grad_ys.operands()) {
    const size_t i = weights.size();
    const DType dtype = i < ys.size() ? ys[i].dtype() : DType::kFloat;
    weights.push_back(
        builder.AsOutput(operand, dtype, absl::StrCat("grad_ys_", i)));
  }
  return weights;
}

}  // namespace

Output Gradient::AsDense() const {
  if (!slices_.has_value()) return dense_;
  const IndexedSlices& slices = *slices_;
  const PartialShape values = slices.values.shape();
  const InferredOutput* shape = slices.dense_shape.builder() == nullptr
                                    ? nullptr
                                    : slices.dense_shape.builder()->inferred(
                                          slices.dense_shape.endpoint());
  Operand rows = slices.dense_shape;
  if (shape != nullptr && shape->value_as_shape.has_value() &&
      shape->value_as_shape->rank() > 0 &&
      shape->value_as_shape->dim_known(0)) {
    rows = Operand(Tensor::Scalar<int32_t>(
        static_cast<int32_t>(shape->value_as_shape->dim(0))));
  } else {
    rows = AddOp({.op = "StridedSlice",
                  .inputs = {slices.dense_shape,
                             Operand(Tensor::Vector<int32_t>({0})),
                             Operand(Tensor::Vector<int32_t>({1})),
                             Operand(Tensor::Vector<int32_t>({1}))},
                  .attrs = {{"shrink_axis_mask", int64_t{1}}}})
               .output(0);
  }
  return AddOp({.op = "UnsortedSegmentSum",
                .inputs = {slices.values, slices.indices, rows}})
      .output(0);
}

std::vector<Gradient> Differentiate(GraphBuilder& builder,
                                    absl::Span<const Output> ys,
                                    absl::Span<const Output> grad_ys,
                                    absl::Span<const Output> xs,
                                    SourceLocation location) {
  Differentiator differentiator(builder, location);
  for (const Output& x : xs) differentiator.AddX(x.endpoint());
  differentiator.FindDependents();
  for (size_t i = 0; i < ys.size(); ++i) {
    differentiator.Seed(ys[i].endpoint(), grad_ys[i]);
  }
  differentiator.Run();
  std::vector<Gradient> result;
  for (const Output& x : xs) {
    result.push_back(differentiator.Total(x.endpoint()));
  }
  if (!builder.status().ok()) result.assign(xs.size(), Gradient());
  return result;
}

std::vector<Gradient> Gradients(const OperandList& ys, const OperandList& xs,
                                const OperandList& grad_ys,
                                SourceLocation location) {
  const std::vector<Gradient> none(xs.size());
  GraphBuilder* const builder = BuilderOf(ys, xs);
  if (builder == nullptr || !builder->status().ok()) return none;
  BuilderAccess::State& state =
      BuilderAccess::Of(BuilderAccess::Current(*builder));
  std::vector<Output> from = OutputsOf(ys);
  std::vector<Output> to = OutputsOf(xs);
  std::vector<Output> seeds = Weights(*builder, grad_ys, from);
  EnclosingDifferentiators enclosing(state, location);
  absl::Status valid = ResolveOutputs(state, enclosing, "ys", true, from);
  valid.Update(ResolveOutputs(state, enclosing, "xs", true, to));
  valid.Update(ResolveOutputs(state, enclosing, "grad_ys", false, seeds));
  if (valid.ok()) valid.Update(CheckGradYs(from, seeds));
  if (!valid.ok()) {
    builder->Fail(valid, location);
    return none;
  }
  const Scope errors = builder->CallSite(location);
  const Scope scope = builder->NameScope("gradients", location);
  for (size_t i = seeds.size(); i < from.size(); ++i) {
    seeds.push_back(Ones(*builder, from[i], i));
  }
  for (const Output& x : to) enclosing.Of(x).AddX(x.endpoint());
  enclosing.FindDependents();
  for (size_t i = 0; i < from.size(); ++i) {
    enclosing.Of(from[i]).Seed(from[i].endpoint(), seeds[i]);
  }
  enclosing.Run();
  std::vector<Gradient> result;
  for (const Output& x : to) {
    result.push_back(enclosing.Of(x).Total(x.endpoint()));
  }
  return builder->status().ok() ? result : none;
}

}  // namespace leat
