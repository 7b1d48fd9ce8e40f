// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/hash64.h"

#include "gtest/gtest.h"

namespace leat::hash64_test {
namespace {

// The expected number is from the rendezvous keys that tasks of TensorFlow
// 2.15.1 sent to each other in the frame "while/while_context", which is
// entered from the root frame, whose id is 0.
TEST(Hash64Test, NamesFramesAsTensorFlowsExecutorsDo) {
  EXPECT_EQ(Hash64Combine(0, Hash64Combine(0, Hash64("while/while_context"))),
            18186195969791715286u);
}

}  // namespace
}  // namespace leat::hash64_test
