// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What a Status says beside its code and message, in TensorFlow's payloads
// (kDerivedStatusPayload, kWorkerPossiblyRestartedPayload), so that tasks of
// both kinds tell a cause from its echoes. Stateless.
#ifndef LEAT_CORE_STATUS_PAYLOADS_H_
#define LEAT_CORE_STATUS_PAYLOADS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/wire_names.h"

namespace leat {

// Marks an error as the effect of an abort elsewhere.
absl::Status AsDerived(absl::Status status);
bool IsDerived(const absl::Status& status);

// Marks an error of a session or a device that may have been another process's.
absl::Status AsWorkerPossiblyRestarted(absl::Status status);

// The status with that message instead, and the same payloads.
absl::Status WithMessage(const absl::Status& status, absl::string_view message);

// "From /job:ps/replica:0/task:0:\n" before the message, once: a message that
// tells its task keeps it.
absl::Status WithTask(absl::Status status, absl::string_view task);

// The payloads as a serialized GrpcPayloadContainer, which DecodePayloads
// takes: small ones first, what is beyond its limits is left out. "" where
// there are none.
std::string EncodePayloads(const absl::Status& status);
// Sets those that are in `bytes`; a container that is malformed, longer than
// 8 KiB or of more than 16 payloads sets none. REQUIRES: !status.ok().
void DecodePayloads(absl::string_view bytes, absl::Status& status);

}  // namespace leat

#endif  // LEAT_CORE_STATUS_PAYLOADS_H_
