// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// What transports say of a call that got no answer, in the same words for all
// of them. Stateless.
#ifndef LEAT_DISTRIBUTED_CALL_ERRORS_H_
#define LEAT_DISTRIBUTED_CALL_ERRORS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// With kTransportErrorPayload, as all below but UnknownMethodError.
absl::Status AsTransportError(absl::Status status);
// Without it: a callee may pass on what its own transport has said.
absl::Status AsCalleeError(absl::Status status);

// UNAVAILABLE.
absl::Status UnreachableError(absl::string_view address, absl::string_view why);
// DEADLINE_EXCEEDED.
absl::Status LateError(absl::string_view address, absl::string_view method);
// CANCELLED, by the caller.
absl::Status GivenUpError(absl::string_view address, absl::string_view method);
// RESOURCE_EXHAUSTED; `why` as gRPC says it.
absl::Status TooLargeError(absl::string_view address, absl::string_view why);

// UNIMPLEMENTED, of the callee.
absl::Status UnknownMethodError(absl::string_view method);
// CANCELLED, for a handler whose caller has gone.
absl::Status CallerGoneError(absl::string_view method);

// True for UNAVAILABLE and DEADLINE_EXCEEDED, with which a call ends that a
// task did not answer.
bool IsUnreachable(const absl::Status& status);

// UNAVAILABLE, of Listen.
absl::Status CannotListenError(absl::string_view address,
                               absl::string_view why);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CALL_ERRORS_H_
