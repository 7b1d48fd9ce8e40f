// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of StringSplit and StringSplitV2. The parts of all
// strings are a sparse matrix, with a row for each string.
#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/held_bytes.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/parallel_for.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"

namespace leat::kernels::any::string_split {
namespace {

// Receives the parts of a string, from left to right.
using Visitor = absl::FunctionRef<void(absl::string_view part)>;
// Calls the visitor for each part of a text.
using Splitter = absl::FunctionRef<void(absl::string_view text, Visitor visit)>;

// Says which parts a string has.
struct Row {
  int64_t first = 0;  // the position of its first part among all
  int64_t count = 0;
  int64_t held_bytes = 0;
};

Row CountParts(const std::string& text, Splitter split) {
  Row row;
  split(text, [&](absl::string_view part) {
    ++row.count;
    row.held_bytes += HeldBytesOfText(part.size());
  });
  return row;
}

// Writes the parts of string `i`.
void WriteParts(const std::string& text, Splitter split, int64_t i,
                const Row& row, int64_t* indices, std::string* values) {
  int64_t column = 0;
  split(text, [&](absl::string_view part) {
    const int64_t position = row.first + column;
    indices[2 * position] = i;
    indices[2 * position + 1] = column++;
    values[position].assign(part.data(), part.size());
  });
}

// Sets the first part of each row. Returns the sums of all rows, and sets
// `most` to the largest number of parts.
Row AddUp(absl::Span<Row> rows, int64_t& most) {
  Row all;
  most = 0;
  for (Row& row : rows) {
    row.first = all.count;
    all.count += row.count;
    all.held_bytes = SaturatingAdd(all.held_bytes, row.held_bytes);
    most = std::max(most, row.count);
  }
  return all;
}

// Splits the strings of input 0 twice: first to count the parts, and then to
// write them. Threads share the strings.
absl::Status SplitAll(Splitter split, KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto texts = input.data<std::string>();
  const int64_t n = input.num_elements();
  const int64_t cost = 50 + TextBytes(texts) / std::max<int64_t>(n, 1);
  LEAT_ASSIGN_OR_RETURN(
      Tensor memory,
      context.AllocateTemporary(DType::kUint8,
                                Shape{n * static_cast<int64_t>(sizeof(Row))}));
  const absl::Span<Row> rows(reinterpret_cast<Row*>(memory.mutable_raw_data()),
                             texts.size());
  ParallelFor(context.compute_queue(), n, cost,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  new (&rows[i]) Row(CountParts(texts[i], split));
                }
              });
  int64_t most = 0;
  const Row all = AddUp(rows, most);
  LEAT_ASSIGN_OR_RETURN(Tensor* const indices,
                        context.AllocateOutput(0, Shape{all.count, 2}));
  LEAT_ASSIGN_OR_RETURN(
      Tensor* const values,
      context.AllocateOutput(1, Shape{all.count}, all.held_bytes));
  LEAT_ASSIGN_OR_RETURN(Tensor* const shape,
                        context.AllocateOutput(2, Shape{2}));
  ParallelFor(context.compute_queue(), n, cost,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  WriteParts(texts[i], split, i, rows[i],
                             indices->mutable_data<int64_t>().data(),
                             values->mutable_data<std::string>().data());
                }
              });
  shape->mutable_data<int64_t>()[0] = n;
  shape->mutable_data<int64_t>()[1] = most;
  return absl::OkStatus();
}

// Returns input 1, a scalar that TensorFlow calls `name`.
absl::StatusOr<absl::string_view> GetSeparator(const KernelContext& context,
                                               absl::string_view name) {
  const Tensor& input = context.input(0);
  if (!input.shape().IsVector()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input must be a vector, got shape: ", input.shape().DebugString()));
  }
  const Tensor& separator = context.input(1);
  if (!separator.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        " must be a scalar, got shape: ", separator.shape().DebugString()));
  }
  return separator.scalar<std::string>();
}

// Splits at each byte that is one of the delimiters. Without delimiters, each
// byte is a part.
void SplitAtBytes(absl::string_view text, absl::string_view delimiters,
                  bool skip_empty, Visitor visit) {
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) visit(text.substr(i, 1));
    return;
  }
  if (text.empty()) return;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end =
        std::min(text.find_first_of(delimiters, begin), text.size());
    if (!skip_empty || end > begin) visit(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Splits at white space, up to `most` times, or everywhere if `most` is
// negative. As in TensorFlow, a rest stands behind the last split even if it is
// empty.
void SplitAtBlanks(absl::string_view text, int64_t most, Visitor visit) {
  if (most == 0) return visit(text);
  text = absl::StripLeadingAsciiWhitespace(text);
  for (int64_t splits = 0; splits != most; ++splits) {
    if (text.empty()) return;
    const auto* const end = std::find_if(text.begin(), text.end(), [](char c) {
      return absl::ascii_isspace(static_cast<unsigned char>(c));
    });
    const auto size = static_cast<size_t>(end - text.begin());
    visit(text.substr(0, size));
    text = absl::StripLeadingAsciiWhitespace(text.substr(size));
  }
  visit(text);
}

// Splits at each separator, up to `most` times, or everywhere if `most` is
// negative.
void SplitAtSeparator(absl::string_view text, absl::string_view separator,
                      int64_t most, Visitor visit) {
  for (int64_t splits = 0; splits != most; ++splits) {
    const size_t end = text.find(separator);
    if (end == absl::string_view::npos) break;
    visit(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  visit(text);
}

class StringSplit final : public Kernel {
 public:
  explicit StringSplit(bool skip_empty) : skip_empty_(skip_empty) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view delimiters,
                          GetSeparator(context, "delimiter"));
    return SplitAll(
        [&](absl::string_view text, Visitor visit) {
          SplitAtBytes(text, delimiters, skip_empty_, visit);
        },
        context);
  }

 private:
  const bool skip_empty_;
};

class StringSplitV2 final : public Kernel {
 public:
  explicit StringSplitV2(int64_t most) : most_(most < 0 ? -1 : most) {}

  absl::Status Compute(KernelContext& context) const override {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view separator,
                          GetSeparator(context, "sep"));
    return SplitAll(
        [&](absl::string_view text, Visitor visit) {
          if (separator.empty()) {
            SplitAtBlanks(text, most_, visit);
          } else {
            SplitAtSeparator(text, separator, most_, visit);
          }
        },
        context);
  }

 private:
  const int64_t most_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringSplit(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool skip_empty,
                        node.attrs.Get<bool>("skip_empty"));
  return std::unique_ptr<Kernel>(std::make_unique<StringSplit>(skip_empty));
}

absl::StatusOr<std::unique_ptr<Kernel>> MakeStringSplitV2(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const int64_t most,
                        node.attrs.Get<int64_t>("maxsplit"));
  return std::unique_ptr<Kernel>(std::make_unique<StringSplitV2>(most));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("StringSplit", kCpu, &MakeStringSplit);
  registry.Add("StringSplitV2", kCpu, &MakeStringSplitV2);
}

}  // namespace leat::kernels::any::string_split
