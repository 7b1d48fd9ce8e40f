// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// When a session is made again, what runs in it first, and who waits for whom.
// Sessions are scripts here; recoverable_cluster_test.cc has real ones.
#include "leat/train/recoverable_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/mutex.h"
#include "leat/graph/builder.h"

namespace leat {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Outcome = absl::StatusOr<std::vector<Tensor>>;

// What sessions see. Its names: "init", "missing", "local", "loop"; other steps
// are the test's.
struct World {
  Mutex mutex;
  CondVar changed;
  bool initialized ABSL_GUARDED_BY(mutex) = false;
  std::vector<std::string> ran ABSL_GUARDED_BY(mutex);  // but "missing"
  int made ABSL_GUARDED_BY(mutex) = 0;
  int looks ABSL_GUARDED_BY(mutex) = 0;  // at "missing"
  std::vector<steady_clock::time_point> attempts ABSL_GUARDED_BY(mutex);

  int closed ABSL_GUARDED_BY(mutex) = 0;
  milliseconds close_takes{0};

  // OK: a session is made. `attempt` counts from 1.
  std::function<absl::Status(int attempt)> make = [](int) {
    return absl::OkStatus();
  };
  // What a step of that name does in the session of that number (from 1).
  std::function<Outcome(int session, const std::string& name)> step =
      [](int, const std::string&) { return Outcome(std::vector<Tensor>{}); };
  // Instead of the names of what is missing.
  std::function<absl::Status(int session)> look = [](int) {
    return absl::OkStatus();
  };

  int num_made() {
    MutexLock lock(mutex);
    return made;
  }
  std::vector<std::string> log_of_steps() {
    MutexLock lock(mutex);
    return ran;
  }
  int count(const std::string& name) {
    MutexLock lock(mutex);
    return static_cast<int>(std::count(ran.begin(), ran.end(), name));
  }
};

class ScriptedSession final : public Session {
 public:
  ScriptedSession(World& world, int number) : world_(world), number_(number) {}

  using Session::Run;
  Outcome Run(const RunArgs& args, pb::RunMetadata*) override {
    const std::string name =
        args.fetches.empty() ? args.targets[0].text : args.fetches[0].text;
    if (name == "missing") return Missing();
    {
      MutexLock lock(world_.mutex);
      world_.ran.push_back(name);
      if (name == "init") world_.initialized = true;
      if (name == "block") {
        while (!closed_) world_.changed.Wait(world_.mutex);
      }
      if (closed_) return absl::CancelledError("closed under the step");
    }
    return world_.step(number_, name);
  }
  absl::StatusOr<Callable> MakeCallable(const CallableArgs&) override {
    return absl::UnimplementedError("");
  }
  absl::Status Extend(const Graph&) override { return absl::OkStatus(); }
  std::vector<DeviceInfo> ListDevices() const override { return {}; }
  absl::Status Close() override {
    {
      MutexLock lock(world_.mutex);
      closed_ = true;
      world_.changed.NotifyAll();
    }
    std::this_thread::sleep_for(world_.close_takes);
    MutexLock lock(world_.mutex);
    ++world_.closed;
    return absl::OkStatus();
  }

 private:
  Outcome Missing() {
    const absl::Status status = world_.look(number_);
    if (!status.ok()) return status;
    MutexLock lock(world_.mutex);
    ++world_.looks;
    if (world_.initialized) {
      return Outcome({Tensor::Vector<std::string>({})});
    }
    return Outcome({Tensor::Vector<std::string>({"w", "c"})});
  }

  World& world_;
  const int number_;
  bool closed_ = false;  // under the world's mutex
};

class RecoverableSessionTest : public ::testing::Test {
 protected:
  RecoverableSessionTest() {
    options_.uninitialized = "missing";
    options_.first_pause = milliseconds(2);
    options_.longest_pause = milliseconds(5);
    options_.first_poll = milliseconds(2);
    options_.longest_poll = milliseconds(5);
    options_.give_up = std::chrono::seconds(60);
    options_.new_session = [this](const Graph&, const SessionOptions& wanted)
        -> absl::StatusOr<std::shared_ptr<Session>> {
      int attempt = 0;
      {
        MutexLock lock(world_.mutex);
        world_.attempts.push_back(steady_clock::now());
        attempt = static_cast<int>(world_.attempts.size());
        connect_timeout_ = wanted.connect_timeout;
      }
      const absl::Status status = world_.make(attempt);
      if (!status.ok()) return status;
      MutexLock lock(world_.mutex);
      return std::make_shared<ScriptedSession>(world_, ++world_.made);
    };
    options_.reset = [this](const SessionOptions&) {
      MutexLock lock(world_.mutex);
      world_.ran.push_back("reset");
      return absl::OkStatus();
    };
    options_.log = [this](absl::string_view text) { said_.emplace_back(text); };
  }

  absl::StatusOr<std::unique_ptr<RecoverableSession>> Create() {
    GraphBuilder b;
    return RecoverableSession::Create(*b.Build(), options_);
  }
  std::unique_ptr<RecoverableSession> CreateReady() {
    {
      MutexLock lock(world_.mutex);
      world_.initialized = true;
    }
    auto session = Create();
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  static absl::Status Run(RecoverableSession& session,
                          const std::string& name) {
    return session.Run({.targets = {name}}).status();
  }

  World world_;
  RecoverableSessionOptions options_;
  std::vector<std::string> said_;
  std::chrono::nanoseconds connect_timeout_{0};
};

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
  std::thread waits([&] {
    EXPECT_TRUE(Create().ok());
    created = true;
  });
  {
    MutexLock lock(world_.mutex);
    while (world_.looks < 3) {
      world_.changed.WaitUntil(world_.mutex,
                               steady_clock::now() + milliseconds(1));
    }
    EXPECT_FALSE(created);
    EXPECT_THAT(world_.ran, SizeIs(0));
    world_.initialized = true;
  }
  waits.join();
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("local"));
  EXPECT_THAT(
      said_,
      ElementsAre(HasSubstr("waits for the chief to initialize 'w', 'c'")));
}

TEST_F(RecoverableSessionTest, OthersLookLessAndLessOften) {
  options_.first_poll = milliseconds(20);
  options_.longest_poll = milliseconds(50);
  options_.give_up = milliseconds(300);
  EXPECT_FALSE(Create().ok());
  // At 0, 20, 60, 110, 160, 210, 260 ms at the soonest.
  MutexLock lock(world_.mutex);
  EXPECT_LE(world_.looks, 7);
  EXPECT_GE(world_.looks, 2);
}

TEST_F(RecoverableSessionTest, OthersGiveUpWithTheNamesOfWhatIsMissing) {
  options_.give_up = milliseconds(50);
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(),
              HasSubstr("the chief has not initialized 'w', 'c' within 50ms"));
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
    const auto pause = world_.attempts[i + 1] - world_.attempts[i];
    EXPECT_GE(pause, milliseconds(pauses[i])) << i;
    EXPECT_LT(pause, milliseconds(pauses[i] + 20'000)) << i;
  }
  EXPECT_THAT(said_,
              ElementsAre(HasSubstr("in 20ms: no ps yet"), HasSubstr("in 40ms"),
                          HasSubstr("in 50ms"), HasSubstr("in 50ms")));
}

TEST_F(RecoverableSessionTest, GivesUpWithTheLastError) {
  options_.give_up = milliseconds(500);
  world_.make = [](int attempt) {
    return absl::UnavailableError(absl::StrCat("no route ", attempt));
  };
  const auto begin = steady_clock::now();
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("gave up after"),
                                      HasSubstr("the last: no route")));
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(30));
  MutexLock lock(world_.mutex);
  EXPECT_GT(world_.attempts.size(), 3u);
  EXPECT_LE(connect_timeout_, milliseconds(500));
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
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!Run(*session, "train").ok()) {
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(world_.num_made(), 3);
}

TEST_F(RecoverableSessionTest, ALostSessionEndsStepsThatWaitInIt) {
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("ps 0 is gone");
  };
  auto session = CreateReady();
  std::thread waits([&] {
    EXPECT_EQ(Run(*session, "block"), absl::UnavailableError("ps 0 is gone"));
  });
  while (world_.count("block") == 0) std::this_thread::yield();
  EXPECT_FALSE(Run(*session, "train").ok());
  waits.join();
}

// A chief's step that still waits would take gradients from the next one.
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
  std::thread waits([&] {
    EXPECT_FALSE(Run(*session, "block").ok());
    EXPECT_TRUE(Run(*session, "train").ok());
  });
  while (world_.count("block") == 0) std::this_thread::yield();
  EXPECT_FALSE(Run(*session, "train").ok());
  waits.join();
  EXPECT_EQ(session->num_sessions(), 2);
}

TEST_F(RecoverableSessionTest, ALongStepIsCheckedForTasksThatAreLost) {
  options_.check_every = milliseconds(5);
  std::atomic<bool> lost = false;
  world_.look = [&lost](int) {
    return lost ? absl::UnavailableError("ps 1 is gone") : absl::OkStatus();
  };
  auto session = CreateReady();
  std::thread waits([&] {
    EXPECT_EQ(Run(*session, "block"), absl::UnavailableError("ps 1 is gone"));
  });
  while (world_.count("block") == 0) std::this_thread::yield();
  std::this_thread::sleep_for(milliseconds(30));
  lost = true;
  waits.join();
}

TEST_F(RecoverableSessionTest, ALongStepIsCheckedForVariablesThatAreLost) {
  options_.check_every = milliseconds(5);
  auto session = CreateReady();
  std::thread waits([&] {
    const absl::Status status = Run(*session, "block");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(status.message(), HasSubstr("no longer initialized: 'w', 'c'"));
  });
  while (world_.count("block") == 0) std::this_thread::yield();
  {
    MutexLock lock(world_.mutex);
    world_.initialized = false;
  }
  waits.join();
}

// ---- Variables that are lost ----

TEST_F(RecoverableSessionTest, LostVariablesAreAnError) {
  options_.is_chief = true;
  options_.init = "init";
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  {
    MutexLock lock(world_.mutex);
    world_.initialized = false;
  }
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = Run(*session, "train");
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr("'w', 'c'"));
  }
  EXPECT_EQ(world_.count("init"), 0);
}

TEST_F(RecoverableSessionTest, TheChiefInitializesAgainWhenAskedTo) {
  options_.is_chief = true;
  options_.init = "init";
  options_.local_init = "local";
  options_.reinitialize = true;
  auto session = CreateReady();
  world_.step = [](int session, const std::string& name) -> Outcome {
    if (session == 1 && name == "train") return absl::UnavailableError("gone");
    return std::vector<Tensor>{};
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  {
    MutexLock lock(world_.mutex);
    world_.initialized = false;
  }
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(world_.log_of_steps(),
              ElementsAre("local", "train", "reset", "init", "local", "train"));
}

TEST_F(RecoverableSessionTest, OthersWaitForLostVariablesToo) {
  options_.reinitialize = true;
  options_.give_up = milliseconds(50);
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  {
    MutexLock lock(world_.mutex);
    world_.initialized = false;
  }
  EXPECT_EQ(Run(*session, "train").code(), absl::StatusCode::kDeadlineExceeded);
}

// ---- The loop ----

TEST_F(RecoverableSessionTest, TheLoopRunsOverAndOverInEachSession) {
  options_.loop = "loop";
  std::atomic<int> in_first = 0;
  std::atomic<int> in_second = 0;
  world_.step = [&](int session, const std::string& name) -> Outcome {
    if (name == "loop") ++(session == 1 ? in_first : in_second);
    if (name == "train" && session == 1) return absl::UnavailableError("gone");
    std::this_thread::sleep_for(milliseconds(1));
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  while (in_first < 5) std::this_thread::yield();
  EXPECT_FALSE(Run(*session, "train").ok());
  EXPECT_TRUE(Run(*session, "train").ok());
  while (in_second < 5) std::this_thread::yield();
}

TEST_F(RecoverableSessionTest, ATaskLostByTheLoopEndsOtherSteps) {
  options_.loop = "loop";
  std::atomic<bool> lost = false;
  world_.step = [&](int session, const std::string& name) -> Outcome {
    if (name == "loop" && session == 1 && lost) {
      return absl::UnavailableError("ps 0 is gone");
    }
    std::this_thread::sleep_for(milliseconds(1));
    return std::vector<Tensor>{};
  };
  auto session = CreateReady();
  std::thread waits([&] {
    EXPECT_EQ(Run(*session, "block"), absl::UnavailableError("ps 0 is gone"));
  });
  while (world_.count("block") == 0) std::this_thread::yield();
  lost = true;
  waits.join();
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
              absl::InvalidArgumentError("the loop: NaN"));
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
  while (world_.count("loop") == 0) std::this_thread::yield();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(world_.count("loop"), 1);
}

// ---- Close ----

TEST_F(RecoverableSessionTest, CloseEndsWhatRuns) {
  options_.loop = "block";
  auto session = CreateReady();
  std::thread waits([&] { EXPECT_FALSE(Run(*session, "block").ok()); });
  while (world_.count("block") < 2) std::this_thread::yield();
  EXPECT_TRUE(session->Close().ok());
  waits.join();
  EXPECT_EQ(Run(*session, "train").code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(RecoverableSessionTest, CloseEndsAttempts) {
  // A pause that no test waits for.
  options_.first_pause = std::chrono::hours(1);
  options_.longest_pause = std::chrono::hours(1);
  options_.give_up = std::chrono::hours(2);
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  world_.make = [](int) { return absl::UnavailableError("gone"); };
  EXPECT_FALSE(Run(*session, "train").ok());
  std::thread waits([&] {
    EXPECT_EQ(Run(*session, "train").code(),
              absl::StatusCode::kFailedPrecondition);
  });
  for (;;) {
    MutexLock lock(world_.mutex);
    if (world_.attempts.size() == 2) break;
  }
  EXPECT_TRUE(session->Close().ok());
  waits.join();
}

}  // namespace
}  // namespace leat
