// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DatasetFunction is the function of a dataset such as MapDataset, with the
// tensors that it has captured. FunctionRun is one call of it, for a stage.
//
//   if (!run_.IsActive()) run_.Start(function_, context_, std::move(element));
//   if (!run_.IsDone()) return Progress::kWaiting;
//   LEAT_ASSIGN_OR_RETURN(element, run_.Take());
#ifndef LEAT_KERNELS_PIPELINE_DATASET_FUNCTION_H_
#define LEAT_KERNELS_PIPELINE_DATASET_FUNCTION_H_

#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"
#include "leat/core/tensor.h"
#include "leat/kernels/function_caller.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/pipeline/dataset.h"

namespace leat::kernels {

// Says which function of a node a dataset calls.
struct DatasetFunctionRequest {
  // Is the attr that names the function, such as "f".
  absl::string_view attr = {};
  // Are the types of the arguments, without those that are captured.
  std::vector<DType> arg_types = {};
  std::vector<DType> return_types = {};
  // The function also gets these inputs of the node, after its arguments.
  int first_captured = 0;
  // Is the list attr with the types of these inputs, such as "Targuments".
  absl::string_view captured_types = {};
};

// Returns how many inputs the list attr `name` describes.
absl::StatusOr<int> CountOf(const NodeDef& node, absl::string_view name);

// Is an immutable value, and so thread-safe. Keeps what the function needs, and
// may outlive the session.
class DatasetFunction {
 public:
  using Found = absl::StatusOr<DatasetFunction>;

  // Finds a function of the node of `context`. Calls `done` exactly once,
  // before or after Find returns. `context` must live until then. `done` gets
  // the errors of FunctionCaller::Find.
  static void Find(KernelContext& context,
                   const DatasetFunctionRequest& request,
                   absl::AnyInvocable<void(Found) &&> done);

  const std::shared_ptr<const CallableFunction>& callable() const {
    return callable_;
  }
  const std::vector<Tensor>& captured() const { return captured_; }

 private:
  std::shared_ptr<const CallableFunction> callable_;
  std::vector<Tensor> captured_;
};

// Finds several functions. `done` gets them in the order of the requests, or
// the first error.
void FindFunctions(
    KernelContext& context, std::vector<DatasetFunctionRequest> requests,
    absl::AnyInvocable<void(absl::StatusOr<std::vector<DatasetFunction>>) &&>
        done);

// Says which thread works on a call.
enum class CallOn {
  kThisThread,   // The thread that starts the call works on it.
  kOtherThread,  // It runs only quick instructions, so calls run in parallel.
};

// Holds no call or one call. One thread uses it at a time. If it is destroyed
// during a call, the call goes on until the pipeline is cancelled.
class FunctionRun {
 public:
  // Starts a call with the arguments `args`. REQUIRES: !IsActive().
  void Start(const DatasetFunction& function, const StageContext& context,
             Element args, CallOn thread = CallOn::kThisThread);

  // Returns true from Start until Take.
  bool IsActive() const { return state_ != nullptr; }
  // Returns true if the call has ended. Otherwise the call wakes the task when
  // it ends. REQUIRES: IsActive().
  bool IsDone();
  // Returns the results of the call. REQUIRES: IsDone() has returned true.
  CallableFunction::Results Take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_PIPELINE_DATASET_FUNCTION_H_
