// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that no tensor is saved that the host cannot read.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/tests/testing/gpu/gpu_tensor.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::gpu_tensors_test {
namespace {

using ::testing::HasSubstr;

TEST(GpuTensorsTest, AreNotSaved) {
  const TemporaryFolder folder;
  auto writer =
      BundleWriter::Create(FileAccess::Unrestricted(), folder.Path("model"));
  ASSERT_TRUE(writer.ok()) << writer.status();
  const absl::Status status = (*writer)->Add("w", testing::GpuTensor());
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("gpu:1"));
}

}  // namespace
}  // namespace leat::gpu_tensors_test
