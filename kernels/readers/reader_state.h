// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReaderState is what a reader saves and restores, as TensorFlow's message
// ReaderBaseState.
//
//   const std::string bytes = SerializeReaderState(counts, "the last file");
//   LEAT_ASSIGN_OR_RETURN(ReaderState state, ParseReaderState(bytes,
//   "reader"));
#ifndef LEAT_KERNELS_READERS_READER_STATE_H_
#define LEAT_KERNELS_READERS_READER_STATE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace leat::kernels {

// Is a value.
struct ReaderCounts {
  int64_t work_started = 0;
  int64_t work_finished = 0;
  int64_t records = 0;  // were given out
};

// Is a value.
struct ReaderState {
  ReaderCounts counts = {};
  // Is the string that the reader took from its queue last, or empty.
  std::string current_work = {};
};

std::string SerializeReaderState(const ReaderCounts& counts,
                                 absl::string_view current_work);

// Reads what SerializeReaderState has returned. Returns INVALID_ARGUMENT, with
// TensorFlow's text, if it is something else, or if the work has not finished.
// `name` names the reader in errors.
absl::StatusOr<ReaderState> ParseReaderState(const std::string& bytes,
                                             absl::string_view name);

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_READER_STATE_H_
