// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read datasets as a whole, and write the files that tests of
// Dataset read. All errors that they find make the test fail.
#ifndef LEAT_TESTS_TRAIN_DATASET_TESTING_H_
#define LEAT_TESTS_TRAIN_DATASET_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/core/files/output_file.h"
#include "leat/core/partial_shape.h"
#include "leat/core/tensor.h"
#include "leat/graph/builder/builder.h"
#include "leat/summary/records.h"
#include "leat/train/dataset.h"

namespace leat {

using Outputs = std::vector<Output>;
using Numbers = std::vector<int64_t>;
using Strings = std::vector<std::string>;

// Replaces the file.
inline void Write(const std::string& path, const std::string& bytes) {
  EXPECT_EQ(WriteFile(path, bytes), absl::OkStatus());
}

// Returns a TFRecord file with the numbers from `first` on, as text.
inline std::string RecordsFrom(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) {
    AppendRecord(absl::StrCat(i), bytes);
  }
  return bytes;
}

inline std::unique_ptr<DatasetReader> Opened(const Dataset& data) {
  auto reader = data.Open({.num_threads = 2});
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

// Returns the tensors of component `component` until the end or an error, which
// fails the test.
inline std::vector<Tensor> ReadAll(DatasetReader& reader,
                                   size_t component = 0) {
  std::vector<Tensor> tensors;
  for (;;) {
    auto element = reader.Next();
    EXPECT_TRUE(element.ok()) << element.status();
    if (!element.ok() || !element->has_value()) return tensors;
    tensors.push_back((**element)[component]);
  }
}

// Like the functions below, returns nothing if the dataset cannot be opened.
inline std::vector<Tensor> ReadAll(const Dataset& data, size_t component = 0) {
  const auto reader = Opened(data);
  if (reader == nullptr) return {};
  return ReadAll(*reader, component);
}

// Returns the elements of all tensors of a component, one after another.
template <class T>
std::vector<T> Flat(const Dataset& data, size_t component = 0) {
  std::vector<T> all;
  for (const Tensor& tensor : ReadAll(data, component)) {
    const auto elements = tensor.data<T>();
    all.insert(all.end(), elements.begin(), elements.end());
  }
  return all;
}

// Returns what is known of the shapes of the components.
inline std::vector<PartialShape> ShapesOf(const Dataset& data) {
  const auto reader = Opened(data);
  if (reader == nullptr) return {};
  return reader->shapes();
}

inline Numbers NumbersOf(const Dataset& data) { return Flat<int64_t>(data); }
inline Strings StringsOf(const Dataset& data) {
  return Flat<std::string>(data);
}

}  // namespace leat

#endif  // LEAT_TESTS_TRAIN_DATASET_TESTING_H_
