// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `leat serve`: one task of a cluster, until a signal ends it.
#ifndef LEAT_TOOLS_SERVE_H_
#define LEAT_TOOLS_SERVE_H_

#include <cstdint>
#include <string>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "leat/distributed/limits.h"
#include "leat/distributed/recv_tensor.h"
#include "leat/distributed/resolver.h"
#include "leat/tools/log.h"
#include "leat/tools/plan_dump.h"

namespace leat {

struct ServeOptions {
  ResolverInput cluster = {};
  std::string bind = {};
  bool insecure = false;
  double grace = 25;  // seconds that steps get when the task is to stop
  std::string devices = "cpu";
  int threads = 0;     // 0: one a processor
  int64_t memory = 0;  // bytes of each CPU device; 0: its share
  ServerLimits limits = {};
  ChunkOptions chunks = {};
  std::string dump_dir = {};  // of plans; "": none is written
  int64_t max_dumped_plans = PlanDump::kDefaultMaxPlans;
};

// The command and its flags; `options` must outlive the parsing.
CLI::App* AddServe(CLI::App& app, ServeOptions& options);

// Serves and prints, when it does, "ready /job:ps/replica:0/task:0 ADDRESS".
// SIGTERM or SIGINT stops it; a second one ends the process at once. The exit
// code: 128 and the signal, kExitConfig for a wrong cluster and a refused
// address, kExitError when it cannot listen. REQUIRES: no other threads yet, so
// that none takes the signals.
int Serve(const ServeOptions& options, const Log& log);

}  // namespace leat

#endif  // LEAT_TOOLS_SERVE_H_
