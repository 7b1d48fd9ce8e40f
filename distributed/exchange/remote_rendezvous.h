// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RemoteRendezvous: the rendezvous of one step on one task. The tensors that
// devices of this task produce are in its table, for kernels of this task and
// for peers that ask. The tensors that other tasks produce are pulled from
// them.
//
// A key whose sender is a device of this task but with another incarnation is
// ABORTED, in TensorFlow's words and with kWorkerPossiblyRestartedPayload: it
// was made for an earlier process at this task's address.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_
#define LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/mutex.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/distributed/exchange/tensor_receiver.h"
#include "leat/distributed/exchange/transfers.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat {

class Device;
class DeviceSet;
class SessionDevices;
class StepStatsRecorder;

// Thread-safe. Pulls do not keep it alive; its destructor cancels them.
class RemoteRendezvous final : public Rendezvous {
 public:
  // `devices` and `receiver` are borrowed and must outlive this; the devices
  // must also outlive its pulls. At most `max_entries` tensors and Recvs may
  // wait in the table.
  RemoteRendezvous(int64_t step_id, DeviceSet& devices,
                   const TensorReceiver& receiver, size_t max_entries);
  // Aborts whatever still waits, with CANCELLED (derived).
  ~RemoteRendezvous() override;

  // Returns INVALID_ARGUMENT for a malformed key and unless a device of this
  // task is the sender. Otherwise fails as LocalRendezvous::Send does.
  absl::Status Send(const ParsedKey& key, Tensor tensor, bool is_dead) override;
  // `done` gets INVALID_ARGUMENT for a malformed key and for one whose receiver
  // is not a device of this task, NOT_FOUND for a sender outside of the
  // cluster, and otherwise fails as TensorReceiver::Receive does.
  void RecvAsync(const ParsedKey& key, Done done) override;
  // Also cancels the pulls and ends the transfers.
  void StartAbort(const absl::Status& reason) override;

  // Receives a tensor for a peer, which may only ask for what devices of this
  // task produce. `done` gets INVALID_ARGUMENT, in TensorFlow's words, for a
  // malformed key or an unknown device.
  void RecvForPeer(const ParsedKey& key, Done done);

  // Makes later pulls allocate in the memory of that session, which is limited.
  void UseSession(std::shared_ptr<const SessionDevices> session);

  // Makes later pulls of tensors that belong to a bundle wait for the rest of
  // the bundle. If several graphs of a step run on a task, the first one's
  // bundles stay.
  void UseBundles(std::shared_ptr<const RecvBundles> bundles);

  // Makes later pulls report to `recorder`, as long as it lives. If several
  // graphs of a step run on a task, the last recorder is used.
  void RecordPulls(const std::shared_ptr<StepStatsRecorder>& recorder);

  // The transfers whose chunks peers fetch. They end with the step.
  const std::shared_ptr<Transfers>& transfers() const { return transfers_; }

  // The compute pool of this task, for work that takes long.
  WorkQueue& compute() const;

  // The number of tensors that this task has produced and nobody has asked for
  // yet, or has not completely fetched.
  size_t num_untaken() const {
    return local_.num_untaken() + transfers_->size();
  }

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
  // Returns null if there are no bundles.
  BundledRecvs* bundled();
  // Returns null if the session's memory is not limited.
  std::shared_ptr<const SessionDevices> session();
  // Returns null if the step is not recorded.
  std::shared_ptr<StepStatsRecorder> recorder();

  const int64_t step_id_;
  DeviceSet& devices_;
  const TensorReceiver& receiver_;
  // The table of what devices of this task produce.
  LocalRendezvous local_;
  // Cancelled when the step is aborted or this is destroyed.
  const std::shared_ptr<Cancellation> pulls_;
  const std::shared_ptr<Transfers> transfers_;

  std::atomic<bool> is_recorded_{false};
  Mutex mutex_;
  std::weak_ptr<StepStatsRecorder> recorder_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const SessionDevices> session_ ABSL_GUARDED_BY(mutex_);
  std::optional<BundledRecvs> bundled_ ABSL_GUARDED_BY(mutex_);  // set once
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_REMOTE_RENDEZVOUS_H_
