// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// RemoteRendezvous: the rendezvous of one step on one task. What devices of
// this task produce is in its table, for its own kernels and for peers that
// ask; what other tasks produce is pulled of them. Thread-safe.
//
// Keys of this task's devices with another incarnation are ABORTED, in
// TensorFlow's words and with kWorkerPossiblyRestartedPayload: they were made
// for a process that this one has taken the place of.
#ifndef LEAT_DISTRIBUTED_REMOTE_RENDEZVOUS_H_
#define LEAT_DISTRIBUTED_REMOTE_RENDEZVOUS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/core/mutex.h"
#include "leat/core/rendezvous.h"
#include "leat/distributed/peers.h"
#include "leat/distributed/recv_bundles.h"
#include "leat/distributed/transfers.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_rendezvous.h"
#include "leat/runtime/session_devices.h"

namespace leat {

class StepStatsRecorder;

class RemoteRendezvous final : public Rendezvous {
 public:
  // `devices` and `peers` are borrowed and outlive this; the devices outlive
  // its pulls too.
  RemoteRendezvous(int64_t step_id, DeviceSet& devices, Peers& peers,
                   size_t max_entries);
  // Aborts what still waits.
  ~RemoteRendezvous() override;

  // INVALID_ARGUMENT unless a device of this task sends.
  absl::Status Send(absl::string_view key, Tensor tensor,
                    bool is_dead) override;
  // INVALID_ARGUMENT for a malformed key and for one whose receiver is not of
  // this task, NOT_FOUND for a sender outside of the cluster.
  void RecvAsync(absl::string_view key, Done done) override;
  // Cancels the pulls too.
  void StartAbort(const absl::Status& reason) override;

  // For a peer: only what devices of this task produce. In TensorFlow's words
  // INVALID_ARGUMENT for a malformed key or an unknown device.
  void RecvForPeer(absl::string_view key, Done done);

  // What is pulled from now on goes to the memory of that session, which is
  // limited.
  void UseSession(std::shared_ptr<const SessionDevices> session);

  // What is asked for from now on, and belongs to a bundle, is pulled with the
  // rest of it. The first ones stay if several graphs of a step run on a task.
  void UseBundles(std::shared_ptr<const RecvBundles> bundles);

  // Tells of every tensor that is pulled from now on, while there is one: of
  // the last one if several graphs of a step run on a task.
  void RecordPulls(const std::shared_ptr<StepStatsRecorder>& recorder);

  // Those of which peers fetch the chunks; they end with the step.
  const std::shared_ptr<Transfers>& transfers() const { return transfers_; }

  // Of this task, for what takes long.
  WorkQueue& compute() { return devices_.compute_queue(); }

  // Tensors that this task has produced and nobody has asked for yet, or of
  // which nobody has fetched all.
  size_t num_untaken() const {
    return local_.num_untaken() + transfers_->size();
  }

 private:
  // Pulls the tensor of a key of another task.
  void Pull(absl::string_view task, absl::string_view key,
            absl::string_view tensor_name, absl::string_view sender,
            Device& receiver, Done done);
  // Pulls the tensors of all of its keys.
  void PullBundle(absl::string_view task, RecvBundles::KeysRef keys,
                  Device& receiver, std::vector<Done> dones);
  // Ends what waits for the rest of its bundle.
  void EndBundles(const absl::Status& why);
  // Null unless there are bundles.
  BundledRecvs* bundled();
  // Null unless its memory is limited.
  std::shared_ptr<const SessionDevices> session();
  // Null unless somebody records.
  std::shared_ptr<StepStatsRecorder> recorder();

  const int64_t step_id_;
  DeviceSet& devices_;
  Peers& peers_;
  LocalRendezvous local_;
  const std::shared_ptr<Cancellation> pulls_;
  const std::shared_ptr<Transfers> transfers_;

  std::atomic<bool> is_recorded_{false};
  Mutex mutex_;
  std::weak_ptr<StepStatsRecorder> recorder_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const SessionDevices> session_ ABSL_GUARDED_BY(mutex_);
  std::optional<BundledRecvs> bundled_ ABSL_GUARDED_BY(mutex_);  // set once
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REMOTE_RENDEZVOUS_H_
