// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Early return on error, for functions that return absl::Status or StatusOr.
// The expression may be either, too.
#ifndef LEAT_CORE_STATUS_MACROS_H_
#define LEAT_CORE_STATUS_MACROS_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace leat::internal {
inline absl::Status AsStatus(absl::Status status) { return status; }
template <class T>
absl::Status AsStatus(const absl::StatusOr<T>& result) {
  return result.status();
}
}  // namespace leat::internal

#define LEAT_RETURN_IF_ERROR(expression)                                \
  do {                                                                  \
    absl::Status leat_status_ = ::leat::internal::AsStatus(expression); \
    if (ABSL_PREDICT_FALSE(!leat_status_.ok())) return leat_status_;    \
  } while (false)

// LEAT_ASSIGN_OR_RETURN(Graph graph, builder.Build());
#define LEAT_ASSIGN_OR_RETURN(left, expression)                              \
  LEAT_ASSIGN_OR_RETURN_IMPL_(LEAT_CONCAT_(leat_status_or_, __LINE__), left, \
                              expression)

#define LEAT_ASSIGN_OR_RETURN_IMPL_(result, left, expression)   \
  auto result = (expression);                                   \
  if (ABSL_PREDICT_FALSE(!result.ok())) return result.status(); \
  left = *std::move(result)

#define LEAT_CONCAT_(a, b) LEAT_CONCAT_INNER_(a, b)
#define LEAT_CONCAT_INNER_(a, b) a##b

#endif  // LEAT_CORE_STATUS_MACROS_H_
