// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Loads SavedModels that TensorFlow has written (make_saved_models.py), and
// damaged copies of them.
#include "leat/train/saved_model/saved_model.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/regular_file.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/io/message_file.h"
#include "leat/graph/ops.h"
#include "leat/protos/saved_model.pb.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/train/saved_model/save_saved_model.h"

namespace leat::saved_model_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::UnorderedElementsAre;

using Values = std::map<std::string, Tensor>;

std::string Fixture(const std::string& name) {
  return absl::StrCat(testing::TestsDir(), "/train/saved_model/tensorflow/",
                      name);
}

SavedModelOptions OneThread() { return {.session = {.num_threads = 1}}; }

std::unique_ptr<SavedModel> Load(const std::string& folder) {
  auto model = SavedModel::Load(folder, OneThread());
  EXPECT_TRUE(model.ok()) << model.status();
  return model.ok() ? *std::move(model) : nullptr;
}

// Expects that loading `folder` fails with `code`, and that the message
// contains the name of the folder and `what`.
void ExpectFails(const std::string& folder, absl::StatusCode code,
                 const std::string& what) {
  const absl::Status status = SavedModel::Load(folder, OneThread()).status();
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(folder), HasSubstr(what)));
}

// Makes a copy of a fixture that a test may damage.
std::string CopyOf(const std::string& fixture, const TemporaryFolder& folder) {
  const std::string copy = folder.Path(fixture);
  std::filesystem::copy(Fixture(fixture), copy,
                        std::filesystem::copy_options::recursive);
  return copy;
}

pb::SavedModel MessageOf(const std::string& folder) {
  pb::SavedModel message;
  const auto content = ReadMessageFile(folder + "/saved_model.pb");
  EXPECT_TRUE(content.ok() && ParseBinary(*content, message));
  return message;
}

void WriteTo(const std::string& folder, const pb::SavedModel& message) {
  ASSERT_TRUE(WriteMessage(message, folder + "/saved_model.pb").ok());
}

TEST(SavedModelTest, RestoresVariablesOnDevicesThatDoNotExistHere) {
  const auto model = Load(Fixture("half_plus_two"));
  ASSERT_NE(model, nullptr);
  const auto y =
      model->Run("serving_default", {{"x", Tensor::Vector<float>({1, 2, 10})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE(Identical(y->at("y"), Tensor::Vector<float>({2.5, 3, 7})));

  SavedModelOptions options = OneThread();
  options.graph.keep_devices = true;
  const auto refused = SavedModel::Load(Fixture("half_plus_two"), options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("CPU:1"));
  options.session.devices = "cpu:2";
  EXPECT_TRUE(SavedModel::Load(Fixture("half_plus_two"), options).ok());
}

TEST(SavedModelTest, ReadsTextAndChoosesByTags) {
  const auto model = Load(Fixture("x_plus_y"));
  ASSERT_NE(model, nullptr);
  EXPECT_THAT(model->signatures(),
              UnorderedElementsAre(Key("add"), Key("both")));
  const Signature& add = model->signatures().at("add");
  EXPECT_EQ(add.inputs.at("x").tensor, "x:0");
  EXPECT_EQ(add.inputs.at("x").dtype, DType::kInt32);
  EXPECT_EQ(add.inputs.at("x").shape.DebugString(), "[?]");
  EXPECT_EQ(add.method, "tensorflow/serving/predict");
  const auto results = model->Run(
      "both", {{"x", Tensor::Vector<int>({1, 2})}, {"y", Tensor::Scalar(3)}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_TRUE(Identical(results->at("sum"), Tensor::Vector<int>({4, 5})));
  EXPECT_TRUE(Identical(results->at("product"), Tensor::Vector<int>({3, 6})));

  SavedModelOptions options = OneThread();
  options.graph.tags = {"gpu", "serve"};
  EXPECT_TRUE(SavedModel::Load(Fixture("x_plus_y"), options).ok());
  options.graph.tags = {"train"};
  const auto missing = SavedModel::Load(Fixture("x_plus_y"), options);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()),
              AllOf(HasSubstr("'train'"),
                    HasSubstr("available tags [{'serve'}, {'gpu', 'serve'}]")));
}

TEST(SavedModelTest, SaysWhichInputsAndSignaturesThereAre) {
  const auto model = Load(Fixture("x_plus_y"));
  ASSERT_NE(model, nullptr);
  const auto message = [&](const std::string& signature, const Values& inputs) {
    return std::string(model->Run(signature, inputs).status().message());
  };
  const Tensor one = Tensor::Scalar(1);
  EXPECT_THAT(message("nothing", {}),
              AllOf(HasSubstr("'nothing'"), HasSubstr("'add', 'both'")));
  EXPECT_THAT(message("add", {{"x", one}}), HasSubstr("input 'y'"));
  EXPECT_THAT(message("add", {{"x", one}, {"y", one}, {"z", one}}),
              AllOf(HasSubstr("'z'"), HasSubstr("'x', 'y'")));
}

TEST(SavedModelTest, PutsPartsOfAVariableTogether) {
  const auto model = Load(Fixture("partitioned"));
  ASSERT_NE(model, nullptr);
  const auto rows =
      model->Run("serving_default", {{"ids", Tensor::Vector<int>({6, 0, 3})}});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE(Identical(rows->at("rows"),
                        Tensor::Of<float>(Shape{3, 2}, {12, 13, 0, 1, 6, 7})));
}

TEST(SavedModelTest, GivesTheGraphItsAssetsAndRunsTheInitOpLast) {
  const auto model = Load(Fixture("assets_and_init"));
  ASSERT_NE(model, nullptr);
  const auto results = model->Run("serving_default", {});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->at("count").data<int>()[0], 42) << "41 was restored";
  EXPECT_EQ(results->at("path").data<std::string>()[0],
            Fixture("assets_and_init/assets/words.txt"));
}

TEST(SavedModelTest, RunsFunctionsWithControlFlow) {
  const auto model = Load(Fixture("module"));
  ASSERT_NE(model, nullptr);
  const auto results =
      model->Run("serving_default", {{"x", Tensor::Scalar(2.0f)}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->at("y").data<float>()[0], 201.0f);
  EXPECT_EQ(results->at("path").data<std::string>()[0],
            Fixture("module/assets/notes.txt"));
}

TEST(SavedModelTest, RunsWhatKerasExports) {
  const auto model = Load(Fixture("keras"));
  ASSERT_NE(model, nullptr);
  Tensor image = Tensor::Filled<float>(Shape{1, 4, 4, 1}, 0);
  for (int i = 0; i < 16; ++i) {
    image.mutable_data<float>()[i] = static_cast<float>(i) / 100;
  }
  for (const char* signature : {"serve", "serving_default"}) {
    const auto results = model->Run(signature, {{"image", image}});
    ASSERT_TRUE(results.ok()) << results.status();
    const absl::Span<const float> y = results->at("output_0").data<float>();
    // TensorFlow gives these values for the same model and image.
    EXPECT_NEAR(y[0], 0.1758209, 1e-6);
    EXPECT_NEAR(y[1], 0.3027764, 1e-6);
    EXPECT_NEAR(y[2], 0.5214027, 1e-6);
  }
}

TEST(SavedModelTest, RefusesOpsWithoutKernelsOnlyIfTheyAreReached) {
  const auto model = Load(Fixture("boosted_trees"));
  ASSERT_NE(model, nullptr);
  const Tensor x = Tensor::Vector<float>({1});
  const auto y = model->Run("negate", {{"x", x}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->at("y").data<float>()[0], -1.0f);
  const auto bucket = model->Run("bucketize", {{"x", x}});
  EXPECT_EQ(bucket.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(bucket.status().message()),
              HasSubstr("BoostedTreesBucketize"));
}

TEST(SavedModelTest, FillsTables) {
  const auto model = Load(Fixture("table"));
  ASSERT_NE(model, nullptr);
  const auto ids =
      model->Run("serving_default",
                 {{"text", Tensor::Vector<std::string>({"b", "c", "a"})}});
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_THAT(ids->at("ids").data<int32_t>(), ::testing::ElementsAre(2, -1, 1));
}

TEST(SavedModelTest, NamesWhatIsMissing) {
  const TemporaryFolder folder;
  ExpectFails(folder.Path("nothing"), absl::StatusCode::kNotFound,
              "SavedModel file does not exist at: " + folder.Path("nothing") +
                  "/{saved_model.pbtxt|saved_model.pb}");
  const std::string half = CopyOf("half_plus_two", folder);
  std::filesystem::remove(half + "/variables/variables.data-00000-of-00001");
  ExpectFails(half, absl::StatusCode::kNotFound, "data-00000-of-00001");
  std::filesystem::remove_all(half + "/variables");
  ExpectFails(half, absl::StatusCode::kNotFound, "variables/variables.index");
  const std::string assets = CopyOf("assets_and_init", folder);
  std::filesystem::remove_all(assets + "/assets");
  ExpectFails(assets, absl::StatusCode::kNotFound, "assets/words.txt");
}

// As in TensorFlow, the restore op does not run if there is no folder
// "variables".
TEST(SavedModelTest, AGraphWithoutVariablesNeedsNoValues) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("model");
  GraphBuilder b;
  const Output x = b.Placeholder<float>("x", PartialShape(Shape{}));
  const Output y = -x;
  const Graph graph = *b.Build();
  const auto session = NewSession(graph, OneThread().session);
  ASSERT_TRUE(session.ok()) << session.status();
  const SaveSavedModelOptions options{
      .signatures = {
          {"negate", {.inputs = {{"x", x}}, .outputs = {{"y", y}}}}}};
  ASSERT_EQ(SaveSavedModel(graph, **session, path, options), absl::OkStatus());
  pb::SavedModel message = MessageOf(path);
  pb::SaverDef& saver = *message.mutable_meta_graphs(0)->mutable_saver_def();
  saver.set_restore_op_name("save/restore_all");
  saver.set_filename_tensor_name("save/Const:0");
  WriteTo(path, message);
  std::filesystem::remove_all(path + "/variables");
  const auto model = Load(path);
  ASSERT_NE(model, nullptr);
  const auto results = model->Run("negate", {{"x", Tensor::Scalar(2.0f)}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->at("y").scalar<float>(), -2.0f);
}

TEST(SavedModelTest, RefusesAssetsThatLeadOutOfTheFolder) {
  const TemporaryFolder folder;
  const std::string assets = CopyOf("module", folder);
  pb::SavedModel message = MessageOf(assets);
  for (const std::string& name :
       {std::string("../../etc/passwd"), std::string("/etc/passwd"),
        std::string("a/../../saved_model.pb"), std::string(".."),
        std::string(""), std::string("a//b"),
        std::string("words.txt\0x", 11)}) {
    message.mutable_meta_graphs(0)->mutable_asset_file_def(0)->set_filename(
        name);
    WriteTo(assets, message);
    ExpectFails(assets, absl::StatusCode::kInvalidArgument,
                "is not a file below the folder of assets");
  }
}

void AddAsset(const std::string& tensor, pb::MetaGraphDef& meta) {
  pb::AssetFileDef& asset = *meta.add_asset_file_def();
  asset.set_filename("words.txt");
  asset.mutable_tensor_info()->set_name(tensor);
}

TEST(SavedModelTest, RefusesNamesThatAreNotInTheGraph) {
  const TemporaryFolder folder;
  const std::string copy = CopyOf("assets_and_init", folder);
  const pb::SavedModel good = MessageOf(copy);
  const auto expect = [&](absl::StatusCode code, const std::string& what,
                          void (*change)(pb::MetaGraphDef&)) {
    pb::SavedModel message = good;
    change(*message.mutable_meta_graphs(0));
    WriteTo(copy, message);
    ExpectFails(copy, code, what);
  };
  expect(absl::StatusCode::kNotFound, "nobody", [](pb::MetaGraphDef& meta) {
    meta.mutable_saver_def()->set_restore_op_name("nobody");
  });
  expect(absl::StatusCode::kNotFound, "nobody", [](pb::MetaGraphDef& meta) {
    meta.mutable_saver_def()->set_filename_tensor_name("nobody:0");
  });
  expect(absl::StatusCode::kNotFound, "nobody", [](pb::MetaGraphDef& meta) {
    auto& ops = (*meta.mutable_collection_def())["saved_model_main_op"];
    ops.mutable_node_list()->set_value(0, "nobody");
  });
  expect(absl::StatusCode::kInvalidArgument, "must name one op",
         [](pb::MetaGraphDef& meta) {
           auto& ops = (*meta.mutable_collection_def())["saved_model_main_op"];
           ops.mutable_node_list()->add_value("count");
         });
  expect(absl::StatusCode::kNotFound, "'nobody:0'",
         [](pb::MetaGraphDef& meta) { AddAsset("nobody:0", meta); });
  expect(absl::StatusCode::kInvalidArgument, "cannot have the path",
         [](pb::MetaGraphDef& meta) { AddAsset("count:0", meta); });
  expect(absl::StatusCode::kInvalidArgument, "serving_default",
         [](pb::MetaGraphDef& meta) {
           auto& signature = (*meta.mutable_signature_def())["serving_default"];
           (*signature.mutable_outputs())["count"]
               .mutable_tensor_shape()
               ->add_dim()
               ->set_size(-5);
         });
}

TEST(SavedModelTest, RefusesSparseInputsWhenTheyAreFed) {
  const TemporaryFolder folder;
  const std::string copy = CopyOf("table", folder);
  pb::SavedModel message = MessageOf(copy);
  auto& signatures = *message.mutable_meta_graphs(0)->mutable_signature_def();
  auto& inputs = *signatures["negate"].mutable_inputs();
  inputs["x"].mutable_coo_sparse()->set_values_tensor_name("x:0");
  WriteTo(copy, message);
  const auto model = Load(copy);
  ASSERT_NE(model, nullptr);
  const auto y = model->Run("negate", {{"x", Tensor::Vector<float>({1})}});
  EXPECT_EQ(y.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(y.status().message()), HasSubstr("input 'x'"));
}

// Writes a file without waiting for the disk.
void WriteQuickly(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Expects one of two results for a model with one damaged file: either an error
// that names the model's folder, or the same values as before the damage.
void ExpectSurvives(const std::string& folder) {
  const auto model = SavedModel::Load(folder, OneThread());
  if (!model.ok()) {
    EXPECT_THAT(std::string(model.status().message()), HasSubstr(folder));
    return;
  }
  const auto y =
      (*model)->Run("serving_default", {{"x", Tensor::Vector<float>({10})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE(Identical(y->at("y"), Tensor::Vector<float>({7})));
}

TEST(SavedModelTest, SurvivesDamageOfItsVariables) {
  const TemporaryFolder folder;
  const std::string copy = CopyOf("half_plus_two", folder);
  for (const char* name :
       {"variables.index", "variables.data-00000-of-00001"}) {
    const std::string path = absl::StrCat(copy, "/variables/", name);
    const std::string good = ReadRegularFile(path, 1 << 20).value();
    for (size_t i = 0; i < good.size(); ++i) {
      std::string flipped = good;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x11);
      WriteQuickly(path, flipped);
      ExpectSurvives(copy);
      WriteQuickly(path, good.substr(0, i));
      ExpectFails(copy, absl::StatusCode::kDataLoss, name);
    }
    WriteQuickly(path, good);
  }
}

TEST(SavedModelTest, SurvivesDamageOfItsMessage) {
  const TemporaryFolder folder;
  const std::string copy = CopyOf("half_plus_two", folder);
  const std::string path = copy + "/saved_model.pb";
  const std::string good = ReadRegularFile(path, 1 << 20).value();
  for (size_t i = 0; i < good.size(); i += 61) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x11);
    for (const std::string& bad : {flipped, good.substr(0, i)}) {
      WriteQuickly(path, bad);
      const absl::Status status = SavedModel::Load(copy, OneThread()).status();
      if (status.ok()) continue;
      EXPECT_THAT(std::string(status.message()), HasSubstr(copy));
    }
  }
}

TEST(SavedModelTest, RefusesWhatIsNoSavedModel) {
  const TemporaryFolder folder;
  const std::string copy = CopyOf("table", folder);
  const std::string file = copy + "/saved_model.pb";
  ASSERT_TRUE(WriteFile(file, "").ok());
  ExpectFails(copy, absl::StatusCode::kInvalidArgument, "is empty");
  ASSERT_TRUE(WriteFile(file, "meta_graphs { nonsense").ok());
  ExpectFails(copy, absl::StatusCode::kInvalidArgument, "line 1");
  ASSERT_TRUE(WriteFile(file, std::string("\x12\xff\xff\xff\xff\x07x")).ok());
  ExpectFails(copy, absl::StatusCode::kInvalidArgument, "is no SavedModel");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  ExpectFails(copy, absl::StatusCode::kInvalidArgument, "saved_model.pb");
}

}  // namespace
}  // namespace leat::saved_model_test
