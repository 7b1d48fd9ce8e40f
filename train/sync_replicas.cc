// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/sync_replicas.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/ops.h"

namespace leat {
namespace {

// Describes a variable's gradient, and the accumulator that collects the
// workers' gradients.
struct Accumulator {
  nn::VariableGradient of = {};
  Output handle = {};
};

// Adds the nodes of a SyncStep to a builder. An error of the builder makes the
// result invalid.
class SyncBuilder {
 public:
  SyncBuilder(GraphBuilder& b, const SyncReplicasAttrs& attrs,
              Variable global_step, SourceLocation location)
      : b_(b),
        attrs_(attrs),
        tokens_per_step_(
            std::max(attrs.total_replicas, attrs.replicas_to_aggregate)),
        global_step_(std::move(global_step)),
        location_(location) {}

  SyncStep Build(const nn::Optimizer& optimizer,
                 absl::Span<const nn::VariableGradient> gradients);

 private:
  // Beside opens a scope in which new nodes are colocated with an operation or
  // a variable. After opens a scope in which new nodes run after the given
  // operations.
  Scope Beside(const Operation& operation) {
    return b_.ColocateWith(operation, location_);
  }
  Scope Beside(const Variable& variable) {
    return Beside(variable.handle().operation());
  }
  Scope After(std::vector<Operation> operations) {
    return b_.ControlDependencies(operations, location_);
  }
  // Returns a name by which the tasks share a resource.
  std::string SharedName(absl::string_view name) const {
    return absl::StrCat(attrs_.shared_name, name);
  }

  // MakeState makes the state that the workers and the chief share: the
  // accumulators, the queue and `started_`. It also makes the worker's own step
  // number. MakeLocalStep, MakeAccumulator and MakeQueue each make a part.
  void MakeState(absl::Span<const nn::VariableGradient> gradients);
  void MakeLocalStep();
  Output MakeAccumulator(const nn::VariableGradient& of);
  Output MakeQueue();
  // These functions add the parts of a worker's step.
  Operation Apply(const Accumulator& accumulator);
  Operation ApplyRows(const Accumulator& accumulator);
  Operation MakeTrain();
  Operation SetLocalStep();
  // These functions add the parts of the chief's operations.
  Gradient Mean(const Accumulator& accumulator);
  IndexedSlices MeanOfRows(const Accumulator& accumulator);
  Operation MakeChiefStep(const nn::Optimizer& optimizer);
  Operation MakeChiefInit();
  Operation RemoveQueue(Output if_closed);
  Operation SetStep(const Accumulator& accumulator, Output step);
  Operation Assign(const Variable& variable, Output value);
  Operation GiveTokens(Output queue, Output count);

  // Returns the value that a variable has when the operations of the open
  // scopes have run.
  Output Now(const Variable& variable);

  GraphBuilder& b_;
  const SyncReplicasAttrs& attrs_;
  const int tokens_per_step_;
  const Variable global_step_;
  const SourceLocation location_;
  Operation worker_;   // a node on the worker
  Output local_step_;  // handle of the worker's step number
  Output stamp_;       // value of local_step_
  // Is the queue of tokens.
  Output queue_;
  // Is 1 after a chief has run chief_init, and 0 before.
  Variable started_;
  std::vector<Accumulator> accumulators_;
};

Output SyncBuilder::Now(const Variable& variable) {
  const Scope beside = Beside(variable);
  return variable.is_resource()
             ? op::ReadVariableOp(variable.handle(), variable.dtype(),
                                  location_)
             : op::Identity(variable.handle(), location_);
}

// Adds the worker's step number. The number is colocated with a node on the
// worker, so a device function that puts variables elsewhere does not move it.
// The number is not one of the builder's variables, because every worker has
// its own number.
void SyncBuilder::MakeLocalStep() {
  worker_ = op::NoOp(b_, location_);
  const Scope beside = Beside(worker_);
  local_step_ =
      b_.AddOp({.op = "VarHandleOp",
                .attrs = {{"dtype", DType::kInt64},
                          {"shape", PartialShape(Shape{})},
                          {"shared_name", SharedName("sync_rep_local_step")}},
                .name = "local_step",
                .location = location_})
          .output(0);
}

Output SyncBuilder::MakeAccumulator(const nn::VariableGradient& of) {
  const Variable& variable = of.variable;
  const Scope beside = Beside(variable);
  // TensorFlow uses the same name.
  const std::string name =
      SharedName(absl::StrCat(variable.name(), ":0/grad_accum"));
  if (!of.gradient.IsSparse()) {
    return op::ResourceConditionalAccumulator(b_, variable.dtype(),
                                              variable.shape(),
                                              {.shared_name = name}, location_);
  }
  return op::SparseConditionalAccumulator(
      b_, variable.dtype(), PartialShape(),
      {.shared_name = name, .reduction_type = "SUM"}, location_);
}

Output SyncBuilder::MakeQueue() {
  return op::FIFOQueueV2(b_, {DType::kInt64},
                         {.shapes = {PartialShape(Shape{})},
                          .shared_name = SharedName("sync_token_q")},
                         location_);
}

void SyncBuilder::MakeState(absl::Span<const nn::VariableGradient> gradients) {
  const Scope free = b_.NoControlDependencies(location_);
  MakeLocalStep();
  for (const nn::VariableGradient& of : gradients) {
    if (of.gradient.IsNone()) continue;
    accumulators_.push_back({.of = of, .handle = MakeAccumulator(of)});
  }
  const Scope beside = Beside(global_step_);
  queue_ = MakeQueue();
  started_ = b_.Variable(
      "started", b_.Const<int64_t>(0, "zero", location_),
      {.trainable = false, .use_resource = global_step_.is_resource()},
      location_);
}

// Sends the rows of the gradient and then a row of ones. The sum of these rows
// of ones is the number of gradients that the accumulator has added up. The
// accumulator's own mean is not used, because it divides each row only by the
// number of gradients that have the row.
Operation SyncBuilder::ApplyRows(const Accumulator& accumulator) {
  const Variable& variable = accumulator.of.variable;
  const IndexedSlices& rows = accumulator.of.gradient.slices();
  const absl::StatusOr<Shape> shape = variable.shape().ToShape();
  if (!shape.ok() || shape->IsScalar()) {
    b_.Fail(absl::InvalidArgumentError(absl::StrCat(
                "SyncReplicas: sparse gradients of variable '", variable.name(),
                "' of shape ", variable.shape().DebugString(),
                " cannot be accumulated")),
            location_);
    return {};
  }
  std::vector<int64_t> extents(shape->dims().begin(), shape->dims().end());
  extents[0] = 1;
  const Output one_row =
      op::Fill(Tensor::FromSpan<int64_t>(Shape{shape->rank()}, extents),
               b_.AsOutput(1, variable.dtype(), "one", location_), location_);
  const Output last_index =
      b_.Const(Tensor::Vector<int64_t>({INT64_MAX}), "last_index", location_);
  const Output indices =
      rows.indices.dtype() == DType::kInt64
          ? rows.indices
          : op::Cast(rows.indices, DType::kInt64, {}, location_);
  const Output all_indices[] = {indices, last_index};
  const Output all_values[] = {rows.values, one_row};
  const Output sent_indices = op::ConcatV2(all_indices, 0, location_);
  const Output sent_values = op::ConcatV2(all_values, 0, location_);
  const Scope beside = Beside(variable);
  return op::SparseAccumulatorApplyGradient(
      accumulator.handle, stamp_, sent_indices, sent_values,
      Tensor::Vector<int64_t>({}), /*has_known_shape=*/false, location_);
}

Operation SyncBuilder::Apply(const Accumulator& accumulator) {
  if (accumulator.of.gradient.IsSparse()) return ApplyRows(accumulator);
  const Output gradient = accumulator.of.gradient.AsDense();
  const Scope beside = Beside(accumulator.of.variable);
  return op::ResourceAccumulatorApplyGradient(accumulator.handle, stamp_,
                                              gradient, location_);
}

// Makes a worker's step: the worker sends its gradients and then waits for a
// token. The token is the global step for which the worker computes its next
// gradients.
Operation SyncBuilder::MakeTrain() {
  {
    const Scope beside = Beside(worker_);
    stamp_ = op::ReadVariableOp(local_step_, DType::kInt64, location_);
  }
  std::vector<Operation> applied;
  for (const Accumulator& accumulator : accumulators_) {
    applied.push_back(Apply(accumulator));
    if (!b_.status().ok()) return {};
  }
  std::vector<Operation> last = b_.updates();
  {
    const Scope after = After(applied);
    const Scope beside = Beside(global_step_);
    const Output token =
        op::QueueDequeueV2(queue_, {DType::kInt64}, {}, location_)[0];
    const Scope here = Beside(worker_);
    last.push_back(op::AssignVariableOp(local_step_, token, {}, location_));
  }
  return b_.Group(last, "train", location_);
}

Operation SyncBuilder::SetLocalStep() {
  const Output step = Now(global_step_);
  const Scope here = Beside(worker_);
  return op::AssignVariableOp(local_step_, step, {}, location_);
}

// Returns the sum of each row divided by the number of gradients. The last row
// holds this number.
IndexedSlices SyncBuilder::MeanOfRows(const Accumulator& accumulator) {
  const auto taken = op::SparseAccumulatorTakeGradient(
      accumulator.handle, attrs_.replicas_to_aggregate,
      accumulator.of.variable.dtype(), location_);
  const Output one_row = taken.values.Slice({From(-1)}, location_);
  // If the shape is not fully known, ApplyRows has already reported an error.
  const PartialShape shape = accumulator.of.variable.shape();
  std::vector<int32_t> axes(shape.dims().size());
  std::iota(axes.begin(), axes.end(), 0);
  const Shape rank{shape.rank()};
  const Output count = op::Max(one_row, axes, {}, location_);
  return {.values = op::RealDiv(taken.values.Slice({Until(-1)}, location_),
                                count, location_),
          .indices = taken.indices.Slice({Until(-1)}, location_),
          .dense_shape = b_.Const(Tensor::FromSpan<int64_t>(rank, shape.dims()),
                                  "dense_shape", location_)};
}

Gradient SyncBuilder::Mean(const Accumulator& accumulator) {
  const Variable& variable = accumulator.of.variable;
  const Scope beside = Beside(variable);
  if (accumulator.of.gradient.IsSparse()) return MeanOfRows(accumulator);
  return op::ResourceAccumulatorTakeGradient(accumulator.handle,
                                             attrs_.replicas_to_aggregate,
                                             variable.dtype(), location_);
}

// Puts tokens with the global step into the queue. `count`, a vector of one
// number, says how many tokens.
Operation SyncBuilder::GiveTokens(Output queue, Output count) {
  const Output step = Now(global_step_);
  const Scope beside = Beside(global_step_);
  const Output tokens[] = {op::Fill(count, step, location_)};
  return op::QueueEnqueueManyV2(queue, tokens, {}, location_);
}

Operation SyncBuilder::MakeChiefStep(const nn::Optimizer& optimizer) {
  std::vector<nn::VariableGradient> means;
  for (const Accumulator& accumulator : accumulators_) {
    means.push_back(
        {.variable = accumulator.of.variable, .gradient = Mean(accumulator)});
  }
  // Nodes that are not colocated with a variable are put on the device of the
  // token queue, not on the chief.
  const Scope beside = Beside(global_step_);
  const Operation updated = optimizer.ApplyGradients(
      means, {.global_step = global_step_, .run_updates = false}, location_);
  if (!b_.status().ok()) return {};
  const Scope after = After({updated});
  const Output count = b_.Const(Tensor::Vector<int64_t>({tokens_per_step_}),
                                "tokens_per_step", location_);
  const Operation given[] = {GiveTokens(queue_, count)};
  return b_.Group(given, "chief_step", location_);
}

Operation SyncBuilder::SetStep(const Accumulator& accumulator, Output step) {
  const Scope beside = Beside(accumulator.of.variable);
  return accumulator.of.gradient.IsSparse()
             ? op::AccumulatorSetGlobalStep(accumulator.handle, step, location_)
             : op::ResourceAccumulatorSetGlobalStep(accumulator.handle, step,
                                                    location_);
}

Operation SyncBuilder::Assign(const Variable& variable, Output value) {
  const Scope beside = Beside(variable);
  return variable.is_resource()
             ? op::AssignVariableOp(variable.handle(), value, {}, location_)
             : op::Assign(variable.handle(), value, {}, location_).operation();
}

// Removes the queue if it is closed, because a queue that `finish` has closed
// stays closed.
Operation SyncBuilder::RemoveQueue(Output if_closed) {
  return Cond(
      if_closed, [this] { op::DestroyResourceOp(queue_, {}, location_); },
      [] {}, {.name = "remove_queue"}, location_);
}

// A chief that was lost may have taken the gradients of only some variables.
// The accumulators of these variables are then one step ahead of the others and
// of the global step, and the tokens for that step may be missing. The next
// chief therefore moves the global step and all accumulators one step ahead and
// gives out the tokens of a step. After `finish` the workers need no tokens in
// order to begin: they wait until the closed queue has gone, and then run
// worker_init. The chief then gives out only the initial tokens.
Operation SyncBuilder::MakeChiefInit() {
  const Output was_started = Now(started_);
  const Scope beside = Beside(global_step_);
  const Output is_closed = op::QueueIsClosedV2(queue_, location_);
  const Operation counted =
      Assign(global_step_, Now(global_step_) + was_started);
  std::vector<Operation> done;
  {
    const Scope after = After({counted});
    const Output step = Now(global_step_);
    for (const Accumulator& accumulator : accumulators_) {
      done.push_back(SetStep(accumulator, step));
    }
    done.push_back(SetLocalStep());
  }
  {
    // Workers begin as soon as they see that the closed queue has gone. Removes
    // the queue only after the steps were set, so that workers begin at the new
    // step.
    const Scope after = After(done);
    done.push_back(RemoveQueue(op::Identity(is_closed, location_)));
  }
  {
    const Scope after = After(done);
    // If there are fewer workers than gradients per step, workers compute
    // several gradients per step. The initial tokens let them begin these
    // gradients of the first step without waiting.
    const int64_t initial =
        std::max(0, attrs_.replicas_to_aggregate - attrs_.total_replicas);
    const Output takes_over =
        was_started * op::Cast(op::LogicalNot(is_closed, location_),
                               DType::kInt64, {}, location_);
    const Output count = op::Reshape(
        takes_over * (tokens_per_step_ - initial) + initial, {1}, location_);
    done.push_back(GiveTokens(MakeQueue(), count));
  }
  {
    const Scope after = After(done);
    done.push_back(Assign(started_, b_.Const<int64_t>(1, "one", location_)));
  }
  return b_.Group(done, "chief_init", location_);
}

SyncStep SyncBuilder::Build(const nn::Optimizer& optimizer,
                            absl::Span<const nn::VariableGradient> gradients) {
  MakeState(gradients);
  if (!b_.status().ok()) return {};
  SyncStep step;
  step.train = MakeTrain();
  const Scope free = b_.NoControlDependencies(location_);
  step.chief_step = MakeChiefStep(optimizer);
  if (!b_.status().ok()) return {};
  step.chief_init = MakeChiefInit();
  const Operation local[] = {SetLocalStep()};
  step.worker_init = b_.Group(local, "worker_init", location_);
  {
    const Scope beside = Beside(global_step_);
    const Operation closed[] = {op::QueueCloseV2(queue_, {}, location_)};
    step.finish = b_.Group(closed, "finish", location_);
    step.finished = op::QueueIsClosedV2(queue_, location_);
  }
  if (!b_.status().ok()) return {};
  return step;
}

// Checks the attributes and options of one call.
absl::Status Check(const SyncReplicasAttrs& attrs,
                   const nn::MinimizeOptions& options, bool any_gradients) {
  if (attrs.replicas_to_aggregate < 1 || attrs.total_replicas < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "SyncReplicas: replicas_to_aggregate and total_replicas must be at "
        "least 1, got ",
        attrs.replicas_to_aggregate, " and ", attrs.total_replicas));
  }
  if (!any_gradients) {
    return absl::InvalidArgumentError(
        "SyncReplicas: there is no gradient of any variable");
  }
  if (!options.global_step.has_value()) {
    return absl::InvalidArgumentError(
        "SyncReplicas: it needs a global_step, by which it tells gradients "
        "that come too late");
  }
  const Variable& step = *options.global_step;
  if (step.dtype() == DType::kInt64) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("SyncReplicas: the global step '", step.name(),
                   "' must be of int64, got ", Name(step.dtype())));
}

}  // namespace

SyncStep SyncReplicas::ApplyGradients(
    absl::Span<const nn::VariableGradient> gradients,
    const nn::MinimizeOptions& options, SourceLocation location) const {
  GraphBuilder* b = nullptr;
  for (const nn::VariableGradient& gradient : gradients) {
    if (gradient.gradient.IsNone()) continue;
    b = gradient.variable.handle().builder();
    if (b != nullptr) break;
  }
  if (b == nullptr && options.global_step.has_value()) {
    b = options.global_step->handle().builder();
  }
  return b == nullptr ? SyncStep() : Build(*b, gradients, options, location);
}

SyncStep SyncReplicas::Minimize(Output loss, nn::MinimizeOptions options,
                                SourceLocation location) const {
  GraphBuilder* b = loss.builder();
  if (b == nullptr || !b->status().ok()) return {};
  const Scope site = b->CallSite(location);
  if (options.variables.empty()) options.variables = b->TrainableVariables();
  const std::vector<nn::VariableGradient> gradients =
      optimizer_->ComputeGradients(loss, options.variables, location);
  return Build(*b, gradients, options, location);
}

SyncStep SyncReplicas::Build(GraphBuilder& b,
                             absl::Span<const nn::VariableGradient> gradients,
                             const nn::MinimizeOptions& options,
                             SourceLocation location) const {
  if (!b.status().ok()) return {};
  const Scope site = b.CallSite(location);
  SyncReplicasAttrs attrs = attrs_;
  if (attrs.total_replicas == 0) {
    attrs.total_replicas = attrs.replicas_to_aggregate;
  }
  const bool any =
      std::any_of(gradients.begin(), gradients.end(),
                  [](const auto& g) { return !g.gradient.IsNone(); });
  if (absl::Status valid = Check(attrs, options, any); !valid.ok()) {
    b.Fail(valid, location);
    return {};
  }
  const Scope names = b.NameScope(
      options.name.empty() ? "sync_replicas" : options.name, location);
  return SyncBuilder(b, attrs, *options.global_step, location)
      .Build(*optimizer_, gradients);
}

}  // namespace leat
