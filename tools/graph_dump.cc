// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// graph-dump: shows a graph at every stage of planning. See --help.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/status_macros.h"
#include "leat/graph/graph_file.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/policy.h"
#include "leat/runtime/device_set.h"
#include "leat/tools/dump.h"
#include "leat/tools/dump_dot.h"
#include "leat/tools/dump_json.h"
#include "leat/tools/dump_text.h"
#include "leat/tools/files.h"
#include "leat/tools/graph_stages.h"
#include "leat/tools/program.h"

namespace leat {
namespace {

constexpr char kProgram[] = "graph-dump";
constexpr char kAbout[] =
    "Shows a graph as a session's planning sees it: as imported, with every "
    "node on its device, reduced to what a step needs, optimized, and cut into "
    "a graph per device with the tensors sent between them.\n";
constexpr char kFooter[] =
    "On a terminal lines end where it does; in a file they are whole.\n"
    "Without --fetch a step runs every node that nothing else uses.\n"
    "JSON keys: model stage feeds fetches targets shape_problem devices "
    "partitions transfers; tools/dump_json.h describes them.\n"
    "Exit codes: 0, 1 for an error in the graph, 2 for wrong flags, 3 for "
    "wrong devices or policies.";

struct Flags {
  std::string model = {};
  std::vector<std::string> feeds = {};
  std::vector<std::string> fetches = {};
  std::string devices = "cpu";
  std::string policy = kDefaultPolicy;
  std::string stage = "partitioned";
  std::string format = "text";
  std::vector<std::string> expand = {};
};

void AddFlags(CLI::App& app, Flags& flags) {
  app.footer(kFooter);
  app.add_option("MODEL", flags.model,
                 "GraphDef or MetaGraphDef, binary or text")
      ->required();
  app.add_option("--feed", flags.feeds, "Name of a fed tensor (repeatable)");
  app.add_option("--fetch", flags.fetches,
                 "Name of a fetched tensor or an op to run (repeatable)");
  app.add_option("--devices", flags.devices, "cpu, or cpu:N for N CPU devices")
      ->envname("LEAT_DEVICES")
      ->capture_default_str();
  app.add_option("--policy", flags.policy, "Placement policy")
      ->envname("LEAT_POLICY")
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

absl::Status Configure(const Flags& flags, StageOptions& options) {
  LEAT_ASSIGN_OR_RETURN(DeviceSetOptions devices, ParseDevices(flags.devices));
  devices.num_threads = 1;  // nothing runs
  LEAT_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceSet> set,
                        DeviceSet::Create(devices));
  options.devices = set->Infos();
  LEAT_RETURN_IF_ERROR(BuiltinPolicies().Find(flags.policy).status());
  options.placement_policy = flags.policy;
  // The flag's check admits stages only.
  options.stage = ParseStage(flags.stage).value_or(Stage::kPartitioned);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Show(const Flags& flags, StageOptions options) {
  LEAT_ASSIGN_OR_RETURN(const Graph graph,
                        LoadGraph(flags.model, BuiltinOps()));
  options.signature = MakeSignature(graph, flags.feeds, flags.fetches);
  LEAT_ASSIGN_OR_RETURN(const StagedGraph staged, GraphAtStage(graph, options));
  const Dump dump = MakeDump(graph, staged, options, flags.model);
  if (flags.format == "json") return DumpToJson(dump);
  if (flags.format == "dot") return DumpToDot(dump);
  return DumpToText(dump, {.color = WantsColor(),
                           .width = TerminalWidth(),
                           .expand = flags.expand});
}

int Main(int argc, char** argv) {
  CLI::App app(kAbout, kProgram);
  Flags flags;
  AddFlags(app, flags);
  if (const auto code = ParseFlags(app, argc, argv)) return *code;
  StageOptions options;
  if (const absl::Status status = Configure(flags, options); !status.ok()) {
    return Report(kProgram, status, kExitConfig);
  }
  const absl::StatusOr<std::string> text = Show(flags, std::move(options));
  if (!text.ok()) return Report(kProgram, text.status());
  std::cout << *text << std::flush;
  return kExitOk;
}

}  // namespace
}  // namespace leat

int main(int argc, char** argv) { return leat::Main(argc, argv); }
