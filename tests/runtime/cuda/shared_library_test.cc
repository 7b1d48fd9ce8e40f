// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/shared_library.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::shared_library_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kName[] = "libleat_of_a_test.so.7";

// Returns the path of libz, which this process has loaded.
std::string SomeLibrary() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path != std::string::npos &&
        line.find("/libz.so") != std::string::npos) {
      return line.substr(path);
    }
  }
  return "";
}

class SharedLibraryTest : public ::testing::Test {
 protected:
  // Copies a library into the subfolder `folder` of the temporary folder, under
  // the name kName. Returns the path of the copy.
  std::string Put(const std::string& folder) {
    std::filesystem::create_directories(folder_.Path(folder));
    const std::string path = folder_.Path(folder + "/" + kName);
    std::filesystem::copy_file(SomeLibrary(), path);
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(SharedLibraryTest, LooksIntoFolders) {
  const std::string path = Put("here");
  const auto library = SharedLibrary::Open(
      kName, {.folders = {folder_.Path("none"), folder_.Path("here")}});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->path(), path);
}

TEST_F(SharedLibraryTest, LooksIntoToolkits) {
  const std::string path = Put("cuda/lib64");
  const auto library =
      SharedLibrary::Open(kName, {.toolkits = {folder_.Path("cuda")}});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->path(), path);
}

TEST_F(SharedLibraryTest, LooksIntoPackagesOfPython) {
  const std::string path =
      Put("venv/lib/python3.11/site-packages/nvidia/cu13/lib");
  const auto library =
      SharedLibrary::Open(kName, {.prefixes = {"", folder_.Path("venv")}});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->path(), path);
}

TEST_F(SharedLibraryTest, AsksTheSystemBetweenFoldersAndToolkits) {
  const std::string name = std::filesystem::path(SomeLibrary()).filename();
  const std::string soname = name.substr(0, name.find(".so") + 5);
  const auto library = SharedLibrary::Open(soname, {});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->path(), soname);
}

TEST_F(SharedLibraryTest, FoldersAreNoPatterns) {
  const std::string path = Put("a[1]{b,c}*?\\/lib64");
  const auto library =
      SharedLibrary::Open(kName, {.toolkits = {folder_.Path("a[1]{b,c}*?\\")}});
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(library->path(), path);
  for (const char* pattern : {"a*", "a[[]1]{b,c}*?[\\]", "{a,b}*"}) {
    EXPECT_FALSE(
        SharedLibrary::Open(kName, {.toolkits = {folder_.Path(pattern)}}).ok());
  }
}

// A relative path depends on the current folder, so no relative path is
// searched.
TEST_F(SharedLibraryTest, NeverLooksIntoTheCurrentFolder) {
  Put("here/lib64");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.Path(""));
  const auto library =
      SharedLibrary::Open(kName, {.folders = {"", ".", "here/lib64"},
                                  .toolkits = {"here"},
                                  .prefixes = {"here"}});
  std::filesystem::current_path(folder_.Path("here/lib64"));
  const auto bare = SharedLibrary::Open(kName, {.folders = {"", "."}});
  std::filesystem::current_path(before);
  EXPECT_EQ(library.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(bare.status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SharedLibraryTest, SaysWhereItLooked) {
  std::filesystem::create_directories(folder_.Path("broken"));
  std::ofstream(folder_.Path("broken/") + kName) << "no library";
  const auto library =
      SharedLibrary::Open(kName, {.folders = {folder_.Path("broken")},
                                  .toolkits = {"/cuda-0"},
                                  .prefixes = {"/python"}});
  ASSERT_EQ(library.status().code(), absl::StatusCode::kNotFound);
  const std::string text(library.status().message());
  EXPECT_THAT(text, HasSubstr("too short"));
  EXPECT_THAT(text, HasSubstr("/cuda-0/lib64/" + std::string(kName)));
  EXPECT_THAT(text, HasSubstr("/python/lib/python3*/"));
  EXPECT_THAT(text, HasSubstr("LEAT_CUDA_LIBRARY_PATH"));
}

TEST_F(SharedLibraryTest, FindsFunctions) {
  Put("here");
  const auto library =
      SharedLibrary::Open(kName, {.folders = {folder_.Path("here")}});
  ASSERT_TRUE(library.ok()) << library.status();
  const char* (*version)() = nullptr;
  ASSERT_TRUE(library->Find("zlibVersion", version).ok());
  EXPECT_THAT(std::string(version()), Not(EndsWith(" ")));
  int (*none)() = nullptr;
  const absl::Status status = library->Find("no_such_function", none);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no_such_function"));
}

TEST(LibrarySearchTest, ReadsTheEnvironment) {
  ::setenv("LEAT_CUDA_LIBRARY_PATH", "/a:/b", 1);
  ::setenv("VIRTUAL_ENV", "/venv", 1);
  const LibrarySearch search = LibrarySearch::OfProcess();
  ::unsetenv("LEAT_CUDA_LIBRARY_PATH");
  ::unsetenv("VIRTUAL_ENV");
  EXPECT_THAT(search.folders, ::testing::ElementsAre("/a", "/b"));
  EXPECT_THAT(search.toolkits, ::testing::Contains("/usr/local/cuda"));
  EXPECT_THAT(search.prefixes, ::testing::Contains("/venv"));
  EXPECT_THAT(search.prefixes, ::testing::Contains("/usr"));
}

}  // namespace
}  // namespace leat::shared_library_test
