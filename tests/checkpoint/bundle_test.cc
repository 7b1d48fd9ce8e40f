// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests writing and reading of checkpoints, and what happens to files that are
// damaged, missing or hostile.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_reader.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/checkpoint/merge_bundles.h"
#include "leat/checkpoint/slice_key.h"
#include "leat/core/files/output_file.h"
#include "leat/core/resource_handle.h"
#include "leat/core/threads/cancellation.h"
#include "leat/core/threads/thread.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::bundle_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class BundleTest : public ::testing::Test {
 protected:
  std::string Path(absl::string_view name) const {
    return folder_.Path(std::string(name));
  }
  // Returns the names of the files in the folder, sorted.
  std::vector<std::string> Files(const std::string& below = "") const {
    return files_.List(folder_.Path(below)).value();
  }
  std::unique_ptr<BundleWriter> Writer(const std::string& name) const {
    auto writer = BundleWriter::Create(files_, Path(name));
    EXPECT_TRUE(writer.ok()) << writer.status();
    return *std::move(writer);
  }
  std::unique_ptr<BundleReader> Reader(const std::string& name) const {
    auto reader = BundleReader::Open(files_, Path(name));
    EXPECT_TRUE(reader.ok()) << reader.status();
    return *std::move(reader);
  }
  void Save(const std::string& name, const std::string& tensor,
            const Tensor& value) const {
    const auto writer = Writer(name);
    ASSERT_TRUE(writer->Add(tensor, value).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  static std::string Bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Replaces the file with a new one. Does not sync the new file, because
  // syncing takes long.
  static void Replace(const std::string& path, const std::string& bytes) {
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
  }

  const FileAccess files_ = FileAccess::Unrestricted();
  TemporaryFolder folder_;
};

// Returns a tensor with the values 0, 1, 2, ...
Tensor Counting(const Shape& shape) {
  Tensor tensor = Tensor::Filled<float>(shape, 0);
  float next = 0;
  for (float& value : tensor.mutable_data<float>()) value = next++;
  return tensor;
}

TEST_F(BundleTest, GivesBackTensorsOfAllKinds) {
  const std::vector<std::pair<std::string, Tensor>> tensors = {
      {"bool", Tensor::Vector<bool>({true, false})},
      {"empty", Tensor::Filled<double>(Shape{0, 3}, 0)},
      {"large", Counting(Shape{300, 4000})},
      {"scalar", Tensor::Scalar<int64_t>(-1)},
      {"string", Tensor::Scalar<std::string>(std::string(5000, 's'))},
      {"strings", Tensor::Vector<std::string>(
                      {"", "a", std::string("\0b", 2), std::string(100, 'c')})},
  };
  const auto writer = Writer("model");
  for (const auto& [name, tensor] : tensors) {
    ASSERT_TRUE(writer->Add(name, tensor).ok()) << name;
  }
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_THAT(Files(), ElementsAre("model.data-00000-of-00001", "model.index"));
  const auto reader = Reader("model");
  EXPECT_THAT(reader->Names(), ElementsAre("bool", "empty", "large", "scalar",
                                           "string", "strings"));
  for (const auto& [name, tensor] : tensors) {
    const auto read = reader->Read(name, HostAllocator());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(Identical(*read, tensor)) << name;
  }
  EXPECT_FALSE(reader->Contains("nothing"));
  EXPECT_EQ(
      reader->Read("nothing", HostAllocator()).status().message(),
      absl::StrCat("Key nothing not found in checkpoint ", Path("model")));
}

TEST_F(BundleTest, AnyPartCanBeReadOfATensorInParts) {
  const Tensor whole = Counting(Shape{4, 6});
  const auto writer = Writer("parts");
  for (const char* const text : {"0,2:0,4", "0,2:4,2", "2,2:-"}) {
    const TensorSlice slice = *TensorSlice::Parse(text);
    Tensor part = Tensor::Filled<float>(*slice.ShapeWithin(whole.shape()), 0);
    float* to = part.mutable_data<float>().data();
    for (int64_t row = slice.extent(0).start;
         row < slice.extent(0).start + slice.extent(0).length; ++row) {
      for (int64_t k = 0; k < part.dim(1); ++k) {
        const int64_t column = slice.extent(1).start + k;
        *to++ = whole.data<float>()[row * 6 + column];
      }
    }
    ASSERT_TRUE(writer->AddSlice("w", whole.shape(), slice, part).ok()) << text;
  }
  ASSERT_TRUE(writer->Finish().ok());
  const auto reader = Reader("parts");
  EXPECT_THAT(reader->Names(), ElementsAre("w"));
  EXPECT_EQ(reader->Find("w")->slices.size(), 3u);
  EXPECT_TRUE(Identical(*reader->Read("w", HostAllocator()), whole));
  for (int row = 0; row < 4; ++row) {
    for (int rows = 1; rows <= 4 - row; ++rows) {
      for (int column = 0; column < 6; ++column) {
        const std::string text =
            absl::StrCat(row, ",", rows, ":", column, ",", 6 - column);
        const auto part =
            reader->ReadSlice("w", *TensorSlice::Parse(text), HostAllocator());
        ASSERT_TRUE(part.ok()) << part.status();
        ASSERT_EQ(part->shape(), (Shape{rows, 6 - column}));
        for (int i = 0; i < rows; ++i) {
          for (int k = 0; k < 6 - column; ++k) {
            EXPECT_EQ(part->data<float>()[i * (6 - column) + k],
                      static_cast<float>((row + i) * 6 + column + k));
          }
        }
      }
    }
  }
}

TEST_F(BundleTest, PartsOfStringsAndOfWholeTensorsCanBeRead) {
  const auto writer = Writer("s");
  const Tensor words = Tensor::Vector<std::string>({"a", "b", "c", "d"});
  ASSERT_TRUE(writer->Add("whole", words).ok());
  ASSERT_TRUE(writer
                  ->AddSlice("parts", Shape{4}, *TensorSlice::Parse("0,1"),
                             Tensor::Vector<std::string>({"a"}))
                  .ok());
  ASSERT_TRUE(writer
                  ->AddSlice("parts", Shape{4}, *TensorSlice::Parse("1,3"),
                             Tensor::Vector<std::string>({"b", "c", "d"}))
                  .ok());
  ASSERT_TRUE(writer->Finish().ok());
  for (const char* const name : {"whole", "parts"}) {
    EXPECT_TRUE(Identical(*Reader("s")->Read(name, HostAllocator()), words));
    const auto part = Reader("s")->ReadSlice(name, *TensorSlice::Parse("0,3"),
                                             HostAllocator());
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_TRUE(Identical(*part, Tensor::Vector<std::string>({"a", "b", "c"})));
  }
}

TEST_F(BundleTest, WrongTensorsCannotBeSaved) {
  const auto writer = Writer("w");
  const Tensor one = Tensor::Scalar(1.f);
  ASSERT_TRUE(writer->Add("a", one).ok());
  EXPECT_EQ(writer->Add("a", one).message(), "Adding duplicate key: a");
  EXPECT_FALSE(writer->Add("", one).ok());
  EXPECT_EQ(writer->Add("h", Tensor::Scalar(ResourceHandle())).code(),
            absl::StatusCode::kInvalidArgument);
  const TensorSlice first = *TensorSlice::Parse("0,1");
  const Tensor row = Tensor::Vector<float>({1});
  EXPECT_FALSE(writer->AddSlice("s", Shape{2}, first, one).ok());
  ASSERT_TRUE(writer->AddSlice("s", Shape{2}, first, row).ok());
  const TensorSlice second = *TensorSlice::Parse("1,1");
  EXPECT_FALSE(writer->AddSlice("s", Shape{3}, second, row).ok());
  EXPECT_FALSE(
      writer->AddSlice("s", Shape{2}, second, Tensor::Vector<int32_t>({1}))
          .ok());
  EXPECT_FALSE(writer->AddSlice("a", Shape{2}, second, row).ok());
  EXPECT_FALSE(writer->AddSlice("s", Shape{2}, first, row).ok());
  EXPECT_FALSE(writer->AddSlice("", Shape{2}, first, row).ok());
}

TEST_F(BundleTest, ABoolIsZeroOrOne) {
  Tensor odd = Tensor::Vector<bool>({false, true});
  odd.mutable_raw_data()[1] = 2;
  Save("b", "b", odd);
  const auto read = Reader("b")->Read("b", HostAllocator());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->raw_data()[1], 1);
}

TEST_F(BundleTest, NothingIsVisibleOrLeftBeforeTheEnd) {
  Save("model", "w", Tensor::Scalar(1.f));
  const std::vector<std::string> before = Files();
  {
    const auto writer = Writer("model");
    ASSERT_TRUE(writer->Add("w", Counting(Shape{1000, 1000})).ok());
    EXPECT_EQ(Files().size(), before.size() + 1);  // it has another name
    EXPECT_EQ(Reader("model")->Read("w", HostAllocator())->scalar<float>(), 1);
  }
  EXPECT_EQ(Files(), before);
}

// Until the new index replaces the old one, the old index still names its data
// files. So the new checkpoint needs other names for its data files.
TEST_F(BundleTest, AReplacedCheckpointHasOtherFiles) {
  for (const float i : {1, 2, 3}) {
    Save("m", "w", Tensor::Scalar(i));
    EXPECT_EQ(Reader("m")->Read("w", HostAllocator())->scalar<float>(), i);
    if (i == 2) {
      EXPECT_THAT(Files(), ElementsAre("m.data-00000-of-00002",
                                       "m.data-00001-of-00002", "m.index"));
    } else {
      EXPECT_THAT(Files(), ElementsAre("m.data-00000-of-00001", "m.index"));
    }
  }
  ASSERT_TRUE(WriteFile(IndexPath(Path("m")), "damaged").ok());
  Save("m", "w", Tensor::Scalar(4.f));
  EXPECT_EQ(Reader("m")->Read("w", HostAllocator())->scalar<float>(), 4);
}

TEST_F(BundleTest, MakesFolders) {
  Save("a/b/model", "w", Tensor::Scalar(1.f));
  EXPECT_THAT(Files("a/b"),
              ElementsAre("model.data-00000-of-00001", "model.index"));
}

TEST_F(BundleTest, VisitsAllElementsOfAPart) {
  // Visit needs several calls of its callback for a tensor of this size.
  const Tensor whole = Counting(Shape{700, 300});
  const auto writer = Writer("m");
  ASSERT_TRUE(writer->Add("whole", whole).ok());
  for (const char* const text : {"0,400:-", "400,300:-"}) {
    const TensorSlice slice = *TensorSlice::Parse(text);
    Tensor part = Tensor::Filled<float>(*slice.ShapeWithin(whole.shape()), 0);
    std::copy_n(whole.data<float>().begin() + slice.extent(0).start * 300,
                part.num_elements(), part.mutable_data<float>().begin());
    ASSERT_TRUE(writer->AddSlice("parts", whole.shape(), slice, part).ok());
  }
  ASSERT_TRUE(writer->Add("words", Tensor::Scalar<std::string>("a")).ok());
  ASSERT_TRUE(writer->Finish().ok());
  for (const char* const name : {"whole", "parts"}) {
    std::vector<float> seen(650 * 300, -1);
    const auto put = [&](int64_t first, absl::string_view bytes) {
      std::memcpy(&seen[first], bytes.data(), bytes.size());
    };
    const TensorSlice rows = *TensorSlice::Parse("50,650:-");
    EXPECT_EQ(Reader("m")->Visit(name, rows, put), absl::OkStatus());
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(),
                           whole.data<float>().begin() + 50 * 300));
  }
  const auto nothing = [](int64_t, absl::string_view) {};
  EXPECT_FALSE(
      Reader("m")->Visit("words", TensorSlice::Whole(0), nothing).ok());
}

// A SmallAllocator reserves at most `bytes` bytes. If `cancelled` is not null,
// Allocate cancels it first.
class SmallAllocator final : public Allocator {
 public:
  explicit SmallAllocator(int64_t bytes, Cancellation* cancelled = nullptr)
      : left_(bytes), cancelled_(cancelled) {}
  BufferRef Allocate(size_t bytes) override {
    if (cancelled_ != nullptr) cancelled_->Cancel(absl::AbortedError("why"));
    if (static_cast<int64_t>(bytes) > left_) return nullptr;
    return HostAllocator().Allocate(bytes);
  }
  BufferRef Reserve(int64_t bytes) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    return HostAllocator().Reserve(bytes);
  }
  absl::string_view name() const override { return "small"; }

 private:
  int64_t left_;
  Cancellation* const cancelled_;
};

TEST_F(BundleTest, TheIndexCountsAsMemory) {
  const auto writer = Writer("m");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(writer->Add(absl::StrCat("w", i), Tensor::Scalar(1.f)).ok());
  }
  ASSERT_TRUE(writer->Finish().ok());
  const auto error = [&](int64_t bytes) {
    SmallAllocator allocator(bytes);
    return BundleReader::Open(files_, Path("m"), {.allocator = &allocator})
        .status();
  };
  EXPECT_EQ(error(1 << 20), absl::OkStatus());
  for (const int64_t bytes : {0, 10'000, 100'000}) {
    EXPECT_EQ(error(bytes).code(), absl::StatusCode::kResourceExhausted);
  }
  SmallAllocator allocator(300'000);  // enough for one index, but not for two
  const std::string prefixes[] = {Path("m")};
  EXPECT_EQ(MergeBundles(files_, prefixes, Path("n"), false,
                         {.allocator = &allocator})
                .code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(BundleTest, CancellationEndsReadingAndWriting) {
  const Tensor large = Counting(Shape{1000, 1000});
  Save("m", "w", large);
  Cancellation cancellation;
  const auto reader =
      BundleReader::Open(files_, Path("m"), {.cancellation = &cancellation});
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto writer =
      BundleWriter::Create(files_, Path("n"), {.cancellation = &cancellation});
  ASSERT_TRUE((*writer)->Add("w", large).ok());
  // This allocator cancels the read while the tensor is read.
  SmallAllocator allocator(1 << 30, &cancellation);
  EXPECT_EQ((*reader)->Read("w", allocator).status(),
            absl::AbortedError("why"));
  EXPECT_EQ((*reader)->Verify("w"), absl::AbortedError("why"));
  EXPECT_EQ((*writer)->Add("v", large), absl::AbortedError("why"));
  EXPECT_EQ((*writer)->Finish(), absl::AbortedError("why"));
  EXPECT_THAT(Files(), Not(Contains("n.index")));
}

// Changes each byte of each file in turn, and cuts each file off before each
// byte. Reading must then return an error or the correct values.
TEST_F(BundleTest, EveryDamageIsNoticed) {
  const auto writer = Writer("m");
  const Tensor numbers = Counting(Shape{2, 3});
  const Tensor words = Tensor::Vector<std::string>({"some", "words"});
  ASSERT_TRUE(writer->Add("numbers", numbers).ok());
  ASSERT_TRUE(writer->Add("words", words).ok());
  ASSERT_TRUE(writer->Finish().ok());
  const auto check = [&](const std::string& what) {
    const auto reader = BundleReader::Open(files_, Path("m"));
    if (!reader.ok()) {
      EXPECT_EQ(reader.status().code(), absl::StatusCode::kDataLoss) << what;
      EXPECT_THAT(std::string(reader.status().message()), HasSubstr("m.index"));
      return 1;
    }
    int noticed = 0;
    for (const auto& [name, value] :
         {std::pair("numbers", &numbers), std::pair("words", &words)}) {
      const auto read = (*reader)->Read(name, HostAllocator());
      EXPECT_EQ((*reader)->Verify(name), read.status()) << what;
      if (read.ok()) {
        EXPECT_TRUE(Identical(*read, *value)) << what;
        continue;
      }
      EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss)
          << what << read.status();
      EXPECT_THAT(std::string(read.status().message()), HasSubstr(name));
      ++noticed;
    }
    return noticed;
  };
  for (const std::string& path :
       {DataPath(Path("m"), 0, 1), IndexPath(Path("m"))}) {
    const std::string bytes = Bytes(path);
    int noticed = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ '\x10');
      Replace(path, damaged);
      noticed += check(absl::StrCat(path, " byte ", i)) > 0 ? 1 : 0;
      Replace(path, bytes.substr(0, i));
      EXPECT_GT(check(absl::StrCat(path, " cut at ", i)), 0);
    }
    // The reader ignores the meta block of the index, and the zeros in the
    // footer of the index. So changes there are not noticed.
    const int unread = path == IndexPath(Path("m")) ? 64 : 0;
    EXPECT_GE(noticed, static_cast<int>(bytes.size()) - unread);
    Replace(path, bytes);
  }
  EXPECT_EQ(check("whole"), 0);
}

// Makes an index with correct checksums and wrong entries.
class HostileIndexTest : public BundleTest {
 protected:
  // Saves a tensor w with 6 numbers and applies `change` to the entries of the
  // index. Returns the error of reading w, or OK.
  absl::Status ErrorOf(
      const std::function<void(std::map<std::string, pb::BundleEntryProto>&)>&
          change) {
    files_.RemoveFile(IndexPath(Path("h"))).IgnoreError();
    Save("h", "w", Counting(Shape{2, 3}));
    std::map<std::string, pb::BundleEntryProto> entries;
    entries["w"] = Reader("h")->Find("w")->proto;
    change(entries);
    EXPECT_TRUE(WriteFile(IndexPath(Path("h")), *MakeIndex(entries, 1)).ok());
    const auto reader = BundleReader::Open(files_, Path("h"));
    if (!reader.ok()) return reader.status();
    return (*reader)->Read("w", HostAllocator()).status();
  }
  absl::Status ErrorOfEntry(
      const std::function<void(pb::BundleEntryProto&)>& change) {
    return ErrorOf([&](auto& entries) { change(entries["w"]); });
  }
};

TEST_F(HostileIndexTest, LiesAreDataLoss) {
  EXPECT_TRUE(ErrorOfEntry([](auto&) {}).ok());
  const std::vector<std::function<void(pb::BundleEntryProto&)>> lies = {
      [](auto& e) { e.set_offset(-1); },
      [](auto& e) { e.set_offset(int64_t{1} << 62); },
      [](auto& e) { e.set_size(-1); },
      [](auto& e) { e.set_size(std::numeric_limits<int64_t>::max()); },
      [](auto& e) { e.set_size(23); },
      [](auto& e) { e.set_shard_id(1); },
      [](auto& e) { e.set_shard_id(-1); },
      [](auto& e) { e.set_dtype(static_cast<pb::DataType>(0)); },
      [](auto& e) { e.set_dtype(static_cast<pb::DataType>(77)); },
      [](auto& e) { e.set_dtype(static_cast<pb::DataType>(101)); },
      [](auto& e) { e.set_dtype(pb::DT_RESOURCE); },
      [](auto& e) { e.set_dtype(pb::DT_VARIANT); },
      [](auto& e) { e.set_dtype(pb::DT_DOUBLE); },
      [](auto& e) { e.set_dtype(pb::DT_STRING); },
      [](auto& e) { e.mutable_shape()->mutable_dim(0)->set_size(-1); },
      [](auto& e) { e.mutable_shape()->mutable_dim(0)->set_size(-2); },
      [](auto& e) { e.mutable_shape()->mutable_dim(0)->set_size(7); },
      [](auto& e) {
        e.mutable_shape()->mutable_dim(0)->set_size(int64_t{1} << 62);
      },
      [](auto& e) {
        // The size fits the shape, but the file is shorter.
        e.mutable_shape()->mutable_dim(0)->set_size(int64_t{1} << 50);
        e.set_size(int64_t{12} << 50);
      },
      [](auto& e) { e.mutable_shape()->clear_dim(); },  // now it is a scalar
      [](auto& e) {
        e.mutable_shape()->clear_dim();
        e.set_size(8);
      },
      [](auto& e) { e.mutable_shape()->set_unknown_rank(true); },
      [](auto& e) {
        for (int i = 0; i < 1000; ++i) e.mutable_shape()->add_dim();
      },
      [](auto& e) { e.set_crc32c(e.crc32c() + 1); },
      [](auto& e) { e.add_slices(); },
      [](auto& e) { e.add_slices()->add_extent()->set_length(5); },
  };
  for (size_t i = 0; i < lies.size(); ++i) {
    const absl::Status error = ErrorOfEntry(lies[i]);
    EXPECT_EQ(error.code(), absl::StatusCode::kDataLoss) << i << error;
    EXPECT_THAT(std::string(error.message()), HasSubstr("'w'")) << i;
  }
}

TEST_F(HostileIndexTest, PartsThatContradictEachOtherAreRefused) {
  const TensorSlice rows[] = {*TensorSlice::Parse("0,1:-"),
                              *TensorSlice::Parse("1,1:-"),
                              *TensorSlice::Parse("0,2:0,1")};
  const auto parts = [&](const std::vector<int>& which) {
    return [&, which](std::map<std::string, pb::BundleEntryProto>& entries) {
      for (const int i : which) {
        *entries["w"].add_slices() = rows[i].ToProto();
        pb::BundleEntryProto& part = entries[SliceKey("w", rows[i])];
        part.set_dtype(pb::DT_FLOAT);
        const Shape shape = rows[i].ShapeWithin(Shape{2, 3}).value();
        for (const int64_t dim : shape.dims()) {
          part.mutable_shape()->add_dim()->set_size(dim);
        }
        part.set_size(12);
      }
    };
  };
  EXPECT_THAT(ErrorOf(parts({0, 2})).ToString(), HasSubstr("parts overlap"));
  EXPECT_THAT(ErrorOf(parts({0})).ToString(),
              HasSubstr("does not have all elements"));
  EXPECT_THAT(ErrorOf([&](auto& entries) {
                parts({0, 1})(entries);
                entries[SliceKey("w", rows[1])].set_dtype(pb::DT_INT32);
              }).ToString(),
              HasSubstr("contradicts it"));
  EXPECT_THAT(ErrorOf([&](auto& entries) {
                parts({0, 1})(entries);
                entries.erase(SliceKey("w", rows[1]));
              }).ToString(),
              HasSubstr("is missing"));
}

TEST_F(BundleTest, HeadersThatLieAreRefused) {
  Save("h", "w", Tensor::Scalar(1.f));
  const auto error = [&](int num_shards) {
    EXPECT_TRUE(
        WriteFile(IndexPath(Path("h")), *MakeIndex({}, num_shards)).ok());
    return BundleReader::Open(files_, Path("h")).status();
  };
  EXPECT_EQ(error(0).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(error(-1).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(error(1 << 30).code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(WriteFile(IndexPath(Path("h")),
                        *WriteIndexTable({{"w", "no header before it"}}))
                  .ok());
  EXPECT_EQ(BundleReader::Open(files_, Path("h")).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(BundleTest, MissingFilesAreNotFound) {
  EXPECT_EQ(BundleReader::Open(files_, Path("no")).status().code(),
            absl::StatusCode::kNotFound);
  Save("m", "w", Tensor::Scalar(1.f));
  ASSERT_TRUE(files_.RemoveFile(DataPath(Path("m"), 0, 1)).ok());
  const absl::Status error = Reader("m")->Read("w", HostAllocator()).status();
  EXPECT_EQ(error.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(error.message()), HasSubstr("m.data-00000-of-00001"));
}

TEST_F(BundleTest, MergingMovesFilesAndJoinsParts) {
  const std::vector<std::string> prefixes = {Path("t/a"), Path("t/b")};
  for (const int i : {0, 1}) {
    const auto writer = Writer(i == 0 ? "t/a" : "t/b");
    ASSERT_TRUE(writer
                    ->AddSlice("w", Shape{2},
                               *TensorSlice::Parse(absl::StrCat(i, ",1")),
                               Tensor::Vector<float>({1.f + i}))
                    .ok());
    ASSERT_TRUE(
        writer->Add(absl::StrCat("only", i), Tensor::Scalar(1.f * i)).ok());
    ASSERT_TRUE(writer->Finish().ok());
  }
  ASSERT_TRUE(MergeBundles(files_, prefixes, Path("model")).ok());
  EXPECT_THAT(Files(),
              ElementsAre("model.data-00000-of-00002",
                          "model.data-00001-of-00002", "model.index", "t"));
  EXPECT_TRUE(Files("t").empty());
  const auto reader = Reader("model");
  EXPECT_THAT(reader->Names(), ElementsAre("only0", "only1", "w"));
  EXPECT_TRUE(Identical(*reader->Read("w", HostAllocator()),
                        Tensor::Vector<float>({1, 2})));
  EXPECT_EQ(reader->Read("only1", HostAllocator())->scalar<float>(), 1);
}

// The source "./m" and the destination "m" are the same checkpoint under two
// different paths.
TEST_F(BundleTest, MergingKeepsItsOwnIndex) {
  Save("m", "w", Tensor::Scalar(1.f));
  const std::string same[] = {folder_.Path("./m")};
  ASSERT_TRUE(MergeBundles(files_, same, Path("m")).ok());
  EXPECT_EQ(Reader("m")->Read("w", HostAllocator())->scalar<float>(), 1);
}

TEST_F(BundleTest, MergingRefusesFilesThatAreNotThere) {
  Save("a", "w", Tensor::Scalar(1.f));
  Save("b", "v", Tensor::Scalar(2.f));
  ASSERT_TRUE(files_.RemoveFile(DataPath(Path("b"), 0, 1)).ok());
  const std::string prefixes[] = {Path("a"), Path("b")};
  EXPECT_EQ(MergeBundles(files_, prefixes, Path("c")).code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(Reader("a")->Read("w", HostAllocator())->scalar<float>(), 1);
}

TEST_F(BundleTest, MergingRefusesNumbersOfFilesThatLie) {
  for (const int shard : {-1, 1, std::numeric_limits<int>::max()}) {
    files_.RemoveFile(IndexPath(Path("a"))).IgnoreError();
    Save("a", "w", Tensor::Scalar(1.f));
    std::map<std::string, pb::BundleEntryProto> entries;
    entries["w"] = Reader("a")->Find("w")->proto;
    entries["w"].set_shard_id(shard);
    ASSERT_TRUE(WriteFile(IndexPath(Path("a")), *MakeIndex(entries, 1)).ok());
    const std::string prefixes[] = {Path("a")};
    EXPECT_EQ(MergeBundles(files_, prefixes, Path("c")).code(),
              absl::StatusCode::kDataLoss)
        << shard;
  }
}

TEST_F(BundleTest, MergingChangesNothingIfItFails) {
  Save("a", "w", Tensor::Scalar(1.f));
  Save("b", "w", Tensor::Scalar(2.f));
  const std::vector<std::string> before = Files();
  const std::string prefixes[] = {Path("a"), Path("b")};
  EXPECT_EQ(MergeBundles(files_, prefixes, Path("c")).message(),
            absl::StrCat("Duplicate tensor keyed by w encountered, when "
                         "merging prefix: ",
                         Path("b")));
  EXPECT_EQ(Files(), before);
  const std::string missing[] = {Path("a"), Path("none")};
  EXPECT_EQ(MergeBundles(files_, missing, Path("c")).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Files(), before);
  EXPECT_EQ(
      MergeBundles(files_, {}, Path("c")).message(),
      "At least one prefix checkpoint file must exist, but none existed.");
  ASSERT_TRUE(
      MergeBundles(files_, missing, Path("c"), /*allow_missing=*/true).ok());
  EXPECT_EQ(Reader("c")->Read("w", HostAllocator())->scalar<float>(), 1);
}

// ---- Several saves at a time ----

// Several threads save "v" and "w" under the prefix "m" at the same time. Each
// thread saves a different value.
class SavesAtATimeTest : public BundleTest {
 protected:
  static constexpr int kThreads = 6;

  // Writes the data of the checkpoint `name`, and returns a function that makes
  // the checkpoint visible. All its tensors have the value `value`.
  std::function<void()> BeginSave(const std::string& name,
                                  const std::vector<std::string>& tensors,
                                  int value) const {
    const std::shared_ptr<BundleWriter> writer = Writer(name);
    for (const std::string& tensor : tensors) {
      EXPECT_TRUE(
          writer->Add(tensor, Tensor::Scalar(static_cast<float>(value))).ok());
    }
    return [writer] { EXPECT_EQ(writer->Finish(), absl::OkStatus()); };
  }
  absl::Status Merge(const std::vector<std::string>& names) const {
    std::vector<std::string> prefixes;
    for (const std::string& name : names) prefixes.push_back(Path(name));
    return MergeBundles(files_, prefixes, Path("m"));
  }
  // In each round, calls begin(0) to begin(kThreads - 1), and runs each
  // returned function on its own thread. Afterwards, all tensors of "m" must
  // have the value of one of these threads, and the files of the other threads
  // must be gone.
  void ExpectOneRemains(
      int rounds,
      const std::function<std::function<void()>(int value)>& begin) const {
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      std::vector<std::function<void()>> saves;
      for (int i = 0; i < kThreads; ++i) saves.push_back(begin(i));
      {
        std::vector<Thread> threads;
        for (const auto& save : saves) threads.emplace_back("saver", save);
      }
      const auto reader = Reader("m");
      const auto v = reader->Read("v", HostAllocator());
      const auto w = reader->Read("w", HostAllocator());
      ASSERT_TRUE(v.ok() && w.ok()) << v.status() << w.status();
      EXPECT_EQ(v->scalar<float>(), w->scalar<float>());
      std::vector<std::string> expected;
      for (int i = 0; i < reader->num_shards(); ++i) {
        expected.push_back(DataPath("m", i, reader->num_shards()));
      }
      expected.push_back("m.index");
      std::vector<std::string> files = Files();
      std::erase_if(files, [](const auto& f) { return !f.starts_with("m."); });
      EXPECT_EQ(files, expected);
    }
  }
};

TEST_F(SavesAtATimeTest, TheLastOneRemains) {
  ExpectOneRemains(15, [&](int value) {
    return BeginSave("m", {"v", "w"}, value);
  });
}

// The client of a cancelled save may already have saved another checkpoint. So
// the cancelled save must not replace that checkpoint.
TEST_F(SavesAtATimeTest, ASaveThatIsCancelledWhileItWaitsIsNotPublished) {
  BeginSave("m", {"v"}, 1)();
  BeginSave("t", {"v"}, 2)();
  Cancellation cancellation;
  const auto writer =
      BundleWriter::Create(files_, Path("m"), {.cancellation = &cancellation});
  ASSERT_TRUE((*writer)->Add("v", Tensor::Scalar(2.f)).ok());
  absl::Status saved, merged;
  std::vector<Thread> threads;
  {
    MutexLock lock(files_.renaming());
    threads.emplace_back("saver", [&] { saved = (*writer)->Finish(); });
    threads.emplace_back("merger", [&] {
      merged = MergeBundles(files_, {Path("t")}, Path("m"), false,
                            {.cancellation = &cancellation});
    });
    cancellation.Cancel(absl::AbortedError("why"));
  }
  threads.clear();
  EXPECT_EQ(saved, absl::AbortedError("why"));
  EXPECT_EQ(merged, absl::AbortedError("why"));
  EXPECT_EQ(Reader("m")->Read("v", HostAllocator())->scalar<float>(), 1);
}

TEST_F(SavesAtATimeTest, TheLastMergeRemains) {
  ExpectOneRemains(2, [&](int value) {
    const std::string v = absl::StrCat("t", value, "/v");
    const std::string w = absl::StrCat("t", value, "/w");
    BeginSave(v, {"v"}, value)();
    BeginSave(w, {"w"}, value)();
    return [this, v, w] { EXPECT_EQ(Merge({v, w}), absl::OkStatus()); };
  });
}

// Several threads save a part under the same name while other threads merge the
// part. Each merge finds a complete part or no part.
TEST_F(SavesAtATimeTest, AMergeMovesWhatItHasRead) {
  std::atomic<int> num_merged = 0;
  const auto begin = [&](int value) -> std::function<void()> {
    if (value % 2 == 0) return BeginSave("t/part", {"v", "w"}, value);
    return [&] {
      const absl::Status merged = Merge({"t/part"});
      if (merged.ok()) ++num_merged;
      if (merged.ok()) return;
      EXPECT_EQ(merged.code(), absl::StatusCode::kInvalidArgument) << merged;
      EXPECT_THAT(std::string(merged.message()), HasSubstr("t/part"));
    };
  };
  for (int round = 1; round <= 3; ++round) {
    BeginSave("t/part", {"v", "w"}, kThreads)();
    ExpectOneRemains(1, begin);
    // The part was saved before the round, so at least one merge of the round
    // has found it.
    EXPECT_GE(num_merged, round);
  }
}

}  // namespace
}  // namespace leat::bundle_test
