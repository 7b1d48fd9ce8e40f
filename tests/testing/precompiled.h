// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Includes the headers that most tests include. They are compiled once for all
// test programs, which halves the time to compile a test file. No file may rely
// on this header: each file includes what it uses.
#ifndef LEAT_TESTS_TESTING_PRECOMPILED_H_
#define LEAT_TESTS_TESTING_PRECOMPILED_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/graph/ops.h"

#endif  // LEAT_TESTS_TESTING_PRECOMPILED_H_
