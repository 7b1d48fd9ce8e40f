// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/datasets/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr int kMaxRank = 8;
constexpr size_t kMaxHeaderBytes = 4 + 4 * kMaxRank;
constexpr absl::string_view kGzipMagic("\x1f\x8b", 2);
constexpr int kNumLabels = 10;
constexpr int kSide = 28;

absl::Status Malformed(absl::string_view name, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("'", name, "': ", problem));
}

uint32_t BigEndian32(const char* bytes) {
  const auto* b = reinterpret_cast<const uint8_t*>(bytes);
  return (uint32_t{b[0]} << 24) | (uint32_t{b[1]} << 16) |
         (uint32_t{b[2]} << 8) | uint32_t{b[3]};
}

struct Header {
  size_t bytes = 0;  // size of the header itself
  Shape shape = {};
};

absl::StatusOr<Header> ParseHeader(absl::string_view bytes,
                                   absl::string_view name) {
  if (bytes.size() < 4) {
    return Malformed(name, "it is too short for an IDX file");
  }
  if (bytes[0] != 0 || bytes[1] != 0 || bytes[2] != kUnsignedByte) {
    return Malformed(name, "it is not an IDX file of unsigned bytes");
  }
  const int rank = static_cast<uint8_t>(bytes[3]);
  if (rank < 1 || rank > kMaxRank) {
    return Malformed(name, absl::StrCat("its rank ", rank, " is not in [1, ",
                                        kMaxRank, "]"));
  }
  Header header{.bytes = 4 + size_t{4} * rank};
  if (bytes.size() < header.bytes) {
    return Malformed(name, "it is cut off in its header");
  }
  Dims dims;
  for (int i = 0; i < rank; ++i) {
    dims.push_back(BigEndian32(bytes.data() + 4 + 4 * i));
  }
  auto shape = Shape::Create(dims);
  if (!shape.ok()) return Malformed(name, shape.status().message());
  header.shape = *std::move(shape);
  return header;
}

// Returns the error for a file with `follow` bytes after its header.
absl::Status WrongSize(const Header& header, absl::string_view name,
                       absl::string_view follow) {
  return Malformed(
      name, absl::StrCat("its header announces ", header.shape.num_elements(),
                         " bytes of shape ", header.shape.DebugString(),
                         " but ", follow, " follow"));
}

// Refuses contents that are longer than their header announces. Unpack calls
// this function after each chunk, so Unpack stops early if a small file unpacks
// to far too many bytes.
absl::Status CheckUnpacked(absl::string_view contents, absl::string_view name) {
  if (static_cast<int64_t>(contents.size()) > kMaxIdxBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "'", name, "' unpacks to more than ", kMaxIdxBytes, " bytes"));
  }
  if (contents.size() < kMaxHeaderBytes) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const Header header, ParseHeader(contents, name));
  const auto size = static_cast<int64_t>(contents.size() - header.bytes);
  if (size <= header.shape.num_elements()) return absl::OkStatus();
  return WrongSize(header, name, "more");
}

// Unpacks a gzip file, which is a sequence of streams.
absl::StatusOr<std::string> Unpack(absl::string_view packed,
                                   absl::string_view name) {
  constexpr size_t kMaxInput = size_t{1} << 30;
  constexpr int kGzipOnly = 16;
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK) {
    return absl::ResourceExhaustedError(
        absl::StrCat("'", name, "': there is no memory to unpack it"));
  }
  const auto end = absl::MakeCleanup([&stream] { inflateEnd(&stream); });
  std::string contents;
  std::string chunk(size_t{1} << 20, '\0');
  while (true) {
    const auto given =
        static_cast<unsigned>(std::min(packed.size(), kMaxInput));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<unsigned>(chunk.size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(given - stream.avail_in);
    contents.append(chunk, 0, chunk.size() - stream.avail_out);
    LEAT_RETURN_IF_ERROR(CheckUnpacked(contents, name));
    if (code == Z_STREAM_END) {
      if (packed.empty()) return contents;
      if (!absl::StartsWith(packed, kGzipMagic)) {
        return Malformed(
            name, absl::StrCat(packed.size(), " bytes follow its gzip stream"));
      }
      inflateReset(&stream);
    } else if (code == Z_BUF_ERROR) {  // the stream needs more input
      return Malformed(name, "the file is cut off");
    } else if (code != Z_OK) {
      return Malformed(name,
                       absl::StrCat("its gzip stream is malformed",
                                    stream.msg != nullptr ? ": " : "",
                                    stream.msg != nullptr ? stream.msg : ""));
    }
  }
}

// Reads the images and labels of one split and checks them.
absl::StatusOr<LabeledImages> LoadSplit(const std::string& folder,
                                        absl::string_view split) {
  const std::string prefix = absl::StrCat(folder, "/", split);
  LEAT_ASSIGN_OR_RETURN(Tensor images,
                        ReadIdx(absl::StrCat(prefix, "-images-idx3-ubyte.gz")));
  LEAT_ASSIGN_OR_RETURN(const Tensor labels,
                        ReadIdx(absl::StrCat(prefix, "-labels-idx1-ubyte.gz")));
  if (images.rank() != 3 || images.dim(1) != kSide || images.dim(2) != kSide) {
    return Malformed(
        prefix, absl::StrCat("its images have shape ",
                             images.shape().DebugString(), ", not [n,28,28]"));
  }
  if (images.dim(0) == 0) return Malformed(prefix, "there are 0 images");
  if (labels.rank() != 1 || labels.dim(0) != images.dim(0)) {
    return Malformed(prefix, absl::StrCat("it has ", images.dim(0),
                                          " images, but labels of shape ",
                                          labels.shape().DebugString()));
  }
  LabeledImages result;
  LEAT_ASSIGN_OR_RETURN(result.images,
                        images.Reshaped(Shape{images.dim(0), kSide, kSide, 1}));
  LEAT_ASSIGN_OR_RETURN(
      result.labels,
      Tensor::Allocate(HostAllocator(), DType::kInt32, labels.shape()));
  const auto from = labels.data<uint8_t>();
  auto to = result.labels.mutable_data<int32_t>();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= kNumLabels) {
      return Malformed(prefix, absl::StrCat("label ", i, " is ", from[i],
                                            ", not below ", kNumLabels));
    }
    to[i] = from[i];
  }
  return result;
}

}  // namespace

absl::StatusOr<Tensor> ParseIdx(absl::string_view bytes,
                                absl::string_view name) {
  LEAT_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes, name));
  const size_t size = bytes.size() - header.bytes;
  if (static_cast<uint64_t>(header.shape.num_elements()) != size) {
    return WrongSize(header, name, absl::StrCat(size));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(HostAllocator(), DType::kUint8, header.shape));
  if (size > 0) {
    std::memcpy(tensor.mutable_raw_data(), bytes.data() + header.bytes, size);
  }
  return tensor;
}

absl::StatusOr<Tensor> ReadIdx(const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(std::string contents,
                        ReadRegularFile(path, kMaxIdxBytes));
  if (absl::StartsWith(contents, kGzipMagic)) {
    LEAT_ASSIGN_OR_RETURN(contents, Unpack(contents, path));
  }
  return ParseIdx(contents, path);
}

absl::StatusOr<FashionMnist> LoadFashionMnist(const std::string& folder) {
  FashionMnist result;
  LEAT_ASSIGN_OR_RETURN(result.train, LoadSplit(folder, "train"));
  LEAT_ASSIGN_OR_RETURN(result.test, LoadSplit(folder, "t10k"));
  return result;
}

}  // namespace leat
