// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// What `leat run` does: loads a graph, feeds it from .npy files, runs steps.
#ifndef LEAT_TOOLS_RUN_MODEL_H_
#define LEAT_TOOLS_RUN_MODEL_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/tools/log.h"
#include "leat/tools/trace.h"
#include "leat/train/session.h"

namespace leat::pb {
class RunMetadata;
}  // namespace leat::pb

namespace leat {

struct RunModelOptions {
  std::string model = {};
  std::vector<std::string> feeds = {};    // "x=@x.npy"
  std::vector<std::string> fetches = {};  // "y", "y=@y.npy"; an op: "train"
  std::vector<std::string> init = {};     // ops run once, before the steps
  int64_t steps = 1;
  std::optional<std::chrono::nanoseconds> timeout = {};  // of each step
  SessionOptions session = {};
};

struct RunModelResult {
  // Of the last step; those without a file, in the order of the fetches.
  std::vector<std::pair<std::string, Tensor>> fetched = {};
  int64_t steps = 0;
  // Of all steps together; where they are recorded, of their nodes alone.
  std::chrono::nanoseconds step_time = {};
};

// What to keep and to say of the steps besides their values; null for nothing.
struct RunModelRecords {
  Trace* trace = nullptr;               // of every step
  pb::RunMetadata* metadata = nullptr;  // of the last step, with partitions
  const Log* log = nullptr;
};

// Writes the fetches that name files. INVALID_ARGUMENT quoting a feed that is
// not "NAME=@FILE"; else fails as LoadGraph, ReadNpy and Session do.
absl::StatusOr<RunModelResult> RunModel(const RunModelOptions& options,
                                        const RunModelRecords& records = {});

}  // namespace leat

#endif  // LEAT_TOOLS_RUN_MODEL_H_
