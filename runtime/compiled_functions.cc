// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/compiled_functions.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/cancellation.h"
#include "leat/partitioner/plan_function.h"
#include "leat/runtime/constant_evaluator.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/executor/step.h"
#include "leat/runtime/graph_runner.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat {
namespace {

// A RunningCall is one call of a function: a step with its arguments and
// results. The step's callback and the callback of the calling step's
// cancellation share its ownership.
class RunningCall : public std::enable_shared_from_this<RunningCall> {
 public:
  RunningCall(const std::string& function, std::vector<Tensor> args,
              size_t num_results, const StepServices& caller,
              std::atomic<int64_t>& num_calls, CallableFunction::Done done)
      : function_(function),
        args_(std::move(args)),
        results_(num_results),
        caller_(*caller.cancellation),
        num_calls_(num_calls),
        done_(std::move(done)),
        step_(caller.step_id, rendezvous_, args_, absl::MakeSpan(results_),
              caller.observer, /*allocations=*/nullptr,
              {.depth = caller.call_depth + 1,
               .resources = caller.step_resources}) {}

  void Start(GraphRunner& runner, std::shared_ptr<CompiledGraph> graph) {
    const auto self = shared_from_this();
    const bool registered = caller_.Register(
        [self](const absl::Status& why) { self->step_.Fail(why); }, &token_);
    if (!registered) return End(caller_.status());
    runner.Start(std::move(graph), step_, [self](absl::Status status) {
      self->caller_.Deregister(self->token_);
      self->End(std::move(status));
    });
  }

 private:
  // Is the last use of objects that belong to the calling step.
  void End(absl::Status status) {
    num_calls_.fetch_sub(1, std::memory_order_relaxed);
    CallableFunction::Done done = std::move(done_);
    if (!status.ok()) return std::move(done)(std::move(status));
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].IsValid()) continue;
      return std::move(done)(absl::InvalidArgumentError(
          absl::StrCat("result ", i, " of function '", function_,
                       "' has no value: it is on a branch that was not "
                       "taken")));
    }
    std::move(done)(std::move(results_));
  }

  const std::string function_;
  const std::vector<Tensor> args_;
  std::vector<Tensor> results_;
  Cancellation& caller_;
  std::atomic<int64_t>& num_calls_;
  CallableFunction::Done done_;
  Cancellation::Token token_ = 0;
  LocalRendezvous rendezvous_;
  Step step_;
};

class CompiledFunction final : public CallableFunction {
 public:
  CompiledFunction(std::string name, size_t num_results,
                   std::shared_ptr<CompiledGraph> graph, GraphRunner& runner,
                   std::atomic<int64_t>& num_calls)
      : name_(std::move(name)),
        num_results_(num_results),
        graph_(std::move(graph)),
        runner_(runner),
        num_calls_(num_calls) {}

  void Call(std::vector<Tensor> args, const StepServices& caller,
            Done done) const override {
    if (caller.call_depth >= CompiledFunctions::kMaxDepth) {
      return std::move(done)(absl::ResourceExhaustedError(absl::StrCat(
          "calls of function '", name_, "' nest deeper than ",
          CompiledFunctions::kMaxDepth,
          ", the limit; the function probably calls itself without end")));
    }
    if (num_calls_.fetch_add(1, std::memory_order_relaxed) >=
        CompiledFunctions::kMaxCalls) {
      num_calls_.fetch_sub(1, std::memory_order_relaxed);
      return std::move(done)(absl::ResourceExhaustedError(absl::StrCat(
          "function '", name_, "' cannot be called, because ",
          CompiledFunctions::kMaxCalls,
          " calls of functions are under way, which is the limit")));
    }
    std::make_shared<RunningCall>(name_, std::move(args), num_results_, caller,
                                  num_calls_, std::move(done))
        ->Start(runner_, graph_);
  }

 private:
  const std::string name_;
  const size_t num_results_;
  const std::shared_ptr<CompiledGraph> graph_;
  GraphRunner& runner_;
  std::atomic<int64_t>& num_calls_;
};

// Returns a text that differs between requests that need different plans.
std::string KeyOf(const FunctionRequest& request) {
  std::string key = absl::StrCat(request.function.name, "\n", request.device,
                                 "\n", absl::StrJoin(request.arg_devices, ","));
  if (request.function.attrs == nullptr) return key;
  for (const auto& [name, value] : *request.function.attrs) {
    absl::StrAppend(&key, "\n", name, "=",
                    DebugString(value, std::numeric_limits<int>::max()));
  }
  return key;
}

}  // namespace

CompiledFunctions::CompiledFunctions(const Graph& graph, GraphRunner& runner,
                                     const FunctionPlanning& planning)
    : library_(graph.functions()),
      ops_(graph.ops()),
      runner_(runner),
      planning_(planning) {}

void CompiledFunctions::Find(const FunctionRequest& request,
                             absl::AnyInvocable<void(Found) &&> done) {
  functions_->Get(
      KeyOf(request), /*graph_version=*/0,
      [&](Functions::Done made) { std::move(made)(Compile(request)); },
      std::move(done));
}

FunctionCaller::Found CompiledFunctions::Compile(
    const FunctionRequest& request) {
  if (runner_.devices().Find(request.device) == nullptr) {
    return absl::InternalError(absl::StrCat(
        "Currently don't support instantiating functions on device: ",
        request.device));
  }
  const std::unique_ptr<ConstantEvaluator> evaluator = NewConstantEvaluator(
      runner_.registry(), runner_.devices().compute_queue());
  LEAT_ASSIGN_OR_RETURN(StepPlan plan,
                        PlanFunction({.function = request.function,
                                      .library = library_,
                                      .ops = ops_,
                                      .arg_types = request.arg_types,
                                      .return_types = request.return_types,
                                      .device = request.device,
                                      .arg_devices = request.arg_devices},
                                     runner_.devices().Infos(),
                                     {.allow_soft_placement = true,
                                      .policies = planning_.policies,
                                      .lower_limits = planning_.limits},
                                     {.optimizer = planning_.optimizer,
                                      .passes = planning_.passes,
                                      .evaluator = evaluator.get()}));
  auto graph = std::make_shared<CompiledGraph>();
  for (Partition& partition : plan.partitions) {
    SessionKernels kernels(runner_.registry());
    LEAT_ASSIGN_OR_RETURN(
        graph,
        runner_.RegisterFunction(std::move(partition.graph), kernels, *this));
  }
  return std::make_shared<const CompiledFunction>(
      request.function.name, request.return_types.size(), std::move(graph),
      runner_, num_calls_);
}

}  // namespace leat
