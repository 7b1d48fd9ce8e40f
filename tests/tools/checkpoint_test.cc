// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what `leat checkpoint` says about checkpoints that TensorFlow has
// written, about damaged checkpoints, and about the differences between two
// checkpoints.
#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/checkpoint/checkpoint_state.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/regular_file.h"
#include "leat/tests/testing/temporary_folder.h"
#include "leat/tools/checkpoint.h"
#include "leat/tools/tensors/tensor_difference.h"
#include "nlohmann/json.hpp"

namespace leat::checkpoint_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr char kTheirs[] = LEAT_TESTS_DIR "/checkpoint/tensorflow/";
std::string Theirs(const std::string& name) {
  return absl::StrCat(kTheirs, name);
}

absl::StatusOr<CheckpointReport> ReportOf(const std::string& command,
                                          const std::vector<std::string>& paths,
                                          bool json = false) {
  return MakeCheckpointReport(
      {.command = command, .paths = paths, .json = json}, /*color=*/false);
}
std::string TextOf(const std::string& command,
                   const std::vector<std::string>& paths) {
  const auto report = ReportOf(command, paths);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? report->text : "";
}
Json JsonOf(const std::string& command, const std::vector<std::string>& paths) {
  const auto report = ReportOf(command, paths, /*json=*/true);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? Json::parse(report->text) : Json();
}
absl::StatusOr<CheckpointReport> Show(const std::string& prefix,
                                      const std::string& tensor, int64_t limit,
                                      bool json = false) {
  return MakeCheckpointReport({.command = "show",
                               .paths = {prefix},
                               .tensor = tensor,
                               .limit = limit,
                               .json = json},
                              /*color=*/false);
}

class CheckpointTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }

  void Save(const std::string& name,
            const std::map<std::string, Tensor>& tensors) const {
    const auto writer =
        BundleWriter::Create(FileAccess::Unrestricted(), Path(name));
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const auto& [key, tensor] : tensors) {
      ASSERT_TRUE((*writer)->Add(key, tensor).ok());
    }
    ASSERT_TRUE((*writer)->Finish().ok());
  }

  // Changes one byte of a file.
  static void Damage(const std::string& path, size_t position) {
    std::string bytes = ReadRegularFile(path, 1 << 20).value();
    bytes[position] = static_cast<char>(bytes[position] ^ 1);
    ASSERT_TRUE(WriteFile(path, bytes).ok());
  }

  const TemporaryFolder folder_;
};

TEST_F(CheckpointTest, ListsTensors) {
  const std::string text = TextOf("ls", {Theirs("slices")});
  EXPECT_THAT(text, HasSubstr("columns"));
  EXPECT_THAT(text, HasSubstr("int64   [3,300]"));
  EXPECT_THAT(text, HasSubstr("7.0 KiB  3 parts\n"));
  EXPECT_THAT(text, HasSubstr("escaped\\xff\\xfe"));
  const Json list = JsonOf("ls", {Theirs("merged")});
  EXPECT_EQ(list["files"], 3);
  EXPECT_EQ(list["tensors"].size(), 4u);
  EXPECT_EQ(list["tensors"][3], (Json{{"name", "uint8"},
                                      {"dtype", "uint8"},
                                      {"shape", {2, 3}},
                                      {"bytes", 6},
                                      {"parts", 0}}));
  EXPECT_THAT(ReportOf("ls", {Path("nothing")}).status().ToString(),
              HasSubstr("nothing.index"));
}

TEST_F(CheckpointTest, ListsTheCheckpointsOfAFolder) {
  Save("m-1", {{"w", Tensor::Vector<float>({1, 2})}});
  Save("m-2", {{"w", Tensor::Vector<float>({1, 2, 3})}});
  Save("other", {{"w", Tensor::Scalar(1.f)}});
  for (const std::string& folder : {Path(""), Path(".")}) {
    const Json all = JsonOf("ls", {folder});
    ASSERT_EQ(all.size(), 3u);
    EXPECT_TRUE(std::filesystem::equivalent(
        IndexPath(all[1]["prefix"].get<std::string>()), Path("m-2.index")));
    EXPECT_EQ(all[1]["bytes"], 12);
    EXPECT_EQ(all[1]["latest"], false);
  }
  ASSERT_TRUE(WriteFile(Path("checkpoint"),
                        absl::StrCat("model_checkpoint_path: \"m-2\"\n"
                                     "all_model_checkpoint_paths: \"m-0\"\n"
                                     "all_model_checkpoint_paths: \"",
                                     Path("m-1"),
                                     "\"\n"
                                     "all_model_checkpoint_paths: \"m-2\"\n"))
                  .ok());
  const Json named = JsonOf("ls", {Path(".")});
  ASSERT_EQ(named.size(), 3u);
  EXPECT_THAT(named[0]["error"].get<std::string>(), HasSubstr("m-0.index"));
  EXPECT_EQ(named[1]["prefix"], Path("m-1"));
  EXPECT_EQ(named[1]["error"], "");
  EXPECT_EQ(named[1]["latest"], false);
  EXPECT_EQ(named[2]["tensors"], 1);
  EXPECT_EQ(named[2]["latest"], true);
  EXPECT_THAT(TextOf("ls", {Path(".")}),
              HasSubstr("1 tensors  12 B  latest\n"));
  ASSERT_TRUE(WriteFile(Path("checkpoint"), "model_checkpoint_path: 5").ok());
  EXPECT_EQ(ReportOf("ls", {Path(".")}).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(CheckpointStateTest, PathsBeginAtTheFolder) {
  const TemporaryFolder folder;
  const FileAccess files = FileAccess::Unrestricted();
  EXPECT_EQ(ReadCheckpointState(files, folder.Path("")).status().code(),
            absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteFile(folder.Path("checkpoint"),
                        "model_checkpoint_path: \"m-2\"\n"
                        "all_model_checkpoint_paths: \"/a/m-1\"\n"
                        "all_model_checkpoint_paths: \"m-2\"\n"
                        "all_model_checkpoint_timestamps: 1700000000.5\n")
                  .ok());
  for (const std::string& path : {folder.Path("."), folder.Path("./")}) {
    const auto state = ReadCheckpointState(files, path);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(state->model_checkpoint_path(), folder.Path("./m-2"));
    EXPECT_THAT(state->all_model_checkpoint_paths(),
                ElementsAre("/a/m-1", folder.Path("./m-2")));
  }
  ASSERT_TRUE(WriteFile(folder.Path("checkpoint"), "\nnonsense").ok());
  EXPECT_THAT(ReadCheckpointState(files, folder.Path("")).status().ToString(),
              AllOf(HasSubstr("/checkpoint'"), HasSubstr("line 2:")));
}

TEST_F(CheckpointTest, ShowsValues) {
  const auto strings = Show(Theirs("types"), "strings", 2);
  ASSERT_TRUE(strings.ok()) << strings.status();
  EXPECT_THAT(strings->text, HasSubstr("strings string[2,2]"));
  EXPECT_THAT(strings->text, HasSubstr("\"\" \"a\" ...\n"));
  const Json scalar =
      Json::parse(Show(Theirs("types"), "scalar", 5, true)->text);
  EXPECT_EQ(scalar["values"], Json::array({2.5}));
  // leat checkpoint must be able to show tensors of each type.
  const Json list = JsonOf("ls", {Theirs("types")});
  EXPECT_GT(list["tensors"].size(), 20u);
  for (const Json& tensor : list["tensors"]) {
    for (const bool json : {false, true}) {
      const auto shown = Show(Theirs("types"), tensor["name"], 1, json);
      EXPECT_TRUE(shown.ok()) << tensor << shown.status();
    }
  }
  EXPECT_EQ(Show(Theirs("types"), "nothing", 1).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(CheckpointTest, VerifiesEveryTensor) {
  const std::vector<std::string> whole = {Theirs("types"), Theirs("slices"),
                                          Theirs("merged")};
  const CheckpointReport report = ReportOf("verify", whole).value();
  EXPECT_TRUE(report.is_good) << report.text;
  EXPECT_THAT(report.text, Not(HasSubstr("damaged")));
  const Json json = JsonOf("verify", whole);
  EXPECT_EQ(json[2]["tensors"], 4);
  EXPECT_TRUE(json[2]["errors"].empty());
}

TEST_F(CheckpointTest, NamesWhatIsDamaged) {
  std::filesystem::copy(kTheirs, Path("copy"));
  // The first byte of the file belongs to the tensor "rows", and the last byte
  // to the tensor "escaped\xff\xfe".
  const std::string data = DataPath(Path("copy/slices"), 0, 1);
  Damage(data, 0);
  Damage(data, std::filesystem::file_size(data) - 1);
  Damage(IndexPath(Path("copy/merged")), 5);
  const std::vector<std::string> prefixes = {
      Path("copy/slices"), Path("copy/merged"), Path("copy/types"),
      Path("missing")};
  const CheckpointReport report = ReportOf("verify", prefixes).value();
  EXPECT_FALSE(report.is_good);
  const Json json = JsonOf("verify", prefixes);
  ASSERT_EQ(json[0]["errors"].size(), 2u) << report.text;
  for (const char* const text :
       {"slices.data-00000-of-00001', tensor 'rows': its bytes do not match",
        "slices.data-00000-of-00001', tensor 'escaped\\xff\\xfe': its bytes",
        "merged.index': the index is damaged", "missing.index"}) {
    EXPECT_THAT(report.text, HasSubstr(text));
  }
  EXPECT_TRUE(json[2]["errors"].empty());
}

TEST_F(CheckpointTest, SaysWhatDiffers) {
  Save("a", {{"gone", Tensor::Scalar(1.f)},
             {"same", Tensor::Vector<float>({1, NAN})},
             {"shape", Tensor::Vector<float>({1, 2})},
             {"type", Tensor::Vector<float>({1, 2})},
             {"values", Tensor::Vector<float>({1, 2, 3})},
             {"words", Tensor::Vector<std::string>({"a", "b"})}});
  Save("b", {{"new", Tensor::Scalar(1.f)},
             {"same", Tensor::Vector<float>({1, NAN})},
             {"shape", Tensor::Of<float>(Shape{2, 1}, {1, 2})},
             {"type", Tensor::Vector<double>({1, 2})},
             {"values", Tensor::Vector<float>({1, 2.5, 2})},
             {"words", Tensor::Vector<std::string>({"a", "c"})}});
  const auto text = ReportOf("diff", {Path("a"), Path("b")});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_FALSE(text->is_good);
  EXPECT_EQ(text->text,
            absl::StrCat("gone    only in ", Path("a"),
                         "\n"
                         "new     only in ",
                         Path("b"),
                         "\n"
                         "shape   float[2] and float[2,1]\n"
                         "type    float[2] and double[2]\n"
                         "values  2 of 3 elements differ, at most by 1\n"
                         "words   1 of 2 elements differ\n"));
  const Json json = JsonOf("diff", {Path("a"), Path("b")});
  EXPECT_EQ(json[4], (Json{{"name", "values"},
                           {"different", 2},
                           {"elements", 3},
                           {"greatest", 1.0}}));
  const auto equal = ReportOf("diff", {Theirs("types"), Theirs("types")});
  ASSERT_TRUE(equal.ok()) << equal.status();
  EXPECT_TRUE(equal->is_good);
  EXPECT_EQ(equal->text, "");
  EXPECT_FALSE(ReportOf("diff", {Path("a"), Path("none")}).ok());
}

TEST(TensorDifferenceTest, ComparesNumbers) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto difference = [](const Tensor& a, const Tensor& b) {
    const TensorDifference found = Compare(a, b);
    return absl::StrCat(
        found.num_different, " ",
        found.greatest.has_value() ? absl::StrCat(*found.greatest) : "none");
  };
  EXPECT_EQ(difference(Tensor::Vector<float>({0, NAN, 1, kInf}),
                       Tensor::Vector<float>({-0.f, NAN, 1, kInf})),
            "0 none");
  EXPECT_EQ(difference(Tensor::Vector<float>({NAN, 1}),
                       Tensor::Vector<float>({2, 1})),
            "1 none");
  EXPECT_EQ(difference(Tensor::Vector<float>({NAN, 1}),
                       Tensor::Vector<float>({2, kInf})),
            "2 inf");
  EXPECT_EQ(difference(Tensor::Vector<int64_t>({INT64_MIN, 7}),
                       Tensor::Vector<int64_t>({INT64_MAX, 7})),
            "1 1.84467e+19");
  EXPECT_EQ(difference(Tensor::Vector<int8_t>({-128, 3}),
                       Tensor::Vector<int8_t>({127, -2})),
            "2 255");
  EXPECT_EQ(difference(Tensor::Vector<bool>({true, false}),
                       Tensor::Vector<bool>({false, false})),
            "1 1");
  EXPECT_EQ(difference(Tensor::Scalar(std::complex<float>(3, 4)),
                       Tensor::Scalar(std::complex<float>(0, 0))),
            "1 5");
  EXPECT_EQ(difference(Tensor::Scalar(half(1.f)), Tensor::Scalar(half(3.f))),
            "1 2");
}

}  // namespace
}  // namespace leat::checkpoint_test
