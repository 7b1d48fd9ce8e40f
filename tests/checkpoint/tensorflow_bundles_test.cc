// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads the checkpoints that make_bundles.py has made with TensorFlow, and
// writes them again. The files must be equal byte by byte.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

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

// Returns where the bytes of the tensor, or of its first part, are in the file.
int64_t OffsetOf(const BundleReader& reader, const std::string& name) {
  const BundleEntry entry = reader.Find(name).value();
  if (entry.slices.empty()) return entry.proto.offset();
  const std::string key = SliceKey(name, entry.slices[0]);
  for (const auto& [other, value] : reader.entries()) {
    pb::BundleEntryProto proto;
    if (other == key && proto.ParseFromString(value)) return proto.offset();
  }
  ADD_FAILURE() << name;
  return 0;
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

// Adds the tensor, in the parts in which it was saved.
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

}  // namespace
}  // namespace leat::tensorflow_bundles_test
