// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// NamedPipe is a named pipe of the file system that a test writes to.
//
//   NamedPipe pipe(folder.Path("pipe"));
//   pipe.Open();
//   pipe.Put("a line\n");
#ifndef LEAT_TESTS_KERNELS_PIPELINE_NAMED_PIPE_H_
#define LEAT_TESTS_KERNELS_PIPELINE_NAMED_PIPE_H_

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/files/output_file.h"

namespace leat::testing {

// Is used by one thread. Fails the test if a call of the system fails.
class NamedPipe {
 public:
  // Makes the pipe.
  explicit NamedPipe(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
  }

  // Opens the pipe to write. Does not wait for a reader, as O_WRONLY would.
  void Open() {
    end_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(end_.is_open());
  }
  // Writes to the pipe, which is open.
  void Put(const std::string& bytes) {
    EXPECT_EQ(WriteAll(end_.number(), path_, bytes), absl::OkStatus());
  }
  // Ends what its readers read.
  void Close() { end_.Close(); }

 private:
  std::string path_;
  FileDescriptor end_;  // to which the test writes
};

}  // namespace leat::testing

#endif  // LEAT_TESTS_KERNELS_PIPELINE_NAMED_PIPE_H_
