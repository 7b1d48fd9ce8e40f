// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of StringToNumber.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/codecs/parallel_checks.h"
#include "leat/kernels/codecs/text_numbers.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_to_number {
namespace {

constexpr auto kTypes = kFloat32And64 + kIndices;

template <class T>
class StringToNumber final : public Kernel {
  absl::Status Compute(KernelContext& context) const override {
    const Tensor& texts = context.input(0);
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, texts.shape()));
    const auto from = texts.data<std::string>();
    const auto to = output->mutable_data<T>();
    return ParallelChecks(
        context.compute_queue(), texts.num_elements(), /*cost_per_item=*/50,
        [&](int64_t i) -> absl::Status {
          if (ParseNumber(from[i], to[i])) return absl::OkStatus();
          return absl::InvalidArgumentError(absl::StrCat(
              "StringToNumberOp could not correctly convert string: ",
              from[i]));
        });
  }
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringToNumber(
    const NodeDef& node) {
  return MakeForType(node, "out_type", kTypes,
                     [](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<StringToNumber<T>>();
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringToNumber", kCpu, &MakeStringToNumber);
}

}  // namespace leat::kernels::any::string_to_number
