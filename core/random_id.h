// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
// Ids that nobody can guess. Stateless, thread-safe.
#ifndef LEAT_CORE_RANDOM_ID_H_
#define LEAT_CORE_RANDOM_ID_H_

#include <cstdint>
#include <string>

namespace leat {

// From the kernel's generator; never 0.
uint64_t RandomId();

// 32 hexadecimal digits, 128 bits.
std::string RandomHandle();

// Positive, at most 2^57, as TensorFlow's ids of steps.
int64_t RandomStepId();

}  // namespace leat

#endif  // LEAT_CORE_RANDOM_ID_H_
