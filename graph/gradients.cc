// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphBuilder::Gradients: reverse-mode differentiation by building nodes.
// A node's id is above its inputs' ids in a graph that is being built, so one
// pass over descending ids sees every consumer before its producer.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder.h"
#include "leat/graph/builder_state.h"

namespace leat {
namespace {

bool IsDifferentiable(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kResource ||
         dtype == DType::kVariant;
}

Output Concat(absl::Span<const Output> parts) {
  return AddOp({.op = "ConcatV2",
                .inputs = {parts, Operand(0)},
                .name = "concat"})
      .output(0);
}

// Rows stay rows when all parts are rows.
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

class Differentiator {
 public:
  Differentiator(GraphBuilder& builder, const GradientRegistry& registry,
                 absl::Span<const Output> xs, SourceLocation location)
      : builder_(builder), registry_(registry), location_(location) {
    for (const Output& x : xs) targets_.insert(x.endpoint());
  }

  // Marks the nodes between xs and ys.
  void MarkPaths(absl::Span<const Output> ys) {
    end_ = 0;
    for (const Output& y : ys) end_ = std::max(end_, y.operation().id() + 1);
    const Graph& graph = builder_.graph();
    from_x_.assign(end_, false);
    for (NodeId id = 0; id < end_; ++id) {
      if (!graph.Contains(id)) continue;
      for (Endpoint e : graph.node(id).inputs) {
        if (Leads(e)) from_x_[id] = true;
      }
    }
    to_y_.assign(end_, false);
    for (const Output& y : ys) to_y_[y.operation().id()] = true;
    for (NodeId id = end_ - 1; id >= 0; --id) {
      if (!to_y_[id] || !graph.Contains(id)) continue;
      for (Endpoint e : graph.node(id).inputs) to_y_[e.node] = true;
    }
  }

  void Seed(const Output& y, Gradient gradient) {
    parts_[y.endpoint()].push_back(gradient);
  }

  void Run(absl::FunctionRef<Scope(const Operation&)> open_scope) {
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
      Scope scope = open_scope(operation);
      Differentiate(operation, *entry, std::move(gradients));
    }
  }

  // The sum of what reached an endpoint.
  Gradient Total(Endpoint endpoint) {
    const auto it = parts_.find(endpoint);
    if (it == parts_.end()) return {};
    if (it->second.size() > 1) it->second = {Sum(it->second)};
    return it->second[0];
  }

 private:
  bool Leads(Endpoint e) const {
    return targets_.contains(e) ||
           (e.node < static_cast<NodeId>(from_x_.size()) && from_x_[e.node]);
  }

  void Differentiate(const Operation& operation,
                     const GradientRegistry::Entry& entry,
                     std::vector<Gradient> gradients) {
    std::vector<bool> needed;
    for (int i = 0; i < operation.num_inputs(); ++i) {
      const Output input = operation.input(i);
      needed.push_back(Leads(input.endpoint()) &&
                       IsDifferentiable(input.dtype()));
    }
    GradientContext context(operation, std::move(gradients), needed);
    entry.function(context);
    for (int i = 0; i < operation.num_inputs(); ++i) {
      const Gradient& gradient = context.result()[i];
      if (gradient.IsNone()) continue;
      Check(operation, i, gradient);
      parts_[operation.input(i).endpoint()].push_back(gradient);
    }
  }

  // That a gradient function built something of the right type and shape.
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
        absl::InvalidArgumentError(absl::StrCat(
            "node '", operation.name(), "' (", operation.op(), ") ", what)),
        location_);
  }

  GraphBuilder& builder_;
  const GradientRegistry& registry_;
  SourceLocation location_;
  absl::flat_hash_set<Endpoint> targets_;
  NodeId end_ = 0;
  std::vector<bool> from_x_, to_y_;
  std::map<Endpoint, std::vector<Gradient>> parts_;
};

Output Ones(GraphBuilder& builder, const Output& y, size_t i) {
  const std::string name = absl::StrCat("grad_ys_", i);
  if (y.shape().rank_known() && y.shape().rank() == 0) {
    auto one = ConvertNumber(Tensor::Scalar<int64_t>(1), y.dtype());
    if (one.ok()) return builder.Const(*std::move(one), name);
  }
  return AddOp({.op = "OnesLike", .inputs = {y}, .name = name}).output(0);
}

absl::Status CheckOutputs(const GraphBuilder* builder, absl::string_view what,
                          absl::Span<const Output> outputs,
                          bool differentiable) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    if (output.builder() != builder || output.dtype() == DType::kInvalid) {
      return absl::InvalidArgumentError(
          absl::StrCat("Gradients: ", what, "[", i, "] ",
                       output.IsValid() && output.builder() != builder
                           ? absl::StrCat("(", output.name(),
                                          ") belongs to another GraphBuilder")
                           : "is an output of no node"));
    }
    if (differentiable && !IsDifferentiable(output.dtype())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Gradients: ", what, "[", i, "] (", output.name(), ") is ",
          Name(output.dtype()), ", which has no gradient"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<Gradient> GraphBuilder::Gradients(absl::Span<const Output> ys,
                                              absl::Span<const Output> xs,
                                              absl::Span<const Output> grad_ys,
                                              SourceLocation location) {
  std::vector<Gradient> result(xs.size());
  if (!status().ok()) return result;
  absl::Status valid = CheckOutputs(this, "ys", ys, true);
  valid.Update(CheckOutputs(this, "xs", xs, true));
  valid.Update(CheckOutputs(this, "grad_ys", grad_ys, false));
  if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
    valid.Update(absl::InvalidArgumentError(absl::StrCat(
        "Gradients: ", ys.size(), " ys but ", grad_ys.size(), " grad_ys")));
  }
  if (!valid.ok()) {
    Fail(valid, location);
    return result;
  }
  Scope scope = NameScope("gradients", location);
  Differentiator differentiator(*this, state_->gradients, xs, location);
  differentiator.MarkPaths(ys);
  for (size_t i = 0; i < ys.size(); ++i) {
    differentiator.Seed(ys[i],
                        grad_ys.empty() ? Ones(*this, ys[i], i) : grad_ys[i]);
  }
  // A gradient runs where its operation was asked to run.
  differentiator.Run([&](const Operation& operation) {
    const NodeDef& def = *graph().node(operation.id()).def;
    const std::string name =
        state_->UniqueName(absl::StrCat(def.name, "_grad"));
    absl::StatusOr<DeviceName> device = DeviceName::Parse(def.device);
    return State::Open(state_, absl::StrCat("gradient of '", def.name, "'"),
                       location, [&](BuilderContext& context) {
                         context.name_prefix = absl::StrCat(name, "/");
                         if (device.ok() && !def.device.empty())
                           context.device = *device;
                       });
  });
  for (size_t i = 0; i < xs.size(); ++i) {
    result[i] = differentiator.Total(xs[i].endpoint());
  }
  if (!status().ok()) result.assign(xs.size(), Gradient());
  return result;
}

}  // namespace leat
