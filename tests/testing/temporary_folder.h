// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A folder for the files of one test, removed with all that is in it:
//
//   const TemporaryFolder folder;
//   WriteNpy(tensor, folder.Path("x.npy"));
//
// No other test or process has one of its name: tests run side by side. It
// stays where the process is killed. Used by one thread.
#ifndef LEAT_TESTS_TESTING_TEMPORARY_FOLDER_H_
#define LEAT_TESTS_TESTING_TEMPORARY_FOLDER_H_

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "gtest/gtest.h"

namespace leat {

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

  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace leat

#endif  // LEAT_TESTS_TESTING_TEMPORARY_FOLDER_H_
