// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads those parts of the JSON text of a cluster model that name no other
// parts: kinds of devices and links. All errors are INVALID_ARGUMENT and name
// the field and its value.
#ifndef LEAT_PARTITIONER_COSTS_CLUSTER_MODEL_FIELDS_H_
#define LEAT_PARTITIONER_COSTS_CLUSTER_MODEL_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "leat/core/codec/json.h"
#include "leat/core/devices/device.h"
#include "leat/partitioner/costs/cluster_model.h"
#include "leat/partitioner/costs/device_rates.h"
#include "leat/partitioner/costs/json_fields.h"

namespace leat {

// Bounds the sizes of memories in a cluster model.
inline constexpr NumberRange kMemoryBytes = {1, 1e18};

// Describes a kind of device.
struct DeviceKind {
  DeviceType type = kCpu;
  std::optional<DeviceRates> rates = {};
  std::optional<int64_t> memory_bytes = {};
  int streams = 1;
};

// Reads a value of "kinds". `path` is its place in the text.
absl::StatusOr<DeviceKind> ReadDeviceKind(const JsonValue& value,
                                          std::string path);

// Reads the numbers of a link and who shares it.
absl::StatusOr<LinkModel> ReadLink(const JsonFields& fields);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_CLUSTER_MODEL_FIELDS_H_
