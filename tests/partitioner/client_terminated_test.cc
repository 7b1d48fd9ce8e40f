// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/client_terminated.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/devices/rendezvous.h"
#include "leat/graph/analysis/frames.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/ops.h"
#include "leat/partitioner/plan_step.h"
#include "leat/partitioner/prepare_graph.h"
#include "leat/tests/testing/graph_text.h"

namespace leat::client_terminated_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kWorker = "/job:worker/replica:0/task:0";
const std::string kPs = "/job:ps/replica:0/task:0";
const std::string kWorkerCpu = kWorker + "/device:CPU:0";
const std::string kPsCpu = kPs + "/device:CPU:0";
// This incarnation would be negative if the code treated it as an int64.
constexpr uint64_t kPsIncarnation = 0xe607e44825c78fa6;

std::vector<DeviceInfo> Cluster() {
  return {{.name = kWorkerCpu, .type = "CPU", .incarnation = 7},
          {.name = kPsCpu, .type = "CPU", .incarnation = kPsIncarnation}};
}

std::string PsKey(const std::string& tensor) {
  return absl::StrCat(kPsCpu, ";e607e44825c78fa6;", kPsCpu, ";", tensor,
                      ";0:0");
}
std::string WorkerKey(const std::string& tensor) {
  return absl::StrCat(kWorkerCpu, ";0000000000000007;", kWorkerCpu, ";", tensor,
                      ";0:0");
}

std::vector<std::string> Texts(const std::vector<BoundaryKey>& keys) {
  std::vector<std::string> texts;
  for (const BoundaryKey& key : keys) {
    texts.push_back(
        absl::StrCat(key.index, " ", Name(key.dtype), " ", key.key));
  }
  return texts;
}

std::map<std::string, Partition> PartsOf(GraphBuilder& b,
                                         const StepSignature& signature) {
  PrepareOptions options;
  options.policies = &BuiltinPolicies();
  auto prepared = PrepareGraph(b.Build().value(), Cluster(), options);
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  auto plan = PlanStep(*prepared, signature, Cluster());
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::map<std::string, Partition> parts;
  for (Partition& part : plan->partitions) {
    std::string name = part.name;
    parts.emplace(std::move(name), std::move(part));
  }
  return parts;
}

// Returns the graph that the peer receives.
Graph Sent(const Graph& part) {
  pb::GraphDef message;
  EXPECT_TRUE(ExportGraphDef(part, message, {.assigned_devices = true}).ok());
  auto graph =
      ImportGraphDef(message, BuiltinOps(), {.allow_internal_names = true});
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : Graph(BuiltinOps());
}

std::vector<std::string> Inputs(const Graph& graph, const std::string& name) {
  std::vector<std::string> inputs;
  const Node& node = graph.node(graph.Find(name));
  for (const Endpoint& input : node.inputs) {
    inputs.push_back(graph.node(input.node).name());
  }
  for (const NodeId control : node.controls) {
    inputs.push_back(absl::StrCat("^", graph.node(control).name()));
  }
  return inputs;
}

// On the parameter server, x and z are fed. The tensors -x and z + x are
// fetched, each of them twice. On the worker, w is fed and -w is fetched.
class ArgsToRecvsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GraphBuilder b;
    {
      auto device = b.OnDevice("/job:ps");
      const Output x = b.Placeholder<float>("x");
      const Output z = b.Placeholder<float>("z");
      auto wait = b.ControlDependencies({z.operation()});
      op::Neg(x);
      op::AddV2(z, x);
    }
    {
      auto device = b.OnDevice("/job:worker");
      op::Neg(b.Placeholder(DType::kInt32, "w"));
    }
    parts = PartsOf(b, signature);
    ASSERT_EQ(parts.size(), 2u);
  }

  absl::StatusOr<Boundary> Replace(const std::string& task) {
    return ArgsToRecvs(signature, Cluster(), parts.at(task).graph);
  }

  StepSignature signature = {
      .feeds = {"z", "w:0", "x:0"},
      .fetches = {"AddV2:0", "Neg", "Neg_1:0", "Neg:0", "AddV2:0"}};
  std::map<std::string, Partition> parts;
};

TEST_F(ArgsToRecvsTest, FeedsAndFetchesGetTensorFlowsNamesAndKeys) {
  const auto ps = Replace(kPs);
  ASSERT_TRUE(ps.ok()) << ps.status();
  EXPECT_THAT(Texts(ps->feeds),
              ElementsAre("0 float " + PsKey("z"), "2 float " + PsKey("x:0")));
  EXPECT_THAT(Texts(ps->fetches), ElementsAre("0 float " + PsKey("AddV2:0"),
                                              "1 float " + PsKey("Neg"),
                                              "3 float " + PsKey("Neg:0"),
                                              "4 float " + PsKey("AddV2:0#4")));
  const Graph& graph = parts.at(kPs).graph;
  EXPECT_THAT(Inputs(graph, "Neg"), ElementsAre("_recv_x_0", "^_recv_z_0"));
  EXPECT_THAT(Inputs(graph, "AddV2"), ElementsAre("_recv_z_0", "_recv_x_0"));
  EXPECT_THAT(Inputs(graph, "_send_Neg_0"), ElementsAre("Neg"));
  EXPECT_THAT(Inputs(graph, "_send_Neg_0_1"), ElementsAre("Neg"));
  for (const NodeId id : graph.NodeIds()) {
    const std::string& op = graph.node(id).op();
    EXPECT_FALSE(op == "_Arg" || op == "_Retval") << graph.node(id).name();
  }
  const AttrMap& attrs = graph.node(graph.Find("_recv_x_0")).attrs();
  EXPECT_EQ(attrs.Get<bool>("client_terminated").value(), true);
  EXPECT_EQ(attrs.Get<std::string>("send_device").value(), kPsCpu);
  EXPECT_EQ(attrs.Get<std::string>("recv_device").value(), kPsCpu);
  EXPECT_EQ(attrs.Get<int64_t>("send_device_incarnation").value(),
            static_cast<int64_t>(kPsIncarnation));

  const auto worker = Replace(kWorker);
  ASSERT_TRUE(worker.ok()) << worker.status();
  EXPECT_THAT(Texts(worker->feeds), ElementsAre("1 int32 " + WorkerKey("w:0")));
  EXPECT_THAT(Texts(worker->fetches),
              ElementsAre("2 int32 " + WorkerKey("Neg_1:0")));
}

TEST_F(ArgsToRecvsTest, RoundTrips) {
  const auto sent = Replace(kPs);
  ASSERT_TRUE(sent.ok()) << sent.status();
  Graph graph = Sent(parts.at(kPs).graph);
  const auto received = RecvsToArgs(graph);
  ASSERT_TRUE(received.ok()) << received.status();
  const auto same = [&](const std::vector<BoundaryKey>& here,
                        const std::vector<BoundaryKey>& there,
                        const std::string& op) {
    ASSERT_EQ(here.size(), there.size());
    std::map<std::string, DType> types;
    for (const BoundaryKey& key : there) types[key.key] = key.dtype;
    for (size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(here[i].index, static_cast<int>(i));
      ASSERT_EQ(types.count(here[i].key), 1u) << here[i].key;
      EXPECT_EQ(types[here[i].key], here[i].dtype);
    }
    int count = 0;
    for (const NodeId id : graph.NodeIds()) {
      const Node& node = graph.node(id);
      if (node.op() != op) continue;
      const int64_t index = node.attrs().Get<int64_t>("index").value();
      ASSERT_LT(index, static_cast<int64_t>(here.size()));
      const RendezvousKey key =
          RendezvousKey::Parse(here[static_cast<size_t>(index)].key).value();
      // For example, the tensor is named "x:0" and the node "_recv_x_0".
      EXPECT_THAT(node.name(), HasSubstr(key.tensor_name.substr(
                                   0, key.tensor_name.find_first_of(":#"))));
      EXPECT_EQ(node.attrs().size(), 2u);
      EXPECT_EQ(node.def->device, kPsCpu);
      ++count;
    }
    EXPECT_EQ(count, static_cast<int>(here.size()));
  };
  same(received->feeds, sent->feeds, "_Arg");
  same(received->fetches, sent->fetches, "_Retval");
  EXPECT_THAT(Inputs(graph, "AddV2"), ElementsAre("_recv_z_0", "_recv_x_0"));
}

TEST_F(ArgsToRecvsTest, RefusesWhatIsNotOfTheSignatureOrTheDevices) {
  signature.feeds.pop_back();
  absl::Status status = Replace(kPs).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'_arg_x_0' (_Arg)"),
                    HasSubstr("index 2 is not one of the 2 feeds")));
  signature.feeds = {"z", "w:0", "x:0"};
  status = ArgsToRecvs(signature, {}, parts.at(kWorker).graph).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(kWorkerCpu));
}

// ---- Graphs that a peer sends ----

std::string Ends(const std::string& tensor, const std::string& type,
                 const std::string& device = kPsCpu,
                 const std::string& recv_device = kPsCpu) {
  return Attr(type, "type: DT_FLOAT") + Attr("client_terminated", "b: true") +
         Attr("tensor_name", "s: \"" + tensor + "\"") +
         Attr("send_device", "s: \"" + device + "\"") +
         Attr("recv_device", "s: \"" + recv_device + "\"") +
         Attr("send_device_incarnation", "i: -1");
}

std::string OnPs(std::string nodes) {
  return absl::StrReplaceAll(nodes,
                             {{"node {", "node { device: \"" + kPsCpu + "\""}});
}

std::string Recv(const std::string& name, const std::string& tensor) {
  return OnPs(NodeText(name, "_Recv", {}, Ends(tensor, "tensor_type")));
}

absl::StatusOr<Graph> FromPeer(const std::string& text) {
  return ImportGraphDef(ParseGraph(text), BuiltinOps(),
                        {.allow_internal_names = true});
}

// Returns the error message of the import or of RecvsToArgs, or "OK".
std::string ErrorOf(const std::string& text) {
  auto graph = FromPeer(text);
  if (!graph.ok()) return std::string(graph.status().message());
  const int nodes = graph->num_nodes();
  const absl::Status status = RecvsToArgs(*graph).status();
  if (status.ok()) return "OK";
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(graph->num_nodes(), nodes);
  for (const NodeId id : graph->NodeIds()) {
    EXPECT_FALSE(absl::StartsWith(graph->node(id).name(), "_recv") &&
                 graph->node(id).op() == "_Arg")
        << "it has been changed";
  }
  return std::string(status.message());
}

TEST(RecvsToArgsTest, LeavesWhatGoesToOtherTasks) {
  const std::string others =
      absl::StrReplaceAll(Recv("between", "edge_1_x") +
                              OnPs(NodeText("onwards", "_Send", {"between"},
                                            Ends("edge_2_x", "T"))),
                          {{"b: true", "b: false"}});
  auto graph = FromPeer(others + Recv("_recv_x_0", "x:0"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto boundary = RecvsToArgs(*graph);
  ASSERT_TRUE(boundary.ok()) << boundary.status();
  EXPECT_EQ(graph->node(graph->Find("between")).op(), "_Recv");
  EXPECT_EQ(graph->node(graph->Find("onwards")).op(), "_Send");
  EXPECT_EQ(graph->node(graph->Find("_recv_x_0")).op(), "_Arg");
  EXPECT_THAT(Texts(boundary->feeds),
              ElementsAre(absl::StrCat("0 float ", kPsCpu, ";ffffffffffffffff;",
                                       kPsCpu, ";x:0;0:0")));
  EXPECT_THAT(boundary->fetches, IsEmpty());
}

TEST(RecvsToArgsTest, HostMemoryCountsToo) {
  auto graph = FromPeer(OnPs(
      NodeText("_recv_x_0", "_HostRecv", {}, Ends("x:0", "tensor_type")) +
      NodeText("_send_x_0", "_HostSend", {"_recv_x_0"}, Ends("x:0", "T"))));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto boundary = RecvsToArgs(*graph);
  ASSERT_TRUE(boundary.ok()) << boundary.status();
  EXPECT_EQ(boundary->feeds.size(), 1u);
  EXPECT_EQ(boundary->fetches.size(), 1u);
  EXPECT_EQ(graph->node(graph->Find("_send_x_0")).op(), "_Retval");
}

TEST(RecvsToArgsTest, RefusesTwoFeedsOfOneKey) {
  EXPECT_THAT(
      ErrorOf(Recv("_recv_x_0", "x:0") + Recv("_recv_x_0_1", "x:0")),
      AllOf(HasSubstr("'_recv_x_0_1' (_Recv)"),
            HasSubstr("another feed has its key"), HasSubstr(";x:0;0:0")));
  EXPECT_EQ(ErrorOf(Recv("_recv_x_0", "x:0") + Recv("_recv_x_0_1", "x")), "OK");
}

TEST(RecvsToArgsTest, RefusesTwoFetchesOfOneKey) {
  std::string text = Recv("_recv_x_0", "x:0");
  for (const char* name : {"_send_x_0", "_send_x_0_1"}) {
    text += OnPs(NodeText(name, "_Send", {"_recv_x_0"}, Ends("x:0", "T")));
  }
  EXPECT_THAT(ErrorOf(text), AllOf(HasSubstr("'_send_x_0_1' (_Send)"),
                                   HasSubstr("another fetch has its key")));
}

TEST(RecvsToArgsTest, RefusesMissingAndWrongAttrs) {
  const std::string good = Recv("_recv_x_0", "x:0");
  ASSERT_EQ(ErrorOf(good), "OK");
  for (const char* attr : {"tensor_type", "tensor_name", "send_device",
                           "recv_device", "send_device_incarnation"}) {
    const std::string without = absl::StrReplaceAll(
        good, {{absl::StrCat("\"", attr, "\""), "\"_other\""}});
    EXPECT_THAT(ErrorOf(without),
                AllOf(HasSubstr("_recv_x_0"), HasSubstr(attr)));
    const std::string wrong = absl::StrReplaceAll(
        good, {{absl::StrCat("key: \"", attr, "\" value { "),
                absl::StrCat("key: \"", attr, "\" value { b: true } } attr { ",
                             "key: \"_old_", attr, "\" value { ")}});
    EXPECT_THAT(ErrorOf(wrong), AllOf(HasSubstr("_recv_x_0"), HasSubstr(attr)));
  }
  EXPECT_THAT(ErrorOf(absl::StrReplaceAll(good, {{"b: true", "i: 1"}})),
              AllOf(HasSubstr("_recv_x_0"), HasSubstr("client_terminated")));
  EXPECT_THAT(
      ErrorOf(absl::StrReplaceAll(good, {{"DT_FLOAT", "DT_FLOAT_REF"}})),
      HasSubstr("_recv_x_0"));
}

TEST(RecvsToArgsTest, RefusesWhatIsNoKey) {
  for (const char* tensor : {"", "x;0", "x:0;1:1"}) {
    EXPECT_THAT(ErrorOf(Recv("_recv_x_0", tensor)),
                AllOf(HasSubstr("'_recv_x_0' (_Recv)"),
                      HasSubstr("Invalid rendezvous key")));
  }
}

TEST(RecvsToArgsTest, RefusesDevicesOfOtherTasks) {
  for (const auto& [send, recv] :
       std::vector<std::pair<std::string, std::string>>{{kWorkerCpu, kPsCpu},
                                                        {kPsCpu, kWorkerCpu},
                                                        {kPs, kPsCpu},
                                                        {"/cpu:0", kPsCpu}}) {
    EXPECT_THAT(ErrorOf(OnPs(NodeText("_recv_x_0", "_Recv", {},
                                      Ends("x:0", "tensor_type", send, recv)))),
                AllOf(HasSubstr("'_recv_x_0' (_Recv)"),
                      HasSubstr(send == kPsCpu ? "recv_device" : "send_device"),
                      HasSubstr(send == kPsCpu ? recv : send)));
  }
}

TEST(RecvsToArgsTest, RefusesArgumentsWithoutAKey) {
  const std::string arg =
      NodeText("_arg_x_0", "_Arg", {}, Float() + Attr("index", "i: 0"));
  EXPECT_THAT(ErrorOf(Recv("_recv_x_0", "x:0") + arg),
              HasSubstr("'_arg_x_0' (_Arg)"));
  EXPECT_THAT(ErrorOf(Recv("_recv_x_0", "x:0") +
                      NodeText("_retval_x_0_0", "_Retval", {"_recv_x_0"},
                               Float() + Attr("index", "i: 0"))),
              HasSubstr("'_retval_x_0_0' (_Retval)"));
}

// In a loop, this _Send would send its tensor in every iteration.
TEST(RecvsToArgsTest, RefusesAnEndInsideOfALoop) {
  const std::string frame = Attr("frame_name", "s: \"spin\"");
  const std::string loop =
      Recv("_recv_x_0", "x:0") +
      OnPs(NodeText("enter", "Enter", {"_recv_x_0"}, Float() + frame) +
           NodeText("merge", "Merge", {"enter", "next"},
                    Float() + Attr("N", "i: 2")) +
           NodeText("less", "Less", {"merge", "merge"}, Float()) +
           NodeText("cond", "LoopCond", {"less"}) +
           NodeText("switch", "Switch", {"merge", "cond"}, Float()) +
           NodeText("next", "NextIteration", {"switch:1"}, Float()) +
           NodeText("exit", "Exit", {"switch"}, Float()));
  const auto send = [](const std::string& of) {
    return OnPs(NodeText("_send_y_0", "_Send", {of}, Ends("y:0", "T")));
  };
  EXPECT_EQ(ErrorOf(loop + send("exit")), "OK");
  EXPECT_THAT(ErrorOf(loop + send("switch:1")),
              AllOf(HasSubstr("'_send_y_0' (_Send)"), HasSubstr("'spin'")));
  EXPECT_THAT(ErrorOf(loop + OnPs(NodeText("_recv_z_0", "_Recv", {"^merge"},
                                           Ends("z:0", "tensor_type")))),
              AllOf(HasSubstr("'_recv_z_0' (_Recv)"), HasSubstr("'spin'")));
}

TEST(RecvsToArgsTest, TakesWhatTensorFlowsMasterRegisters) {
  auto graph = LoadGraph(LEAT_TESTS_DIR "/partitioner/registered_graph.pbtxt",
                         BuiltinOps(), {.allow_internal_names = true});
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto boundary = RecvsToArgs(*graph);
  ASSERT_TRUE(boundary.ok()) << boundary.status();
  ASSERT_EQ(boundary->feeds.size(), 1u);
  ASSERT_EQ(boundary->fetches.size(), 1u);
  const std::string pattern = kWorkerCpu + ";[0-9a-f]{16};" + kWorkerCpu + ";";
  EXPECT_THAT(boundary->feeds[0].key,
              ::testing::MatchesRegex(pattern + "x:0;0:0"));
  EXPECT_THAT(boundary->fetches[0].key,
              ::testing::MatchesRegex(pattern + "loss:0;0:0"));
  EXPECT_EQ(graph->node(graph->Find("_recv_x_0")).op(), "_Arg");
  EXPECT_EQ(graph->node(graph->Find("_send_loss_0")).op(), "_Retval");
  int between = 0;
  for (const NodeId id : graph->NodeIds()) {
    if (graph->node(id).op() == "_Recv") ++between;
  }
  EXPECT_EQ(between, 2);  // they receive the weights
}

}  // namespace
}  // namespace leat::client_terminated_test
