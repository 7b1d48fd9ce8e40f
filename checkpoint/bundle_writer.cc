// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/checkpoint/bundle_writer.h"

#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "leat/checkpoint/bundle_paths.h"
#include "leat/checkpoint/publish_bundle.h"
#include "leat/checkpoint/slice_key.h"
#include "leat/checkpoint/string_elements.h"
#include "leat/core/codec/host_bytes.h"
#include "leat/core/crc32c.h"
#include "leat/core/quoted_text.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/mutex.h"

namespace leat {
namespace {

absl::Status CannotAdd(const std::string& name, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor ", QuotedText(name), " cannot be saved: ", why));
}

void SetShape(const Shape& shape, pb::TensorShapeProto& proto) {
  for (const int64_t extent : shape.dims()) proto.add_dim()->set_size(extent);
}

bool HasShape(const pb::TensorShapeProto& proto, const Shape& shape) {
  if (proto.dim_size() != shape.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (proto.dim(i).size() != shape.dim(i)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Create(
    const FileAccess& files, std::string prefix, BundleOptions options) {
  LEAT_RETURN_IF_ERROR(MakeFolderOf(files, prefix));
  LEAT_ASSIGN_OR_RETURN(ReplacementFile data,
                        ReplacementFile::Create(files, DataPath(prefix, 0, 1)));
  return absl::WrapUnique(
      new BundleWriter(files, std::move(prefix), options, std::move(data)));
}

BundleWriter::BundleWriter(const FileAccess& files, std::string prefix,
                           BundleOptions options, ReplacementFile data)
    : files_(files),
      prefix_(std::move(prefix)),
      options_(options),
      data_(std::move(data)) {}

absl::Status BundleWriter::CheckNotCancelled() const {
  return options_.cancellation == nullptr ? absl::OkStatus()
                                          : options_.cancellation->status();
}

absl::StatusOr<uint32_t> BundleWriter::AppendElements(const Tensor& tensor) {
  LEAT_RETURN_IF_ERROR(CheckNotCancelled());
  if (tensor.dtype() == DType::kString) return WriteStrings(tensor, data_);
  uint32_t crc = 0;
  LEAT_ASSIGN_OR_RETURN(absl::string_view bytes, HostBytes(tensor));
  while (!bytes.empty()) {
    LEAT_RETURN_IF_ERROR(CheckNotCancelled());
    const absl::string_view piece = bytes.substr(0, kChecksumPiece);
    crc = Crc32c(piece, crc);
    LEAT_RETURN_IF_ERROR(data_.Append(piece));
    bytes.remove_prefix(piece.size());
  }
  return crc;
}

absl::Status BundleWriter::Add(const std::string& name, const Tensor& tensor) {
  if (name.empty()) return CannotAdd(name, "the name is empty");
  if (tensor.dtype() != DType::kString && !IsPlainBytes(tensor.dtype())) {
    return CannotAdd(
        name, absl::StrCat("its elements are of type ", Name(tensor.dtype())));
  }
  const auto [it, is_new] = entries_.try_emplace(name);
  if (!is_new) {
    return absl::InvalidArgumentError(
        absl::StrCat("Adding duplicate key: ", name));
  }
  pb::BundleEntryProto& entry = it->second;
  entry.set_dtype(static_cast<pb::DataType>(tensor.dtype()));
  SetShape(tensor.shape(), *entry.mutable_shape());
  entry.set_offset(data_.size());
  LEAT_ASSIGN_OR_RETURN(const uint32_t crc, AppendElements(tensor));
  entry.set_size(data_.size() - entry.offset());
  entry.set_crc32c(Mask(crc));
  return absl::OkStatus();
}

absl::Status BundleWriter::AddSlice(const std::string& name, const Shape& full,
                                    const TensorSlice& slice,
                                    const Tensor& part) {
  if (name.empty()) return CannotAdd(name, "the name is empty");
  LEAT_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeWithin(full));
  if (shape != part.shape()) {
    return CannotAdd(
        name, absl::StrCat("the slice '", slice.ToString(), "' has the shape ",
                           shape.DebugString(), ", but the part has the shape ",
                           part.shape().DebugString()));
  }
  if (slice.IsWhole()) return Add(name, part);
  const auto [it, is_new] = entries_.try_emplace(name);
  pb::BundleEntryProto& entry = it->second;
  const auto dtype = static_cast<pb::DataType>(part.dtype());
  if (is_new) {
    entry.set_dtype(dtype);
    SetShape(full, *entry.mutable_shape());
  } else if (entry.slices().empty() || entry.dtype() != dtype ||
             !HasShape(entry.shape(), full)) {
    return CannotAdd(name, "it was added with another type or shape");
  }
  *entry.add_slices() = slice.ToProto();
  return Add(SliceKey(name, slice), part);
}

absl::Status BundleWriter::Finish() {
  LEAT_RETURN_IF_ERROR(data_.Sync());
  MutexLock lock(files_.renaming());
  // A cancelled save must not replace the checkpoint of a later save.
  LEAT_RETURN_IF_ERROR(CheckNotCancelled());
  return PublishBundle(
      files_, prefix_, entries_, 1,
      [&](int total) { return data_.RenameTo(DataPath(prefix_, 0, total)); },
      options_);
}

}  // namespace leat
