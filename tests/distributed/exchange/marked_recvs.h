// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Builds graphs of _Recv nodes that a master has put into bundles
// (partitioner/bundles.h), and the RecvBundles of such graphs.
#ifndef LEAT_TESTS_DISTRIBUTED_EXCHANGE_MARKED_RECVS_H_
#define LEAT_TESTS_DISTRIBUTED_EXCHANGE_MARKED_RECVS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/distributed/exchange/recv_bundles.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/partitioner/bundles.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::testing {

// Describes a _Recv of a float and the attrs that matter for bundles.
struct MarkedRecv {
  std::string tensor = {};
  // Is the number of the bundle. If `bundle` has no value, the _Recv is in no
  // bundle.
  std::optional<int64_t> bundle = 0;
  std::string sender = "/job:ps/replica:0/task:0/device:CPU:0";
  uint64_t incarnation = 0xe607e44825c78fa6;  // negative as int64
  std::string receiver = "/job:worker/replica:0/task:0/device:CPU:0";
  bool waits = false;  // for the node "first"
};

// Returns the rendezvous key of the tensor that `recv` receives.
inline std::string KeyOf(const MarkedRecv& recv) {
  return RendezvousKey{.send_device = recv.sender,
                       .send_incarnation = recv.incarnation,
                       .recv_device = recv.receiver,
                       .tensor_name = recv.tensor}
      .ToString();
}

// Returns the text of the _Recv node.
inline std::string MarkedRecvText(const MarkedRecv& recv,
                                  const std::string& name) {
  std::string attrs =
      Attr("tensor_type", "type: DT_FLOAT") +
      Attr("tensor_name", absl::StrCat("s: \"", recv.tensor, "\"")) +
      Attr("send_device", absl::StrCat("s: \"", recv.sender, "\"")) +
      Attr("send_device_incarnation",
           absl::StrCat("i: ", static_cast<int64_t>(recv.incarnation))) +
      Attr("recv_device", absl::StrCat("s: \"", recv.receiver, "\""));
  if (recv.bundle.has_value()) {
    attrs += Attr(kBundleAttr, absl::StrCat("i: ", *recv.bundle));
  }
  std::vector<std::string> inputs;
  if (recv.waits) inputs.push_back("^first");
  return NodeText(name, "_Recv", inputs, attrs);
}
// Returns the text of the node "first". A _Recv whose `waits` is true waits for
// this node.
inline std::string FirstText() { return NodeText("first", "NoOp"); }

// Imports the graph and returns its bundles. Fails the test if the graph cannot
// be imported.
inline std::shared_ptr<const RecvBundles> BundlesOfText(
    const std::string& text) {
  absl::StatusOr<Graph> graph = ImportGraphDef(ParseGraph(text), BuiltinOps(),
                                               {.allow_internal_names = true});
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) graph = Graph(BuiltinOps());
  return std::make_shared<const RecvBundles>(*graph);
}

// Returns the bundles of a graph that has the node "first" and the nodes
// `recvs`. The nodes `recvs` are named "recv_0", "recv_1" and so on.
inline std::shared_ptr<const RecvBundles> BundlesOf(
    const std::vector<MarkedRecv>& recvs) {
  std::string text = FirstText();
  for (size_t i = 0; i < recvs.size(); ++i) {
    text += MarkedRecvText(recvs[i], absl::StrCat("recv_", i));
  }
  return BundlesOfText(text);
}

}  // namespace leat::testing

#endif  // LEAT_TESTS_DISTRIBUTED_EXCHANGE_MARKED_RECVS_H_
