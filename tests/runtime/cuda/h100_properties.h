// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Has the properties of an H100 in the JSON form that cuDNN reads. With these
// properties, cuDNN makes plans on machines without a GPU. cuDNN 9.19 gave them
// on an H100 (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION).
#ifndef LEAT_TESTS_RUNTIME_CUDA_H100_PROPERTIES_H_
#define LEAT_TESTS_RUNTIME_CUDA_H100_PROPERTIES_H_

namespace leat::testing {

inline constexpr char kH100Properties[] = R"({
  "cudaDeviceId": 0,
  "deviceVer": 900,
  "driverVer": 13000,
  "maxGridSize": [2147483647, 65535, 65535],
  "maxBlockSize": [1024, 1024, 64],
  "regsPerBlock": 65536,
  "multiProcessorCount": 132,
  "smClockRateKHz": 1980000,
  "memClockRateKHz": 2619000,
  "l2CacheSize": 52428800,
  "warpSize": 32,
  "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448,
  "reservedSharedMemoryPerBlock": 1024,
  "maxRegistersPerSM": 65536,
  "pciDeviceId": 6,
  "maxCtasPerSM": 32,
  "maxThreadsPerBlock": 1024,
  "maxThreadsPerSM": 2048,
  "isTccDriver": 0,
  "supportCoopLaunch": 1,
  "totalGlobalMem": 85017493504,
  "deviceName": "NVIDIA H100 80GB HBM3"
})";

}  // namespace leat::testing

#endif  // LEAT_TESTS_RUNTIME_CUDA_H100_PROPERTIES_H_
