// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of _Send, _Recv, _HostSend and _HostRecv, which pass a
// tensor from one device to another through the step's rendezvous. They also
// pass on whether the tensor is dead.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/status_macros.h"
#include "leat/graph/rendezvous_attrs.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::send_recv {
namespace {

// Holds the rendezvous key of a node. The key is parsed once for all runs.
class NodeKey {
 public:
  static absl::StatusOr<NodeKey> Of(const NodeDef& node) {
    LEAT_ASSIGN_OR_RETURN(const RendezvousKey key, RendezvousKeyOf(node.attrs));
    return NodeKey(ParsedKey(key.ToString()));
  }

  // Calls `use(key)` with the key for the loop iteration of this run.
  template <class Use>
  void WithKey(const KernelContext& context, Use use) const {
    if (context.frame_id() == 0 && context.iteration() == 0) {
      use(outside_loops_);
    } else {
      use(outside_loops_.InLoop(context.frame_id(), context.iteration()));
    }
  }

 private:
  explicit NodeKey(ParsedKey outside_loops)
      : outside_loops_(std::move(outside_loops)) {}

  ParsedKey outside_loops_;
};

class Send final : public Kernel {
 public:
  explicit Send(NodeKey key) : key_(std::move(key)) {}

  absl::Status Compute(KernelContext& context) const final {
    absl::Status status;
    key_.WithKey(context, [&](const ParsedKey& key) {
      status = context.step().rendezvous->Send(
          key, context.input(0), context.is_dead() || !context.HasInput(0));
    });
    return status;
  }

 private:
  const NodeKey key_;
};

class Recv final : public AsyncKernel {
 public:
  Recv(NodeKey key, DType dtype) : key_(std::move(key)), dtype_(dtype) {}

  void ComputeAsync(KernelContext& context, Done done) const final {
    key_.WithKey(context, [&](const ParsedKey& key) {
      context.step().rendezvous->RecvAsync(
          key,
          [this, &context, done = std::move(done)](
              const absl::Status& status, Tensor tensor, bool is_dead) mutable {
            std::move(done)(
                Finish(context, status, std::move(tensor), is_dead));
          });
    });
  }

 private:
  absl::Status Finish(KernelContext& context, const absl::Status& status,
                      Tensor tensor, bool is_dead) const {
    if (!status.ok()) return status;
    if (is_dead) {
      context.set_output_dead(0);
    } else if (tensor.dtype() != dtype_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The node received a tensor of type ", Name(tensor.dtype()),
          ", but it expects ", Name(dtype_)));
    } else {
      context.set_output(0, std::move(tensor));
    }
    return absl::OkStatus();
  }

  const NodeKey key_;
  const DType dtype_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSend(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(NodeKey key, NodeKey::Of(node));
  return std::unique_ptr<Kernel>(std::make_unique<Send>(std::move(key)));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeRecv(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(NodeKey key, NodeKey::Of(node));
  LEAT_ASSIGN_OR_RETURN(DType dtype, node.attrs.Get<DType>("tensor_type"));
  return std::unique_ptr<Kernel>(
      std::make_unique<Recv>(std::move(key), BaseOf(dtype)));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("_Send", kCpu, &MakeSend);
  registry.Add("_HostSend", kCpu, &MakeSend);
  registry.Add("_Recv", kCpu, &MakeRecv);
  registry.Add("_HostRecv", kCpu, &MakeRecv);
}

}  // namespace leat::kernels::any::send_recv
