// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/readers/reader_state.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "leat/protos/reader_base.pb.h"

namespace leat::kernels {
namespace {

// Limits how much of a state stands in an error.
constexpr size_t kShownBytes = 1000;

// Returns a text about `state`. Leaves out what is long.
std::string Shown(pb::ReaderBaseState state) {
  std::string& work = *state.mutable_current_work();
  work.resize(std::min(work.size(), kShownBytes));
  if (state.ByteSizeLong() > 2 * kShownBytes) state.DiscardUnknownFields();
  return state.DebugString();
}

}  // namespace

std::string SerializeReaderState(const ReaderCounts& counts,
                                 absl::string_view current_work) {
  pb::ReaderBaseState state;
  state.set_work_started(counts.work_started);
  state.set_work_finished(counts.work_finished);
  state.set_num_records_produced(counts.records);
  state.set_current_work(std::string(current_work));
  return state.SerializeAsString();
}

absl::StatusOr<ReaderState> ParseReaderState(const std::string& bytes,
                                             absl::string_view name) {
  pb::ReaderBaseState state;
  if (!state.ParseFromString(bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Could not parse state for ", name, ": ",
                     absl::CEscape(bytes.substr(0, kShownBytes))));
  }
  if (state.work_started() < 0 || state.work_finished() < 0 ||
      state.num_records_produced() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Unexpected negative value when restoring in ", name, ": ",
                     Shown(state)));
  }
  if (state.work_started() > state.work_finished()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Inconsistent work started vs. finished when restoring in ", name, ": ",
        Shown(state)));
  }
  return ReaderState{.counts = {.work_started = state.work_started(),
                                .work_finished = state.work_finished(),
                                .records = state.num_records_produced()},
                     .current_work = std::move(*state.mutable_current_work())};
}

}  // namespace leat::kernels
