// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the examples that use nothing but leat.h. Their losses must fall.
#ifdef LEAT_PROGRAM_AUTOENCODER
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/tools/processes/run_program.h"

namespace leat::examples_test {
namespace {

using ::leat::testing::Ended;
using ::leat::testing::ExpectEnd;
using ::leat::testing::Path;
using ::leat::testing::RunProgram;

const char kText[] = LEAT_TESTS_DIR "/../README.md";

// Returns the losses that the program printed.
std::vector<double> Losses(const Ended& ended) {
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::vector<double> losses;
  for (const absl::string_view line : absl::StrSplit(ended.out, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, " loss ");
    double loss = 0;
    if (parts.size() == 2 && absl::SimpleAtod(parts[1], &loss)) {
      losses.push_back(loss);
    }
  }
  return losses;
}

// Expects that the last loss is less than `share` times the first loss.
void ExpectLearns(const std::string& program,
                  const std::vector<std::string>& args, double share) {
  const std::vector<double> losses = Losses(RunProgram(program, args));
  ASSERT_GE(losses.size(), 2u) << program;
  EXPECT_LT(losses.back(), share * losses.front()) << program;
}

class ExamplesTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Path("")); }
  void TearDown() override { std::filesystem::remove_all(Path("")); }
};

TEST_F(ExamplesTest, TheAutoencoderLearns) {
  ExpectLearns(LEAT_PROGRAM_AUTOENCODER, {"60"}, 0.7);
}

TEST_F(ExamplesTest, TheWordEmbeddingsLearn) {
  ExpectLearns(LEAT_PROGRAM_WORD_EMBEDDINGS, {kText, "200"}, 0.9);
}

TEST_F(ExamplesTest, TheRecurrentNetworkLearns) {
  ExpectLearns(LEAT_PROGRAM_RECURRENT_NETWORK, {kText, "12"}, 0.9);
}

TEST_F(ExamplesTest, NameWhatTheyCannotRead) {
  for (const char* program :
       {LEAT_PROGRAM_WORD_EMBEDDINGS, LEAT_PROGRAM_RECURRENT_NETWORK}) {
    ExpectEnd(RunProgram(program, {}), 2, "usage:");
    ExpectEnd(RunProgram(program, {"/nonexistent"}), 1, "'/nonexistent'");
  }
}

}  // namespace
}  // namespace leat::examples_test
#endif  // LEAT_PROGRAM_AUTOENCODER
