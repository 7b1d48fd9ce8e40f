// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The program `leat` runs graphs, serves as a task, starts and shows clusters,
// looks into checkpoints, and lists ops and devices. See --help.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "leat/core/files/output_file.h"
#include "leat/core/status_macros.h"
#include "leat/graph/io/message_file.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/policy.h"
#include "leat/protos/config.pb.h"
#include "leat/runtime/device_set.h"
#include "leat/runtime/host_memory.h"
#include "leat/tools/checkpoint.h"
#include "leat/tools/device_list.h"
#include "leat/tools/launch.h"
#include "leat/tools/missing_ops.h"
#include "leat/tools/model.h"
#include "leat/tools/op_list.h"
#include "leat/tools/program.h"
#include "leat/tools/run_model.h"
#include "leat/tools/run_report.h"
#include "leat/tools/serve.h"
#include "leat/tools/show_model.h"
#include "leat/tools/status.h"

namespace leat {
namespace {

constexpr char kProgram[] = "leat";
constexpr char kFooter[] =
    "Exit codes: 0, 1 for an error in the graph, its data or a step, 2 for "
    "wrong flags, 3 for wrong devices, policies or --config files, 138 when a "
    "task of --target was lost, after which another try may do better.";
constexpr double kMaxTimeout = 1e9;  // in seconds; about 30 years
constexpr int64_t kMaxMemory = int64_t{1} << 62;

// Holds the values of all flags of all commands.
struct Flags {
  RunModelOptions run = {};
  double timeout = 0;
  double connect_timeout = 60;
  std::string trace = {};
  std::string metadata = {};
  bool stats = false;
  bool no_passes = false;
  bool json = false;
  std::string op = {};
  ModelOptions missing_from = {};
  std::string shown = {};
  GpuFlags gpus = {};
  ServeOptions serve = {};
  LaunchOptions launch = {};
  StatusOptions status = {};
  CheckpointOptions checkpoint = {};
};

void AddSessionFlags(CLI::App& app, Flags& flags) {
  app.add_option("--devices", flags.run.session.devices,
                 "cpu, cpu:N for N CPU devices, or cpu:N,gpu:M for M GPUs "
                 "besides; M may be all")
      ->capture_default_str();
  app.add_option("--memory", flags.run.session.cpu_memory_bytes,
                 DeviceMemoryHelp())
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->check(CLI::Range(int64_t{1}, kMaxMemory));
  AddGpuFlags(app, flags.gpus);
  app.add_flag("--json", flags.json, "Print JSON");
}

CLI::App* AddRun(CLI::App& app, Flags& flags) {
  CLI::App* run = app.add_subcommand("run", "Runs steps of a graph");
  run->footer(kFooter);
  AddModelFlags(*run, flags.run.model);
  run->add_option("--target", flags.run.session.target.text,
                  "grpc://HOST:PORT or unix:///PATH of a task whose cluster "
                  "runs the graph instead of this process");
  run->add_option("--connect-timeout", flags.connect_timeout,
                  "Seconds to wait for --target and the tasks of its cluster")
      ->check(NumberFrom(1e-3, kMaxTimeout))
      ->capture_default_str();
  run->add_option("--feed", flags.run.feeds,
                  "NAME=@FILE.npy: a tensor's value (repeatable)");
  run->add_option("--fetch", flags.run.fetches,
                  "NAME or NAME=@FILE.npy: a tensor to print or to write, or "
                  "an op to run (repeatable) [all outputs of the signature]");
  run->add_option("--init", flags.run.init,
                  "An op to run once before the steps, such as the "
                  "initializer of variables (repeatable)");
  run->add_option("--steps", flags.run.steps, "How many steps to run")
      ->check(IntegerFrom(1, int64_t{1} << 40))
      ->capture_default_str();
  run->add_option("--timeout", flags.timeout, "Seconds that a step may take")
      ->check(NumberFrom(1e-6, kMaxTimeout));
  run->add_option("--policy", flags.run.session.placement_policy,
                  "The policy that places nodes on devices")
      ->capture_default_str();
  run->add_option("--trace", flags.trace,
                  "Write a timeline of all steps (Chrome's trace format; "
                  "Perfetto opens it) to this file");
  run->add_option("--metadata", flags.metadata,
                  "Write TensorFlow's RunMetadata of the last step (step "
                  "stats and partition graphs) to this file; text if it ends "
                  "in .pbtxt");
  run->add_option("--costs", flags.run.session.costs_folder,
                  "A folder to which sampled steps write what nodes cost, for "
                  "planning [nothing is measured]");
  run->add_flag("--no-passes", flags.no_passes,
                "Run the graph as it is, every node that the step needs");
  run->add_flag("--stats", flags.stats, "Print the time that each op took");
  AddSessionFlags(*run, flags);
  return run;
}

absl::StatusOr<std::string> Run(const Flags& flags, const Log& log) {
  RunModelOptions options = flags.run;
  if (flags.no_passes) options.session.optimizer.level = OptimizeLevel::kOff;
  if (flags.timeout > 0) {
    options.timeout = std::chrono::nanoseconds(
        static_cast<int64_t>(std::ceil(flags.timeout * 1e9)));
  }
  options.session.connect_timeout = Seconds(flags.connect_timeout);
  options.session.on_waiting = log.Warner();
  options.session.log = log.Warner();
  // If no timeline is written, only the table of ops is kept.
  Trace trace = flags.trace.empty() ? Trace(0) : Trace();
  pb::RunMetadata metadata;
  RunModelRecords records{.log = &log};
  if (flags.stats || !flags.trace.empty()) records.trace = &trace;
  if (!flags.metadata.empty()) records.metadata = &metadata;
  LEAT_ASSIGN_OR_RETURN(const RunModelResult result,
                        RunModel(options, records));
  if (!flags.trace.empty()) {
    LEAT_RETURN_IF_ERROR(WriteFile(flags.trace, trace.ToChromeJson()));
    if (trace.num_dropped_steps() > 0) {
      log.Warning(absl::StrCat("the last ", trace.num_dropped_steps(), " of ",
                               trace.num_steps(),
                               " steps are not in the timeline, which is "
                               "full"));
    }
  }
  if (!flags.metadata.empty()) {
    LEAT_RETURN_IF_ERROR(WriteMessage(metadata, flags.metadata));
  }
  const Trace* shown = flags.stats ? &trace : nullptr;
  return flags.json ? RunReportJson(result, shown)
                    : RunReportText(result, shown, WantsColor());
}

absl::StatusOr<std::string> ListMissingOps(const Flags& flags) {
  LEAT_ASSIGN_OR_RETURN(SavedModelGraph model,
                        LoadModelGraph(flags.missing_from));
  LEAT_ASSIGN_OR_RETURN(const std::vector<MissingOp> missing,
                        MissingOps(std::move(model.graph)));
  return flags.json ? MissingOpsJson(missing)
                    : MissingOpsText(missing, WantsColor());
}

absl::StatusOr<std::string> ListOps(const Flags& flags) {
  if (!flags.missing_from.path.empty()) return ListMissingOps(flags);
  if (flags.json) return OpListJson(BuiltinOps(), flags.op);
  if (!flags.op.empty()) return OpText(BuiltinOps(), flags.op, WantsColor());
  return OpListText(BuiltinOps(), WantsColor());
}

absl::StatusOr<std::string> ListDevices(const Flags& flags, const Log& log) {
  LEAT_ASSIGN_OR_RETURN(DeviceSetOptions options,
                        ParseDevices(flags.run.session.devices));
  options.cpu_memory_bytes = flags.run.session.cpu_memory_bytes;
  flags.gpus.Set(options);
  options.log = log.Warner();
  return DeviceList(options, {.json = flags.json, .color = WantsColor()});
}

absl::StatusOr<std::string> Show(const Flags& flags) {
  LEAT_ASSIGN_OR_RETURN(const std::vector<ShownGraph> graphs,
                        ReadShownGraphs(flags.shown));
  return flags.json ? ShowModelJson(graphs)
                    : ShowModelText(graphs, WantsColor());
}

absl::Status CheckConfig(const Flags& flags) {
  LEAT_RETURN_IF_ERROR(ParseDevices(flags.run.session.devices).status());
  return BuiltinPolicies().Find(flags.run.session.placement_policy).status();
}

// Runs the command that the user has chosen, except `leat launch`. Returns the
// exit code.
int RunCommand(const CLI::App& app, Flags& flags, Log& log) {
  const auto is_chosen = [&](const char* name) {
    return app.got_subcommand(name);
  };
  if (is_chosen("serve")) return Serve(flags.serve, log);
  if (is_chosen("status")) return ShowStatus(flags.status, log);
  if (is_chosen("checkpoint")) return RunCheckpoint(flags.checkpoint, log);
  if (const absl::Status status = CheckConfig(flags); !status.ok()) {
    return Report(log, status, kExitConfig);
  }
  flags.gpus.Set(flags.run.session);
  const absl::StatusOr<std::string> text = is_chosen("run")   ? Run(flags, log)
                                           : is_chosen("ops") ? ListOps(flags)
                                           : is_chosen("show")
                                               ? Show(flags)
                                               : ListDevices(flags, log);
  if (!text.ok()) {
    const bool is_local = flags.run.session.target.text.empty();
    return Report(log, text.status(),
                  is_local ? kExitError : ExitCodeOnCluster(text.status()));
  }
  return Print(log, *text);
}

int Main(int argc, char** argv) {
  LimitThreadStacks();
  CLI::App app("Runs dataflow graphs, TensorFlow's among them.", kProgram);
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough();  // --config and --version may come after the command
  Flags flags;
  AddRun(app, flags);
  AddServe(app, flags.serve);
  CLI::App* launch = AddLaunch(app, flags.launch);
  AddStatus(app, flags.status);
  AddCheckpoint(app, flags.checkpoint);
  CLI::App* ops = app.add_subcommand("ops", "Lists ops and where they run");
  CLI::Option* name =
      ops->add_option("NAME", flags.op, "Tell all about this op");
  CLI::Option* missing =
      ops->add_option("--missing-from", flags.missing_from.path,
                      "List the ops in this graph (a GraphDef or MetaGraphDef, "
                      "binary or text, or the folder of a SavedModel) for "
                      "which there is no kernel")
          ->excludes(name);
  ops->add_option("--tag", flags.missing_from.tags,
                  "Tag of the SavedModel's graph, if not serve (repeatable)")
      ->needs(missing);
  ops->add_flag("--json", flags.json, "Print JSON");
  CLI::App* show = app.add_subcommand(
      "show", "Lists the graphs of a SavedModel and their signatures");
  show->add_option("MODEL", flags.shown, "The folder of a SavedModel")
      ->required();
  show->add_flag("--json", flags.json, "Print JSON");
  CLI::App* devices =
      app.add_subcommand("devices", "Lists the devices of this process");
  AddSessionFlags(*devices, flags);
  Log log(kProgram);
  const int end = EndOfLaunchFlags(argc, argv);
  if (const auto code = ParseFlags(app, end, argv, log)) return *code;
  if (launch->parsed()) {
    if (end < argc) flags.launch.command.assign(argv + end + 1, argv + argc);
    return WithThreads(log, [&] { return Launch(flags.launch, log); });
  }
  if (end < argc) {
    return Report(log,
                  absl::InvalidArgumentError(
                      "'--' with a program behind it is for leat launch only"),
                  kExitUsage);
  }
  return WithThreads(log, [&] { return RunCommand(app, flags, log); });
}

}  // namespace
}  // namespace leat

int main(int argc, char** argv) { return leat::Main(argc, argv); }
