// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines ops on strings: their lengths, cases, parts, hashes and encodings.
// Regular expressions are in regex.cc, and StringJoin is in string_join.cc.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::strings {
namespace {

// The outputs are a sparse matrix, which has a row for each string.
absl::Status SplitShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(context.WithRank(0, 1).status());
  LEAT_RETURN_IF_ERROR(context.WithRank(1, 0).status());
  context.set_output(0, {PartialShape::kUnknown, 2});
  context.set_output(1, {PartialShape::kUnknown});
  context.set_output(2, {2});
  return absl::OkStatus();
}

absl::Status SubstrShape(InferenceContext& context) {
  const PartialShape& position = context.input(1);
  const PartialShape& length = context.input(2);
  LEAT_RETURN_IF_ERROR(Merge(position, length).status());
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        BroadcastPartialShapes(context.input(0), position));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

// Returns how often `part` stands in `text`, without overlaps.
int64_t CountOf(absl::string_view part, absl::string_view text) {
  int64_t count = 0;
  for (size_t at = text.find(part); at != absl::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

absl::Status FormatShape(InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const auto text, context.Attr<std::string>("template"));
  LEAT_ASSIGN_OR_RETURN(const auto placeholder,
                        context.Attr<std::string>("placeholder"));
  if (placeholder.empty()) {
    return absl::InvalidArgumentError("the placeholder is empty");
  }
  const int64_t count = CountOf(placeholder, text);
  if (count != context.num_inputs()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num placeholders in template and num inputs must match: ", count,
        " vs. ", context.num_inputs()));
  }
  context.set_output(0, PartialShape(Shape{}));
  return absl::OkStatus();
}

void AddLookups(OpRegistry& registry) {
  registry.Add({.name = "StringLength",
                .doc = "Returns the number of bytes or characters of strings.",
                .inputs = {"input: string"},
                .outputs = {"output: int32"},
                .attrs = {"unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add(
      {.name = "Substr",
       .doc = "Returns the part of each string that begins at a "
              "position and has a length.",
       .inputs = {"input: string", "pos: T", "len: T"},
       .outputs = {"output: string"},
       .attrs = {"T: {int32, int64}", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
       .shape = SubstrShape},
      {OnCpu({{"T", kIndices.dtypes()}})});

  registry.Add(
      {.name = "StringSplit",
       .doc = "Splits strings at each byte that is one of the delimiters.",
       .inputs = {"input: string", "delimiter: string"},
       .outputs = {"indices: int64", "values: string", "shape: int64"},
       .attrs = {"skip_empty: bool = true"},
       .shape = SplitShape},
      {OnCpu()});

  registry.Add(
      {.name = "StringSplitV2",
       .doc = "Splits strings at a separator, or at blanks if it is empty.",
       .inputs = {"input: string", "sep: string"},
       .outputs = {"indices: int64", "values: string", "shape: int64"},
       .attrs = {"maxsplit: int = -1"},
       .shape = SplitShape},
      {OnCpu()});
}

void AddHashes(OpRegistry& registry) {
  registry.Add({.name = "StringToHashBucket",
                .doc = "Returns hashes of strings, by the oldest of three "
                       "functions, below a bound.",
                .inputs = {"string_tensor: string"},
                .outputs = {"output: int64"},
                .attrs = {"num_buckets: int >= 1"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add({.name = "StringToHashBucketFast",
                .doc = "Returns fingerprints of strings, below a bound.",
                .inputs = {"input: string"},
                .outputs = {"output: int64"},
                .attrs = {"num_buckets: int >= 1"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add({.name = "StringToHashBucketStrong",
                .doc = "Returns hashes of strings that depend on a secret key, "
                       "below a bound.",
                .inputs = {"input: string"},
                .outputs = {"output: int64"},
                .attrs = {"num_buckets: int >= 1", "key: list(int)"},
                .shape = shapes::Unchanged},
               {OnCpu()});
}

void AddTransforms(OpRegistry& registry) {
  registry.Add({.name = "StringLower",
                .doc = "Turns upper-case letters into lower-case ones.",
                .inputs = {"input: string"},
                .outputs = {"output: string"},
                .attrs = {"encoding: string = ''"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add({.name = "StringUpper",
                .doc = "Turns lower-case letters into upper-case ones.",
                .inputs = {"input: string"},
                .outputs = {"output: string"},
                .attrs = {"encoding: string = ''"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add({.name = "StringStrip",
                .doc = "Removes white space from both ends of strings.",
                .inputs = {"input: string"},
                .outputs = {"output: string"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add({.name = "EncodeBase64",
                .doc = "Encodes strings in the web-safe form of base64.",
                .inputs = {"input: string"},
                .outputs = {"output: string"},
                .attrs = {"pad: bool = false"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add({.name = "DecodeBase64",
                .doc = "Decodes strings from the web-safe form of base64.",
                .inputs = {"input: string"},
                .outputs = {"output: string"},
                .shape = shapes::Unchanged},
               {OnCpu()});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddLookups(registry);
  AddHashes(registry);
  AddTransforms(registry);

  registry.Add({.name = "StringFormat",
                .doc = "Puts the text of tensors in the places of a template.",
                .inputs = {"inputs: T"},
                .outputs = {"output: string"},
                .attrs = {"T: list(type) >= 0", "template: string = '%s'",
                          "placeholder: string = '%s'", "summarize: int = 3"},
                .shape = FormatShape},
               {OnCpu({{"T", (kPlain + kStringOnly).dtypes()}})});

  registry.Add({.name = "ReduceJoin",
                .doc = "Joins strings along axes.",
                .inputs = {"inputs: string", "reduction_indices: int32"},
                .outputs = {"output: string"},
                .attrs = {"keep_dims: bool = false", "separator: string = ''"},
                .shape = shapes::Reduction},
               {OnCpu()});
}

}  // namespace leat::ops::strings
