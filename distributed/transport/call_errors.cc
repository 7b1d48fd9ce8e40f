// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/call_errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "leat/core/quoted_text.h"
#include "leat/distributed/transport/transport.h"

namespace leat {

absl::Status AsTransportError(absl::Status status) {
  status.SetPayload(kTransportErrorPayload, absl::Cord());
  return status;
}

bool IsTransportError(const absl::Status& status) {
  return status.GetPayload(kTransportErrorPayload).has_value();
}

absl::Status AsCalleeError(absl::Status status) {
  status.ErasePayload(kTransportErrorPayload);
  return status;
}

absl::Status UnreachableError(absl::string_view address,
                              absl::string_view why) {
  return AsTransportError(absl::UnavailableError(
      absl::StrCat(address, " cannot be reached: ", why)));
}

absl::Status LateError(absl::string_view address, absl::string_view method) {
  return AsTransportError(absl::DeadlineExceededError(
      absl::StrCat(method, " of ", address, " has not answered in time")));
}

absl::Status GivenUpError(absl::string_view address, absl::string_view method) {
  return AsTransportError(absl::CancelledError(
      absl::StrCat("the call of ", method, " of ", address, " was cancelled")));
}

absl::Status TooLargeError(absl::string_view address, absl::string_view why) {
  return AsTransportError(absl::ResourceExhaustedError(
      absl::StrCat(why, ", in a call of ", address,
                   " (the receiver's --max-message-bytes)")));
}

absl::Status TooMuchAtOnceError(absl::string_view address,
                                absl::string_view method,
                                RefusedMessage message) {
  const std::string text = absl::StrCat(
      message.is_response ? "this process" : address, " has no room for the ",
      message.is_response ? "response" : "request", " of ", method,
      message.is_response ? absl::StrCat(" of ", address) : "",
      " beside the messages that it is receiving (the receiver's "
      "--max-transport-bytes)",
      message.never_fits ? "" : "; try again");
  return AsTransportError(message.never_fits
                              ? absl::ResourceExhaustedError(text)
                              : absl::AbortedError(text));
}

absl::Status UnknownMethodError(absl::string_view method) {
  return absl::UnimplementedError(
      absl::StrCat("this task has no method ", QuotedText(method)));
}

absl::Status CallerGoneError(absl::string_view method) {
  return absl::CancelledError(
      absl::StrCat("the caller of ", method, " has given up or is gone"));
}

absl::Status CannotListenError(absl::string_view address,
                               absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("the server cannot listen on ", address, ": ", why));
}

bool IsUnreachable(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

}  // namespace leat
