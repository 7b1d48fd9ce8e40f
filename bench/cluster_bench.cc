// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures steps over several tasks. The servers are processes of `leat serve`
// on this machine, and this program is the client. peers/tf_cluster.py measures
// the same with TensorFlow.
//
//   null_step               an empty step, on one server
//   read/ELEMENTS           the worker reduces a variable of ELEMENTS floats
//                           that is on the ps
//   read_whole              the same for 100 MiB in one message
//   read_chunks/KIB/N       the same in chunks of KIB KiB, N of them in
//                           flight at a time
//   mlp_32, cnn_128         the cases of cases.h, with the variables on a ps
//                           and the rest on a worker
//   first_step              a new session and its first step, with a graph of
//                           7,000 nodes on 5 tasks
//   extend                  ten nodes are added to a graph of 100,000 nodes, on
//                           one server
//   extend_and_run          the same, and a step that runs the ten nodes
//   fig7/KIND/WORKERS       figure 7 of the OSDI'16 paper: WORKERS workers run
//                           steps at the same time. A step fetches values from
//                           4 ps and updates them. KIND says what a step
//                           fetches: a scalar from each ps (scalar), 100 MB in
//                           all (dense_100MB), or 32 rows of a table
//                           (sparse_64MB, sparse_1GB)
//
//   --leat=FILE             the program `leat` (default: from this build)
//   --serve_flags=A,B       flags for `leat serve`
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "benchmark/benchmark.h"
#include "leat/bench/cases.h"
#include "leat/bench/processes.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/session.h"

namespace leat::bench {
namespace {

constexpr int64_t kLargeRead = 25 << 20;  // floats; 100 MiB
constexpr int64_t kFirstStepNodes = 7000;
constexpr int64_t kExtendedNodes = 100'000;
constexpr char kUnary[] = "--max-inline-bytes=4GiB";

struct Flags {
  std::string leat = {};
  std::vector<std::string> serve = {};
};

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

template <class T>
T ValueOrDie(absl::StatusOr<T> value) {
  if (!value.ok()) Die(value.status());
  return *std::move(value);
}

Processes Serve(const Flags& flags, const Jobs& jobs,
                std::vector<std::string> more = {}) {
  more.insert(more.end(), flags.serve.begin(), flags.serve.end());
  return Processes(flags.leat, jobs, more);
}

std::shared_ptr<Session> Connect(const Graph& graph, std::string target,
                                 bool initialize = true) {
  SessionOptions options;
  options.target = std::move(target);
  auto session = ValueOrDie(NewSession(graph, options));
  if (initialize && !graph.init_op().empty()) {
    ValueOrDie(session->Run({.targets = {graph.init_op()}}));
  }
  return session;
}

// Runs steps of a case until Google Benchmark has measured enough of them. The
// master is the first task of `job`.
void RunCase(benchmark::State& state, const Case& c, const Processes& servers,
             const std::string& job) {
  const auto session = Connect(c.graph, servers.Target(job, 0));
  const Callable step = ValueOrDie(session->MakeCallable(ArgsOf(c)));
  const std::vector<Tensor> feeds = FeedValues(c);
  for (int i = 0; i < 3; ++i) ValueOrDie(step(feeds));
  for (auto _ : state) {
    auto out = step(feeds);
    if (!out.ok()) Die(out.status());
    benchmark::DoNotOptimize(out);
  }
}

void NullStep(benchmark::State& state, const Flags& flags) {
  const Processes servers = Serve(flags, {{"worker", 1}});
  RunCase(state, MakeCase("null_step"), servers, "worker");
}

// Returns a case in which the worker computes the maximum of a variable of
// `elements` floats that is on the ps.
Case ReadCase(int64_t elements) {
  GraphBuilder b;
  Case c = {.name = "read", .graph = Graph(BuiltinOps())};
  Output read;
  {
    auto ps = b.OnDevice("/job:ps/task:0");
    const Output zeros = op::Fill(
        b.Const(Tensor::Vector<int32_t>({static_cast<int32_t>(elements)})),
        b.Const(0.0f));
    read = b.Variable("v", zeros).value();
  }
  auto worker = b.OnDevice("/job:worker/task:0");
  c.targets = {
      op::Max(read, b.Const(Tensor::Vector<int32_t>({0}))).operation()};
  c.graph = ValueOrDie(b.Build());
  return c;
}

void Read(benchmark::State& state, const Flags& flags, int64_t elements,
          const std::vector<std::string>& more) {
  const Processes servers = Serve(flags, {{"ps", 1}, {"worker", 1}}, more);
  RunCase(state, ReadCase(elements), servers, "worker");
  state.SetBytesProcessed(state.iterations() * elements *
                          static_cast<int64_t>(sizeof(float)));
}

void Train(benchmark::State& state, const Flags& flags,
           const std::string& name) {
  const Processes servers = Serve(flags, {{"ps", 1}, {"worker", 1}});
  const Case c = MakeTraining(
      name, nn::ReplicaDeviceSetter(
                {.ps_tasks = 1, .worker_device = "/job:worker/task:0"}));
  RunCase(state, c, servers, "worker");
}

void FirstStep(benchmark::State& state, const Flags& flags) {
  const Processes servers = Serve(flags, {{"worker", kLayeredTasks}});
  const Case c = MakeLayeredOnTasks(kFirstStepNodes);
  RunArgs args;
  args.feeds = c.feeds;
  args.targets = c.targets;
  for (auto _ : state) {
    const auto session =
        Connect(c.graph, servers.Target("worker", 0), /*initialize=*/false);
    ValueOrDie(session->Run(args));
    state.PauseTiming();
    session->Close().IgnoreError();
    state.ResumeTiming();
  }
  state.counters["nodes"] = static_cast<double>(c.graph.num_nodes());
}

void Extend(benchmark::State& state, const Flags& flags, bool with_step) {
  const Processes servers = Serve(flags, {{"worker", 1}});
  Case c = MakeLayered(kExtendedNodes, {"/cpu:0"});
  const auto session = Connect(c.graph, servers.Target("worker", 0));
  int number = 0;
  for (auto _ : state) {
    const Case extension = MakeExtension(++number);
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = session->Extend(extension.graph);
    if (!status.ok()) Die(status);
    if (with_step) {
      ValueOrDie(session->Run(
          {.feeds = extension.feeds, .fetches = extension.fetches}));
    }
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
}

// ---------------------------------------------------------------------------
// Figure 7 of the OSDI'16 paper

constexpr int kFigurePs = 4;
constexpr int64_t kDenseElements = 25'000'000;  // in total on all ps; 100 MB
constexpr int64_t kRowElements = 64;
constexpr int64_t kRows = 32;  // fetched in a step

// Describes what a worker fetches from each ps and sends back.
struct FigureKind {
  std::string name = {};
  int64_t dense_elements = 1;  // on each ps, if there is no table
  int64_t table_bytes = 0;     // on all ps; 0 if there is no table
};

// Returns a worker's graph. The worker negates what it fetches from each ps,
// and sends the result back.
Case FigureCase(const FigureKind& kind, int worker) {
  GraphBuilder b;
  Case c = {.name = kind.name, .graph = Graph(BuiltinOps())};
  std::vector<Operation> updates;
  for (int i = 0; i < kFigurePs; ++i) {
    const std::string ps = absl::StrCat("/job:ps/task:", i);
    const std::string own = absl::StrCat("/job:worker/task:", worker);
    const std::string name = absl::StrCat("v", i);
    const bool is_table = kind.table_bytes > 0;
    const int64_t rows =
        kind.table_bytes / kFigurePs / kRowElements / sizeof(float);
    Variable variable;
    Output ids, fetched, sent;
    {
      auto device = b.OnDevice(ps);
      const Tensor extents =
          is_table ? Tensor::Vector<int64_t>({rows, kRowElements})
                   : Tensor::Vector<int64_t>({kind.dense_elements});
      variable = b.Variable(name, op::Fill(b.Const(extents), b.Const(1.0f)));
      fetched = variable.value();
      if (is_table) {
        ids =
            b.Placeholder<int64_t>(absl::StrCat("ids", i), {kRows / kFigurePs});
        fetched = op::ResourceGather(variable.handle(), ids, DType::kFloat);
      }
    }
    {
      auto device = b.OnDevice(own);
      sent = op::Neg(fetched);
    }
    auto device = b.OnDevice(ps);
    updates.push_back(is_table
                          ? op::ResourceScatterAdd(variable.handle(), ids, sent)
                          : op::AssignAddVariableOp(variable.handle(), sent));
    if (!is_table) continue;
    std::mt19937_64 random(static_cast<uint64_t>(worker * kFigurePs + i));
    Tensor chosen = Tensor::Filled<int64_t>(Shape{kRows / kFigurePs}, 0);
    for (int64_t& row : chosen.mutable_data<int64_t>()) {
      row = static_cast<int64_t>(random() % static_cast<uint64_t>(rows));
    }
    c.feeds.push_back({ids, chosen});
  }
  c.targets = {b.Group(updates)};
  c.graph = ValueOrDie(b.Build());
  return c;
}

// Measures `kind`. An iteration is one step of every worker.
void Figure7(benchmark::State& state, const Flags& flags,
             const FigureKind& kind, int num_workers) {
  const Processes servers =
      Serve(flags, {{"ps", kFigurePs}, {"worker", num_workers}});
  std::vector<Callable> steps;
  std::vector<std::vector<Tensor>> feeds;
  for (int i = 0; i < num_workers; ++i) {
    const Case c = FigureCase(kind, i);
    const auto session = Connect(c.graph, servers.Target("worker", i), i == 0);
    steps.push_back(ValueOrDie(session->MakeCallable(ArgsOf(c))));
    feeds.push_back(FeedValues(c));
  }
  // A batch is kBatch steps of every worker. The workers wait for each other
  // only at the end of a batch.
  constexpr int64_t kBatch = 4;
  const auto run_batch = [&] {
    std::vector<std::thread> workers;
    for (size_t i = 0; i < steps.size(); ++i) {
      workers.emplace_back([&step = steps[i], &values = feeds[i]] {
        for (int64_t k = 0; k < kBatch; ++k) ValueOrDie(step(values));
      });
    }
    for (std::thread& worker : workers) worker.join();
  };
  run_batch();  // allocates the memory that all workers need
  while (state.KeepRunningBatch(kBatch)) run_batch();
}

// ---------------------------------------------------------------------------

template <class Function>
void Add(const std::string& name, benchmark::TimeUnit unit, Function run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime()->Unit(unit);
}

void AddAll(const Flags& flags) {
  using benchmark::State;
  Add("null_step", benchmark::kMicrosecond,
      [&flags](State& state) { NullStep(state, flags); });
  for (const int64_t elements : {int64_t{1}, int64_t{1024}, int64_t{65536},
                                 int64_t{1} << 20, kLargeRead}) {
    Add(absl::StrCat("read/", elements), benchmark::kMicrosecond,
        [&flags, elements](State& state) { Read(state, flags, elements, {}); });
  }
  Add("read_whole", benchmark::kMicrosecond,
      [&flags](State& state) { Read(state, flags, kLargeRead, {kUnary}); });
  for (const int kib : {256, 1024, 4096, 16384}) {
    for (const int in_flight : {2, 4, 8}) {
      Add(absl::StrCat("read_chunks/", kib, "/", in_flight),
          benchmark::kMicrosecond, [&flags, kib, in_flight](State& state) {
            Read(state, flags, kLargeRead,
                 {absl::StrCat("--chunk-bytes=", kib, "KiB"),
                  absl::StrCat("--chunks-in-flight=", in_flight)});
          });
    }
  }
  for (const char* name : {"mlp_32", "cnn_128"}) {
    Add(name, benchmark::kMicrosecond,
        [&flags, name](State& state) { Train(state, flags, name); });
  }
  Add("first_step", benchmark::kMillisecond,
      [&flags](State& state) { FirstStep(state, flags); });
  for (const bool with_step : {false, true}) {
    benchmark::RegisterBenchmark(
        with_step ? "extend_and_run" : "extend",
        [&flags, with_step](State& state) { Extend(state, flags, with_step); })
        ->UseManualTime()
        ->Iterations(100)
        ->Unit(benchmark::kMicrosecond);
  }
  const std::vector<FigureKind> kinds = {
      {.name = "scalar"},
      {.name = "dense_100MB", .dense_elements = kDenseElements / kFigurePs},
      {.name = "sparse_64MB", .table_bytes = 64'000'000},
      {.name = "sparse_1GB", .table_bytes = 1'024'000'000}};
  for (const FigureKind& kind : kinds) {
    for (const int workers : {1, 2, 4, 8, 16}) {
      Add(absl::StrCat("fig7/", kind.name, "/", workers),
          benchmark::kMillisecond, [&flags, kind, workers](State& state) {
            Figure7(state, flags, kind, workers);
          });
    }
  }
}

// Takes this program's own flags out of the arguments.
Flags TakeFlags(int& argc, char** argv) {
  Flags flags = {.leat = absl::StrCat(OwnFolder(), "/../tools/leat")};
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    absl::string_view value = argv[i];
    if (absl::ConsumePrefix(&value, "--leat=")) {
      flags.leat = std::string(value);
    } else if (absl::ConsumePrefix(&value, "--serve_flags=")) {
      flags.serve = absl::StrSplit(value, ',', absl::SkipEmpty());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return flags;
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  const leat::bench::Flags flags = leat::bench::TakeFlags(argc, argv);
  leat::bench::AddAll(flags);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
