// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that frozen graphs have no state and compute what the original graphs
// compute, both in Leat and in TensorFlow (tests/interop/run_frozen_loops.py).
#include "leat/train/freeze.h"

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/graph/analysis/equal.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/io/graph_file.h"
#include "leat/graph/lowering/lower.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/train/dataset.h"

namespace leat::freeze_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Outputs = std::vector<Output>;
using Loop = absl::Span<const Output>;

std::string Folder() {
  return absl::StrCat(testing::TestsDir(), "/graphs/frozen_loops/");
}

// Returns the ops of all nodes of the graph and of its functions.
std::vector<std::string> Ops(const Graph& graph) {
  std::vector<std::string> ops;
  for (const NodeId id : graph.NodeIds()) ops.push_back(graph.node(id).op());
  for (const auto& [name, function] : graph.functions().functions()) {
    for (const FunctionNode& node : function->nodes) ops.push_back(node.op);
  }
  return ops;
}

void ExpectNoState(const Graph& graph) {
  for (const std::string& op : Ops(graph)) {
    for (const char* const stateful :
         {"VarHandleOp", "VariableV2", "ReadVariableOp", "AssignVariableOp",
          "ResourceGather", "VariableShape"}) {
      EXPECT_NE(op, stateful);
    }
  }
}

std::vector<std::string> FunctionNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const auto& [name, function] : graph.functions().functions()) {
    names.push_back(name);
  }
  return names;
}

std::shared_ptr<Session> SessionOf(const Graph& graph) {
  auto session = NewTestSession(graph, {.devices = {.num_threads = 2}});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *session : nullptr;
}

// Returns a session whose variables are initialized.
std::shared_ptr<Session> ReadySession(const Graph& graph) {
  auto session = SessionOf(graph);
  if (session == nullptr) return nullptr;
  const auto status = session->Run({.targets = {graph.init_op()}}).status();
  EXPECT_TRUE(status.ok()) << status;
  return session;
}

// Freezes `graph` for `outputs` and returns the result. Expects that the
// outputs keep their values for `feeds`.
absl::StatusOr<Graph> FreezeAndCompare(const Graph& graph, Session& session,
                                       const std::vector<TensorName>& outputs,
                                       const std::vector<Feed>& feeds) {
  LEAT_ASSIGN_OR_RETURN(Graph frozen, FreezeVariables(graph, session, outputs));
  ExpectNoState(frozen);
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> expected,
                        session.Run({.feeds = feeds, .fetches = outputs}));
  // A frozen graph that was saved to a file and loaded again must give the same
  // values.
  const TemporaryFolder folder;
  const std::string path = folder.Path("frozen.pb");
  LEAT_RETURN_IF_ERROR(SaveGraph(frozen, path));
  LEAT_ASSIGN_OR_RETURN(const Graph loaded, LoadGraph(path, BuiltinOps()));
  EXPECT_EQ(Difference(frozen, loaded), "");
  LEAT_ASSIGN_OR_RETURN(const std::shared_ptr<Session> stateless,
                        NewTestSession(loaded));
  LEAT_ASSIGN_OR_RETURN(const std::vector<Tensor> values,
                        stateless->Run({.feeds = feeds, .fetches = outputs}));
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(Identical(values[i], expected[i]))
        << outputs[i].text << " is " << values[i].DebugString()
        << " instead of " << expected[i].DebugString();
  }
  return frozen;
}

// The graph applies x -> tanh(x w + bias) `n` times, but omits the bias when
// the sum of x is above `threshold`. The graph also gathers rows of w.
absl::StatusOr<Graph> BuildLoops(bool reads_outside = true) {
  GraphBuilder b;
  const Output n = b.Placeholder<int32_t>("n", Shape{});
  const Output threshold = b.Placeholder<float>("threshold", Shape{});
  const Output x = b.Placeholder<float>("x", Shape{1, 2});
  const Variable w = b.Variable(
      "w", b.Const(Tensor::Of<float>(Shape{2, 2}, {0.5f, -1, 2, 0.25f})));
  const Variable bias =
      b.Variable("bias", b.Const(Tensor::Vector<float>({0.125f, -0.25f})));
  const Output axes = b.Const(Tensor::Vector<int32_t>({0, 1}), "axes");
  const Outputs loop = While(
      {b.Const<int32_t>(0), x}, [&](Loop v) { return op::Less(v[0], n); },
      [&](Loop v) {
        const Output kernel = w.value();
        const Output product = op::MatMul(v[1], kernel);
        const Output next = Cond(
            op::Less(op::Sum(product, axes), threshold),
            [&] {
              const Output added = bias.value();
              return Outputs{product + added};
            },
            [&] { return Outputs{product}; })[0];
        return Outputs{v[0] + 1, op::Tanh(next)};
      });
  AddOp({.op = "Identity", .inputs = {loop[1]}, .name = "y"});
  if (reads_outside) {
    const Output twice = w.value() * 2.0f;
    AddOp({.op = "Identity", .inputs = {twice}, .name = "twice"});
  }
  return b.Build();
}

std::vector<Feed> LoopFeeds(int32_t n, float threshold) {
  return {{"n", Tensor::Scalar(n)},
          {"threshold", Tensor::Scalar(threshold)},
          {"x", Tensor::Of<float>(Shape{1, 2}, {0.5f, -0.75f})}};
}

TEST(FreezeTest, PutsValuesInThePlaceOfVariablesReadInBodies) {
  auto graph = BuildLoops();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  for (const int32_t n : {0, 1, 5}) {
    for (const float threshold : {-9.0f, 0.0f, 9.0f}) {
      auto frozen = FreezeAndCompare(*graph, *session, {"y", "twice"},
                                     LoopFeeds(n, threshold));
      ASSERT_TRUE(frozen.ok()) << frozen.status();
      EXPECT_EQ(frozen->init_op(), "");
      // All reads of a variable use one constant and keep their names.
      EXPECT_EQ(frozen->node(frozen->Find("w")).op(), "Const");
      EXPECT_EQ(frozen->node(frozen->Find("w/Read/ReadVariableOp")).op(),
                "Identity");
    }
  }
}

TEST(FreezeTest, DropsTheFunctionsOfBefore) {
  auto graph = BuildLoops();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  auto frozen = FreezeVariables(*graph, *session, {"y"});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  EXPECT_EQ(FunctionNames(*frozen).size(), 4u);
  auto without = FreezeVariables(*graph, *session, {"twice"});
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_THAT(FunctionNames(*without), IsEmpty());
}

TEST(FreezeTest, BuildsTheGraphThatTensorFlowRan) {
  auto graph = BuildLoops();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  auto frozen = FreezeVariables(*graph, *session, {"y", "twice"});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const auto committed = LoadGraph(Folder() + "leat.pbtxt", BuiltinOps());
  ASSERT_TRUE(committed.ok()) << committed.status();
  const std::string difference = Difference(*frozen, *committed);
  if (difference.empty()) return;
  const std::string written =
      absl::StrCat(::testing::TempDir(), "frozen_loops_", getpid(), ".pbtxt");
  ASSERT_EQ(SaveGraph(*frozen, written), absl::OkStatus());
  FAIL() << difference << "\nIf this is meant, copy " << written << " to "
         << Folder() << "leat.pbtxt and run tests/interop/run_frozen_loops.py";
}

// Runs the steps that expected.txt lists for graph `name`, and compares the
// results. A line of the file has a name, the feeds `n` and `threshold`, and
// two expected values.
void ExpectTensorFlowsNumbers(const std::string& name, Session& session) {
  std::ifstream file(Folder() + "expected.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] != name) continue;
    SCOPED_TRACE(line);
    ASSERT_EQ(words.size(), 5u);
    int32_t n = 0;
    float threshold = 0;
    ASSERT_TRUE(absl::SimpleAtoi(words[1], &n));
    ASSERT_TRUE(absl::SimpleAtof(words[2], &threshold));
    const auto result =
        session.Run({.feeds = LoopFeeds(n, threshold), .fetches = {"y"}});
    ASSERT_TRUE(result.ok()) << result.status();
    const absl::Span<const float> values = (*result)[0].data<float>();
    ASSERT_EQ(values.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
      float want = 0;
      ASSERT_TRUE(absl::SimpleAtof(words[3 + i], &want));
      EXPECT_NEAR(values[i], want, 1e-6f);
    }
    ++lines;
  }
  EXPECT_EQ(lines, 9);
}

TEST(FreezeTest, GivesTensorFlowsNumbers) {
  const auto frozen = LoadGraph(Folder() + "leat.pbtxt", BuiltinOps());
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  auto session = SessionOf(*frozen);
  ASSERT_NE(session, nullptr);
  ExpectTensorFlowsNumbers("leat", *session);
}

TEST(FreezeTest, FreezesLoopsThatTensorFlowWrote) {
  for (const bool is_lowered : {false, true}) {
    auto graph = LoadGraph(Folder() + "tensorflow.pbtxt", BuiltinOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    // LowerFunctions replaces the loops by the primitives of TensorFlow 1. Then
    // Enter and Switch nodes have the variables' handles as inputs.
    if (is_lowered) {
      ASSERT_EQ(LowerFunctions(*graph), absl::OkStatus());
    }
    auto session = SessionOf(*graph);
    ASSERT_NE(session, nullptr);
    ASSERT_TRUE(session->Run({.targets = {"init"}}).ok());
    auto frozen = FreezeAndCompare(*graph, *session, {"y"}, LoopFeeds(3, 0.0f));
    ASSERT_TRUE(frozen.ok()) << frozen.status();
    EXPECT_THAT(Ops(*frozen), Contains(is_lowered ? "Enter" : "While"));
    auto stateless = SessionOf(*frozen);
    ASSERT_NE(stateless, nullptr);
    ExpectTensorFlowsNumbers("tensorflow", *stateless);
  }
}

TEST(FreezeTest, ReadsAVariableThatOnlyBodiesRead) {
  auto graph = BuildLoops(/*reads_outside=*/false);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const NodeId id : graph->NodeIds()) {
    if (graph->node(id).op() == "ReadVariableOp") graph->Remove(id);
  }
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  for (int i = 0; i < 2; ++i) {
    auto frozen = FreezeAndCompare(*graph, *session, {"y"}, LoopFeeds(2, 0.0f));
    ASSERT_TRUE(frozen.ok()) << frozen.status();
  }
}

TEST(FreezeTest, GathersAndShapesOfVariablesAreThoseOfTheirValues) {
  GraphBuilder b;
  const Output i = b.Placeholder<int32_t>("i", Shape{});
  const Variable w = b.Variable(
      "w", b.Const(Tensor::Of<float>(Shape{3, 2}, {1, 2, 3, 4, 5, 6})));
  const auto rows = [&] {
    const Output row = AddOp({.op = "ResourceGather",
                              .inputs = {w.handle(), i},
                              .attrs = {{"dtype", DType::kFloat},
                                        {"Tindices", DType::kInt32}}})
                           .output(0);
    const Output shape =
        AddOp({.op = "VariableShape", .inputs = {w.handle()}}).output(0);
    return Outputs{row, shape};
  };
  const Outputs outside = rows();
  const Outputs inside = Cond(op::Less(i, 5), rows, [&] {
    return Outputs{w.value(), b.Const(Tensor::Vector<int32_t>({}))};
  });
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  auto frozen = FreezeAndCompare(*graph, *session,
                                 {outside[0], outside[1], inside[0], inside[1]},
                                 {{"i", Tensor::Scalar<int32_t>(2)}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
}

// The function is called with variables of two shapes.
TEST(FreezeTest, CopiesAFunctionForEachTypeOfItsArguments) {
  auto graph = BuildLoops();
  ASSERT_TRUE(graph.ok()) << graph.status();
  Function read;
  read.signature.name = "read";
  read.signature.inputs = {{.name = "v", .type = DType::kResource}};
  read.signature.outputs = {{.name = "value", .type = DType::kFloat}};
  read.nodes = {{.name = "read",
                 .op = "ReadVariableOp",
                 .inputs = {"v"},
                 .attrs = {{"dtype", DType::kFloat}}}};
  read.returns = {{"value", "read:value:0"}};
  ASSERT_EQ(graph->functions().Add(std::make_shared<const Function>(read)),
            absl::OkStatus());
  const auto call = [&](const char* name, const char* variable,
                        bool is_by_name) {
    NodeDef def{.name = name};
    if (is_by_name) {
      def.op = &graph->functions().Find("read")->signature;
    } else {
      def.op = BuiltinOps().Find("PartitionedCall");
      def.attrs = {{"Tin", std::vector<DType>{DType::kResource}},
                   {"Tout", std::vector<DType>{DType::kFloat}},
                   {"f", FunctionRef{.name = "read"}}};
    }
    return graph->Add(def, {Endpoint{graph->Find(variable), 0}}).status();
  };
  ASSERT_EQ(call("a", "w", false), absl::OkStatus());
  ASSERT_EQ(call("b", "bias", false), absl::OkStatus());
  ASSERT_EQ(call("c", "bias", true), absl::OkStatus());
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  auto frozen = FreezeAndCompare(*graph, *session, {"a", "b", "c"}, {});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  EXPECT_THAT(FunctionNames(*frozen),
              UnorderedElementsAre("read_frozen", "read_frozen_1"));
}

TEST(FreezeTest, FreezesReferenceVariables) {
  GraphBuilder b;
  const Output n = b.Placeholder<int32_t>("n", Shape{});
  const Variable w = b.Variable("w", b.Const(3.0f), {.use_resource = false});
  const Output y = While(
      {b.Const<int32_t>(0), b.Const(1.0f)},
      [&](Loop v) { return op::Less(v[0], n); },
      [&](Loop v) {
        return Outputs{v[0] + 1, v[1] * w.value()};
      })[1];
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  auto frozen = FreezeAndCompare(*graph, *session, {y},
                                 {{"n", Tensor::Scalar<int32_t>(3)}});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
}

std::string FreezeError(const Graph& graph, const TensorName& output) {
  auto session = SessionOf(graph);
  if (session == nullptr) return "";
  EXPECT_TRUE(session->Run({.targets = {"init"}}).ok());
  const absl::Status status =
      FreezeVariables(graph, *session, {output}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(FreezeTest, RefusesABodyThatWritesAVariable) {
  const auto graph = LoadGraph(
      testing::TestsDir() + "/graphs/functional/while_with_resource.pbtxt",
      BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(FreezeError(*graph, "i"),
              AllOf(HasSubstr("'v'"), HasSubstr("'AssignVariableOp'"),
                    HasSubstr("while_body")));
}

TEST(FreezeTest, RefusesWhatMayBeOneVariableOrAnother) {
  GraphBuilder b;
  const Variable w = b.Variable("w", b.Const(1.0f));
  const Variable v = b.Variable("v", b.Const(Tensor::Vector<float>({1, 2})));
  const Output n = b.Placeholder<int32_t>("n", Shape{});
  // The handles are swapped in every iteration.
  const Output last = While(
      {b.Const<int32_t>(0), w.handle(), v.handle()},
      [&](Loop l) { return op::Less(l[0], n); },
      [&](Loop l) {
        return Outputs{l[0] + 1, l[2], l[1]};
      })[1];
  const Output y = AddOp({.op = "ReadVariableOp",
                          .inputs = {last},
                          .attrs = {{"dtype", DType::kFloat}},
                          .name = "y"})
                       .output(0);
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(FreezeError(*graph, y), HasSubstr("in an iteration"));
}

TEST(FreezeTest, AChoiceOfHandlesIsAChoiceOfValues) {
  GraphBuilder b;
  const Output p = b.Placeholder<bool>("p", Shape{});
  const Variable w = b.Variable("w", b.Const(1.0f));
  const Variable v = b.Variable("v", b.Const(Tensor::Vector<float>({1, 2})));
  const Output chosen = Cond(
      p, [&] { return Outputs{w.handle()}; },
      [&] { return Outputs{v.handle()}; })[0];
  const Output y = AddOp({.op = "ReadVariableOp",
                          .inputs = {chosen},
                          .attrs = {{"dtype", DType::kFloat}},
                          .name = "y"})
                       .output(0);
  auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  for (const bool value : {true, false}) {
    auto frozen =
        FreezeAndCompare(*graph, *session, {y}, {{"p", Tensor::Scalar(value)}});
    ASSERT_TRUE(frozen.ok()) << frozen.status();
  }
}

TEST(FreezeTest, KeepsDevicesOnlyIfItIsTold) {
  GraphBuilder b;
  Output y;
  {
    auto device = b.OnDevice("/cpu:1");
    y = b.Variable("w", b.Const(2.0f)) * 3;
  }
  const Graph graph = b.Build().value();
  const auto session =
      NewTestSession(graph, {.devices = {.num_cpus = 2, .num_threads = 1}});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run({.targets = {graph.init_op()}}).ok());
  const auto kept =
      FreezeVariables(graph, **session, {y}, {.keep_devices = true});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(NewTestSession(*kept).status().code(),
            absl::StatusCode::kInvalidArgument);
  const auto frozen = FreezeVariables(graph, **session, {y});
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  const auto elsewhere = NewTestSession(*frozen);
  ASSERT_TRUE(elsewhere.ok()) << elsewhere.status();
  const auto value = (*elsewhere)->Run({.fetches = {y}});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].data<float>()[0], 6.0f);
}

TEST(FreezeTest, NamesAnOutputThatIsNotThere) {
  auto graph = BuildLoops();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  const absl::Status status =
      FreezeVariables(*graph, *session, {"missing"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'missing'"));
}

TEST(FreezeTest, RefusesTheElementsOfAnIterator) {
  GraphBuilder b;
  const auto iterator = Dataset::Range(0, 3).AddIterator(b);
  ASSERT_TRUE(iterator.ok()) << iterator.status();
  const Output twice = 2 * iterator->next[0];
  const Output other = op::Square(b.Const(3.0f));
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = SessionOf(*graph);
  ASSERT_NE(session, nullptr);
  const absl::Status status =
      FreezeVariables(*graph, *session, {twice}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("iterator 'IteratorV2' cannot be frozen"));
  EXPECT_TRUE(FreezeVariables(*graph, *session, {other}).ok());
}

// The variable has a control input from another node. So a read of the variable
// would also run that node.
TEST(FreezeTest, RefusesAVariableThatIsMadeAfterOtherNodes) {
  auto graph = BuildLoops();
  ASSERT_TRUE(graph.ok()) << graph.status();
  graph->AddControl(graph->Find("axes"), graph->Find("w"));
  auto session = ReadySession(*graph);
  ASSERT_NE(session, nullptr);
  const absl::Status status =
      FreezeVariables(*graph, *session, {"twice"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'w'"), HasSubstr("it waits for other nodes")));
}

}  // namespace
}  // namespace leat::freeze_test
