// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests what graphs may do with files, and that no path leads out of a root.
#include "leat/core/files/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/output_file.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/replacement_file.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::file_access_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The folder has a root "in" that is read-only, a root "out" that is writable,
// and the file "secret", which is in no root.
class FileAccessTest : public ::testing::Test {
 protected:
  FileAccessTest() {
    for (const char* const name : {"in", "out", "in/sub"}) {
      std::filesystem::create_directory(Path(name));
    }
    for (const char* const name : {"secret", "in/file", "in/sub/file"}) {
      EXPECT_TRUE(WriteFile(Path(name), name).ok());
    }
    EXPECT_TRUE(files_.AddRoot(Path("in"), /*may_write=*/false).ok());
    EXPECT_TRUE(files_.AddRoot(Path("out"), /*may_write=*/true).ok());
  }
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  void Link(const std::string& target, const std::string& name) const {
    ASSERT_EQ(symlink(target.c_str(), Path(name).c_str()), 0) << name;
  }
  absl::StatusOr<std::string> Read(const std::string& path) const {
    return ReadRegularFile(path, 1000, files_);
  }
  absl::Status Write(const std::string& path) const {
    auto file = ReplacementFile::Create(files_, path);
    if (!file.ok()) return file.status();
    const absl::Status appended = file->Append("new");
    return appended.ok() ? file->Commit() : appended;
  }

  TemporaryFolder folder_;
  FileAccess files_;
};

TEST_F(FileAccessTest, FilesBelowARootCanBeRead) {
  Link("sub/file", "in/link");
  Link("sub", "in/folder");
  for (const char* const name : {"in/file", "in//./file", "in/sub/../file",
                                 "in/link", "in/folder/file"}) {
    EXPECT_TRUE(Read(Path(name)).ok()) << Read(Path(name)).status();
  }
  EXPECT_THAT(*files_.List(Path("in")),
              ElementsAre("file", "folder", "link", "sub"));
  EXPECT_EQ(Read(Path("in/nothing")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(FileAccessTest, NoPathLeadsOut) {
  Link("../secret", "in/relative");
  Link(Path("secret"), "in/absolute");
  Link("..", "in/up");
  Link("/", "in/slash");
  Link("/proc/self/root", "in/magic");
  Link("relative", "in/twice");
  Link("sub/../../secret", "in/around");
  const FileDescriptor open_file(open(Path("secret").c_str(), O_RDONLY));
  Link(absl::StrCat("/proc/self/fd/", open_file.number()), "in/descriptor");
  Link("loop", "in/loop");
  const std::vector<std::string> ways = {
      Path("secret"),
      Path("in/../secret"),
      Path("in/sub/../../secret"),
      Path("in/relative"),
      Path("in/absolute"),
      Path("in/up/secret"),
      absl::StrCat(Path("in/slash"), Path("secret")),
      absl::StrCat(Path("in/magic"), Path("secret")),
      Path("in/twice"),
      Path("in/around"),
      Path("in/descriptor"),
      Path("in/loop"),
      Path("in/.."),
      Path("insecret"),
      Path("in") + "x/file",
      absl::StrCat("/proc/self/fd/", open_file.number()),
      absl::StrCat("/proc/self/cwd", Path("in/file")),
      absl::StrCat("/proc/self/root", Path("in/file")),
      "relative",
      "../secret",
      "/etc/passwd",
      "",
      "/",
      ".",
  };
  for (const std::string& path : ways) {
    EXPECT_EQ(Read(path).status().code(), absl::StatusCode::kPermissionDenied)
        << path << ": " << Read(path).status();
    EXPECT_FALSE(files_.List(path).ok()) << path;
    EXPECT_FALSE(Write(path).ok()) << path;
    EXPECT_FALSE(files_.RemoveFile(path).ok()) << path;
    EXPECT_FALSE(files_.MakeFolders(path).ok()) << path;
  }
  EXPECT_EQ(Read(std::string("in/file\0x", 9)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*ReadRegularFile(Path("secret"), 100), "secret");
}

TEST_F(FileAccessTest, AnEmptyPathNamesNothing) {
  FileAccess all;
  ASSERT_TRUE(all.AddRoot("/", /*may_write=*/false).ok());
  for (const FileAccess& files : {all, FileAccess::Unrestricted()}) {
    EXPECT_TRUE(*files.Exists("."));
    EXPECT_FALSE(*files.Exists(""));
    EXPECT_EQ(ReadRegularFile("", 100, files).status().code(),
              absl::StatusCode::kNotFound);
  }
}

TEST_F(FileAccessTest, WritingNeedsARootThatMayBeWritten) {
  Link("../secret", "out/relative");
  Link(Path("in"), "out/in");
  Link("..", "out/up");
  EXPECT_TRUE(Write(Path("out/file")).ok());
  EXPECT_TRUE(Write(Path("out/file")).ok());  // replaces the old file
  EXPECT_EQ(*Read(Path("out/file")), "new");
  const absl::Status denied = Write(Path("in/file"));
  EXPECT_EQ(denied.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(denied.message()),
              HasSubstr(absl::StrCat("--file-root ", Path("in"),
                                     ":rw would allow it")));
  for (const char* const name : {"out/in/file", "out/up/secret", "out/up/in/x",
                                 "out/../secret", "out/..", "out/"}) {
    EXPECT_FALSE(Write(Path(name)).ok()) << name;
    EXPECT_FALSE(files_.RemoveFile(Path(name)).ok()) << name;
    EXPECT_FALSE(files_.Rename(Path("out/file"), Path(name)).ok()) << name;
    EXPECT_FALSE(files_.Rename(Path(name), Path("out/x")).ok()) << name;
  }
  // Writing replaces the link itself. The file that the link points to stays
  // unchanged.
  EXPECT_TRUE(Write(Path("out/relative")).ok());
  EXPECT_EQ(*ReadRegularFile(Path("secret"), 100), "secret");
  EXPECT_EQ(*Read(Path("out/relative")), "new");
}

TEST_F(FileAccessTest, FoldersCanBeMadeAndRemoved) {
  EXPECT_TRUE(files_.MakeFolders(Path("out/a/b/c")).ok());
  EXPECT_TRUE(files_.MakeFolders(Path("out/a/b/c/")).ok());
  EXPECT_TRUE(Write(Path("out/a/b/c/file")).ok());
  EXPECT_TRUE(files_.SyncFolderOf(Path("out/a/b/c/file")).ok());
  EXPECT_FALSE(files_.RemoveFolder(Path("out/a/b/c")).ok());
  EXPECT_TRUE(files_.RemoveFile(Path("out/a/b/c/file")).ok());
  EXPECT_TRUE(files_.RemoveFolder(Path("out/a/b/c")).ok());
  EXPECT_FALSE(files_.MakeFolders(Path("in/new")).ok());
  EXPECT_FALSE(files_.MakeFolders(Path("new")).ok());
  EXPECT_TRUE(Write(Path("out/file")).ok());
  EXPECT_FALSE(files_.MakeFolders(Path("out/file/below")).ok());
}

// A path such as "out/x/../../in/file" or a link could lead from a writable
// root into a read-only root.
TEST_F(FileAccessTest, RootsWithDifferentRightsAreApart) {
  FileAccess files;
  ASSERT_TRUE(files.AddRoot(Path("in"), /*may_write=*/false).ok());
  EXPECT_EQ(files.AddRoot(folder_.Path(""), /*may_write=*/true).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(files.AddRoot(Path("in/sub"), /*may_write=*/true).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(files.AddRoot(Path("in/../in"), /*may_write=*/true).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(files.AddRoot(folder_.Path(""), /*may_write=*/false).ok());
  EXPECT_TRUE(ReadRegularFile(Path("secret"), 100, files).ok());
  EXPECT_FALSE(ReplacementFile::Create(files, Path("in/x")).ok());
}

TEST_F(FileAccessTest, LongPathsAreRefused) {
  for (const char* const part : {"/", "/.", "/a"}) {
    std::string path = Path("out");
    while (path.size() < 100'000) path += part;
    EXPECT_FALSE(files_.MakeFolders(path).ok());
    EXPECT_FALSE(Write(path + "/x").ok());
  }
}

TEST_F(FileAccessTest, ARootMustBeAFolder) {
  FileAccess files;
  EXPECT_EQ(files.AddRoot(Path("nothing"), false).code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(files.AddRoot(Path("secret"), false).ok());
  EXPECT_EQ(ReadRegularFile(Path("secret"), 100, files).status().code(),
            absl::StatusCode::kPermissionDenied);
}

// One thread keeps replacing a folder of the root with a link that points
// outside of the root. Meanwhile, another thread opens the file in that folder.
TEST_F(FileAccessTest, NoRaceLeadsOut) {
  std::filesystem::create_directory(Path("in/turn"));
  std::filesystem::create_directory(Path("outside"));
  ASSERT_TRUE(WriteFile(Path("in/turn/file"), "inside").ok());
  ASSERT_TRUE(WriteFile(Path("outside/file"), "secret").ok());
  Link(Path("outside"), "in/link");
  std::atomic<bool> is_done = false;
  Thread exchanger("exchanger", [&] {
    while (!is_done) {
      renameat2(AT_FDCWD, Path("in/turn").c_str(), AT_FDCWD,
                Path("in/link").c_str(), RENAME_EXCHANGE);
    }
  });
  int inside = 0, denied = 0;
  for (int i = 0; i < 200'000 && (i < 2000 || inside < 10 || denied < 10);
       ++i) {
    const auto content = Read(Path("in/turn/file"));
    if (content.ok()) {
      EXPECT_EQ(*content, "inside");
      ++inside;
    } else {
      EXPECT_EQ(content.status().code(), absl::StatusCode::kPermissionDenied);
      ++denied;
    }
  }
  is_done = true;
  exchanger.Join();
  EXPECT_GT(inside, 0);
  EXPECT_GT(denied, 0);
}

TEST_F(FileAccessTest, AReplacementThatIsNotRenamedIsRemoved) {
  {
    auto file = ReplacementFile::Create(files_, Path("out/file"));
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE(file->Append(std::string(1 << 20, 'x')).ok());
    EXPECT_EQ(file->size(), 1 << 20);
    EXPECT_EQ(files_.List(Path("out"))->size(), 1u);
    EXPECT_NE(files_.List(Path("out"))->front(), "file");
  }
  EXPECT_TRUE(files_.List(Path("out"))->empty());
}

}  // namespace
}  // namespace leat::file_access_test
