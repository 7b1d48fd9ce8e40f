// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines Range, which gives the numbers start, start + delta and so on, all of
// them before limit, and LinSpace, which gives numbers from start to stop.
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::range {
namespace {

// Returns ceil(|limit - start| / |delta|), computed in integers.
absl::StatusOr<int64_t> CountInts(int64_t start, int64_t limit, int64_t delta) {
  if (delta == 0) return absl::InvalidArgumentError("Requires delta != 0");
  if ((delta > 0 && start > limit) || (delta < 0 && start < limit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Requires ",
                     delta > 0 ? "start <= limit when delta > 0: "
                               : "start >= limit when delta < 0: ",
                     start, "/", limit));
  }
  // The distance is unsigned, because it may not fit int64_t.
  const uint64_t distance =
      delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
  const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta)
                                  : uint64_t{0} - static_cast<uint64_t>(delta);
  const uint64_t count = distance / step + (distance % step != 0);
  if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return absl::InvalidArgumentError(
        "Requires ((limit - start) / delta) <= 9223372036854775807");
  }
  return static_cast<int64_t>(count);
}

absl::StatusOr<int64_t> CountFloats(double start, double limit, double delta) {
  if (!(delta < 0 || delta > 0)) {
    return absl::InvalidArgumentError("Requires delta != 0");
  }
  if ((delta > 0 && start > limit) || (delta < 0 && start < limit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Requires ",
                     delta > 0 ? "start <= limit when delta > 0: "
                               : "start >= limit when delta < 0: ",
                     start, "/", limit));
  }
  const double count = std::ceil(std::abs((limit - start) / delta));
  // If `count` is NaN, the comparison is false, so NaN is an error, too.
  if (!(count < static_cast<double>(std::numeric_limits<int64_t>::max()))) {
    return absl::InvalidArgumentError(
        "Requires ((limit - start) / delta) <= 9223372036854775807");
  }
  return static_cast<int64_t>(count);
}

// Returns the number of elements in the range. `inputs` are start, limit and
// delta.
template <class T>
absl::StatusOr<int64_t> Count(const Tensor* const (&inputs)[3]) {
  T values[3] = {};
  for (int i = 0; i < 3; ++i) {
    LEAT_ASSIGN_OR_RETURN(values[i], GetScalar<T>(*inputs[i], "a bound"));
  }
  if constexpr (std::is_integral_v<T>) {
    return CountInts(static_cast<int64_t>(values[0]),
                     static_cast<int64_t>(values[1]),
                     static_cast<int64_t>(values[2]));
  } else {
    return CountFloats(static_cast<double>(values[0]),
                       static_cast<double>(values[1]),
                       static_cast<double>(values[2]));
  }
}

// Records the values of the range if they are known. This is useful because the
// axes of an op are often Range(0, Rank(x)).
void SetRangeValues(InferenceContext& context, int64_t count) {
  const std::optional<PartialValues> start = PartialInput(context, 0);
  const std::optional<PartialValues> delta = PartialInput(context, 2);
  if (!start.has_value() || !delta.has_value() || count > kMaxKnownElements) {
    return;
  }
  PartialValues known;
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = 0;
    if (__builtin_mul_overflow(i, *delta->values[0], &value) ||
        __builtin_add_overflow(value, *start->values[0], &value)) {
      return;
    }
    known.values.push_back(value);
  }
  SetPartialValues(context, 0, context.input_value(0)->dtype(), known);
}

absl::Status RangeShape(InferenceContext& context) {
  context.set_output(0, PartialShape::UnknownOfRank(1));
  const Tensor* inputs[3] = {};
  for (int i = 0; i < 3; ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
    inputs[i] = context.input_value(i);
  }
  if (inputs[0] == nullptr || inputs[1] == nullptr || inputs[2] == nullptr) {
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> count = PartialShape::kUnknown;
  VisitDType(kNumbers, inputs[0]->dtype(), [&](auto type) {
    count = Count<typename decltype(type)::type>(inputs);
  });
  if (!count.ok()) return count.status();
  if (*count == PartialShape::kUnknown) return absl::OkStatus();
  context.set_output(0, Shape{*count});
  SetRangeValues(context, *count);
  return absl::OkStatus();
}

absl::Status LinSpaceShape(InferenceContext& context) {
  for (int i = 0; i < 2; ++i) {
    LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
  }
  LEAT_ASSIGN_OR_RETURN(const std::optional<int64_t> num,
                        ScalarInput(context, 2));
  if (!num.has_value()) {
    context.set_output(0, PartialShape::UnknownOfRank(1));
    return absl::OkStatus();
  }
  if (*num <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("Requires num > 0: ", *num));
  }
  context.set_output(0, Shape{*num});
  return absl::OkStatus();
}

}  // namespace

void Register(OpRegistry& registry) {
  registry.Add({.name = "LinSpace",
                .doc = "Returns num numbers at equal distances from start to "
                       "stop.",
                .inputs = {"start: T", "stop: T", "num: Tidx"},
                .outputs = {"output: T"},
                .attrs = {"T: {bfloat16, half, float, double}",
                          "Tidx: {int32, int64} = int32"},
                .shape = LinSpaceShape,
                .work = works::Generate<2>},
               {OnCpu({{"T", kFloat32And64.dtypes()}})});
  registry.Add({.name = "Range",
                .doc = "Returns the numbers from start to limit, without "
                       "limit, that are delta apart.",
                .inputs = {"start: Tidx", "limit: Tidx", "delta: Tidx"},
                .outputs = {"output: Tidx"},
                .attrs = {"Tidx: {bfloat16, half, float, double, int8, int16, "
                          "int32, int64, uint16, uint32} = int32"},
                .shape = RangeShape,
                .work = works::Generate<1>},
               {OnCpu({{"Tidx", kNumbers.dtypes()}}),
                HostOnGpu({{"Tidx", {DType::kInt32}}})});
}

}  // namespace leat::ops::range
