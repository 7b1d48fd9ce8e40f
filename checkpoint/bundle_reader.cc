// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/bundle_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_index.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/checked_stream.h"
#include "leat/checkpoint/slice_key.h"
#include "leat/checkpoint/string_elements.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/files/regular_file.h"
#include "leat/core/files/system_error.h"
#include "leat/core/held_bytes.h"
#include "leat/core/quoted_text.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Limits the number of pieces that are read at a time. This bounds the time of
// the check for overlaps, which compares all pairs of pieces.
constexpr size_t kMaxPieces = 1 << 12;
// Limits the memory of a parsed entry, in bytes.
constexpr int64_t kMaxEntryBytes = int64_t{64} << 20;

// Limits the number of bytes that Visit passes to one call of `visit`.
constexpr int64_t kVisitedBytes = 256 << 10;

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

// Moves the strings of a piece that are in `wanted` to `result`, which has the
// extents of `wanted`.
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
    const FileAccess& files, std::string prefix, BundleOptions options) {
  auto reader =
      absl::WrapUnique(new BundleReader(files, std::move(prefix), options));
  LEAT_RETURN_IF_ERROR(reader->ReadIndex(*options.allocator));
  return reader;
}

absl::Status BundleReader::ReadIndex(Allocator& allocator) {
  const std::string path = IndexPath(prefix_);
  LEAT_ASSIGN_OR_RETURN(RegularFile file,
                        RegularFile::Open(path, kMaxIndexBytes, files_));
  const auto size = static_cast<size_t>(file.size());
  const BufferRef bytes = allocator.Allocate(size);
  if (bytes == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("file '", path, "' has ", size, " bytes, more than ",
                     allocator.name(), " has memory"));
  }
  LEAT_RETURN_IF_ERROR(file.Read(bytes->data(), size));
  absl::StatusOr<IndexEntries> entries =
      ReadIndexTable({bytes->data(), size}, memory_);
  if (!entries.ok()) return WithPath(entries.status(), path);
  if (entries->empty() || !entries->front().first.empty() ||
      !header_.ParseFromString(entries->front().second)) {
    return WithPath(absl::DataLossError("it has no header"), path);
  }
  const absl::Status checked = CheckHeader(header_);
  if (!checked.ok()) return WithPath(checked, path);
  entries->erase(entries->begin());
  entries_ = *std::move(entries);
  return absl::OkStatus();
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
  LEAT_ASSIGN_OR_RETURN(pb::BundleEntryProto proto, FindEntry(name));
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
  Box wanted;
  // PiecesOf checks that the files have the bytes before memory for them is
  // allocated.
  LEAT_ASSIGN_OR_RETURN(const std::vector<Piece> pieces,
                        PiecesOf(name, entry, slice, wanted));
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(wanted.length));
  if (entry.dtype == DType::kString && pieces.size() == 1 &&
      pieces[0].box == wanted) {
    return ReadStringPiece(pieces[0], allocator);
  }
  // The result will hold the strings of the pieces, so their memory is counted.
  int64_t held_bytes = 0;
  if (entry.dtype == DType::kString) {
    for (const Piece& piece : pieces) {
      held_bytes = SaturatingAdd(
          held_bytes, MostHeldBytes(NumCommonElements(piece.box, wanted),
                                    piece.proto.size()));
    }
  }
  LEAT_ASSIGN_OR_RETURN(Tensor result, Tensor::Allocate(allocator, entry.dtype,
                                                        shape, held_bytes));
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

absl::StatusOr<pb::BundleEntryProto> BundleReader::FindEntry(
    absl::string_view key) const {
  const std::string* const value = FindValue(key);
  if (value == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("Key ", key, " not found in checkpoint ", prefix_));
  }
  pb::BundleEntryProto proto;
  if (ParsedBytes(*value, *proto.GetDescriptor(), kMaxEntryBytes) >
          kMaxEntryBytes ||
      !proto.ParseFromString(*value)) {
    return Damaged(key, "the entry cannot be parsed");
  }
  if (proto.slices().empty() &&
      (proto.shard_id() < 0 || proto.shard_id() >= num_shards())) {
    return Damaged(key, absl::StrCat("it is in file number ", proto.shard_id(),
                                     " of ", num_shards()));
  }
  return proto;
}

std::vector<absl::string_view> BundleReader::Keys() const {
  std::vector<absl::string_view> keys;
  keys.reserve(entries_.size());
  for (const auto& [key, value] : entries_) keys.push_back(key);
  return keys;
}

absl::StatusOr<std::vector<BundleReader::Piece>> BundleReader::PiecesOf(
    absl::string_view name, const BundleEntry& entry, const TensorSlice& slice,
    Box& wanted) const {
  const absl::Status within = slice.ShapeWithin(entry.shape).status();
  if (!within.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor ", QuotedText(name), ": ", within.message()));
  }
  wanted = BoxOf(slice, entry.shape);
  LEAT_ASSIGN_OR_RETURN(std::vector<Piece> pieces,
                        FindPieces(name, entry, wanted));
  for (const Piece& piece : pieces) {
    LEAT_RETURN_IF_ERROR(CheckBytes(piece, entry.dtype));
  }
  return pieces;
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
    const auto proto = FindEntry(SliceKey(name, slice));
    if (!proto.ok()) {
      return Damaged(name, absl::StrCat("its part ", slice.ToString(),
                                        absl::IsNotFound(proto.status())
                                            ? " is missing"
                                            : " has a wrong entry"));
    }
    piece.proto = *proto;
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

absl::StatusOr<std::shared_ptr<const BundleReader::DataFile>>
BundleReader::OpenData(int shard) const {
  MutexLock lock(mutex_);
  if (last_file_ != nullptr && last_shard_ == shard) return last_file_;
  auto data = std::make_shared<DataFile>();
  data->path = DataPath(prefix_, shard, num_shards());
  LEAT_ASSIGN_OR_RETURN(data->file, files_.OpenToRead(data->path));
  struct stat info = {};
  if (fstat(data->file.number(), &info) != 0) {
    return SystemError(data->path, "cannot stat");
  }
  data->size = info.st_size;
  last_file_ = std::move(data);
  last_shard_ = shard;
  return last_file_;
}

absl::Status BundleReader::CheckBytes(const Piece& piece, DType dtype) const {
  const pb::BundleEntryProto& proto = piece.proto;
  LEAT_ASSIGN_OR_RETURN(const auto data, OpenData(proto.shard_id()));
  const auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(absl::StrCat("file '", data->path, "', tensor ",
                                            QuotedText(piece.name), ": ",
                                            what));
  };
  if (proto.offset() < 0 || proto.size() < 0 || proto.offset() > data->size ||
      proto.size() > data->size - proto.offset()) {
    return damaged(absl::StrCat("it has ", proto.size(), " bytes from byte ",
                                proto.offset(), " on, but the file has ",
                                data->size));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(piece.box.length));
  if (dtype == DType::kString) {
    // Each string takes at least one byte, for its length. The checksum of the
    // lengths takes more bytes.
    if (proto.size() > shape.num_elements()) return absl::OkStatus();
    return damaged("there are fewer bytes than strings");
  }
  const auto size = static_cast<int64_t>(SizeOf(dtype));
  if (proto.size() % size == 0 && proto.size() / size == shape.num_elements()) {
    return absl::OkStatus();
  }
  return damaged(absl::StrCat("it has ", proto.size(), " bytes, but the shape ",
                              shape.DebugString()));
}

absl::Status BundleReader::WithStream(
    const Piece& piece,
    absl::FunctionRef<absl::Status(CheckedStream& stream)> read) const {
  LEAT_ASSIGN_OR_RETURN(const auto data, OpenData(piece.proto.shard_id()));
  CheckedStream stream({data->file.number(), piece.proto.offset(),
                        piece.proto.size(), data->path, piece.name,
                        cancellation_});
  LEAT_RETURN_IF_ERROR(read(stream));
  return stream.Finish(piece.proto.crc32c());
}

absl::Status BundleReader::Visit(
    absl::string_view name, const TensorSlice& slice,
    absl::FunctionRef<void(int64_t first, absl::string_view bytes)> visit)
    const {
  LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  if (entry.dtype == DType::kString) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor ", QuotedText(name), " has strings"));
  }
  Box wanted;
  LEAT_ASSIGN_OR_RETURN(const std::vector<Piece> pieces,
                        PiecesOf(name, entry, slice, wanted));
  const auto size = static_cast<int64_t>(SizeOf(entry.dtype));
  std::vector<char> some(kVisitedBytes);
  for (const Piece& piece : pieces) {
    LEAT_RETURN_IF_ERROR(ReadRuns(
        piece, wanted, size,
        [&](const SliceRun& run, CheckedStream& stream) -> absl::Status {
          const int64_t most = kVisitedBytes / size;
          for (int64_t done = 0; done < run.count; done += most) {
            const int64_t bytes = size * std::min(most, run.count - done);
            LEAT_RETURN_IF_ERROR(stream.Read(some.data(), bytes));
            visit(run.to + done, {some.data(), static_cast<size_t>(bytes)});
          }
          return absl::OkStatus();
        }));
  }
  return absl::OkStatus();
}

absl::Status BundleReader::Verify(absl::string_view name) const {
  LEAT_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  Box whole;
  LEAT_ASSIGN_OR_RETURN(
      const std::vector<Piece> pieces,
      PiecesOf(name, entry, TensorSlice::Whole(entry.shape.rank()), whole));
  for (const Piece& piece : pieces) {
    LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(piece.box.length));
    LEAT_RETURN_IF_ERROR(WithStream(piece, [&](CheckedStream& stream) {
      return entry.dtype == DType::kString ? CheckStrings(shape, stream)
                                           : absl::OkStatus();
    }));
  }
  return absl::OkStatus();
}

absl::Status BundleReader::ReadRuns(
    const Piece& piece, const Box& wanted, int64_t size,
    absl::FunctionRef<absl::Status(const SliceRun&, CheckedStream&)> read)
    const {
  return WithStream(piece, [&](CheckedStream& stream) {
    int64_t position = 0;  // in the piece, in bytes
    return ForEachRun(piece.box, wanted, [&](const SliceRun& run) {
      LEAT_RETURN_IF_ERROR(stream.Skip(run.from * size - position));
      position = (run.from + run.count) * size;
      return read(run, stream);
    });
  });
}

absl::Status BundleReader::ReadPlainPiece(const Piece& piece, const Box& wanted,
                                          Tensor& result) const {
  const auto size = static_cast<int64_t>(SizeOf(result.dtype()));
  LEAT_RETURN_IF_ERROR(ReadRuns(
      piece, wanted, size, [&](const SliceRun& run, CheckedStream& stream) {
        return stream.Read(result.mutable_raw_data() + run.to * size,
                           run.count * size);
      }));
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
  LEAT_ASSIGN_OR_RETURN(const Shape shape, Shape::Create(piece.box.length));
  Tensor strings;
  LEAT_RETURN_IF_ERROR(
      WithStream(piece, [&](CheckedStream& stream) -> absl::Status {
        LEAT_ASSIGN_OR_RETURN(strings, ReadStrings(shape, stream, allocator));
        return absl::OkStatus();
      }));
  return strings;
}

}  // namespace leat
