// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of CountUpTo and ResourceCountUpTo, which count in a
// variable.
#include <memory>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/variable.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::any::count_up_to {
namespace {

template <class T>
class CountUpTo final : public Kernel {
 public:
  explicit CountUpTo(T limit) : limit_(limit) {}

  absl::Status Compute(KernelContext& context) const final {
    LEAT_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                          GetVariable(context, 0, kDTypeOf<T>));
    return variable->Update(
        context.step().device->allocator(), [&](Tensor& value) -> absl::Status {
          if (!value.shape().IsScalar()) {
            return absl::InvalidArgumentError(absl::StrCat(
                "input is not a scalar: ", value.shape().DebugString()));
          }
          T& count = value.mutable_data<T>()[0];
          if (count >= limit_) {
            return absl::OutOfRangeError(
                absl::StrCat("Reached limit of ", limit_));
          }
          LEAT_ASSIGN_OR_RETURN(Tensor * output,
                                context.AllocateOutput(0, Shape{}));
          output->mutable_data<T>()[0] = count++;
          return absl::OkStatus();
        });
  }

 private:
  const T limit_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeCountUpTo(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t limit, node.attrs.GetInt32("limit"));
  return MakeForType(node, "T", kIndices, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return std::make_unique<CountUpTo<T>>(static_cast<T>(limit));
  });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("CountUpTo", kCpu, &MakeCountUpTo);
  registry.Add("ResourceCountUpTo", kCpu, &MakeCountUpTo);
}

}  // namespace leat::kernels::any::count_up_to
