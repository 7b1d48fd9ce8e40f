// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains a recommender, which learns from ratings what users and items are
// like. Its embedding tables are divided among several parameter servers.
// However large the tables are, a step fetches only the rows of its batch from
// the servers, and sends back gradients of these rows only. The training is
// between-graph and asynchronous: the chief and each worker run this program,
// each with its own ratings.
//
//   leat launch --jobs chief=1,worker=1,ps=2 -- embedding_cluster
//
// The ratings are made up. Every user and every item has hidden tastes, and a
// rating is the scalar product of the tastes of a user and an item. If every
// rating is guessed as 0, the mean squared error is 1.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/checkpoints.h"
#include "leat/examples/shared/program.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/train/cluster_task.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/partitioned_variable.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"

namespace leat::examples {
namespace {

constexpr int kTastes = 4;
constexpr int64_t kMaxRows = int64_t{1} << 31;
constexpr int64_t kMaxSteps = int64_t{1} << 40;

struct Flags {
  ClusterTaskOptions task = {};
  int64_t users = 20000;
  int64_t items = 2000;
  int64_t dimension = 8;
  int64_t batch = 1024;
  int64_t steps = 3000;  // the total of all tasks
  double learning_rate = 0.3;
  int64_t seed = 1;
  CheckpointFlags checkpoints = {};
};

struct Ratings {
  Tensor users;   // int64 [batch]
  Tensor items;   // int64 [batch]
  Tensor values;  // float [batch]
};

// Returns a taste: a random number in [-sqrt(3), sqrt(3)), with variance 1. The
// result is always the same for the same arguments, so no table of tastes is
// needed.
float Taste(uint64_t row, uint64_t taste) {
  uint64_t x = row * kTastes + taste + 0x9e3779b97f4a7c15u;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  const double unit = static_cast<double>(x >> 11) * 0x1p-53;
  return static_cast<float>((2 * unit - 1) * std::sqrt(3.0));
}

// Returns a rating. Ratings have a variance of 1.
float Rating(int64_t user, int64_t item, int64_t users) {
  float sum = 0;
  for (int i = 0; i < kTastes; ++i)
    sum += Taste(user, i) * Taste(users + item, i);
  return sum / std::sqrt(static_cast<float>(kTastes));
}

// Returns a batch of random ratings.
Ratings NextRatings(const Flags& flags, std::mt19937_64& random) {
  std::vector<int64_t> users, items;
  std::vector<float> values;
  std::uniform_int_distribution<int64_t> user(0, flags.users - 1);
  std::uniform_int_distribution<int64_t> item(0, flags.items - 1);
  for (int64_t i = 0; i < flags.batch; ++i) {
    users.push_back(user(random));
    items.push_back(item(random));
    values.push_back(Rating(users.back(), items.back(), flags.users));
  }
  const Shape shape{flags.batch};
  return {.users = Tensor::FromSpan<int64_t>(shape, users),
          .items = Tensor::FromSpan<int64_t>(shape, items),
          .values = Tensor::FromSpan<float>(shape, values)};
}

struct Recommender {
  Output users;
  Output items;
  Output ratings;
  Output loss;
  Output global_step;
  Operation train;
};

Recommender BuildRecommender(GraphBuilder& b, const Flags& flags, int servers) {
  const auto rows = [&](const char* name, int64_t count, Output ids) {
    const nn::PartitionedVariable table = nn::GetPartitionedVariable(
        b, name, DType::kFloat, Shape{count, flags.dimension},
        nn::FixedSizePartitioner(servers),
        nn::RandomUniform({.min = -0.5, .max = 0.5}));
    return nn::EmbeddingLookup(table, ids);
  };
  Recommender model;
  model.users = b.Placeholder<int64_t>("users", {-1});
  model.items = b.Placeholder<int64_t>("items", {-1});
  model.ratings = b.Placeholder<float>("ratings", {-1});
  const Output products = rows("user_table", flags.users, model.users) *
                          rows("item_table", flags.items, model.items);
  const Output errors =
      op::SquaredDifference(op::Sum(products, 1), model.ratings);
  model.loss = nn::MeanOfAll(errors);
  const Variable step = nn::GlobalStep(b);
  model.global_step = step.value();
  // Minimizes the sum of the errors, not their mean, so that the size of the
  // batch does not change how fast a row learns from its ratings.
  model.train = nn::Adagrad({.learning_rate = flags.learning_rate})
                    .Minimize(op::Sum(errors, 0), {.global_step = step});
  return model;
}

absl::Status TrainSteps(const Flags& flags, const ClusterTask& task,
                        const Recommender& model, RecoverableSession& session) {
  std::mt19937_64 random(static_cast<uint64_t>(flags.seed) +
                         static_cast<uint64_t>(task.worker_number()));
  int64_t reported = 0;
  double loss = 0;
  int64_t count = 0;
  for (int64_t step = 0; step < flags.steps;) {
    const Ratings ratings = NextRatings(flags, random);
    LEAT_ASSIGN_OR_RETURN(
        const auto out, session.Run({.feeds = {{model.users, ratings.users},
                                               {model.items, ratings.items},
                                               {model.ratings, ratings.values}},
                                     .fetches = {model.loss, model.global_step},
                                     .targets = {model.train}}));
    loss += out[0].scalar<float>();
    ++count;
    step = out[1].scalar<int64_t>() + 1;
    if ((step - reported) * 10 < flags.steps) continue;
    std::printf("step %lld: mean squared error %.4f\n",
                static_cast<long long>(step),
                loss / static_cast<double>(count));
    std::fflush(stdout);
    reported = step;
    loss = 0;
    count = 0;
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Run(const Flags& flags) {
  ClusterTaskOptions options = flags.task;
  LEAT_RETURN_IF_ERROR(AllowCheckpoints(flags.checkpoints, options.server));
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<ClusterTask> task,
                        StartTask(options));
  if (task->serves()) return task->Serve();
  LEAT_RETURN_IF_ERROR(CheckTrains(*task));
  const int servers = task->num_ps();
  GraphBuilder b;
  b.SetSeed(flags.seed);
  auto device = b.OnDevice(nn::ReplicaDeviceSetter(
      {.ps_tasks = servers, .worker_device = task->worker_device()}));
  const Recommender model = BuildRecommender(b, flags, servers);
  const Output uninitialized = UninitializedVariables(b);
  const CheckpointOptions checkpoints =
      CheckpointsOf(flags.checkpoints, b, model.global_step, task->is_chief());
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecoverableSession> session,
      RecoverableSession::Create(graph, {.session = SessionOptionsOf(*task),
                                         .init = graph.init_op(),
                                         .uninitialized = uninitialized.name(),
                                         .is_chief = task->is_chief(),
                                         .checkpoints = checkpoints,
                                         .log = SayWaiting}));
  if (task->is_chief()) {
    std::printf("%lld rows over %d servers; a step uses at most %lld\n",
                static_cast<long long>(flags.users + flags.items), servers,
                static_cast<long long>(2 * flags.batch));
    std::fflush(stdout);
  }
  LEAT_RETURN_IF_ERROR(TrainSteps(flags, *task, model, *session));
  if (checkpoints.saver != nullptr) LEAT_RETURN_IF_ERROR(session->Save());
  return 0;
}

void AddFlags(CLI::App& app, Flags& flags) {
  AddTaskFlags(app, flags.task);
  AddCheckpointFlags(app, flags.checkpoints);
  const auto add = [&](const char* name, int64_t& value, int64_t high,
                       const char* about) {
    app.add_option(name, value, about)
        ->check(Integer(1, high))
        ->capture_default_str();
  };
  add("--users", flags.users, kMaxRows, "Rows of the table of users");
  add("--items", flags.items, kMaxRows, "Rows of the table of items");
  add("--dimension", flags.dimension, 1 << 16, "Numbers in each row");
  add("--batch", flags.batch, 1 << 24, "Ratings in each step");
  add("--steps", flags.steps, kMaxSteps, "Steps of all tasks together");
  app.add_option("--learning-rate", flags.learning_rate,
                 "Learning rate of Adagrad")
      ->check(Number(0, 1e6))
      ->capture_default_str();
  app.add_option("--seed", flags.seed,
                 "Seed of the initial rows and of the ratings")
      ->capture_default_str();
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Learns embeddings that are spread over parameter servers.",
               "embedding_cluster");
  AddFlags(app, flags);
  return RunProgram(app, argc, argv, [&] { return Run(flags); });
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) { return leat::examples::Main(argc, argv); }
