// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernel of Substr, which takes parts of strings. A part begins at
// a position and has a length, both in bytes or in characters of UTF-8. A
// negative position counts from the end of the string.
#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/utf8.h"
#include "leat/kernels/broadcast.h"
#include "leat/kernels/codecs/parallel_checks.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::substr {
namespace {

// An error shows at most this many bytes of a string.
constexpr size_t kMaxShownBytes = 1024;
constexpr int64_t kMostBytesOfCharacter = 4;

// Moves `place` by `count` characters to the right. Returns false if there are
// fewer.
bool MoveRight(absl::string_view text, int64_t count, size_t& place) {
  for (; count > 0 && place < text.size(); --count) {
    do ++place;
    while (place < text.size() && ContinuesUtf8(text[place]));
  }
  return count <= 0;
}
bool MoveLeft(absl::string_view text, int64_t count, size_t& place) {
  for (; count > 0 && place > 0; --count) {
    do --place;
    while (place > 0 && ContinuesUtf8(text[place]));
  }
  return count <= 0;
}

// Sets `part` to the part of `text`. Returns false if the position is outside
// of the text. A negative length stands for all the rest.
bool TakeBytes(absl::string_view text, int64_t position, int64_t length,
               absl::string_view& part) {
  const auto size = static_cast<int64_t>(text.size());
  if (position < -size || position > size) return false;
  const int64_t begin = position < 0 ? position + size : position;
  const int64_t rest = size - begin;
  part = text.substr(
      static_cast<size_t>(begin),
      static_cast<size_t>(length < 0 ? rest : std::min(length, rest)));
  return true;
}

// Does the same with characters. A negative length stands for an empty part,
// but as in TensorFlow, not if the position counts from the end.
bool TakeCharacters(absl::string_view text, int64_t position, int64_t length,
                    absl::string_view& part) {
  size_t begin = 0;
  if (position >= 0) {
    if (!MoveRight(text, position, begin)) return false;
  } else {
    begin = text.size();
    // -INT64_MIN does not fit into int64_t, but no text is so long.
    if (length < 0 || position == INT64_MIN ||
        !MoveLeft(text, -position, begin)) {
      return false;
    }
  }
  size_t end = begin;
  MoveRight(text, length, end);  // stops at the end of the text
  part = text.substr(begin, end - begin);
  return true;
}

template <class T>
class Substr final : public Kernel {
 public:
  explicit Substr(bool counts_characters)
      : counts_characters_(counts_characters) {}

  absl::Status Compute(KernelContext& context) const override {
    const Tensor& input = context.input(0);
    const Tensor& positions = context.input(1);
    const Tensor& lengths = context.input(2);
    if (positions.shape() != lengths.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("pos and len should have the same shape, got: ",
                       positions.shape().DebugString(), " vs. ",
                       lengths.shape().DebugString()));
    }
    LEAT_ASSIGN_OR_RETURN(const BroadcastPlan<2> plan,
                          PlanBroadcast(input.shape(), positions.shape()));
    LEAT_ASSIGN_OR_RETURN(
        Tensor* const output,
        context.AllocateOutput(0, plan.shape,
                               MostBytes(input, lengths.data<T>(), plan)));
    if (output->num_elements() == 0) return absl::OkStatus();
    const auto to = output->mutable_data<std::string>();
    return ParallelChecks(
        context.compute_queue(), plan.num_rows(),
        /*cost_per_item=*/SaturatingMultiply(plan.row_size(), 30),
        [&](int64_t row) {
          absl::Status status;
          plan.ForEachRow(row, row + 1, [&](const auto& offsets) {
            status = TakeRow(context, plan, row * plan.row_size(), offsets, to);
          });
          return status;
        });
  }

 private:
  // Returns an upper bound for the bytes that the parts hold.
  int64_t MostBytes(const Tensor& input, absl::Span<const T> lengths,
                    const BroadcastPlan<2>& plan) const {
    const int64_t n = plan.shape.num_elements();
    const int64_t times = n / std::max<int64_t>(input.num_elements(), 1);
    const int64_t whole =
        SaturatingMultiply(TextBytes(input.data<std::string>()), times);
    int64_t longest = 0;
    for (const T length : lengths) {
      if (length < 0) return MostHeldBytes(n, whole);
      longest = std::max<int64_t>(longest, length);
    }
    if (counts_characters_) {
      longest = SaturatingMultiply(longest, kMostBytesOfCharacter);
    }
    return MostHeldBytes(n, std::min(whole, SaturatingMultiply(n, longest)));
  }

  // Takes the parts of a row of the result, which begins at `first`.
  absl::Status TakeRow(const KernelContext& context,
                       const BroadcastPlan<2>& plan, int64_t first,
                       const std::array<int64_t, 2>& offsets,
                       absl::Span<std::string> to) const {
    const auto texts = context.input(0).data<std::string>();
    const auto positions = context.input(1).data<T>();
    const auto lengths = context.input(2).data<T>();
    for (int64_t i = 0; i < plan.row_size(); ++i) {
      const std::string& text = texts[offsets[0] + i * plan.strides[0].back()];
      const int64_t j = offsets[1] + i * plan.strides[1].back();
      absl::string_view part;
      const bool ok = counts_characters_
                          ? TakeCharacters(text, positions[j], lengths[j], part)
                          : TakeBytes(text, positions[j], lengths[j], part);
      if (!ok) return OutOfRange(text, positions[j], first + i);
      to[first + i].assign(part.data(), part.size());
    }
    return absl::OkStatus();
  }

  absl::Status OutOfRange(absl::string_view text, int64_t position,
                          int64_t i) const {
    const std::string shown =
        counts_characters_
            ? ""
            : absl::StrCat(" b'", text.substr(0, kMaxShownBytes), "'");
    return absl::InvalidArgumentError(absl::StrCat(
        "pos ", position, " out of range for string", shown, " at index ", i));
  }

  const bool counts_characters_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeSubstr(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const std::string unit,
                        node.attrs.Get<std::string>("unit"));
  return MakeForType(node, "T", kIndices,
                     [&](auto tag) -> std::unique_ptr<Kernel> {
                       using T = typename decltype(tag)::type;
                       return std::make_unique<Substr<T>>(unit == "UTF8_CHAR");
                     });
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Substr", kCpu, &MakeSubstr);
}

}  // namespace leat::kernels::any::substr
