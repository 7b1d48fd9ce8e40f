// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/pipeline/element_checks.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/status_macros.h"

namespace leat::kernels {
namespace {

absl::Status CheckCount(size_t expected, size_t received,
                        absl::string_view what) {
  if (expected == received) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Number of components does not match: expected ", expected,
                   " ", what, " but got ", received, "."));
}

absl::Status CheckType(size_t i, DType expected, DType received) {
  if (expected == received) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Data type mismatch at component ", i, ": expected ",
                   Name(expected), " but got ", Name(received), "."));
}

absl::Status CheckShape(size_t i, const PartialShape& expected,
                        const PartialShape& received) {
  if (expected.IsCompatibleWith(received)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Incompatible shapes at component ", i, ": expected ",
      expected.DebugString(), " but got ", received.DebugString(), "."));
}

}  // namespace

absl::Status CheckSpec(const ElementSpec& expected,
                       const ElementSpec& received) {
  LEAT_RETURN_IF_ERROR(
      CheckCount(expected.dtypes.size(), received.dtypes.size(), "types"));
  for (size_t i = 0; i < expected.dtypes.size(); ++i) {
    LEAT_RETURN_IF_ERROR(CheckType(i, expected.dtypes[i], received.dtypes[i]));
  }
  if (expected.shapes.empty()) return absl::OkStatus();
  LEAT_RETURN_IF_ERROR(
      CheckCount(expected.shapes.size(), received.shapes.size(), "shapes"));
  for (size_t i = 0; i < expected.shapes.size(); ++i) {
    LEAT_RETURN_IF_ERROR(CheckShape(i, expected.shapes[i], received.shapes[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckElement(const ElementSpec& expected,
                          const Element& received) {
  LEAT_RETURN_IF_ERROR(
      CheckCount(expected.dtypes.size(), received.size(), "types"));
  for (size_t i = 0; i < received.size(); ++i) {
    LEAT_RETURN_IF_ERROR(CheckType(i, expected.dtypes[i], received[i].dtype()));
    if (i >= expected.shapes.size()) continue;
    LEAT_RETURN_IF_ERROR(
        CheckShape(i, expected.shapes[i], received[i].shape()));
  }
  return absl::OkStatus();
}

}  // namespace leat::kernels
