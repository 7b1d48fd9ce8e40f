// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/serve.h"

#include <google/protobuf/stubs/logging.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <utility>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "leat/core/ending_signals.h"
#include "leat/core/files/descriptor_limit.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/server/server.h"
#include "leat/runtime/host_memory.h"
#include "leat/tools/cluster_flags.h"
#include "leat/tools/plan_dump.h"
#include "leat/tools/program.h"

namespace leat {
namespace {

constexpr char kServeFooter[] =
    "Exit codes: 143 after SIGTERM, 130 after SIGINT, 1 when the task cannot "
    "listen, 2 for wrong flags, 3 for a wrong cluster, an address that is "
    "refused, wrong devices or --config files.";
constexpr int64_t kMaxFlagBytes = int64_t{1} << 62;
constexpr int64_t kMaxCount = int64_t{1} << 40;
constexpr int64_t kMaxThreads = 4096;
constexpr int64_t kMaxNesting = 10'000;
constexpr int64_t kMaxChunksInFlight = 1000;

void AddCount(CLI::App& app, const std::string& flag, size_t& value,
              const std::string& help) {
  app.add_option_function<int64_t>(
         flag, [&value](int64_t count) { value = static_cast<size_t>(count); },
         absl::StrCat(help, " [", value, "]"))
      ->check(IntegerFrom(1, kMaxCount))
      ->group("Limits");
}

void AddCount(CLI::App& app, const std::string& flag, int64_t& value,
              const std::string& help) {
  app.add_option(flag, value, help)
      ->check(IntegerFrom(1, kMaxCount))
      ->group("Limits")
      ->capture_default_str();
}

void AddBytes(CLI::App& app, const std::string& flag, int64_t& value,
              const std::string& help, int64_t max = kMaxFlagBytes) {
  app.add_option(flag, value, help)
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->check(CLI::Range(int64_t{1}, max))
      ->group("Limits")
      ->capture_default_str();
}

void AddSeconds(CLI::App& app, const std::string& flag,
                std::chrono::nanoseconds& value, const std::string& help) {
  const bool is_limited = value != std::chrono::nanoseconds::max();
  const double seconds = std::chrono::duration<double>(value).count();
  app.add_option_function<double>(
         flag, [&value](double given) { value = Seconds(given); },
         absl::StrCat(help, is_limited ? absl::StrCat(" [", seconds, "]")
                                       : " [no limit]"))
      ->check(NumberFrom(1e-3, kMaxSeconds))
      ->group("Limits");
}

// Adds the flags for the limits of graphs. Most of these flags set two limits
// to the same value: the import limit, which holds for every graph that
// arrives, and the lowering limit. The lowering limit holds only for clients'
// graphs, because no other graphs are lowered.
void AddGraphLimits(CLI::App& app, ServerLimits& limits) {
  ImportLimits& import = limits.import;
  LowerLimits& lower = limits.lower;
  const auto both = [&app](const std::string& flag, int64_t& value,
                           int64_t& other, const std::string& help) {
    app.add_option_function<int64_t>(
           flag, [&value, &other](int64_t count) { value = other = count; },
           absl::StrCat(help, " [", value, "]"))
        ->check(IntegerFrom(1, kMaxCount))
        ->group("Limits");
  };
  both("--max-graph-nodes", import.max_nodes, lower.max_nodes,
       "Nodes of a graph, with all function calls inlined");
  both("--max-graph-edges", import.max_edges, lower.max_edges,
       "Edges of a graph");
  both("--max-graph-outputs", import.max_outputs, lower.max_outputs,
       "Outputs of a graph's nodes, all together");
  AddCount(app, "--max-graph-functions", import.max_functions,
           "Functions of a graph");
  AddBytes(app, "--max-attr-bytes", import.max_attr_bytes,
           "Bytes of a constant in a graph");
  AddBytes(app, "--max-total-attr-bytes", import.max_total_attr_bytes,
           "Bytes of all constants in a graph");
  app.add_option_function<int64_t>(
         "--max-nesting",
         [&import, &lower](int64_t depth) {
           import.max_nesting = lower.max_nesting = static_cast<int>(depth);
         },
         absl::StrCat("How deep functions call functions [", import.max_nesting,
                      "]"))
      ->check(IntegerFrom(1, kMaxNesting))
      ->group("Limits");
}

void AddLimits(CLI::App& app, ServerLimits& limits) {
  AddBytes(app, "--max-message-bytes", limits.max_message_bytes,
           "Bytes of one message", INT32_MAX);
  AddBytes(app, "--max-transport-bytes", limits.max_transport_bytes,
           "Bytes of all messages that are being received; by default two "
           "tenths of what this process may take, at most 4 GiB");
  AddCount(app, "--max-connections", limits.max_connections,
           "Connections that are open, if the process may open so many "
           "descriptors");
  app.add_option_function<int64_t>(
         "--max-connections-per-address",
         [&limits](int64_t count) {
           limits.max_connections_per_address = static_cast<size_t>(count);
         },
         "Connections that are open with one IP address [half of "
         "--max-connections]")
      ->check(IntegerFrom(1, kMaxCount))
      ->group("Limits");
  AddSeconds(app, "--handshake-timeout", limits.handshake_timeout,
             "Seconds within which a peer that has connected must begin to "
             "speak");
  AddGraphLimits(app, limits);
  AddBytes(app, "--max-graph-bytes", limits.max_graph_bytes,
           "Bytes of a client's graph, with what is added to it");
  AddCount(app, "--max-sessions", limits.max_sessions,
           "Sessions of clients that this task is the master of");
  AddSeconds(app, "--session-idle", limits.session_idle,
             "Seconds after which a session that nobody uses is closed");
  AddSeconds(app, "--session-idle-when-full", limits.session_idle_when_full,
             "Seconds that a session must have been idle to be closed when a "
             "client wants a session beyond --max-sessions");
  AddSeconds(app, "--max-step-time", limits.max_step_time,
             "Seconds that a step of a client may take");
  AddSeconds(app, "--setup-timeout", limits.setup_timeout,
             "Seconds that other tasks get to create a session or to take a "
             "graph");
  AddSeconds(app, "--answer-timeout", limits.answer_timeout,
             "Seconds that other tasks get to say how they are, and to forget "
             "steps, graphs, sessions and containers");
  AddCount(app, "--max-worker-sessions", limits.max_worker_sessions,
           "Sessions of masters on this task");
  AddCount(app, "--max-graphs", limits.max_graphs, "Graphs of a session");
  AddSeconds(
      app, "--master-silence", limits.master_silence,
      "Seconds after which the sessions of a master that does not answer "
      "end on this task");
  app.add_option(
         "--max-session-bytes", limits.max_session_bytes,
         absl::StrCat(
             "Bytes of the live tensors of a session on this task: what "
             "its steps make, receive and are fed with, and what it "
             "leaves in variables [what the devices have: ",
             DefaultDeviceBytes(), "]"))
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->check(CLI::Range(int64_t{1}, kMaxFlagBytes))
      ->group("Limits");
  AddCount(app, "--max-queue-elements", limits.max_queue_elements,
           "Elements of a queue, whatever its capacity, times the tensors of "
           "each element");
  AddCount(app, "--max-waiting-steps", limits.max_waiting_steps,
           "Steps that peers wait for before they begin");
  AddSeconds(app, "--waiting-step-timeout", limits.waiting_step_timeout,
             "Seconds that peers wait for a step that does not begin");
  AddCount(app, "--max-tombstones", limits.max_tombstones,
           "Ended steps that are remembered");
  AddSeconds(app, "--step-linger", limits.step_linger,
             "Seconds that peers may fetch from a step that has succeeded");
  AddCount(
      app, "--max-rendezvous-entries", limits.max_rendezvous_entries,
      "Tensors of a step that nobody has taken or that are waited for, and "
      "keys that were used outside of loops");
  AddCount(app, "--max-request-ids", limits.max_request_ids,
           "Requests of each method that are remembered, so that none is "
           "served twice");
}

// Adds the flags for receiving large tensors from other tasks of Leat.
void AddChunks(CLI::App& app, ChunkOptions& chunks) {
  AddBytes(app, "--max-inline-bytes", chunks.inline_bytes,
           "Bytes of a tensor that another task of Leat sends in one piece");
  AddBytes(app, "--chunk-bytes", chunks.chunk_bytes,
           "Bytes of the pieces of larger tensors", kMaxChunkBytes);
  app.add_option("--chunks-in-flight", chunks.in_flight,
                 "Pieces of a tensor that are on their way at a time")
      ->check(IntegerFrom(1, kMaxChunksInFlight))
      ->group("Limits")
      ->capture_default_str();
}

// Adds the flags about dumps of plans.
void AddDump(CLI::App& app, ServeOptions& options) {
  app.add_option("--dump-dir", options.dump_dir,
                 "A folder for the plans of clients' steps: what each task "
                 "gets, and all of it as graph-dump shows it [no plan is "
                 "written]")
      ->check(CLI::Validator(
          [](const std::string& value) {
            return std::string(PlanDump::CheckFolder(value).message());
          },
          "FOLDER"));
  app.add_option("--max-dumped-plans", options.max_dumped_plans,
                 "How many plans are written to --dump-dir; later ones are not")
      ->check(IntegerFrom(1, kMaxCount))
      ->capture_default_str();
}

// Returns access to the files below the roots. Returns INVALID_ARGUMENT if one
// is not a folder that this process may open.
absl::StatusOr<FileAccess> OpenRoots(const std::vector<std::string>& roots) {
  FileAccess files;
  for (absl::string_view root : roots) {
    const bool may_write = absl::ConsumeSuffix(&root, ":rw");
    const absl::Status added = files.AddRoot(std::string(root), may_write);
    if (!added.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--file-root: ", added.message()));
    }
  }
  return files;
}

absl::StatusOr<ServerOptions> MakeOptions(const ServeOptions& options) {
  ServerOptions server;
  LEAT_ASSIGN_OR_RETURN(server.config, ResolveTask(options.cluster));
  LEAT_ASSIGN_OR_RETURN(server.devices, ParseDevices(options.devices));
  LEAT_ASSIGN_OR_RETURN(server.files, OpenRoots(options.file_roots));
  server.devices.num_threads = options.threads;
  server.devices.cpu_memory_bytes = options.memory;
  server.devices.costs_folder = options.costs;
  options.gpus.Set(server.devices);
  server.bind = options.bind;
  server.insecure = options.insecure;
  server.limits = options.limits;
  server.chunks = options.chunks;
  server.version = ShortVersionText();
  return server;
}

// Reports why the task cannot start. INVALID_ARGUMENT means that the user has
// asked for something wrong, so another start would fail, too.
int ReportStart(const Log& log, const absl::Status& status) {
  return Report(log, status,
                absl::IsInvalidArgument(status) ? kExitConfig : kExitError);
}

}  // namespace

CLI::App* AddServe(CLI::App& app, ServeOptions& options) {
  CLI::App* serve =
      app.add_subcommand("serve", "Serves as one task of a cluster");
  serve->footer(kServeFooter);
  AddClusterFlags(*serve, options.cluster,
                  "The job of this task; without flags, TF_CONFIG names the "
                  "cluster and the task");
  serve->add_option("--bind", options.bind,
                    "host:port or unix:/path to listen at; port 0 takes a "
                    "free one [the task's address in the cluster]");
  serve->add_flag("--insecure", options.insecure,
                  "Listen where other machines can reach the task, although "
                  "tasks talk without encryption and obey every caller");
  serve
      ->add_option("--grace", options.grace,
                   "Seconds that running steps get to end after a signal")
      ->check(NumberFrom(0, kMaxSeconds))
      ->capture_default_str();
  serve
      ->add_option("--devices", options.devices,
                   "cpu, cpu:N for N CPU devices, or cpu:N,gpu:M for M GPUs "
                   "besides; M may be all")
      ->capture_default_str();
  serve
      ->add_option("--threads", options.threads,
                   "Threads that compute [one a processor]")
      ->check(IntegerFrom(1, kMaxThreads));
  serve->add_option("--memory", options.memory, DeviceMemoryHelp())
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->check(CLI::Range(int64_t{1}, kMaxFlagBytes));
  AddGpuFlags(*serve, options.gpus);
  serve->add_option(
      "--file-root", options.file_roots,
      "DIR or DIR:rw: graphs may read, or also write, the files below this "
      "folder, and no others (repeatable) [none]");
  serve->add_option("--costs", options.costs,
                    "A folder to which sampled steps write what nodes cost, "
                    "for planning [nothing is measured]");
  AddDump(*serve, options);
  AddLimits(*serve, options.limits);
  AddChunks(*serve, options.chunks);
  return serve;
}

int Serve(const ServeOptions& options, const Log& log) {
  BlockEndingSignals();
  // A write beyond the limit of a file's size (ulimit -f) fails, as on a full
  // disk. Otherwise SIGXFSZ would end the task.
  std::signal(SIGXFSZ, SIG_IGN);
  RaiseDescriptorLimit();
  // A peer that sends bytes that are not a message gets an error, so Protobuf
  // does not have to log that error.
  google::protobuf::SetLogHandler(nullptr);
  // Turns off the search for deadlocks. Debug builds of Abseil, such as
  // Debian's, search at each lock that gRPC takes. The search takes a fifteenth
  // of the time of a small step.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  absl::StatusOr<ServerOptions> server_options = MakeOptions(options);
  if (!server_options.ok()) return ReportStart(log, server_options.status());
  PlanDump plans(options.dump_dir, log, options.max_dumped_plans);
  if (!options.dump_dir.empty()) server_options->plan_observer = &plans;
  server_options->log = log.Warner();
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start(*std::move(server_options));
  if (!server.ok()) return ReportStart(log, server.status());
  const int printed =
      Print(log, absl::StrCat("ready ", (*server)->task().ToString(), " ",
                              (*server)->address(), "\n"));
  if (printed != kExitOk) return printed;
  return StopAtEndingSignal([&](int signal) {
    log.Info(absl::StrCat(signal == SIGTERM ? "SIGTERM" : "SIGINT",
                          " came, and steps get ", options.grace, " s to end"));
    (*server)->Stop(Seconds(options.grace), [&log](absl::string_view message) {
      log.Warning(absl::StrCat(message, "; a second signal ends it at once"));
    });
  });
}

}  // namespace leat
