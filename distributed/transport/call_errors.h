// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make the errors of calls that the callee did not answer.
// Every transport uses them, so that all transports have the same messages. The
// functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_TRANSPORT_CALL_ERRORS_H_
#define LEAT_DISTRIBUTED_TRANSPORT_CALL_ERRORS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Returns `status` with kTransportErrorPayload (transport.h), which marks an
// error that the callee did not report itself. The errors that the functions
// below make have this payload, unless stated otherwise.
absl::Status AsTransportError(absl::Status status);
// Returns true if `status` has kTransportErrorPayload.
bool IsTransportError(const absl::Status& status);
// Returns `status` without kTransportErrorPayload. A callee uses this to pass
// on an error of its own transport. For the caller it is then an error of the
// callee.
absl::Status AsCalleeError(absl::Status status);

// Returns UNAVAILABLE. The message says that `address` cannot be reached,
// because of `why`.
absl::Status UnreachableError(absl::string_view address, absl::string_view why);
// Returns DEADLINE_EXCEEDED. The message says that `method` has not answered by
// the call's deadline.
absl::Status LateError(absl::string_view address, absl::string_view method);
// Returns CANCELLED. The message says that the caller has cancelled the call.
absl::Status GivenUpError(absl::string_view address, absl::string_view method);
// Returns RESOURCE_EXHAUSTED, because a message is larger than its receiver
// accepts. `why` is gRPC's error message.
absl::Status TooLargeError(absl::string_view address, absl::string_view why);

// Describes a message that was refused because its receiver had no room. Is a
// value.
struct RefusedMessage {
  bool is_response = false;  // true if this process is the receiver
  // Is true if the message alone exceeds the limit for all messages that are
  // being received. A server of Leat refuses such a request before it receives
  // the request.
  bool never_fits = false;
};
// Returns the error of a message that was refused because its receiver had no
// room. The error is RESOURCE_EXHAUSTED if the message never fits. Otherwise it
// is ABORTED, because the message may fit later, when the receiver has less to
// receive.
absl::Status TooMuchAtOnceError(absl::string_view address,
                                absl::string_view method,
                                RefusedMessage message);

// Returns UNIMPLEMENTED, without kTransportErrorPayload, because the callee
// itself reports this error.
absl::Status UnknownMethodError(absl::string_view method);
// Returns CANCELLED, without kTransportErrorPayload. A handler's cancellation
// gets this reason when the caller has given up or is gone.
absl::Status CallerGoneError(absl::string_view method);

// Returns true for UNAVAILABLE and DEADLINE_EXCEEDED. A call that the task did
// not answer has one of these codes.
bool IsUnreachable(const absl::Status& status);

// Returns the error of Transport::Listen if the server cannot listen on
// `address`, because of `why`. The error is UNAVAILABLE, without
// kTransportErrorPayload.
absl::Status CannotListenError(absl::string_view address,
                               absl::string_view why);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_TRANSPORT_CALL_ERRORS_H_
