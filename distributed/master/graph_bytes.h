// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// GraphBytes counts how many bytes the graph of a client's session takes in
// messages, with all of its extensions.
#ifndef LEAT_DISTRIBUTED_MASTER_GRAPH_BYTES_H_
#define LEAT_DISTRIBUTED_MASTER_GRAPH_BYTES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

// Is a value. Is thread-compatible. A copy counts independently of the
// original, so an extension can be tried on a copy.
class GraphBytes {
 public:
  // `limit` is the maximum number of bytes that Add accepts in total.
  explicit GraphBytes(int64_t limit) : limit_(limit) {}

  // Counts `addition`. Clients send all functions again with each extension, so
  // a function with a known name is not counted again. Returns
  // RESOURCE_EXHAUSTED if the graph then takes more than the limit.
  absl::Status Add(const pb::GraphDef& addition);

 private:
  int64_t limit_;
  // Is the number of bytes counted so far.
  int64_t bytes_ = 0;
  // Holds the names of the functions counted so far.
  absl::flat_hash_set<std::string> functions_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_GRAPH_BYTES_H_
