// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the checkpoints that make_bundles.py has made with TensorFlow, and
// writes them again. The files must be equal byte by byte.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/checkpoint/slice_key.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::tensorflow_bundles_test {
namespace {

constexpr char kFolder[] = LEAT_TESTS_DIR "/checkpoint/tensorflow/";

std::string Bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<BundleReader> Open(const std::string& prefix) {
  auto reader = BundleReader::Open(FileAccess::Unrestricted(), prefix);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return *std::move(reader);
}

// Returns the offset of the tensor's bytes in the data file. For a tensor that
// was saved in parts, returns the offset of the first part.
int64_t OffsetOf(const BundleReader& reader, const std::string& name) {
  const BundleEntry entry = reader.Find(name).value();
  if (entry.slices.empty()) return entry.proto.offset();
  return reader.FindEntry(SliceKey(name, entry.slices[0]))->offset();
}

// Returns the names of the tensors in the order in which they were saved.
std::vector<std::string> NamesAsSaved(const BundleReader& reader) {
  std::vector<std::string> names = reader.Names();
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) {
                     return OffsetOf(reader, a) < OffsetOf(reader, b);
                   });
  return names;
}

// Copies the tensor `name` from `from` to `to`. A tensor that was saved in
// parts is copied part by part.
void Copy(const BundleReader& from, const std::string& name, BundleWriter& to) {
  const BundleEntry entry = from.Find(name).value();
  if (entry.slices.empty()) {
    const auto tensor = from.Read(name, HostAllocator());
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    ASSERT_TRUE(to.Add(name, *tensor).ok());
  }
  for (const TensorSlice& slice : entry.slices) {
    const auto part = from.ReadSlice(name, slice, HostAllocator());
    ASSERT_TRUE(part.ok()) << part.status();
    ASSERT_TRUE(to.AddSlice(name, entry.shape, slice, *part).ok());
  }
}

TEST(TensorFlowBundlesTest, AreWrittenByteByByte) {
  const TemporaryFolder folder;
  for (const char* const name : {"types", "slices"}) {
    const std::string theirs = absl::StrCat(kFolder, name);
    const std::string ours = folder.Path(name);
    const auto reader = Open(theirs);
    ASSERT_GT(reader->Names().size(), 5u);
    const auto writer = BundleWriter::Create(FileAccess::Unrestricted(), ours);
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (const std::string& tensor : NamesAsSaved(*reader)) {
      Copy(*reader, tensor, **writer);
    }
    ASSERT_TRUE((*writer)->Finish().ok());
    EXPECT_TRUE(Bytes(DataPath(ours, 0, 1)) == Bytes(DataPath(theirs, 0, 1)));
    EXPECT_TRUE(Bytes(IndexPath(ours)) == Bytes(IndexPath(theirs)));
    EXPECT_FALSE(Bytes(IndexPath(ours)).empty());
  }
}

TEST(TensorFlowBundlesTest, MergedOnesAreRead) {
  const auto reader = Open(absl::StrCat(kFolder, "merged"));
  EXPECT_EQ(reader->num_shards(), 3);
  EXPECT_EQ(reader->Names().size(), 4u);
  for (const std::string& name : reader->Names()) {
    const auto tensor = reader->Read(name, HostAllocator());
    EXPECT_TRUE(tensor.ok()) << tensor.status();
  }
  EXPECT_EQ(reader->Find("rows")->slices.size(), 3u);
}

// A DamagedCopy is a copy of one checkpoint. Check damages its files.
class DamagedCopy {
 public:
  explicit DamagedCopy(const std::string& name)
      : prefix_(folder_.Path(name)), whole_(Open(absl::StrCat(kFolder, name))) {
    for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
      const std::string path = folder_.Path(file.path().filename());
      std::filesystem::copy(file.path(), path);
      if (absl::StartsWith(path, prefix_ + ".")) paths_.push_back(path);
    }
    std::sort(paths_.begin(), paths_.end());
  }

  const std::vector<std::string>& paths() const { return paths_; }

  // Replaces the content of the file at `path` with `bytes`. Expects that
  // reading each tensor then returns its correct value or DATA_LOSS. Restores
  // the file.
  void Check(const std::string& path, const std::string& bytes) const {
    const std::string before = Bytes(path);
    Write(path, bytes);
    const auto reader = BundleReader::Open(FileAccess::Unrestricted(), prefix_);
    if (!reader.ok()) {
      EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss);
    }
    for (const std::string& name : whole_->Names()) {
      if (!reader.ok()) break;
      const auto tensor = (*reader)->Read(name, HostAllocator());
      if (tensor.ok()) {
        EXPECT_TRUE(Identical(*tensor, *whole_->Read(name, HostAllocator())));
      } else {
        EXPECT_EQ(tensor.status().code(), absl::StatusCode::kDataLoss)
            << tensor.status();
      }
    }
    Write(path, before);
  }

 private:
  // Makes a new file, because a file system may sync a file that is
  // overwritten.
  static void Write(const std::string& path, const std::string& bytes) {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
  }

  const TemporaryFolder folder_;
  const std::string prefix_;
  const std::unique_ptr<BundleReader> whole_;
  std::vector<std::string> paths_;
};

TEST(TensorFlowBundlesTest, CutOnesAndFlippedBitsAreNoticed) {
  std::mt19937 random(1);
  for (const char* const name : {"types", "slices", "merged"}) {
    const DamagedCopy copy(name);
    ASSERT_GE(copy.paths().size(), 2u);
    for (const std::string& path : copy.paths()) {
      const std::string bytes = Bytes(path);
      for (size_t i = 0; i < 64; ++i) {
        SCOPED_TRACE(absl::StrCat(path, " cut at ", i, "/64"));
        copy.Check(path, bytes.substr(0, bytes.size() * i / 64));
      }
      for (int i = 0; i < 130; ++i) {  // 1,040 in total
        std::string flipped = bytes;
        const size_t bit = random() % (8 * bytes.size());
        SCOPED_TRACE(absl::StrCat(path, " bit ", bit));
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        copy.Check(path, flipped);
      }
    }
  }
}

}  // namespace
}  // namespace leat::tensorflow_bundles_test
