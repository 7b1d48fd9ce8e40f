// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests caches of elements in files. runtime/dataset_cases_test.cc reads one
// that TensorFlow has written.
#include "leat/kernels/pipeline/file_cache.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/core/files/output_file.h"
#include "leat/kernels/pipeline/element_stream.h"
#include "leat/tests/testing/awaited.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::file_cache_test {
namespace {

using kernels::DatasetPtr;
using kernels::Element;
using kernels::ElementStream;
using kernels::Progress;
using kernels::Stage;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Gives numbers from 0 on, with their texts. Number `bad` is an error.
class NumbersStage final : public Stage {
 public:
  NumbersStage(int64_t count, int64_t bad) : count_(count), bad_(bad) {}
  absl::StatusOr<Progress> Next(Element& element) override {
    if (next_ == count_) return Progress::kEnd;
    const int64_t number = next_++;
    if (number == bad_) return absl::DataLossError("bad");
    element = {Tensor::Scalar(number), Tensor::Scalar(absl::StrCat(number))};
    return Progress::kElement;
  }

 private:
  const int64_t count_;
  const int64_t bad_;
  int64_t next_ = 0;
};

class NumbersDataset final : public kernels::Dataset {
 public:
  explicit NumbersDataset(int64_t count, int64_t bad = -1)
      : Dataset({.dtypes = {DType::kInt64, DType::kString},
                 .shapes = {Shape{}, Shape{}}}),
        count_(count),
        bad_(bad) {}
  absl::StatusOr<std::unique_ptr<Stage>> NewStage(
      const kernels::StageContext&) const override {
    ++num_passes;
    return std::make_unique<NumbersStage>(count_, bad_);
  }
  mutable std::atomic<int> num_passes{0};

 private:
  const int64_t count_;
  const int64_t bad_;
};

class FileCacheTest : public ::testing::Test {
 protected:
  ~FileCacheTest() override { background_.Wait(); }

  std::string Path() const { return folder_.Path("cache"); }
  std::shared_ptr<ElementStream> Open(DatasetPtr input) {
    auto stream = ElementStream::Create(
        kernels::NewFileCacheDataset(std::move(input), Path()),
        {.device = &harness_.device(),
         .resources = &harness_.resources(),
         .background = &background_},
        0);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }
  // Returns a number, an error or "end".
  static std::string Next(ElementStream& stream) {
    Cancellation cancellation;
    testing::Awaited<std::string> shown;
    stream.GetNext(cancellation, [&](ElementStream::Result result) {
      if (!result.ok()) return shown.Set(result.status().ToString());
      if (!result->has_value()) return shown.Set("end");
      const Element& element = **result;
      EXPECT_EQ(element[1].scalar<std::string>(),
                absl::StrCat(element[0].scalar<int64_t>()));
      shown.Set(element[1].scalar<std::string>());
    });
    return shown.Take();
  }
  void ExpectNumbers(ElementStream& stream, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(Next(stream), absl::StrCat(i));
    }
    EXPECT_EQ(Next(stream), "end");
    EXPECT_EQ(Next(stream), "end");
  }
  std::vector<std::string> FilesThere() const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.Path(""))) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  const TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
  BackgroundWork background_;
};

TEST_F(FileCacheTest, ThePassThatIsCompleteIsTheLast) {
  const auto numbers = std::make_shared<const NumbersDataset>(250);
  ExpectNumbers(*Open(numbers), 250);
  ExpectNumbers(*Open(numbers), 250);
  EXPECT_EQ(numbers->num_passes, 1);
  const auto cache = BundleReader::Open(FileAccess::Unrestricted(), Path());
  ASSERT_TRUE(cache.ok()) << cache.status();
  EXPECT_EQ((*cache)->Names().size(), 500);
  EXPECT_TRUE((*cache)->Contains("      0_0"));
  EXPECT_TRUE((*cache)->Contains("    249_1"));
}

TEST_F(FileCacheTest, AnEmptyPassIsCompleteToo) {
  const auto numbers = std::make_shared<const NumbersDataset>(0);
  for (int i = 0; i < 2; ++i) ExpectNumbers(*Open(numbers), 0);
  EXPECT_EQ(numbers->num_passes, 1);
}

TEST_F(FileCacheTest, APassThatIsNotCompleteLeavesNothing) {
  const auto numbers = std::make_shared<const NumbersDataset>(9);
  {
    const auto stream = Open(numbers);
    EXPECT_EQ(Next(*stream), "0");
    EXPECT_EQ(Next(*stream), "1");
  }
  background_.Wait();  // Then the file of the pass has been removed.
  EXPECT_THAT(FilesThere(), IsEmpty());
  ExpectNumbers(*Open(numbers), 9);
}

TEST_F(FileCacheTest, SeveralPassesMayWriteAtTheSameTime) {
  const auto numbers = std::make_shared<const NumbersDataset>(9);
  const auto first = Open(numbers);
  EXPECT_EQ(Next(*first), "0");
  ExpectNumbers(*Open(numbers), 9);
  for (int64_t i = 1; i < 9; ++i) EXPECT_EQ(Next(*first), absl::StrCat(i));
  EXPECT_EQ(Next(*first), "end");
  ExpectNumbers(*Open(numbers), 9);
}

TEST_F(FileCacheTest, ElementsThatFailAreNotInTheCache) {
  const auto numbers = std::make_shared<const NumbersDataset>(3, /*bad=*/1);
  {
    const auto stream = Open(numbers);
    EXPECT_EQ(Next(*stream), "0");
    EXPECT_THAT(Next(*stream), HasSubstr("bad"));
    EXPECT_EQ(Next(*stream), "2");
    EXPECT_EQ(Next(*stream), "end");
  }
  const auto stream = Open(numbers);
  EXPECT_EQ(Next(*stream), "0");
  EXPECT_EQ(Next(*stream), "2");
  EXPECT_EQ(Next(*stream), "end");
}

TEST_F(FileCacheTest, DamagedCachesAreFound) {
  const auto numbers = std::make_shared<const NumbersDataset>(300);
  ExpectNumbers(*Open(numbers), 300);
  ASSERT_EQ(truncate((Path() + ".data-00000-of-00001").c_str(), 2000), 0);
  const auto stream = Open(numbers);
  std::string next = Next(*stream);
  int given = 0;
  while (next == absl::StrCat(given)) {
    next = Next(*stream);
    ++given;
  }
  EXPECT_GT(given, 100);  // more than are read at once
  EXPECT_NE(given % 100, 0);
  EXPECT_THAT(next, HasSubstr("DATA_LOSS: file '"));
  EXPECT_EQ(Next(*stream), next);
}

TEST_F(FileCacheTest, TensorFlowsLockIsRespected) {
  ASSERT_EQ(WriteFile(Path() + "_0.lockfile", "Created at: 1"),
            absl::OkStatus());
  const auto stream = Open(std::make_shared<const NumbersDataset>(2));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Next(*stream),
                HasSubstr("ALREADY_EXISTS: There appears to be a concurrent "
                          "caching iterator running"));
  }
  ASSERT_EQ(unlink((Path() + "_0.lockfile").c_str()), 0);
  ExpectNumbers(*stream, 2);
}

TEST_F(FileCacheTest, StreamsMayEndWhileTheyWrite) {
  const auto numbers = std::make_shared<const NumbersDataset>(1000);
  for (int i = 0; i < 20; ++i) {
    const auto stream = Open(numbers);
    for (int j = 0; j < i; ++j) EXPECT_EQ(Next(*stream), absl::StrCat(j));
    Cancellation cancellation;
    testing::Awaited<bool> is_done;
    stream->GetNext(cancellation,
                    [&](ElementStream::Result) { is_done.Set(true); });
    stream->Close();
    is_done.Take();
  }
  background_.Wait();
  EXPECT_THAT(FilesThere(), IsEmpty());
}

}  // namespace
}  // namespace leat::file_cache_test
