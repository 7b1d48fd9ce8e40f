// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// BytesText writes a number of bytes for people to read. It is stateless and
// thread-safe.
#ifndef LEAT_CORE_BYTES_TEXT_H_
#define LEAT_CORE_BYTES_TEXT_H_

#include <cstdint>
#include <string>

namespace leat {

// Returns text such as "17 B" or "3.2 KiB".
std::string BytesText(int64_t bytes);

}  // namespace leat

#endif  // LEAT_CORE_BYTES_TEXT_H_
