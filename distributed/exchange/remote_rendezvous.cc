// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/remote_rendezvous.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/cluster/device_task.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/session_devices.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

// The most bytes of a peer's key that an error message shows.
constexpr size_t kMaxShownKeyBytes = 1000;

std::string Shown(const ParsedKey& key) {
  return absl::CHexEscape(
      absl::string_view(key.text()).substr(0, kMaxShownKeyBytes));
}

absl::Status Malformed(const ParsedKey& key) {
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid  rendezvous key: ", Shown(key)));
}

// Returns this task's name, such as "/job:ps/replica:0/task:0".
absl::string_view OwnTask(const DeviceSet& devices) {
  const absl::string_view name = devices.devices().front()->name();
  return TaskOfDevice(name);
}

// Returns INVALID_ARGUMENT: a device in the key is not of this task. `end` is
// "src" or "dst".
absl::Status NotOurs(absl::string_view end, const ParsedKey& key,
                     const DeviceSet& devices) {
  return absl::InvalidArgumentError(absl::StrCat("Invalid rendezvous key (",
                                                 end, "): ", Shown(key), " @ ",
                                                 OwnTask(devices)));
}

absl::Status CheckIncarnation(const ParsedKey& key, const Device& device,
                              const DeviceSet& devices) {
  if (key.send_incarnation() == device.info().incarnation) {
    return absl::OkStatus();
  }
  return AsWorkerPossiblyRestarted(absl::AbortedError(absl::StrCat(
      "RecvTensor expects a different device incarnation: ",
      key.send_incarnation(), " vs. ", device.info().incarnation,
      ". Your worker job (\"", OwnTask(devices),
      "\") was probably restarted. Check your worker job for the reason why it "
      "was restarted.")));
}

// Returns the error of a key whose sender is not a device of this task.
absl::Status UnknownSender(const ParsedKey& key, const DeviceSet& devices) {
  const auto name = DeviceName::Parse(key.send_device());
  if (!name.ok()) return Malformed(key);
  DeviceName local;
  local.type = name->type;
  local.id = name->id;
  const std::string local_name = local.ToString();
  // TensorFlow looks devices up without their task. So a key for the task that
  // had this address before gets the error that tells about the restart.
  const Device* const device =
      devices.Find(absl::StrCat(OwnTask(devices), local_name));
  if (device == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(local_name, " unknown device."));
  }
  const absl::Status status = CheckIncarnation(key, *device, devices);
  return status.ok() ? NotOurs("src", key, devices) : status;
}

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

RemoteRendezvous::RemoteRendezvous(int64_t step_id, DeviceSet& devices,
                                   const TensorReceiver& receiver,
                                   size_t max_entries)
    : step_id_(step_id),
      devices_(devices),
      receiver_(receiver),
      local_(max_entries),
      pulls_(std::make_shared<Cancellation>()),
      transfers_(std::make_shared<Transfers>()) {}

RemoteRendezvous::~RemoteRendezvous() {
  const absl::Status ended =
      AsDerived(absl::CancelledError("the step has ended"));
  transfers_->End(ended);
  if (!pulls_->IsCancelled()) pulls_->Cancel(ended);
  EndBundles(ended);
}

absl::Status RemoteRendezvous::Send(const ParsedKey& key, Tensor tensor,
                                    bool is_dead) {
  if (!key.is_well_formed()) return Malformed(key);
  const Device* const device = devices_.Find(key.send_device());
  if (device == nullptr) return NotOurs("src", key, devices_);
  const absl::Status status = CheckIncarnation(key, *device, devices_);
  if (!status.ok()) return status;
  return local_.Send(key, std::move(tensor), is_dead);
}

void RemoteRendezvous::RecvAsync(const ParsedKey& key, Done done) {
  absl::Status status;
  if (!key.is_well_formed()) {
    status = Malformed(key);
  } else if (const Device* const sender = devices_.Find(key.send_device())) {
    status = CheckIncarnation(key, *sender, devices_);
    if (status.ok()) return local_.RecvAsync(key, std::move(done));
  } else if (Device* receiver = devices_.Find(key.recv_device());
             receiver == nullptr) {
    status = NotOurs("dst", key, devices_);
  } else if (pulls_->IsCancelled()) {
    status = pulls_->status();
  } else {
    const absl::string_view task = TaskOfDevice(key.send_device());
    if (task != OwnTask(devices_)) {
      return RecvFromTask(task, key, *receiver, std::move(done));
    }
    status = UnknownSender(key, devices_);
  }
  std::move(done)(status, Tensor(), false);
}

void RemoteRendezvous::RecvFromTask(absl::string_view task,
                                    const ParsedKey& key, Device& device,
                                    Done done) {
  Device* receiver = &device;
  if (auto session = this->session(); session != nullptr) {
    receiver = session->Find(key.recv_device());
    done = [session = std::move(session), done = std::move(done)](
               const absl::Status& received, Tensor tensor,
               bool is_dead) mutable {
      std::move(done)(received, std::move(tensor), is_dead);
    };
  }
  RecvDones dones;
  RecvKeys::Shared bundle;
  if (BundledRecvs* const bundled = this->bundled();
      bundled != nullptr && bundled->Add(key, done, bundle, dones)) {
    if (bundle == nullptr) return;
    return Pull(task, RecvKeys(std::move(bundle)), *receiver, std::move(dones));
  }
  dones.push_back(std::move(done));
  Pull(task, RecvKeys(key), *receiver, std::move(dones));
}

WorkQueue& RemoteRendezvous::compute() const {
  return devices_.compute_queue();
}

void RemoteRendezvous::UseSession(
    std::shared_ptr<const SessionDevices> session) {
  MutexLock lock(mutex_);
  session_ = std::move(session);
}

std::shared_ptr<const SessionDevices> RemoteRendezvous::session() {
  MutexLock lock(mutex_);
  return session_;
}

void RemoteRendezvous::UseBundles(std::shared_ptr<const RecvBundles> bundles) {
  MutexLock lock(mutex_);
  if (!bundled_.has_value()) bundled_.emplace(std::move(bundles));
}

BundledRecvs* RemoteRendezvous::bundled() {
  MutexLock lock(mutex_);
  return bundled_.has_value() ? &*bundled_ : nullptr;
}

void RemoteRendezvous::EndBundles(const absl::Status& why) {
  BundledRecvs* const bundled = this->bundled();
  if (bundled == nullptr) return;
  for (Done& done : bundled->End()) std::move(done)(why, Tensor(), false);
}

void RemoteRendezvous::RecordPulls(
    const std::shared_ptr<StepStatsRecorder>& recorder) {
  MutexLock lock(mutex_);
  recorder_ = recorder;
  is_recorded_ = true;
}

std::shared_ptr<StepStatsRecorder> RemoteRendezvous::recorder() {
  if (!is_recorded_) return nullptr;
  MutexLock lock(mutex_);
  return recorder_.lock();
}

void RemoteRendezvous::Pull(absl::string_view task, RecvKeys keys,
                            Device& receiver, RecvDones dones) {
  receiver_.Receive(task, {.step_id = step_id_,
                           .keys = std::move(keys),
                           .allocator = &receiver.host_allocator(),
                           .cancellation = pulls_,
                           .dones = std::move(dones),
                           .record = RecordTo(recorder(), receiver)});
}

void RemoteRendezvous::StartAbort(const absl::Status& reason) {
  local_.StartAbort(reason);
  transfers_->End(reason);
  pulls_->Cancel(reason);
  EndBundles(reason);
}

void RemoteRendezvous::RecvForPeer(const ParsedKey& key, Done done) {
  absl::Status status;
  if (!key.is_well_formed() || !DeviceName::Parse(key.recv_device()).ok()) {
    status = Malformed(key);
  } else if (const Device* const sender = devices_.Find(key.send_device())) {
    status = CheckIncarnation(key, *sender, devices_);
    if (status.ok()) return local_.RecvAsync(key, std::move(done));
  } else {
    status = UnknownSender(key, devices_);
  }
  std::move(done)(status, Tensor(), false);
}

}  // namespace leat
