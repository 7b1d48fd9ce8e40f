// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Where the user's program called us (clang 14 has no std::source_location).
#ifndef LEAT_CORE_SOURCE_LOCATION_H_
#define LEAT_CORE_SOURCE_LOCATION_H_

namespace leat {

struct SourceLocation {
  const char* file = "";
  int line = 0;

  // As a default argument: the place of the call.
  static constexpr SourceLocation Current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace leat

#endif  // LEAT_CORE_SOURCE_LOCATION_H_
