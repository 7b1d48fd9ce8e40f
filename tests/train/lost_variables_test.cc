// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what RecoverableSession does about variables that were lost with a
// task. The sessions are scripted; recoverable_cluster_test.cc has real ones.
#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/threads/mutex.h"
#include "leat/tests/train/scripted_session.h"
#include "leat/train/recoverable_session.h"

namespace leat::lost_variables_test {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::ScriptedSessionTest;

class LostVariablesTest : public ScriptedSessionTest {
 protected:
  LostVariablesTest() {
    options_.init = "init";
    options_.local_init = "local";
  }
};

// ---- Variables that are lost while a RecoverableSession uses them ----

TEST_F(LostVariablesTest, AreAnErrorThatNamesThem) {
  options_.is_chief = true;
  options_.init = "init";
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  world_.Lose();
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = Run(*session, "train");
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr("'w', 'c'"));
  }
  EXPECT_EQ(world_.count("init"), 0);
}

TEST_F(LostVariablesTest, TheChiefInitializesAgainWhenAskedTo) {
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
  world_.Lose();
  EXPECT_TRUE(Run(*session, "train").ok());
  EXPECT_THAT(world_.log_of_steps(),
              ElementsAre("local", "train", "reset", "init", "local", "train"));
}

TEST_F(LostVariablesTest, OthersWaitForThemToo) {
  options_.reinitialize = true;
  options_.give_up = std::chrono::seconds(3);  // long enough for CreateReady
  auto session = CreateReady();
  world_.step = [](int, const std::string&) -> Outcome {
    return absl::UnavailableError("gone");
  };
  EXPECT_FALSE(Run(*session, "train").ok());
  world_.Lose();
  EXPECT_EQ(Run(*session, "train").code(), absl::StatusCode::kDeadlineExceeded);
}

// The chief clears all variables, because it will initialize them again.
// Meanwhile, a worker runs a step, which finds a variable without a value.
TEST_F(LostVariablesTest, AStepThatFindsThemGoneLosesItsSession) {
  options_.reinitialize = true;
  options_.check_every = milliseconds(0);  // no periodic checks
  auto session = CreateReady();
  world_.step = [](int session, const std::string& name) -> Outcome {
    if (session == 1 && name == "train") {
      return absl::FailedPreconditionError("w is uninitialized");
    }
    return std::vector<Tensor>{};
  };
  world_.Lose({"w"});
  EXPECT_EQ(Run(*session, "train").code(), absl::StatusCode::kUnavailable);
}

// ---- Variables that are missing when a chief starts ----

TEST_F(LostVariablesTest, AChiefThatBeginsNamesThoseThatAreLost) {
  options_.is_chief = true;
  world_.Lose({"c"});
  const absl::Status status = Create().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("'c'"), Not(HasSubstr("'w'"))));
  EXPECT_THAT(world_.log_of_steps(), ElementsAre());
}

TEST_F(LostVariablesTest, AChiefThatBeginsClearsTheRestWhenAskedTo) {
  options_.is_chief = true;
  options_.reinitialize = true;
  world_.Lose({"c"});
  ASSERT_TRUE(Create().ok());
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("reset", "init", "local"));
}

// In a new cluster all variables are missing, so there is nothing to clear.
TEST_F(LostVariablesTest, AChiefThatBeginsClearsNothingInANewCluster) {
  options_.is_chief = true;
  options_.reinitialize = true;
  ASSERT_TRUE(Create().ok());
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("init", "local"));
}

TEST_F(LostVariablesTest, AnInitializationThatWasCutShortIsDoneAgain) {
  options_.is_chief = true;
  world_.step = [this](int session, const std::string& name) -> Outcome {
    if (session > 1 || name != "init") return std::vector<Tensor>{};
    world_.Lose({"c"});
    return absl::UnavailableError("ps 1 is gone");
  };
  const absl::Status status = Create().status();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(world_.log_of_steps(), ElementsAre("init", "init", "local"));
}

TEST_F(LostVariablesTest, OthersThatBeginWaitForTheChief) {
  options_.give_up = milliseconds(50);
  world_.Lose({"c"});
  EXPECT_EQ(Create().status().code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace leat::lost_variables_test
