// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunModel does the work of `leat run`. It loads a model, feeds it from .npy
// files, runs steps, and writes the fetched tensors.
#ifndef LEAT_TOOLS_RUN_MODEL_H_
#define LEAT_TOOLS_RUN_MODEL_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/clock.h"
#include "leat/tools/log.h"
#include "leat/tools/model.h"
#include "leat/tools/trace.h"
#include "leat/train/session.h"

namespace leat::pb {
class RunMetadata;
}  // namespace leat::pb

namespace leat {

// Holds the options of RunModel.
struct RunModelOptions {
  ModelOptions model = {};
  // Has "NAME=@FILE.npy" for each fed tensor. Here and in `fetches`, the names
  // are as Model wants them.
  std::vector<std::string> feeds = {};
  // Has "NAME" or "NAME=@FILE.npy" for each fetched tensor, and "NAME" for an
  // op to run. Empty stands for all outputs of the model's signature, if it has
  // one.
  std::vector<std::string> fetches = {};
  // Lists ops to run once before the steps, and after a SavedModel was
  // initialized.
  std::vector<std::string> init = {};
  int64_t steps = 1;
  // Limits the time for each step.
  std::optional<std::chrono::nanoseconds> timeout = {};
  // Holds the options of the session. While RunModel waits for a plan, for a
  // step or for the end of the session, it calls `on_waiting` on another
  // thread.
  SessionOptions session = {};
  // Is the clock that measures step_time and decides when `session.on_waiting`
  // is called. Is borrowed; null stands for the real clock.
  Clock* clock = nullptr;
  // Replaces NewSession in tests.
  std::function<absl::StatusOr<std::shared_ptr<Session>>(
      const Graph& graph, const SessionOptions& session)>
      new_session = {};
};

// Holds the result of RunModel.
struct RunModelResult {
  // Holds the tensors that the last step fetched, in the order of the fetches,
  // except those that were written to files.
  std::vector<std::pair<std::string, Tensor>> fetched = {};
  int64_t steps = 0;
  // Is the time of all steps together. If steps are recorded, this is only the
  // time that their nodes took, because recording a step takes about as long as
  // running it.
  std::chrono::nanoseconds step_time = {};
};

// Says what RunModel records in addition to the fetched values. A null member
// records nothing. All pointers are borrowed.
struct RunModelRecords {
  // Records every step.
  Trace* trace = nullptr;
  // Gets the RunMetadata of the last step, with its partition graphs.
  pb::RunMetadata* metadata = nullptr;
  // Gets messages about the progress.
  const Log* log = nullptr;
};

// Runs the steps, and writes the fetches that have a file. Returns
// INVALID_ARGUMENT, quoting the text, for a feed or a fetch with a wrong form.
// Also returns the errors of Model::Load, ReadNpy, WriteNpy and Session.
absl::StatusOr<RunModelResult> RunModel(const RunModelOptions& options,
                                        const RunModelRecords& records = {});

}  // namespace leat

#endif  // LEAT_TOOLS_RUN_MODEL_H_
