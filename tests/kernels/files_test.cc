// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the kernels of ReadFile, WriteFile and MatchingFiles.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::files_test {
namespace {

using ::testing::ElementsAre;

Tensor Text(const std::string& text) { return Tensor::Scalar(text); }

class FilesTest : public ::testing::Test {
 protected:
  std::string Error(const std::string& op, std::vector<Tensor> inputs) {
    return harness_.Run(op, {}, std::move(inputs)).status().ToString();
  }
  absl::Status Write(const std::string& name, const std::string& contents) {
    return harness_
        .Run("WriteFile", {}, {Text(folder_.Path(name)), Text(contents)})
        .status();
  }
  std::string Read(const std::string& name) {
    auto contents = harness_.RunOne("ReadFile", {}, {Text(folder_.Path(name))});
    EXPECT_TRUE(contents.ok()) << contents.status();
    return contents.ok() ? contents->scalar<std::string>() : "";
  }

  TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
};

TEST_F(FilesTest, ReadsWhatWasWritten) {
  const std::string contents("a\0b and more than fits into the object", 38);
  ASSERT_EQ(Write("new/folders/file", contents), absl::OkStatus());
  EXPECT_EQ(Read("new/folders/file"), contents);
  ASSERT_EQ(Write("new/folders/file", ""), absl::OkStatus());
  EXPECT_EQ(Read("new/folders/file"), "");
}

TEST_F(FilesTest, FindsFiles) {
  for (const char* const name : {"b1", "a2", "a1"}) {
    ASSERT_EQ(Write(name, ""), absl::OkStatus());
  }
  const auto found = harness_.RunOne(
      "MatchingFiles", {},
      {Tensor::Vector<std::string>({folder_.Path("b*"), folder_.Path("a?")})});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(
      found->data<std::string>(),
      ElementsAre(folder_.Path("a1"), folder_.Path("a2"), folder_.Path("b1")));
  const auto none =
      harness_.RunOne("MatchingFiles", {}, {Text(folder_.Path("c*"))});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->shape(), Shape{0});
}

TEST_F(FilesTest, ErrorsAreThoseOfTensorFlow) {
  const Tensor two = Tensor::Vector<std::string>({"a", "b"});
  EXPECT_EQ(Error("ReadFile", {two}),
            "INVALID_ARGUMENT: Input filename tensor must be scalar, but had "
            "shape: [2]");
  EXPECT_EQ(Error("WriteFile", {two, Text("x")}),
            "INVALID_ARGUMENT: Input filename tensor must be scalar, but had "
            "shape: [2]");
  EXPECT_EQ(Error("WriteFile", {Text("x"), two}),
            "INVALID_ARGUMENT: Contents tensor must be scalar, but had shape: "
            "[2]");
  EXPECT_EQ(Error("MatchingFiles",
                  {Tensor::Of<std::string>(Shape{1, 2}, {"a", "b"})}),
            "INVALID_ARGUMENT: Input patterns tensor must be scalar or vector, "
            "but had shape: [1,2]");
  const auto missing =
      harness_.Run("ReadFile", {}, {Text(folder_.Path("none"))});
  EXPECT_TRUE(absl::IsNotFound(missing.status())) << missing.status();
  EXPECT_FALSE(Write("", "x").ok());
}

}  // namespace
}  // namespace leat::files_test
