// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains a small network on Fashion-MNIST, evaluates it after every epoch,
// writes the trained model, and predicts some test images in the terminal.
//
//   fashion_mnist --model cnn --devices cpu:2 --epochs 5 --export model.pb
//   fashion_mnist --model mlp --target grpc://127.0.0.1:7001
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "leat/core/status_macros.h"
#include "leat/graph/builder.h"
#include "leat/graph/graph_file.h"
#include "leat/graph/ops.h"
#include "leat/train/batches.h"
#include "leat/train/datasets/idx.h"
#include "leat/train/freeze.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/metrics.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/progress_bar.h"
#include "leat/train/session.h"

namespace {

using leat::Callable;
using leat::FashionMnist;
using leat::GraphBuilder;
using leat::LabeledImages;
using leat::Operation;
using leat::Output;
using leat::Tensor;
namespace nn = leat::nn;
namespace op = leat::op;

constexpr const char* kClasses[] = {"T-shirt", "Trouser", "Pullover", "Dress",
                                    "Coat",    "Sandal",  "Shirt",    "Sneaker",
                                    "Bag",     "Boot"};

constexpr double kMaxRate = 1e6;
constexpr int kMaxEpochs = 1 << 20;
constexpr int kMaxThreads = 1 << 12;

struct Flags {
  std::string model = "cnn";
  std::string optimizer = "adam";
  double learning_rate = 0;  // 0: the optimizer's default
  bool cosine = false;
  int64_t batch = 128;
  int epochs = 5;
  int64_t seed = 1;
  std::string target = {};
  std::string devices = "cpu";
  int threads = 0;
  bool no_passes = false;
  std::string data = leat::kFashionMnistFolder;
  std::string export_path = {};
  std::string export_training_path = {};
  std::string losses_path = {};
  bool no_shuffle = false;
  int show = 0;
};

// With two devices the convolutions run on the first and the rest on the
// second; with one, everything runs there.
struct Devices {
  std::string first = "/cpu:0";
  std::string second = "/cpu:0";
};

Output Mlp(GraphBuilder& b, Output images, const Devices& devices) {
  Output h;
  {
    auto device = b.OnDevice(devices.first);
    h = nn::Dense(nn::Flatten(images), {.units = 128, .activation = nn::relu});
  }
  auto device = b.OnDevice(devices.second);
  return nn::Dense(h, {.units = 10});
}

Output Cnn(GraphBuilder& b, Output images, const Devices& devices) {
  Output h = images;
  {
    auto device = b.OnDevice(devices.first);
    h = nn::Conv2D(h, {.filters = 32, .kernel = 3, .activation = nn::relu});
    h = nn::MaxPool(h, {.size = 2});
    h = nn::Conv2D(h, {.filters = 64, .kernel = 3, .activation = nn::relu});
    h = nn::MaxPool(h, {.size = 2});
  }
  auto device = b.OnDevice(devices.second);
  h = nn::Dense(nn::Flatten(h), {.units = 128, .activation = nn::relu});
  return nn::Dense(h, {.units = 10});
}

// The rate asked for, or the optimizer's `standard` one; along half a cosine it
// falls to nothing at the end of the last epoch.
leat::Operand Rate(GraphBuilder& b, const Flags& flags, int64_t steps,
                   double standard) {
  const double rate = flags.learning_rate > 0 ? flags.learning_rate : standard;
  if (!flags.cosine) return rate;
  return nn::CosineDecay(nn::GlobalStep(b).value(),
                         {.initial = rate, .steps = steps});
}

absl::StatusOr<std::unique_ptr<nn::Optimizer>> MakeOptimizer(GraphBuilder& b,
                                                             const Flags& flags,
                                                             int64_t steps) {
  const std::string& name = flags.optimizer;
  std::unique_ptr<nn::Optimizer> optimizer;
  if (name == "gradient_descent") {
    optimizer = std::make_unique<nn::GradientDescent>(
        nn::GradientDescentAttrs{.learning_rate = Rate(b, flags, steps, 0.1)});
  } else if (name == "momentum") {
    optimizer = std::make_unique<nn::Momentum>(
        nn::MomentumAttrs{.learning_rate = Rate(b, flags, steps, 0.02)});
  } else if (name == "adagrad") {
    optimizer = std::make_unique<nn::Adagrad>(
        nn::AdagradAttrs{.learning_rate = Rate(b, flags, steps, 0.05)});
  } else if (name == "rmsprop") {
    optimizer = std::make_unique<nn::RMSProp>(
        nn::RMSPropAttrs{.learning_rate = Rate(b, flags, steps, 0.001)});
  } else if (name == "adam") {
    optimizer = std::make_unique<nn::Adam>(
        nn::AdamAttrs{.learning_rate = Rate(b, flags, steps, 0.001)});
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no optimizer '", name, "'"));
  }
  return optimizer;
}

// The names by which the trained model is used.
struct Model {
  Output images;
  Output labels;
  Output logits;
  Output predictions;
  Output loss;
  Output accuracy;
  Operation step;
};

// `steps` is how many of them the training has.
absl::StatusOr<Model> BuildModel(GraphBuilder& b, const Flags& flags,
                                 int64_t steps) {
  b.SetSeed(flags.seed);
  Devices devices;
  if (flags.devices != "cpu" && flags.devices != "cpu:1") {
    devices.second = "/cpu:1";
  }
  Model model;
  model.images = b.Placeholder<uint8_t>("images", {-1, 28, 28, 1});
  model.labels = b.Placeholder<int32_t>("labels", {-1});
  const Output pixels = op::Cast(model.images, leat::DType::kFloat) / 255.0f;
  model.logits =
      flags.model == "mlp" ? Mlp(b, pixels, devices) : Cnn(b, pixels, devices);
  model.predictions = op::ArgMax(model.logits, 1);
  model.loss = nn::SparseSoftmaxCrossEntropy(model.labels, model.logits);
  model.accuracy = nn::Accuracy(model.labels, model.logits);
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<nn::Optimizer> optimizer,
                        MakeOptimizer(b, flags, steps));
  nn::MinimizeOptions options;
  if (flags.cosine) options.global_step = nn::GlobalStep(b);
  model.step = optimizer->Minimize(model.loss, options);
  return model;
}

// The losses of all steps, one a line, if they are wanted.
class Losses {
 public:
  explicit Losses(std::string path) : path_(std::move(path)) {}

  // Before the training, which would be lost.
  absl::Status Open() {
    if (path_.empty()) return absl::OkStatus();
    file_.open(path_);
    return Check();
  }
  void Add(float loss) { file_ << absl::StrFormat("%.9g\n", loss); }
  absl::Status Close() {
    if (path_.empty()) return absl::OkStatus();
    file_.close();
    return Check();
  }

 private:
  absl::Status Check() const {
    if (file_.good()) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(
        "--losses '", path_, "': cannot be written: ", std::strerror(errno)));
  }

  const std::string path_;
  std::ofstream file_ = {};
};

// One pass over the training data; reports the mean loss and the speed.
absl::Status TrainEpoch(int epoch, const Callable& train,
                        leat::Batches& batches, Losses& losses) {
  const auto start = std::chrono::steady_clock::now();
  leat::ProgressBar bar(absl::StrCat("epoch ", epoch), batches.num_batches());
  double loss = 0, accuracy = 0, seconds = 0;
  int64_t done = 0, images = 0;
  batches.StartEpoch();
  while (auto batch = batches.Next()) {
    LEAT_ASSIGN_OR_RETURN(const auto out,
                          train({batch->images, batch->labels}));
    loss += out[0].scalar<float>();
    losses.Add(out[0].scalar<float>());
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

absl::StatusOr<double> Evaluate(const Callable& evaluate,
                                leat::Batches& batches) {
  double right = 0;
  int64_t images = 0;
  batches.StartEpoch();
  while (auto batch = batches.Next()) {
    LEAT_ASSIGN_OR_RETURN(const auto out,
                          evaluate({batch->images, batch->labels}));
    const int64_t count = batch->labels.num_elements();
    right += out[0].scalar<float>() * count;
    images += count;
  }
  return right / images;
}

// The first test images as text, with what they are and what the model says.
absl::Status Show(const Callable& predict, const LabeledImages& test,
                  int count) {
  constexpr absl::string_view kShades = " .:-=+*#%@";
  for (int i = 0; i < count && i < test.labels.num_elements(); ++i) {
    const Tensor image = test.images.Slice(i, i + 1);
    LEAT_ASSIGN_OR_RETURN(const auto out, predict({image}));
    const auto pixels = image.data<uint8_t>();
    for (int row = 0; row < 28; row += 2) {  // characters are twice as high
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

absl::Status Export(const Flags& flags, const leat::Graph& graph,
                    const Model& model, leat::Session& session) {
  if (!flags.export_training_path.empty()) {
    LEAT_RETURN_IF_ERROR(leat::SaveGraph(graph, flags.export_training_path));
  }
  if (flags.export_path.empty()) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(
      const leat::Graph frozen,
      leat::FreezeVariables(graph, session, {model.logits, model.predictions}));
  return leat::SaveGraph(frozen, flags.export_path);
}

std::optional<uint64_t> ShuffleSeed(const Flags& flags) {
  if (flags.no_shuffle) return std::nullopt;
  return static_cast<uint64_t>(flags.seed);
}

// The batches of a split, whose name an error tells.
absl::StatusOr<leat::Batches> MakeBatches(const Flags& flags,
                                          absl::string_view split,
                                          const LabeledImages& images,
                                          const leat::BatchOptions& options) {
  absl::StatusOr<leat::Batches> batches =
      leat::Batches::Create(images, options);
  if (batches.ok()) return batches;
  return absl::Status(batches.status().code(),
                      absl::StrCat("split '", split, "' of '", flags.data,
                                   "': ", batches.status().message()));
}

absl::Status TrainAndEvaluate(const Flags& flags, const Model& model,
                              leat::Session& session, leat::Batches& training,
                              leat::Batches& testing, Losses& losses) {
  LEAT_ASSIGN_OR_RETURN(
      const Callable train,
      session.MakeCallable({.feeds = {model.images, model.labels},
                            .fetches = {model.loss, model.accuracy},
                            .targets = {model.step}}));
  LEAT_ASSIGN_OR_RETURN(
      const Callable evaluate,
      session.MakeCallable({.feeds = {model.images, model.labels},
                            .fetches = {model.accuracy}}));
  for (int epoch = 1; epoch <= flags.epochs; ++epoch) {
    LEAT_RETURN_IF_ERROR(TrainEpoch(epoch, train, training, losses));
    LEAT_ASSIGN_OR_RETURN(const double accuracy, Evaluate(evaluate, testing));
    std::printf("; test accuracy %.2f%%\n", 100 * accuracy);
    std::fflush(stdout);
  }
  return losses.Close();
}

absl::Status Run(const Flags& flags) {
  Losses losses(flags.losses_path);
  LEAT_RETURN_IF_ERROR(losses.Open());
  LEAT_ASSIGN_OR_RETURN(const FashionMnist data,
                        leat::LoadFashionMnist(flags.data));
  LEAT_ASSIGN_OR_RETURN(leat::Batches training,
                        MakeBatches(flags, "train", data.train,
                                    {.size = flags.batch,
                                     .shuffle_seed = ShuffleSeed(flags),
                                     .drop_remainder = true}));
  LEAT_ASSIGN_OR_RETURN(leat::Batches testing,
                        MakeBatches(flags, "t10k", data.test, {.size = 500}));
  GraphBuilder b;
  LEAT_ASSIGN_OR_RETURN(
      const Model model,
      BuildModel(b, flags, flags.epochs * training.num_batches()));
  LEAT_ASSIGN_OR_RETURN(const leat::Graph graph, b.Build());
  leat::SessionOptions options{.target = flags.target,
                               .devices = flags.devices,
                               .num_threads = flags.threads};
  if (flags.no_passes) options.optimizer.level = leat::OptimizeLevel::kOff;
  LEAT_ASSIGN_OR_RETURN(const auto session, leat::NewSession(graph, options));
  LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}).status());
  LEAT_RETURN_IF_ERROR(
      TrainAndEvaluate(flags, model, *session, training, testing, losses));
  LEAT_RETURN_IF_ERROR(Export(flags, graph, model, *session));
  LEAT_ASSIGN_OR_RETURN(
      const Callable predict,
      session->MakeCallable(
          {.feeds = {model.images}, .fetches = {model.predictions}}));
  LEAT_RETURN_IF_ERROR(Show(predict, data.test, flags.show));
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return absl::OkStatus();
  }
  return absl::UnavailableError("cannot write to standard output");
}

// CLI11's own checks let NaN pass, and integers that no int64 holds.
CLI::Validator Number(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        if (absl::SimpleAtod(text, &value) && value >= low && value <= high) {
          return std::string();
        }
        return absl::StrCat("'", text, "' is no number from ", low, " to ",
                            high);
      },
      absl::StrCat("from ", low, " to ", high));
}

CLI::Validator Integer(int64_t low, int64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        int64_t value = 0;
        if (absl::SimpleAtoi(text, &value) && value >= low && value <= high) {
          return std::string();
        }
        return absl::StrCat("'", text, "' is no integer from ", low, " to ",
                            high);
      },
      absl::StrCat("from ", low, " to ", high));
}

void AddTrainingFlags(CLI::App& app, Flags& flags) {
  app.add_option("--model", flags.model, "Network to train")
      ->check(CLI::IsMember({"mlp", "cnn"}))
      ->capture_default_str();
  app.add_option("--optimizer", flags.optimizer, "How to update it")
      ->check(CLI::IsMember(
          {"gradient_descent", "momentum", "adagrad", "rmsprop", "adam"}))
      ->capture_default_str();
  app.add_option("--learning-rate", flags.learning_rate,
                 "Step size; 0 for the optimizer's default")
      ->check(Number(0, kMaxRate));
  app.add_flag("--cosine", flags.cosine,
               "Let the step size fall to nothing along half a cosine");
  app.add_option("--batch", flags.batch, "Images a step")
      ->check(Integer(1, 60000))
      ->capture_default_str();
  app.add_option("--epochs", flags.epochs, "Passes over the training data")
      ->check(Integer(0, kMaxEpochs))
      ->capture_default_str();
  app.add_option("--seed", flags.seed, "Of initial values and shuffling")
      ->check(Integer(std::numeric_limits<int64_t>::min(),
                      std::numeric_limits<int64_t>::max()))
      ->capture_default_str();
  app.add_flag("--no-shuffle", flags.no_shuffle,
               "Take the training images in their order");
}

void AddOtherFlags(CLI::App& app, Flags& flags) {
  app.add_option("--target", flags.target,
                 "grpc://HOST:PORT of a cluster's task whose devices to use "
                 "instead of this process's");
  app.add_option("--devices", flags.devices,
                 "cpu, or cpu:2 to split the network over two devices")
      ->capture_default_str();
  app.add_option("--threads", flags.threads, "0 for one a processor")
      ->check(Integer(0, kMaxThreads));
  app.add_flag("--no-passes", flags.no_passes,
               "Run the graph as it is built, every node of it");
  app.add_option("--data", flags.data, "Folder with the four IDX files")
      ->capture_default_str();
  app.add_option("--export", flags.export_path,
                 "Where to write the trained model, variables frozen");
  app.add_option("--export-training", flags.export_training_path,
                 "Where to write the training graph");
  app.add_option("--losses", flags.losses_path,
                 "Where to write the loss of every step, one a line");
  app.add_option("--show", flags.show, "Test images to predict at the end")
      ->check(Integer(0, 10000));
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Trains a small network on Fashion-MNIST.", "fashion_mnist");
  app.set_version_flag("--version", "fashion_mnist " LEAT_VERSION);
  app.footer("Exit codes: 0, 1 for an error, 2 for wrong flags.");
  AddTrainingFlags(app, flags);
  AddOtherFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::Status status = Run(flags);
  if (!status.ok()) {
    std::fprintf(stderr, "fashion_mnist: %s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
