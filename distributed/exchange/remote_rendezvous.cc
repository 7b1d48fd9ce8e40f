// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/remote_rendezvous.h"

#include <chrono>
#include <utility>

#include "leat/core/status_payloads.h"
#include "leat/distributed/cluster/device_task.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session_devices.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

// Returns what reports a pull that begins now, or null without a recorder.
TensorReceive::Record RecordTo(std::shared_ptr<StepStatsRecorder> recorder,
                               Device& receiver) {
  if (recorder == nullptr) return nullptr;
  return [recorder = std::move(recorder), &receiver,
          asked = std::chrono::steady_clock::now()](
             absl::Span<const ParsedKey> keys,
             absl::Span<const SentTensor> tensors, int64_t send_start_us) {
    for (size_t i = 0; i < keys.size(); ++i) {
      const SentTensor& sent = tensors[i];
      recorder->OnPull({.tensor = keys[i].tensor_name(),
                        .from = keys[i].send_device(),
                        .to = &receiver,
                        .asked = asked,
                        .sent = std::chrono::microseconds(send_start_us),
                        .received = std::chrono::steady_clock::now(),
                        .bytes = sent.is_dead ? 0 : sent.tensor.num_bytes()});
    }
  };
}

}  // namespace

RemoteRendezvous::RemoteRendezvous(std::shared_ptr<StepOutbox> outbox,
                                   const TensorReceiver& receiver,
                                   RunInputs inputs)
    : outbox_(std::move(outbox)),
      receiver_(receiver),
      inputs_(std::move(inputs)),
      pulls_(std::make_shared<Cancellation>()) {
  if (inputs_.bundles != nullptr) bundled_.emplace(inputs_.bundles);
}

RemoteRendezvous::~RemoteRendezvous() {
  const absl::Status ended =
      AsDerived(absl::CancelledError("the step has ended"));
  if (!pulls_->IsCancelled()) pulls_->Cancel(ended);
  EndBundles(ended);
}

absl::Status RemoteRendezvous::Send(const ParsedKey& key, Tensor tensor,
                                    bool is_dead) {
  return outbox_->Send(key, std::move(tensor), is_dead);
}

void RemoteRendezvous::RecvAsync(const ParsedKey& key, Done done) {
  const absl::string_view task = TaskOfDevice(key.send_device());
  if (!key.is_well_formed() || task == outbox_->task()) {
    return outbox_->RecvAsync(key, std::move(done));
  }
  Device* const device = outbox_->devices().Find(key.recv_device());
  if (device == nullptr) {
    std::move(done)(outbox_->NotOurs("dst", key), Tensor(), false);
  } else if (pulls_->IsCancelled()) {
    std::move(done)(pulls_->status(), Tensor(), false);
  } else {
    RecvFromTask(task, key, *device, std::move(done));
  }
}

void RemoteRendezvous::RecvFromTask(absl::string_view task,
                                    const ParsedKey& key, Device& device,
                                    Done done) {
  Device* receiver = &device;
  if (inputs_.devices != nullptr) {
    receiver = inputs_.devices->Find(key.recv_device());
    done = [session = inputs_.devices, done = std::move(done)](
               const absl::Status& received, Tensor tensor,
               bool is_dead) mutable {
      std::move(done)(received, std::move(tensor), is_dead);
    };
  }
  RecvDones dones;
  RecvKeys::Shared bundle;
  if (bundled_.has_value() && bundled_->Add(key, done, bundle, dones)) {
    if (bundle == nullptr) return;
    return Pull(task, RecvKeys(std::move(bundle)), *receiver, std::move(dones));
  }
  dones.push_back(std::move(done));
  Pull(task, RecvKeys(key), *receiver, std::move(dones));
}

void RemoteRendezvous::Pull(absl::string_view task, RecvKeys keys,
                            Device& receiver, RecvDones dones) {
  receiver_.Receive(task, {.step_id = outbox_->step_id(),
                           .keys = std::move(keys),
                           .allocator = &receiver.host_allocator(),
                           .cancellation = pulls_,
                           .dones = std::move(dones),
                           .record = RecordTo(inputs_.recorder, receiver)});
}

void RemoteRendezvous::StartAbort(const absl::Status& reason) {
  outbox_->StartAbort(reason);
  pulls_->Cancel(reason);
  EndBundles(reason);
}

void RemoteRendezvous::EndBundles(const absl::Status& why) {
  if (!bundled_.has_value()) return;
  for (Done& done : bundled_->End()) std::move(done)(why, Tensor(), false);
}

}  // namespace leat
