// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Builds the two graphs of a step that sends a float[1000] tensor named "edge"
// from CPU:0 of one task to CPU:0 of another.
#ifndef LEAT_TESTS_DISTRIBUTED_SERVER_EDGE_GRAPHS_H_
#define LEAT_TESTS_DISTRIBUTED_SERVER_EDGE_GRAPHS_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"

namespace leat::testing {

// Is the size of the tensor.
inline constexpr int64_t kEdgeBytes = 4000;

// Names the tasks at both ends of the edge. `sender_incarnation` is the
// incarnation of the device that sends.
struct Edge {
  std::string sender = {};  // such as "/job:ps/replica:0/task:0"
  uint64_t sender_incarnation = 0;
  std::string receiver = {};
};

// Completes `nodes`, which is the text of some nodes. The last node is a _Send
// or a _Recv without its closing brace and without the attrs that both ops
// have. Appends these, and replaces $0 with the name of the sender and $2 with
// the name of the receiver.
inline std::string WithEndsOf(const Edge& edge, absl::string_view nodes) {
  constexpr char kEnds[] = R"(
    attr { key: "tensor_name" value { s: "edge" } }
    attr { key: "send_device" value { s: "$0/device:CPU:0" } }
    attr { key: "send_device_incarnation" value { i: $1 } }
    attr { key: "recv_device" value { s: "$2/device:CPU:0" } } }
  )";
  return absl::Substitute(absl::StrCat(nodes, kEnds), edge.sender,
                          static_cast<int64_t>(edge.sender_incarnation),
                          edge.receiver);
}

// Returns the text of the sender's GraphDef: a Const and a _Send.
inline std::string SendingGraph(const Edge& edge) {
  return WithEndsOf(edge, R"(
  node { name: "c" op: "Const" device: "$0/device:CPU:0"
    attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "value" value { tensor {
      dtype: DT_FLOAT tensor_shape { dim { size: 1000 } } float_val: 1 } } } }
  node { name: "send" op: "_Send" input: "c" device: "$0/device:CPU:0"
    attr { key: "T" value { type: DT_FLOAT } }
  )");
}

// Returns the text of the receiver's GraphDef: one _Recv.
inline std::string ReceivingGraph(const Edge& edge) {
  return WithEndsOf(edge, R"(
  node { name: "recv" op: "_Recv" device: "$2/device:CPU:0"
    attr { key: "tensor_type" value { type: DT_FLOAT } }
  )");
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_SERVER_EDGE_GRAPHS_H_
