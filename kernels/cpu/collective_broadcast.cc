// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of CollectiveBcastSend, CollectiveBcastRecv and their
// second versions.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/collectives/collective_kernel.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::cpu::collective_broadcast {
namespace {

// Returns the call of a member, sender or receiver, whose tensor is `output`.
CollectiveCall CallFor(CollectiveRequest request, float timeout_seconds,
                       Tensor output) {
  return {.request = std::move(request),
          .timeout_seconds = timeout_seconds,
          .output = std::move(output),
          .schedule = [](const ResolvedCollective& member,
                         Tensor& data) -> absl::StatusOr<CollectiveSchedule> {
            return TreeBroadcast(*member.group, member.rank, member.source_rank,
                                 data.num_elements());
          }};
}

class BcastSend final : public AsyncKernel {
 public:
  BcastSend(CollectiveAttrs attrs, PartialShape declared)
      : attrs_(std::move(attrs)), declared_(std::move(declared)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    absl::StatusOr<CollectiveRequest> request =
        RequestOf(attrs_, context, /*first_input=*/1);
    if (!request.ok()) return std::move(done)(request.status());
    const Tensor& input = context.input(0);
    request->shape = input.shape();
    if (attrs_.has_group && !declared_.IsCompatibleWith(input.shape())) {
      return std::move(done)(
          absl::InternalError(absl::StrCat("Declared shape of op ", attrs_.name,
                                           " does not match shape of input")));
    }
    context.set_output(0, input);
    RunCollective(CallFor(*std::move(request), attrs_.timeout_seconds, input),
                  context, std::move(done));
  }

 private:
  const CollectiveAttrs attrs_;
  const PartialShape declared_;  // of an op of the first version
};

class BcastRecv final : public AsyncKernel {
 public:
  BcastRecv(CollectiveAttrs attrs, PartialShape declared)
      : attrs_(std::move(attrs)), declared_(std::move(declared)) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    absl::StatusOr<CollectiveCall> call = MakeCall(context);
    if (!call.ok()) return std::move(done)(call.status());
    RunCollective(*std::move(call), context, std::move(done));
  }

 private:
  absl::StatusOr<CollectiveCall> MakeCall(KernelContext& context) const {
    LEAT_ASSIGN_OR_RETURN(CollectiveRequest request,
                          RequestOf(attrs_, context, /*first_input=*/0));
    if (attrs_.has_group) {
      LEAT_ASSIGN_OR_RETURN(request.shape, declared_.ToShape());
    } else {
      LEAT_ASSIGN_OR_RETURN(request.shape, GetShape(context.input(3), "shape"));
    }
    LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                          context.AllocateOutput(0, request.shape));
    return CallFor(std::move(request), attrs_.timeout_seconds, *output);
  }

  const CollectiveAttrs attrs_;
  const PartialShape declared_;  // of an op of the first version
};

template <class Bcast, bool has_group>
absl::StatusOr<std::unique_ptr<Kernel>> Make(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(
      CollectiveAttrs attrs,
      ReadCollectiveAttrs(node, CollectiveType::kBroadcast, has_group));
  attrs.is_source = std::is_same_v<Bcast, BcastSend>;
  attrs.name = absl::StrCat(node.name, ": Broadcast(", attrs.is_source, ")");
  PartialShape declared;
  if (has_group) {
    LEAT_ASSIGN_OR_RETURN(declared, node.attrs.Get<PartialShape>("shape"));
  }
  return std::make_unique<Bcast>(std::move(attrs), std::move(declared));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("CollectiveBcastSend", kCpu, &Make<BcastSend, true>);
  registry.Add("CollectiveBcastSendV2", kCpu, &Make<BcastSend, false>);
  registry.Add("CollectiveBcastRecv", kCpu, &Make<BcastRecv, true>);
  registry.Add("CollectiveBcastRecvV2", kCpu, &Make<BcastRecv, false>);
}

}  // namespace leat::kernels::cpu::collective_broadcast
