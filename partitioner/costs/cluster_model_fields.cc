// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/cluster_model_fields.h"

#include <iterator>
#include <utility>

#include "leat/core/status_macros.h"

namespace leat {
namespace {

// Bound the numbers, so that no quotient or sum of them becomes infinite.
constexpr NumberRange kRate = {1, 1e24};  // per second
constexpr NumberRange kSeconds = {0, 1e6};
constexpr NumberRange kStreams = {1, 1024};

absl::StatusOr<DeviceRates> ReadRates(const JsonValue& value,
                                      std::string path) {
  LEAT_ASSIGN_OR_RETURN(
      const JsonFields fields,
      JsonFields::Open(
          value, std::move(path),
          {"flops_per_second", "bytes_per_second", "seconds_per_op"}));
  DeviceRates rates;
  LEAT_ASSIGN_OR_RETURN(rates.bytes_per_second,
                        fields.Number("bytes_per_second", kRate));
  LEAT_ASSIGN_OR_RETURN(rates.seconds_per_op,
                        fields.Number("seconds_per_op", kSeconds));
  LEAT_ASSIGN_OR_RETURN(const JsonValue* const flops,
                        fields.Object("flops_per_second"));
  constexpr absl::string_view kClasses[kNumNumberClasses] = {
      "half", "float", "double", "integer"};
  LEAT_ASSIGN_OR_RETURN(
      const JsonFields classes,
      JsonFields::Open(*flops, fields.PathOf("flops_per_second"),
                       {std::begin(kClasses), std::end(kClasses)}));
  LEAT_ASSIGN_OR_RETURN(const double of_floats, classes.Number("float", kRate));
  for (size_t i = 0; i < rates.flops_per_second.size(); ++i) {
    LEAT_ASSIGN_OR_RETURN(rates.flops_per_second[i],
                          classes.NumberOr(kClasses[i], of_floats, kRate));
  }
  return rates;
}

}  // namespace

absl::StatusOr<DeviceKind> ReadDeviceKind(const JsonValue& value,
                                          std::string path) {
  LEAT_ASSIGN_OR_RETURN(
      const JsonFields fields,
      JsonFields::Open(value, std::move(path),
                       {"type", "rates", "memory_bytes", "streams", "note"}));
  DeviceKind kind;
  LEAT_ASSIGN_OR_RETURN(kind.type, fields.Text("type"));
  if (kind.type != kCpu && kind.type != kGpu) {
    return fields.Error("type", "must be \"CPU\" or \"GPU\"");
  }
  if (const JsonValue* const rates = fields.Find("rates")) {
    LEAT_ASSIGN_OR_RETURN(kind.rates,
                          ReadRates(*rates, fields.PathOf("rates")));
  }
  if (fields.Find("memory_bytes") != nullptr || kind.type == kGpu) {
    LEAT_ASSIGN_OR_RETURN(const double bytes,
                          fields.Number("memory_bytes", kMemoryBytes));
    kind.memory_bytes = static_cast<int64_t>(bytes);
  }
  if (fields.Find("streams") != nullptr && kind.type != kGpu) {
    return fields.Error("streams", "only a GPU has streams");
  }
  LEAT_ASSIGN_OR_RETURN(kind.streams, fields.IntegerOr("streams", 1, kStreams));
  return kind;
}

absl::StatusOr<LinkModel> ReadLink(const JsonFields& fields) {
  LinkModel link{.name = fields.path()};
  LEAT_ASSIGN_OR_RETURN(link.latency_seconds,
                        fields.Number("latency_seconds", kSeconds));
  LEAT_ASSIGN_OR_RETURN(link.bytes_per_second,
                        fields.Number("bytes_per_second", kRate));
  LEAT_ASSIGN_OR_RETURN(link.seconds_per_message,
                        fields.NumberOr("seconds_per_message", 0, kSeconds));
  LEAT_ASSIGN_OR_RETURN(link.seconds_per_byte,
                        fields.NumberOr("seconds_per_byte", 0, kSeconds));
  if (fields.Find("sharing") == nullptr) return link;
  LEAT_ASSIGN_OR_RETURN(const std::string sharing, fields.Text("sharing"));
  if (sharing == "end") {
    link.sharing = LinkSharing::kEnd;
  } else if (sharing == "all") {
    link.sharing = LinkSharing::kAll;
  } else if (sharing != "pair") {
    return fields.Error("sharing", "must be \"pair\", \"end\" or \"all\"");
  }
  return link;
}

}  // namespace leat
