// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/program.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "leat/runtime/device_set.h"

namespace leat::program_test {
namespace {

TEST(ProgramTest, PrintsAllToAPipeThatDoesNotBlock) {
  int pipe_ends[2] = {};
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK), 0);
  const int standard_output = dup(STDOUT_FILENO);
  ASSERT_GE(standard_output, 0);
  ASSERT_EQ(dup2(pipe_ends[1], STDOUT_FILENO), STDOUT_FILENO);
  close(pipe_ends[1]);
  // The reader begins when the pipe, which holds 64 KiB, is full.
  std::string got;
  std::thread reader([&got, end = pipe_ends[0]] {
    int queued = 0;
    while (queued < 65536 && ioctl(end, FIONREAD, &queued) == 0) {
      std::this_thread::yield();
    }
    char bytes[4096];
    for (ssize_t count; (count = read(end, bytes, sizeof(bytes))) > 0;) {
      got.append(bytes, static_cast<size_t>(count));
    }
  });
  const std::string text(1 << 20, 'x');
  const int code = Print(Log("program_test"), text);
  dup2(standard_output, STDOUT_FILENO);  // the reader then gets end of file
  reader.join();
  close(standard_output);
  close(pipe_ends[0]);
  EXPECT_EQ(code, kExitOk);
  EXPECT_TRUE(got == text) << got.size();
}

TEST(ProgramTest, ALostTaskIsWorthAnotherTry) {
  EXPECT_EQ(ExitCodeOnCluster(absl::UnavailableError("")), kExitLostTask);
  EXPECT_EQ(ExitCodeOnCluster(absl::AbortedError("")), kExitLostTask);
  EXPECT_EQ(ExitCodeOnCluster(absl::InternalError("")), kExitError);
}

TEST(GpuFlagsTest, SetTheOptionsOfTheSameMeaning) {
  CLI::App app;
  GpuFlags flags;
  AddGpuFlags(app, flags);
  app.parse(
      "--gpu-memory 1GiB --gpu-memory-fraction 0.5 --gpu-allow-growth "
      "--gpu-ordinal 3 --gpu-ordinal 0 --tf32 --gpu-sync");
  DeviceSetOptions devices;
  flags.Set(devices);
  EXPECT_EQ(devices.gpu_memory_bytes, int64_t{1} << 30);
  EXPECT_EQ(devices.gpu_memory_fraction, 0.5);
  EXPECT_TRUE(devices.gpu_allow_growth);
  EXPECT_TRUE(devices.gpu_allow_tf32);
  EXPECT_TRUE(devices.gpu_sync);
  EXPECT_EQ(devices.gpu_ordinals, (std::vector<int>{3, 0}));
  for (const char* wrong : {"--gpu-memory-fraction 1.5", "--gpu-ordinal -1",
                            "--gpu-memory-fraction nan"}) {
    EXPECT_THROW(app.parse(wrong), CLI::ValidationError) << wrong;
  }
}

}  // namespace
}  // namespace leat::program_test
