// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/step_errors.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_payloads.h"
#include "leat/distributed/transport/call_errors.h"

namespace leat {
namespace {

// If `message` belongs to an error of TensorFlow's RecvTensor, returns the task
// that was asked for the tensor. Otherwise returns "".
absl::string_view AskedTask(absl::string_view message) {
  constexpr absl::string_view kBefore =
      "Additional GRPC error information from remote target ";
  constexpr absl::string_view kAfter =
      " while calling /tensorflow.WorkerService/RecvTensor";
  // Errors are nested, and the innermost one comes first.
  const size_t begin = message.find(kBefore);
  if (begin == absl::string_view::npos) return "";
  message.remove_prefix(begin + kBefore.size());
  const size_t end = message.find(' ');
  if (end == absl::string_view::npos) return "";
  return absl::StartsWith(message.substr(end), kAfter) ? message.substr(0, end)
                                                       : "";
}

bool IsAbortOfTensorFlow(absl::string_view message) {
  return absl::StartsWith(message, "Step ") &&
         absl::StrContains(message, " cancelled.  Cancelling rendezvous.");
}

// Returns true if the message contains the name of the task. The beginning of a
// longer name, such as "task:1" in "task:12", does not count.
bool Names(absl::string_view message, absl::string_view task) {
  size_t at = message.find(task);
  while (at != absl::string_view::npos) {
    const size_t end = at + task.size();
    if (end == message.size() || !absl::ascii_isdigit(message[end])) {
      return true;
    }
    at = message.find(task, end);
  }
  return false;
}

bool IsOfCancel(const TaskStatus& s) {
  return s.after_cancel && (absl::IsCancelled(s.status) ||
                            IsAbortOfTensorFlow(s.status.message()));
}

// Returns true if the status says that some other task could not be reached,
// and the master could not reach that task either.
bool TellsOfLostTask(const TaskStatus& s,
                     absl::Span<const TaskStatus> statuses) {
  if (!IsUnreachable(s.status)) return false;
  for (const TaskStatus& other : statuses) {
    if (!other.task.empty() && other.task != s.task &&
        absl::IsUnavailable(other.status) && !IsDerived(other.status) &&
        !Names(other.status.message(), s.task) &&
        Names(s.status.message(), other.task)) {
      return true;
    }
  }
  return false;
}

// Returns true for an error that a task reports about itself.
bool IsOwn(const TaskStatus& s, absl::Span<const TaskStatus> statuses) {
  return !s.status.ok() && !s.task.empty() && !IsDerived(s.status) &&
         !IsOfCancel(s) && AskedTask(s.status.message()).empty() &&
         !TellsOfLostTask(s, statuses);
}

// Returns true for an error of RecvTensor that a task of TensorFlow passes on.
// Such errors are not marked as derived. Returns false for an error that is
// perhaps the effect of a cancellation.
bool IsFirstReport(const TaskStatus& s) {
  const bool may_be_of_cancel =
      IsAbortOfTensorFlow(s.status.message()) ||
      (s.after_cancel &&
       (absl::IsCancelled(s.status) || absl::IsAborted(s.status)));
  return !s.status.ok() && !s.task.empty() && !IsDerived(s.status) &&
         !may_be_of_cancel && !AskedTask(s.status.message()).empty();
}

}  // namespace

absl::Status CauseOf(absl::Span<const TaskStatus> statuses) {
  for (const TaskStatus& s : statuses) {
    if (IsOwn(s, statuses)) return WithTask(s.status, s.task);
  }
  for (const TaskStatus& s : statuses) {
    if (IsFirstReport(s)) {
      return WithTask(s.status, AskedTask(s.status.message()));
    }
  }
  for (const TaskStatus& s : statuses) {
    if (s.task.empty() && !s.status.ok()) return s.status;
  }
  for (const TaskStatus& s : statuses) {
    if (s.status.ok()) continue;
    const absl::string_view asked = AskedTask(s.status.message());
    return WithTask(s.status, asked.empty() ? s.task : asked);
  }
  return absl::OkStatus();
}

bool MayBeEcho(const TaskStatus& s) {
  const absl::string_view message = s.status.message();
  return IsDerived(s.status) || !AskedTask(message).empty() ||
         IsAbortOfTensorFlow(message) ||
         // The task could not reach another task.
         (IsUnreachable(s.status) && absl::StrContains(message, "/job:") &&
          !Names(message, s.task));
}

}  // namespace leat
