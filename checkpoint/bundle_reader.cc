// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/bundle_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/bundle_writer.h"
#include "leat/checkpoint/checked_stream.h"
#include "leat/checkpoint/slice_key.h"
#include "leat/checkpoint/string_elements.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/system_error.h"
#include "leat/core/held_bytes.h"
#include "leat/core/quoted_text.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int kMaxShards = 1 << 20;
// Whether the parts of a tensor overlap is checked in pairs.
constexpr size_t kMaxPieces = 1 << 12;

absl::Status CheckHeader(const pb::BundleHeaderProto& header) {
  if (header.num_shards() < 1 || header.num_shards() > kMaxShards) {
    return absl::DataLossError(
        absl::StrCat("it has ", header.num_shards(), " files with tensors"));
  }
  if (header.endianness() != pb::BundleHeaderProto::LITTLE) {
    return absl::UnimplementedError(
        "it was written by a machine that stores the highest byte first");
  }
  if (header.version().min_consumer() > kBundleVersion) {
    return absl::UnimplementedError(absl::StrCat(
        "it demands a reader of version ", header.version().min_consumer(),
        "; this one is ", kBundleVersion));
  }
  return absl::OkStatus();
}

Box BoxOf(const TensorSlice& slice, const Shape& full) {
  Box box;
  for (int i = 0; i < slice.rank(); ++i) {
    const TensorSlice::Extent& extent = slice.extent(i);
    box.start.push_back(extent.start);
    box.length.push_back(extent.is_full() ? full.dim(i) : extent.length);
  }
  return box;
}

// Moves the elements that are wanted from the tensor of a piece to `result`,
// which is the wanted part.
absl::Status MoveStrings(Tensor& strings, const Box& piece, const Box& wanted,
                         Tensor& result) {
  return ForEachRun(piece, wanted, [&](const SliceRun& run) {
    const auto from = strings.mutable_data<std::string>().begin() + run.from;
    std::move(from, from + run.count,
              result.mutable_data<std::string>().begin() + run.to);
    return absl::OkStatus();
  });
}

absl::Status WithPath(const absl::Status& status, const std::string& path) {
  return absl::Status(status.code(),
                      absl::StrCat("file '", path, "': ", status.message()));
}

// Parses the value of a key. Returns an error without the names of the file and
// the tensor.
absl::StatusOr<BundleEntry> ParseEntry(pb::BundleEntryProto proto) {
  BundleEntry entry;
  const std::optional<DType> dtype = DTypeFromWire(proto.dtype());
  if (!dtype.has_value() || IsRef(*dtype) ||
      (*dtype != DType::kString && !IsPlainBytes(*dtype))) {
    return absl::DataLossError(
        absl::StrCat("its type is number ", proto.dtype()));
  }
  entry.dtype = *dtype;
  LEAT_ASSIGN_OR_RETURN(const PartialShape shape, DecodeShape(proto.shape()));
  LEAT_ASSIGN_OR_RETURN(entry.shape, shape.ToShape());
  for (const pb::TensorSliceProto& slice : proto.slices()) {
    LEAT_ASSIGN_OR_RETURN(entry.slices.emplace_back(),
                          TensorSlice::FromProto(slice));
    LEAT_RETURN_IF_ERROR(entry.slices.back().ShapeWithin(entry.shape).status());
  }
  entry.proto = std::move(proto);
  return entry;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BundleReader>> BundleReader::Open(
    const FileAccess& files, std::string prefix) {
  const std::string path = IndexPath(prefix);
  LEAT_ASSIGN_OR_RETURN(const std::string bytes,
                        ReadRegularFile(path, kMaxIndexBytes, files));
  absl::StatusOr<IndexEntries> entries = ReadIndexTable(bytes);
  if (!entries.ok()) return WithPath(entries.status(), path);
  auto reader = absl::WrapUnique(new BundleReader(files, std::move(prefix)));
  if (entries->empty() || !entries->front().first.empty() ||
      !reader->header_.ParseFromString(entries->front().second)) {
    return WithPath(absl::DataLossError("it has no header"), path);
  }
  const absl::Status checked = CheckHeader(reader->header_);
  if (!checked.ok()) return WithPath(checked, path);
  entries->erase(entries->begin());
  reader->entries_ = *std::move(entries);
  return reader;
}

std::vector<std::string> BundleReader::Names() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : entries_) {
    if (key[0] != '\0') names.push_back(key);  // not the key of a slice
  }
  return names;
}

bool BundleReader::Contains(absl::string_view name) const {
  return FindValue(name) != nullptr;
}

absl::StatusOr<BundleEntry> BundleReader::Find(absl::string_view name) const {
  LEAT_ASSIGN_OR_RETURN(pb::BundleEntryProto proto, Parse(name, name));
  absl::StatusOr<BundleEntry> entry = ParseEntry(std::move(proto));
  if (!entry.ok()) return Damaged(name, entry.status().message());
  return entry;
}

absl::StatusOr<Tensor> BundleReader::Read(absl::string_view name,
                                          Allocator& allocator) const {
  LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  return ReadPart(name, entry, TensorSlice::Whole(entry.shape.rank()),
                  allocator);
}

absl::StatusOr<Tensor> BundleReader::ReadSlice(absl::string_view name,
                                               const TensorSlice& slice,
                                               Allocator& allocator) const {
  LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  return ReadPart(name, entry, slice, allocator);
}

absl::StatusOr<Tensor> BundleReader::ReadPart(absl::string_view name,
                                              const BundleEntry& entry,
                                              const TensorSlice& slice,
                                              Allocator& allocator) const {
  absl::StatusOr<Shape> shape = slice.ShapeWithin(entry.shape);
  if (!shape.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor ", QuotedText(name), ": ", shape.status().message()));
  }
  const Box wanted = BoxOf(slice, entry.shape);
  LEAT_ASSIGN_OR_RETURN(const std::vector<Piece> pieces,
                        FindPieces(name, entry, wanted));
  // Nothing is allocated for a tensor whose bytes are not there.
  for (const Piece& piece : pieces) {
    LEAT_RETURN_IF_ERROR(CheckBytes(piece, entry.dtype));
  }
  if (entry.dtype == DType::kString && pieces.size() == 1 &&
      pieces[0].box == wanted) {
    return ReadStringPiece(pieces[0], allocator);
  }
  // Strings of the pieces are moved to the result.
  int64_t held_bytes = 0;
  if (entry.dtype == DType::kString) {
    for (const Piece& piece : pieces) {
      held_bytes = SaturatingAdd(
          held_bytes, MostHeldBytes(NumCommonElements(piece.box, wanted),
                                    piece.proto.size()));
    }
  }
  LEAT_ASSIGN_OR_RETURN(Tensor result, Tensor::Allocate(allocator, entry.dtype,
                                                        *shape, held_bytes));
  for (const Piece& piece : pieces) {
    if (entry.dtype == DType::kString) {
      LEAT_ASSIGN_OR_RETURN(Tensor strings, ReadStringPiece(piece, allocator));
      LEAT_RETURN_IF_ERROR(MoveStrings(strings, piece.box, wanted, result));
    } else {
      LEAT_RETURN_IF_ERROR(ReadPlainPiece(piece, wanted, result));
    }
  }
  return result;
}

absl::Status BundleReader::Damaged(absl::string_view name,
                                   absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("file '", IndexPath(prefix_),
                                          "', tensor ", QuotedText(name), ": ",
                                          what));
}

const std::string* BundleReader::FindValue(absl::string_view key) const {
  const auto it = std::lower_bound(
      entries_.begin(), entries_.end(), key,
      [](const auto& entry, absl::string_view k) { return entry.first < k; });
  return it != entries_.end() && it->first == key ? &it->second : nullptr;
}

absl::StatusOr<pb::BundleEntryProto> BundleReader::Parse(
    absl::string_view key, absl::string_view name) const {
  const std::string* const value = FindValue(key);
  if (value == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("Key ", name, " not found in checkpoint ", prefix_));
  }
  pb::BundleEntryProto proto;
  if (!proto.ParseFromString(*value)) {
    return Damaged(name, "the entry cannot be parsed");
  }
  return proto;
}

absl::StatusOr<std::vector<BundleReader::Piece>> BundleReader::FindPieces(
    absl::string_view name, const BundleEntry& entry, const Box& wanted) const {
  std::vector<Piece> pieces;
  if (entry.slices.empty()) {
    const TensorSlice whole = TensorSlice::Whole(entry.shape.rank());
    pieces.push_back(
        {std::string(name), BoxOf(whole, entry.shape), entry.proto});
    return pieces;
  }
  int64_t found = 0;
  for (const TensorSlice& slice : entry.slices) {
    Piece piece{std::string(name), BoxOf(slice, entry.shape), {}};
    if (!Overlap(piece.box, wanted)) continue;
    const std::string key = SliceKey(name, slice);
    if (!Contains(key)) {
      return Damaged(
          name, absl::StrCat("its part ", slice.ToString(), " is missing"));
    }
    LEAT_ASSIGN_OR_RETURN(piece.proto, Parse(key, name));
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(piece.box.length));
    absl::StatusOr<BundleEntry> of_slice = ParseEntry(piece.proto);
    if (!of_slice.ok() || of_slice->dtype != entry.dtype ||
        of_slice->shape != shape || !of_slice->slices.empty()) {
      return Damaged(name, absl::StrCat("the entry of its part ",
                                        slice.ToString(), " contradicts it"));
    }
    for (const Piece& other : pieces) {
      if (Overlap(other.box, piece.box)) {
        return Damaged(name, "two of its parts overlap");
      }
    }
    if (pieces.size() == kMaxPieces) {
      return Damaged(name, absl::StrCat("more than ", kMaxPieces,
                                        " of its parts are needed at a time"));
    }
    found += NumCommonElements(piece.box, wanted);
    pieces.push_back(std::move(piece));
  }
  if (found != NumCommonElements(wanted, wanted)) {
    return absl::NotFoundError(absl::StrCat(
        "the checkpoint '", prefix_,
        "' does not have all elements of the wanted part of tensor ", name));
  }
  return pieces;
}

absl::StatusOr<BundleReader::OpenPiece> BundleReader::OpenData(
    const Piece& piece) const {
  const pb::BundleEntryProto& proto = piece.proto;
  if (proto.shard_id() < 0 || proto.shard_id() >= num_shards()) {
    return Damaged(piece.name,
                   absl::StrCat("it is in file number ", proto.shard_id(),
                                " of ", num_shards()));
  }
  const std::string path = DataPath(prefix_, proto.shard_id(), num_shards());
  LEAT_ASSIGN_OR_RETURN(FileDescriptor file, files_.OpenToRead(path));
  struct stat info = {};
  if (fstat(file.number(), &info) != 0) return SystemError(path, "cannot stat");
  if (proto.offset() < 0 || proto.size() < 0 || proto.offset() > info.st_size ||
      proto.size() > info.st_size - proto.offset()) {
    return absl::DataLossError(
        absl::StrCat("file '", path, "' has ", info.st_size,
                     " bytes, but tensor ", QuotedText(piece.name), " has ",
                     proto.size(), " bytes from byte ", proto.offset(), " on"));
  }
  CheckedStream stream(file.number(), proto.offset(), proto.size(), path,
                       piece.name);
  return OpenPiece{std::move(file), std::move(stream)};
}

absl::Status BundleReader::CheckBytes(const Piece& piece, DType dtype) const {
  LEAT_ASSIGN_OR_RETURN(const OpenPiece open, OpenData(piece));
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(piece.box.length));
  if (dtype == DType::kString) {
    // Each string has at least one byte, its length.
    if (piece.proto.size() > shape.num_elements()) return absl::OkStatus();
    return open.stream.Damaged("there are fewer bytes than strings");
  }
  const auto size = static_cast<int64_t>(SizeOf(dtype));
  if (piece.proto.size() % size == 0 &&
      piece.proto.size() / size == shape.num_elements()) {
    return absl::OkStatus();
  }
  return open.stream.Damaged(absl::StrCat("it has ", piece.proto.size(),
                                          " bytes, but the shape ",
                                          shape.DebugString()));
}

absl::Status BundleReader::ReadPlainPiece(const Piece& piece, const Box& wanted,
                                          Tensor& result) const {
  LEAT_ASSIGN_OR_RETURN(OpenPiece open, OpenData(piece));
  const auto size = static_cast<int64_t>(SizeOf(result.dtype()));
  int64_t position = 0;  // in the piece, in bytes
  LEAT_RETURN_IF_ERROR(ForEachRun(piece.box, wanted, [&](const SliceRun& run) {
    LEAT_RETURN_IF_ERROR(open.stream.Skip(run.from * size - position));
    position = (run.from + run.count) * size;
    return open.stream.Read(result.mutable_raw_data() + run.to * size,
                            run.count * size);
  }));
  LEAT_RETURN_IF_ERROR(open.stream.Finish(piece.proto.crc32c()));
  // The byte of a C++ bool must be 0 or 1.
  if (result.dtype() == DType::kBool) {
    char* const bytes = result.mutable_raw_data();
    for (int64_t i = 0; i < result.num_bytes(); ++i) {
      bytes[i] = bytes[i] != 0 ? 1 : 0;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> BundleReader::ReadStringPiece(
    const Piece& piece, Allocator& allocator) const {
  LEAT_ASSIGN_OR_RETURN(OpenPiece open, OpenData(piece));
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(piece.box.length));
  LEAT_ASSIGN_OR_RETURN(Tensor strings,
                        ReadStrings(shape, open.stream, allocator));
  LEAT_RETURN_IF_ERROR(open.stream.Finish(piece.proto.crc32c()));
  return strings;
}

}  // namespace leat
