// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/datasets/idx.h"

#include <zlib.h>

#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr int kMaxRank = 8;
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

// Unpacks when the file is gzipped, reads it as it is when not.
absl::StatusOr<std::string> ReadGzip(const std::string& path) {
  const auto close = [](gzFile file) { gzclose(file); };
  std::unique_ptr<gzFile_s, decltype(close)> file(gzopen(path.c_str(), "rb"),
                                                  close);
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat("cannot open '", path, "'"));
  }
  std::string contents;
  std::string chunk(size_t{1} << 20, '\0');
  while (true) {
    const int count =
        gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    if (count < 0) {
      int error = 0;
      return Malformed(path, gzerror(file.get(), &error));
    }
    if (count == 0) break;
    contents.append(chunk, 0, count);
    if (static_cast<int64_t>(contents.size()) > kMaxIdxBytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "'", path, "' unpacks to more than ", kMaxIdxBytes, " bytes"));
    }
  }
  // A gzip file that was cut off reads as a shorter one.
  int error = Z_OK;
  gzerror(file.get(), &error);
  if (error != Z_OK && error != Z_STREAM_END) {
    return Malformed(path, "the file is cut off");
  }
  return contents;
}

absl::StatusOr<LabeledImages> LoadSplit(const std::string& folder,
                                        absl::string_view split) {
  const std::string prefix = absl::StrCat(folder, "/", split);
  LEAT_ASSIGN_OR_RETURN(Tensor images,
                        ReadIdx(absl::StrCat(prefix, "-images-idx3-ubyte.gz")));
  LEAT_ASSIGN_OR_RETURN(const Tensor labels,
                        ReadIdx(absl::StrCat(prefix, "-labels-idx1-ubyte.gz")));
  if (images.rank() != 3 || images.dim(1) != kSide || images.dim(2) != kSide) {
    return Malformed(
        prefix, absl::StrCat("images have shape ", images.shape().DebugString(),
                             ", not [n,28,28]"));
  }
  if (labels.rank() != 1 || labels.dim(0) != images.dim(0)) {
    return Malformed(prefix, absl::StrCat(images.dim(0), " images but labels ",
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
  if (bytes.size() < 4) return Malformed(name, "too short for an IDX file");
  if (bytes[0] != 0 || bytes[1] != 0 || bytes[2] != kUnsignedByte) {
    return Malformed(name, "not an IDX file of unsigned bytes");
  }
  const int rank = static_cast<uint8_t>(bytes[3]);
  if (rank < 1 || rank > kMaxRank) {
    return Malformed(
        name, absl::StrCat("rank ", rank, " is not in [1, ", kMaxRank, "]"));
  }
  const size_t header = 4 + size_t{4} * rank;
  if (bytes.size() < header) return Malformed(name, "cut off in its header");
  Dims dims;
  for (int i = 0; i < rank; ++i) {
    dims.push_back(BigEndian32(bytes.data() + 4 + 4 * i));
  }
  auto shape = Shape::Create(dims);
  if (!shape.ok()) return Malformed(name, shape.status().message());
  const size_t size = bytes.size() - header;
  if (static_cast<uint64_t>(shape->num_elements()) != size) {
    return Malformed(
        name, absl::StrCat("its header announces ", shape->num_elements(),
                           " bytes of shape ", shape->DebugString(), " but ",
                           size, " follow"));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor, Tensor::Allocate(HostAllocator(), DType::kUint8, *shape));
  if (size > 0) {
    std::memcpy(tensor.mutable_raw_data(), bytes.data() + header, size);
  }
  return tensor;
}

absl::StatusOr<Tensor> ReadIdx(const std::string& path) {
  LEAT_ASSIGN_OR_RETURN(const std::string contents, ReadGzip(path));
  return ParseIdx(contents, path);
}

absl::StatusOr<FashionMnist> LoadFashionMnist(const std::string& folder) {
  FashionMnist result;
  LEAT_ASSIGN_OR_RETURN(result.train, LoadSplit(folder, "train"));
  LEAT_ASSIGN_OR_RETURN(result.test, LoadSplit(folder, "t10k"));
  return result;
}

}  // namespace leat
