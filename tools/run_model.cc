// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/run_model.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/timer_queue.h"
#include "leat/core/threads/wait_notices.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/protos/config.pb.h"
#include "leat/tools/dumps/graph_stages.h"
#include "leat/tools/tensors/npy.h"

namespace leat {
namespace {

constexpr absl::string_view kFeed = "--feed";
constexpr absl::string_view kFetch = "--fetch";

// Holds the name and the file of a text such as "y=@y.npy". `file` is "" if the
// text has no file.
struct NameAndFile {
  std::string name = {};
  std::string tensor = {};  // the graph's tensor that `name` stands for
  std::string file = {};
};

// Parses the value of `flag`, --feed or --fetch. A feed needs a file.
absl::StatusOr<NameAndFile> ParseNameAndFile(absl::string_view flag,
                                             const std::string& text) {
  const bool needs_file = flag == kFeed;
  // The names of tensors do not contain '='.
  const size_t split = text.find('=');
  const bool has_file =
      split != text.npos && text.size() > split + 2 && text[split + 1] == '@';
  if (split == 0 || text.empty() || (split != text.npos && !has_file) ||
      (needs_file && !has_file)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " '", text, "' is not of the form ",
                     needs_file ? "" : "NAME or ", "NAME=@FILE.npy"));
  }
  if (!has_file) return NameAndFile{.name = text};
  return NameAndFile{.name = text.substr(0, split),
                     .file = text.substr(split + 2)};
}

std::vector<TensorName> TensorNames(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

void Info(const RunModelRecords& records, absl::string_view message) {
  if (records.log != nullptr) records.log->Info(message);
}

struct Inputs {
  std::vector<std::string> names = {};
  std::vector<Tensor> values = {};
};

absl::StatusOr<Inputs> ReadFeeds(const std::vector<std::string>& feeds) {
  Inputs inputs;
  for (const std::string& feed : feeds) {
    LEAT_ASSIGN_OR_RETURN(NameAndFile parsed, ParseNameAndFile(kFeed, feed));
    LEAT_ASSIGN_OR_RETURN(Tensor value, ReadNpy(parsed.file));
    inputs.names.push_back(std::move(parsed.name));
    inputs.values.push_back(std::move(value));
  }
  return inputs;
}

// Finds the tensor of the graph for each name on the command line.
absl::Status FindTensors(const Model& model, Inputs& inputs,
                         std::vector<NameAndFile>& wanted) {
  for (std::string& name : inputs.names) {
    LEAT_ASSIGN_OR_RETURN(name, model.FedTensor(name));
  }
  if (wanted.empty()) {
    for (const std::string& key : model.OutputKeys()) {
      wanted.push_back({.name = key});
    }
    if (wanted.empty() && model.is_saved_model()) {
      return absl::InvalidArgumentError(
          "a SavedModel whose signature has no outputs needs --fetch");
    }
  }
  for (NameAndFile& fetch : wanted) {
    LEAT_ASSIGN_OR_RETURN(fetch.tensor, model.FetchedTensor(fetch.name));
  }
  return absl::OkStatus();
}

// Returns " on grpc://host:port", or "" if the graph runs in this process.
std::string OnTarget(const RunModelOptions& options) {
  const std::string& target = options.session.target.text;
  return target.empty() ? "" : absl::StrCat(" on ", target);
}

// Returns text that says how to see what the target does, or "" if the graph
// runs in this process.
std::string WhereToLook(const RunModelOptions& options) {
  const std::string& target = options.session.target.text;
  if (target.empty()) return "";
  return absl::StrCat("; leat status ", target,
                      " shows what the cluster is doing");
}

// Returns text that says how long a step may take, and where to look meanwhile.
std::string LimitOfStep(const RunModelOptions& options) {
  const std::string limit =
      options.timeout.has_value()
          ? absl::StrCat(
                ", which may take ",
                absl::FormatDuration(absl::FromChrono(*options.timeout)),
                " (--timeout)")
      : options.session.target.text.empty()
          ? ", which has no time limit (--timeout sets one)"
          : ", which ends after the --max-step-time of leat serve (--timeout "
            "sets a shorter limit)";
  return absl::StrCat(limit, WhereToLook(options));
}

// Until the result is destroyed, writes notices that the command is waiting for
// `what()`. `what` is called on another thread. `timers` is borrowed.
WaitNotices NoticesOf(std::function<std::string()> what,
                      const RunModelOptions& options, TimerQueue& timers) {
  return WaitNotices(timers, options.session.on_waiting,
                     [what = std::move(what)](Clock::duration) {
                       return absl::StrCat("this command is waiting for ",
                                           what());
                     });
}

absl::Status RunInit(const Model& model, Session& session,
                     const RunModelOptions& options, TimerQueue& timers) {
  {
    const WaitNotices notices = NoticesOf(
        [&options] {
          return absl::StrCat("the initialization of the model",
                              OnTarget(options), LimitOfStep(options));
        },
        options, timers);
    LEAT_RETURN_IF_ERROR(
        Initialize(model.saved(), session, {.timeout = options.timeout}));
  }
  if (options.init.empty()) return absl::OkStatus();
  const WaitNotices notices = NoticesOf(
      [&options] {
        return absl::StrCat("the step of --init", OnTarget(options),
                            LimitOfStep(options));
      },
      options, timers);
  RunArgs args;
  args.targets = TensorNames(options.init);
  args.options.timeout = options.timeout;
  return session.Run(args).status();
}

absl::StatusOr<Callable> MakeStep(Session& session,
                                  const StepSignature& signature,
                                  const RunModelOptions& options,
                                  const RunModelRecords& records,
                                  TimerQueue& timers) {
  const WaitNotices notices = NoticesOf(
      [&options] {
        const bool is_local = options.session.target.text.empty();
        return absl::StrCat("the plan of the steps", OnTarget(options),
                            is_local
                                ? ""
                                : ", which may wait for other tasks as long as "
                                  "--setup-timeout of leat serve allows",
                            WhereToLook(options));
      },
      options, timers);
  CallableArgs args;
  args.feeds = TensorNames(signature.feeds);
  args.fetches = TensorNames(signature.fetches);
  args.targets = TensorNames(signature.targets);
  args.options.timeout = options.timeout;
  if (records.trace != nullptr || records.metadata != nullptr) {
    args.options.trace_level = TraceLevel::kFull;
  }
  args.options.output_partition_graphs = records.metadata != nullptr;
  return session.MakeCallable(args);
}

// Moves the fetched values to files or to `result`. The fetches of the command
// line may include targets, which have no value.
absl::Status TakeFetches(const std::vector<NameAndFile>& wanted,
                         const StepSignature& signature,
                         const std::vector<Tensor>& values,
                         RunModelResult& result) {
  size_t next = 0;
  for (const NameAndFile& fetch : wanted) {
    if (next == values.size()) break;
    if (fetch.tensor != signature.fetches[next]) continue;
    if (fetch.file.empty()) {
      result.fetched.emplace_back(fetch.name, values[next]);
    } else {
      LEAT_RETURN_IF_ERROR(WriteNpy(values[next], fetch.file));
    }
    ++next;
  }
  return absl::OkStatus();
}

// Holds the feeds and the signature of every step. `wanted` has the fetches of
// the command line, which may include targets.
struct StepsToRun {
  Inputs inputs = {};
  StepSignature signature = {};
  std::vector<NameAndFile> wanted = {};
};

// Runs the steps in a session that has just been made.
absl::StatusOr<RunModelResult> RunSteps(const Model& model, Session& session,
                                        const StepsToRun& to_run,
                                        const RunModelOptions& options,
                                        const RunModelRecords& records,
                                        TimerQueue& timers) {
  LEAT_RETURN_IF_ERROR(RunInit(model, session, options, timers));
  LEAT_ASSIGN_OR_RETURN(
      const Callable step,
      MakeStep(session, to_run.signature, options, records, timers));
  const bool records_any =
      records.trace != nullptr || records.metadata != nullptr;
  const Clock& clock = timers.clock();
  RunModelResult result;
  std::vector<Tensor> values;
  pb::RunMetadata metadata;
  {
    std::atomic<int64_t> number = 0;  // of the step that runs
    WaitNotices notices = NoticesOf(
        [&options, &number] {
          return absl::StrCat("step ", number.load(std::memory_order_relaxed),
                              " of ", options.steps, OnTarget(options),
                              LimitOfStep(options));
        },
        options, timers);
    for (; result.steps < options.steps; ++result.steps) {
      const Clock::time_point started = clock.Now();
      number.store(result.steps + 1, std::memory_order_relaxed);
      notices.Restart(started);
      LEAT_ASSIGN_OR_RETURN(values, step(to_run.inputs.values,
                                         records_any ? &metadata : nullptr));
      // Recording a step takes about as long as running it, so the time of
      // recording is left out.
      result.step_time += records_any ? DurationOf(metadata.step_stats())
                                      : clock.Now() - started;
      if (records.trace != nullptr) {
        records.trace->AddStep(metadata.step_stats());
      }
    }
  }
  Info(records,
       absl::StrCat(result.steps, " steps were run in ",
                    absl::FormatDuration(absl::FromChrono(result.step_time))));
  if (records.metadata != nullptr) *records.metadata = std::move(metadata);
  LEAT_RETURN_IF_ERROR(
      TakeFetches(to_run.wanted, to_run.signature, values, result));
  return result;
}

// Closes the session. This takes a long time if the target does not answer.
void CloseSession(Session& session, const RunModelOptions& options,
                  TimerQueue& timers) {
  const WaitNotices notices = NoticesOf(
      [&options] {
        if (options.session.target.text.empty()) {
          return std::string("the end of its session");
        }
        const std::chrono::nanoseconds limit =
            RemoteSessionOptions().close_timeout;
        return absl::StrCat("the end of its session", OnTarget(options),
                            ", for at most ",
                            absl::FormatDuration(absl::FromChrono(limit)));
      },
      options, timers);
  session.Close().IgnoreError();
}

}  // namespace

absl::StatusOr<RunModelResult> RunModel(const RunModelOptions& options,
                                        const RunModelRecords& records) {
  StepsToRun to_run;
  for (const std::string& fetch : options.fetches) {
    LEAT_ASSIGN_OR_RETURN(to_run.wanted.emplace_back(),
                          ParseNameAndFile(kFetch, fetch));
  }
  LEAT_ASSIGN_OR_RETURN(to_run.inputs, ReadFeeds(options.feeds));
  LEAT_ASSIGN_OR_RETURN(const Model model, Model::Load(options.model));
  const Graph& graph = model.graph();
  LEAT_RETURN_IF_ERROR(FindTensors(model, to_run.inputs, to_run.wanted));
  std::vector<std::string> tensors;
  for (const NameAndFile& fetch : to_run.wanted)
    tensors.push_back(fetch.tensor);
  to_run.signature = MakeSignature(graph, to_run.inputs.names, tensors);
  LEAT_RETURN_IF_ERROR(
      CheckHasWork(graph, to_run.signature, options.model.path));
  Info(records,
       absl::StrCat("the graph of '", options.model.path,
                    "' is loaded and has ", graph.NodeIds().size(), " nodes"));
  absl::StatusOr<std::shared_ptr<Session>> made =
      options.new_session != nullptr
          ? options.new_session(graph, options.session)
          : NewSession(graph, options.session);
  if (!made.ok()) return Model::WithHint(made.status());
  const std::shared_ptr<Session> session = *std::move(made);
  Info(records, absl::StrCat("a session is made on ",
                             options.session.target.text.empty()
                                 ? options.session.devices
                                 : options.session.target.text));
  TimerQueue timers("leat-notices",
                    options.clock != nullptr ? *options.clock : RealClock());
  absl::StatusOr<RunModelResult> result =
      RunSteps(model, *session, to_run, options, records, timers);
  CloseSession(*session, options, timers);
  return result;
}

}  // namespace leat
