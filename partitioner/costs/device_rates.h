// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// DeviceRates says how fast a device computes. Planning estimates from the
// rates how long a node takes that has never been measured.
#ifndef LEAT_PARTITIONER_COSTS_DEVICE_RATES_H_
#define LEAT_PARTITIONER_COSTS_DEVICE_RATES_H_

#include <array>
#include <cstdint>

#include "leat/core/devices/device.h"
#include "leat/core/dtype.h"

namespace leat {

// Lists the classes of numbers with which a device computes at different rates.
enum class NumberClass : uint8_t {
  kHalf,     // 16 bits: half, bfloat16
  kFloat,    // 32 bits: float, complex64
  kDouble,   // 64 bits: double, complex128
  kInteger,  // everything else: integers, bools, objects such as strings
};
inline constexpr int kNumNumberClasses = 4;

// Returns the class of a type of elements.
NumberClass NumberClassOf(DType dtype);

// Holds the rates of one core of a CPU, or of a whole GPU. Is a plain value. No
// rate is zero.
struct DeviceRates {
  // Holds operations per second, by NumberClass. A multiply-add counts as two.
  std::array<double, kNumNumberClasses> flops_per_second = {};
  // Is how many bytes are read and written per second.
  double bytes_per_second = 0;
  // Is what each run of a node takes besides.
  double seconds_per_op = 0;

  double FlopsPerSecond(NumberClass numbers) const {
    return flops_per_second[static_cast<size_t>(numbers)];
  }
};

// Returns the rates that are assumed for a device about which nothing is known.
// Costs that come from them are guesses.
const DeviceRates& AssumedRates(const DeviceType& type);

}  // namespace leat

#endif  // LEAT_PARTITIONER_COSTS_DEVICE_RATES_H_
