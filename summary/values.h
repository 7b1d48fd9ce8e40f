// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions append values to a summary: numbers, distributions, images,
// sounds and tensors. The ops that make summaries, the ops that write them and
// the C++ SummaryWriter (train/summary_writer.h) share these functions, so they
// all make the same summaries. The summaries and the texts of errors are the
// same as TensorFlow's. The functions are stateless and thread-safe.
//
//   pb::Summary summary;
//   LEAT_RETURN_IF_ERROR(AddHistogram("weights", values, "weights", summary));
//   LEAT_ASSIGN_OR_RETURN(const std::string bytes, SerializeBounded(summary));
#ifndef LEAT_SUMMARY_VALUES_H_
#define LEAT_SUMMARY_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "leat/core/tensor.h"
#include "leat/core/threads/cancellation.h"
#include "leat/protos/summary.pb.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace leat {

// Appends element `i` of `values`, as a float. REQUIRES: the dtype is one of
// kNumbers (core/dtype_list.h), and there is such an element.
void AddScalar(const std::string& tag, const Tensor& values, int64_t i,
               pb::Summary& summary);

// Appends the distribution of all elements. Returns INVALID_ARGUMENT, with the
// name `shown`, if one of them is not finite. REQUIRES: the dtype is one of
// kNumbers, or bool.
absl::Status AddHistogram(const std::string& tag, const Tensor& values,
                          absl::string_view shown, pb::Summary& summary);

// Describes how AddImages treats a batch of images.
struct ImageOptions {
  int64_t max_images = 3;  // later images of the batch are ignored
  // Is the color of pixels that are not finite, in images of floats. It must
  // have a byte for each channel of the images. Further bytes are ignored.
  absl::Span<const uint8_t> bad_color = {};
  // If this is not null and is cancelled, AddImages stops and returns its
  // status. Borrowed.
  const Cancellation* cancellation = nullptr;
};
// Returns the elements of an op's bad_color, which must outlive the result.
// Returns INVALID_ARGUMENT, with TensorFlow's words, unless it is a vector of
// uint8.
absl::StatusOr<absl::Span<const uint8_t>> BadColorOf(const Tensor& bad_color);
// Appends the first images of a batch as PNG, in values with the tags
// "TAG/image/0", "TAG/image/1" and so on, or "TAG/image" if `max_images` is 1.
// The tensor has the shape [batch, height, width, channels]. Images of uint8
// are written as they are. Each image of half, float or double is scaled by
// itself, so that its greatest value becomes 255. If it has negative values, it
// is scaled so that 0 becomes 128, and the value of the greatest magnitude
// becomes 1 or 255. Returns INVALID_ARGUMENT for a tensor of another shape or
// dtype, and if an image, or all of them together, are too large. Also fails as
// EncodePng does. REQUIRES: `max_images` is positive.
absl::Status AddImages(const std::string& tag, const Tensor& images,
                       const ImageOptions& options, pb::Summary& summary);

// Appends the first sounds of a batch as WAV with 16 bits, in values with the
// tags "TAG/audio/0" and so on, or "TAG/audio" if `max_outputs` is 1. The
// tensor has the shape [batch, frames] or [batch, frames, channels], and its
// values lie between -1 and 1. Returns INVALID_ARGUMENT for a tensor of another
// shape or dtype, for a rate that is not positive, and for more channels or
// frames than WAV can hold. REQUIRES: `max_outputs` is positive.
absl::Status AddAudio(const std::string& tag, const Tensor& sounds,
                      float sample_rate, int64_t max_outputs,
                      pb::Summary& summary);

// Appends a tensor and returns its value, which belongs to `summary`. The
// caller sets the tag and the metadata. Fails as EncodeTensor
// (core/codec/tensor_codec.h) does. REQUIRES: the tensor is in host memory.
absl::StatusOr<pb::Summary::Value*> AddTensor(const Tensor& tensor,
                                              pb::Summary& summary);

// Returns INVALID_ARGUMENT if `count` values with tags like `tag` would take
// more than about 2 GiB of memory. The check is needed because even an empty
// tensor can stand for billions of values, for example sounds of the shape
// [1000000000, 0].
absl::Status CheckNumValues(int64_t count, absl::string_view tag);

// Limits the memory, in bytes, of all messages that one op parses.
inline constexpr int64_t kMaxParsedBytes = int64_t{2} << 30;

// Parses `bytes` and merges the result into `message`. Subtracts the memory of
// the result, in bytes, from `budget`. Returns false if the budget is too
// small, or if the bytes are not a message of this type.
bool MergeBounded(absl::string_view bytes, int64_t& budget,
                  google::protobuf::Message& message);
// Clears `message` and then does what MergeBounded does, with the budget
// kMaxParsedBytes.
bool ParseBounded(absl::string_view bytes, google::protobuf::Message& message);

// Returns the serialized message. Returns INVALID_ARGUMENT if it has more than
// kMaxRecordBytes bytes (records.h), because event files and readers of
// messages do not accept more.
absl::StatusOr<std::string> SerializeBounded(
    const google::protobuf::Message& message);

}  // namespace leat

#endif  // LEAT_SUMMARY_VALUES_H_
