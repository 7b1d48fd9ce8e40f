// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/step_deadline.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace leat {
namespace {

std::string Timeout(const StepDeadline& deadline) {
  return absl::StrCat("timeout of ",
                      absl::FormatDuration(absl::FromChrono(deadline.timeout)),
                      deadline.is_longest ? " (--max-step-time)" : "");
}

// The first line is the message that gRPC gives to clients of TensorFlow's
// servers.
absl::Status Exceeded(absl::string_view why) {
  return absl::DeadlineExceededError(
      absl::StrCat("Deadline Exceeded\n\t", why));
}

}  // namespace

absl::Status TooLateToBegin(const StepDeadline& deadline) {
  return Exceeded(absl::StrCat("the step's ", Timeout(deadline),
                               " was over before it could begin"));
}

absl::Status RanTooLong(const StepDeadline& deadline) {
  return Exceeded(
      absl::StrCat("the step ran longer than its ", Timeout(deadline)));
}

}  // namespace leat
