// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of ReduceDataset, which calls a function on a state and
// each element of a dataset.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/function_call.h"
#include "leat/kernels/pipeline/dataset_kernel.h"
#include "leat/kernels/pipeline/element_checks.h"
#include "leat/kernels/pipeline/element_stream.h"
#include "leat/kernels/session_services.h"

namespace leat::kernels::datasets::reduce {
namespace {

// Is the stage whose only element is the state after all elements of the input.
class ReduceStage final : public Stage {
 public:
  ReduceStage(std::unique_ptr<Stage> input, const DatasetFunction& function,
              Element state, const StageContext& context)
      : input_(std::move(input)),
        function_(function),
        state_(std::move(state)),
        num_states_(state_.size()),
        context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    for (Rounds rounds(context_);;) {
      if (rounds.AreUsedUp()) return Progress::kWaiting;
      if (!run_.IsActive()) {
        Element next;
        LEAT_ASSIGN_OR_RETURN(const Progress progress, input_->Next(next));
        if (progress == Progress::kWaiting) return progress;
        if (progress == Progress::kEnd) {
          element = std::move(state_);
          return Progress::kElement;
        }
        Element args = std::move(state_);
        args.insert(args.end(), next.begin(), next.end());
        run_.Start(function_, context_, std::move(args));
      }
      if (!run_.IsDone()) return Progress::kWaiting;
      LEAT_ASSIGN_OR_RETURN(state_, run_.Take());
      if (state_.size() != num_states_) {
        return absl::InvalidArgumentError(absl::StrCat(
            "The number of components of the initial state and the reduce "
            "function output does not match. (initial_state=",
            num_states_, ", output=", state_.size(), ")."));
      }
    }
  }

 private:
  const std::unique_ptr<Stage> input_;
  const DatasetFunction function_;
  Element state_;
  const size_t num_states_;
  const StageContext context_;
  FunctionRun run_;
};

class ReducedDataset final : public Dataset {
 public:
  ReducedDataset(ElementSpec spec, DatasetPtr input, DatasetFunction function,
                 Element state)
      : Dataset(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        state_(std::move(state)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(std::unique_ptr<Stage> input,
                          MakeStage(*input_, context));
    return std::make_unique<ReduceStage>(std::move(input), function_, state_,
                                         context);
  }

 private:
  const DatasetPtr input_;
  const DatasetFunction function_;
  const Element state_;
};

// Takes the only element of `dataset` and sets the outputs to it.
void Run(KernelContext& context, DatasetPtr dataset, AsyncKernel::Done done) {
  const auto session = SessionOf(context, "a dataset");
  if (!session.ok()) return std::move(done)(session.status());
  const auto stream =
      ElementStream::Create(dataset, **session, context.step().call_depth);
  if (!stream.ok()) return std::move(done)(stream.status());
  (*stream)->GetNext(
      *context.step().cancellation,
      [&context, dataset, stream = *stream,
       done = std::move(done)](ElementStream::Result state) mutable {
        absl::Status status = state.status();
        if (status.ok()) status = CheckElement(dataset->spec(), **state);
        for (size_t i = 0; status.ok() && i < (*state)->size(); ++i) {
          context.set_output(static_cast<int>(i), std::move((**state)[i]));
        }
        dataset.reset();
        stream.reset();
        std::move(done)(std::move(status));
      });
}

class Reduce final : public AsyncKernel {
 public:
  Reduce(ElementSpec spec, std::vector<DType> state_types)
      : spec_(std::move(spec)), state_types_(std::move(state_types)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    absl::StatusOr<DatasetPtr> input = InputDataset(context);
    if (!input.ok()) return std::move(done)(input.status());
    Element state = InputsOf(context, 1, static_cast<int>(state_types_.size()));
    std::vector<DType> arg_types = state_types_;
    const std::vector<DType>& element_types = (*input)->spec().dtypes;
    arg_types.insert(arg_types.end(), element_types.begin(),
                     element_types.end());
    DatasetFunction::Find(
        context,
        {.attr = "f",
         .arg_types = std::move(arg_types),
         .return_types = state_types_,
         .first_captured = 1 + static_cast<int>(state.size()),
         .captured_types = "Targuments"},
        [this, &context, input = *input, state = std::move(state),
         done = std::move(done)](DatasetFunction::Found function) mutable {
          if (!function.ok()) return std::move(done)(function.status());
          Run(context,
              std::make_shared<const ReducedDataset>(spec_, std::move(input),
                                                     *std::move(function),
                                                     std::move(state)),
              std::move(done));
        });
  }

 private:
  const ElementSpec spec_;
  const std::vector<DType> state_types_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeReduce(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ElementSpec spec, OutputSpec(node));
  LEAT_ASSIGN_OR_RETURN(std::vector<DType> state_types,
                        node.attrs.Get<std::vector<DType>>("Tstate"));
  return std::unique_ptr<Kernel>(
      std::make_unique<Reduce>(std::move(spec), std::move(state_types)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("ReduceDataset", kCpu, &MakeReduce);
}

}  // namespace leat::kernels::datasets::reduce
