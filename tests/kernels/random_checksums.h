// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Written by make_random_checksums.py with TensorFlow 2.15.1.
#ifndef LEAT_TESTS_KERNELS_RANDOM_CHECKSUMS_H_
#define LEAT_TESTS_KERNELS_RANDOM_CHECKSUMS_H_

#include <cstdint>

#include "leat/core/dtype.h"

namespace leat {

inline constexpr int64_t kRandomSize = 100003;

struct RandomChecksum {
  const char* op;
  DType dtype;
  uint32_t crc[3];
};

inline constexpr RandomChecksum kRandomChecksums[] = {
    {"RandomUniform", DType::kHalf, {0xacfd9c36, 0x4df40d1e, 0x3a8dc80d}},
    {"RandomUniform", DType::kBfloat16, {0x9d682e54, 0xad6ebb94, 0x7cd5fa7c}},
    {"RandomUniform", DType::kFloat, {0xf269f3c3, 0x71000959, 0x061bbe27}},
    {"RandomUniform", DType::kDouble, {0x090bc55b, 0xc23b7df0, 0x0b8a1508}},
    {"RandomStandardNormal",
     DType::kHalf,
     {0x6f7580b5, 0x4cda5e46, 0x09e95f99}},
    {"RandomStandardNormal",
     DType::kBfloat16,
     {0xf596a10c, 0x385435ae, 0x623e6a5f}},
    {"RandomStandardNormal",
     DType::kFloat,
     {0xb1a6cbdb, 0xa0a0f1af, 0x39ae040d}},
    {"RandomStandardNormal",
     DType::kDouble,
     {0x96dc68a9, 0x06deb0be, 0x390f1393}},
    {"TruncatedNormal", DType::kHalf, {0x3d76f347, 0x59ebaa47, 0x6a90cf2f}},
    {"TruncatedNormal", DType::kBfloat16, {0x4511f002, 0x99e06855, 0x954d0edd}},
    {"TruncatedNormal", DType::kFloat, {0x0314acaf, 0x9a9da6a2, 0xe0fd590d}},
    {"TruncatedNormal", DType::kDouble, {0x6f535caf, 0x867a7ef5, 0xcfa38b73}},
    {"RandomUniformInt", DType::kInt32, {0x0ecd8d8b, 0xedea42a4, 0x7d5a7cdc}},
    {"RandomUniformInt", DType::kInt64, {0xb4fb4c67, 0x05c2d38c, 0x9d93ab37}},
    {"RandomShuffle", DType::kInt32, {0x94a83d90, 0xe3df9e7d, 0x1e789315}},
    {"StatelessRandomUniformV2",
     DType::kHalf,
     {0x4a260223, 0x4a260223, 0x4a260223}},
    {"StatelessRandomUniformV2",
     DType::kBfloat16,
     {0xec203f75, 0xec203f75, 0xec203f75}},
    {"StatelessRandomUniformV2",
     DType::kFloat,
     {0x8e4c79b2, 0x8e4c79b2, 0x8e4c79b2}},
    {"StatelessRandomUniformV2",
     DType::kDouble,
     {0xa14b8d25, 0xa14b8d25, 0xa14b8d25}},
    {"StatelessRandomNormalV2",
     DType::kHalf,
     {0xffe194ad, 0xffe194ad, 0xffe194ad}},
    {"StatelessRandomNormalV2",
     DType::kBfloat16,
     {0xeb202f89, 0xeb202f89, 0xeb202f89}},
    {"StatelessRandomNormalV2",
     DType::kFloat,
     {0xee1ce393, 0xee1ce393, 0xee1ce393}},
    {"StatelessRandomNormalV2",
     DType::kDouble,
     {0x38267886, 0x38267886, 0x38267886}},
    {"StatelessTruncatedNormalV2",
     DType::kHalf,
     {0x4e49e745, 0x4e49e745, 0x4e49e745}},
    {"StatelessTruncatedNormalV2",
     DType::kBfloat16,
     {0xd6f9e983, 0xd6f9e983, 0xd6f9e983}},
    {"StatelessTruncatedNormalV2",
     DType::kFloat,
     {0xcdaa3034, 0xcdaa3034, 0xcdaa3034}},
    {"StatelessTruncatedNormalV2",
     DType::kDouble,
     {0x2163ca11, 0x2163ca11, 0x2163ca11}},
};

}  // namespace leat

#endif  // LEAT_TESTS_KERNELS_RANDOM_CHECKSUMS_H_
