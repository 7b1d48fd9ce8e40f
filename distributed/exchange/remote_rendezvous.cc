// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/remote_rendezvous.h"

#include <chrono>
#include <utility>

#include "leat/core/status_payloads.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/kernels/collectives/collective_key.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session_devices.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

// Returns a function that reports a pull to `recorder`. The pull begins now.
// Returns null if `recorder` is null.
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
      pulls_(std::make_shared<Pulls>()) {
  if (inputs_.bundles != nullptr) pulls_->bundled.emplace(inputs_.bundles);
  if (inputs_.is_shared) pulls_->own.emplace(outbox_->max_entries());
  const bool registered = outbox_->aborted().Register(
      [pulls = pulls_](const absl::Status& why) { pulls->End(why); }, &token_);
  if (!registered) pulls_->End(outbox_->aborted().status());
}

RemoteRendezvous::~RemoteRendezvous() {
  outbox_->aborted().Deregister(token_);
  pulls_->End(AsDerived(absl::CancelledError("the step has ended")));
}

void RemoteRendezvous::Pulls::End(const absl::Status& why) {
  cancellation.Cancel(why);
  if (own.has_value()) own->StartAbort(why);
  if (!bundled.has_value()) return;
  for (Done& done : bundled->End()) std::move(done)(why, Tensor(), false);
}

bool RemoteRendezvous::IsOwn(const ParsedKey& key) const {
  const DeviceSet& devices = outbox_->devices();
  return pulls_->own.has_value() && key.is_well_formed() && !IsBufferKey(key) &&
         devices.Find(key.send_device()) != nullptr &&
         devices.Find(key.recv_device()) != nullptr;
}

absl::Status RemoteRendezvous::Send(const ParsedKey& key, Tensor tensor,
                                    bool is_dead) {
  if (IsOwn(key)) {
    return pulls_->own->Send(key, std::move(tensor), is_dead);
  }
  return outbox_->Send(key, std::move(tensor), is_dead);
}

void RemoteRendezvous::RecvAsync(const ParsedKey& key, Done done) {
  if (IsOwn(key)) {
    return pulls_->own->RecvAsync(key, std::move(done));
  }
  const absl::string_view task = TaskOfDevice(key.send_device());
  if (!key.is_well_formed() || task == outbox_->task()) {
    return outbox_->RecvAsync(key, std::move(done));
  }
  const Cancellation& cancellation = pulls_->cancellation;
  Device* const device = inputs_.devices != nullptr
                             ? inputs_.devices->Find(key.recv_device())
                             : outbox_->devices().Find(key.recv_device());
  if (device == nullptr) {
    std::move(done)(outbox_->NotOurs("dst", key), Tensor(), false);
  } else if (cancellation.IsCancelled()) {
    std::move(done)(cancellation.status(), Tensor(), false);
  } else {
    RecvFromTask(task, key, *device, std::move(done));
  }
}

void RemoteRendezvous::RecvFromTask(absl::string_view task,
                                    const ParsedKey& key, Device& device,
                                    Done done) {
  RecvDones dones;
  RecvKeys::Shared bundle;
  std::optional<BundledRecvs>& bundled = pulls_->bundled;
  if (bundled.has_value() && bundled->Add(key, done, bundle, dones)) {
    if (bundle == nullptr) return;
    return Pull(task, RecvKeys(std::move(bundle)), device, std::move(dones));
  }
  dones.push_back(std::move(done));
  Pull(task, RecvKeys(key), device, std::move(dones));
}

void RemoteRendezvous::Pull(absl::string_view task, RecvKeys keys,
                            Device& receiver, RecvDones dones) {
  receiver_.Receive(task,
                    {.step_id = outbox_->step_id(),
                     .keys = std::move(keys),
                     // The receive keeps the SessionDevices alive, because they
                     // own the device of the allocator.
                     .allocator = {inputs_.devices, &receiver.host_allocator()},
                     .cancellation = {pulls_, &pulls_->cancellation},
                     .dones = std::move(dones),
                     .record = RecordTo(inputs_.recorder, receiver)});
}

void RemoteRendezvous::StartAbort(const absl::Status& reason) {
  outbox_->StartAbort(reason);
}

}  // namespace leat
