// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#ifndef LEAT_TESTS_KERNELS_KERNEL_TEST_HARNESS_H_
#define LEAT_TESTS_KERNELS_KERNEL_TEST_HARNESS_H_

#include "leat/tests/testing/kernel_test_harness.h"  // IWYU pragma: export

#endif  // LEAT_TESTS_KERNELS_KERNEL_TEST_HARNESS_H_
