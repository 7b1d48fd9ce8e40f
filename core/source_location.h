// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SourceLocation is a place in the user's program, for error messages. It takes
// the place of std::source_location, which clang 14 does not have.
//
//   // Adds a node; an error names the line of the caller.
//   Output Add(Output a, Output b,
//              SourceLocation location = SourceLocation::Current());
#ifndef LEAT_CORE_SOURCE_LOCATION_H_
#define LEAT_CORE_SOURCE_LOCATION_H_

namespace leat {

// Is a plain value. `file` points to a string literal.
struct SourceLocation {
  const char* file = "";
  int line = 0;

  // Returns the place of the call. As a default argument of another function it
  // returns the place where that function is called.
  static constexpr SourceLocation Current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace leat

#endif  // LEAT_CORE_SOURCE_LOCATION_H_
