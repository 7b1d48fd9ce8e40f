// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is an example of between-graph training. Every task of a cluster runs this
// program and reads from TF_CONFIG which task it is. Each chief and worker
// builds its own copy of the graph. The variables are on the parameter servers,
// where all copies find them by name. Without --sync every replica updates the
// variables as soon as it has gradients. With --sync the chief updates them
// with the mean of the gradients of all replicas. An evaluator reads the
// variables from time to time and tests the network on its own devices.
//
//   leat launch --jobs chief=1,worker=2,ps=2,evaluator=1 --
//       fashion_mnist_cluster --epochs 5
//
// With --checkpoints the chief saves the variables from time to time. After
// parameter servers were lost, or if the program is started again, the training
// goes on from the latest checkpoint.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/checkpoints.h"
#include "leat/examples/shared/fashion_mnist_data.h"
#include "leat/examples/shared/fashion_mnist_model.h"
#include "leat/examples/shared/program.h"
#include "leat/examples/shared/run_again.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/ops.h"
#include "leat/train/cluster_task.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session.h"
#include "leat/train/sync_replicas.h"

namespace leat::examples {
namespace {

constexpr int kMaxEpochs = 1 << 20;
constexpr int kMaxTasks = 1000;
constexpr int64_t kMaxSteps = int64_t{1} << 40;
constexpr auto kLook = std::chrono::milliseconds(100);
// Is the longest time for which the chief waits for the other tasks after the
// training.
constexpr auto kLongestWait = std::chrono::seconds(60);
// After each of these times, WaitForOthers prints that this task is waiting.
constexpr std::chrono::seconds kNoticeTimes[] = {std::chrono::seconds(1),
                                                 std::chrono::seconds(10),
                                                 std::chrono::seconds(30)};

struct Flags {
  ClusterTaskOptions task = {};
  ModelFlags model = {};
  DataFlags data = {};
  int epochs = 5;
  bool sync = false;
  int backup_workers = 0;
  bool reinitialize = false;
  int64_t evaluate_every = 250;
  double target_accuracy = 100;
  std::string losses_folder = {};
  std::string export_training_path = {};
  CheckpointFlags checkpoints = {};
};

// Describes the part of the graph that all copies have in common. Every task
// builds this part first, so that all tasks agree on where the variables are.
struct Shared {
  Model model = {};
  std::vector<Variable> weights = {};  // the model's variables
  Variable global_step = {};
  Variable end = {};  // the step at which to end early
  // Contains one variable for each worker other than the chief, in order, and
  // then one for the evaluator. Each variable says how far its task is. Its
  // initial value is -1. A worker sets its variable to the total number of
  // steps when it has ended its training. The evaluator sets its variable to 0
  // when it begins, and to the number of the last step when it has tested that
  // step.
  std::vector<Variable> reached = {};
  // `step` is a placeholder for a number. `tell[i]` assigns the number to
  // `reached[i]`, and `end_at` assigns it to `end`.
  Output step = {};
  std::vector<Operation> tell = {};
  Operation end_at = {};
};

nn::ReplicaDeviceSetterOptions Placement(const ClusterTask& task) {
  return {.ps_tasks = task.num_ps(),
          .worker_device = task.worker_device(),
          .strategy = nn::GreedyByBytes(task.num_ps())};
}

Shared BuildShared(GraphBuilder& b, const Flags& flags,
                   const ClusterTask& task) {
  b.SetSeed(flags.model.seed);
  Shared shared;
  shared.model = BuildModel(b, flags.model);
  shared.weights = b.TrainableVariables();
  shared.global_step = nn::GlobalStep(b);
  auto device = b.OnDevice("/job:ps/task:0");
  shared.end = b.Variable("end", b.Const(kMaxSteps), {.trainable = false});
  shared.step = b.Placeholder<int64_t>("step", Shape{});
  shared.end_at = op::AssignVariableOp(shared.end.handle(), shared.step);
  for (int i = 1; i <= task.num_workers(); ++i) {
    const Variable reached =
        b.Variable(absl::StrCat("reached_", i), b.Const(int64_t{-1}),
                   {.trainable = false});
    shared.reached.push_back(reached);
    shared.tell.push_back(op::AssignVariableOp(reached.handle(), shared.step));
  }
  return shared;
}

// Holds the operations that a chief or a worker runs.
struct Training {
  Operation train = {};
  Output step_after = {};  // global step after `train`
  Operation local_init = {};
  Operation chief_step = {};
  Operation finish = {};
  Output finished = {};
};

absl::StatusOr<Training> BuildTraining(GraphBuilder& b, const Flags& flags,
                                       const ClusterTask& task,
                                       const Shared& shared, int64_t steps) {
  LEAT_ASSIGN_OR_RETURN(std::unique_ptr<nn::Optimizer> made,
                        MakeOptimizer(b, flags.model, steps));
  const std::shared_ptr<const nn::Optimizer> optimizer = std::move(made);
  const nn::MinimizeOptions options{.global_step = shared.global_step};
  Training training;
  if (flags.sync) {
    const int replicas = task.num_workers();
    const SyncReplicas sync(
        optimizer, {.replicas_to_aggregate = replicas - flags.backup_workers,
                    .total_replicas = replicas});
    const SyncStep step = sync.Minimize(shared.model.loss, options);
    training = {.train = step.train,
                .local_init = step.local_init(task.is_chief()),
                .chief_step = step.chief_step,
                .finish = step.finish,
                .finished = step.finished};
  } else {
    training.train = optimizer->Minimize(shared.model.loss, options);
  }
  const Output handle = shared.global_step.handle();
  auto after = b.ControlDependencies({&training.train, 1});
  auto beside = b.ColocateWith(handle.operation());
  training.step_after = op::ReadVariableOp(handle, DType::kInt64);
  return training;
}

std::string NameOf(const Operation& operation) {
  return operation.IsValid() ? operation.name() : std::string();
}

RecoverableSessionOptions SessionOf(const Flags& flags, const ClusterTask& task,
                                    const Output& uninitialized) {
  return {.session = SessionOptionsOf(task),
          .uninitialized = uninitialized.name(),
          .is_chief = task.is_chief(),
          .reinitialize = flags.reinitialize,
          .log = Say};
}

RunArgs Tell(const Shared& shared, const Operation& what, int64_t step) {
  return {.feeds = {{shared.step, Tensor::Scalar<int64_t>(step)}},
          .targets = {what}};
}

// Returns the number of steps of the whole training. If the servers are still
// those of an earlier run of the program, that run may have done some of these
// steps.
int64_t StepsOf(const Flags& flags, const ClusterTask& task,
                const Shard& shard) {
  return flags.epochs * shard.num_batches() *
         (flags.sync ? 1 : task.num_workers());
}

// Trains as one replica.
class Replica {
 public:
  Replica(const Flags& flags, const ClusterTask& task, const Shared& shared,
          const Training& training, int64_t steps, RecoverableSession& session)
      : flags_(flags),
        task_(task),
        shared_(shared),
        training_(training),
        steps_(steps),
        session_(session) {}

  absl::Status Train(Shard& shard);

 private:
  // Returns the current step of the training and the step at which the training
  // ends. May wait for the chief.
  absl::StatusOr<std::pair<int64_t, int64_t>> Begin();
  // If this task is the chief, prints the progress, about twenty times in all.
  void Report(int64_t step, float loss);

  const Flags& flags_;
  const ClusterTask& task_;
  const Shared& shared_;
  const Training& training_;
  const int64_t steps_;
  RecoverableSession& session_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  int64_t reported_ = 0;
};

void Replica::Report(int64_t step, float loss) {
  if (!task_.is_chief() || (step - reported_) * 20 < steps_) return;
  reported_ = step;
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start_;
  Say(absl::StrFormat("step %d of %d: loss %.4f, after %.1f s", step, steps_,
                      loss, seconds.count()));
}

// If the servers are still those of an earlier run, that run may have ended the
// synchronous training. Then a worker waits until the chief of this run
// continues the training. The chief may continue it after the worker's session
// has run `local_init`, so the worker runs `local_init` again.
absl::StatusOr<std::pair<int64_t, int64_t>> Replica::Begin() {
  RunArgs look{.fetches = {shared_.global_step.value(), shared_.end.value()}};
  if (flags_.sync) look.fetches.push_back(training_.finished);
  for (bool waited = false;; waited = true) {
    LEAT_ASSIGN_OR_RETURN(const auto out, RunAgain(session_, look));
    const int64_t step = out[0].scalar<int64_t>();
    const int64_t last = std::min(steps_, out[1].scalar<int64_t>());
    if (step >= last || !flags_.sync || !out[2].scalar<bool>()) {
      if (!flags_.sync || task_.is_chief()) return std::make_pair(step, last);
      const RunArgs again{.targets = {training_.local_init}};
      LEAT_RETURN_IF_ERROR(RunAgain(session_, again).status());
      return std::make_pair(step, last);
    }
    if (!waited) {
      Say("this task waits for the chief to go on with the training");
    }
    std::this_thread::sleep_for(kLook);
  }
}

absl::Status Replica::Train(Shard& shard) {
  Losses losses(flags_.losses_folder.empty()
                    ? ""
                    : absl::StrCat(flags_.losses_folder, "/", task_.task().job,
                                   "-", task_.task().index, ".txt"));
  LEAT_RETURN_IF_ERROR(AsOwnError(losses.Open()));
  LEAT_ASSIGN_OR_RETURN(const auto begin, Begin());
  int64_t step = begin.first;
  int64_t last = begin.second;
  int64_t position = flags_.sync ? step : step / task_.num_workers();
  Say(absl::StrCat("this task trains from step ", step, " on"));
  while (step < last) {
    const LabeledImages& batch = shard.At(position);
    const auto trained = RunAgain(
        session_, {.feeds = {{shared_.model.images, batch.images},
                             {shared_.model.labels, batch.labels}},
                   .fetches = {shared_.model.loss, training_.step_after,
                               shared_.end.value()},
                   .targets = {training_.train}});
    // The chief has ended the training.
    if (absl::IsOutOfRange(trained.status())) break;
    LEAT_RETURN_IF_ERROR(trained.status());
    const float loss = (*trained)[0].scalar<float>();
    step = (*trained)[1].scalar<int64_t>();
    LEAT_RETURN_IF_ERROR(AsOwnError(losses.Add(loss)));
    Report(step, loss);
    position = flags_.sync ? step : position + 1;
    // With --sync only the chief ends the training early, because no step ends
    // without the chief.
    if (!flags_.sync || task_.is_chief()) {
      last = std::min(steps_, (*trained)[2].scalar<int64_t>());
    }
  }
  Say(absl::StrCat("this task ends at step ", step));
  return AsOwnError(losses.Close());
}

// Waits until the workers and the evaluator have ended, but for at most
// kLongestWait. The chief must end last, because `leat launch` stops all tasks
// when the chief ends.
absl::Status WaitForOthers(const Graph& graph, const ClusterTask& task,
                           const Shared& shared, int64_t steps) {
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Session> session,
                        NewSession(graph, SessionOptionsOf(task)));
  RunArgs args{.fetches = {shared.end.value()}};
  for (const Variable& reached : shared.reached) {
    args.fetches.push_back(reached.value());
  }
  const auto begin = std::chrono::steady_clock::now();
  size_t num_said = 0;
  while (std::chrono::steady_clock::now() < begin + kLongestWait) {
    if (num_said < std::size(kNoticeTimes) &&
        std::chrono::steady_clock::now() > begin + kNoticeTimes[num_said]) {
      SayWaiting(
          absl::StrCat("this task is waiting for the other tasks to end, "
                       "but for no longer than ",
                       kLongestWait.count(), " s"));
      ++num_said;
    }
    LEAT_ASSIGN_OR_RETURN(const auto out, session->Run(args));
    const int64_t last = std::min(steps, out.front().scalar<int64_t>());
    const int64_t tested = out.back().scalar<int64_t>();
    const bool all =
        (tested < 0 || tested >= last) &&  // no evaluator, or it has finished
        std::all_of(out.begin() + 1, out.end() - 1, [](const Tensor& reached) {
          return reached.scalar<int64_t>() >= 0;
        });
    if (all) return absl::OkStatus();
    std::this_thread::sleep_for(kLook);
  }
  Say("some tasks have not ended, but this one waits no longer");
  return absl::OkStatus();
}

absl::Status RunReplica(const Flags& flags, const ClusterTask& task) {
  const int replicas = task.num_workers();
  if (flags.backup_workers >= replicas) {
    return absl::InvalidArgumentError(
        absl::StrCat("--backup-workers ", flags.backup_workers,
                     " is too many: the cluster has ", replicas,
                     " replicas, and one must be waited for"));
  }
  LEAT_ASSIGN_OR_RETURN(const FashionMnist data,
                        LoadFashionMnist(flags.data.data));
  LEAT_ASSIGN_OR_RETURN(Shard shard,
                        Shard::Create(flags.data, data, replicas,
                                      task.worker_number(), flags.model.seed));
  const int64_t steps = StepsOf(flags, task, shard);
  GraphBuilder b;
  auto device = b.OnDevice(nn::ReplicaDeviceSetter(Placement(task)));
  const Shared shared = BuildShared(b, flags, task);
  LEAT_ASSIGN_OR_RETURN(const Training training,
                        BuildTraining(b, flags, task, shared, steps));
  const Output uninitialized = UninitializedVariables(b);
  const CheckpointOptions checkpoints = CheckpointsOf(
      flags.checkpoints, b, shared.global_step.value(), task.is_chief());
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  if (task.is_chief() && !flags.export_training_path.empty()) {
    LEAT_RETURN_IF_ERROR(SaveGraph(graph, flags.export_training_path));
  }
  RecoverableSessionOptions options = SessionOf(flags, task, uninitialized);
  options.checkpoints = checkpoints;
  options.init = graph.init_op();
  options.local_init = NameOf(training.local_init);
  if (task.is_chief()) options.loop = NameOf(training.chief_step);
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<RecoverableSession> session,
                        RecoverableSession::Create(graph, options));
  Replica replica(flags, task, shared, training, steps, *session);
  if (!task.is_chief()) {
    const Operation& tell = shared.tell[task.worker_number() - 1];
    // Clears the value that an earlier run may have left on the servers.
    LEAT_RETURN_IF_ERROR(RunAgain(*session, Tell(shared, tell, -1)).status());
    LEAT_RETURN_IF_ERROR(replica.Train(shard));
    return RunAgain(*session, Tell(shared, tell, steps)).status();
  }
  LEAT_RETURN_IF_ERROR(replica.Train(shard));
  if (flags.sync) {
    LEAT_RETURN_IF_ERROR(
        RunAgain(*session, {.targets = {training.finish}}).status());
  }
  if (!flags.checkpoints.folder.empty()) {
    LEAT_RETURN_IF_ERROR(session->Save());
  }
  LEAT_RETURN_IF_ERROR(session->Close());
  return WaitForOthers(graph, task, shared, steps);
}

// Tests the network on this process's own devices, with weights that the caller
// supplies.
class Tester {
 public:
  absl::Status Init(const Flags& flags, const FashionMnist& data);
  absl::StatusOr<double> Test(absl::Span<const Tensor> weights);

 private:
  GraphBuilder b_;
  std::vector<Feed> feeds_ = {};  // for the weights
  std::vector<TensorName> assign_ = {};
  std::shared_ptr<Session> session_ = {};
  Callable accuracy_ = {};
  std::optional<Batches> batches_ = {};
};

absl::Status Tester::Init(const Flags& flags, const FashionMnist& data) {
  LEAT_ASSIGN_OR_RETURN(batches_, TestBatches(flags.data, data));
  const Model model = BuildModel(b_, flags.model);
  for (const Variable& weight : b_.TrainableVariables()) {
    const Output value =
        b_.Placeholder(weight.dtype(), "value", weight.shape());
    feeds_.push_back({value, Tensor()});
    assign_.push_back(op::AssignVariableOp(weight.handle(), value));
  }
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b_.Build());
  LEAT_ASSIGN_OR_RETURN(session_, NewSession(graph));
  LEAT_ASSIGN_OR_RETURN(
      accuracy_, session_->MakeCallable({.feeds = {model.images, model.labels},
                                         .fetches = {model.accuracy}}));
  return absl::OkStatus();
}

absl::StatusOr<double> Tester::Test(absl::Span<const Tensor> weights) {
  for (size_t i = 0; i < feeds_.size(); ++i) feeds_[i].value = weights[i];
  LEAT_RETURN_IF_ERROR(
      session_->Run({.feeds = feeds_, .targets = assign_}).status());
  return Evaluate(accuracy_, *batches_);
}

// Tests the network with the current variables whenever `evaluate_every` steps
// have passed, and once more at the end.
absl::Status TestNowAndThen(const Flags& flags, const Shared& shared,
                            int64_t steps, RecoverableSession& session,
                            Tester& tester) {
  const Operation& tell = shared.tell.back();
  LEAT_RETURN_IF_ERROR(RunAgain(session, Tell(shared, tell, 0)).status());
  const RunArgs look{
      .fetches = {shared.global_step.value(), shared.end.value()}};
  RunArgs read{.fetches = {shared.global_step.value()}};
  for (const Variable& weight : shared.weights) {
    read.fetches.push_back(weight.value());
  }
  for (int64_t next = flags.evaluate_every;;) {
    LEAT_ASSIGN_OR_RETURN(const auto seen, RunAgain(session, look));
    const int64_t last = std::min(steps, seen[1].scalar<int64_t>());
    const bool is_last = seen[0].scalar<int64_t>() >= last;
    if (!is_last && seen[0].scalar<int64_t>() < next) {
      std::this_thread::sleep_for(kLook);
      continue;
    }
    LEAT_ASSIGN_OR_RETURN(const auto out, RunAgain(session, read));
    const int64_t step = out[0].scalar<int64_t>();
    LEAT_ASSIGN_OR_RETURN(const double share,
                          tester.Test(absl::MakeSpan(out).subspan(1)));
    Say(absl::StrFormat("step %d: test accuracy %.2f%%", step, 100 * share));
    if (is_last) return RunAgain(session, Tell(shared, tell, step)).status();
    if (100 * share >= flags.target_accuracy) {
      Say(absl::StrCat("the accuracy has reached --target-accuracy ",
                       flags.target_accuracy, ", so the training ends"));
      LEAT_RETURN_IF_ERROR(
          RunAgain(session, Tell(shared, shared.end_at, step)).status());
    }
    next = step + flags.evaluate_every;
  }
}

// Runs the evaluator. It reads the variables as a client of the master on the
// first parameter server. All nodes of this graph are on tasks of the cluster,
// because the evaluator itself is not in the cluster.
absl::Status RunEvaluator(const Flags& flags, const ClusterTask& task) {
  LEAT_ASSIGN_OR_RETURN(const FashionMnist data,
                        LoadFashionMnist(flags.data.data));
  LEAT_ASSIGN_OR_RETURN(const Shard shard,
                        Shard::Create(flags.data, data, task.num_workers(),
                                      /*number=*/0, flags.model.seed));
  Tester tester;
  LEAT_RETURN_IF_ERROR(tester.Init(flags, data));
  GraphBuilder b;
  auto device = b.OnDevice(nn::ReplicaDeviceSetter(Placement(task)));
  const Shared shared = BuildShared(b, flags, task);
  const Output uninitialized = UninitializedVariables(b);
  const CheckpointOptions checkpoints =
      CheckpointsOf(flags.checkpoints, b, shared.global_step.value(),
                    /*is_chief=*/false);
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  RecoverableSessionOptions options = SessionOf(flags, task, uninitialized);
  options.checkpoints = checkpoints;
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<RecoverableSession> session,
                        RecoverableSession::Create(graph, options));
  return TestNowAndThen(flags, shared, StepsOf(flags, task, shard), *session,
                        tester);
}

absl::StatusOr<int> Run(const Flags& flags) {
  ClusterTaskOptions options = flags.task;
  LEAT_RETURN_IF_ERROR(AllowCheckpoints(flags.checkpoints, options.server));
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<ClusterTask> task,
                        StartTask(options));
  if (task->serves()) return task->Serve();
  if (task->is_evaluator()) {
    LEAT_RETURN_IF_ERROR(RunEvaluator(flags, *task));
    return 0;
  }
  LEAT_RETURN_IF_ERROR(CheckTrains(*task));
  LEAT_RETURN_IF_ERROR(RunReplica(flags, *task));
  return 0;
}

void AddFlags(CLI::App& app, Flags& flags) {
  AddModelFlags(app, flags.model);
  AddDataFlags(app, flags.data);
  AddTaskFlags(app, flags.task);
  app.add_option("--epochs", flags.epochs,
                 "How often all replicas together go through the images; steps "
                 "of earlier runs, which the servers remember, count")
      ->check(Integer(0, kMaxEpochs))
      ->capture_default_str();
  app.add_flag("--sync", flags.sync,
               "Update the variables in each step with the mean of one "
               "gradient from each replica");
  app.add_option("--backup-workers", flags.backup_workers,
                 "With --sync, how many of the slowest gradients of a step "
                 "nobody waits for")
      ->check(Integer(0, kMaxTasks));
  AddCheckpointFlags(app, flags.checkpoints);
  app.add_flag("--reinitialize", flags.reinitialize,
               "Begin again when a parameter server has lost its variables "
               "and there is no checkpoint");
  app.add_option("--evaluate-every", flags.evaluate_every,
                 "Steps between two tests of the evaluator")
      ->check(Integer(1, kMaxSteps))
      ->capture_default_str();
  app.add_option("--target-accuracy", flags.target_accuracy,
                 "Accuracy on the test images, in per cent, that ends the "
                 "training")
      ->check(Number(0, 100))
      ->capture_default_str();
  app.add_option("--losses", flags.losses_folder,
                 "Folder for the loss of every step of each replica");
  app.add_option("--export-training", flags.export_training_path,
                 "File for the training graph of the chief");
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("One task of a cluster that trains on Fashion-MNIST.",
               "fashion_mnist_cluster");
  AddFlags(app, flags);
  return RunProgram(app, argc, argv, [&] { return Run(flags); });
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) { return leat::examples::Main(argc, argv); }
