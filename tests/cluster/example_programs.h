// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ExamplesTest runs the examples on generated images, in clusters of processes
// that `leat launch` starts.
#ifndef LEAT_TESTS_CLUSTER_EXAMPLE_PROGRAMS_H_
#define LEAT_TESTS_CLUSTER_EXAMPLE_PROGRAMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "leat/tests/testing/processes.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::testing {

using Args = std::vector<std::string>;

// Is the number of images in the training set, and in the test set.
constexpr int kNumImages = 64;

// Returns the arguments of `leat` for launching a cluster of these jobs. Each
// task runs `program` with the arguments `args`. `more` are flags of launch.
Args Launch(const std::string& jobs, const Args& more, const char* program,
            const Args& args);

// Is a fixture with a folder of images.
class ExamplesTest : public ::testing::Test {
 protected:
  // Writes images of noise. Their labels go through all classes in turn.
  ExamplesTest();

  // Returns the arguments for training the MLP on the images.
  Args Training(int batch, const Args& more) const;

  // Waits until the output of `process` contains `text` at least `times` times.
  static void WaitForOutput(Process& process, const std::string& text,
                            int times);
  static int Count(const std::string& in, const std::string& text);
  // Returns the number that follows the last occurrence of `text`.
  static int64_t LastNumber(const std::string& in, const std::string& text);
  // Kills the process that wrote `log`.
  static void Kill(const std::string& log);

  const TemporaryFolder folder_;
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_CLUSTER_EXAMPLE_PROGRAMS_H_
