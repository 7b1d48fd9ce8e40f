// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/chunk_suite.h"

namespace leat::testing::chunks_test {
namespace {

INSTANTIATE_TEST_SUITE_P(InProcess, ChunkTest, ::testing::Values("in-process"));

}  // namespace
}  // namespace leat::testing::chunks_test
