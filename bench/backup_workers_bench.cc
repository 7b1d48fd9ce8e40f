// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures backup workers (OSDI'16 paper, section 6.3). A step takes the first
// N gradients of N + B workers, so the B slowest workers do not delay the step.
// The variables, accumulators and tokens are real, on a process of `leat
// serve`. The computation of a worker is emulated: the worker sleeps for a time
// from a lognormal distribution.
//
//   backup/N/B    seconds per step; counters, also in seconds:
//     model       the expected N-th smallest of N + B times of sleep
//     simulated   the time of a step in a simulation. As in the measured run,
//                 a worker that is too late for a step begins its next step
//                 late. The model leaves this out.
//
//   --leat=FILE   the program `leat` (default: from this build)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "leat/bench/processes.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/session.h"
#include "leat/train/sync_replicas.h"

namespace leat::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// A worker computes for a random time with a lognormal distribution. kMedian is
// the median in seconds. kSigma is the standard deviation of the logarithm.
constexpr double kMedian = 0.2;
constexpr double kSigma = 0.3;
constexpr int kWarmUp = 3;
constexpr int kSteps = 40;

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

template <class T>
T ValueOrDie(absl::StatusOr<T> value) {
  if (!value.ok()) Die(value.status());
  return *std::move(value);
}

// Draws the times for which workers compute.
class Times {
 public:
  explicit Times(uint64_t seed)
      : random_(seed), distribution_(std::log(kMedian), kSigma) {}
  double Next() { return distribution_(random_); }

 private:
  std::mt19937_64 random_;
  std::lognormal_distribution<double> distribution_;
};

// Returns the value of the benchmark's counter "model" (see above).
double OrderStatistic(int aggregate, int backups) {
  constexpr int kSamples = 20'000;
  Times times(1);
  std::vector<double> sample(static_cast<size_t>(aggregate + backups));
  double sum = 0;
  for (int i = 0; i < kSamples; ++i) {
    for (double& time : sample) time = times.Next();
    const auto nth = sample.begin() + aggregate - 1;
    std::nth_element(sample.begin(), nth, sample.end());
    sum += *nth;
  }
  return sum / kSamples;
}

// Returns the value of the benchmark's counter "simulated" (see above).
// Simulates the tokens of train/sync_replicas.h.
double Simulated(int aggregate, int backups) {
  constexpr int kSimulatedSteps = 3'000;
  const int total = aggregate + backups;
  Times times(2);
  using Ready = std::pair<double, int64_t>;  // time, and step of the gradient
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> workers;
  std::deque<int64_t> tokens;
  for (int i = 0; i < total; ++i) workers.emplace(times.Next(), 0);
  int64_t step = 0;
  int gradients = 0;
  int waiting = 0;
  double now = 0;
  while (step < kSimulatedSteps) {
    now = workers.top().first;
    if (workers.top().second >= step) ++gradients;
    workers.pop();
    ++waiting;
    if (gradients == aggregate) {
      gradients = 0;
      tokens.insert(tokens.end(), static_cast<size_t>(total), ++step);
    }
    for (; waiting > 0 && !tokens.empty(); --waiting) {
      workers.emplace(now + times.Next(), tokens.front());
      tokens.pop_front();
    }
  }
  return now / kSimulatedSteps;
}

// Describes a worker of between-graph training. It has its own session and
// device.
struct Worker {
  Worker(const std::string& target, int index, int aggregate, int backups) {
    GraphBuilder b;
    SyncStep sync;
    {
      auto device = b.OnDevice(nn::ReplicaDeviceSetter(
          {.ps_tasks = 1,
           .worker_device = absl::StrCat("/job:worker/task:0/cpu:", index)}));
      const Output w = b.Variable("w", b.Const(1.0f)).value();
      sync = SyncReplicas(nn::GradientDescent({.learning_rate = 0.01}),
                          {.replicas_to_aggregate = aggregate,
                           .total_replicas = aggregate + backups})
                 .Minimize(w * w, {.global_step = nn::GlobalStep(b)});
    }
    const Graph graph = ValueOrDie(b.Build());
    SessionOptions options;
    options.target = target;
    session = ValueOrDie(NewSession(graph, options));
    if (index == 0) Run(graph.init_op());
    Run(sync.local_init(index == 0).name());
    train = ValueOrDie(session->MakeCallable({.targets = {sync.train}}));
    chief_step =
        ValueOrDie(session->MakeCallable({.targets = {sync.chief_step}}));
    finish = sync.finish.name();
  }

  void Run(const std::string& target) {
    ValueOrDie(session->Run({.targets = {target}}));
  }

  std::shared_ptr<Session> session;
  Callable train, chief_step;
  std::string finish;
};

void BackupWorkers(benchmark::State& state, const std::string& leat) {
  const auto aggregate = static_cast<int>(state.range(0));
  const auto backups = static_cast<int>(state.range(1));
  const int total = aggregate + backups;
  const Processes servers(leat, {{"ps", 1}, {"worker", 1}},
                          {absl::StrCat("--devices=cpu:", total)});
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < total; ++i) {
    workers.push_back(std::make_unique<Worker>(servers.Target("worker", 0), i,
                                               aggregate, backups));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < total; ++i) {
    threads.emplace_back([&worker = *workers[static_cast<size_t>(i)], i] {
      Times times(static_cast<uint64_t>(100 + i));
      do {
        std::this_thread::sleep_for(Seconds(times.Next()));
      } while (worker.train({}).ok());
    });
  }
  SteadyClock::time_point begin;
  for (auto _ : state) {
    for (int i = 0; i < kWarmUp + kSteps; ++i) {
      if (i == kWarmUp) begin = SteadyClock::now();
      ValueOrDie(workers[0]->chief_step({}));
    }
    state.SetIterationTime(Seconds(SteadyClock::now() - begin).count() /
                           kSteps);
  }
  workers[0]->Run(workers[0]->finish);
  // After `finish`, a step of a worker fails when all tokens are used up. Then
  // the worker's thread ends.
  for (std::thread& thread : threads) thread.join();
  state.counters["model"] = OrderStatistic(aggregate, backups);
  state.counters["simulated"] = Simulated(aggregate, backups);
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  std::string leat = absl::StrCat(leat::bench::OwnFolder(), "/../tools/leat");
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    absl::string_view value = argv[i];
    if (absl::ConsumePrefix(&value, "--leat=")) {
      leat = std::string(value);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  benchmark::RegisterBenchmark("backup",
                               [&leat](benchmark::State& state) {
                                 leat::bench::BackupWorkers(state, leat);
                               })
      ->ArgsProduct({{16}, {0, 1, 2, 3, 4}})
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
