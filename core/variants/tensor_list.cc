// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/variants/tensor_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant_codec.h"
#include "leat/core/varint.h"
#include "leat/core/wire_names.h"
#include "leat/protos/tensor_shape.pb.h"

namespace leat {
namespace {

// The metadata of an encoded list may take at most this many bytes in a
// message.
constexpr int64_t kMaxMetadataBytes = int64_t{1} << 30;

absl::Status Malformed(absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("The encoding of a '", kTensorListTypeName, "' ", problem));
}

// Holds the gaps of an encoded list. A gap is an element that was never
// written.
struct Gaps {
  absl::string_view indices = {};  // ascending varints
  uint64_t count = 0;
  uint64_t at_end = 0;  // number of gaps after the last written element
};

// Takes the gaps from the front of the metadata and checks them.
absl::StatusOr<Gaps> TakeGaps(absl::string_view& metadata, size_t num_tensors) {
  uint64_t count = 0;
  // The index of each gap takes at least one byte.
  if (!TakeVarint64(metadata, count) || count > metadata.size()) {
    return Malformed("is cut off in its metadata");
  }
  Gaps gaps = {metadata, count};
  const uint64_t size = num_tensors + count;
  uint64_t previous = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t gap = 0;
    if (!TakeVarint64(metadata, gap)) {
      return Malformed("is cut off in its metadata");
    }
    if (gap >= size || (i > 0 && gap <= previous)) {
      return Malformed(absl::StrCat("has ", size, " elements but lists ", gap,
                                    " as the next one that was never written, "
                                    "which is out of range or out of order"));
    }
    // If the list has as many elements from this gap on as there are gaps left,
    // all these elements are gaps.
    if (gaps.at_end == 0 && size - gap == count - i) gaps.at_end = count - i;
    previous = gap;
  }
  return gaps;
}

// Takes the index of the next gap. Returns false after the last one.
// REQUIRES: TakeGaps has checked the gaps.
bool TakeNextGap(Gaps& gaps, uint64_t& gap) {
  if (gaps.count == 0) return false;
  --gaps.count;
  return TakeVarint64(gaps.indices, gap);
}

// Makes an empty list from the metadata after the gaps.
absl::StatusOr<TensorList> TakeEmptyList(absl::string_view metadata) {
  uint64_t dtype_number = 0;
  uint64_t max_num_elements = 0;
  if (!TakeVarint64(metadata, dtype_number) ||
      !TakeVarint64(metadata, max_num_elements)) {
    return Malformed("is cut off in its metadata");
  }
  const std::optional<DType> dtype =
      dtype_number > INT32_MAX
          ? std::nullopt
          : DTypeFromWire(static_cast<int64_t>(dtype_number));
  if (!dtype || IsRef(*dtype)) {
    return Malformed(absl::StrCat("has the element dtype ", dtype_number,
                                  ", which is not the type of a tensor"));
  }
  pb::TensorShapeProto shape_proto;
  if (!shape_proto.ParseFromArray(metadata.data(),
                                  static_cast<int>(metadata.size()))) {
    return Malformed("has no element shape");
  }
  LEAT_ASSIGN_OR_RETURN(PartialShape shape, DecodeShape(shape_proto));
  // TensorFlow writes max_num_elements as a sign-extended int.
  return TensorList(*dtype, std::move(shape),
                    static_cast<int32_t>(max_num_elements));
}

}  // namespace

TensorList::TensorList(DType element_dtype, PartialShape element_shape,
                       int64_t max_num_elements)
    : dtype_(element_dtype),
      shape_(std::move(element_shape)),
      max_num_elements_(max_num_elements) {}

absl::StatusOr<TensorList> TensorList::Copy(Allocator& allocator) const {
  TensorList copy(dtype_, shape_, max_num_elements_);
  copy.size_ = size_;
  copy.depth_ = depth_;
  LEAT_RETURN_IF_ERROR(copy.stored_.Grow(stored_.size(), allocator));
  for (int64_t i = 0; i < stored_.size(); ++i) copy.stored_[i] = stored_[i];
  return copy;
}

absl::Status TensorList::CheckDType(DType op_dtype) const {
  if (op_dtype == dtype_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid data types; op elements ", Name(op_dtype),
                   " but list elements ", Name(dtype_)));
}

absl::Status TensorList::CheckFits(const Tensor& element,
                                   absl::string_view refusal) const {
  if (!element.IsValid()) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(CheckDType(element.dtype()));
  if (!shape_.IsCompatibleWith(element.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat(refusal, element.shape().DebugString(),
                     " list shape: ", shape_.DebugString()));
  }
  return CheckVariantDepth(element);
}

absl::Status TensorList::Reserve(int64_t size, Allocator& allocator) {
  return stored_.Reserve(size, allocator);
}

absl::Status TensorList::Write(int64_t i, Tensor element,
                               Allocator& allocator) {
  if (!element.IsValid() && i >= stored_.size()) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(stored_.Grow(i + 1, allocator));
  depth_ = std::max(depth_, 1 + VariantDepth(element));
  stored_[i] = std::move(element);
  return absl::OkStatus();
}

absl::Status TensorList::Set(int64_t i, Tensor element, Allocator& allocator) {
  LEAT_RETURN_IF_ERROR(
      CheckFits(element,
                "Tried to set a tensor with incompatible "
                "shape at a list index. Item element shape: "));
  return Write(i, std::move(element), allocator);
}

absl::Status TensorList::PushBack(Tensor element, Allocator& allocator) {
  LEAT_RETURN_IF_ERROR(CheckFits(element,
                                 "Tried to append a tensor with incompatible "
                                 "shape to a list. Op element shape: "));
  // A negative number means that there is no limit, as in TensorFlow, which
  // casts it to size_t.
  if (max_num_elements_ >= 0 && size_ >= max_num_elements_) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tried to push item into a full list list size: ", size_,
                     " max_num_elements: ", max_num_elements_));
  }
  if (size_ >= kMaxSize) {
    return absl::ResourceExhaustedError(
        absl::StrCat("A list cannot have more than ", kMaxSize, " elements"));
  }
  LEAT_RETURN_IF_ERROR(Write(size_, std::move(element), allocator));
  ++size_;
  return absl::OkStatus();
}

void TensorList::PopBack() { Resize(size_ - 1); }

void TensorList::Resize(int64_t size) {
  stored_.Shrink(size);
  size_ = size;
}

absl::string_view TensorList::type_name() const { return kTensorListTypeName; }

std::string TensorList::DebugString() const {
  return absl::StrCat("TensorList of ", size_, " ", Name(dtype_),
                      shape_.DebugString());
}

absl::StatusOr<VariantData> TensorList::Encode() const {
  VariantData data;
  data.type_name = std::string(type_name());
  int64_t gaps = size_ - stored_.size();
  for (const Tensor& element : stored()) {
    if (element.IsValid()) {
      data.tensors.push_back(element);
    } else {
      ++gaps;
    }
  }
  // As a varint, an index takes at most 5 bytes.
  if (gaps > kMaxMetadataBytes / 5) {
    return absl::InvalidArgumentError(
        absl::StrCat("A list with ", gaps,
                     " elements that were never written is too large for a "
                     "message"));
  }
  AppendVarint64(static_cast<uint64_t>(gaps), &data.metadata);
  for (int64_t i = 0; i < size_; ++i) {
    if (at(i).IsValid()) continue;
    AppendVarint64(static_cast<uint64_t>(i), &data.metadata);
  }
  AppendVarint64(static_cast<uint64_t>(dtype_), &data.metadata);
  AppendVarint64(static_cast<uint64_t>(max_num_elements_), &data.metadata);
  pb::TensorShapeProto shape;
  EncodeShape(shape_, &shape);
  data.metadata += shape.SerializeAsString();
  return data;
}

absl::StatusOr<Variant> TensorList::Decode(VariantData data) {
  absl::string_view metadata = data.metadata;
  LEAT_ASSIGN_OR_RETURN(Gaps gaps, TakeGaps(metadata, data.tensors.size()));
  LEAT_ASSIGN_OR_RETURN(TensorList list, TakeEmptyList(metadata));
  const size_t size = data.tensors.size() + gaps.count;
  if (size > static_cast<size_t>(kMaxSize)) {
    return Malformed(
        absl::StrCat("has ", size, " elements; the limit is ", kMaxSize));
  }
  list.Resize(static_cast<int64_t>(size));
  // The array takes no more memory than DecodeTensor has counted for the
  // tensors and the metadata.
  LEAT_RETURN_IF_ERROR(list.Reserve(static_cast<int64_t>(size - gaps.at_end)));
  uint64_t gap = 0;
  bool has_gap = TakeNextGap(gaps, gap);
  size_t i = 0;
  for (Tensor& tensor : data.tensors) {
    for (; has_gap && gap == i; ++i) has_gap = TakeNextGap(gaps, gap);
    LEAT_RETURN_IF_ERROR(
        list.Set(static_cast<int64_t>(i++), std::move(tensor)));
  }
  return Variant::Of(std::move(list));
}

}  // namespace leat
