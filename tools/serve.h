// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat serve` runs one task of a cluster until a signal ends it.
#ifndef LEAT_TOOLS_SERVE_H_
#define LEAT_TOOLS_SERVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "leat/distributed/cluster/resolver.h"
#include "leat/distributed/limits.h"
#include "leat/distributed/wire/recv_tensor.h"
#include "leat/tools/log.h"
#include "leat/tools/plan_dump.h"
#include "leat/tools/program.h"

namespace CLI {
class App;
}  // namespace CLI

namespace leat {

// Holds the values of the command's flags, which --help describes.
struct ServeOptions {
  // Is the cluster and the task: --cluster, --job, --task and the environment.
  ResolverInput cluster = {};
  // Is the address to listen at; "" stands for the task's address in the
  // cluster.
  std::string bind = {};
  bool insecure = false;
  // Is the time in seconds for which running steps may continue after a signal.
  double grace = 25;
  // Holds the devices, in the form that ParseDevices takes
  // (runtime/device_set.h).
  std::string devices = "cpu";
  // Is the number of compute threads; 0 stands for one per processor.
  int threads = 0;
  // Limits the bytes that each CPU device may hold; 0 stands for an equal share
  // of the memory that this process may use.
  int64_t memory = 0;
  GpuFlags gpus = {};
  ServerLimits limits = {};
  ChunkOptions chunks = {};
  // Graphs may read the files in these folders. If ":rw" follows the name of a
  // folder, graphs may also write the files in it.
  std::vector<std::string> file_roots = {};
  // Is a folder for what nodes cost, or "" if nothing is measured.
  std::string costs = {};
  // Is a folder for plans (plan_dump.h), or "" for none.
  std::string dump_dir = {};
  int64_t max_dumped_plans = PlanDump::kDefaultMaxPlans;
};

// Adds the command and its flags to `app`. `options` must outlive the parsing
// of the command line.
CLI::App* AddServe(CLI::App& app, ServeOptions& options);

// Runs the task, and prints "ready /job:ps/replica:0/task:0 ADDRESS" as soon as
// it serves. SIGTERM or SIGINT stops the task; a second signal ends the process
// at once.
//
// Returns the exit code: 128 + the signal, kExitConfig for a wrong cluster or
// an address that is refused, kExitError if the task cannot listen. REQUIRES:
// the process has no other threads yet, so that none of them takes the signals.
int Serve(const ServeOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_SERVE_H_
