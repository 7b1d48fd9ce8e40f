// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests when RecoverableSession makes another session, what it runs first in a
// new session, and when a task waits for the chief. The sessions are scripted;
// recoverable_cluster_test.cc has real ones.
#include "leat/train/recoverable_session.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/train/scripted_session.h"

namespace leat::recoverable_session_test {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::ScriptedSessionTest;
using ::testing::SizeIs;
using testing::World;

// Is the time after which tasks stop looking for missing variables and give up.
constexpr std::chrono::seconds kTimeToLook(3);

class RecoverableSessionTest : public ScriptedSessionTest {};

// ---- The chief and the others ----

TEST_F(RecoverableSessionTest, TheChiefInitializes) {
  options_.is_chief = true;
  options_.init = "init";
  options_.local_init = "local";
  ASSERT_TRUE(Create().ok());
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("init", "local"));
}

TEST_F(RecoverableSessionTest, TheChiefLeavesInitializedVariablesAlone) {
  options_.is_chief = true;
  options_.init = "init";
  options_.local_init = "local";
  CreateReady();
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("local"));
}

TEST_F(RecoverableSessionTest, TheChiefSaysWhatItsInitHasNotInitialized) {
  options_.is_chief = true;
  options_.init = "other";
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(),
              HasSubstr("'other' has not initialized 'w', 'c'"));
}

TEST_F(RecoverableSessionTest, OthersWaitForTheChief) {
  options_.init = "init";
  options_.local_init = "local";
  std::atomic<bool> created = false;
  Thread waits("waits", [&] {
    EXPECT_TRUE(Create().ok());
    created = true;
  });
  {
    clock_.AdvanceUntil([&] {
      MutexLock lock(world_.mutex);
      return world_.looks == 3;
    });
    MutexLock lock(world_.mutex);
    EXPECT_FALSE(created);
    EXPECT_THAT(world_.ran, SizeIs(0));
    world_.initialized = true;
  }
  waits.Join();
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("local"));
  EXPECT_THAT(
      said_,
      ElementsAre(HasSubstr("waits for the chief to initialize 'w', 'c'")));
}

TEST_F(RecoverableSessionTest, OthersLookLessAndLessOften) {
  options_.first_poll = milliseconds(20);
  options_.longest_poll = milliseconds(50);
  std::vector<Clock::time_point> looks;
  world_.look = [&](int) {
    MutexLock lock(world_.mutex);
    looks.push_back(clock_.Now());
    world_.initialized = looks.size() == 5;
    return absl::OkStatus();
  };
  ASSERT_TRUE(Create().ok());
  ASSERT_THAT(looks, SizeIs(5));
  const int pauses[] = {20, 40, 50, 50};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(looks[i + 1] - looks[i], milliseconds(pauses[i])) << i;
  }
}

TEST_F(RecoverableSessionTest, OthersGiveUpWithTheNamesOfWhatIsMissing) {
  options_.give_up = kTimeToLook;
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(),
              HasSubstr("the chief has not initialized 'w', 'c' within 3s"));
}

TEST_F(RecoverableSessionTest, OthersSayFromTimeToTimeForWhatTheyWait) {
  options_.first_poll = options_.longest_poll = milliseconds(500);
  options_.give_up = std::chrono::seconds(40);
  EXPECT_FALSE(Create().ok());
  EXPECT_THAT(
      said_,
      ElementsAre("this task waits for the chief to initialize 'w', 'c'",
                  "this task is still waiting for the chief to initialize 'w', "
                  "'c'; it gives up in 39s",
                  HasSubstr("it gives up in 30s"),
                  HasSubstr("it gives up in 10s")));
}

TEST_F(RecoverableSessionTest, OthersNameThemThoughTheLastLookTookTooLong) {
  options_.give_up = kTimeToLook;
  world_.look = [this](int) {
    MutexLock lock(world_.mutex);
    return world_.looks == 0 ? absl::OkStatus()
                             : absl::DeadlineExceededError("took too long");
  };
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("not initialized 'w', 'c' within"));
}

// ---- Attempts ----

TEST_F(RecoverableSessionTest, TriesAgainAfterLongerAndLongerPauses) {
  options_.first_pause = milliseconds(20);
  options_.longest_pause = milliseconds(50);
  world_.make = [](int attempt) {
    return attempt < 5 ? absl::UnavailableError("no ps yet") : absl::OkStatus();
  };
  CreateReady();
  MutexLock lock(world_.mutex);
  ASSERT_THAT(world_.attempts, SizeIs(5));
  const int pauses[] = {20, 40, 50, 50};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(world_.attempts[i + 1] - world_.attempts[i],
              milliseconds(pauses[i]))
        << i;
  }
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("no ps yet; the next attempt is in 20ms"),
                          HasSubstr("in 40ms"), HasSubstr("in 50ms"),
                          HasSubstr("in 50ms")));
}

TEST_F(RecoverableSessionTest, SaysForHowLongThereHasBeenNoSession) {
  options_.first_pause = options_.longest_pause = std::chrono::seconds(4);
  world_.make = [](int attempt) {
    return attempt < 4 ? absl::UnavailableError("ps:0 is down")
                       : absl::OkStatus();
  };
  CreateReady();
  const char kWhy[] = ": ps:0 is down; the next attempt is in 4s";
  EXPECT_THAT(
      said_,
      ElementsAre(absl::StrCat("there is no session", kWhy),
                  absl::StrCat("there has been no session for 4s", kWhy),
                  absl::StrCat("there has been no session for 8s", kWhy)));
}

TEST_F(RecoverableSessionTest, CountsFromTheLossHowLongThereIsNoSession) {
  options_.first_pause = options_.longest_pause = std::chrono::seconds(4);
  world_.make = [](int attempt) {
    return attempt == 2 || attempt == 3 ? absl::UnavailableError("ps:0 is down")
                                        : absl::OkStatus();
  };
  world_.step = [](int session, const std::string&) -> Outcome {
    if (session == 1) return absl::UnavailableError("ps:0 is gone");
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_FALSE(Run(*session, "train").ok());
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(said_, Contains(HasSubstr("has been no session for 4s: ps:0")));
}

TEST_F(RecoverableSessionTest, GivesUpWithTheLastError) {
  options_.give_up = milliseconds(20);
  world_.make = [](int attempt) {
    return absl::UnavailableError(absl::StrCat("no route ", attempt));
  };
  const Clock::time_point begin = clock_.Now();
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("gave up after 5 attempts in 16ms"),
                    HasSubstr("the last one failed: no route 5")));
  EXPECT_EQ(clock_.Now() - begin, milliseconds(16));
  MutexLock lock(world_.mutex);
  EXPECT_THAT(world_.attempts, SizeIs(5));
  EXPECT_EQ(connect_timeout_, milliseconds(4));
}

TEST_F(RecoverableSessionTest, DoesNotTryAgainWhatWouldFailAgain) {
  world_.make = [](int) { return absl::InvalidArgumentError("a bad node"); };
  const absl::Status status = Create().status();
  EXPECT_EQ(status.message(), "a bad node");
  MutexLock lock(world_.mutex);
  EXPECT_THAT(world_.attempts, SizeIs(1));
}

TEST_F(RecoverableSessionTest, TriesAgainWhenATaskIsLostMeanwhile) {
  options_.local_init = "local";
  world_.look = [](int session) {
    return session == 1 ? absl::AbortedError("restarted") : absl::OkStatus();
  };
  world_.step = [](int session, const std::string&) -> Outcome {
    if (session == 2) return absl::UnavailableError("gone");
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  EXPECT_EQ(world_.num_made(), 3);
  EXPECT_EQ(session->num_sessions(), 1);
}

TEST_F(RecoverableSessionTest, RefusesPausesThatAreNone) {
  options_.first_pause = milliseconds(0);
  EXPECT_THAT(Create().status().message(),
              HasSubstr("first_pause must be positive, got 0"));
}

// ---- Steps ----

TEST_F(RecoverableSessionTest, ALostSessionIsMadeAgainByTheNextCall) {
  options_.local_init = "local";
  world_.step = [](int session, const std::string& name) -> Outcome {
    if (session == 1 && name == "train") {
      return absl::UnavailableError("ps 0 is gone");
    }
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  const absl::Status status = Run(*session, "train");
  EXPECT_EQ(status, absl::UnavailableError("ps 0 is gone"));
  EXPECT_EQ(session->num_sessions(), 1);
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(session->num_sessions(), 2);
  EXPECT_THAT(world_.log_of_steps(),
              ElementsAre("local", "train", "local", "train"));
}

TEST_F(RecoverableSessionTest, KeepsTheSessionAfterAnErrorOfTheStepItself) {
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::InvalidArgumentError("a bad shape");
  };
  auto session = CreateReady();
  EXPECT_EQ(Run(*session, "train"), absl::InvalidArgumentError("a bad shape"));
  EXPECT_EQ(Run(*session, "train"), absl::InvalidArgumentError("a bad shape"));
  EXPECT_EQ(world_.num_made(), 1);
}

TEST_F(RecoverableSessionTest, ManyCallsMakeOneSessionTogether) {
  world_.step = [](int session, const std::string&) -> Outcome {
    if (session < 3) return absl::UnavailableError("gone");
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  std::vector<Thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back("runs", [&] {
      while (!Run(*session, "train").ok()) {
      }
    });
  }
  threads.clear();
  EXPECT_EQ(world_.num_made(), 3);
}

TEST_F(RecoverableSessionTest, ALostSessionEndsStepsThatWaitInIt) {
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("ps 0 is gone");
  };
  auto session = CreateReady();
  Thread waits("waits", [&] {
    EXPECT_EQ(Run(*session, "block"), absl::UnavailableError("ps 0 is gone"));
  });
  AwaitStep("block");
  EXPECT_FALSE(Run(*session, "train").ok());
  waits.Join();
}

// The chief must close a lost session before it makes the next one. A step that
// still waited in the lost session would take gradients that the next session
// needs.
TEST_F(RecoverableSessionTest, ALostSessionHasEndedBeforeTheNextBegins) {
  world_.close_takes = milliseconds(50);
  world_.make = [this](int attempt) {
    MutexLock lock(world_.mutex);
    EXPECT_EQ(world_.closed, attempt - 1);
    return absl::OkStatus();
  };
  world_.step = [](int session, const std::string&) -> Outcome {
    if (session == 1) return absl::UnavailableError("ps 0 is gone");
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  Thread waits("waits", [&] {
    EXPECT_FALSE(Run(*session, "block").ok());
    EXPECT_TRUE(Run(*session, "train").ok());
  });
  AwaitStep("block");
  EXPECT_FALSE(Run(*session, "train").ok());
  waits.Join();
  EXPECT_EQ(session->num_sessions(), 2);
}

TEST_F(RecoverableSessionTest, ALongStepIsCheckedForTasksThatAreLost) {
  options_.check_every = milliseconds(5);
  std::atomic<bool> lost = false;
  world_.look = [&lost](int) {
    return lost ? absl::UnavailableError("ps 1 is gone") : absl::OkStatus();
  };
  auto session = CreateReady();
  Thread waits("waits", [&] {
    EXPECT_EQ(Run(*session, "block"), absl::UnavailableError("ps 1 is gone"));
  });
  AwaitStep("block");
  clock_.Advance(milliseconds(30));
  lost = true;
  waits.Join();
}

TEST_F(RecoverableSessionTest, ALongStepIsCheckedForVariablesThatAreLost) {
  options_.check_every = milliseconds(5);
  auto session = CreateReady();
  Thread waits("waits", [&] {
    const absl::Status status = Run(*session, "block");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(status.message(), HasSubstr("no longer initialized: 'w', 'c'"));
  });
  AwaitStep("block");
  world_.Lose();
  waits.Join();
}

// ---- The loop ----

TEST_F(RecoverableSessionTest, TheLoopRunsOverAndOverInEachSession) {
  options_.loop = "loop";
  std::atomic<int> in_first = 0;
  std::atomic<int> in_second = 0;
  world_.step = [&](int session, const std::string& name) -> Outcome {
    if (name == "loop") ++(session == 1 ? in_first : in_second);
    if (name == "train" && session == 1) return absl::UnavailableError("gone");
    clock_.Sleep(milliseconds(1));
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  clock_.AdvanceUntil([&] { return in_first >= 5; });
  EXPECT_FALSE(Run(*session, "train").ok());
  EXPECT_TRUE(Run(*session, "train").ok());
  clock_.AdvanceUntil([&] { return in_second >= 5; });
}

TEST_F(RecoverableSessionTest, ATaskLostByTheLoopEndsOtherSteps) {
  options_.loop = "loop";
  std::atomic<bool> lost = false;
  world_.step = [&](int session, const std::string& name) -> Outcome {
    if (name == "loop" && session == 1 && lost) {
      return absl::UnavailableError("ps 0 is gone");
    }
    clock_.Sleep(milliseconds(1));
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  Thread waits("waits", [&] {
    EXPECT_EQ(Run(*session, "block"), absl::UnavailableError("ps 0 is gone"));
  });
  AwaitStep("block");
  lost = true;
  waits.Join();
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(session->num_sessions(), 2);
}

TEST_F(RecoverableSessionTest, AnErrorOfTheLoopItselfIsGivenByAllCalls) {
  options_.loop = "loop";
  world_.step = [](int, const std::string& name) -> Outcome {
    if (name == "loop") return absl::InvalidArgumentError("NaN");
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  absl::Status status;
  while (status.ok()) status = Run(*session, "train");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run(*session, "train"),
              absl::InvalidArgumentError("the loop has failed: NaN"));
  }
  EXPECT_EQ(world_.num_made(), 1);
}

TEST_F(RecoverableSessionTest, TheLoopEndsWithItsQueue) {
  options_.loop = "loop";
  world_.step = [](int, const std::string& name) -> Outcome {
    if (name == "loop") return absl::CancelledError("the queue is closed");
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  AwaitStep("loop");
  clock_.Advance(milliseconds(20));
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(world_.count("loop"), 1);
}

// ---- Close ----

TEST_F(RecoverableSessionTest, CloseEndsWhatRuns) {
  options_.loop = "block";
  auto session = CreateReady();
  Thread waits("waits", [&] { EXPECT_FALSE(Run(*session, "block").ok()); });
  AwaitStep("block", 2);
  EXPECT_TRUE(session->Close().ok());
  waits.Join();
  EXPECT_EQ(Run(*session, "train").code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(RecoverableSessionTest, CloseEndsAttempts) {
  options_.first_pause = std::chrono::hours(1);
  options_.longest_pause = std::chrono::hours(1);
  options_.give_up = std::chrono::hours(2);
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  world_.make = [](int) { return absl::UnavailableError("gone"); };
  EXPECT_FALSE(Run(*session, "train").ok());
  Thread waits("waits", [&] {
    EXPECT_EQ(Run(*session, "train").code(),
              absl::StatusCode::kFailedPrecondition);
  });
  clock_.AdvanceUntil([&] {
    MutexLock lock(world_.mutex);
    return world_.attempts.size() == 2;
  });
  const Clock::time_point begin = clock_.Now();
  EXPECT_TRUE(session->Close().ok());
  waits.Join();
  EXPECT_EQ(clock_.Now(), begin);
}

// Stands for a call that takes very long. Adds `what` to the log of steps,
// waits until `wanted` is cancelled, and returns the status of the
// cancellation.
absl::Status UntilCancelled(const SessionOptions& wanted, World& world,
                            const std::string& what) {
  {
    MutexLock lock(world.mutex);
    world.ran.push_back(what);
  }
  while (!wanted.cancellation->IsCancelled()) {
    world.clock.Sleep(milliseconds(1));
  }
  return wanted.cancellation->status();
}

TEST_F(RecoverableSessionTest, CloseEndsAnAttemptThatConnects) {
  auto make = options_.new_session;
  options_.new_session = [&](const Graph& graph, const SessionOptions& wanted)
      -> absl::StatusOr<std::shared_ptr<Session>> {
    if (world_.num_made() == 0) return make(graph, wanted);
    return UntilCancelled(wanted, world_, "connect");
  };
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  Thread waits("waits", [&] {
    EXPECT_EQ(Run(*session, "train"),
              absl::FailedPreconditionError("the session is closed"));
  });
  AwaitStep("connect");
  EXPECT_TRUE(session->Close().ok());
  waits.Join();
}

TEST_F(RecoverableSessionTest, CloseEndsAReset) {
  options_.is_chief = true;
  options_.init = "init";
  options_.reinitialize = true;
  options_.give_up = milliseconds(30'000);
  options_.session.connect_timeout = milliseconds(1);
  std::chrono::nanoseconds left{0};
  options_.reset = [&](const SessionOptions& wanted) {
    left = wanted.connect_timeout;
    return UntilCancelled(wanted, world_, "reset");
  };
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  world_.Lose();
  Thread waits("waits", [&] {
    EXPECT_EQ(Run(*session, "train"),
              absl::FailedPreconditionError("the session is closed"));
  });
  AwaitStep("reset");
  EXPECT_TRUE(session->Close().ok());
  waits.Join();
  // A reset may take all the time that is left for the attempts. This time is
  // longer than the timeout for connecting to a master.
  EXPECT_LE(left, options_.give_up);
  EXPECT_GT(left, options_.session.connect_timeout);
}

}  // namespace
}  // namespace leat::recoverable_session_test
