// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/status_macros.h"

#include <string>

#include "gtest/gtest.h"

namespace leat::status_macros_test {
namespace {

absl::StatusOr<std::string> Text(bool ok) {
  if (!ok) return absl::NotFoundError("no text");
  return "text";
}

// Applies LEAT_RETURN_IF_ERROR to `result`, a Status or StatusOr. Returns the
// error that the macro returns, or DATA_LOSS if the macro does not return.
template <class T>
absl::Status Pass(const T& result) {
  LEAT_RETURN_IF_ERROR(result);
  return absl::DataLossError("went on");
}

absl::Status Discard(bool ok) {
  LEAT_RETURN_IF_ERROR(Text(ok));
  return absl::DataLossError("went on");
}

absl::StatusOr<size_t> Length(bool ok) {
  LEAT_ASSIGN_OR_RETURN(const std::string text, Text(ok));
  return text.size();
}

TEST(StatusMacrosTest, ReturnErrorsAndGoOnWithoutOne) {
  const absl::Status error = absl::NotFoundError("no text");
  EXPECT_EQ(Pass(error), error);
  EXPECT_EQ(Pass(absl::OkStatus()), absl::DataLossError("went on"));
  EXPECT_EQ(Pass(Text(false)), error);
  EXPECT_EQ(Pass(Text(true)), absl::DataLossError("went on"));
  EXPECT_EQ(Discard(false), error);
  EXPECT_EQ(Discard(true), absl::DataLossError("went on"));
  EXPECT_EQ(Length(false).status(), error);
  EXPECT_EQ(*Length(true), 4u);
}

}  // namespace
}  // namespace leat::status_macros_test
