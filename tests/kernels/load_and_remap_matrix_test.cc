// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the kernel of LoadAndRemapMatrix. The results and the error texts are
// those of TensorFlow 2.15.1.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/tests/testing/kernel_test_harness.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::load_and_remap_matrix_test {
namespace {

using ::testing::HasSubstr;

// Describes one call of the op.
struct Call {
  std::vector<int64_t> rows = {};
  std::vector<int64_t> cols = {};
  std::vector<float> init = {};
  int64_t num_rows = 0;
  int64_t num_cols = 4;
  std::string name = "whole";
  int64_t max_rows = -1;
};

class LoadAndRemapMatrixTest : public ::testing::Test {
 protected:
  // Saves a matrix of 5 rows and 4 columns with the numbers 0 to 19, once as a
  // whole and once in two parts. Also saves tensors that the op must refuse.
  LoadAndRemapMatrixTest() {
    const auto writer =
        BundleWriter::Create(FileAccess::Unrestricted(), folder_.Path("m"));
    std::vector<float> numbers(20);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(i);
    }
    const absl::Span<const float> all = numbers;
    EXPECT_TRUE(
        (*writer)->Add("whole", Tensor::FromSpan(Shape{5, 4}, all)).ok());
    AddRows(**writer, "0,2:-", all.first(8));
    AddRows(**writer, "2,3:-", all.subspan(8));
    EXPECT_TRUE(
        (*writer)->Add("ints", Tensor::Of<int32_t>(Shape{1, 2}, {1, 2})).ok());
    EXPECT_TRUE((*writer)->Add("vector", Tensor::Vector<float>({1})).ok());
    EXPECT_TRUE((*writer)
                    ->Add("narrow",
                          Tensor::Filled<float>(Shape{int64_t{1} << 40, 0}, 0))
                    .ok());
    EXPECT_TRUE((*writer)->Finish().ok());
  }

  static void AddRows(BundleWriter& writer, const std::string& slice,
                      absl::Span<const float> values) {
    const Shape shape{static_cast<int64_t>(values.size()) / 4, 4};
    EXPECT_TRUE(writer
                    .AddSlice("parts", Shape{5, 4}, *TensorSlice::Parse(slice),
                              Tensor::FromSpan(shape, values))
                    .ok());
  }

  template <class T>
  static Tensor Vector(const std::vector<T>& values) {
    return Tensor::FromSpan<T>(Shape{static_cast<int64_t>(values.size())},
                               values);
  }

  absl::StatusOr<Tensor> Run(const Call& call, const Tensor& path,
                             const Tensor& rows, const Tensor& cols) {
    return harness_.RunOne(
        "LoadAndRemapMatrix",
        {{"num_rows", call.num_rows},
         {"num_cols", call.num_cols},
         {"max_rows_in_memory", call.max_rows}},
        {path, Tensor::Scalar(call.name), rows, cols, Vector(call.init)});
  }
  absl::StatusOr<Tensor> Run(const Call& call) {
    return Run(call, Tensor::Scalar(folder_.Path("m")), Vector(call.rows),
               Vector(call.cols));
  }
  std::string ErrorOf(const Call& call) {
    return Run(call).status().ToString();
  }

  void Expect(Call call, const std::vector<float>& expected) {
    for (const char* const name : {"whole", "parts"}) {
      for (const int max_rows : {-1, 0, 1, 2, 100}) {
        call.name = name;
        call.max_rows = max_rows;
        const auto matrix = Run(call);
        ASSERT_TRUE(matrix.ok()) << matrix.status();
        EXPECT_EQ(matrix->shape(), (Shape{call.num_rows, call.num_cols}));
        EXPECT_TRUE(Identical(
            *matrix, Tensor::FromSpan<float>(matrix->shape(), expected)))
            << name << " " << matrix->DebugString(100);
      }
    }
  }

  TemporaryFolder folder_;
  testing::KernelTestHarness harness_;
};

TEST_F(LoadAndRemapMatrixTest, ChangesTheOrderAsTensorFlowDoes) {
  Expect({.rows = {4, 0, 2}, .num_rows = 3},
         {16, 17, 18, 19, 0, 1, 2, 3, 8, 9, 10, 11});
  Expect({.rows = {1, 3}, .cols = {3, 0}, .num_rows = 2, .num_cols = 2},
         {7, 4, 15, 12});
  Expect({.num_rows = 0}, {});
}

TEST_F(LoadAndRemapMatrixTest, FillsWhatIsMissingAsTensorFlowDoes) {
  Expect({.rows = {4, -1, 2}, .init = {50, 51, 52, 53}, .num_rows = 3},
         {16, 17, 18, 19, 50, 51, 52, 53, 8, 9, 10, 11});
  Expect({.rows = {-7, 1}, .init = {50, 51, 52, 53}, .num_rows = 2},
         {50, 51, 52, 53, 4, 5, 6, 7});
  Expect({.rows = {1, -1},
          .cols = {3, -1, 0},
          .init = {50, 51, 52, 53},
          .num_rows = 2,
          .num_cols = 3},
         {7, 50, 4, 51, 52, 53});
  Expect({.rows = {-1, -1}, .init = {0, 1, 2, 3, 4, 5, 6, 7}, .num_rows = 2},
         {0, 1, 2, 3, 4, 5, 6, 7});
  // The checkpoint has no column 7. In TensorFlow, the elements of this column
  // stay uninitialized.
  Expect({.rows = {1}, .cols = {3, 7}, .num_rows = 1, .num_cols = 2}, {7, 0});
}

TEST_F(LoadAndRemapMatrixTest, ErrorsOfRemappingsAreThoseOfTensorFlow) {
  EXPECT_EQ(ErrorOf({.rows = {4, -1, 2}, .init = {50, 51}, .num_rows = 3}),
            "INVALID_ARGUMENT: initializing_values contained 2 elements, but "
            "more missing values remain.");
  EXPECT_EQ(ErrorOf({.rows = {-1}, .init = {5, 6, 7, 8, 9}, .num_rows = 1}),
            "INVALID_ARGUMENT: initializing_values contained 5 elements, but "
            "only 4 elements were used to fill in missing values.");
  EXPECT_EQ(
      ErrorOf({.rows = {1, 2, 1, 2}, .num_rows = 4}),
      "UNIMPLEMENTED: Old ID 1 is mapped to both new ID 0 and 2, which is "
      "not supported.");
  EXPECT_EQ(
      ErrorOf({.rows = {1}, .cols = {2, 2}, .num_rows = 1, .num_cols = 2}),
      "UNIMPLEMENTED: Old ID 2 is mapped to both new ID 0 and 1, which is "
      "not supported.");
  EXPECT_EQ(ErrorOf({.rows = {1, 2}, .num_rows = 3}),
            "INVALID_ARGUMENT: Size of row_remapping is 2 instead of being "
            "equal to num_rows=3");
  EXPECT_EQ(ErrorOf({.rows = {1, 2}, .cols = {1}, .num_rows = 2}),
            "INVALID_ARGUMENT: Provided col_remapping, but its size is 1 "
            "instead of being equal to num_cols=4");
  const Call one = {.rows = {1}, .num_rows = 1};
  const Tensor path = Tensor::Scalar(folder_.Path("m"));
  const Tensor matrix = Tensor::Of<int64_t>(Shape{1, 1}, {1});
  EXPECT_EQ(Run(one, path, matrix, Vector<int64_t>({})).status().ToString(),
            "INVALID_ARGUMENT: The `row_remapping` tensor must be 1-D, got a "
            "tensor of shape [1,1]");
  // This call crashes TensorFlow's process.
  EXPECT_THAT(
      Run(one, path, Vector<int64_t>({1}), matrix).status().ToString(),
      HasSubstr("INVALID_ARGUMENT: The `col_remapping` tensor must be"));
  const Tensor paths = Vector<std::string>({"a", "b"});
  EXPECT_EQ(Run(one, paths, Vector<int64_t>({1}), Vector<int64_t>({}))
                .status()
                .ToString(),
            "INVALID_ARGUMENT: The `ckpt_path` tensor must have exactly one "
            "element, got tensor of shape [2]");
}

TEST_F(LoadAndRemapMatrixTest, ErrorsOfMatricesAreThoseOfTensorFlow) {
  EXPECT_EQ(ErrorOf({.rows = {1, 2}, .num_rows = 2, .num_cols = 3}),
            "INVALID_ARGUMENT: Tensor whole has shape [5,4], where the size of "
            "its 2nd dimension is 4 instead of being equal to num_cols=3");
  EXPECT_EQ(
      ErrorOf({.rows = {0}, .num_rows = 1, .num_cols = 2, .name = "ints"}),
      "INVALID_ARGUMENT: Tensor ints has invalid type int32 instead of "
      "expected type float");
  EXPECT_EQ(
      ErrorOf({.rows = {0}, .num_rows = 1, .num_cols = 1, .name = "vector"}),
      "INVALID_ARGUMENT: Tensor vector has shape [1] of invalid rank 1 instead "
      "of expected shape of rank 2.");
  EXPECT_THAT(ErrorOf({.rows = {0}, .num_rows = 1, .name = "x"}),
              HasSubstr("NOT_FOUND: Key x not found in checkpoint"));
  const auto outside = [&](std::vector<int64_t> rows, int64_t max_rows) {
    return ErrorOf({.rows = rows,
                    .num_rows = static_cast<int64_t>(rows.size()),
                    .max_rows = max_rows});
  };
  const std::string error =
      "INTERNAL: Extent in dimension 0 out of bounds: shape = [5,4], slice = ";
  EXPECT_EQ(outside({1, 9}, -1), error + "1,9:-");
  EXPECT_EQ(outside({1, 9}, 2), error + "5,2:-");
  EXPECT_EQ(outside({0, 9}, 3), error + "3,3:-");
  EXPECT_EQ(outside({7, 9}, 2), error + "7,2:-");
  EXPECT_EQ(outside({5}, -1), error + "5,1:-");
  // A matrix without elements may have any number of rows.
  EXPECT_TRUE(Run({.rows = {int64_t{1} << 39},
                   .cols = {0},
                   .num_rows = 1,
                   .num_cols = 1,
                   .name = "narrow"})
                  .ok());
}

}  // namespace
}  // namespace leat::load_and_remap_matrix_test
