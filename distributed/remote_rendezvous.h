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

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/cancellation.h"
#include "leat/core/rendezvous.h"
#include "leat/distributed/peers.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat {

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

 private:
  const int64_t step_id_;
  DeviceSet& devices_;
  Peers& peers_;
  LocalRendezvous local_;
  const std::shared_ptr<Cancellation> pulls_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_REMOTE_RENDEZVOUS_H_
