// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RemoteRendezvous: the rendezvous of one run of a graph in a step. What
// devices of this task produce is in the outbox of the step. The tensors that
// other tasks produce are pulled from them.
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

namespace leat {

class Device;
class SessionDevices;
class StepStatsRecorder;

// What a run of a graph brings to the pulls of its tensors.
struct RunInputs {
  // Pulls allocate in the memory of this session. Null: it is not limited.
  std::shared_ptr<const SessionDevices> devices = {};
  // Pulls of tensors of one bundle wait for each other. May be null.
  std::shared_ptr<const RecvBundles> bundles = {};
  // Records the pulls. May be null.
  std::shared_ptr<StepStatsRecorder> recorder = {};
};

// Thread-safe. Pulls do not keep it alive; its destructor cancels them.
class RemoteRendezvous final : public Rendezvous {
 public:
  // `outbox` is not null. `receiver` is borrowed and must outlive this; the
  // devices of the outbox must outlive the pulls.
  RemoteRendezvous(std::shared_ptr<StepOutbox> outbox,
                   const TensorReceiver& receiver, RunInputs inputs = {});
  // Fails the pulls that are under way with CANCELLED (derived).
  ~RemoteRendezvous() override;

  // Does what StepOutbox::Send does.
  absl::Status Send(const ParsedKey& key, Tensor tensor, bool is_dead) override;
  // For a sender on this task does what StepOutbox::RecvAsync does. Otherwise
  // `done` gets INVALID_ARGUMENT for a malformed key and for one whose receiver
  // is not a device of this task, NOT_FOUND for a sender outside of the
  // cluster, and otherwise fails as TensorReceiver::Receive does.
  void RecvAsync(const ParsedKey& key, Done done) override;
  // Aborts the whole step on this task, and cancels the pulls of this run.
  void StartAbort(const absl::Status& reason) override;

 private:
  // Receives a tensor from another task, for that device of this task: alone,
  // or with the others of its bundle once all of them have been asked for.
  void RecvFromTask(absl::string_view task, const ParsedKey& key,
                    Device& device, Done done);
  // Pulls tensors from another task. `dones` are the callbacks for `keys`.
  void Pull(absl::string_view task, RecvKeys keys, Device& receiver,
            RecvDones dones);
  // Fails the Recvs that wait for the rest of their bundle.
  void EndBundles(const absl::Status& why);

  const std::shared_ptr<StepOutbox> outbox_;
  const TensorReceiver& receiver_;
  const RunInputs inputs_;
  // Cancelled when the run is aborted or this is destroyed.
  const std::shared_ptr<Cancellation> pulls_;
  std::optional<BundledRecvs> bundled_;  // nothing without bundles
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_
