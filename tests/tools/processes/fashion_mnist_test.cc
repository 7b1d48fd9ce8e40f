// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests the example fashion_mnist as a process. The process must have the exit
// codes of the tools.
#ifdef LEAT_PROGRAM_FASHION_MNIST
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/tools/processes/run_program.h"

namespace leat::fashion_mnist_test {
namespace {

using ::leat::testing::Content;
using ::leat::testing::Ended;
using ::leat::testing::ExpectEnd;
using ::leat::testing::Path;
using ::leat::testing::RunProgram;
using ::leat::testing::Write;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FashionMnistTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Path("")); }
  void TearDown() override { std::filesystem::remove_all(Path("")); }
};

TEST_F(FashionMnistTest, EndsLikeTheTools) {
  const auto train = [](const std::vector<std::string>& args) {
    return RunProgram(LEAT_PROGRAM_FASHION_MNIST, args);
  };
  EXPECT_THAT(train({"--version"}).out, StartsWith("fashion_mnist "));
  EXPECT_EQ(train({"--help"}).code, 0);
  ExpectEnd(train({"--bogus"}), 2, "--bogus");
  ExpectEnd(train({"--model", "nosuch"}), 2, "--model");
  for (const char* rate : {"nan", "-5", "inf", "abc"}) {
    ExpectEnd(train({"--learning-rate", rate}), 2,
              absl::StrCat("--learning-rate: '", rate, "'"));
  }
  ExpectEnd(train({"--seed", "99999999999999999999"}), 2,
            "--seed: '99999999999999999999'");
  ExpectEnd(train({"--epochs", "-1"}), 2, "--epochs");
  ExpectEnd(train({"--losses", "/nonexistent/x"}), 1, "/nonexistent/x");
  ExpectEnd(train({"--data", "/nonexistent"}), 1, "/nonexistent");
}

// Makes a folder with data sets of `count` images each and returns its path.
std::string DataSet(int count) {
  const std::string folder = Path("data");
  mkdir(folder.c_str(), 0700);
  const std::string size = {0, 0, 0, static_cast<char>(count)};
  const std::string side = {0, 0, 0, 28};
  for (const char* split : {"train", "t10k"}) {
    Write(absl::StrCat("data/", split, "-images-idx3-ubyte.gz"),
          absl::StrCat(std::string("\0\0\x08\x03", 4), size, side, side,
                       std::string(count * 28 * 28, '\0')));
    Write(absl::StrCat("data/", split, "-labels-idx1-ubyte.gz"),
          absl::StrCat(std::string("\0\0\x08\x01", 4), size,
                       std::string(count, '\0')));
  }
  return folder;
}

TEST_F(FashionMnistTest, RefusesDataThatMakesNoStep) {
  const auto train = [](int count) {
    return RunProgram(LEAT_PROGRAM_FASHION_MNIST,
                      {"--data", DataSet(count), "--model=mlp", "--batch=4",
                       "--epochs=1", "--losses", Path("losses.txt")});
  };
  ExpectEnd(train(0), 1, "data/train': there are 0 images");
  ExpectEnd(train(3), 1, "data': 3 rows make no batch of 4");
  const Ended trained = train(9);
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("; test accuracy "));
  EXPECT_THAT(trained.out, Not(HasSubstr("nan")));
  const std::string losses = Content(Path("losses.txt"));
  EXPECT_EQ(std::count(losses.begin(), losses.end(), '\n'), 2);
}

TEST_F(FashionMnistTest, GoesOnFromItsCheckpoints) {
  const std::string folder = Path("checkpoints");
  const auto train = [&](const std::string& epochs) {
    return RunProgram(LEAT_PROGRAM_FASHION_MNIST,
                      {"--data", DataSet(9), "--model=mlp", "--batch=4",
                       "--epochs", epochs, "--checkpoints", folder});
  };
  const Ended first = train("1");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.err, Not(HasSubstr("restored")));
  const Ended second = train("2");
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(second.err,
              HasSubstr(absl::StrCat("restored the variables from '", folder,
                                     "/model.ckpt-2'")));
  EXPECT_THAT(second.out, Not(HasSubstr("epoch 1:")));
  EXPECT_THAT(second.out, HasSubstr("epoch 2:"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/model.ckpt-4.index"));
}

TEST_F(FashionMnistTest, FailsWhenItsOutputIsLost) {
  const std::string data = DataSet(4);
  const std::vector<std::string> args = {"--data", data, "--model=mlp",
                                         "--batch=4", "--epochs=1"};
  EXPECT_EQ(RunProgram(LEAT_PROGRAM_FASHION_MNIST, args, {}, "/dev/full").code,
            1);
  std::vector<std::string> losses = args;
  losses.push_back("--losses=/dev/full");
  const Ended ended = RunProgram(LEAT_PROGRAM_FASHION_MNIST, losses);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err, HasSubstr("the file '/dev/full' of --losses"));
}

}  // namespace
}  // namespace leat::fashion_mnist_test
#endif
