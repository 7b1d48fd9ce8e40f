// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ScriptedSession is a session whose steps do what a test scripts. The tests of
// RecoverableSession use it. A World holds the script and the log. Every
// ScriptedSession of a test refers to the test's World.
#ifndef LEAT_TESTS_TRAIN_SCRIPTED_SESSION_H_
#define LEAT_TESTS_TRAIN_SCRIPTED_SESSION_H_

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "leat/core/threads/clock.h"
#include "leat/core/threads/mutex.h"
#include "leat/graph/builder/builder.h"
#include "leat/tests/testing/simulated_clock.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"

namespace leat::testing {

// Is the result of a step.
using Outcome = absl::StatusOr<std::vector<Tensor>>;

// Holds the state that the sessions of one test share, and the test's script. A
// step has a name. The comment of ScriptedSession describes the steps named
// "init", "missing" and "block"; a test may name other steps as it likes. The
// function `step` decides the result of every step except "missing". Is
// thread-safe, except that the functions and `close_takes` must not be set
// while a session uses them.
struct World {
  explicit World(Clock& clock) : clock(clock) {}

  Clock& clock;
  Mutex mutex;
  // Is notified when a session is closed.
  CondVar changed;
  // Is true if the variables are initialized.
  bool initialized ABSL_GUARDED_BY(mutex) = false;
  // Holds the names of the variables that the step "missing" returns while
  // `initialized` is false.
  std::vector<std::string> lacks ABSL_GUARDED_BY(mutex) = {"w", "c"};
  std::vector<std::string> ran ABSL_GUARDED_BY(mutex);  // all but "missing"
  // Holds the timeout of each step in `ran`.
  std::vector<std::optional<std::chrono::nanoseconds>> timeouts
      ABSL_GUARDED_BY(mutex);
  // `made` is the number of sessions that were made. `looks` is the number of
  // steps named "missing" that succeeded.
  int made ABSL_GUARDED_BY(mutex) = 0;
  int looks ABSL_GUARDED_BY(mutex) = 0;
  // Holds the times at which the attempts to make a session began.
  std::vector<Clock::time_point> attempts ABSL_GUARDED_BY(mutex);

  // `closed` is the number of sessions that were closed. `close_takes` is the
  // time that Close takes.
  int closed ABSL_GUARDED_BY(mutex) = 0;
  std::chrono::milliseconds close_takes{0};

  // Is called at each attempt to make a session. If the result is OK, the
  // session is made. `attempt` counts from 1.
  std::function<absl::Status(int attempt)> make = [](int) {
    return absl::OkStatus();
  };
  // Returns the result of the step named `name` in session number `session`.
  // Sessions are counted from 1.
  std::function<Outcome(int session, const std::string& name)> step =
      [](int, const std::string&) { return Outcome(std::vector<Tensor>{}); };
  // Is called by each step named "missing". If it returns an error, the step
  // fails with this error. Otherwise the step returns the names of the missing
  // variables.
  std::function<absl::Status(int session)> look = [](int) {
    return absl::OkStatus();
  };

  // Makes these variables uninitialized, as the restart of a task does.
  void Lose(const std::vector<std::string>& names = {"w", "c"}) {
    MutexLock lock(mutex);
    initialized = false;
    lacks = names;
  }
  int num_made() {
    MutexLock lock(mutex);
    return made;
  }
  // Returns the names of the steps that ran, and "reset" for each reset.
  std::vector<std::string> log_of_steps() {
    MutexLock lock(mutex);
    return ran;
  }
  // Returns how often the step `name` ran.
  int count(const std::string& name) {
    MutexLock lock(mutex);
    return static_cast<int>(std::count(ran.begin(), ran.end(), name));
  }
};

// A ScriptedSession is a session that runs the script of a World. The step
// "init" sets World::initialized. The step "missing" fetches the names of the
// uninitialized variables. The step "block" waits until the session is closed,
// and then fails with CANCELLED. The step "save/restore_all" sets
// World::initialized if the script lets it succeed. Does not own the World,
// which must outlive it. Is thread-safe.
class ScriptedSession final : public Session {
 public:
  ScriptedSession(World& world, int number) : world_(world), number_(number) {}

  using Session::Run;
  Outcome Run(const RunArgs& args, pb::RunMetadata*) override {
    const std::string name =
        args.fetches.empty() ? args.targets[0].text : args.fetches[0].text;
    if (name == "missing") return Missing(args.options);
    {
      MutexLock lock(world_.mutex);
      world_.ran.push_back(name);
      world_.timeouts.push_back(args.options.timeout);
      if (name == "init") world_.initialized = true;
      if (name == "block") {
        while (!closed_) world_.changed.Wait(world_.mutex);
      }
      if (closed_) return absl::CancelledError("closed under the step");
    }
    Outcome outcome = world_.step(number_, name);
    if (outcome.ok() && name == "save/restore_all") {
      MutexLock lock(world_.mutex);
      world_.initialized = true;
    }
    return outcome;
  }
  absl::StatusOr<Callable> MakeCallable(const CallableArgs&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<PartialRun> StartPartialRun(
      const PartialRunArgs& args) override {
    return PartialRun(
        std::make_shared<ScriptedPartialRun>(*this, args.options));
  }
  absl::Status Extend(const Graph&) override { return absl::OkStatus(); }
  std::vector<DeviceInfo> ListDevices() const override { return {}; }
  absl::Status Close() override {
    {
      MutexLock lock(world_.mutex);
      closed_ = true;
      world_.changed.NotifyAll();
    }
    world_.clock.Sleep(world_.close_takes);
    MutexLock lock(world_.mutex);
    ++world_.closed;
    return absl::OkStatus();
  }

 private:
  // Runs one step for each fetch.
  class ScriptedPartialRun final : public PartialRun::Implementation {
   public:
    ScriptedPartialRun(ScriptedSession& session, const RunOptions& options)
        : session_(session), options_(options) {}
    Outcome Run(const std::vector<Feed>&,
                const std::vector<TensorName>& fetches) override {
      return session_.Run({.fetches = fetches, .options = options_}, nullptr);
    }
    absl::Status Finish() override { return absl::OkStatus(); }

   private:
    ScriptedSession& session_;  // lives until the test's threads have ended
    const RunOptions options_;
  };

  Outcome Missing(const RunOptions& options) {
    const absl::Status status = world_.look(number_);
    if (!status.ok()) return status;
    if (options.timeout.has_value() && options.timeout->count() <= 0) {
      return absl::DeadlineExceededError("no time to look");
    }
    MutexLock lock(world_.mutex);
    ++world_.looks;
    const std::vector<std::string> none;
    const std::vector<std::string>& names =
        world_.initialized ? none : world_.lacks;
    return Outcome({Tensor::FromSpan<std::string>(
        Shape{static_cast<int64_t>(names.size())}, names)});
  }

  World& world_;
  const int number_;
  bool closed_ = false;  // guarded by the world's mutex
};

// Is a fixture for RecoverableSessions that make ScriptedSessions of `world_`.
// Time is simulated.
class ScriptedSessionTest : public ::testing::Test {
 protected:
  ScriptedSessionTest() {
    options_.clock = &clock_;
    options_.uninitialized = "missing";
    options_.first_pause = std::chrono::milliseconds(2);
    options_.longest_pause = std::chrono::milliseconds(5);
    options_.first_poll = std::chrono::milliseconds(2);
    options_.longest_poll = std::chrono::milliseconds(5);
    options_.give_up = std::chrono::seconds(60);
    options_.new_session = [this](const Graph&, const SessionOptions& wanted)
        -> absl::StatusOr<std::shared_ptr<Session>> {
      int attempt = 0;
      {
        MutexLock lock(world_.mutex);
        world_.attempts.push_back(clock_.Now());
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

  // Creates a RecoverableSession of a graph with the variables "w" and "c", and
  // with a node "missing" that returns the uninitialized variables. If the
  // session is a chief's and its options have checkpoints, the session gets a
  // Saver.
  absl::StatusOr<std::unique_ptr<RecoverableSession>> Create() {
    GraphBuilder b;
    for (const char* name : {"w", "c"}) b.Variable(name, b.Const(1.0f));
    if (options_.is_chief && !options_.checkpoints.path.empty()) {
      options_.checkpoints.saver = std::make_shared<Saver>(b);
    }
    b.AddOp({.op = "Identity",
             .inputs = {UninitializedVariables(b)},
             .name = "missing"});
    const auto graph = b.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    return RecoverableSession::Create(*graph, options_);
  }
  // Marks all variables as initialized and calls Create. REQUIRES: Create
  // succeeds.
  std::unique_ptr<RecoverableSession> CreateReady() {
    {
      MutexLock lock(world_.mutex);
      world_.initialized = true;
    }
    auto session = Create();
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  // Waits until the step `name` has begun `times` times.
  void AwaitStep(const std::string& name, int times = 1) {
    clock_.AdvanceUntil([&] { return world_.count(name) >= times; });
  }
  // Runs the step `name` and returns its status.
  static absl::Status Run(RecoverableSession& session,
                          const std::string& name) {
    return session.Run({.targets = {name}}).status();
  }

  SimulatedClock clock_;
  World world_{clock_};
  RecoverableSessionOptions options_;
  // Holds the messages that were logged.
  std::vector<std::string> said_;
  // Is the connect timeout that the last attempt to make a session asked for.
  std::chrono::nanoseconds connect_timeout_{0};
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_TRAIN_SCRIPTED_SESSION_H_
