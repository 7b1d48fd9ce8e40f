// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is an example of in-graph training: one client has one graph, which names
// every task. The variables are on parameter servers. Each worker has a tower,
// which is a copy of the network that computes the gradients of the worker's
// share of the batch. Every step waits for all towers, so the training is
// synchronous.
//
//   leat launch --jobs chief=1,worker=2,ps=1 -- in_graph --steps 500
//   in_graph --target grpc://127.0.0.1:7001 --workers 2 --ps 1
//
// Under `leat launch` the chief is the client, and its own task is the master;
// the other tasks serve. With --target, the target is the master of a cluster
// that is running already.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/checkpoints.h"
#include "leat/examples/shared/fashion_mnist_data.h"
#include "leat/examples/shared/fashion_mnist_model.h"
#include "leat/examples/shared/program.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/train/cluster_task.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/session.h"

namespace leat::examples {
namespace {

constexpr int kMaxTasks = 1000;
constexpr int64_t kMaxSteps = int64_t{1} << 40;

struct Flags {
  ModelFlags model = {};
  DataFlags data = {};
  int64_t steps = 500;
  std::string target = {};
  int workers = 1;
  int ps = 1;
  std::string losses_path = {};
  ClusterTaskOptions task = {.serving_jobs = {kPsJob, kWorkerJob}};
  CheckpointFlags checkpoints = {};
};

struct Training {
  std::vector<Model> towers = {};  // one per worker
  Output loss = {};                // mean over the towers
  Operation step = {};
  Output global_step = {};
};

// Returns the means of the towers' gradients. Each mean is computed on the
// device of its variable.
std::vector<nn::VariableGradient> Mean(
    GraphBuilder& b,
    absl::Span<const std::vector<nn::VariableGradient>> towers) {
  const auto count = static_cast<float>(towers.size());
  std::vector<nn::VariableGradient> means;
  for (size_t i = 0; i < towers[0].size(); ++i) {
    const Variable& variable = towers[0][i].variable;
    auto device = b.ColocateWith(variable.handle().operation());
    std::vector<Output> gradients;
    for (const std::vector<nn::VariableGradient>& tower : towers) {
      gradients.push_back(tower[i].gradient.AsDense());
    }
    means.push_back({variable, op::AddN(gradients) / count});
  }
  return means;
}

absl::StatusOr<Training> BuildTraining(GraphBuilder& b, const Flags& flags) {
  const nn::PsStrategy strategy = nn::GreedyByBytes(flags.ps);
  const auto on = [&](const std::string& task) {
    return b.OnDevice(nn::ReplicaDeviceSetter(
        {.ps_tasks = flags.ps, .worker_device = task, .strategy = strategy}));
  };
  Training training;
  std::vector<Output> losses;
  for (int i = 0; i < flags.workers; ++i) {
    auto device = on(absl::StrCat("/job:worker/task:", i));
    // All towers have the same variables.
    auto variables = b.VariableScope("model");
    training.towers.push_back(BuildModel(b, flags.model));
    losses.push_back(training.towers.back().loss);
  }
  auto device = on("/job:ps/task:0");
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<nn::Optimizer> optimizer,
                        MakeOptimizer(b, flags.model, flags.steps));
  std::vector<std::vector<nn::VariableGradient>> gradients;
  for (const Output& loss : losses) {  // a tower's gradients run on its task
    gradients.push_back(
        optimizer->ComputeGradients(loss, b.TrainableVariables()));
  }
  LEAT_RETURN_IF_ERROR(b.status());
  training.loss = op::AddN(losses) / static_cast<float>(flags.workers);
  const Variable global_step = nn::GlobalStep(b);
  training.step = optimizer->ApplyGradients(Mean(b, gradients),
                                            {.global_step = global_step});
  training.global_step = global_step.value();
  return training;
}

// Returns the feeds of all towers. Each tower gets an equal share of the batch.
std::vector<Tensor> Shares(const LabeledImages& batch, int workers) {
  const int64_t size = batch.labels.num_elements() / workers;
  std::vector<Tensor> feeds;
  for (int64_t i = 0; i < workers; ++i) {
    feeds.push_back(batch.images.Slice(i * size, (i + 1) * size));
    feeds.push_back(batch.labels.Slice(i * size, (i + 1) * size));
  }
  return feeds;
}

// Restores the latest checkpoint, if there is one. Otherwise initializes the
// variables.
absl::Status MakeReady(const Graph& graph, Session& session,
                       SessionCheckpoints& checkpoints) {
  if (checkpoints.has_saver()) {
    LEAT_ASSIGN_OR_RETURN(const bool is_restored,
                          checkpoints.Restore(session, {}));
    if (is_restored) return absl::OkStatus();
  }
  return session.Run({.targets = {graph.init_op()}}).status();
}

absl::Status RunSteps(const Flags& flags, const Training& training,
                      Session& session, SessionCheckpoints& checkpoints,
                      Batches& batches) {
  Losses losses(flags.losses_path);
  LEAT_RETURN_IF_ERROR(AsOwnError(losses.Open()));
  std::vector<TensorName> feeds;
  for (const Model& tower : training.towers) {
    feeds.push_back(tower.images);
    feeds.push_back(tower.labels);
  }
  LEAT_ASSIGN_OR_RETURN(const Callable train,
                        session.MakeCallable({.feeds = feeds,
                                              .fetches = {training.loss},
                                              .targets = {training.step}}));
  LEAT_ASSIGN_OR_RETURN(const auto before,
                        session.Run({.fetches = {training.global_step}}));
  const int64_t first = before[0].scalar<int64_t>() + 1;
  batches.StartEpoch();
  const int64_t report = std::max<int64_t>(1, flags.steps / 10);
  const auto start = std::chrono::steady_clock::now();
  for (int64_t step = first; step <= flags.steps; ++step) {
    auto batch = batches.Next();
    if (!batch.has_value()) {
      batches.StartEpoch();
      batch = batches.Next();
    }
    LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                          train(Shares(*batch, flags.workers)));
    LEAT_RETURN_IF_ERROR(AsOwnError(losses.Add(out[0].scalar<float>())));
    checkpoints.SaveIfDue(session);
    if (step % report != 0) continue;
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    std::printf("step %lld: loss %.4f, %.0f steps/s\n",
                static_cast<long long>(step), out[0].scalar<float>(),
                static_cast<double>(step - first + 1) / seconds.count());
    std::fflush(stdout);
  }
  if (checkpoints.has_saver()) {
    LEAT_RETURN_IF_ERROR(checkpoints.Save(session));
  }
  return AsOwnError(losses.Close());
}

absl::StatusOr<int> Train(const Flags& flags) {
  LEAT_ASSIGN_OR_RETURN(const FashionMnist data,
                        LoadFashionMnist(flags.data.data));
  LEAT_ASSIGN_OR_RETURN(
      Batches batches,
      TrainingBatches(flags.data, data, flags.data.batch * flags.workers,
                      flags.model.seed));
  LEAT_ASSIGN_OR_RETURN(Batches testing, TestBatches(flags.data, data));
  GraphBuilder b;
  b.SetSeed(flags.model.seed);
  LEAT_ASSIGN_OR_RETURN(const Training training, BuildTraining(b, flags));
  SessionCheckpoints checkpoints(
      CheckpointsOf(flags.checkpoints, b, training.global_step,
                    /*is_chief=*/true),
      RealClock(), SayWaiting);
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(
      const auto session,
      NewSession(graph, {.target = flags.target, .on_waiting = SayWaiting}));
  LEAT_RETURN_IF_ERROR(MakeReady(graph, *session, checkpoints));
  LEAT_RETURN_IF_ERROR(
      RunSteps(flags, training, *session, checkpoints, batches));
  const Model& tower = training.towers[0];
  LEAT_ASSIGN_OR_RETURN(
      const Callable accuracy,
      session->MakeCallable({.feeds = {tower.images, tower.labels},
                             .fetches = {tower.accuracy}}));
  LEAT_ASSIGN_OR_RETURN(const double share, Evaluate(accuracy, testing));
  std::printf("test accuracy %.2f%%\n", 100 * share);
  return 0;
}

// Runs this program as a task of a cluster, for example under `leat launch`.
absl::StatusOr<int> RunTask(Flags flags) {
  LEAT_RETURN_IF_ERROR(AllowCheckpoints(flags.checkpoints, flags.task.server));
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<ClusterTask> task,
                        StartTask(flags.task));
  if (task->serves()) return task->Serve();
  LEAT_RETURN_IF_ERROR(CheckTrains(*task));
  flags.target = task->target();
  flags.workers = task->num_tasks(kWorkerJob);
  flags.ps = task->num_ps();
  return Train(flags);
}

absl::StatusOr<int> Run(const Flags& flags) {
  return flags.target.empty() ? RunTask(flags) : Train(flags);
}

void AddFlags(CLI::App& app, Flags& flags) {
  AddModelFlags(app, flags.model);
  AddDataFlags(app, flags.data);
  AddTaskFlags(app, flags.task);
  AddCheckpointFlags(app, flags.checkpoints);
  app.add_option("--steps", flags.steps, "Steps to train")
      ->check(Integer(0, kMaxSteps))
      ->capture_default_str();
  app.add_option("--target", flags.target,
                 "grpc://HOST:PORT of the master of a running cluster; without "
                 "it --cluster or TF_CONFIG says which task this process is");
  app.add_option("--workers", flags.workers,
                 "With --target, how many workers the cluster has")
      ->check(Integer(1, kMaxTasks))
      ->capture_default_str();
  app.add_option("--ps", flags.ps,
                 "With --target, how many parameter servers the cluster has")
      ->check(Integer(1, kMaxTasks))
      ->capture_default_str();
  app.add_option("--losses", flags.losses_path,
                 "File for the loss of every step, one per line");
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Trains on Fashion-MNIST with one graph over a cluster.",
               "in_graph");
  AddFlags(app, flags);
  return RunProgram(app, argc, argv, [&] { return Run(flags); });
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) { return leat::examples::Main(argc, argv); }
