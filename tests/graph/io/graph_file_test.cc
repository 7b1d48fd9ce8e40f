// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/graph/io/graph_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "leat/graph/analysis/equal.h"
#include "leat/protos/meta_graph.pb.h"
#include "leat/tests/graph/graph_testing.h"

namespace leat::graph_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Gives each test its own folder, and removes the folder at the end of the
// test.
class GraphFileTest : public ::testing::Test {
 protected:
  GraphFileTest()
      : folder_(
            fs::path(::testing::TempDir()) /
            ("leat_graph_file_" + std::to_string(getpid()) + "_" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~GraphFileTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }

  std::string Write(const std::string& name, const std::string& content) {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }
  std::string Read(const std::string& name) const {
    std::ostringstream content;
    content << std::ifstream(Path(name), std::ios::binary).rdbuf();
    return content.str();
  }

  std::string LoadError(const std::string& path) {
    return std::string(LoadGraph(path, FewOps()).status().ToString());
  }

  Graph Sample() {
    return Imported("versions { producer: 5 }" + FloatPlaceholder("x") +
                    NodeText("a", "Neg", {"x"}, Float()));
  }

 private:
  const fs::path folder_;
};

TEST_F(GraphFileTest, SavesAndLoadsBothForms) {
  const Graph graph = Sample();
  for (const char* name : {"g.pb", "g.pbtxt"}) {
    ASSERT_TRUE(SaveGraph(graph, Path(name)).ok());
    const absl::StatusOr<Graph> again = LoadGraph(Path(name), FewOps());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(Difference(graph, *again), "");
  }
  EXPECT_THAT(Read("g.pbtxt"), HasSubstr("op: \"Neg\""));
  EXPECT_EQ(
      std::distance(fs::directory_iterator(Path("")), fs::directory_iterator()),
      2);
}

TEST_F(GraphFileTest, SavesAndLoadsAGraphOfNothing) {
  for (const char* name : {"g.pb", "g.pbtxt"}) {
    ASSERT_TRUE(SaveGraph(Graph(FewOps()), Path(name)).ok());
    const absl::StatusOr<Graph> again = LoadGraph(Path(name), FewOps());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->num_nodes(), 0);
  }
}

TEST_F(GraphFileTest, LoadsMetaGraphsInBothForms) {
  pb::MetaGraphDef meta;
  meta.mutable_meta_info_def()->set_meta_graph_version("v1");
  meta.mutable_meta_info_def()->set_tensorflow_version("2.15.1");
  meta.mutable_meta_info_def()->mutable_stripped_op_list()->add_op()->set_name(
      "Neg");
  ASSERT_TRUE(ExportGraphDef(Sample(), *meta.mutable_graph_def()).ok());
  (*meta.mutable_signature_def())["serve"].set_method_name("predict");
  for (const char* name : {"m.pb", "m.pbtxt"}) {
    ASSERT_TRUE(SaveMetaGraph(meta, Path(name)).ok());
    const absl::StatusOr<Graph> graph = LoadGraph(Path(name), FewOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(Difference(Sample(), *graph), "");
    pb::MetaGraphDef again;
    ASSERT_TRUE(LoadMetaGraph(Path(name), again).ok());
    EXPECT_EQ(again.signature_def().at("serve").method_name(), "predict");
    EXPECT_EQ(again.meta_info_def().tensorflow_version(), "2.15.1");
  }
}

TEST_F(GraphFileTest, NamesFileLineAndColumn) {
  const std::string path =
      Write("bad.pbtxt", "node {\n  name: \"a\"\n  oops: 3\n}\n");
  EXPECT_THAT(LoadError(path),
              AllOf(HasSubstr("INVALID_ARGUMENT: file '" + path +
                              "' cannot be parsed: line 3, column"),
                    HasSubstr("oops")));
  const std::string meta =
      Write("meta.pbtxt", "graph_def {\n  node {\n    oops: 3\n  }\n}\n");
  EXPECT_THAT(LoadError(meta), HasSubstr("line 3, column"));
  const std::string graph = Write("g.pbtxt", NodeText("a", "Nope"));
  EXPECT_THAT(LoadError(graph), AllOf(HasSubstr(graph), HasSubstr("node 'a'")));
}

TEST_F(GraphFileTest, TellsWhatIsWrongWithAFile) {
  EXPECT_THAT(LoadError(Path("none.pb")), HasSubstr("NOT_FOUND: file '"));
  EXPECT_THAT(LoadError(Path("")), HasSubstr("is not a regular file"));
  EXPECT_THAT(LoadError("/dev/zero"), HasSubstr("is not a regular file"));
  EXPECT_THAT(LoadError(Write("empty.pb", "")), HasSubstr("is empty"));
  EXPECT_THAT(LoadError(Write("noise.pb", std::string("\xff\x00\x01\x02", 4))),
              HasSubstr("neither a GraphDef nor a MetaGraphDef"));
}

TEST_F(GraphFileTest, RefusesEveryTruncationOrSurvivesIt) {
  ASSERT_TRUE(SaveGraph(Sample(), Path("g.pb")).ok());
  const std::string content = Read("g.pb");
  for (size_t size = 1; size < content.size(); ++size) {
    const std::string path = Write("cut.pb", content.substr(0, size));
    const absl::StatusOr<Graph> graph = LoadGraph(path, FewOps());
    if (graph.ok()) {
      EXPECT_LE(graph->num_nodes(), 2);
    }
  }
}

TEST_F(GraphFileTest, RefusesTextNestedTooDeeply) {
  std::string text = "node { name: \"a\" op: \"NoOp\" ";
  const int depth = 100'000;
  for (int i = 0; i < depth; ++i) {
    text += i == 0 ? "experimental_type { " : "args { ";
  }
  text += std::string(depth, '}') + " }";
  EXPECT_THAT(LoadError(Write("deep.pbtxt", text)),
              HasSubstr("INVALID_ARGUMENT"));
}

TEST_F(GraphFileTest, LeavesTheOldFileWhenItCannotWrite) {
  EXPECT_FALSE(SaveGraph(Sample(), Path("none/g.pb")).ok());
  fs::create_directories(Path("folder.pb/inside"));
  EXPECT_FALSE(SaveGraph(Sample(), Path("folder.pb")).ok());
  EXPECT_EQ(
      std::distance(fs::directory_iterator(Path("")), fs::directory_iterator()),
      1);
}

// Returns the library's ops and the ops that only the corpus has.
const OpRegistry& CorpusOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry;
    ops::RegisterAll(*ops);
    const std::vector<OpSpec> specs = {
        {.name = "FIFOQueueV2",
         .outputs = {"handle: resource"},
         .attrs = {"component_types: list(type) >= 1",
                   "shapes: list(shape) = []", "capacity: int = -1",
                   "container: string = ''", "shared_name: string = ''"},
         .stateful = true},
        {.name = "QueueEnqueueV2",
         .inputs = {"handle: resource", "components: Tcomponents"},
         .attrs = {"Tcomponents: list(type) >= 1", "timeout_ms: int = -1"},
         .stateful = true},
        {.name = "StackV2",
         .inputs = {"max_size: int32"},
         .outputs = {"handle: resource"},
         .attrs = {"elem_type: type", "stack_name: string = ''"},
         .stateful = true},
        {.name = "StackPushV2",
         .inputs = {"handle: resource", "elem: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "swap_memory: bool = false"},
         .stateful = true},
        {.name = "StackPopV2",
         .inputs = {"handle: resource"},
         .outputs = {"elem: elem_type"},
         .attrs = {"elem_type: type"},
         .stateful = true},
        {.name = "SaveV2",
         .inputs = {"prefix: string", "tensor_names: string",
                    "shape_and_slices: string", "tensors: dtypes"},
         .attrs = {"dtypes: list(type) >= 1"},
         .stateful = true},
        {.name = "RestoreV2",
         .inputs = {"prefix: string", "tensor_names: string",
                    "shape_and_slices: string"},
         .outputs = {"tensors: dtypes"},
         .attrs = {"dtypes: list(type) >= 1"},
         .stateful = true},
        {.name = "ShardedFilename",
         .inputs = {"basename: string", "shard: int32", "num_shards: int32"},
         .outputs = {"filename: string"}},
        {.name = "MergeV2Checkpoints",
         .inputs = {"checkpoint_prefixes: string",
                    "destination_prefix: string"},
         .attrs = {"delete_old_dirs: bool = true",
                   "allow_missing_files: bool = false"},
         .stateful = true},
        {.name = "Bucketize",
         .inputs = {"input: T"},
         .outputs = {"output: int32"},
         .attrs = {"T: {int32, int64, float, double}",
                   "boundaries: list(float)"}}};
    for (const OpSpec& spec : specs) {
      if (ops->Find(spec.name) == nullptr) ops->Add(spec);
    }
    return ops;
  }();
  return registry;
}

// Graphs that TensorFlow wrote are read, written and read again without a
// difference. If LEAT_EXPORT_FOLDER is set, the written graphs stay in that
// folder for roundtrip_with_tensorflow.py.
TEST_F(GraphFileTest, RoundTripsTheCorpus) {
  const char* folder = std::getenv("LEAT_EXPORT_FOLDER");
  int count = 0;
  for (const auto& entry : fs::directory_iterator(LEAT_TESTS_DIR "/graphs")) {
    if (entry.path().extension() != ".pbtxt") continue;
    const absl::StatusOr<Graph> graph = LoadGraph(entry.path(), CorpusOps());
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::string name = entry.path().stem().string() + ".pb";
    const std::string path =
        folder ? (fs::path(folder) / name).string() : Path(name);
    ASSERT_TRUE(SaveGraph(*graph, path).ok());
    const absl::StatusOr<Graph> again = LoadGraph(path, CorpusOps());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(Difference(*graph, *again), "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace leat::graph_file_test
