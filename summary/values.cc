// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/summary/values.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "leat/core/check.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/dtype_list.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/summary/histogram.h"
#include "leat/summary/records.h"

namespace leat {
namespace {

// Returns the error for a number that no histogram can count.
absl::Status NotFinite(double value, absl::string_view shown) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::isnan(value) ? "Nan in summary histogram for: "
                                     : "Infinity in Histogram for: ",
                   shown));
}

}  // namespace

void AddScalar(const std::string& tag, const Tensor& values, int64_t i,
               pb::Summary& summary) {
  pb::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  LEAT_CHECK(VisitDType(kNumbers, values.dtype(), [&](auto of) {
    using T = typename decltype(of)::type;
    value.set_simple_value(
        static_cast<float>(values.data<T>()[static_cast<size_t>(i)]));
  }));
}

absl::Status AddHistogram(const std::string& tag, const Tensor& values,
                          absl::string_view shown, pb::Summary& summary) {
  Histogram histogram;
  absl::Status status;
  LEAT_CHECK(VisitDType(kNumbers + kBoolOnly, values.dtype(), [&](auto of) {
    using T = typename decltype(of)::type;
    for (const T& element : values.data<T>()) {
      const auto value = static_cast<double>(element);
      if (!std::isfinite(value)) {
        status = NotFinite(value, shown);
        return;
      }
      histogram.Add(value);
    }
  }));
  if (!status.ok()) return status;
  pb::Summary::Value& value = *summary.add_value();
  value.set_tag(tag);
  histogram.Encode(*value.mutable_histo());
  return absl::OkStatus();
}

absl::StatusOr<pb::Summary::Value*> AddTensor(const Tensor& tensor,
                                              pb::Summary& summary) {
  pb::Summary::Value* const value = summary.add_value();
  LEAT_RETURN_IF_ERROR(EncodeTensor(tensor, value->mutable_tensor()));
  return value;
}

absl::Status CheckNumValues(int64_t count, absl::string_view tag) {
  // A Summary::Value contains one other message, so it counts as two messages.
  const int64_t value_bytes =
      SaturatingAdd(2 * kParsedMessageBytes, static_cast<int64_t>(tag.size()));
  if (SaturatingMultiply(count, value_bytes) <= kMaxParsedBytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(count, " values are too many for a summary"));
}

bool MergeBounded(absl::string_view bytes, int64_t& budget,
                  google::protobuf::Message& message) {
  if (bytes.size() > static_cast<size_t>(kMaxRecordBytes)) return false;
  const int64_t needed = ParsedBytes(bytes, *message.GetDescriptor(), budget);
  if (needed > budget) return false;
  budget -= needed;
  return message.MergeFromString({bytes.data(), bytes.size()});
}

bool ParseBounded(absl::string_view bytes, google::protobuf::Message& message) {
  message.Clear();
  int64_t budget = kMaxParsedBytes;
  return MergeBounded(bytes, budget, message);
}

absl::StatusOr<std::string> SerializeBounded(
    const google::protobuf::Message& message) {
  const size_t size = message.ByteSizeLong();
  if (size > static_cast<size_t>(kMaxRecordBytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a summary or event of ", size, " bytes is too large; at most ",
        kMaxRecordBytes, " bytes are possible"));
  }
  return message.SerializeAsString();
}

}  // namespace leat
