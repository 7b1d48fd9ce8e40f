// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// TensorSlice is a rectangular part of a tensor, such as the part of a variable
// that lies on one parameter server. Its text and its protobuf message are
// those of TensorFlow's TensorSlice.
//
//   ParseShapeAndSlice("100 20 0,50:-")  // rows 0 to 49 of a [100, 20] tensor
#ifndef LEAT_CHECKPOINT_TENSOR_SLICE_H_
#define LEAT_CHECKPOINT_TENSOR_SLICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/shape.h"
#include "leat/protos/tensor_slice.pb.h"

namespace leat {

// A value. The default-constructed slice is the whole of a scalar.
class TensorSlice {
 public:
  // The part of one dimension: `length` elements from `start` on. If `length`
  // is kFull, the part is the whole dimension, and `start` is 0.
  struct Extent {
    static constexpr int64_t kFull = -1;
    int64_t start = 0;
    int64_t length = kFull;

    bool is_full() const { return length == kFull; }
    friend bool operator==(const Extent&, const Extent&) = default;
  };

  // Returns the slice that is a whole tensor of this rank.
  static TensorSlice Whole(int rank);
  // Parses "0,50:-": for each dimension "start,length", or "-" for the whole
  // dimension, with ":" between them. Returns INVALID_ARGUMENT for other texts,
  // a negative start, a length below 1, or more than Shape::kMaxRank
  // dimensions.
  static absl::StatusOr<TensorSlice> Parse(absl::string_view text);
  // Fails as Parse does.
  static absl::StatusOr<TensorSlice> FromProto(
      const pb::TensorSliceProto& proto);
  pb::TensorSliceProto ToProto() const;
  // Returns the text that Parse reads.
  std::string ToString() const;

  int rank() const { return static_cast<int>(extents_.size()); }
  const Extent& extent(int i) const { return extents_[i]; }
  bool IsWhole() const;
  // Returns the shape of the part of a tensor with the shape `full`. Returns
  // INTERNAL, as TensorFlow does, if the slice does not lie within such a
  // tensor.
  absl::StatusOr<Shape> ShapeWithin(const Shape& full) const;

  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;

 private:
  std::vector<Extent> extents_;
};

// Holds one parsed element of the input `shape_and_slices` of SaveV2 and
// RestoreV2.
struct ShapeAndSlice {
  Shape full;         // the shape of the whole tensor
  TensorSlice slice;  // the part that is saved or restored
  Shape shape;        // the shape of this part
};

// Parses "100 20 0,50:-": the extents of the tensor, and a slice. Returns
// INVALID_ARGUMENT, with TensorFlow's words, for other texts. Also returns the
// errors of TensorSlice::Parse, Shape::Create and ShapeWithin.
absl::StatusOr<ShapeAndSlice> ParseShapeAndSlice(absl::string_view text);

}  // namespace leat

#endif  // LEAT_CHECKPOINT_TENSOR_SLICE_H_
