// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadIndexTable and WriteIndexTable read and write the index of a checkpoint.
// The index is a table of LevelDB: a file of keys and values that are sorted by
// key. Stateless, thread-safe.
#ifndef LEAT_CHECKPOINT_INDEX_TABLE_H_
#define LEAT_CHECKPOINT_INDEX_TABLE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/checkpoint/index_memory.h"

namespace leat {

// Pairs of a key and a value.
using IndexEntries = std::vector<std::pair<std::string, std::string>>;

// Returns the entries of the table `bytes`, sorted by key. Reads tables of any
// writer, compressed by Snappy or not. Trusts nothing. Returns DATA_LOSS if the
// table is cut off, if a checksum does not match, if a number is out of range,
// or if the keys are not sorted. The message says what is wrong and where.
// Counts the entries in `memory`, and returns its error if they need too much.
// LevelDB's own reader is not used, because it allocates as much memory as a
// table asks for.
absl::StatusOr<IndexEntries> ReadIndexTable(absl::string_view bytes,
                                            IndexMemory& memory);

// Returns the table with these entries, byte by byte as TensorFlow writes it.
// Returns INVALID_ARGUMENT unless the keys are sorted, and all differ.
absl::StatusOr<std::string> WriteIndexTable(const IndexEntries& entries);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_INDEX_TABLE_H_
