// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Parses bytes as an Example, alone and in a batch. The features "a", "b" and
// "c" become tensors of all kinds.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leat/core/check.h"
#include "leat/kernels/codecs/parse_examples.h"

namespace {

using leat::DType;
using leat::PartialShape;

std::vector<leat::ExampleParser> MakeParsers() {
  const leat::Tensor zero = leat::Tensor::Scalar<int64_t>(0);
  const leat::ListFeature lists[] = {{"a", DType::kInt64, DType::kInt32},
                                     {"b", DType::kFloat},
                                     {"c", DType::kString}};
  leat::ExampleSpec specs[4];
  specs[0].sparse.assign(std::begin(lists), std::end(lists));
  specs[1].ragged.assign(std::begin(lists), std::end(lists));
  specs[2].dense = {{"a", DType::kInt64, PartialShape{-1, 2}, zero},
                    {"c", DType::kString, PartialShape{-1},
                     leat::Tensor::Scalar<std::string>("x")}};
  specs[3].dense = {{"a", DType::kInt64, PartialShape(leat::Shape{}), zero},
                    {"b", DType::kFloat, PartialShape{3},
                     leat::Tensor::Vector<float>({1, 2, 3})}};
  std::vector<leat::ExampleParser> parsers;
  for (leat::ExampleSpec& spec : specs) {
    parsers.push_back(leat::ExampleParser::Create(std::move(spec)).value());
  }
  return parsers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const parsers =
      new std::vector<leat::ExampleParser>(MakeParsers());
  static leat::WorkQueue* const queue =
      leat::NewThreadPool("fuzz", 1).release();
  const leat::ParseResources resources = {leat::HostAllocator(), *queue};
  const std::string example(reinterpret_cast<const char*>(data), size);
  for (const leat::ExampleParser& parser : *parsers) {
    const auto one = parser.ParseOne(example, resources);
    const auto batch = parser.ParseBatch({example, "", example}, {}, resources);
    LEAT_CHECK(!batch.ok() || one.ok());
  }
  return 0;
}
