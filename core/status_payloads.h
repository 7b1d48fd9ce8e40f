// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions mark a Status with payloads, and pass the payloads between
// tasks. The payloads are those of TensorFlow (kDerivedStatusPayload,
// kWorkerPossiblyRestartedPayload). So tasks of Leat and of TensorFlow can both
// distinguish the cause of a failure from the errors that follow from it. The
// functions are stateless.
#ifndef LEAT_CORE_STATUS_PAYLOADS_H_
#define LEAT_CORE_STATUS_PAYLOADS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/wire_names.h"

namespace leat {

// Returns `status`, marked as derived. A derived error follows from an abort
// elsewhere and is not the cause of the failure.
absl::Status AsDerived(absl::Status status);
// Returns true if `status` is marked as derived.
bool IsDerived(const absl::Status& status);

// Returns `status` with a mark. The mark says that the error names a session or
// a device that may have belonged to an earlier process of the task.
absl::Status AsWorkerPossiblyRestarted(absl::Status status);

// Returns a status with the code and the payloads of `status` and with
// `message`.
absl::Status WithMessage(const absl::Status& status, absl::string_view message);

// Returns `status` with "From <task>:\n" before its message, where `task` is
// for example "/job:ps/replica:0/task:0". If `status` is OK, or if its message
// names a task already, returns `status` unchanged.
absl::Status WithTask(absl::Status status, absl::string_view task);

// Returns the payloads as a serialized GrpcPayloadContainer, or "" if there are
// none. Takes the payloads from the smallest to the largest, up to the limits
// of DecodePayloads, and leaves out the rest.
std::string EncodePayloads(const absl::Status& status);
// Adds the payloads in `bytes`, a serialized GrpcPayloadContainer, to `status`.
// Adds none if the container is malformed, longer than 8 KiB, or has more than
// 16 payloads. REQUIRES: !status.ok().
void DecodePayloads(absl::string_view bytes, absl::Status& status);

}  // namespace leat

#endif  // LEAT_CORE_STATUS_PAYLOADS_H_
