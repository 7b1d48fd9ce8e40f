// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the examples for a few steps on generated images, on clusters of
// processes that `leat launch` starts.
#ifdef LEAT_PROGRAM_FASHION_MNIST_CLUSTER
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/cluster/example_programs.h"
#include "leat/tests/cluster/served_cluster.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/sanitizers.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/launch_jobs.h"

namespace leat::examples_test {
namespace {

using ::testing::AllOf;
using testing::Args;
using ::testing::Each;
using testing::ExamplesTest;
using ::testing::HasSubstr;
using testing::kHasSanitizer;
using testing::kNumImages;
using testing::Launch;
using testing::NumSeeds;
using testing::Process;
using testing::ReadFile;
using ::testing::Truly;

std::vector<float> Losses(const std::string& path) {
  std::vector<float> losses;
  for (const auto line :
       absl::StrSplit(ReadFile(path), '\n', absl::SkipEmpty())) {
    float loss = 0;
    EXPECT_TRUE(absl::SimpleAtof(line, &loss)) << path << ": " << line;
    losses.push_back(loss);
  }
  return losses;
}

void ExpectEqual(const std::vector<float>& losses,
                 const std::vector<float>& want) {
  ASSERT_EQ(losses.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(losses[i], want[i], 1e-5 * (1 + std::abs(want[i])))
        << "step " << i;
  }
}

// The training is asynchronous. It ends when the evaluator has measured the
// target accuracy.
TEST_F(ExamplesTest, TrainsOnEveryTaskUntilItIsGoodEnough) {
  Process launch(LEAT_PROGRAM_LEAT,
                 Launch("chief=1,worker=2,ps=2,evaluator=1", {},
                        LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
                        Training(4, {"--epochs", "1000000", "--evaluate-every",
                                     "50", "--target-accuracy", "1"})));
  EXPECT_EQ(launch.Wait(absl::Seconds(100)), 0) << launch.Out() << launch.Err();
  const std::string out = launch.Out();
  EXPECT_EQ(Count(out, "trains from step"), 3) << out;
  EXPECT_EQ(Count(out, "ends at step"), 3) << out;
  EXPECT_THAT(out, HasSubstr("[evaluator-0] step"));
  EXPECT_GE(Count(out, ": test accuracy "), 2) << out;  // including at the end
}

TEST_F(ExamplesTest, SynchronousTrainingEndsEverywhereToo) {
  Process launch(
      LEAT_PROGRAM_LEAT,
      Launch("chief=1,worker=1,ps=1,evaluator=1", {},
             LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
             Training(4, {"--epochs", "1000000", "--sync", "--evaluate-every",
                          "20", "--target-accuracy", "1"})));
  EXPECT_EQ(launch.Wait(absl::Seconds(100)), 0) << launch.Out() << launch.Err();
  EXPECT_THAT(launch.Out(),
              HasSubstr("the accuracy has reached --target-accuracy 1"));
}

// With the same seeds and images, the losses equal those of a program without a
// cluster.
TEST_F(ExamplesTest, SynchronousTrainingGivesTheLossesOfOneProcess) {
  Process local(
      LEAT_PROGRAM_FASHION_MNIST,
      Training(8, {"--epochs", "3", "--losses", folder_.Path("local.txt")}));
  EXPECT_EQ(local.Wait(), 0) << local.Err();
  const std::vector<float> want = Losses(folder_.Path("local.txt"));
  EXPECT_EQ(want.size(), 3u * kNumImages / 8);

  std::vector<float> means;
  std::vector<float> others;
  // If a replica is delayed, the other replica may compute a gradient in its
  // place. This changes the losses, so the test then tries again.
  for (int i = 0; i < 3; ++i) {
    Process between(
        LEAT_PROGRAM_LEAT,
        Launch("chief=1,worker=1,ps=2", {}, LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
               Training(4, {"--sync", "--epochs", "3", "--losses",
                            folder_.Path("")})));
    EXPECT_EQ(between.Wait(absl::Seconds(100)), 0)
        << between.Out() << between.Err();
    means = Losses(folder_.Path("chief-0.txt"));
    others = Losses(folder_.Path("worker-0.txt"));
    if (means.size() == others.size()) break;
  }
  ASSERT_EQ(means.size(), others.size());
  for (size_t i = 0; i < means.size(); ++i) {
    means[i] = (means[i] + others[i]) / 2;
  }
  ExpectEqual(means, want);

  Process in_graph(
      LEAT_PROGRAM_LEAT,
      Launch("chief=1,worker=2,ps=2", {}, LEAT_PROGRAM_IN_GRAPH,
             Training(4, {"--steps", absl::StrCat(want.size()), "--losses",
                          folder_.Path("in_graph.txt")})));
  EXPECT_EQ(in_graph.Wait(absl::Seconds(100)), 0)
      << in_graph.Out() << in_graph.Err();
  EXPECT_THAT(in_graph.Out(), HasSubstr("test accuracy "));
  ExpectEqual(Losses(folder_.Path("in_graph.txt")), want);
}

TEST_F(ExamplesTest, AWorkerThatWasKilledGoesOn) {
  Process launch(LEAT_PROGRAM_LEAT,
                 Launch("chief=1,worker=1,ps=1",
                        {"--logs", folder_.Path("logs"), "--max-restarts", "1",
                         "--restart-delay", "0.01"},
                        LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
                        Training(4, {"--epochs", "1000000", "--losses",
                                     folder_.Path("")})));
  const std::string trains = "trains from step ";
  WaitForOutput(launch, trains, 2);
  const absl::Time end = absl::Now() + absl::Seconds(60);
  while (ReadFile(folder_.Path("chief-0.txt")).empty() && absl::Now() < end) {
    absl::SleepFor(absl::Milliseconds(20));
  }
  Kill(ReadFile(folder_.Path("logs/worker-0.log")));
  WaitForOutput(launch, trains, 3);
  const std::string again = ReadFile(folder_.Path("logs/worker-0.log"));
  EXPECT_EQ(Count(again, trains), 2) << again;
  // The restarted worker does not begin at step 0, because the server has kept
  // the variables.
  EXPECT_GT(LastNumber(again, trains), 0) << again;
  launch.Signal(SIGTERM);
  EXPECT_EQ(launch.Wait(), 128 + SIGTERM) << launch.Err();
}

// The chief is killed in the first third of the training, and starts again. The
// worker gives a gradient to nearly every step. Until the replica of the new
// chief takes tokens, the worker may give two gradients to one step.
TEST_F(ExamplesTest, AKilledChiefTrainsOnToTheLastStep) {
  for (int seed = 1; seed <= NumSeeds(1); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(static_cast<uint32_t>(seed));
    constexpr int kEpochs = kHasSanitizer ? 40 : 100;
    constexpr int kSteps = kEpochs * kNumImages / (2 * 4);
    const std::string logs = folder_.Path(absl::StrCat("logs", seed));
    Process launch(
        LEAT_PROGRAM_LEAT,
        Launch(
            "chief=1,worker=1,ps=1",
            {"--logs", logs, "--max-restarts", "1", "--restart-delay", "0.01"},
            LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
            Training(4, {"--sync", "--epochs", absl::StrCat(kEpochs),
                         "--losses", folder_.Path("")})));
    // The chief logs after every twentieth of the training.
    WaitForOutput(launch, "[chief-0]  step ",
                  1 + static_cast<int>(random() % 5));
    if (HasFatalFailure()) return;
    absl::SleepFor(absl::Microseconds(random() % 20'000));
    Kill(ReadFile(logs + "/chief-0.log"));
    EXPECT_EQ(launch.Wait(absl::Seconds(200)), 0)
        << launch.Out() << launch.Err();
    const std::string out = launch.Out();
    EXPECT_EQ(Count(out, "[chief-0]  this task trains from step "), 2) << out;
    EXPECT_GT(LastNumber(out, "[chief-0]  this task trains from step "), 0)
        << out;
    EXPECT_EQ(Count(out, "[worker-0] this task trains from step "), 1) << out;
    EXPECT_EQ(Count(out, absl::StrCat("ends at step ", kSteps, "\n")), 2)
        << out;
    const std::vector<float> losses = Losses(folder_.Path("worker-0.txt"));
    EXPECT_GE(losses.size(), kSteps / 2);
    // From the restart on, the new chief has computed the gradients that the
    // worker did not compute. So the two tasks together have computed about two
    // gradients for each step since the restart.
    const int64_t since =
        kSteps - LastNumber(out, "[chief-0]  this task trains from step ");
    EXPECT_GE(losses.size() + Losses(folder_.Path("chief-0.txt")).size(),
              2 * since - 10);
    EXPECT_LE(losses.size(), 2 * kSteps);
    EXPECT_THAT(losses, Each(Truly([](float x) { return std::isfinite(x); })));
    ASSERT_FALSE(losses.empty());
    EXPECT_LT(losses.back(), losses.front());
  }
}

// A chief that finds variables of an earlier training increments the global
// step by one when it takes over.
TEST_F(ExamplesTest, SynchronousTrainingGoesOnWithServersThatWereKept) {
  const auto cluster =
      LocalCluster::Create(*ParseJobs("chief=1,worker=1,ps=1"));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const auto start = [&](const char* job, const char* program,
                         const Args& args) {
    const TaskId task{.job = job, .index = 0};
    return std::make_unique<Process>(
        program, args, Args{"TF_CONFIG=" + (*cluster)->TfConfig(task)});
  };
  const auto ps = start("ps", LEAT_PROGRAM_LEAT, {"serve"});
  EXPECT_THAT(ps->FirstLine(), HasSubstr("ready "));
  const auto train = [&](const char* epochs, bool is_waited_for) {
    const Args args = Training(4, {"--sync", "--epochs", epochs});
    const auto worker =
        start("worker", LEAT_PROGRAM_FASHION_MNIST_CLUSTER, args);
    if (is_waited_for)
      WaitForOutput(*worker, "waits for the chief to go on", 1);
    const auto chief = start("chief", LEAT_PROGRAM_FASHION_MNIST_CLUSTER, args);
    EXPECT_EQ(chief->Wait(), 0) << chief->Out() << chief->Err();
    EXPECT_EQ(worker->Wait(), 0) << worker->Out() << worker->Err();
    return chief->Out();
  };
  // An epoch has 64 images. A step takes a batch of 4 images from each of the
  // two replicas, so an epoch has 8 steps.
  EXPECT_THAT(train("1", false), AllOf(HasSubstr("trains from step 0 on"),
                                       HasSubstr("ends at step 8")));
  EXPECT_THAT(train("1", false), HasSubstr("ends at step 9"));
  EXPECT_THAT(train("2", true), AllOf(HasSubstr("trains from step 10 on"),
                                      HasSubstr("ends at step 16")));
}

TEST_F(ExamplesTest, EmbeddingsLearnOnSeveralServers) {
  Process launch(
      LEAT_PROGRAM_LEAT,
      Launch("chief=1,worker=1,ps=3", {}, LEAT_PROGRAM_EMBEDDING_CLUSTER,
             {"--users", "40", "--items", "20", "--steps", "200", "--batch",
              "64"}));
  EXPECT_EQ(launch.Wait(absl::Seconds(100)), 0) << launch.Out() << launch.Err();
  EXPECT_THAT(launch.Out(), HasSubstr("60 rows over 3 servers"));
  // Takes the smallest error of all tasks, because a task may have run only
  // early steps, whose errors are larger.
  double least = 1;
  for (const auto line : absl::StrSplit(launch.Out(), '\n')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits("mean squared error ", 1));
    if (parts.second.empty()) continue;
    double error = 1;
    EXPECT_TRUE(absl::SimpleAtod(parts.second, &error)) << line;
    least = std::min(least, error);
  }
  EXPECT_LT(least, 0.3) << launch.Out();
}

// The files are those of Debian's package, which are gzipped.
TEST_F(ExamplesTest, WorkersReadTheirShardsWhileTheyTrain) {
  Process launch(
      LEAT_PROGRAM_LEAT,
      Launch("chief=1,worker=1,ps=1", {}, LEAT_PROGRAM_INPUT_PIPELINE,
             {"--model", "mlp", "--steps", "100", "--batch", "32"}));
  EXPECT_EQ(launch.Wait(absl::Seconds(100)), 0) << launch.Out() << launch.Err();
  float least = 3;  // more than at the beginning
  for (const auto line : absl::StrSplit(launch.Out(), '\n')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": loss ", 1));
    if (parts.second.empty()) continue;
    float loss = 0;
    EXPECT_TRUE(absl::SimpleAtof(parts.second, &loss)) << line;
    least = std::min(least, loss);
  }
  EXPECT_LT(least, 1.2) << launch.Out();

  const Args missing = {"--data", folder_.Path("nowhere")};
  Process wrong(
      LEAT_PROGRAM_LEAT,
      Launch("chief=1,ps=1", {}, LEAT_PROGRAM_INPUT_PIPELINE, missing));
  EXPECT_EQ(wrong.Wait(absl::Seconds(100)), 1) << wrong.Out();
  EXPECT_THAT(wrong.Out() + wrong.Err(),
              HasSubstr("nowhere/train-images-idx3-ubyte.gz': cannot open"));
}

TEST_F(ExamplesTest, SayWhatIsWrongWithTheCluster) {
  Process without(LEAT_PROGRAM_FASHION_MNIST_CLUSTER, Training(4, {}));
  EXPECT_EQ(without.Wait(), 3);
  EXPECT_THAT(without.Err(), HasSubstr("cluster"));
  Process no_servers(
      LEAT_PROGRAM_LEAT,
      Launch("chief=1,worker=1", {}, LEAT_PROGRAM_FASHION_MNIST_CLUSTER,
             Training(4, {})));
  EXPECT_EQ(no_servers.Wait(), 3);
  EXPECT_THAT(no_servers.Out(), HasSubstr("no parameter server"));
}

// No machine has the address 192.0.2.1 (RFC 5737), so no program can listen
// there.
TEST_F(ExamplesTest, ListenElsewhereOnlyWhenToldSo) {
  for (const char* program :
       {LEAT_PROGRAM_IN_GRAPH, LEAT_PROGRAM_EMBEDDING_CLUSTER,
        LEAT_PROGRAM_FASHION_MNIST_CLUSTER}) {
    Args args = {"--ps_hosts=127.0.0.1:1", "--job_name=ps", "--task_index=0",
                 "--bind=192.0.2.1:7001"};
    Process refused(program, args);
    EXPECT_EQ(refused.Wait(), 3);
    EXPECT_THAT(refused.Err(), HasSubstr("pass --insecure"));
    args.push_back("--insecure");
    Process insecure(program, args);
    EXPECT_EQ(insecure.Wait(), 1);
    EXPECT_THAT(insecure.Err(), HasSubstr("cannot listen on 192.0.2.1:7001"));
  }
}

// Returns the environment variables of the first task of `job`.
Args VariablesOf(const LocalCluster& cluster, const char* job) {
  const TaskId task{.job = job, .index = 0};
  return {"TF_CONFIG=" + cluster.TfConfig(task)};
}

TEST_F(ExamplesTest, ALostTaskIsWorthAnotherTry) {
  const auto cluster = LocalCluster::Create(*ParseJobs("chief=1,ps=1"));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  Process ps(LEAT_PROGRAM_LEAT, {"serve"}, VariablesOf(**cluster, "ps"));
  EXPECT_THAT(ps.FirstLine(), HasSubstr("ready "));
  Process chief(LEAT_PROGRAM_EMBEDDING_CLUSTER,
                {"--users=40", "--items=20", "--steps=1000000000", "--batch=4"},
                VariablesOf(**cluster, "chief"));
  WaitForOutput(chief, "rows over", 1);
  ps.Signal(SIGKILL);
  EXPECT_EQ(chief.Wait(), 138) << chief.Out() << chief.Err();
  EXPECT_THAT(chief.Err(), HasSubstr("/job:ps"));
}

TEST_F(ExamplesTest, AWorkerSaysThatItWaitsForTheChief) {
  const auto cluster =
      LocalCluster::Create(*ParseJobs("chief=1,worker=1,ps=1"));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  Process ps(LEAT_PROGRAM_LEAT, {"serve"}, VariablesOf(**cluster, "ps"));
  EXPECT_THAT(ps.FirstLine(), HasSubstr("ready "));
  Process worker(LEAT_PROGRAM_EMBEDDING_CLUSTER, {},
                 VariablesOf(**cluster, "worker"));
  ASSERT_TRUE(
      worker.AwaitError("this task waits for the chief to initialize '"));
  EXPECT_EQ(worker.Out(), "");
}

TEST_F(ExamplesTest, AParameterServerSaysForWhatItWaits) {
  const auto cluster = LocalCluster::Create(*ParseJobs("ps=1"));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const TaskId task{.job = "ps", .index = 0};
  const auto address = (*cluster)->spec().AddressOf(task);
  ASSERT_TRUE(address.ok()) << address.status();
  // The graph reads from a queue into which no step puts an element.
  const std::string model = folder_.Path("stuck.pbtxt");
  std::ofstream(model) << R"(
    node { name: "q" op: "FIFOQueueV2"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } }
    node { name: "taken" op: "QueueDequeueV2" input: "q"
           attr { key: "component_types" value { list { type: DT_FLOAT } } } })";
  Process ps(LEAT_PROGRAM_EMBEDDING_CLUSTER, {"--grace", "600"},
             {"TF_CONFIG=" + (*cluster)->TfConfig(task)});
  Process client(LEAT_PROGRAM_LEAT, {"run", model, "--target",
                                     "grpc://" + *address, "--fetch", "taken"});
  ASSERT_TRUE(
      client.AwaitError("this command is waiting for step 1 of 1 on grpc://"));
  ps.Signal(SIGTERM);
  ASSERT_TRUE(ps.AwaitError(
      "/job:ps/replica:0/task:0 is waiting for the steps that run and "
      "cancels them in "));
  EXPECT_THAT(ps.Err(),
              HasSubstr("(--grace); a second signal ends it at once\n"));
  ps.Signal(SIGTERM);
  EXPECT_EQ(ps.Wait(), 128 + SIGTERM);
}

TEST_F(ExamplesTest, RefuseJobsThatTheyDoNotKnow) {
  const auto cluster =
      LocalCluster::Create(*ParseJobs("worker=1,ps=1,spare=1,evaluator=1"));
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const std::pair<const char*, const char*> programs[] = {
      {LEAT_PROGRAM_IN_GRAPH, "evaluator"},
      {LEAT_PROGRAM_EMBEDDING_CLUSTER, "evaluator"},
      {LEAT_PROGRAM_FASHION_MNIST_CLUSTER, "spare"}};
  for (const auto& [program, job] : programs) {
    const TaskId task{.job = job, .index = 0};
    Process process(program, {}, {"TF_CONFIG=" + (*cluster)->TfConfig(task)});
    EXPECT_EQ(process.Wait(), 3);
    EXPECT_THAT(process.Err(), AllOf(HasSubstr("INVALID_ARGUMENT"),
                                     HasSubstr(absl::StrCat("'", job, "'"))));
  }
}

}  // namespace
}  // namespace leat::examples_test
#endif
