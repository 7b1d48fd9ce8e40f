// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/hash64.h"

#include "gtest/gtest.h"

namespace leat::hash64_test {
namespace {

// Tasks of TensorFlow 2.15.1 sent the expected number to each other in
// rendezvous keys. It is the id of the frame "while/while_context", which is
// entered from the root frame. The id of the root frame is 0.
TEST(Hash64Test, NamesFramesAsTensorFlowsExecutorsDo) {
  EXPECT_EQ(Hash64Combine(0, Hash64Combine(0, Hash64("while/while_context"))),
            18186195969791715286u);
}

}  // namespace
}  // namespace leat::hash64_test
