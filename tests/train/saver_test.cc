// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what a Saver saves and restores, which checkpoints it keeps, and what
// it does when something is wrong with the files. The tests in tests/interop
// read checkpoints of a Saver with TensorFlow.
#include "leat/train/saver.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/io/message_file.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops.h"
#include "leat/protos/meta_graph.pb.h"
#include "leat/protos/variable.pb.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/partitioned_variable.h"
#include "leat/train/session.h"

namespace leat::saver_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

// Describes a graph with variables, a Saver for these variables, and a session
// that runs the graph.
struct Model {
  explicit Model(SaverOptions options = {}, const std::string& devices = "cpu")
      : options(std::move(options)), devices(devices) {}

  // Adds the Saver, and makes the session.
  void Finish() {
    saver = std::make_unique<Saver>(b, options);
    const auto graph = b.Build();
    ASSERT_TRUE(graph.ok()) << graph.status();
    auto made = NewSession(*graph, {.devices = devices});
    ASSERT_TRUE(made.ok()) << made.status();
    session = *made;
    init = graph->init_op();
  }
  absl::Status Run(const std::string& target) {
    return session->Run({.targets = {target}}).status();
  }
  Tensor Fetch(const Output& output) {
    const auto fetched = session->Run({.fetches = {output}});
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    return fetched.ok() ? fetched->front() : Tensor();
  }

  GraphBuilder b;
  SaverOptions options;
  std::string devices;
  std::unique_ptr<Saver> saver;
  std::shared_ptr<Session> session;
  std::string init;
};

// Describes a model of one variable "w", with the three elements `value`.
struct OneVariable : Model {
  explicit OneVariable(float value, SaverOptions saver_options = {})
      : Model(std::move(saver_options)) {
    w = b.Variable("w", {value, value + 1, value + 2});
    Finish();
    EXPECT_TRUE(Run(init).ok());
  }
  float first() { return Fetch(w.value()).data<float>()[0]; }

  Variable w;
};

std::vector<std::string> NamesIn(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.Path(""))) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

// ---- Values ----

// Describes a model with variables of several kinds. All initial values are
// multiples of `scale`. The model that restores has the scale 0, so that none
// of its variables has the saved value by chance.
struct ManyKinds : Model {
  ManyKinds(float scale, SaverOptions saver_options)
      : Model(std::move(saver_options), "cpu:2") {
    outputs.push_back(b.Variable("plain", {1 * scale, 2 * scale}).value());
    outputs.push_back(b.Variable("count", static_cast<int64_t>(3 * scale),
                                 {.trainable = false})
                          .value());
    const Scope device = b.OnDevice("/cpu:1");
    outputs.push_back(b.Variable("reference", {4 * scale, 5 * scale, 6 * scale},
                                 {.use_resource = false})
                          .value());
    outputs.push_back(
        b.Variable("text", b.Const(scale > 0 ? "some text" : "")).value());
    Finish();
  }

  std::vector<Output> outputs;
};

void ExpectRestoresManyKinds(bool sharded) {
  const TemporaryFolder folder;
  ManyKinds saved(1, {.sharded = sharded});
  ASSERT_TRUE(saved.Run(saved.init).ok());
  const auto prefix = saved.saver->Save(*saved.session, folder.Path("m"), 7);
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  EXPECT_EQ(*prefix, folder.Path("m-7"));
  std::vector<std::string> files = {"checkpoint", "m-7.index", "m-7.meta"};
  const int num_shards = sharded ? 2 : 1;
  for (int i = 0; i < num_shards; ++i) {
    files.push_back(absl::StrCat("m-7.data-0000", i, "-of-0000", num_shards));
  }
  EXPECT_THAT(NamesIn(folder), UnorderedElementsAreArray(files));
  ManyKinds restored(0, {.sharded = sharded});  // not initialized
  const absl::Status status =
      restored.saver->Restore(*restored.session, *prefix);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < saved.outputs.size(); ++i) {
    EXPECT_EQ(restored.Fetch(restored.outputs[i]).DebugString(),
              saved.Fetch(saved.outputs[i]).DebugString());
  }
}

TEST(SaverTest, RestoresWhatItHasSaved) { ExpectRestoresManyKinds(false); }

TEST(SaverTest, TasksMaySaveTheirOwnVariables) {
  ExpectRestoresManyKinds(true);
}

// If a step changes a variable after Begin, the checkpoint still has the old
// value.
TEST(SaverTest, SavesTheValuesThatBeginHasRead) {
  const TemporaryFolder folder;
  Model model;
  const Variable w = model.b.Variable("w", {1.0f, 2.0f});
  const Operation change =
      op::AssignVariableOp(w.handle(), model.b.Const<float>({3, 4}));
  model.Finish();
  ASSERT_TRUE(model.Run(model.init).ok());
  const auto begun = model.saver->Begin(*model.session, folder.Path("m"), 1);
  ASSERT_TRUE(begun.ok()) << begun.status();
  ASSERT_TRUE(model.Run(change.name()).ok());
  const auto prefix = model.saver->Finish(*begun);
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  ASSERT_TRUE(model.saver->Restore(*model.session, *prefix).ok());
  EXPECT_EQ(model.Fetch(w.value()).data<float>()[0], 1);
}

// Describes a model that is trained with Adam. Its variable is cut into parts.
struct Parts : Model {
  explicit Parts(int parts, Operation* train = nullptr) {
    table =
        nn::GetPartitionedVariable(b, "layer/table", DType::kFloat, Shape{7, 2},
                                   nn::FixedSizePartitioner(parts), nn::Ones());
    whole = table.value();
    const Output loss = op::Sum(op::Square(whole), b.Const<int32_t>({0, 1}));
    const Operation step = nn::Adam({}).Minimize(loss);
    if (train != nullptr) *train = step;
    Finish();
  }
  // Returns the values of the slots "<part>/<slot>", part after part.
  std::vector<float> Slot(const std::string& slot) {
    std::vector<float> values;
    for (const Variable& variable : b.variables()) {
      for (const Variable& part : table.parts()) {
        if (variable.name() != absl::StrCat(part.name(), "/", slot)) continue;
        const Tensor value = Fetch(variable.value());
        values.insert(values.end(), value.data<float>().begin(),
                      value.data<float>().end());
      }
    }
    return values;
  }

  nn::PartitionedVariable table;
  Output whole;  // the value of the table
};

TEST(SaverTest, PartsAreRestoredWithAnotherCut) {
  const TemporaryFolder folder;
  Operation train;
  Parts two(2, &train);
  ASSERT_TRUE(two.Run(two.init).ok());
  ASSERT_TRUE(two.Run(train.name()).ok());
  const auto prefix = two.saver->Save(*two.session, folder.Path("m"));
  ASSERT_TRUE(prefix.ok()) << prefix.status();
  Parts three(3);
  const absl::Status status = three.saver->Restore(*three.session, *prefix);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(three.Fetch(three.whole).DebugString(),
            two.Fetch(two.whole).DebugString());
  for (const char* slot : {"Adam", "Adam_1"}) {
    EXPECT_EQ(two.Slot(slot).size(), 14u) << slot;
    EXPECT_NE(two.Slot(slot)[0], 0) << slot;
    EXPECT_EQ(three.Slot(slot), two.Slot(slot)) << slot;
  }
}

// ---- Which checkpoints stay ----

TEST(SaverTest, KeepsTheLastCheckpoints) {
  const TemporaryFolder folder;
  OneVariable model(1, {.max_to_keep = 2});
  for (const int step : {9, 10, 11}) {
    ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), step).ok());
  }
  EXPECT_THAT(NamesIn(folder),
              UnorderedElementsAre("checkpoint", "m-10.index",
                                   "m-10.data-00000-of-00001", "m-10.meta",
                                   "m-11.index", "m-11.data-00000-of-00001",
                                   "m-11.meta"));
  EXPECT_EQ(Saver::Latest(folder.Path("")).value(), folder.Path("m-11"));
  EXPECT_THAT(Saver::All(folder.Path("")).value(),
              ElementsAre(folder.Path("m-11"), folder.Path("m-10")));
}

// The test tests/interop/resumed_training.py imports such a file with
// TensorFlow.
TEST(SaverTest, WritesTheGraphBesideTheValues) {
  const TemporaryFolder folder;
  for (const bool writes : {true, false}) {
    OneVariable model(1, {.max_to_keep = 3, .write_meta_graph = writes});
    const std::string path = folder.Path(writes ? "with" : "without");
    ASSERT_TRUE(model.saver->Save(*model.session, path).ok());
    EXPECT_EQ(fs::exists(path + ".meta"), writes);
  }
  pb::MetaGraphDef meta;
  const auto content = ReadMessageFile(folder.Path("with.meta"));
  ASSERT_TRUE(content.ok() && ParseBinary(*content, meta));
  const auto graph = ImportGraphDef(meta.graph_def(), BuiltinOps());
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(meta.saver_def().max_to_keep(), 3);
  // The Saver's nodes are part of the graph. So any session of this graph can
  // run these nodes to restore the values.
  const auto session = NewSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  const auto run = [&](RunArgs args) {
    args.feeds = {{meta.saver_def().filename_tensor_name(),
                   Tensor::Scalar<std::string>(folder.Path("with"))}};
    return (*session)->Run(args);
  };
  ASSERT_TRUE(run({.targets = {meta.saver_def().restore_op_name()}}).ok());
  EXPECT_TRUE(run({.fetches = {meta.saver_def().save_tensor_name()}}).ok());
}

// The test tests/interop/resumed_training.py reads such collections with
// TensorFlow.
TEST(SaverTest, ListsTheVariablesBesideTheGraph) {
  const TemporaryFolder folder;
  Model model;
  nn::GetPartitionedVariable(model.b, "p", DType::kFloat, Shape{3, 2},
                             nn::FixedSizePartitioner(2), nn::Ones());
  model.b.Variable("r", 1.0f, {.trainable = false, .use_resource = false});
  model.Finish();
  ASSERT_TRUE(model.Run(model.init).ok());
  ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m")).ok());
  pb::MetaGraphDef meta;
  const auto content = ReadMessageFile(folder.Path("m.meta"));
  ASSERT_TRUE(content.ok() && ParseBinary(*content, meta));
  const auto& all = meta.collection_def().at("variables").bytes_list();
  ASSERT_EQ(all.value_size(), 3);
  pb::VariableDef part;
  ASSERT_TRUE(part.ParseFromString(all.value(1)));
  EXPECT_EQ(part.variable_name(), "p/part_1:0");
  EXPECT_EQ(part.initializer_name(), "p/part_1/Assign");
  EXPECT_EQ(part.snapshot_name(), "p/part_1/Read/ReadVariableOp:0");
  EXPECT_TRUE(part.is_resource() && part.trainable());
  EXPECT_EQ(part.save_slice_info_def().full_name(), "p");
  EXPECT_THAT(part.save_slice_info_def().full_shape(), ElementsAre(3, 2));
  EXPECT_THAT(part.save_slice_info_def().var_offset(), ElementsAre(2, 0));
  EXPECT_THAT(part.save_slice_info_def().var_shape(), ElementsAre(1, 2));
  pb::VariableDef reference;
  ASSERT_TRUE(reference.ParseFromString(all.value(2)));
  EXPECT_EQ(reference.initial_value_name(), "r/initial_value:0");
  EXPECT_EQ(reference.snapshot_name(), "r/read:0");
  EXPECT_FALSE(reference.is_resource() || reference.trainable() ||
               reference.has_save_slice_info_def());
  EXPECT_THAT(
      meta.collection_def().at("trainable_variables").bytes_list().value(),
      ElementsAre(all.value(0), all.value(1)));
}

TEST(SaverTest, KeepsAllIfThereIsNoMaximum) {
  const TemporaryFolder folder;
  OneVariable model(1, {.max_to_keep = 0});
  for (int step = 0; step < 7; ++step) {
    ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), step).ok());
  }
  EXPECT_EQ(Saver::All(folder.Path(""))->size(), 7u);
}

TEST(SaverTest, ALaterProgramRemovesWhatAnEarlierOneHasSaved) {
  const TemporaryFolder folder;
  for (const int step : {1, 2, 3}) {
    OneVariable model(1, {.max_to_keep = 2});
    ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), step).ok());
  }
  EXPECT_THAT(Saver::All(folder.Path("")).value(),
              ElementsAre(folder.Path("m-3"), folder.Path("m-2")));
  EXPECT_FALSE(fs::exists(folder.Path("m-1.index")));
}

TEST(SaverTest, LeavesCheckpointsOfOtherNamesAlone) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "b", "b"}) {
    OneVariable model(1, {.max_to_keep = 1});
    static int step = 0;
    ASSERT_TRUE(
        model.saver->Save(*model.session, folder.Path(name), ++step).ok());
  }
  EXPECT_TRUE(fs::exists(folder.Path("a-1.index")));
  EXPECT_FALSE(fs::exists(folder.Path("b-2.index")));
}

TEST(SaverTest, TheFolderCanBeMoved) {
  const TemporaryFolder folder;
  OneVariable model(5);
  ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("old/m"), 1).ok());
  fs::rename(folder.Path("old"), folder.Path("new"));
  const auto latest = Saver::Latest(folder.Path("new"));
  ASSERT_TRUE(latest.ok()) << latest.status();
  EXPECT_EQ(*latest, folder.Path("new/m-1"));
  EXPECT_TRUE(model.saver->Restore(*model.session, *latest).ok());
}

TEST(SaverTest, ExtraSlashesOfAPathChangeNothing) {
  const TemporaryFolder folder;
  for (const int step : {1, 2, 3}) {
    OneVariable model(1, {.max_to_keep = 2});
    ASSERT_TRUE(
        model.saver->Save(*model.session, folder.Path("/m"), step).ok());
    ASSERT_TRUE(
        model.saver->Save(*model.session, folder.Path("/m"), step).ok());
  }
  EXPECT_THAT(Saver::All(folder.Path("")).value(),
              ElementsAre(folder.Path("m-3"), folder.Path("m-2")));
  EXPECT_TRUE(fs::exists(folder.Path("m-3.index")));
  EXPECT_FALSE(fs::exists(folder.Path("m-1.index")));
}

// The Saver's path is "m". The state file lists two names that begin with "m-"
// but are not checkpoints of this Saver: "m-fine-1" belongs to a Saver with the
// path "m-fine", and "m-1/../x" names a file "x". The Saver must not remove
// their files.
TEST(SaverTest, AdoptsCheckpointsOfItsOwnPathOnly) {
  const TemporaryFolder folder;
  for (const char* name : {"m-fine-1.index", "x.index"}) {
    WriteFile(folder.Path(name), "x");
  }
  WriteFile(folder.Path("checkpoint"),
            "all_model_checkpoint_paths: \"m-fine-1\"\n"
            "all_model_checkpoint_paths: \"m-1/../x\"\n");
  OneVariable model(1, {.max_to_keep = 1});
  ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), 5).ok());
  EXPECT_TRUE(fs::exists(folder.Path("m-fine-1.index")));
  EXPECT_TRUE(fs::exists(folder.Path("x.index")));
}

TEST(SaverTest, RemovesALinkAndNotWhereItLeads) {
  const TemporaryFolder folder, elsewhere;
  WriteFile(elsewhere.Path("precious"), "x");
  fs::create_directory_symlink(elsewhere.Path(""),
                               folder.Path("m-4_temp_00ff"));
  OneVariable model(1);
  ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), 5).ok());
  EXPECT_TRUE(fs::exists(elsewhere.Path("precious")));
  EXPECT_FALSE(fs::is_symlink(folder.Path("m-4_temp_00ff")));
}

TEST(SaverTest, RemovesWhatAKilledProgramWasWriting) {
  const TemporaryFolder folder;
  fs::create_directory(folder.Path("m-4_temp_00ff"));
  for (const char* name :
       {"m-4.index.123", "m-4.meta.5", "m-4.data-00000-of-00001.99",
        "m-4_temp_00ff/part-1", "m-4.index.bak", "m-4.data-00000-of-00001.zip",
        "n-4.index.123", "mm-4.index.123", "m-x.index.123", "notes"}) {
    WriteFile(folder.Path(name), "x");
  }
  OneVariable model(1);
  ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), 5).ok());
  EXPECT_THAT(NamesIn(folder),
              UnorderedElementsAre(
                  "checkpoint", "m-5.index", "m-5.data-00000-of-00001",
                  "m-5.meta", "m-4.index.bak", "m-4.data-00000-of-00001.zip",
                  "n-4.index.123", "mm-4.index.123", "m-x.index.123", "notes"));
}

// ---- Errors ----

TEST(SaverTest, TwoProgramsCannotSaveInOneFolder) {
  const TemporaryFolder folder;
  OneVariable one(1), two(2);
  ASSERT_TRUE(one.saver->Save(*one.session, folder.Path("m"), 1).ok());
  const absl::Status refused =
      two.saver->Save(*two.session, folder.Path("m"), 2).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("leat_test_"), HasSubstr("in use")));
  one.saver.reset();
  EXPECT_TRUE(two.saver->Save(*two.session, folder.Path("m"), 2).ok());
}

TEST(SaverTest, AFailedSaveChangesNothing) {
  const TemporaryFolder folder;
  OneVariable model(1);
  ASSERT_TRUE(model.saver->Save(*model.session, folder.Path("m"), 1).ok());
  // A folder with the name of the data file makes the save fail.
  fs::create_directories(folder.Path("m-2.data-00000-of-00001/x"));
  const absl::Status failed =
      model.saver->Save(*model.session, folder.Path("m"), 2).status();
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(std::string(failed.message()),
              AllOf(HasSubstr("m-2.data-00000-of-00001"), HasSubstr("save")));
  EXPECT_FALSE(fs::exists(folder.Path("m-2.index")));
  EXPECT_EQ(Saver::Latest(folder.Path("")).value(), folder.Path("m-1"));
  EXPECT_TRUE(model.saver->Restore(*model.session, folder.Path("m-1")).ok());
}

// Saves the variable "w". Then restores the checkpoint in a model whose only
// variable is `name`. Expects an error that names the checkpoint, and returns
// it.
absl::Status RestoreIn(const Operand& initial_value, const std::string& name) {
  const TemporaryFolder folder;
  OneVariable saved(1);
  EXPECT_TRUE(saved.saver->Save(*saved.session, folder.Path("m")).ok());
  Model model;
  model.b.Variable(name, initial_value);
  model.Finish();
  const absl::Status status =
      model.saver->Restore(*model.session, folder.Path("m"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder.Path("m")));
  return status;
}

TEST(SaverTest, RefusesACheckpointOfAnotherModel) {
  const absl::Status missing = RestoreIn({1.0f, 2.0f, 3.0f}, "v");
  EXPECT_TRUE(absl::IsNotFound(missing)) << missing;
  EXPECT_THAT(std::string(missing.message()), HasSubstr("v"));
  const absl::Status shape = RestoreIn({1.0f, 2.0f}, "w");
  EXPECT_TRUE(absl::IsInvalidArgument(shape)) << shape;
  EXPECT_THAT(std::string(shape.message()),
              AllOf(HasSubstr("= w; shape in shape_and_slice spec [2]"),
                    HasSubstr("[3]")));
  const absl::Status scalar = RestoreIn(1.0f, "w");
  EXPECT_TRUE(absl::IsInvalidArgument(scalar)) << scalar;
  EXPECT_THAT(std::string(scalar.message()),
              AllOf(HasSubstr("= w;"), HasSubstr("[]"), HasSubstr("[3]")));
  const absl::Status dtype = RestoreIn({1, 2, 3}, "w");
  EXPECT_TRUE(absl::IsInvalidArgument(dtype)) << dtype;
}

// Describes a model with three variables on two devices. "small" is on one
// device; "large" and "last" are on the other device. A restore takes long to
// read "large", and reads "last" after it. A wrong restore could assign "small"
// before it finds an error in "last".
struct TwoDevices : Model {
  TwoDevices(const Operand& last, SaverOptions saver_options)
      : Model(std::move(saver_options), "cpu:2") {
    values.push_back(b.Variable("small", 1.0f).value());
    const Scope device = b.OnDevice("/cpu:1");
    const Output extents = b.Const<int32_t>({1 << 21});
    values.push_back(b.Variable("large", op::Fill(extents, 1.0f)).value());
    values.push_back(b.Variable("last", last).value());
    Finish();
  }

  std::vector<Output> values;
};

TEST(SaverTest, NoVariableChangesIfOneCannotBeRestored) {
  for (const bool sharded : {false, true}) {
    const TemporaryFolder folder;
    TwoDevices saved({1.0f}, {.sharded = sharded});
    ASSERT_TRUE(saved.Run(saved.init).ok());
    ASSERT_TRUE(saved.saver->Save(*saved.session, folder.Path("m")).ok());
    TwoDevices other(2.0f, {.sharded = sharded});
    const absl::Status status =
        other.saver->Restore(*other.session, folder.Path("m"));
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(folder.Path("m")), HasSubstr("= last;"),
                      HasSubstr("[]"), HasSubstr("[1]")));
    for (const Output& value : other.values) {  // no variable was assigned
      const auto fetched = other.session->Run({.fetches = {value}});
      EXPECT_TRUE(absl::IsFailedPrecondition(fetched.status()))
          << value.name() << " " << fetched.status();
    }
  }
}

// A graph that comes from a client may have wrong attrs.
TEST(SaverTest, RefusesShapesOfOutputsThatANodeDoesNotHave) {
  GraphBuilder b;
  const Operation restore =
      b.AddOp({.op = "RestoreV2",
               .inputs = {b.Const("m"), b.Const<std::string>({"w"}),
                          b.Const<std::string>({""})},
               .attrs = {{"dtypes", std::vector<DType>{DType::kFloat}},
                         {"_output_shapes", std::vector<PartialShape>(2)}}});
  const auto graph = b.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto session = NewSession(*graph);
  ASSERT_TRUE(session.ok()) << session.status();
  const absl::Status status =
      (*session)->Run({.fetches = {restore.output(0)}}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("2 shapes for 1 outputs"));
}

TEST(SaverTest, SaysThatThereIsNoCheckpoint) {
  const TemporaryFolder folder;
  const absl::Status none = Saver::Latest(folder.Path("")).status();
  EXPECT_TRUE(absl::IsNotFound(none)) << none;
  EXPECT_THAT(Saver::All(folder.Path("")).value(), IsEmpty());
  OneVariable model(1);
  const absl::Status status =
      model.saver->Restore(*model.session, folder.Path("m-1"));
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
}

TEST(SaverTest, ADamagedStateFileIsDataLoss) {
  const TemporaryFolder folder;
  WriteFile(folder.Path("checkpoint"), "model_checkpoint_path: \"m-1\"\nwhat?");
  const absl::Status latest = Saver::Latest(folder.Path("")).status();
  EXPECT_TRUE(absl::IsDataLoss(latest)) << latest;
  EXPECT_THAT(std::string(latest.message()),
              AllOf(HasSubstr(folder.Path("checkpoint")), HasSubstr("line 2")));
  OneVariable model(1);
  EXPECT_TRUE(absl::IsDataLoss(
      model.saver->Save(*model.session, folder.Path("m"), 1).status()));
}

TEST(SaverTest, PartsOfABuilderWithAnErrorAreNotLookedAt) {
  GraphBuilder b;
  b.Fail(absl::InternalError("broken"), SourceLocation::Current());
  const Variable part =
      b.Variable("w", Tensor::FromSpan<float>(Shape{2}, {1, 2}),
                 {.part = VariablePart{.whole = Shape{4}}});
  const Saver saver(b, {.variables = {part}});
  EXPECT_THAT(std::string(b.Build().status().message()), HasSubstr("broken"));
}

TEST(SaverTest, WrongOptionsAreErrorsOfTheBuilder) {
  GraphBuilder empty;
  Saver nothing(empty);
  EXPECT_TRUE(absl::IsInvalidArgument(empty.status())) << empty.status();
  GraphBuilder b;
  b.Variable("w", 1.0f);
  Saver negative(b, {.max_to_keep = -1});
  EXPECT_THAT(b.status().ToString(), HasSubstr("-1 checkpoints"));
}

}  // namespace
}  // namespace leat::saver_test
