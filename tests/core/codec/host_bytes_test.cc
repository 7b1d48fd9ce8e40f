// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/host_bytes.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/protos/tensor.pb.h"
#include "leat/tests/testing/gpu/gpu_tensor.h"

namespace leat::host_bytes_test {
namespace {

using ::leat::testing::GpuTensor;
using ::testing::HasSubstr;

// The error names the memory.
void ExpectNotOnHost(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("float[2] in gpu:1"));
}

TEST(HostBytesTest, AreTheElements) {
  const auto bytes = HostBytes(Tensor::Vector<uint8_t>({'a', 'b'}));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->size(), 2u);
  EXPECT_EQ(HostBytes(Tensor::Vector<float>({}))->size(), 0u);
}

TEST(HostBytesTest, OfATensorOnAGpuAreAnError) {
  ExpectNotOnHost(HostBytes(GpuTensor()).status());
}

TEST(HostBytesTest, ATensorOnAGpuIsNotEncoded) {
  pb::TensorProto proto;
  ExpectNotOnHost(EncodeTensor(GpuTensor(), &proto));
}

}  // namespace
}  // namespace leat::host_bytes_test
