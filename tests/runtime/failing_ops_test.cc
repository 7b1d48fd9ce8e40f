// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests ops whose purpose is to fail. Such an op makes its step fail with an
// error that names the node. The process and the session continue.
#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/ops.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"

namespace leat::failing_ops_test {
namespace {

using ::testing::HasSubstr;

class FailingOpsTest : public ::testing::Test {
 protected:
  // Returns the error of a step that runs `target`, and expects that the next
  // step succeeds.
  absl::Status ErrorOf(const std::string& target) {
    const Output healthy = b_.Const(3.0f, "healthy");
    const absl::StatusOr<Graph> graph = b_.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    const auto session = NewTestSession(*graph);
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return session.status();
    const absl::Status error = (*session)->Run({.targets = {target}}).status();
    EXPECT_THAT(std::string(error.message()),
                HasSubstr("{{node " + target + "}}"));
    const auto next = (*session)->Run({.fetches = {healthy}});
    EXPECT_TRUE(next.ok()) << next.status();
    return error;
  }

  GraphBuilder b_;
};

TEST_F(FailingOpsTest, AbortIsAborted) {
  const absl::Status error =
      ErrorOf(op::Abort(b_, {.error_msg = "enough"}).name());
  EXPECT_TRUE(absl::IsAborted(error)) << error;
  EXPECT_THAT(std::string(error.message()), HasSubstr("Abort 'Abort': enough"));
}

TEST_F(FailingOpsTest, AnOpWithoutKernelIsUnimplemented) {
  const Output bytes = b_.Const(std::string("no sound"));
  const Operation decode = AddOp({.op = "DecodeWav", .inputs = {bytes}});
  const absl::Status error = ErrorOf(decode.name());
  EXPECT_TRUE(absl::IsUnimplemented(error)) << error;
  EXPECT_THAT(std::string(error.message()),
              HasSubstr("node 'DecodeWav' cannot run: op DecodeWav has no "
                        "kernel for CPU"));
}

TEST_F(FailingOpsTest, AnOpWithoutKernelForItsTypesIsUnimplemented) {
  const Output x = b_.Placeholder(DType::kUint16, "x");
  const absl::Status error = ErrorOf(op::MatMul(x, x).operation().name());
  EXPECT_TRUE(absl::IsUnimplemented(error)) << error;
  EXPECT_THAT(std::string(error.message()),
              HasSubstr("op MatMul has no kernel for CPU with T=uint16"));
}

TEST_F(FailingOpsTest, AssertShowsItsData) {
  const Output wrong = b_.Const(false);
  const Output data = b_.Const(Tensor::Vector<float>({1, 2.5f}));
  const Operation op =
      b_.AddOp({.op = "Assert",
                .inputs = {wrong, absl::MakeConstSpan(&data, 1)},
                .name = "check"});
  const absl::Status error = ErrorOf(op.name());
  EXPECT_TRUE(absl::IsInvalidArgument(error)) << error;
  EXPECT_THAT(std::string(error.message()),
              HasSubstr("assertion failed: [1 2.5]"));
}

TEST_F(FailingOpsTest, CheckNumericsSaysWhatItFound) {
  const Output x = b_.Const(Tensor::Vector<float>({1, NAN}));
  const absl::Status error =
      ErrorOf(op::CheckNumerics(x, "loss").operation().name());
  EXPECT_TRUE(absl::IsInvalidArgument(error)) << error;
  EXPECT_THAT(std::string(error.message()),
              HasSubstr("loss : Tensor had NaN values"));
}

}  // namespace
}  // namespace leat::failing_ops_test
