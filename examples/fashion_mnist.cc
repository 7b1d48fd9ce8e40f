// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains a small network on Fashion-MNIST and evaluates it after every epoch.
// Then writes the trained model to a file, and prints predictions for some test
// images.
//
//   fashion_mnist --model cnn --devices cpu:2 --epochs 5 --export model.pb
//   fashion_mnist --model mlp --target grpc://127.0.0.1:7001
//   fashion_mnist --summaries /tmp/logs && tensorboard --logdir /tmp/logs
//   fashion_mnist --checkpoints /tmp/checkpoints
//
// With --checkpoints the variables are saved from time to time, and the next
// run goes on where the last one ended.
//
// The network is in shared/fashion_mnist_model.cc.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/checkpoints.h"
#include "leat/examples/shared/fashion_mnist_data.h"
#include "leat/examples/shared/fashion_mnist_model.h"
#include "leat/examples/shared/program.h"
#include "leat/examples/shared/training_summaries.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/train/freeze.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/progress_bar.h"
#include "leat/train/session.h"

namespace leat::examples {
namespace {

constexpr const char* kClasses[] = {"T-shirt", "Trouser", "Pullover", "Dress",
                                    "Coat",    "Sandal",  "Shirt",    "Sneaker",
                                    "Bag",     "Boot"};

constexpr int kMaxEpochs = 1 << 20;
constexpr int kMaxThreads = 1 << 12;

struct Flags {
  ModelFlags model = {};
  DataFlags data = {};
  CheckpointFlags checkpoints = {};
  int epochs = 5;
  std::string target = {};
  std::string devices = "cpu";
  int threads = 0;
  bool no_passes = false;
  std::string export_path = {};
  std::string export_training_path = {};
  std::string losses_path = {};
  std::string summaries_folder = {};
  int show = 0;
};

// Returns the devices of the network. With two CPUs the convolutions run on the
// first and the rest on the second; with one CPU everything runs on it. With a
// GPU, the session places nodes on the GPU if they have a kernel for GPUs.
Devices DevicesOf(const Flags& flags) {
  if (absl::StrContains(flags.devices, "gpu")) return {};
  const bool one = flags.devices == "cpu" || flags.devices == "cpu:1";
  return {.first = "/cpu:0", .second = one ? "/cpu:0" : "/cpu:1"};
}

// Describes where the losses and accuracies of the training are written.
struct Records {
  Losses losses;
  TrainingSummaries summaries;
};

// Holds the checkpoints of the training. `steps` is the number of steps that
// the training had done when this program began.
struct Progress {
  SessionCheckpoints& checkpoints;
  int64_t steps = 0;
};

// Restores the latest checkpoint if there is one, and otherwise initializes the
// variables. Returns how many steps the training has done.
absl::StatusOr<int64_t> Begin(const Flags& flags, const std::string& init_op,
                              const Output& global_step,
                              SessionCheckpoints& checkpoints,
                              Session& session) {
  if (!flags.checkpoints.folder.empty()) {
    LEAT_ASSIGN_OR_RETURN(const bool is_restored,
                          checkpoints.Restore(session, {}));
    if (is_restored) {
      LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> step,
                            session.Run({.fetches = {global_step}}));
      return step[0].scalar<int64_t>();
    }
  }
  LEAT_RETURN_IF_ERROR(session.Run({.targets = {init_op}}).status());
  return 0;
}

// Runs one pass over the training data, without the first `num_done` batches,
// and prints the mean loss and the speed.
absl::Status TrainEpoch(int epoch, int64_t num_done, const Callable& train,
                        Batches& batches, SessionCheckpoints& checkpoints,
                        Session& session, Records& records) {
  const auto start = std::chrono::steady_clock::now();
  ProgressBar bar(absl::StrCat("epoch ", epoch), batches.num_batches());
  double loss = 0, accuracy = 0, seconds = 0;
  int64_t done = 0, images = 0;
  for (int64_t i = 0; i < num_done; ++i) batches.Next();
  while (auto batch = batches.Next()) {
    LEAT_ASSIGN_OR_RETURN(const auto out,
                          train({batch->images, batch->labels}));
    loss += out[0].scalar<float>();
    LEAT_RETURN_IF_ERROR(
        AsOwnError(records.losses.Add(out[0].scalar<float>())));
    LEAT_RETURN_IF_ERROR(AsOwnError(records.summaries.AddStep(
        out[0].scalar<float>(), out[1].scalar<float>())));
    checkpoints.SaveIfDue(session);
    accuracy += out[1].scalar<float>();
    images += batch->labels.num_elements();
    ++done;
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    bar.Update(done, absl::StrFormat("loss %.4f  accuracy %.2f%%  %.0f img/s",
                                     loss / done, 100 * accuracy / done,
                                     images / seconds));
  }
  std::printf("epoch %d: loss %.4f, accuracy %.2f%%, %.0f images/s", epoch,
              loss / done, 100 * accuracy / done, images / seconds);
  return absl::OkStatus();
}

// Prints the first `count` test images as text. Prints the true class and the
// predicted class with each image.
absl::Status Show(const Callable& predict, const LabeledImages& test,
                  int count) {
  constexpr absl::string_view kShades = " .:-=+*#%@";
  for (int i = 0; i < count && i < test.labels.num_elements(); ++i) {
    const Tensor image = test.images.Slice(i, i + 1);
    LEAT_ASSIGN_OR_RETURN(const auto out, predict({image}));
    const auto pixels = image.data<uint8_t>();
    // A character is about twice as high as it is wide, so every second row is
    // left out.
    for (int row = 0; row < 28; row += 2) {
      std::string line;
      for (int column = 0; column < 28; ++column) {
        line += kShades[pixels[row * 28 + column] * kShades.size() / 256];
      }
      std::printf("%s\n", line.c_str());
    }
    std::printf("is a %s, predicted %s\n\n",
                kClasses[test.labels.data<int32_t>()[i]],
                kClasses[out[0].data<int64_t>()[0]]);
  }
  return absl::OkStatus();
}

absl::Status Export(const Flags& flags, const Graph& graph, const Model& model,
                    Session& session) {
  if (!flags.export_training_path.empty()) {
    LEAT_RETURN_IF_ERROR(SaveGraph(graph, flags.export_training_path));
  }
  if (flags.export_path.empty()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const Graph frozen,
      FreezeVariables(graph, session, {model.logits, model.predictions}));
  return SaveGraph(frozen, flags.export_path);
}

absl::Status TrainAndEvaluate(const Flags& flags, const Model& model,
                              Operation step, Session& session,
                              const Progress& progress, Batches& training,
                              Batches& testing, Records& records) {
  LEAT_ASSIGN_OR_RETURN(
      const Callable train,
      session.MakeCallable({.feeds = {model.images, model.labels},
                            .fetches = {model.loss, model.accuracy},
                            .targets = {step}}));
  LEAT_ASSIGN_OR_RETURN(
      const Callable evaluate,
      session.MakeCallable({.feeds = {model.images, model.labels},
                            .fetches = {model.accuracy}}));
  const int64_t num_batches = training.num_batches();
  for (int epoch = 1; epoch <= flags.epochs; ++epoch) {
    training.StartEpoch();
    const int64_t num_done = progress.steps - (epoch - 1) * num_batches;
    if (num_done >= num_batches) continue;
    LEAT_RETURN_IF_ERROR(TrainEpoch(epoch, std::max<int64_t>(num_done, 0),
                                    train, training, progress.checkpoints,
                                    session, records));
    LEAT_ASSIGN_OR_RETURN(const double accuracy, Evaluate(evaluate, testing));
    std::printf("; test accuracy %.2f%%\n", 100 * accuracy);
    std::fflush(stdout);
    testing.StartEpoch();
    LEAT_RETURN_IF_ERROR(
        records.summaries.AddEpoch(accuracy, *testing.Next(), session));
  }
  if (!flags.checkpoints.folder.empty()) {
    LEAT_RETURN_IF_ERROR(progress.checkpoints.Save(session));
  }
  LEAT_RETURN_IF_ERROR(AsOwnError(records.summaries.Close()));
  return AsOwnError(records.losses.Close());
}

absl::StatusOr<int> Run(const Flags& flags) {
  Records records = {.losses = Losses(flags.losses_path),
                     .summaries = TrainingSummaries(flags.summaries_folder)};
  LEAT_RETURN_IF_ERROR(AsOwnError(records.losses.Open()));
  LEAT_ASSIGN_OR_RETURN(const FashionMnist data,
                        LoadFashionMnist(flags.data.data));
  LEAT_ASSIGN_OR_RETURN(
      Batches training,
      TrainingBatches(flags.data, data, flags.data.batch, flags.model.seed));
  LEAT_ASSIGN_OR_RETURN(Batches testing, TestBatches(flags.data, data));
  GraphBuilder b;
  b.SetSeed(flags.model.seed);
  const Model model = BuildModel(b, flags.model, DevicesOf(flags));
  LEAT_ASSIGN_OR_RETURN(
      const std::unique_ptr<nn::Optimizer> optimizer,
      MakeOptimizer(b, flags.model, flags.epochs * training.num_batches()));
  nn::MinimizeOptions minimize;
  if (flags.model.cosine || !flags.checkpoints.folder.empty()) {
    minimize.global_step = nn::GlobalStep(b);
  }
  const Operation step = optimizer->Minimize(model.loss, minimize);
  records.summaries.AddOps(b, model);
  const Output global_step = minimize.global_step.has_value()
                                 ? minimize.global_step->value()
                                 : Output();
  SessionCheckpoints checkpoints(
      CheckpointsOf(flags.checkpoints, b, global_step, /*is_chief=*/true),
      RealClock(), SayWaiting);
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_RETURN_IF_ERROR(AsOwnError(records.summaries.Open(graph)));
  SessionOptions options{.target = flags.target,
                         .devices = flags.devices,
                         .num_threads = flags.threads,
                         .on_waiting = SayWaiting};
  if (flags.no_passes) options.optimizer.level = OptimizeLevel::kOff;
  LEAT_ASSIGN_OR_RETURN(const auto session, NewSession(graph, options));
  LEAT_ASSIGN_OR_RETURN(
      const int64_t steps,
      Begin(flags, graph.init_op(), global_step, checkpoints, *session));
  LEAT_RETURN_IF_ERROR(
      TrainAndEvaluate(flags, model, step, *session,
                       {.checkpoints = checkpoints, .steps = steps}, training,
                       testing, records));
  LEAT_RETURN_IF_ERROR(Export(flags, graph, model, *session));
  LEAT_ASSIGN_OR_RETURN(
      const Callable predict,
      session->MakeCallable(
          {.feeds = {model.images}, .fetches = {model.predictions}}));
  LEAT_RETURN_IF_ERROR(Show(predict, data.test, flags.show));
  return 0;
}

void AddFlags(CLI::App& app, Flags& flags) {
  AddModelFlags(app, flags.model);
  AddDataFlags(app, flags.data);
  AddCheckpointFlags(app, flags.checkpoints);
  app.add_option("--epochs", flags.epochs, "Passes over the training data")
      ->check(Integer(0, kMaxEpochs))
      ->capture_default_str();
  app.add_option("--target", flags.target,
                 "grpc://HOST:PORT of a task of a cluster, to train on the "
                 "devices of the cluster instead of this process's");
  app.add_option(
         "--devices", flags.devices,
         "Devices to train on: cpu, cpu:2 to split the network over two "
         "devices, or gpu")
      ->capture_default_str();
  app.add_option("--threads", flags.threads,
                 "Threads that compute; 0 for one per processor")
      ->check(Integer(0, kMaxThreads));
  app.add_flag("--no-passes", flags.no_passes,
               "Run every node of the graph as it is built, without "
               "optimizing the graph first");
  app.add_option("--export", flags.export_path,
                 "File for the trained model, with its variables frozen");
  app.add_option("--export-training", flags.export_training_path,
                 "File for the training graph");
  app.add_option("--losses", flags.losses_path,
                 "File for the loss of every step, one per line");
  app.add_option("--summaries", flags.summaries_folder,
                 "Folder for an event file, which TensorBoard shows");
  app.add_option("--show", flags.show, "Test images to predict at the end")
      ->check(Integer(0, 10000));
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Trains a small network on Fashion-MNIST.", "fashion_mnist");
  AddFlags(app, flags);
  return RunProgram(app, argc, argv, [&] { return Run(flags); });
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) { return leat::examples::Main(argc, argv); }
