// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/examples/shared/checkpoints.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/examples/shared/program.h"
#include "leat/train/saver.h"

namespace leat::examples {
namespace {

constexpr double kLongestInterval = 1e6;  // seconds

}  // namespace

void AddCheckpointFlags(CLI::App& app, CheckpointFlags& flags) {
  app.add_option("--checkpoints", flags.folder,
                 "Folder in which the chief saves the variables; if there are "
                 "checkpoints, the training goes on from the latest one");
  app.add_option("--save-every", flags.save_every,
                 "Seconds between two checkpoints")
      ->check(Number(0.001, kLongestInterval))
      ->capture_default_str();
}

absl::Status AllowCheckpoints(const CheckpointFlags& flags,
                              ServerOptions& server) {
  if (flags.folder.empty()) return absl::OkStatus();
  // `error` is ignored. If the folder cannot be made, AddRoot returns an error.
  std::error_code error;
  std::filesystem::create_directories(flags.folder, error);
  return AsOwnError(server.files.AddRoot(flags.folder, /*may_write=*/true));
}

CheckpointOptions CheckpointsOf(const CheckpointFlags& flags, GraphBuilder& b,
                                const Output& global_step, bool is_chief) {
  if (flags.folder.empty()) return {};
  return {.path = absl::StrCat(flags.folder, "/model.ckpt"),
          .saver = is_chief ? std::make_shared<Saver>(b) : nullptr,
          .global_step = global_step.name(),
          .save_every = std::chrono::nanoseconds(
              static_cast<int64_t>(flags.save_every * 1e9))};
}

}  // namespace leat::examples
