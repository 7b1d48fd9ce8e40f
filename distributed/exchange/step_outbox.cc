// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/exchange/step_outbox.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/core/devices/device_name.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/cluster/device_attributes.h"
#include "leat/runtime/device_set.h"

namespace leat {
namespace {

// An error message shows at most this many bytes of a peer's key.
constexpr size_t kMaxShownKeyBytes = 1000;

std::string Shown(const ParsedKey& key) {
  return absl::CHexEscape(
      absl::string_view(key.text()).substr(0, kMaxShownKeyBytes));
}

absl::Status Malformed(const ParsedKey& key) {
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid  rendezvous key: ", Shown(key)));
}

}  // namespace

StepOutbox::StepOutbox(int64_t step_id, DeviceSet& devices, size_t max_entries)
    : step_id_(step_id),
      devices_(devices),
      local_(max_entries),
      transfers_(std::make_shared<Transfers>()) {}

StepOutbox::~StepOutbox() {
  // The destructor of `local_` aborts the Recvs that still wait.
  transfers_->End(AsDerived(absl::CancelledError("the step has ended")));
}

absl::string_view StepOutbox::task() const {
  const absl::string_view name = devices_.devices().front()->name();
  return TaskOfDevice(name);
}

WorkQueue& StepOutbox::compute() const { return devices_.compute_queue(); }

absl::Status StepOutbox::NotOurs(absl::string_view end,
                                 const ParsedKey& key) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "Invalid rendezvous key (", end, "): ", Shown(key), " @ ", task()));
}

absl::Status StepOutbox::CheckIncarnation(const ParsedKey& key,
                                          const Device& device) const {
  if (key.send_incarnation() == device.info().incarnation) {
    return absl::OkStatus();
  }
  return AsWorkerPossiblyRestarted(absl::AbortedError(absl::StrCat(
      "RecvTensor expects a different device incarnation: ",
      key.send_incarnation(), " vs. ", device.info().incarnation,
      ". Your worker job (\"", task(),
      "\") was probably restarted. Check your worker job for the reason why it "
      "was restarted.")));
}

absl::Status StepOutbox::UnknownSender(const ParsedKey& key) const {
  const auto name = DeviceName::Parse(key.send_device());
  if (!name.ok()) return Malformed(key);
  DeviceName local;
  local.type = name->type;
  local.id = name->id;
  const std::string local_name = local.ToString();
  // Looks for this task's device of the same type and number, as TensorFlow
  // does. If its incarnation differs from the one in the key, the key was made
  // for an earlier process of the task, and the error reports the restart.
  const Device* const device = devices_.Find(absl::StrCat(task(), local_name));
  if (device == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(local_name, " unknown device."));
  }
  const absl::Status status = CheckIncarnation(key, *device);
  return status.ok() ? NotOurs("src", key) : status;
}

absl::Status StepOutbox::Send(const ParsedKey& key, Tensor tensor,
                              bool is_dead) {
  if (!key.is_well_formed()) return Malformed(key);
  const Device* const sender = devices_.Find(key.send_device());
  if (sender == nullptr) return NotOurs("src", key);
  const absl::Status status = CheckIncarnation(key, *sender);
  if (!status.ok()) return status;
  return local_.Send(key, std::move(tensor), is_dead);
}

void StepOutbox::RecvAsync(const ParsedKey& key, Done done) {
  absl::Status status;
  if (!key.is_well_formed()) {
    status = Malformed(key);
  } else if (const Device* const sender = devices_.Find(key.send_device())) {
    status = CheckIncarnation(key, *sender);
    if (status.ok()) return local_.RecvAsync(key, std::move(done));
  } else {
    status = UnknownSender(key);
  }
  std::move(done)(status, Tensor(), false);
}

void StepOutbox::RecvForPeer(const ParsedKey& key, Done done) {
  if (DeviceName::Parse(key.recv_device()).ok()) {
    return RecvAsync(key, std::move(done));
  }
  std::move(done)(Malformed(key), Tensor(), false);
}

void StepOutbox::StartAbort(const absl::Status& reason) {
  local_.StartAbort(reason);
  transfers_->End(reason);
  aborted_.Cancel(reason);
}

}  // namespace leat
