// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/autodiff/control_flow_gradients.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/consumers.h"
#include "leat/graph/autodiff/differentiate.h"
#include "leat/graph/autodiff/gradient_shapes.h"
#include "leat/graph/builder/control_flow_nodes.h"
#include "leat/graph/ops.h"

namespace leat {
namespace {

using State = BuilderAccess::State;

// Returns true if values of this type can change from iteration to iteration
// and have gradients. A variant is a list of tensors, and its gradient is a
// list of tensors too. A resource handle does not change.
bool IsDifferentiableValue(DType dtype) {
  return CarriesGradient(dtype) && dtype != DType::kResource;
}

SourceLocation CallSite(const GraphBuilder& builder) {
  return BuilderAccess::Of(builder).tree->call_site;
}

void Fail(const GradientContext& c, const absl::Status& error) {
  const Body* body = BuilderAccess::Of(c.builder()).body.get();
  c.builder().Fail(
      absl::Status(
          error.code(),
          absl::StrCat("gradient of node '", c.operation().name(), "' (",
                       c.operation().op(), ")",
                       body ? absl::StrCat(" of '", body->function, "'") : "",
                       ": ", error.message())),
      CallSite(c.builder()));
}

// Holds the dtype of an output's gradient, and what shape inference knows of
// the gradient. The gradient of a handle has the dtype and shape of the
// handle's variable.
struct GradientType {
  DType dtype = DType::kInvalid;
  InferredOutput known = {};
};
GradientType TypeOfGradient(const Output& output) {
  const InferredOutput& known = Known(output);
  if (output.dtype() != DType::kResource) {
    return {.dtype = output.dtype(),
            .known = {.shape = known.shape, .handle = known.handle}};
  }
  if (!known.handle.has_value()) return {};
  return {.dtype = known.handle->dtype,
          .known = {.shape = known.handle->shape}};
}

// Adds the zero gradient of `output` to the innermost open body.
absl::StatusOr<Output> Zeros(const Output& output) {
  const GradientType type = TypeOfGradient(output);
  const PartialShape& dims = type.known.shape;
  if (output.dtype() == DType::kVariant ||
      (output.dtype() != DType::kResource && !dims.IsFullyKnown())) {
    return op::ZerosLike(output);
  }
  absl::StatusOr<Tensor> zero =
      ConvertNumbers(Tensor::Scalar<int64_t>(0), type.dtype);
  if (!zero.ok()) {
    return absl::UnimplementedError(
        absl::StrCat("the gradient of ", output.name(),
                     " cannot be made, because the type of the variable that "
                     "it stands for is unknown"));
  }
  GraphBuilder& builder = *output.builder();
  const Output shape =
      dims.IsFullyKnown()
          ? gradients::IntVector(builder, dims.dims(), "zeros/dims")
          : op::VariableShape(output);
  return op::Fill(shape, *std::move(zero));
}

// Holds the indices of those outputs of the forward node that have gradients,
// and these gradients as dense tensors.
struct OutputGradients {
  std::vector<int> outputs = {};
  std::vector<Output> gradients = {};
};
OutputGradients Given(const GradientContext& c, int num_outputs) {
  OutputGradients given;
  for (int i = 0; i < num_outputs; ++i) {
    const Gradient& gradient = c.grad_or_none(i);
    if (gradient.IsNone()) continue;
    given.outputs.push_back(i);
    given.gradients.push_back(gradient.AsDense());
  }
  return given;
}

// Is the base of the two classes below. Holds the node that is differentiated
// and the builder that the gradient is added to.
class NodeDifferentiator {
 public:
  NodeDifferentiator(GradientContext& c, const ControlFlowNode& node)
      : c_(c),
        operation_(c.operation()),
        node_(node),
        state_(BuilderAccess::Of(BuilderAccess::Current(c.builder()))) {}

 protected:
  GradientContext& c_;
  const Operation operation_;
  const ControlFlowNode node_;  // a copy, made before the gradient is built
  State& state_;
};

// Builds the gradient of an If or Case.
class BranchesDifferentiator : public NodeDifferentiator {
 public:
  using NodeDifferentiator::NodeDifferentiator;

  absl::Status Run() {
    given_ = Given(c_, operation_.num_outputs());
    for (int i = 1; i < c_.num_inputs(); ++i) {
      if (c_.needs(i)) needed_.push_back(i);
    }
    spec_.is_case = absl::EndsWith(operation_.op(), "Case");
    spec_.name = state_.UniqueName(spec_.is_case ? "Case" : "If");
    spec_.selector = operation_.input(0);
    spec_.is_gradient = true;
    reached_.assign(needed_.size(), false);
    for (size_t i = 0; i < node_.bodies.size(); ++i) {
      LEAT_RETURN_IF_ERROR(AddBranch(i));
    }
    if (std::count(reached_.begin(), reached_.end(), true) == 0) {
      return absl::OkStatus();
    }
    for (size_t i = 0; i < node_.bodies.size(); ++i) {
      LEAT_RETURN_IF_ERROR(AddReturns(i));
    }
    LEAT_RETURN_IF_ERROR(FindIntermediates());
    LEAT_ASSIGN_OR_RETURN(const Operation result,
                          AddBranches(*state_.self, spec_));
    int output = 0;
    for (size_t k = 0; k < needed_.size(); ++k) {
      if (reached_[k]) c_.set(needed_[k], result.output(output++));
    }
    return absl::OkStatus();
  }

 private:
  // Adds the body of the gradient of branch i. If the branch uses an input
  // whose gradient is needed, the body computes a gradient for this input.
  absl::Status AddBranch(size_t i) {
    GraphBuilder& forward = *node_.bodies[i];
    GraphBuilder& body = BuilderAccess::NewBody(
        *state_.self, absl::StrCat(BodyOf(forward).function, "_grad"),
        &forward);
    spec_.bodies.push_back(&body);
    const BodyScope scope(body, CallSite(body));
    std::vector<Output> ys, xs;
    for (const int output : given_.outputs) {
      ys.push_back(BodyOf(forward).returns[output]);
    }
    for (const int input : needed_) {
      xs.push_back(BodyOf(forward).arguments[input - 1].inner);
    }
    gradients_.push_back(
        Differentiate(forward, ys, given_.gradients, xs, CallSite(body)));
    LEAT_RETURN_IF_ERROR(body.status());
    for (size_t k = 0; k < xs.size(); ++k) {
      if (!gradients_[i][k].IsNone()) reached_[k] = true;
    }
    return absl::OkStatus();
  }

  // Makes the gradient of branch i return a gradient for every input in needed_
  // that any branch uses. The gradient is zero if branch i does not use the
  // input.
  absl::Status AddReturns(size_t i) {
    GraphBuilder& body = *spec_.bodies[i];
    const BodyScope scope(body, CallSite(body));
    for (size_t k = 0; k < needed_.size(); ++k) {
      if (!reached_[k]) continue;
      Output gradient = gradients_[i][k].AsDense();
      if (gradients_[i][k].IsNone()) {
        const Output x =
            BodyOf(*node_.bodies[i]).arguments[needed_[k] - 1].inner;
        LEAT_ASSIGN_OR_RETURN(gradient, Zeros(x));
      }
      BodyOf(body).returns.push_back(gradient);
    }
    LEAT_RETURN_IF_ERROR(body.status());
    // A gradient may be an output of the forward branch. Resolve replaces such
    // an output by an argument of the body.
    for (Output& output : BodyOf(body).returns) {
      LEAT_ASSIGN_OR_RETURN(output, BuilderAccess::Of(body).Resolve(output));
    }
    return absl::OkStatus();
  }

  // Collects the values of the forward branches that the gradients of the
  // branches need. Adds outputs for these values to the forward node, and
  // passes the outputs to the gradient.
  absl::Status FindIntermediates() {
    std::vector<std::vector<Output>> values;
    std::vector<std::vector<BodyArgument*>> arguments;
    for (GraphBuilder* body : spec_.bodies) {
      values.emplace_back();
      arguments.emplace_back();
      for (BodyArgument& argument : BodyOf(*body).arguments) {
        if (argument.outer.builder() != nullptr) continue;
        values.back().push_back(argument.intermediate);
        arguments.back().push_back(&argument);
      }
    }
    LEAT_ASSIGN_OR_RETURN(const std::vector<std::vector<Output>> outputs,
                          BranchOutputs(operation_, values));
    for (size_t i = 0; i < arguments.size(); ++i) {
      for (size_t k = 0; k < arguments[i].size(); ++k) {
        LEAT_ASSIGN_OR_RETURN(arguments[i][k]->outer,
                              state_.Resolve(outputs[i][k]));
      }
    }
    return absl::OkStatus();
  }

  OutputGradients given_;
  std::vector<int> needed_;
  // gradients_[i][k] is the gradient of input needed_[k] in branch i.
  // reached_[k] is true if any branch uses input needed_[k].
  std::vector<std::vector<Gradient>> gradients_;
  std::vector<bool> reached_;
  BranchesSpec spec_;
};

// Finds out how the variables of a loop depend on the arguments of its body,
// through one or several iterations.
class LoopPaths {
 public:
  explicit LoopPaths(const GraphBuilder& body)
      : graph_(body.graph()), body_(BodyOf(body)), consumers_(graph_) {
    for (size_t i = 0; i < body_.arguments.size(); ++i) {
      const BodyArgument& argument = body_.arguments[i];
      if (!CarriesGradient(argument.inner.dtype()) ||
          argument.next == argument.inner) {
        continue;
      }
      variables_[IdOf(argument.next)].push_back(i);
    }
  }

  // Returns `marked` with additional marks. Marks each argument whose value in
  // a later iteration depends on a marked argument.
  std::vector<bool> Forward(std::vector<bool> marked) const {
    Reached reached(graph_);
    for (size_t i = 0; i < marked.size(); ++i) {
      if (marked[i]) reached.Add(IdOf(body_.arguments[i].inner));
    }
    while (const std::optional<NodeId> id = reached.Next()) {
      for (const Use& use : consumers_.Of(*id)) {
        if (use.input != TensorId::kControl) reached.Add(use.node);
      }
      const auto it = variables_.find(*id);
      if (it == variables_.end()) continue;
      for (const size_t i : it->second) {
        marked[i] = true;
        reached.Add(IdOf(body_.arguments[i].inner));
      }
    }
    return marked;
  }

  // Returns `marked` with additional marks. Marks each argument that influences
  // the value of a marked argument in a later iteration.
  std::vector<bool> Backward(std::vector<bool> marked) const {
    Reached reached(graph_);
    for (size_t i = 0; i < marked.size(); ++i) {
      if (marked[i]) reached.Add(IdOf(body_.arguments[i].next));
    }
    while (const std::optional<NodeId> id = reached.Next()) {
      for (const Endpoint input : graph_.node(*id).inputs) {
        reached.Add(input.node);
      }
      const int argument = body_.FindArgument(*id);
      if (argument < 0) continue;
      marked[argument] = true;
      reached.Add(IdOf(body_.arguments[argument].next));
    }
    return marked;
  }

 private:
  // Holds the nodes that are still to be visited. Each node is visited at most
  // once.
  class Reached {
   public:
    explicit Reached(const Graph& graph) : reached_(graph.num_ids(), false) {}
    void Add(NodeId id) {
      if (reached_[id]) return;
      reached_[id] = true;
      pending_.push_back(id);
    }
    // Returns a node to visit, or nothing if all have been visited.
    std::optional<NodeId> Next() {
      if (pending_.empty()) return std::nullopt;
      const NodeId id = pending_.back();
      pending_.pop_back();
      return id;
    }

   private:
    std::vector<bool> reached_;
    std::vector<NodeId> pending_;
  };

  static NodeId IdOf(const Output& output) { return output.operation().id(); }

  const Graph& graph_;
  const Body& body_;
  const Consumers consumers_;
  // Maps a node to the variables that get their next values from the outputs of
  // the node.
  absl::flat_hash_map<NodeId, std::vector<size_t>> variables_;
};

// Builds the gradient of a While.
class LoopDifferentiator : public NodeDifferentiator {
 public:
  using NodeDifferentiator::NodeDifferentiator;

  absl::Status Run() {
    if (node_.is_gradient) {
      return absl::UnimplementedError(
          "second derivatives through a loop are not supported");
    }
    forward_ = node_.bodies[1];
    parallel_iterations_ = c_.attr<int64_t>("parallel_iterations");
    LEAT_RETURN_IF_ERROR(FindActive());
    if (variables_.empty()) return absl::OkStatus();
    const std::string name = state_.UniqueName("While");
    LEAT_RETURN_IF_ERROR(AddBody());
    LEAT_RETURN_IF_ERROR(FindIntermediates());
    LEAT_RETURN_IF_ERROR(AddCondition());
    LEAT_ASSIGN_OR_RETURN(
        const Operation result,
        AddLoop(*state_.self, {.name = name,
                               .num_variables = num_variables_,
                               .condition = condition_,
                               .body = body_,
                               .parallel_iterations = parallel_iterations_,
                               .check_shapes = false,
                               .is_gradient = true}));
    for (const auto& [input, argument] : results_) {
      c_.set(input, result.output(NumberOf(argument)));
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<BodyArgument>& Arguments() const {
    return BodyOf(*forward_).arguments;
  }

  // Finds the variables that gradients pass through. Such a variable depends on
  // an input whose gradient is needed. It also affects an output that has a
  // gradient. Adds the variables that the loop changes to variables_, and the
  // inputs that the loop does not change to invariants_.
  absl::Status FindActive() {
    const size_t count = Arguments().size();
    std::vector<bool> from_inputs(count), to_outputs(count);
    for (size_t i = 0; i < count; ++i) {
      const int index = static_cast<int>(i);
      from_inputs[i] = c_.needs(index);
      to_outputs[i] = !c_.grad_or_none(index).IsNone();
    }
    const LoopPaths paths(*forward_);
    from_inputs = paths.Forward(std::move(from_inputs));
    to_outputs = paths.Backward(std::move(to_outputs));
    for (size_t i = 0; i < count; ++i) {
      if (!from_inputs[i] || !to_outputs[i]) continue;
      const BodyArgument& argument = Arguments()[i];
      const DType dtype = argument.inner.dtype();
      const int index = static_cast<int>(i);
      if (argument.next == argument.inner) {
        // The body returns this argument unchanged, so the gradient of the
        // loop's output goes directly to the input.
        if (c_.needs(index) && CarriesGradient(dtype)) {
          invariants_.push_back(index);
        }
      } else if (IsDifferentiableValue(dtype)) {
        variables_.push_back(index);
      } else if (dtype == DType::kResource) {
        return absl::UnimplementedError(
            absl::StrCat("variable ", i, " (", argument.outer.name(),
                         ") is a resource that the body changes"));
      }
    }
    if (variables_.empty() && !invariants_.empty()) PassInvariants();
    return absl::OkStatus();
  }

  // Sets the gradient of each invariant input to the gradient of the loop's
  // output with the same number. This is correct if gradients pass through no
  // variable of the loop, because then the iterations add nothing to these
  // gradients.
  void PassInvariants() {
    for (const int i : invariants_) c_.set(i, c_.grad_or_none(i));
  }

  // Adds a variable to the gradient's loop. Returns the argument of the
  // gradient's body that stands for the variable.
  absl::StatusOr<Output> AddVariable(absl::string_view name, GradientType type,
                                     const Output& initial) {
    State& body = BuilderAccess::Of(*body_);
    LEAT_ASSIGN_OR_RETURN(
        const Output argument,
        body.AddArgument(name, type.dtype, std::move(type.known)));
    LEAT_ASSIGN_OR_RETURN(body.body->arguments.back().outer,
                          state_.Resolve(initial));
    return argument;
  }

  // Returns the position of an argument of the gradient's body.
  int NumberOf(const Output& argument) const {
    return BodyOf(*body_).FindArgument(argument.operation().id());
  }

  void SetNext(const Output& argument, const Output& next) {
    BodyOf(*body_).arguments[NumberOf(argument)].next = next;
  }

  absl::Status AddBody() {
    LEAT_ASSIGN_OR_RETURN(const Output iterations,
                          IterationsOutput(operation_));
    // The initial gradients are added before the body is opened, so that they
    // are outside of the body.
    std::vector<Output> initial;
    for (const int i : variables_) {
      Output gradient = c_.grad_or_none(i).AsDense();
      if (c_.grad_or_none(i).IsNone()) {
        LEAT_ASSIGN_OR_RETURN(gradient, Zeros(operation_.output(i)));
      }
      initial.push_back(gradient);
    }
    body_ = &BuilderAccess::NewBody(
        *state_.self, absl::StrCat(BodyOf(*forward_).function, "_grad"),
        forward_, /*pops_intermediates=*/true);
    LEAT_ASSIGN_OR_RETURN(
        left_, AddVariable("left", TypeOfGradient(iterations), iterations));
    std::vector<Output> ys, xs, dys;
    for (size_t k = 0; k < variables_.size(); ++k) {
      const BodyArgument& argument = Arguments()[variables_[k]];
      LEAT_ASSIGN_OR_RETURN(
          const Output dy,
          AddVariable(absl::StrCat("grad_", argument.inner.operation().name()),
                      TypeOfGradient(argument.inner), initial[k]));
      ys.push_back(argument.next);
      xs.push_back(argument.inner);
      dys.push_back(dy);
      results_.push_back({variables_[k], dy});
    }
    for (const int i : invariants_) xs.push_back(Arguments()[i].inner);
    std::vector<Gradient> gradients;
    {
      const BodyScope scope(*body_, CallSite(*body_));
      gradients = Differentiate(*forward_, ys, dys, xs, CallSite(*body_));
      LEAT_RETURN_IF_ERROR(body_->status());
      LEAT_RETURN_IF_ERROR(AddVariableSteps(dys, gradients));
    }
    return AddInvariants(gradients);
  }

  absl::Status AddVariableSteps(const std::vector<Output>& dys,
                                const std::vector<Gradient>& gradients) {
    SetNext(left_, left_ - 1);
    for (size_t k = 0; k < dys.size(); ++k) {
      Output next = gradients[k].AsDense();
      if (gradients[k].IsNone()) {
        LEAT_ASSIGN_OR_RETURN(next, Zeros(Arguments()[variables_[k]].inner));
      }
      LEAT_RETURN_IF_ERROR(body_->status());
      LEAT_ASSIGN_OR_RETURN(next, BuilderAccess::Of(*body_).Resolve(next));
      SetNext(dys[k], next);
    }
    return absl::OkStatus();
  }

  // For each input that the loop does not change, adds a variable to the
  // gradient's loop. The variable sums the gradients of the input over the
  // iterations.
  absl::Status AddInvariants(const std::vector<Gradient>& gradients) {
    for (size_t k = 0; k < invariants_.size(); ++k) {
      const int input = invariants_[k];
      const Gradient& gradient = gradients[variables_.size() + k];
      if (gradient.IsNone()) {
        c_.set(input, c_.grad_or_none(input));
        continue;
      }
      const Output outer = operation_.input(input);
      Output initial = c_.grad_or_none(input).AsDense();
      if (c_.grad_or_none(input).IsNone()) {
        LEAT_ASSIGN_OR_RETURN(initial, Zeros(outer));
      }
      LEAT_ASSIGN_OR_RETURN(
          const Output sum,
          AddVariable(absl::StrCat("grad_", outer.operation().name()),
                      TypeOfGradient(outer), initial));
      const BodyScope scope(*body_, CallSite(*body_));
      SetNext(sum, op::AddN({sum, gradient.AsDense()}));
      results_.push_back({input, sum});
      LEAT_RETURN_IF_ERROR(body_->status());
    }
    return body_->status();
  }

  // Adds an output to the forward loop for each list that the gradient pops
  // from. Then sorts the arguments of the gradient's body, so that variables
  // come before captured values.
  absl::Status FindIntermediates() {
    std::vector<BodyArgument> arguments = BodyOf(*body_).arguments;
    std::vector<Output> values;
    for (const BodyArgument& argument : arguments) {
      if (argument.intermediate.builder() == nullptr) continue;
      values.push_back(argument.intermediate);
    }
    LEAT_ASSIGN_OR_RETURN(const std::vector<Output> lists,
                          ListOutputs(operation_, values));
    auto list = lists.begin();
    for (BodyArgument& argument : arguments) {
      if (argument.intermediate.builder() == nullptr) continue;
      LEAT_ASSIGN_OR_RETURN(argument.outer, state_.Resolve(*list++));
    }
    const auto captured = std::stable_partition(
        arguments.begin(), arguments.end(), [](const BodyArgument& argument) {
          return argument.next.builder() != nullptr;
        });
    num_variables_ = static_cast<size_t>(captured - arguments.begin());
    BodyOf(*body_).SetArguments(std::move(arguments));
    return absl::OkStatus();
  }

  // Adds the condition of the gradient's loop. The condition is true while
  // iterations are left.
  absl::Status AddCondition() {
    condition_ = &BuilderAccess::NewBody(
        *state_.self, absl::StrCat(BodyOf(*forward_).function, "_grad_cond"));
    State& state = BuilderAccess::Of(*condition_);
    Output left;
    for (size_t i = 0; i < num_variables_; ++i) {
      const BodyArgument& argument = BodyOf(*body_).arguments[i];
      const InferredOutput& known = Known(argument.inner);
      LEAT_ASSIGN_OR_RETURN(const Output inner,
                            state.AddArgument(argument.inner.operation().name(),
                                              argument.inner.dtype(), known));
      state.body->arguments.back().outer = argument.outer;
      if (argument.inner == left_) left = inner;
    }
    const BodyScope scope(*condition_, CallSite(*condition_));
    state.body->returns = {op::Greater(left, 0)};
    return condition_->status();
  }

  GraphBuilder* forward_ = nullptr;  // the body of the forward loop
  int64_t parallel_iterations_ = 10;
  std::vector<int> variables_;   // indices of forward variables with gradients
  std::vector<int> invariants_;  // inputs that the forward loop does not change
  GraphBuilder* body_ = nullptr;
  GraphBuilder* condition_ = nullptr;
  size_t num_variables_ = 0;
  Output left_;  // the variable that counts the iterations left
  // Each pair has the index of an input, and an argument of body_. After the
  // last iteration, the value of the argument is the gradient of the input.
  std::vector<std::pair<int, Output>> results_;
};

template <class Differentiator>
absl::Status Run(GradientContext& c) {
  const State& state = BuilderAccess::Of(c.builder());
  const auto it = state.control_flow.find(c.operation().id());
  if (it == state.control_flow.end()) {
    return absl::UnimplementedError(
        "the node has a gradient only if Cond, Case or While made it");
  }
  LEAT_RETURN_IF_ERROR(
      BuilderAccess::Of(BuilderAccess::Current(c.builder())).CheckNesting());
  return Differentiator(c, it->second).Run();
}

}  // namespace

void BranchesGradient(GradientContext& context) {
  if (const absl::Status s = Run<BranchesDifferentiator>(context); !s.ok()) {
    Fail(context, s);
  }
}

void LoopGradient(GradientContext& context) {
  if (const absl::Status s = Run<LoopDifferentiator>(context); !s.ok()) {
    Fail(context, s);
  }
}

}  // namespace leat
