// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions make random ids that nobody can guess, with the random number
// generator of the operating system. The functions are stateless and
// thread-safe.
#ifndef LEAT_CORE_RANDOM_ID_H_
#define LEAT_CORE_RANDOM_ID_H_

#include <cstdint>
#include <string>

namespace leat {

// Returns a random number of 64 bits, never 0.
uint64_t RandomId();

// Returns 128 random bits as 32 hexadecimal digits, for the handle of a
// session.
std::string RandomHandle();

// Returns a random step id in [2^56, 2^57). TensorFlow's masters use the same
// range.
int64_t RandomStepId();

}  // namespace leat

#endif  // LEAT_CORE_RANDOM_ID_H_
