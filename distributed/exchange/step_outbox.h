// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// StepOutbox holds the tensors that devices of this task produce in one step.
// Kernels of this task and peers receive these tensors. The outbox is made when
// a run of the step begins or a peer asks for the step, whichever happens
// first.
//
// Send, RecvAsync and RecvForPeer fail with ABORTED if the sender in the key is
// a device of this task but has another incarnation. Such a key was made for an
// earlier process at this task's address. The error has TensorFlow's message
// and kWorkerPossiblyRestartedPayload.
#ifndef LEAT_DISTRIBUTED_EXCHANGE_STEP_OUTBOX_H_
#define LEAT_DISTRIBUTED_EXCHANGE_STEP_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/core/threads/cancellation.h"
#include "leat/distributed/exchange/transfers.h"
#include "leat/runtime/local_rendezvous.h"

namespace leat {

class Device;
class DeviceSet;
class WorkQueue;

// Is thread-safe.
class StepOutbox final : public Rendezvous {
 public:
  // `devices` are the devices of this task. They are borrowed and must outlive
  // this. `max_entries` bounds the tensors and Recvs that wait and, outside of
  // loops, the keys that have been used (local_rendezvous.h).
  StepOutbox(int64_t step_id, DeviceSet& devices, size_t max_entries);
  // Makes waiting Recvs fail with CANCELLED, and ends the transfers.
  ~StepOutbox() override;

  int64_t step_id() const { return step_id_; }
  DeviceSet& devices() const { return devices_; }
  size_t max_entries() const { return local_.max_entries(); }
  // Returns this task's name, such as "/job:ps/replica:0/task:0".
  absl::string_view task() const;
  // Returns the compute pool of this task, which does work that takes a long
  // time.
  WorkQueue& compute() const;

  // Returns INVALID_ARGUMENT if the key is malformed or its sender is not a
  // device of this task. Otherwise fails as LocalRendezvous::Send does.
  absl::Status Send(const ParsedKey& key, Tensor tensor, bool is_dead) override;
  // If the key is malformed or its sender is not a device of this task, `done`
  // gets INVALID_ARGUMENT, with TensorFlow's message. There is one exception.
  // The sender may have the type and number of one of this task's devices, but
  // another incarnation. `done` then gets the ABORTED error that the top of
  // this file describes.
  void RecvAsync(const ParsedKey& key, Done done) override;
  // Makes waiting Recvs and all later calls fail, ends the transfers and
  // cancels aborted(), all with `reason`.
  void StartAbort(const absl::Status& reason) override;
  // Returns the Cancellation that StartAbort cancels.
  Cancellation& aborted() { return aborted_; }

  // Does what RecvAsync does, for a peer. `done` also gets INVALID_ARGUMENT if
  // the receiver in the key is not the name of a device.
  void RecvForPeer(const ParsedKey& key, Done done);

  // Returns INVALID_ARGUMENT. The message says that a device in the key does
  // not belong to this task. `end` says which device: "src" or "dst".
  absl::Status NotOurs(absl::string_view end, const ParsedKey& key) const;

  // Returns the transfers whose chunks peers fetch. They end with the step.
  const std::shared_ptr<Transfers>& transfers() const { return transfers_; }

  // Returns the number of tensors that nobody has asked for yet, or that a peer
  // has not completely fetched yet.
  size_t num_untaken() const {
    return local_.num_untaken() + transfers_->size();
  }

 private:
  absl::Status CheckIncarnation(const ParsedKey& key,
                                const Device& device) const;
  // Returns the error of a key whose sender is not a device of this task.
  absl::Status UnknownSender(const ParsedKey& key) const;

  const int64_t step_id_;
  DeviceSet& devices_;
  LocalRendezvous local_;
  const std::shared_ptr<Transfers> transfers_;
  Cancellation aborted_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_EXCHANGE_STEP_OUTBOX_H_
