// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// GraphBytes: what the graph of a client's session takes, as messages, with all
// that is added to it. A value.
#ifndef LEAT_DISTRIBUTED_GRAPH_BYTES_H_
#define LEAT_DISTRIBUTED_GRAPH_BYTES_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"

namespace leat::pb {
class GraphDef;
}  // namespace leat::pb

namespace leat {

class GraphBytes {
 public:
  explicit GraphBytes(int64_t limit) : limit_(limit) {}

  // RESOURCE_EXHAUSTED when there are more than the limit then. Functions of a
  // name that is known, which clients send again each time, count once.
  absl::Status Add(const pb::GraphDef& addition);

 private:
  int64_t limit_;
  int64_t bytes_ = 0;
  absl::flat_hash_set<std::string> functions_;
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_GRAPH_BYTES_H_
