// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/cluster/example_programs.h"

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace leat::testing {
namespace {

// Writes images of noise. Their labels go through all classes in turn.
void WriteImages(const TemporaryFolder& folder) {
  const auto big_endian = [](int number) {
    return std::string{0, 0, static_cast<char>(number >> 8),
                       static_cast<char>(number)};
  };
  for (const char* split : {"train", "t10k"}) {
    std::mt19937 random(1);
    std::string pixels, labels;
    for (int i = 0; i < kNumImages; ++i) {
      labels += static_cast<char>(i % 10);
      for (int j = 0; j < 28 * 28; ++j) pixels += static_cast<char>(random());
    }
    std::ofstream(folder.Path(absl::StrCat(split, "-images-idx3-ubyte.gz")),
                  std::ios::binary)
        << std::string("\0\0\x08\x03", 4) << big_endian(kNumImages)
        << big_endian(28) << big_endian(28) << pixels;
    std::ofstream(folder.Path(absl::StrCat(split, "-labels-idx1-ubyte.gz")),
                  std::ios::binary)
        << std::string("\0\0\x08\x01", 4) << big_endian(kNumImages) << labels;
  }
}

}  // namespace

Args Launch(const std::string& jobs, const Args& more, const char* program,
            const Args& args) {
  Args all = {"launch", "--jobs", jobs};
  all.insert(all.end(), more.begin(), more.end());
  all.push_back("--");
  all.push_back(program);
  all.insert(all.end(), args.begin(), args.end());
  return all;
}

ExamplesTest::ExamplesTest() { WriteImages(folder_); }

Args ExamplesTest::Training(int batch, const Args& more) const {
  Args args = {"--data", folder_.Path(""), "--model",
               "mlp",    "--batch",        absl::StrCat(batch)};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

void ExamplesTest::WaitForOutput(Process& process, const std::string& text,
                                 int times) {
  const absl::Time end = absl::Now() + absl::Seconds(60);
  while (Count(process.Out(), text) < times) {
    ASSERT_LT(absl::Now(), end)
        << text << " is missing in " << process.Out() << process.Err();
    ASSERT_TRUE(process.IsRunning()) << process.Out() << process.Err();
    absl::SleepFor(absl::Milliseconds(20));
  }
}

int ExamplesTest::Count(const std::string& in, const std::string& text) {
  int count = 0;
  for (size_t at = in.find(text); at != std::string::npos;
       at = in.find(text, at + 1)) {
    ++count;
  }
  return count;
}

int64_t ExamplesTest::LastNumber(const std::string& in,
                                 const std::string& text) {
  const size_t at = in.rfind(text);
  EXPECT_NE(at, std::string::npos) << text << " is missing in " << in;
  if (at == std::string::npos) return 0;
  return std::strtoll(in.c_str() + at + text.size(), nullptr, 10);
}

void ExamplesTest::Kill(const std::string& log) {
  const auto pid = static_cast<pid_t>(LastNumber(log, "is process "));
  ASSERT_GT(pid, 1);
  EXPECT_EQ(kill(pid, SIGKILL), 0);
}

}  // namespace leat::testing
