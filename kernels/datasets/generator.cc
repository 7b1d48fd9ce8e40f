// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of GeneratorDataset. It calls one function at the begin,
// whose results are the arguments of the others. The next function makes the
// elements, and the last one is called at the end.
#include <memory>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/dataset_kernel.h"

namespace leat::kernels::datasets::generator {
namespace {

struct Functions {
  DatasetFunction init;
  DatasetFunction next;
  DatasetFunction finalize;
};

class GeneratorStage final : public Stage {
 public:
  GeneratorStage(const Functions& functions, const StageContext& context)
      : functions_(functions), context_(context) {}

  absl::StatusOr<Progress> Next(Element& element) override {
    while (phase_ != Phase::kEnded) {
      if (!run_.IsActive()) run_.Start(Function(), context_, state_);
      if (!run_.IsDone()) return Progress::kWaiting;
      CallableFunction::Results results = run_.Take();
      if (phase_ == Phase::kNext && absl::IsOutOfRange(results.status())) {
        phase_ = Phase::kFinalize;
        continue;
      }
      LEAT_RETURN_IF_ERROR(results.status());
      if (phase_ == Phase::kNext) {
        element = *std::move(results);
        return Progress::kElement;
      }
      if (phase_ == Phase::kInit) state_ = *std::move(results);
      phase_ = phase_ == Phase::kInit ? Phase::kNext : Phase::kEnded;
    }
    return Progress::kEnd;
  }

 private:
  // Says which function is called.
  enum class Phase { kInit, kNext, kFinalize, kEnded };

  const DatasetFunction& Function() const {
    if (phase_ == Phase::kInit) return functions_.init;
    return phase_ == Phase::kNext ? functions_.next : functions_.finalize;
  }

  const Functions functions_;
  const StageContext context_;
  Phase phase_ = Phase::kInit;
  Element state_;  // the results of the first function
  FunctionRun run_;
};

class GeneratorDataset final : public Dataset {
 public:
  GeneratorDataset(ElementSpec spec, Functions functions)
      : Dataset(std::move(spec)), functions_(std::move(functions)) {}

  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const StageContext& context) const override {
    return std::make_unique<GeneratorStage>(functions_, context);
  }

 private:
  const Functions functions_;
};

// The results of the first function are the arguments of the others. Only its
// body says which types they have.
absl::StatusOr<std::vector<DatasetFunctionRequest>> Requests(
    const KernelContext& context, const ElementSpec& spec) {
  const NodeDef& node = context.node();
  FunctionCaller* const functions = context.step().functions;
  if (functions == nullptr) {
    return absl::UnimplementedError("functions cannot be called here");
  }
  LEAT_ASSIGN_OR_RETURN(const FunctionRef init,
                        node.attrs.Get<FunctionRef>("init_func"));
  LEAT_ASSIGN_OR_RETURN(const FunctionRef finalize,
                        node.attrs.Get<FunctionRef>("finalize_func"));
  LEAT_ASSIGN_OR_RETURN(const std::vector<DType> state_types,
                        functions->ReturnTypes(init));
  LEAT_ASSIGN_OR_RETURN(std::vector<DType> last_types,
                        functions->ReturnTypes(finalize));
  LEAT_ASSIGN_OR_RETURN(const int num_init, CountOf(node, "Tinit_func_args"));
  LEAT_ASSIGN_OR_RETURN(const int num_next, CountOf(node, "Tnext_func_args"));
  return std::vector<DatasetFunctionRequest>{
      {.attr = "init_func",
       .return_types = state_types,
       .captured_types = "Tinit_func_args"},
      {.attr = "next_func",
       .arg_types = state_types,
       .return_types = spec.dtypes,
       .first_captured = num_init,
       .captured_types = "Tnext_func_args"},
      {.attr = "finalize_func",
       .arg_types = state_types,
       .return_types = std::move(last_types),
       .first_captured = num_init + num_next,
       .captured_types = "Tfinalize_func_args"}};
}

void StartGenerator(KernelContext& context, DatasetDone done) {
  absl::StatusOr<ElementSpec> spec = OutputSpec(context.node());
  if (!spec.ok()) return std::move(done)(spec.status());
  auto requests = Requests(context, *spec);
  if (!requests.ok()) return std::move(done)(requests.status());
  FindFunctions(
      context, *std::move(requests),
      [spec = *std::move(spec), done = std::move(done)](
          absl::StatusOr<std::vector<DatasetFunction>> found) mutable {
        if (!found.ok()) return std::move(done)(found.status());
        std::move(done)(std::make_shared<const GeneratorDataset>(
            std::move(spec), Functions{(*found)[0], (*found)[1], (*found)[2]}));
      });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("GeneratorDataset", kCpu, &StartDatasetKernel<&StartGenerator>);
}

}  // namespace leat::kernels::datasets::generator
