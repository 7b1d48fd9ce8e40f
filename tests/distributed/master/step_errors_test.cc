// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/master/step_errors.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_payloads.h"

namespace leat::step_errors_test {
namespace {

constexpr char kPs[] = "/job:ps/replica:0/task:1";
constexpr char kPs10[] = "/job:ps/replica:0/task:10";
constexpr char kWorker[] = "/job:worker/replica:0/task:0";
constexpr char kOther[] = "/job:worker/replica:0/task:1";

const absl::Status& BadIndex() {
  static const auto* const status = new absl::Status(absl::InvalidArgumentError(
      "indices = 7 is not in [0, 2) [[{{node bad}}]]"));
  return *status;
}

// Returns the error that a TensorFlow task reports when its RecvTensor fails
// with `status`.
absl::Status EchoOf(const std::string& task, const absl::Status& status) {
  return absl::Status(
      status.code(),
      absl::StrCat(status.message(),
                   "\nAdditional GRPC error information from remote target ",
                   task,
                   " while calling /tensorflow.WorkerService/RecvTensor:\n:{"
                   "\"created\":\"@1700000000.1\"}"));
}

absl::Status Unreachable(const std::string& task) {
  return absl::UnavailableError(absl::StrCat(
      "task ", task,
      " (127.0.0.1:7001) cannot be reached: ", "connection refused"));
}

absl::Status CancelledRendezvous() {
  return absl::AbortedError("Step 17 cancelled.  Cancelling rendezvous.");
}

struct Case {
  std::string name;
  std::vector<TaskStatus> statuses;
  std::string message;  // of the cause; "" if there is none
};

std::vector<Case> Cases() {
  const absl::Status derived = AsDerived(BadIndex());
  const absl::Status cancelled = absl::CancelledError("CANCELLED");
  const absl::Status closed_queue =
      absl::CancelledError("FIFOQueue 'q' is closed.");
  const absl::Status deadline =
      absl::DeadlineExceededError("the step ran longer than 1s");
  const std::string from_ps = absl::StrCat("From ", kPs, ":\n");
  const std::string from_worker = absl::StrCat("From ", kWorker, ":\n");
  const std::string bad = std::string(BadIndex().message());
  return {
      {"nothing", {}, ""},
      {"all well", {{kPs, absl::OkStatus()}, {kWorker, absl::OkStatus()}}, ""},
      {"one task", {{kPs, BadIndex()}}, from_ps + bad},
      {"the first of two",
       {{kPs, BadIndex()}, {kWorker, absl::InternalError("x")}},
       from_ps + bad},
      {"derived comes first",
       {{kWorker, AsDerived(absl::InternalError("x"))}, {kPs, BadIndex()}},
       from_ps + bad},
      {"derived alone", {{kWorker, derived}}, from_worker + bad},
      {"cancelled by us",
       {{kWorker, cancelled, true}, {kPs, BadIndex(), true}},
       from_ps + bad},
      {"cancelled by itself",
       {{kWorker, closed_queue}, {kPs, absl::InternalError("x"), true}},
       from_worker + "FIFOQueue 'q' is closed."},
      {"TensorFlow's abort",
       {{kWorker, CancelledRendezvous(), true}, {kPs, BadIndex(), true}},
       from_ps + bad},
      {"TensorFlow's echo comes first",
       {{kWorker, EchoOf(kPs, BadIndex())}, {kPs, BadIndex(), true}},
       from_ps + bad},
      {"TensorFlow's echo of a task without a report",
       {{kWorker, EchoOf(kPs, BadIndex())}, {kPs, cancelled, true}},
       from_ps + std::string(EchoOf(kPs, BadIndex()).message())},
      {"an echo of an echo names the innermost",
       {{kOther, EchoOf(kWorker, EchoOf(kPs, BadIndex()))}},
       from_ps +
           std::string(EchoOf(kWorker, EchoOf(kPs, BadIndex())).message())},
      {"a lost task's own loss",
       {{kWorker, absl::UnavailableError(absl::StrCat(
                      Unreachable(kPs).message(), " while receiving 'w'"))},
        {kPs, Unreachable(kPs)}},
       from_ps + std::string(Unreachable(kPs).message())},
      {"a task that only another one lost",
       {{kWorker, Unreachable(kPs)}, {kPs, cancelled, true}},
       from_worker + std::string(Unreachable(kPs).message())},
      {"the loss of a task of a longer name",
       {{kWorker, Unreachable(kPs10)}, {kPs, Unreachable(kPs), true}},
       from_worker + std::string(Unreachable(kPs10).message())},
      {"two that lost each other",
       {{kWorker, Unreachable(kPs)}, {kPs, Unreachable(kWorker)}},
       from_worker + std::string(Unreachable(kPs).message())},
      {"two that lost each other, before the deadline",
       {{kWorker, Unreachable(kPs)},
        {kPs, Unreachable(kWorker)},
        {"", deadline}},
       from_worker + std::string(Unreachable(kPs).message())},
      {"the deadline",
       {{"", deadline}, {kPs, cancelled, true}},
       std::string(deadline.message())},
      {"the deadline and what it caused",
       {{"", deadline},
        {kPs, derived, true},
        {kWorker, EchoOf(kPs, CancelledRendezvous()), true},
        {kOther, EchoOf(kPs, absl::AbortedError("step 17 has ended")), true}},
       std::string(deadline.message())},
      {"an error of a task wins over the deadline",
       {{"", deadline}, {kPs, BadIndex(), true}},
       from_ps + bad},
      {"an echo of a task's error wins over the deadline",
       {{"", deadline}, {kWorker, EchoOf(kPs, BadIndex()), true}},
       from_ps + std::string(EchoOf(kPs, BadIndex()).message())},
      {"only aborts",
       {{kWorker, EchoOf(kPs, CancelledRendezvous())}},
       from_ps + std::string(EchoOf(kPs, CancelledRendezvous()).message())},
  };
}

TEST(StepErrorsTest, TellsTheCauseFromItsEchoes) {
  for (const Case& c : Cases()) {
    const absl::Status cause = CauseOf(c.statuses);
    EXPECT_EQ(cause.message(), c.message) << c.name;
    EXPECT_EQ(cause.ok(), c.message.empty()) << c.name;
  }
}

TEST(StepErrorsTest, KeepsTheCodeOfTheCause) {
  EXPECT_EQ(CauseOf({{kWorker, EchoOf(kPs, BadIndex())}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CauseOf({{"", absl::CancelledError("by the client")}}).code(),
            absl::StatusCode::kCancelled);
}

TEST(StepErrorsTest, SaysWhatMayBeAnEcho) {
  EXPECT_TRUE(MayBeEcho({kWorker, AsDerived(BadIndex())}));
  EXPECT_TRUE(MayBeEcho({kWorker, EchoOf(kPs, BadIndex())}));
  EXPECT_TRUE(MayBeEcho({kWorker, CancelledRendezvous()}));
  EXPECT_TRUE(MayBeEcho({kWorker, Unreachable(kPs)}));
  EXPECT_FALSE(MayBeEcho({kPs, BadIndex()}));
  EXPECT_FALSE(MayBeEcho({kPs, Unreachable(kPs)}));
  EXPECT_FALSE(MayBeEcho({kPs, absl::CancelledError("FIFOQueue")}));
}

}  // namespace
}  // namespace leat::step_errors_test
