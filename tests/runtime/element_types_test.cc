// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that tensors of each of TensorFlow's dtypes can be fed, sent to another
// device, kept as constants and fetched, even if no kernel computes with the
// dtype.
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/core/dtype_encodings.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::element_types_test {
namespace {

Tensor Sample(DType dtype) {
  Tensor tensor = Tensor::Allocate(HostAllocator(), dtype, Shape{2}).value();
  if (IsPlainBytes(dtype)) {
    std::memset(tensor.mutable_raw_data(), 1, tensor.num_bytes());
  }
  return tensor;
}

TEST(ElementTypesTest, AllPassThroughASession) {
  for (const DTypeEncoding& encoding : kDTypeEncodings) {
    SCOPED_TRACE(encoding.name);
    const DType dtype = static_cast<DType>(encoding.number);
    const Tensor sample = Sample(dtype);
    GraphBuilder b;
    const Output fed = b.Placeholder(dtype, "fed", {2});
    const Output kept = b.Const(sample, "kept");
    Output far;
    {
      auto device = b.OnDevice("/cpu:1");
      far = op::Identity(op::Identity(fed));
    }
    auto session =
        NewTestSession(b.Build().value(), {.devices = {.num_cpus = 2}});
    ASSERT_TRUE(session.ok()) << session.status();
    const Feed feed = {fed, sample};
    auto out = (*session)->Run({.feeds = {feed}, .fetches = {far, kept}});
    ASSERT_TRUE(out.ok()) << out.status();
    for (const Tensor& tensor : *out) {
      EXPECT_EQ(tensor.dtype(), dtype);
      EXPECT_EQ(tensor.shape(), Shape{2});
      EXPECT_TRUE(!IsPlainBytes(dtype) || Identical(tensor, sample));
    }
  }
}

}  // namespace
}  // namespace leat::element_types_test
