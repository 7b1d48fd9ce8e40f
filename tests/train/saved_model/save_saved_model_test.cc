// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Saves models and loads them again. tests/interop/saved_model.py loads them
// with TensorFlow.
#include "leat/train/saved_model/save_saved_model.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/train/saved_model/saved_model.h"

namespace leat::save_saved_model_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> ContentOf(const std::string& folder) {
  return FileAccess::Unrestricted().List(folder).value();
}

// Provides the model y = a x + b and an unused variable. a is a reference
// variable, and b is a resource variable. `path_` is fed the path of an asset.
class SaveSavedModelTest : public ::testing::Test {
 protected:
  SaveSavedModelTest() {
    x_ = b_.Placeholder<float>("x", {-1});
    {
      auto device = b_.OnDevice("/cpu:1");
      const Variable a =
          b_.Variable("a", b_.Const(0.5f), {.use_resource = false});
      const Variable b = b_.Variable("b", b_.Const(2.0f));
      b_.Variable("unused", b_.Const(9.0f));
      y_ = op::Mul(a, x_) + b;
      count_ = op::AssignAddVariableOp(b.handle(), 1.0f);
    }
    path_ = b_.Placeholder<std::string>("path", {});
    same_path_ = op::Identity(path_);
    graph_ = std::make_unique<Graph>(b_.Build().value());
    session_ = *NewTestSession(*graph_,
                               {.devices = {.num_cpus = 2, .num_threads = 1}});
    EXPECT_TRUE(session_->Run({.targets = {graph_->init_op()}}).ok());
    options_.signatures = {
        {"serving_default", {.inputs = {{"x", x_}}, .outputs = {{"y", y_}}}}};
  }

  absl::Status Save(const std::string& name) {
    return SaveSavedModel(*graph_, *session_, Path(name), options_);
  }

  std::unique_ptr<SavedModel> Load(const std::string& name) {
    auto model = SavedModel::Load(Path(name), {.session = {.num_threads = 1}});
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *std::move(model) : nullptr;
  }

  void ExpectRefuses(absl::StatusCode code, const std::string& what) {
    const absl::Status status = Save("refused");
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
    EXPECT_EQ(ContentOf(folder_.Path("")).size(), num_files_)
        << "a folder is left";
  }

  // Returns a path at which a test saves a model. If the environment variable
  // LEAT_TEST_SAVED_MODELS is set, the path is in the folder that the variable
  // names. Otherwise the path is in a temporary folder.
  // tests/interop/saved_model.py sets the variable, and then loads the models
  // with TensorFlow.
  std::string Path(const std::string& name) const {
    const char* const given = getenv("LEAT_TEST_SAVED_MODELS");
    return given == nullptr ? folder_.Path(name)
                            : absl::StrCat(given, "/", name);
  }

  const TemporaryFolder folder_;
  size_t num_files_ = 0;  // in the folder
  GraphBuilder b_;
  Output x_, y_, path_, same_path_;
  Operation count_;
  std::unique_ptr<Graph> graph_;
  std::shared_ptr<Session> session_;
  SaveSavedModelOptions options_;
};

TEST_F(SaveSavedModelTest, SavesValuesOfTheVariablesThatSignaturesNeed) {
  const absl::Status status = Save("new/model/1/");
  ASSERT_TRUE(status.ok()) << status;
  const auto model = Load("new/model/1");
  ASSERT_NE(model, nullptr);
  const auto y =
      model->Run("serving_default", {{"x", Tensor::Vector<float>({1, 10})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE(Identical(y->at("y"), Tensor::Vector<float>({2.5, 7})));
  const SignatureTensor& input =
      model->signatures().at("serving_default").inputs.at("x");
  EXPECT_EQ(input.tensor, "x:0");
  EXPECT_EQ(input.dtype, DType::kFloat);
  EXPECT_EQ(input.shape.DebugString(), "[?]");
  EXPECT_THAT(ContentOf(Path("new/model")), ElementsAre("1"));
  EXPECT_THAT(ContentOf(Path("new/model/1")),
              ElementsAre("saved_model.pb", "variables"));
  const auto bundle = BundleReader::Open(
      FileAccess::Unrestricted(), Path("new/model/1/variables/variables"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_THAT((*bundle)->Names(), ElementsAre("a", "b"));
}

TEST_F(SaveSavedModelTest, SavesALoadedModelAgain) {
  ASSERT_TRUE(Save("first").ok());
  const auto first = Load("first");
  ASSERT_NE(first, nullptr);
  options_.signatures = {
      {"again", {.inputs = {{"x", "x"}}, .outputs = {{"y", y_}}}}};
  const absl::Status status = SaveSavedModel(first->graph(), first->session(),
                                             folder_.Path("second"), options_);
  ASSERT_TRUE(status.ok()) << status;
  const auto second = Load("second");
  ASSERT_NE(second, nullptr);
  const auto y = second->Run("again", {{"x", Tensor::Vector<float>({10})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_TRUE(Identical(y->at("y"), Tensor::Vector<float>({7})));
}

TEST_F(SaveSavedModelTest, SavesAssetsAndTheInitOp) {
  const std::string words = folder_.Path("words.txt");
  std::ofstream(words) << "two\nwords\n";
  options_.assets = {{path_.name(), words}};
  options_.init_op = count_;
  options_.signatures["path"] = {.outputs = {{"path", same_path_}}};
  const absl::Status status = Save("model");
  ASSERT_TRUE(status.ok()) << status;
  std::filesystem::remove(words);
  const auto model = Load("model");
  ASSERT_NE(model, nullptr);
  const auto path = model->Run("path", {});
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(path->at("path").data<std::string>()[0],
            Path("model/assets/words.txt"));
  std::string word;
  std::ifstream(path->at("path").data<std::string>()[0]) >> word;
  EXPECT_EQ(word, "two");
  const auto y =
      model->Run("serving_default", {{"x", Tensor::Vector<float>({0})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->at("y").data<float>()[0], 3) << "the init op adds 1 to b";
}

TEST_F(SaveSavedModelTest, GivesAssetsOfOneNameDifferentNames) {
  const Output other = b_.Placeholder<std::string>("other", {});
  graph_ = std::make_unique<Graph>(b_.Build().value());
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directory(folder_.Path(name));
    std::ofstream(folder_.Path(absl::StrCat(name, "/words"))) << name;
  }
  options_.signatures = {{"paths", {.outputs = {{"a", path_}, {"b", other}}}}};
  options_.assets = {{path_.name(), folder_.Path("a/words")},
                     {other.name(), folder_.Path("b/words")}};
  const absl::Status status = Save("model");
  ASSERT_TRUE(status.ok()) << status;
  const auto model = Load("model");
  ASSERT_NE(model, nullptr);
  const auto paths = model->Run("paths", {});
  ASSERT_TRUE(paths.ok()) << paths.status();
  for (const char* name : {"a", "b"}) {
    std::string content;
    std::ifstream(paths->at(name).data<std::string>()[0]) >> content;
    EXPECT_EQ(content, name);
  }
}

TEST_F(SaveSavedModelTest, KeepsDevicesOnlyIfItIsTold) {
  ASSERT_TRUE(Save("cleared").ok());
  options_.keep_devices = true;
  ASSERT_TRUE(Save("kept").ok());
  const SavedModelOptions as_saved = {.graph = {.keep_devices = true},
                                      .session = {.num_threads = 1}};
  EXPECT_TRUE(SavedModel::Load(folder_.Path("cleared"), as_saved).ok());
  EXPECT_EQ(SavedModel::Load(folder_.Path("kept"), as_saved).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(SaveSavedModelTest, LeavesNothingWhenItFails) {
  const SaveSavedModelOptions good = options_;
  options_.signatures = {};
  ExpectRefuses(absl::StatusCode::kInvalidArgument, "needs a signature");
  options_ = good;
  options_.signatures["more"] = {.outputs = {{"z", "nothing"}}};
  ExpectRefuses(absl::StatusCode::kNotFound, "'nothing'");
  options_.signatures["more"] = {.outputs = {{"z", "x:7"}}};
  ExpectRefuses(absl::StatusCode::kInvalidArgument, "'x:7' is not a tensor");
  options_.signatures["more"] = {.outputs = {{"z", "^x"}}};
  ExpectRefuses(absl::StatusCode::kInvalidArgument, "'^x' is not a tensor");
  options_ = good;
  options_.assets = {{"path", "/nonexistent/words"}};
  ExpectRefuses(absl::StatusCode::kNotFound, "/nonexistent/words");
  options_.assets = {{"path", "/dev/zero"}};
  ExpectRefuses(absl::StatusCode::kInvalidArgument, "/dev/zero");
  options_ = good;
  std::ofstream(folder_.Path("words")) << "words";
  num_files_ = 1;
  options_.assets = {{"x", folder_.Path("words")}};
  ExpectRefuses(absl::StatusCode::kInvalidArgument, "cannot have the path");
  options_ = good;
  session_ =
      *NewTestSession(*graph_, {.devices = {.num_cpus = 2, .num_threads = 1}});
  ExpectRefuses(absl::StatusCode::kFailedPrecondition, "a");
}

TEST_F(SaveSavedModelTest, ReplacesOnlyAnEmptyFolder) {
  std::filesystem::create_directory(folder_.Path("model"));
  EXPECT_TRUE(Save("model").ok());
  const absl::Status status = Save("model");
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("already exists, and isn't empty"));
  std::ofstream(folder_.Path("file")) << "x";
  EXPECT_EQ(Save("file").code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace leat::save_saved_model_test
