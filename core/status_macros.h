// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LEAT_RETURN_IF_ERROR and LEAT_ASSIGN_OR_RETURN return early on an error. They
// are for functions that return absl::Status or absl::StatusOr.
//
//   LEAT_ASSIGN_OR_RETURN(Graph graph, LoadGraph("model.pb"));
//   LEAT_RETURN_IF_ERROR(SaveGraph(graph, "model.pbtxt"));
#ifndef LEAT_CORE_STATUS_MACROS_H_
#define LEAT_CORE_STATUS_MACROS_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace leat::internal {
// Returns the status of a Status or a StatusOr.
inline absl::Status AsStatus(absl::Status status) { return status; }
template <class T>
absl::Status AsStatus(const absl::StatusOr<T>& result) {
  return result.status();
}
}  // namespace leat::internal

// Evaluates `expression`, a Status or a StatusOr. If the result is not OK,
// returns the error from the function that contains the macro.
#define LEAT_RETURN_IF_ERROR(expression)                                \
  do {                                                                  \
    absl::Status leat_status_ = ::leat::internal::AsStatus(expression); \
    if (ABSL_PREDICT_FALSE(!leat_status_.ok())) return leat_status_;    \
  } while (false)

// Evaluates `expression`, a StatusOr. If the result is not OK, returns the
// error from the function that contains the macro. Otherwise moves the value to
// `left`, which may declare a variable. The macro expands to several
// statements, so it cannot be the body of an `if` without braces.
#define LEAT_ASSIGN_OR_RETURN(left, expression)                              \
  LEAT_ASSIGN_OR_RETURN_IMPL_(LEAT_CONCAT_(leat_status_or_, __LINE__), left, \
                              expression)

#define LEAT_ASSIGN_OR_RETURN_IMPL_(result, left, expression)   \
  auto result = (expression);                                   \
  if (ABSL_PREDICT_FALSE(!result.ok())) return result.status(); \
  left = *std::move(result)

// Expands both arguments and joins them to one token.
#define LEAT_CONCAT_(a, b) LEAT_CONCAT_INNER_(a, b)
#define LEAT_CONCAT_INNER_(a, b) a##b

#endif  // LEAT_CORE_STATUS_MACROS_H_
