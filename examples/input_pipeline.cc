// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains on a data set that each worker reads from its files while it trains.
// The worker decompresses the files, takes its shard of the records, shuffles,
// decodes and batches them on other threads, and never holds them all. The
// training is between-graph and asynchronous: the chief and each worker run
// this program.
//
//   leat launch --jobs chief=1,worker=1,ps=1 -- input_pipeline
//
// The files are those of Fashion-MNIST, whose records have a fixed length. For
// other files, only ReadImages changes: Dataset::TfRecords reads TFRecord
// files, and op::ParseSingleExample parses the Examples in them.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/fashion_mnist_model.h"
#include "leat/examples/shared/program.h"
#include "leat/examples/shared/run_again.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/train/cluster_task.h"
#include "leat/train/dataset.h"
#include "leat/train/datasets/idx.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"

namespace leat::examples {
namespace {

constexpr int64_t kRows = 28;
constexpr int64_t kColumns = 28;
constexpr int64_t kMaxSteps = int64_t{1} << 40;

struct Flags {
  ClusterTaskOptions task = {};
  ModelFlags model = {};
  std::string data = kFashionMnistFolder;
  int64_t batch = 128;
  int64_t steps = 1000;  // the total of all tasks
};

// Returns batches of images and labels: this task's share of the training set,
// again and again.
Dataset ReadImages(const Flags& flags, const ClusterTask& task) {
  const FileDatasetOptions gzip = {.compression = FileCompression::kGzip};
  const Dataset images = Dataset::FixedLengthRecords(
      {absl::StrCat(flags.data, "/train-images-idx3-ubyte.gz")},
      {.record = kRows * kColumns, .header = 16}, gzip);
  const Dataset labels = Dataset::FixedLengthRecords(
      {absl::StrCat(flags.data, "/train-labels-idx1-ubyte.gz")},
      {.record = 1, .header = 8}, gzip);
  const auto decode = [](GraphBuilder&, std::vector<Output> record) {
    const Output pixels = op::DecodeRaw(record[0], DType::kUint8);
    const Output label = op::DecodeRaw(record[1], DType::kUint8);
    return std::vector<Output>{op::Reshape(pixels, {kRows, kColumns, 1}),
                               op::Cast(label.Slice({0}), DType::kInt32)};
  };
  return Dataset::Zip({images, labels})
      .Shard(task.num_workers(), task.worker_number())
      .Shuffle(10'000, flags.model.seed)
      .Repeat()
      .Map(decode, {.parallel_calls = -1})
      .Batch(flags.batch, {.drop_remainder = true})
      .Prefetch(2);
}

struct Training {
  Model model = {};
  Output global_step = {};
  Operation train = {};
};

absl::StatusOr<Training> BuildTraining(GraphBuilder& b, const Flags& flags) {
  Training training{.model = BuildModel(b, flags.model)};
  const Variable step = nn::GlobalStep(b);
  training.global_step = step.value();
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<nn::Optimizer> optimizer,
                        MakeOptimizer(b, flags.model, flags.steps));
  training.train =
      optimizer->Minimize(training.model.loss, {.global_step = step});
  return training;
}

absl::Status TrainSteps(const Flags& flags, const Training& training,
                        DatasetReader& reader, RecoverableSession& session) {
  const int64_t report_every = std::max<int64_t>(1, flags.steps / 10);
  int64_t reported = 0;
  for (int64_t step = 0; step < flags.steps;) {
    LEAT_ASSIGN_OR_RETURN(
        const auto feeds,
        reader.NextFeeds({training.model.images, training.model.labels}));
    if (!feeds.has_value()) {
      return absl::InvalidArgumentError(
          "the files have no images for this worker");
    }
    LEAT_ASSIGN_OR_RETURN(const auto out,
                          RunAgain(session, {.feeds = *feeds,
                                             .fetches = {training.model.loss,
                                                         training.global_step},
                                             .targets = {training.train}}));
    step = out[1].scalar<int64_t>() + 1;
    if (step - reported < report_every) continue;
    Say(absl::StrFormat("step %d: loss %.4f", step, out[0].scalar<float>()));
    reported = step;
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Run(const Flags& flags) {
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<ClusterTask> task,
                        StartTask(flags.task));
  if (task->serves()) return task->Serve();
  LEAT_RETURN_IF_ERROR(CheckTrains(*task));
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<DatasetReader> reader,
                        ReadImages(flags, *task).Open());
  GraphBuilder b;
  b.SetSeed(flags.model.seed);
  auto device = b.OnDevice(nn::ReplicaDeviceSetter(
      {.ps_tasks = task->num_ps(), .worker_device = task->worker_device()}));
  LEAT_ASSIGN_OR_RETURN(const Training training, BuildTraining(b, flags));
  const Output uninitialized = UninitializedVariables(b);
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(
      const std::unique_ptr<RecoverableSession> session,
      RecoverableSession::Create(graph, {.session = SessionOptionsOf(*task),
                                         .init = graph.init_op(),
                                         .uninitialized = uninitialized.name(),
                                         .is_chief = task->is_chief(),
                                         .log = SayWaiting}));
  LEAT_RETURN_IF_ERROR(TrainSteps(flags, training, *reader, *session));
  return 0;
}

void AddFlags(CLI::App& app, Flags& flags) {
  AddModelFlags(app, flags.model);
  AddTaskFlags(app, flags.task);
  app.add_option("--data", flags.data, "Folder with the files of the images")
      ->capture_default_str();
  app.add_option("--batch", flags.batch, "Images in each step")
      ->check(Integer(1, 1 << 16))
      ->capture_default_str();
  app.add_option("--steps", flags.steps, "Steps of all tasks together")
      ->check(Integer(1, kMaxSteps))
      ->capture_default_str();
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Trains on images that it reads from files meanwhile.",
               "input_pipeline");
  AddFlags(app, flags);
  return RunProgram(app, argc, argv, [&] { return Run(flags); });
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) { return leat::examples::Main(argc, argv); }
