// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/remote_rendezvous.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/cluster/device_task.h"
#include "leat/runtime/step_stats.h"

namespace leat {
namespace {

// The most bytes of a peer's key that an error message shows.
constexpr size_t kMaxShownKeyBytes = 1000;

// The parts of a rendezvous key. RendezvousKey::Parse would copy them, and
// parse the names of the devices, for every tensor.
struct KeyParts {
  absl::string_view send_device = {};
  uint64_t send_incarnation = 0;
  absl::string_view recv_device = {};
  absl::string_view tensor_name = {};
};

// Moves the text before the next `separator` from the front of `rest` to
// `part`. Returns false if there is no separator or no text before it.
bool TakePart(char separator, absl::string_view& rest,
              absl::string_view& part) {
  const size_t end = rest.find(separator);
  if (end == absl::string_view::npos) return false;
  part = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return !part.empty();
}

bool ParseIncarnation(absl::string_view text, uint64_t& value) {
  if (text.size() > 16) return false;
  value = 0;
  for (const char c : text) {
    if (!absl::ascii_isxdigit(c)) return false;
    const char lower = absl::ascii_tolower(c);
    value = value << 4 | static_cast<uint64_t>(lower <= '9' ? lower - '0'
                                                            : lower - 'a' + 10);
  }
  return true;
}

bool IsNumber(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return !text.empty();
}

// Returns true for a text like "frame:iteration", two numbers of 64 bits.
bool IsIteration(absl::string_view text) {
  absl::string_view frame;
  uint64_t frame_id;
  int64_t iteration;
  return TakePart(':', text, frame) && IsNumber(frame) && IsNumber(text) &&
         absl::SimpleAtoi(frame, &frame_id) &&
         absl::SimpleAtoi(text, &iteration);
}

// Splits a key. Returns false if it is malformed. Does not check that its
// devices exist.
bool Split(absl::string_view key, KeyParts& parts) {
  absl::string_view incarnation;
  return TakePart(';', key, parts.send_device) &&
         TakePart(';', key, incarnation) &&
         ParseIncarnation(incarnation, parts.send_incarnation) &&
         TakePart(';', key, parts.recv_device) &&
         TakePart(';', key, parts.tensor_name) && IsIteration(key);
}

std::string Shown(absl::string_view key) {
  return absl::CHexEscape(key.substr(0, kMaxShownKeyBytes));
}

absl::Status Malformed(absl::string_view key) {
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
absl::Status NotOurs(absl::string_view end, absl::string_view key,
                     const DeviceSet& devices) {
  return absl::InvalidArgumentError(absl::StrCat("Invalid rendezvous key (",
                                                 end, "): ", Shown(key), " @ ",
                                                 OwnTask(devices)));
}

absl::Status CheckIncarnation(const KeyParts& parts, const Device& device,
                              const DeviceSet& devices) {
  if (parts.send_incarnation == device.info().incarnation) {
    return absl::OkStatus();
  }
  return AsWorkerPossiblyRestarted(absl::AbortedError(absl::StrCat(
      "RecvTensor expects a different device incarnation: ",
      parts.send_incarnation, " vs. ", device.info().incarnation,
      ". Your worker job (\"", OwnTask(devices),
      "\") was probably restarted. Check your worker job for the reason why it "
      "was restarted.")));
}

// Returns the error of a key whose sender is not a device of this task.
absl::Status UnknownSender(const KeyParts& parts, absl::string_view key,
                           const DeviceSet& devices) {
  const auto name = DeviceName::Parse(parts.send_device);
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
  const absl::Status status = CheckIncarnation(parts, *device, devices);
  return status.ok() ? NotOurs("src", key, devices) : status;
}

void RecordBundle(StepStatsRecorder& recorder,
                  absl::Span<const std::string> keys, Device& receiver,
                  std::chrono::steady_clock::time_point asked,
                  const ReceivedBundle& received) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const SentTensor& sent = received.tensors[i];
    KeyParts parts;
    Split(keys[i], parts);
    recorder.OnPull({.tensor = parts.tensor_name,
                     .from = parts.send_device,
                     .to = &receiver,
                     .asked = asked,
                     .sent = std::chrono::microseconds(received.send_start_us),
                     .received = std::chrono::steady_clock::now(),
                     .bytes = sent.is_dead ? 0 : sent.tensor.num_bytes()});
  }
}

}  // namespace

RemoteRendezvous::RemoteRendezvous(int64_t step_id, DeviceSet& devices,
                                   Peers& peers, size_t max_entries)
    : step_id_(step_id),
      devices_(devices),
      peers_(peers),
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

absl::Status RemoteRendezvous::Send(absl::string_view key, Tensor tensor,
                                    bool is_dead) {
  KeyParts parts;
  if (!Split(key, parts)) return Malformed(key);
  const Device* const device = devices_.Find(parts.send_device);
  if (device == nullptr) return NotOurs("src", key, devices_);
  const absl::Status status = CheckIncarnation(parts, *device, devices_);
  if (!status.ok()) return status;
  return local_.Send(key, std::move(tensor), is_dead);
}

void RemoteRendezvous::RecvAsync(absl::string_view key, Done done) {
  KeyParts parts;
  absl::Status status;
  if (!Split(key, parts)) {
    status = Malformed(key);
  } else if (const Device* const sender = devices_.Find(parts.send_device)) {
    status = CheckIncarnation(parts, *sender, devices_);
    if (status.ok()) return local_.RecvAsync(key, std::move(done));
  } else if (Device* receiver = devices_.Find(parts.recv_device);
             receiver == nullptr) {
    status = NotOurs("dst", key, devices_);
  } else if (pulls_->IsCancelled()) {
    status = pulls_->status();
  } else {
    const absl::string_view task = TaskOfDevice(parts.send_device);
    if (task != OwnTask(devices_)) {
      if (auto session = this->session(); session != nullptr) {
        receiver = session->Find(parts.recv_device);
        done = [session = std::move(session), done = std::move(done)](
                   const absl::Status& received, Tensor tensor,
                   bool is_dead) mutable {
          std::move(done)(received, std::move(tensor), is_dead);
        };
      }
      RecvBundles::KeysRef keys;
      std::vector<Done> dones;
      if (BundledRecvs* const bundled = this->bundled();
          bundled != nullptr && bundled->Add(key, done, keys, dones)) {
        if (keys == nullptr) return;
        return PullBundle(task, std::move(keys), *receiver, std::move(dones));
      }
      return Pull(task, key, parts.tensor_name, parts.send_device, *receiver,
                  std::move(done));
    }
    status = UnknownSender(parts, key, devices_);
  }
  std::move(done)(status, Tensor(), false);
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

void RemoteRendezvous::Pull(absl::string_view task, absl::string_view key,
                            absl::string_view tensor_name,
                            absl::string_view sender, Device& receiver,
                            Done done) {
  std::shared_ptr<StepStatsRecorder> recorder = this->recorder();
  if (recorder == nullptr) {
    return peers_.RecvTensor(task, step_id_, key, receiver.host_allocator(),
                             pulls_, std::move(done));
  }
  auto sent_us = std::make_shared<int64_t>(0);
  int64_t* const send_start_us = sent_us.get();
  auto record = [recorder = std::move(recorder), sent_us = std::move(sent_us),
                 tensor_name = std::string(tensor_name),
                 sender = std::string(sender), &receiver,
                 asked = std::chrono::steady_clock::now(),
                 done = std::move(done)](const absl::Status& status,
                                         Tensor tensor, bool is_dead) mutable {
    if (status.ok()) {
      recorder->OnPull({.tensor = tensor_name,
                        .from = sender,
                        .to = &receiver,
                        .asked = asked,
                        .sent = std::chrono::microseconds(*sent_us),
                        .received = std::chrono::steady_clock::now(),
                        .bytes = is_dead ? 0 : tensor.num_bytes()});
    }
    std::move(done)(status, std::move(tensor), is_dead);
  };
  peers_.RecvTensor(task, step_id_, key, receiver.host_allocator(), pulls_,
                    std::move(record), send_start_us);
}

void RemoteRendezvous::PullBundle(absl::string_view task,
                                  RecvBundles::KeysRef keys, Device& receiver,
                                  std::vector<Done> dones) {
  auto give = [dones = std::move(dones)](
                  absl::StatusOr<ReceivedBundle> received) mutable {
    for (size_t i = 0; i < dones.size(); ++i) {
      if (!received.ok()) {
        std::move(dones[i])(received.status(), Tensor(), false);
        continue;
      }
      SentTensor& sent = received->tensors[i];
      std::move(dones[i])(absl::OkStatus(), std::move(sent.tensor),
                          sent.is_dead);
    }
  };
  std::shared_ptr<StepStatsRecorder> recorder = this->recorder();
  if (recorder == nullptr) {
    return peers_.RecvTensors(task, step_id_, std::move(keys),
                              receiver.host_allocator(), pulls_,
                              std::move(give));
  }
  auto record = [recorder = std::move(recorder), keys, &receiver,
                 asked = std::chrono::steady_clock::now(),
                 give = std::move(give)](
                    absl::StatusOr<ReceivedBundle> received) mutable {
    if (received.ok()) {
      RecordBundle(*recorder, *keys, receiver, asked, *received);
    }
    std::move(give)(std::move(received));
  };
  peers_.RecvTensors(task, step_id_, std::move(keys), receiver.host_allocator(),
                     pulls_, std::move(record));
}

void RemoteRendezvous::StartAbort(const absl::Status& reason) {
  local_.StartAbort(reason);
  transfers_->End(reason);
  pulls_->Cancel(reason);
  EndBundles(reason);
}

void RemoteRendezvous::RecvForPeer(absl::string_view key, Done done) {
  KeyParts parts;
  absl::Status status;
  if (!Split(key, parts) || !DeviceName::Parse(parts.recv_device).ok()) {
    status = Malformed(key);
  } else if (const Device* const sender = devices_.Find(parts.send_device)) {
    status = CheckIncarnation(parts, *sender, devices_);
    if (status.ok()) return local_.RecvAsync(key, std::move(done));
  } else {
    status = UnknownSender(parts, key, devices_);
  }
  std::move(done)(status, Tensor(), false);
}

}  // namespace leat
