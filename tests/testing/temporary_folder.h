// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TestsDir is the folder of the files that come with the tests. TemporaryFolder
// is a folder for the files of one test. Its destructor removes the folder with
// all its content:
//
//   const TemporaryFolder folder;
//   WriteNpy(tensor, folder.Path("x.npy"));
//
// The name of the folder is unique, because tests run at the same time. The
// folder stays if the process is killed.
#ifndef LEAT_TESTS_TESTING_TEMPORARY_FOLDER_H_
#define LEAT_TESTS_TESTING_TEMPORARY_FOLDER_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "gtest/gtest.h"

namespace leat {

namespace testing {

// Returns the path of the folder tests/. The environment variable
// LEAT_TESTS_DIR takes precedence, so that a test program can run on another
// machine than the one that compiled it.
inline std::string TestsDir() {
  const char* const folder = std::getenv("LEAT_TESTS_DIR");
  return folder != nullptr ? folder : LEAT_TESTS_DIR;
}

}  // namespace testing

// Is used by one thread. Fails the test if the folder cannot be made or
// removed.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(::testing::TempDir() + "leat_test_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    EXPECT_FALSE(error) << path_ << ": " << error.message();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Returns the path of the file `name` in the folder.
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace leat

#endif  // LEAT_TESTS_TESTING_TEMPORARY_FOLDER_H_
