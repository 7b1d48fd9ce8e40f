// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests when a RecoverableSession saves a checkpoint, and which checkpoint it
// restores. The sessions are scripted, so they write no checkpoints. Only the
// state file, which lists checkpoints, is real. The tests of the examples and
// of clusters write real checkpoints.
#include "leat/train/session_checkpoints.h"

#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tests/train/scripted_session.h"

namespace leat::session_checkpoints_test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Outcome;
using testing::ScriptedSessionTest;

constexpr char kRead[] = "save/variables_are_read";
constexpr char kSave[] = "save/control_dependency";
constexpr char kRestore[] = "save/restore_all";
constexpr seconds kSaveEvery(60);

// The session belongs to a chief that saves checkpoints. The script counts how
// often the step "train" runs. The step "step" returns this number.
class SessionCheckpointsTest : public ScriptedSessionTest {
 protected:
  SessionCheckpointsTest() {
    options_.is_chief = true;
    options_.init = "init";
    options_.checkpoints = {.path = folder_.Path("m"),
                            .global_step = "step",
                            .save_every = kSaveEvery};
    options_.check_every = seconds(0);
    world_.step = [this](int, const std::string& name) -> Outcome {
      if (name == "loop") clock_.Sleep(std::chrono::milliseconds(1));
      MutexLock lock(mutex_);
      if (absl::Status& error = errors_[name]; !error.ok()) {
        return std::exchange(error, absl::OkStatus());
      }
      if (name == "train") ++num_steps_;
      if (name != "step") return std::vector<Tensor>{};
      return std::vector<Tensor>{Tensor::Scalar<int64_t>(num_steps_)};
    };
  }

  // Writes the file "checkpoint", as if checkpoints of these steps had been
  // saved.
  void Checkpoints(const std::vector<int>& steps) {
    std::ofstream file(folder_.Path("checkpoint"));
    file << "model_checkpoint_path: \"m-" << steps.back() << "\"\n";
    for (const int step : steps) {
      file << "all_model_checkpoint_paths: \"m-" << step << "\"\n";
    }
  }
  std::vector<std::string> Listed() {
    return Saver::All(folder_.Path("")).value();
  }
  // Waits until all threads are idle. Returns the names of the steps that ran,
  // except "step" and "train".
  std::vector<std::string> Ran() {
    clock_.Settle();
    std::vector<std::string> names;
    for (const std::string& name : world_.log_of_steps()) {
      if (name != "step" && name != "train") names.push_back(name);
    }
    return names;
  }

  const TemporaryFolder folder_;
  Mutex mutex_;  // guards `num_steps_` while a session exists
  int64_t num_steps_ = 0;
  // Maps the name of a step to the error with which its next run fails. Tests
  // write this map without `mutex_`, so they may do so only while no step runs.
  std::map<std::string, absl::Status> errors_;
};

// ---- Restoring ----

TEST_F(SessionCheckpointsTest, ANewTrainingSavesItsFirstVariables) {
  ASSERT_TRUE(Create().ok());
  EXPECT_THAT(Ran(), ElementsAre("init", kSave));
  EXPECT_THAT(Listed(), ElementsAre(folder_.Path("m-0")));
}

TEST_F(SessionCheckpointsTest, ATrainingGoesOnFromTheLatestCheckpoint) {
  Checkpoints({10, 20});
  ASSERT_TRUE(Create().ok());
  EXPECT_THAT(Ran(), ElementsAre(kRestore));
  EXPECT_THAT(said_, Contains(HasSubstr(folder_.Path("m-20"))));
}

TEST_F(SessionCheckpointsTest, OlderCheckpointsReplaceDamagedOnes) {
  Checkpoints({10, 20});
  errors_[kRestore] = absl::DataLossError("a bit has flipped");
  ASSERT_TRUE(Create().ok());
  EXPECT_THAT(Ran(), ElementsAre(kRestore, kRestore));
  EXPECT_THAT(said_, ElementsAre(AllOf(HasSubstr(folder_.Path("m-20")),
                                       HasSubstr("a bit has flipped")),
                                 HasSubstr(folder_.Path("m-10"))));
}

TEST_F(SessionCheckpointsTest, NoTrainingBeginsAnewBesideDamagedCheckpoints) {
  Checkpoints({10});
  errors_[kRestore] = absl::DataLossError("a bit has flipped");
  const absl::Status status = Create().status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(Ran(), ElementsAre(kRestore));
}

TEST_F(SessionCheckpointsTest, VariablesThatAreAliveAreNotRestored) {
  Checkpoints({10});
  CreateReady();
  EXPECT_THAT(Ran(), IsEmpty());
}

TEST_F(SessionCheckpointsTest, VariablesThatAreLostAreRestored) {
  auto session = *Create();
  ASSERT_TRUE(Run(*session, "train").ok());
  world_.Lose({"w"});
  errors_["train"] = absl::UnavailableError("the server is gone");
  EXPECT_FALSE(Run(*session, "train").ok());
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), ElementsAre("init", kSave, "reset", kRestore));
}

TEST_F(SessionCheckpointsTest, WithoutACheckpointWhatIsLostIsAnError) {
  options_.checkpoints.save_every = std::chrono::hours(1);
  auto session = CreateReady();
  world_.Lose({"w"});
  errors_["train"] = absl::UnavailableError("the server is gone");
  EXPECT_FALSE(Run(*session, "train").ok());
  const absl::Status status = Run(*session, "train");
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("'w'"));
}

TEST_F(SessionCheckpointsTest, OthersWaitUntilTheChiefHasRestored) {
  options_.is_chief = false;
  auto session = CreateReady();
  world_.Lose();
  world_.look = [this, looks = 0](int) mutable {
    MutexLock lock(world_.mutex);
    if (++looks == 3) world_.initialized = true;
    return absl::OkStatus();
  };
  errors_["train"] = absl::UnavailableError("the server is gone");
  EXPECT_FALSE(Run(*session, "train").ok());
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), IsEmpty());
}

TEST_F(SessionCheckpointsTest, SaysWhatTheCheckpointHasNotRestored) {
  Checkpoints({10});
  world_.look = [](int) { return absl::OkStatus(); };
  world_.step = [this](int, const std::string& name) -> Outcome {
    // The restore gives no value to the variable "c". The step "missing" that
    // follows the restore finds this out.
    if (name == kRestore) {
      world_.look = [this](int) {
        MutexLock lock(world_.mutex);
        world_.initialized = false;
        world_.lacks = {"c"};
        return absl::OkStatus();
      };
    }
    return std::vector<Tensor>{};
  };
  const absl::Status status = Create().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("'c'"));
}

// ---- Saving ----

TEST_F(SessionCheckpointsTest, SavesAfterAStepWhenTheTimeHasCome) {
  auto session = CreateReady();
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), IsEmpty());
  clock_.Advance(kSaveEvery);
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), ElementsAre(kRead, kSave));
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), ElementsAre(kRead, kSave));
  EXPECT_THAT(Listed(), ElementsAre(folder_.Path("m-2")));
}

TEST_F(SessionCheckpointsTest, ASaveHasATimeout) {
  options_.checkpoints.save_timeout = seconds(7);
  auto session = CreateReady();
  clock_.Advance(kSaveEvery);
  ASSERT_TRUE(Run(*session, "train").ok());
  clock_.Settle();
  MutexLock lock(world_.mutex);
  int num_saving = 0;
  for (size_t i = 0; i < world_.ran.size(); ++i) {
    if (world_.ran[i] == "train") continue;  // "step", kRead and kSave
    EXPECT_EQ(world_.timeouts[i], seconds(7)) << world_.ran[i];
    ++num_saving;
  }
  EXPECT_EQ(num_saving, 3);
}

TEST_F(SessionCheckpointsTest, ATrainingSurvivesASaveThatFails) {
  auto session = CreateReady();
  errors_[kSave] = absl::ResourceExhaustedError("the disk is full");
  clock_.Advance(kSaveEvery);
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), ElementsAre(kRead, kSave));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("the disk is full")));
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Ran(), ElementsAre(kRead, kSave));
  clock_.Advance(kSaveEvery);
  ASSERT_TRUE(Run(*session, "train").ok());
  clock_.Settle();
  EXPECT_THAT(Listed(), ElementsAre(folder_.Path("m-3")));
}

// If a checkpoint is due after a step, the step returns as soon as the
// variables have been read. Later steps run while the checkpoint is written.
TEST_F(SessionCheckpointsTest, TrainsWhileACheckpointIsWritten) {
  bool is_written = false;
  Mutex mutex;
  CondVar written;
  const auto script = world_.step;
  world_.step = [&](int session, const std::string& name) {
    MutexLock lock(mutex);
    while (name == kSave && !is_written) written.Wait(mutex);
    return script(session, name);
  };
  auto session = CreateReady();
  clock_.Advance(kSaveEvery);
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(world_.count(kRead), 1);
  ASSERT_TRUE(Run(*session, "train").ok());
  clock_.Advance(kSaveEvery);
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(Listed(), IsEmpty());
  EXPECT_EQ(world_.count(kRead), 1);  // one save at a time
  {
    MutexLock lock(mutex);
    is_written = true;
  }
  written.NotifyAll();
  clock_.Settle();
  EXPECT_THAT(Listed(), ElementsAre(folder_.Path("m-1")));
}

TEST_F(SessionCheckpointsTest, ATrainingThatCannotSaveDoesNotBegin) {
  errors_[kSave] = absl::PermissionDeniedError("not below a --file-root");
  const absl::Status status = Create().status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
}

TEST_F(SessionCheckpointsTest, SavesWhenTheProgramWants) {
  auto session = CreateReady();
  ASSERT_TRUE(Run(*session, "train").ok());
  ASSERT_TRUE(session->Save().ok());
  ASSERT_TRUE(session->Save().ok());  // does not save again: no step has run
  EXPECT_THAT(Ran(), ElementsAre(kSave));
  errors_["step"] = absl::UnavailableError("the server is gone");
  EXPECT_TRUE(absl::IsUnavailable(session->Save()));
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(session->num_sessions(), 2);
}

TEST_F(SessionCheckpointsTest, SavesAfterAStepOfTheLoopIfThereIsOne) {
  options_.loop = "loop";
  auto session = CreateReady();
  AwaitStep("loop", 2);
  ASSERT_TRUE(Run(*session, "train").ok());
  EXPECT_EQ(world_.count(kSave), 0);
  clock_.Advance(kSaveEvery);
  AwaitStep(kSave);
  EXPECT_TRUE(session->Close().ok());
}

TEST_F(SessionCheckpointsTest, RefusesOptionsThatCannotWork) {
  options_.checkpoints.global_step = "";
  EXPECT_TRUE(absl::IsInvalidArgument(Create().status()));
  options_.checkpoints = {.save_every = seconds(0)};
  EXPECT_TRUE(absl::IsInvalidArgument(Create().status()));
  options_.checkpoints = {};
  auto session = CreateReady();
  EXPECT_TRUE(absl::IsFailedPrecondition(session->Save()));
}

TEST_F(SessionCheckpointsTest, AChiefNeedsASaver) {
  GraphBuilder b;
  const auto graph = b.Build();
  const absl::Status status =
      RecoverableSession::Create(*graph, options_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("checkpoints.saver"));
}

}  // namespace
}  // namespace leat::session_checkpoints_test
