// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The program `graph-dump` shows a graph at every stage of planning. See
// --help.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "leat/core/devices/device.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/cluster/resolver.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/cost_file.h"
#include "leat/partitioner/costs/cost_table.h"
#include "leat/partitioner/costs/measured_costs.h"
#include "leat/partitioner/policy.h"
#include "leat/runtime/device_set.h"
#include "leat/tools/cluster_flags.h"
#include "leat/tools/dumps/dump.h"
#include "leat/tools/dumps/dump_dot.h"
#include "leat/tools/dumps/dump_json.h"
#include "leat/tools/dumps/dump_simulation.h"
#include "leat/tools/dumps/dump_text.h"
#include "leat/tools/dumps/fold.h"
#include "leat/tools/dumps/graph_stages.h"
#include "leat/tools/model.h"
#include "leat/tools/program.h"

namespace leat {
namespace {

constexpr char kProgram[] = "graph-dump";
constexpr char kAbout[] =
    "Shows a graph as a session's planning sees it: as imported, with every "
    "node on its device, reduced to what a step needs, optimized, and cut into "
    "a graph per device with the tensors sent between them. With --cluster or "
    "--cluster-model, shows this for the tasks of a cluster, which need not "
    "exist. With --simulate, predicts how long the step takes there, and "
    "why.\n";
constexpr char kFooter[] =
    "Lines are cut at the width of a terminal; in a file they are whole.\n"
    "Without --fetch a step runs every node that nothing else uses, or the "
    "signature of a SavedModel.\n"
    "JSON keys: model stage feeds fetches targets shape_problem devices "
    "partitions transfers simulation; tools/dumps/dump_json.h describes them.\n"
    "docs/planning.md explains cluster models and the simulation.\n"
    "Exit codes: 0, 1 for an error in the graph, 2 for wrong flags, 3 for "
    "wrong devices, clusters, cluster models, costs, policies or --config "
    "files.";
constexpr char kTaskHelp[] =
    "The task of --cluster whose master plans; nodes that ask for no device go "
    "to this task [the first chief, else the first worker]";

// Holds the values of all flags.
struct Flags {
  ModelOptions model = {};
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::string devices = "cpu";
  ResolverInput cluster = {};
  std::string cluster_model = {};
  bool simulate = false;
  std::string costs = {};
  std::string policy = kDefaultPolicy;
  std::string stage = "partitioned";
  std::string format = "text";
  std::vector<std::string> expand = {};
};

void AddFlags(CLI::App& app, Flags& flags) {
  app.footer(kFooter);
  AddModelFlags(app, flags.model);
  app.add_option("--feed", flags.feeds, "Name of a fed tensor (repeatable)");
  app.add_option("--fetch", flags.fetches,
                 "Name of a fetched tensor or an op to run (repeatable)");
  app.add_option("--devices", flags.devices,
                 "cpu, cpu:N for N CPU devices, or cpu:N,gpu:M for M GPUs "
                 "besides; of a cluster, in each task")
      ->capture_default_str();
  AddClusterFlags(app, flags.cluster, kTaskHelp);
  app.add_option("--cluster-model", flags.cluster_model,
                 "JSON file with hosts, devices and links, which takes the "
                 "place of --devices and --cluster")
      ->excludes(app.get_option("--devices"));
  app.add_flag("--simulate", flags.simulate,
               "Predict the step on the --cluster-model");
  app.add_option("--costs", flags.costs,
                 "A folder of costs that --costs of leat run or leat serve has "
                 "measured, on devices of a kind that the --cluster-model has")
      ->needs(app.get_option("--simulate"));
  app.add_option("--policy", flags.policy,
                 "The policy that places nodes on devices")
      ->capture_default_str();
  app.add_option("--stage", flags.stage, "What to show")
      ->check(CLI::IsMember(StageNames()))
      ->capture_default_str();
  app.add_option("--format", flags.format, "text, dot or json")
      ->check(CLI::IsMember({"text", "dot", "json"}))
      ->capture_default_str();
  app.add_option("--expand", flags.expand,
                 "Name scope to show in full (repeatable), / for all of them");
}

absl::StatusOr<std::vector<DeviceInfo>> FindDevices(const Flags& flags) {
  if (HasClusterFlags(flags.cluster)) {
    return DevicesOfCluster(flags.cluster, flags.devices);
  }
  LEAT_ASSIGN_OR_RETURN(DeviceSetOptions devices, ParseDevices(flags.devices));
  devices.num_threads = 1;  // because nothing runs
  // If the flag gives a number of GPUs, plans for this number, even if this
  // machine has fewer.
  const int num_gpus =
      devices.num_gpus == kAllGpus ? 0 : std::exchange(devices.num_gpus, 0);
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceSet> set,
                        DeviceSet::Create(devices));
  std::vector<DeviceInfo> infos = set->Infos();
  AddNominalDevices(devices.task, kGpu, num_gpus, infos);
  return infos;
}

// Reads the cluster model, if there is one.
absl::StatusOr<std::optional<ClusterModel>> ReadModel(const Flags& flags) {
  if (flags.cluster_model.empty()) {
    if (!flags.simulate) return std::nullopt;
    return absl::InvalidArgumentError(
        "--simulate needs a --cluster-model, which says how fast devices and "
        "links are");
  }
  if (HasClusterFlags(flags.cluster)) {
    return absl::InvalidArgumentError(
        "--cluster-model has the tasks already, so --cluster, --job and --task "
        "cannot be given, too");
  }
  if (flags.simulate && flags.stage != StageName(Stage::kPartitioned)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--simulate needs the stage 'partitioned', not '", flags.stage, "'"));
  }
  return ClusterModel::Load(flags.cluster_model);
}

// Reads the measured costs of --costs into `costs`. Returns INVALID_ARGUMENT if
// no device of the model has a kind on which something was measured.
absl::Status ReadMeasuredCosts(const std::string& folder,
                               const ClusterModel& model, CostTable& costs) {
  LEAT_RETURN_IF_ERROR(ReadCosts(folder, costs));
  const std::vector<std::string> measured = costs.kinds();
  for (const DeviceModel& device : model.devices()) {
    if (absl::c_linear_search(measured, device.kind)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--costs '", folder, "' has no costs of a kind in the cluster model; ",
      measured.empty()
          ? "it has none at all"
          : absl::StrCat("it has those of '", absl::StrJoin(measured, "', '"),
                         "', so name a kind like that")));
}

absl::Status Configure(const Flags& flags, StageOptions& options,
                       std::optional<ClusterModel>& model, CostTable& costs) {
  LEAT_ASSIGN_OR_RETURN(model, ReadModel(flags));
  if (!flags.costs.empty()) {
    LEAT_RETURN_IF_ERROR(ReadMeasuredCosts(flags.costs, *model, costs));
  }
  if (model.has_value()) {
    options.devices = model->DeviceInfos();
  } else {
    LEAT_ASSIGN_OR_RETURN(options.devices, FindDevices(flags));
  }
  LEAT_RETURN_IF_ERROR(BuiltinPolicies().Find(flags.policy).status());
  options.placement_policy = flags.policy;
  // The check of the flag admits only names of stages.
  options.stage = ParseStage(flags.stage).value_or(Stage::kPartitioned);
  return absl::OkStatus();
}

// Warns about scopes that contain no node, because they are probably
// misspelled.
void CheckScopes(const Flags& flags, const Dump& dump, const Log& log) {
  std::vector<std::string> names;
  for (const DumpedPart& part : dump.parts) {
    for (const DumpedNode& node : part.nodes) names.push_back(node.name);
  }
  for (const std::string& scope : flags.expand) {
    if (HasScope(names, scope)) continue;
    log.Warning(absl::StrCat("--expand '", scope, "': the ",
                             StageName(dump.stage),
                             " graph has no node in that scope"));
  }
}

// Returns the signature of the step to show. If the flags name no feeds and no
// fetches, a SavedModel's step feeds and fetches what its signature says.
absl::StatusOr<StepSignature> StepOf(const Model& model, const Flags& flags) {
  const bool is_whole = flags.feeds.empty() && flags.fetches.empty();
  std::vector<std::string> feeds = is_whole ? model.InputKeys() : flags.feeds;
  std::vector<std::string> fetches =
      flags.fetches.empty() ? model.OutputKeys() : flags.fetches;
  for (std::string& name : feeds) {
    LEAT_ASSIGN_OR_RETURN(name, model.FedTensor(name));
  }
  for (std::string& name : fetches) {
    LEAT_ASSIGN_OR_RETURN(name, model.FetchedTensor(name));
  }
  return MakeSignature(model.graph(), std::move(feeds), fetches);
}

absl::StatusOr<std::string> Show(
    const Flags& flags, StageOptions options,
    const std::optional<ClusterModel>& cluster_model,
    const MeasuredCosts& costs, const Log& log) {
  const std::string& path = flags.model.path;
  LEAT_ASSIGN_OR_RETURN(const Model model, Model::Load(flags.model));
  const Graph& graph = model.graph();
  log.Info(absl::StrCat("the graph of '", path, "' is loaded and has ",
                        graph.NodeIds().size(), " nodes"));
  LEAT_ASSIGN_OR_RETURN(options.signature, StepOf(model, flags));
  if (options.stage >= Stage::kPruned) {
    LEAT_RETURN_IF_ERROR(CheckHasWork(graph, options.signature, path));
  }
  absl::StatusOr<StagedGraph> at_stage = GraphAtStage(graph, options);
  if (!at_stage.ok()) return Model::WithHint(at_stage.status());
  const StagedGraph staged = *std::move(at_stage);
  log.Info(absl::StrCat("the graph is planned up to stage '",
                        StageName(options.stage), "' for ",
                        options.devices.size(), " devices"));
  const StageShapes shapes = InferStageShapes(graph, staged, options);
  Dump dump = MakeDump(staged, shapes, options, path);
  if (flags.simulate) {
    LEAT_ASSIGN_OR_RETURN(
        dump.simulation,
        SimulateForDump(staged.parts, shapes.parts, *cluster_model,
                        flags.cluster_model,
                        flags.costs.empty() ? nullptr : &costs));
  }
  if (flags.format == "json") return DumpToJson(dump);
  if (flags.format == "dot") return DumpToDot(dump);
  CheckScopes(flags, dump, log);
  return DumpToText(dump, {.color = WantsColor(),
                           .width = TerminalWidth(),
                           .expand = flags.expand});
}

int Main(int argc, char** argv) {
  CLI::App app(kAbout, kProgram);
  Flags flags;
  AddFlags(app, flags);
  Log log(kProgram);
  if (const auto code = ParseFlags(app, argc, argv, log)) return *code;
  StageOptions options;
  std::optional<ClusterModel> model;
  CostTable costs;
  if (const absl::Status status = Configure(flags, options, model, costs);
      !status.ok()) {
    return Report(log, status, kExitConfig);
  }
  return WithThreads(log, [&]() -> int {
    const absl::StatusOr<std::string> text =
        Show(flags, std::move(options), model, costs, log);
    if (!text.ok()) return Report(log, text.status());
    return Print(log, *text);
  });
}

}  // namespace
}  // namespace leat

int main(int argc, char** argv) { return leat::Main(argc, argv); }
