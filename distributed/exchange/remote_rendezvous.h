// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RemoteRendezvous is the rendezvous of one run of a graph in a step. It gets
// the tensors of this task's devices from the outbox of the step. It *pulls*
// the tensors of other tasks, that is, it asks those tasks for them. In a step
// that several sessions share, each run keeps the tensors between devices of
// this task to itself, except the buffers of collectives.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/distributed/exchange/step_outbox.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat {

class Device;
class SessionDevices;
class StepStatsRecorder;

// Holds the objects that the pulls of one run of a graph use.
struct RunInputs {
  // Holds the devices as the session sees them. Pulls allocate from these
  // devices. Is null if the session's memory is not limited.
  std::shared_ptr<const SessionDevices> devices = {};
  // Holds the bundles of the graph. Recvs of one bundle wait for each other.
  // May be null.
  std::shared_ptr<const RecvBundles> bundles = {};
  // Records the pulls. May be null.
  std::shared_ptr<StepStatsRecorder> recorder = {};
  // True if other sessions may have runs in the step, too. Their graphs may use
  // the same keys between devices of this task.
  bool is_shared = false;
};

// Is thread-safe. The pulls do not own this object. Its destructor cancels
// them.
class RemoteRendezvous final : public Rendezvous {
 public:
  // `outbox` is not null. `receiver` is borrowed and must outlive this. The
  // devices of the outbox must outlive the pulls.
  RemoteRendezvous(std::shared_ptr<StepOutbox> outbox,
                   const TensorReceiver& receiver, RunInputs inputs);
  // Cancels the pulls that are under way, with CANCELLED (derived).
  ~RemoteRendezvous() override;

  // Does what StepOutbox::Send does, or keeps the tensor for this run.
  absl::Status Send(const ParsedKey& key, Tensor tensor, bool is_dead) override;
  // Receives what Send has kept for this run. If the key is malformed or its
  // sender is on this task, does what StepOutbox::RecvAsync does. Otherwise
  // pulls the tensor. `done` then gets
  // the result of TensorReceiver::Receive, for example NOT_FOUND if the sender
  // is not in the cluster. If the receiver in the key is not a device of this
  // task, `done` gets INVALID_ARGUMENT.
  void RecvAsync(const ParsedKey& key, Done done) override;
  // Aborts the whole step on this task. This also cancels the pulls of all runs
  // of the step.
  void StartAbort(const absl::Status& reason) override;

 private:
  // Holds what ends with the run. Is thread-safe.
  struct Pulls {
    // Cancels the pulls that are under way, and ends the Recvs that wait for
    // the rest of their bundle or in `own`. All get the error `why`. Further
    // calls of End do nothing. REQUIRES: !why.ok().
    void End(const absl::Status& why);

    Cancellation cancellation;
    std::optional<BundledRecvs> bundled = {};  // nullopt without bundles
    // Holds the tensors that only this run may receive. Is nullopt if the step
    // is not shared.
    std::optional<LocalRendezvous> own = {};
  };

  // Returns true if only this run may receive the tensor.
  bool IsOwn(const ParsedKey& key) const;

  // Receives a tensor from another task. `device` is the receiving device of
  // this task. If the tensor is in a bundle, it is pulled together with the
  // other tensors of the bundle when all of them have been asked for. Otherwise
  // it is pulled alone.
  void RecvFromTask(absl::string_view task, const ParsedKey& key,
                    Device& device, Done done);
  // Pulls tensors from another task. `dones` are the callbacks for `keys`.
  void Pull(absl::string_view task, RecvKeys keys, Device& receiver,
            RecvDones dones);

  const std::shared_ptr<StepOutbox> outbox_;
  const TensorReceiver& receiver_;
  const RunInputs inputs_;
  // The pulls end when the step is aborted or this object is destroyed. The
  // ownership is shared, because an abort may still be ending the pulls when
  // this object is destroyed.
  const std::shared_ptr<Pulls> pulls_;
  Cancellation::Token token_ = -1;  // registered with the outbox's aborted()
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_
