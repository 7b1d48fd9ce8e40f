// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// CutRecords gives a RecordFormat bytes that come in pieces. A test and fuzz
// targets use it.
#ifndef LEAT_TESTS_KERNELS_CODECS_CUT_RECORDS_H_
#define LEAT_TESTS_KERNELS_CODECS_CUT_RECORDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "leat/core/check.h"
#include "leat/kernels/codecs/record_format.h"

namespace leat::testing {

// Calls `take` with each record. Returns OK after the last one, or the error of
// the format. Ends the process if the format does not use up a piece, or finds
// no end.
template <class Take>
absl::Status CutRecords(RecordFormat& format,
                        const std::vector<std::string>& pieces, Take take) {
  for (size_t i = 0; i <= pieces.size(); ++i) {
    const bool is_last = i == pieces.size();
    absl::string_view bytes = is_last ? "" : absl::string_view(pieces[i]);
    for (;;) {
      Record record;
      const absl::StatusOr<Cut> cut = format.Next(bytes, is_last, record);
      if (!cut.ok()) return cut.status();
      if (*cut == Cut::kEnd) return absl::OkStatus();
      if (*cut == Cut::kNeedsBytes) break;
      take(record);
    }
    LEAT_CHECK(bytes.empty() && !is_last);
  }
  return absl::OkStatus();
}

// Returns pieces of `size` bytes. The last one may be shorter.
inline std::vector<std::string> InPieces(absl::string_view bytes, size_t size) {
  std::vector<std::string> pieces;
  for (; !bytes.empty(); bytes.remove_prefix(pieces.back().size())) {
    pieces.emplace_back(bytes.substr(0, size));
  }
  return pieces;
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_KERNELS_CODECS_CUT_RECORDS_H_
