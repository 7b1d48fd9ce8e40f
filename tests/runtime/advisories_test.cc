// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the inputs of TensorFlow's security advisories (advisories.jsonl). With
// these inputs, TensorFlow crashed, read out of bounds or never ended. Each
// input is tried once as constants of a graph and once as fed values. The step
// must return an error that names the node, or the right answer, and the
// session must run its next step.
//
// A table lists the advisories. For each row of this table, the file has a line
// with "id", "table" and "ops". "table" is the row's op column. "ops" are the
// ops that the row's cases must cover if Leat has these ops. The row's cases
// follow, one per line. A case is one of these:
// - one node: "op", "attrs" and "inputs", as in the op cases. If the case has a
//   "variable" or a "reference", this is the value of a resource variable or of
//   a reference variable, which becomes the node's first input.
// - a "graph" in protobuf's text format
// - the name of a "test" that covers the row
// A case expects an "error" [code, text] or "outputs".
#include <google/protobuf/text_format.h>

#include <atomic>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/core/files/output_file.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/graph/codec/attr_codec.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/op_case_json.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::advisories_test {
namespace {

using nlohmann::json;

enum class Values { kConstant, kFed };

// Makes the node "bad" of a case, and the nodes that compute its inputs. args()
// returns the targets, feeds and fetches of the step to run.
class BadGraph {
 public:
  BadGraph(const json& spec, Values values) : values_(values) {
    if (spec.contains("graph")) {
      const std::string text = spec["graph"].get<std::string>();
      EXPECT_TRUE(
          google::protobuf::TextFormat::MergeFromString(text, &graph_def_));
      args_.targets.push_back("bad");
      return;
    }
    const std::string op = spec["op"].get<std::string>();
    pb::NodeDef bad;
    AddState(spec, bad);
    for (const json& input : spec["inputs"]) {
      const std::string name = absl::StrCat("bad_", bad.input_size());
      AddInput(name, testing::TensorFromJson(input));
      bad.add_input(name);
    }
    Add("bad", op, testing::AttrsFromJson(spec["attrs"]), std::move(bad));
    const absl::StatusOr<const OpDef*> def = BuiltinOps().Lookup(op);
    const size_t outputs = def.ok() ? (*def)->outputs.size() : 0;
    if (outputs == 0) args_.targets.push_back("bad");
    for (size_t i = 0; i < outputs; ++i) {
      args_.fetches.push_back(absl::StrCat("bad:", i));
    }
  }

  const pb::GraphDef& graph_def() const { return graph_def_; }
  const RunArgs& args() const { return args_; }
  // Returns the name of the node that initializes the variable, or "" if there
  // is none.
  const std::string& initializer() const { return initializer_; }

 private:
  void Add(const std::string& name, const std::string& op, const AttrMap& attrs,
           pb::NodeDef node = {}) {
    node.set_name(name);
    node.set_op(op);
    EXPECT_TRUE(AttrMapToProto(attrs, *node.mutable_attr()).ok());
    *graph_def_.add_node() = std::move(node);
  }

  void AddConstant(const std::string& name, const Tensor& value) {
    Add(name, "Const", {{"dtype", value.dtype()}, {"value", value}});
  }

  void AddInput(const std::string& name, const Tensor& value) {
    if (values_ == Values::kConstant) return AddConstant(name, value);
    Add(name, "Placeholder", {{"dtype", value.dtype()}});
    args_.feeds.push_back({name, value});
  }

  void AddState(const json& spec, pb::NodeDef& bad) {
    const bool reference = spec.contains("reference");
    if (!reference && !spec.contains("variable")) return;
    const Tensor value = testing::TensorFromJson(reference ? spec["reference"]
                                                           : spec["variable"]);
    const PartialShape shape = values_ == Values::kConstant
                                   ? PartialShape(value.shape())
                                   : PartialShape();
    Add("state", reference ? "VariableV2" : "VarHandleOp",
        {{"dtype", value.dtype()}, {"shape", shape}});
    AddConstant("state_value", value);
    pb::NodeDef assign;
    assign.add_input("state");
    assign.add_input("state_value");
    initializer_ = "state_assign";
    if (reference) {
      Add(initializer_, "Assign",
          {{"T", value.dtype()}, {"validate_shape", false}}, assign);
    } else {
      Add(initializer_, "AssignVariableOp", {{"dtype", value.dtype()}}, assign);
    }
    bad.add_input("state");
  }

  const Values values_;
  pb::GraphDef graph_def_;
  RunArgs args_;
  std::string initializer_;
};

// Returns a session with a healthy graph, in which "y" is "x" + "x".
std::shared_ptr<Session> HealthySession() {
  pb::GraphDef healthy;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(node { name: "x" op: "Placeholder"
                attr { key: "dtype" value { type: DT_FLOAT } } }
         node { name: "y" op: "AddV2" input: "x" input: "x"
                attr { key: "T" value { type: DT_FLOAT } } })",
      &healthy));
  const absl::StatusOr<Graph> graph = ImportGraphDef(healthy, BuiltinOps());
  EXPECT_TRUE(graph.ok()) << graph.status();
  // Without the limit, a huge allocation would reach malloc. The address
  // sanitizer ends the process where malloc would return null.
  auto session = NewLocalSession(
      *graph,
      {.devices = {.num_threads = 2, .cpu_memory_bytes = int64_t{1} << 30}});
  EXPECT_TRUE(session.ok()) << session.status();
  return *session;
}

void ExpectHealthy(Session& session) {
  const auto sum =
      session.Run({.feeds = {{"x", Tensor::Scalar(2.0f)}}, .fetches = {"y"}});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)[0].scalar<float>(), 4.0f);
}

absl::StatusOr<std::vector<Tensor>> RunBad(Session& session,
                                           const BadGraph& bad) {
  LEAT_ASSIGN_OR_RETURN(const Graph graph,
                        ImportGraphDef(bad.graph_def(), BuiltinOps()));
  LEAT_RETURN_IF_ERROR(session.Extend(graph));
  if (!bad.initializer().empty()) {
    LEAT_RETURN_IF_ERROR(
        session.Run({.targets = {bad.initializer()}}).status());
  }
  return session.Run(bad.args());
}

// Compares `status` with the error that a case expects. Returns a description
// of the difference, or "" if there is none.
std::string Mismatch(const absl::Status& status, const json& spec) {
  const std::string node = spec.value("names", "bad");
  const std::string code = spec["error"][0].get<std::string>();
  const std::string text = spec["error"][1].get<std::string>();
  const absl::string_view message = status.message();
  if (absl::StatusCodeToString(status.code()) != code) return "not " + code;
  // An error of planning names the node as 'NODE'. An error of a running step
  // names the node as {{node NODE}}.
  if (!absl::StrContains(message, absl::StrCat("'", node, "'")) &&
      !absl::StrContains(message, absl::StrCat("{{node ", node, "}}"))) {
    return "does not name " + node;
  }
  return absl::StrContains(message, text) ? "" : "does not say " + text;
}

void CheckCase(const json& spec, Values values) {
  SCOPED_TRACE(values == Values::kConstant ? "as constants" : "fed");
  const std::shared_ptr<Session> session = HealthySession();
  const auto outputs = RunBad(*session, BadGraph(spec, values));
  if (spec.contains("error")) {
    EXPECT_EQ(Mismatch(outputs.status(), spec), "") << outputs.status();
  } else {
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    for (size_t i = 0; outputs.ok() && i < spec["outputs"].size(); ++i) {
      EXPECT_EQ(
          testing::Difference((*outputs)[i],
                              testing::TensorFromJson(spec["outputs"][i]), {}),
          "");
    }
  }
  ExpectHealthy(*session);
}

std::vector<json> Advisories() {
  return testing::ReadJsonLines("runtime/advisories.jsonl");
}

TEST(AdvisoriesTest, GiveAStatusOrAnAnswerAndTheNextStepRuns) {
  for (const json& spec : Advisories()) {
    if (!spec.contains("case") || spec.contains("test")) continue;
    SCOPED_TRACE(absl::StrCat(spec["id"].get<std::string>(), ", ",
                              spec["case"].get<std::string>()));
    CheckCase(spec, Values::kConstant);
    if (!spec.contains("graph")) CheckCase(spec, Values::kFed);
  }
}

bool HasTest(const std::string& name) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      if (absl::StrCat(suite.name(), ".", suite.GetTestInfo(k)->name()) ==
          name) {
        return true;
      }
    }
  }
  return false;
}

// Maps the id of each row to the ops that the cases of the row run.
std::map<std::string, std::set<std::string>> CoveredOps() {
  std::map<std::string, std::set<std::string>> covered;
  for (const json& spec : Advisories()) {
    if (!spec.contains("case")) continue;
    std::set<std::string>& ops = covered[spec["id"].get<std::string>()];
    if (spec.contains("op")) ops.insert(spec["op"].get<std::string>());
    if (spec.contains("test")) {
      EXPECT_TRUE(HasTest(spec["test"].get<std::string>())) << spec;
    }
    if (!spec.contains("graph")) continue;
    pb::GraphDef graph_def;
    EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(
        spec["graph"].get<std::string>(), &graph_def));
    for (const pb::NodeDef& node : graph_def.node()) ops.insert(node.op());
  }
  return covered;
}

TEST(AdvisoriesTest, CoverEveryOpThatHasAKernel) {
  const auto covered = CoveredOps();
  int rows = 0;
  int skipped = 0;
  for (const json& spec : Advisories()) {
    if (!spec.contains("table")) continue;
    ++rows;
    const std::string id = spec["id"].get<std::string>();
    ASSERT_FALSE(spec["ops"].empty()) << id;
    bool any = false;
    for (const json& op : spec["ops"]) {
      if (BuiltinOps().Signatures(op.get<std::string>()).empty()) continue;
      any = true;
      const auto it = covered.find(id);
      EXPECT_TRUE(it != covered.end() && it->second.count(op) > 0)
          << id << " has no case of " << op << ", which has a kernel";
    }
    if (any) continue;
    ++skipped;
    std::cout << "skipped, no kernel: " << id << " (" << spec["table"] << ")\n";
  }
  EXPECT_EQ(rows, 50);
  RecordProperty("skipped", skipped);
}

// CVE-2020-15202: TensorFlow's parallel loops took an int as the number of
// items and wrote out of bounds.
TEST(AdvisoriesTest, ParallelLoopsCountPastInt32) {
  const std::unique_ptr<WorkQueue> queue = NewThreadPool("loop", 2);
  constexpr int64_t kItems = (int64_t{1} << 33) + 3;
  std::atomic<int64_t> sum{0};
  std::atomic<int64_t> last{0};
  ParallelFor(*queue, kItems, /*cost_per_item=*/1,
              [&](int64_t begin, int64_t end) {
                sum += end - begin;
                if (end == kItems) last = end;
              });
  EXPECT_EQ(sum, kItems);
  EXPECT_EQ(last, kItems);
}

// CVE-2021-41203: negative extents, sizes that overflow, no dtype, and bytes
// beyond the end of the file made TensorFlow crash. tests/checkpoint/ has more
// such files.
TEST(AdvisoriesTest, CheckpointsThatLieAreDataLoss) {
  const TemporaryFolder folder;
  const std::string prefix = folder.Path("model");
  GraphBuilder b;
  const Output restored =
      op::RestoreV2(b.Const(prefix), b.Const<std::string>({"w"}),
                    b.Const<std::string>({""}), {DType::kFloat})[0];
  const auto session = NewLocalSession(b.Build().value(), {});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE(WriteFile(DataPath(prefix, 0, 1), std::string(8, '\0')).ok());
  using Lie = void (*)(pb::BundleEntryProto&);
  for (const Lie lie :
       {Lie([](auto& e) { e.mutable_shape()->add_dim()->set_size(-5); }),
        Lie([](auto& e) {
          for (int i = 0; i < 3; ++i) {
            e.mutable_shape()->add_dim()->set_size(int64_t{1} << 40);
          }
        }),
        Lie([](auto& e) { e.clear_dtype(); }),
        Lie([](auto& e) { e.set_offset(1000); })}) {
    pb::BundleEntryProto entry;
    entry.set_dtype(pb::DT_FLOAT);
    entry.set_size(4);
    lie(entry);
    ASSERT_TRUE(
        WriteFile(IndexPath(prefix), *MakeIndex({{"w", entry}}, 1)).ok());
    const absl::Status error =
        (*session)->Run({.fetches = {restored}}).status();
    EXPECT_EQ(error.code(), absl::StatusCode::kDataLoss) << error;
  }
}

}  // namespace
}  // namespace leat::advisories_test
