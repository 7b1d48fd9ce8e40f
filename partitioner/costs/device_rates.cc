// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/partitioner/costs/device_rates.h"

namespace leat {

NumberClass NumberClassOf(DType dtype) {
  switch (BaseOf(dtype)) {
    case DType::kHalf:
    case DType::kBfloat16:
      return NumberClass::kHalf;
    case DType::kFloat:
    case DType::kComplex64:
      return NumberClass::kFloat;
    case DType::kDouble:
    case DType::kComplex128:
      return NumberClass::kDouble;
    default:
      return NumberClass::kInteger;
  }
}

const DeviceRates& AssumedRates(const DeviceType& type) {
  // A core of a server's CPU with AVX2 has about these rates, and a GPU of the
  // middle class.
  static constexpr DeviceRates kCpuCore = {
      .flops_per_second = {1e10, 4e10, 2e10, 1e10},
      .bytes_per_second = 1e10,
      .seconds_per_op = 5e-7};
  static constexpr DeviceRates kWholeGpu = {
      .flops_per_second = {1e14, 1e13, 5e12, 1e13},
      .bytes_per_second = 1e12,
      .seconds_per_op = 5e-6};
  return type == kGpu ? kWholeGpu : kCpuCore;
}

}  // namespace leat
