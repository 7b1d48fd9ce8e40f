// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the kernels of SaveV2, RestoreV2 and MergeV2Checkpoints. The error
// texts are those of TensorFlow 2.15.1.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::save_test {
namespace {

using ::testing::HasSubstr;

using Texts = std::vector<std::string>;

Tensor Vector(const Texts& texts) {
  return Tensor::FromSpan<std::string>(
      Shape{static_cast<int64_t>(texts.size())}, texts);
}
Tensor Scalar(const std::string& text) { return Tensor::Scalar(text); }

class SaveTest : public ::testing::Test {
 protected:
  absl::Status Save(const Tensor& prefix, const Tensor& names,
                    const Tensor& slices, std::vector<Tensor> tensors) {
    std::vector<Tensor> inputs = {prefix, names, slices};
    for (Tensor& tensor : tensors) inputs.push_back(std::move(tensor));
    return harness_.Run("SaveV2", {}, std::move(inputs)).status();
  }
  absl::StatusOr<std::vector<Tensor>> Restore(const Tensor& prefix,
                                              const Tensor& names,
                                              const Tensor& slices,
                                              std::vector<DType> types) {
    return harness_.Run("RestoreV2", {{"dtypes", std::move(types)}},
                        {prefix, names, slices});
  }
  absl::Status Merge(const Tensor& prefixes, const Tensor& merged,
                     AttrMap attrs = {}) {
    return harness_
        .Run("MergeV2Checkpoints", std::move(attrs), {prefixes, merged})
        .status();
  }
  Tensor Prefix(const std::string& name) const {
    return Scalar(folder_.Path(name));
  }
  static std::string Message(const absl::Status& status) {
    return status.ToString();
  }

  TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
  const Tensor w_ = Tensor::Vector<float>({1, 2});
  const Tensor v_ = Tensor::Vector<int32_t>({3});
};

TEST_F(SaveTest, RestoresWhatWasSaved) {
  const Tensor names = Vector({"w", "v", "part"});
  ASSERT_EQ(
      Save(Prefix("a/model"), names, Vector({"", "", "4 1,2"}), {w_, v_, w_}),
      absl::OkStatus());
  const auto read = Restore(Prefix("a/model"), Vector({"v", "part", "w"}),
                            Vector({"", "4 2,1", "2 1,1"}),
                            {DType::kInt32, DType::kFloat, DType::kFloat});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(Identical((*read)[0], v_));
  EXPECT_TRUE(Identical((*read)[1], Tensor::Vector<float>({2})));
  EXPECT_TRUE(Identical((*read)[2], Tensor::Vector<float>({2})));
}

TEST_F(SaveTest, SavingFailsAsTensorFlowDoes) {
  const Tensor one = Vector({"w"});
  const Tensor whole = Vector({""});
  EXPECT_EQ(
      Message(Save(Vector({"a", "b"}), one, whole, {w_})),
      "INVALID_ARGUMENT: Input prefix should have a single element, got 2 "
      "instead.");
  EXPECT_EQ(
      Message(Save(Prefix("b"), Scalar("w"), whole, {w_})),
      "INVALID_ARGUMENT: Input tensor_names and shape_and_slices should be "
      "an 1-D tensors, got [] and [1] instead.");
  EXPECT_EQ(
      Message(Save(Prefix("b"), Vector({"w", "v"}), whole, {w_})),
      "INVALID_ARGUMENT: tensor_names and shape_and_slices have different "
      "number of elements: 2 vs. 1");
  EXPECT_EQ(Message(Save(Prefix("b"), Vector({"w", "w"}), Vector({"", ""}),
                         {w_, w_})),
            "INVALID_ARGUMENT: Adding duplicate key: w");
  EXPECT_EQ(
      Message(Save(Prefix("b"), one, Vector({"4 3,2"}), {w_})),
      "INTERNAL: Extent in dimension 0 out of bounds: shape = [4], slice = "
      "3,2");
  // These calls crash TensorFlow's process.
  EXPECT_THAT(Message(Save(Prefix("b"), Vector({""}), whole, {w_})),
              HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Message(Save(Prefix("b"), Vector({""}), Vector({"4 0,2"}), {w_})),
              HasSubstr("INVALID_ARGUMENT"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.Path("")));
}

TEST_F(SaveTest, RestoringFailsAsTensorFlowDoes) {
  const Tensor one = Vector({"w"});
  const Tensor whole = Vector({""});
  ASSERT_TRUE(Save(Prefix("a"), one, whole, {w_}).ok());
  const auto error = [&](const Tensor& prefix, const Tensor& names,
                         const Tensor& slices, std::vector<DType> types) {
    return Message(Restore(prefix, names, slices, std::move(types)).status());
  };
  EXPECT_EQ(error(Prefix("a"), Vector({"x"}), whole, {DType::kFloat}),
            absl::StrCat("NOT_FOUND: Key x not found in checkpoint ",
                         folder_.Path("a")));
  EXPECT_EQ(error(Prefix("a"), one, whole, {DType::kInt32}),
            "INVALID_ARGUMENT: tensor_name = w; expected dtype int32 does not "
            "equal original dtype float");
  EXPECT_THAT(
      error(Prefix("nope"), one, whole, {DType::kFloat}),
      HasSubstr(absl::StrCat(
          "NOT_FOUND: Unsuccessful TensorSliceReader constructor: Failed "
          "to find any matching files for ",
          folder_.Path("nope"))));
  EXPECT_EQ(error(Prefix("a"), one, Vector({"3 0,1"}), {DType::kFloat}),
            "INVALID_ARGUMENT: tensor_name = w; shape in shape_and_slice spec "
            "[3] does not match the shape stored in checkpoint: [2]");
  EXPECT_EQ(error(Prefix("a"), one, whole, {DType::kFloat, DType::kFloat}),
            "INVALID_ARGUMENT: Got 1 tensor names, but 2 expected dtypes.");
}

TEST_F(SaveTest, EndsWithItsStep) {
  const Tensor one = Vector({"w"});
  const Tensor whole = Vector({""});
  ASSERT_TRUE(Save(Prefix("a"), one, whole, {w_}).ok());
  harness_.services().cancellation->Cancel(absl::AbortedError("why"));
  EXPECT_EQ(Save(Prefix("b"), one, whole, {w_}), absl::AbortedError("why"));
  EXPECT_EQ(Restore(Prefix("a"), one, whole, {DType::kFloat}).status(),
            absl::AbortedError("why"));
}

TEST_F(SaveTest, MergesWhatTasksHaveSaved) {
  const Tensor whole = Vector({""});
  ASSERT_TRUE(Save(Prefix("m_temp/part0"), Vector({"w"}), whole, {w_}).ok());
  ASSERT_TRUE(Save(Prefix("m_temp/part1"), Vector({"v"}), whole, {v_}).ok());
  const Tensor parts =
      Vector({folder_.Path("m_temp/part0"), folder_.Path("m_temp/part1")});
  ASSERT_EQ(Merge(parts, Prefix("m")), absl::OkStatus());
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("m_temp")));
  const auto read = Restore(Prefix("m"), Vector({"v", "w"}), Vector({"", ""}),
                            {DType::kInt32, DType::kFloat});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(Identical((*read)[0], v_));
  EXPECT_TRUE(Identical((*read)[1], w_));
}

TEST_F(SaveTest, MergingFailsAsTensorFlowDoes) {
  EXPECT_EQ(Message(Merge(Scalar("a"), Prefix("m"))),
            "INVALID_ARGUMENT: Input checkpoint_prefixes should be an 1-D "
            "tensor, got [] instead.");
  EXPECT_EQ(Message(Merge(Vector({"a"}), Vector({"m"}))),
            "INVALID_ARGUMENT: Input destination_prefix should be a scalar "
            "tensor, got [1] instead.");
  EXPECT_EQ(Message(Merge(Vector({}), Prefix("m"))),
            "INVALID_ARGUMENT: At least one prefix checkpoint file must exist, "
            "but none existed.");
  const Tensor missing = Vector({folder_.Path("missing")});
  EXPECT_THAT(
      Message(Merge(missing, Prefix("m"))),
      HasSubstr(absl::StrCat("INVALID_ARGUMENT: allow_missing_files was set to "
                             "false and ",
                             folder_.Path("missing"), " did not exist")));
  EXPECT_THAT(
      Message(Merge(missing, Prefix("m"), {{"allow_missing_files", true}})),
      HasSubstr("At least one prefix checkpoint file must exist"));
}

}  // namespace
}  // namespace leat::save_test
