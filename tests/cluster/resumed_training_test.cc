// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Kills tasks of a training that saves checkpoints. Whatever task was lost, the
// training must go on from the latest checkpoint.
#ifdef LEAT_PROGRAM_FASHION_MNIST_CLUSTER
#include <signal.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/cluster/example_programs.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/train/saver.h"

namespace leat::resumed_training_test {
namespace {

using testing::Args;
using testing::Becomes;
using testing::ExamplesTest;
using ::testing::HasSubstr;
using testing::kNumImages;
using testing::Launch;
using testing::Process;
using testing::ReadFile;

constexpr char kRestored[] = "has restored the variables from '";

class ResumedTrainingTest : public ExamplesTest {
 protected:
  // Returns the arguments of a training that saves often. One epoch has 64
  // images; each step takes 4.
  Args Saving(const Args& more) const {
    Args args = {"--checkpoints", folder_.Path("saved"), "--save-every",
                 "0.05"};
    args.insert(args.end(), more.begin(), more.end());
    return Training(4, args);
  }
  // Returns flags of `leat launch` that restart a killed task after 10 ms, up
  // to 20 times.
  Args Restarting() const {
    return {"--logs", folder_.Path("logs"), "--max-restarts",
            "20",     "--restart-delay",    "0.01"};
  }
  // Returns the step of the latest checkpoint, or -1 if there is none.
  int64_t LatestStep() const {
    const auto latest = Saver::Latest(folder_.Path("saved"));
    return latest.ok() ? LastNumber(*latest, "model.ckpt-") : -1;
  }
  void AwaitStep(Process& launch, int64_t step) const {
    EXPECT_TRUE(
        Becomes([&] { return LatestStep() >= step; }, absl::Seconds(60)))
        << step << launch.Out() << launch.Err();
  }
  void KillTask(const std::string& task) const {
    Kill(ReadFile(folder_.Path(absl::StrCat("logs/", task, ".log"))));
  }
};

TEST_F(ResumedTrainingTest, GoesOnAfterEveryServerWasKilled) {
  Process launch(LEAT_PROGRAM_LEAT,
                 Launch("chief=1,worker=1,ps=2", Restarting(),
                        LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
                        Saving({"--epochs", "1000000"})));
  AwaitStep(launch, 1);
  const int64_t saved = LatestStep();
  for (const char* ps : {"ps-0", "ps-1"}) KillTask(ps);
  WaitForOutput(launch, kRestored, 1);
  const std::string log = ReadFile(folder_.Path("logs/chief-0.log"));
  const int64_t restored = LastNumber(log, "/model.ckpt-");
  EXPECT_GE(restored, saved) << log;
  AwaitStep(launch, restored + 1);
  launch.Signal(SIGTERM);
  EXPECT_EQ(launch.Wait(), 128 + SIGTERM) << launch.Err();
}

// Synchronous training counts every step. So the last step shows whether the
// training went on from the right step.
TEST_F(ResumedTrainingTest, SurvivesTheLossOfEachTaskAndOfAll) {
  const auto train = [&](int64_t epochs) {
    return Launch("chief=1,worker=1,ps=1,evaluator=1", Restarting(),
                  LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
                  Saving({"--sync", "--epochs", absl::StrCat(epochs),
                          "--evaluate-every", "1000000"}));
  };
  const std::vector<std::string> tasks = {"chief-0", "worker-0", "ps-0",
                                          "evaluator-0"};
  {
    Process launch(LEAT_PROGRAM_LEAT, train(1'000'000));
    for (const std::string& task : tasks) {
      AwaitStep(launch, LatestStep() + 1);
      KillTask(task);
      if (HasFatalFailure()) return;
    }
    AwaitStep(launch, LatestStep() + 1);
    for (const std::string& task : tasks) KillTask(task);
    AwaitStep(launch, LatestStep() + 1);
    EXPECT_GE(Count(launch.Out(), kRestored), 1) << launch.Out();
    launch.Signal(SIGTERM);
    EXPECT_EQ(launch.Wait(), 128 + SIGTERM) << launch.Err();
  }
  constexpr int64_t kStepsPerEpoch = kNumImages / (2 * 4);
  const int64_t epochs = LatestStep() / kStepsPerEpoch + 10;
  Process launch(LEAT_PROGRAM_LEAT, train(epochs));
  EXPECT_EQ(launch.Wait(absl::Seconds(100)), 0) << launch.Out() << launch.Err();
  // The chief that continues the training adds one step.
  EXPECT_GE(LatestStep(), epochs * kStepsPerEpoch) << launch.Out();
  EXPECT_LE(LatestStep(), epochs * kStepsPerEpoch + 1) << launch.Out();
}

TEST_F(ResumedTrainingTest, AProgramThatIsStartedAgainGoesOn) {
  const auto train = [&](const char* epochs) {
    Process launch(LEAT_PROGRAM_LEAT, Launch("chief=1,ps=1", {},
                                             LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
                                             Saving({"--epochs", epochs})));
    EXPECT_EQ(launch.Wait(), 0) << launch.Out() << launch.Err();
    return launch.Out();
  };
  EXPECT_THAT(train("1"), HasSubstr("trains from step 0 on"));
  EXPECT_EQ(LatestStep(), 16);
  EXPECT_THAT(train("2"), HasSubstr("trains from step 16 on"));
  EXPECT_EQ(LatestStep(), 32);
}

}  // namespace
}  // namespace leat::resumed_training_test
#endif  // LEAT_PROGRAM_FASHION_MNIST_CLUSTER
