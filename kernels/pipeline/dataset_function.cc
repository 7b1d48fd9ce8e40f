// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/dataset_function.h"

#include <utility>

#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/graph/attr.h"
#include "leat/graph/graph.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/pipeline/completion.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {
namespace {

using FunctionsDone =
    absl::AnyInvocable<void(absl::StatusOr<std::vector<DatasetFunction>>) &&>;

// Finds the functions after those that are in `found` already.
void FindRest(
    KernelContext& context,
    std::shared_ptr<const std::vector<DatasetFunctionRequest>> requests,
    std::vector<DatasetFunction> found, FunctionsDone done) {
  if (found.size() == requests->size()) {
    return std::move(done)(std::move(found));
  }
  const DatasetFunctionRequest& next = (*requests)[found.size()];
  DatasetFunction::Find(
      context, next,
      [&context, requests, found = std::move(found),
       done = std::move(done)](DatasetFunction::Found function) mutable {
        if (!function.ok()) return std::move(done)(function.status());
        found.push_back(*std::move(function));
        FindRest(context, std::move(requests), std::move(found),
                 std::move(done));
      });
}

}  // namespace

void FindFunctions(KernelContext& context,
                   std::vector<DatasetFunctionRequest> requests,
                   FunctionsDone done) {
  FindRest(context,
           std::make_shared<const std::vector<DatasetFunctionRequest>>(
               std::move(requests)),
           {}, std::move(done));
}

absl::StatusOr<int> CountOf(const NodeDef& node, absl::string_view name) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<DType> types,
                        node.attrs.Get<std::vector<DType>>(name));
  return static_cast<int>(types.size());
}

void DatasetFunction::Find(KernelContext& context,
                           const DatasetFunctionRequest& request,
                           absl::AnyInvocable<void(Found) &&> done) {
  auto function = context.node().attrs.Get<FunctionRef>(request.attr);
  if (!function.ok()) return std::move(done)(function.status());
  const auto count = CountOf(context.node(), request.captured_types);
  if (!count.ok()) return std::move(done)(count.status());
  std::vector<Tensor> captured =
      InputsOf(context, request.first_captured, *count);
  // The elements of the vector stay where they are when the callback takes it.
  const absl::Span<const Tensor> borrowed = captured;
  FindFunction({.function = *function,
                .device = context.step().device->name(),
                .arg_types = request.arg_types,
                .captured = borrowed,
                .return_types = request.return_types},
               context,
               [captured = std::move(captured),
                done = std::move(done)](FunctionCaller::Found found) mutable {
                 if (!found.ok()) return std::move(done)(found.status());
                 DatasetFunction result;
                 result.callable_ = *std::move(found);
                 result.captured_ = std::move(captured);
                 std::move(done)(std::move(result));
               });
}

// The stage and the callback of the call share the state.
struct FunctionRun::State {
  // Keeps the pipeline, and so an instance of a function with state.
  Completion completion = {};
  // Keeps alive what the call uses, and is dropped when it ends.
  std::shared_ptr<const CallableFunction> function = {};
  // The temporary resources of the call, such as its TensorArrays.
  ResourceStore resources;
  StepServices step = {};
  CallableFunction::Results results = std::vector<Tensor>();

  void End(CallableFunction::Results outcome) {
    function.reset();
    resources.Clear();
    results = std::move(outcome);
    // The pipeline may end here, after everything else.
    completion.End();
  }
};

void FunctionRun::Start(const DatasetFunction& function,
                        const StageContext& context, Element args,
                        CallOn thread) {
  state_ = std::make_shared<State>();
  state_->function = function.callable();
  state_->completion.Begin(context);
  const auto instance = context.pipeline->InstanceOf(function.callable());
  if (!instance.ok()) return state_->End(instance.status());
  args.insert(args.end(), function.captured().begin(),
              function.captured().end());
  state_->step = context.pipeline->step();
  state_->step.step_resources = &state_->resources;
  (*instance)->Call(
      std::move(args), state_->step,
      [state = state_](CallableFunction::Results results) {
        state->End(std::move(results));
      },
      thread == CallOn::kThisThread);
}

bool FunctionRun::IsDone() { return state_->completion.IsDone(); }

CallableFunction::Results FunctionRun::Take() {
  CallableFunction::Results results = std::move(state_->results);
  state_.reset();
  return results;
}

}  // namespace leat::kernels
