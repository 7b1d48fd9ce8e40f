// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that turn strings into numbers and tensors, and back: text,
// raw bytes, compressed bytes, CSV and serialized tensors.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::decoding {
namespace {

// Each record gives one value for each column. Each default is a scalar, or a
// vector of at most one value.
absl::Status DecodeCsvShape(InferenceContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) {
    const PartialShape& value = context.input(i);
    if (!value.rank_known() || value.rank() == 0) continue;
    if (value.rank() > 1 || value.dim(0) > 1) {
      return absl::InvalidArgumentError(
          "Shape of a default must be a length-0 or length-1 vector, or a "
          "scalar.");
    }
  }
  for (int i = 0; i < context.num_outputs(); ++i) {
    context.set_output(i, context.input(0));
  }
  return absl::OkStatus();
}

// Appends an axis of extent `extent` to the shape of input 0.
absl::Status AppendAxis(int64_t extent, InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                        ConcatenateShapes(context.input(0), {extent}));
  context.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status DecodeRawShape(InferenceContext& context) {
  return AppendAxis(PartialShape::kUnknown, context);
}

absl::Status DecodePaddedRawShape(InferenceContext& context) {
  const auto known = PartialInput(context, 1);
  if (known.has_value() && known->values.size() != 1) {
    return absl::InvalidArgumentError("fixed_length must be a scalar");
  }
  if (!known.has_value() || !known->values[0]) return DecodeRawShape(context);
  const int64_t length = *known->values[0];
  LEAT_ASSIGN_OR_RETURN(const DType type, context.Attr<DType>("out_type"));
  const auto width = static_cast<int64_t>(SizeOf(type));
  if (length < 0 || length % width != 0) {
    return absl::InvalidArgumentError(absl::StrCat("fixed_length ", length,
                                                   " must be a non-negative "
                                                   "multiple of ",
                                                   width, ", the size of ",
                                                   Name(type)));
  }
  return AppendAxis(length / width, context);
}

// The types in TensorFlow's order, which is part of the definition.
constexpr char kRawTypes[] =
    "{half, float, double, int32, uint16, uint8, int16, int8, int64, "
    "complex64, complex128, bool, bfloat16}";
constexpr char kPaddedRawTypes[] =
    "{half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}";

void AddRaw(OpRegistry& registry) {
  registry.Add({.name = "DecodeRaw",
                .doc = "Reads the bytes of strings as numbers.",
                .inputs = {"bytes: string"},
                .outputs = {"output: out_type"},
                .attrs = {absl::StrCat("out_type: ", kRawTypes),
                          "little_endian: bool = true"},
                .shape = DecodeRawShape},
               {OnCpu()});

  registry.Add({.name = "DecodePaddedRaw",
                .doc = "Reads as many bytes of each string as numbers, with "
                       "zeros behind its end.",
                .inputs = {"input_bytes: string", "fixed_length: int32"},
                .outputs = {"output: out_type"},
                .attrs = {absl::StrCat("out_type: ", kPaddedRawTypes),
                          "little_endian: bool = true"},
                .shape = DecodePaddedRawShape},
               {OnCpu()});

  registry.Add({.name = "DecodeCompressed",
                .doc = "Decompresses strings, which zlib or gzip has "
                       "compressed.",
                .inputs = {"bytes: string"},
                .outputs = {"output: string"},
                .attrs = {"compression_type: string = ''"},
                .shape = shapes::Unchanged},
               {ExpensiveOnCpu()});
}

void AddText(OpRegistry& registry) {
  registry.Add(
      {.name = "DecodeCSV",
       .doc = "Splits lines of comma-separated values into columns.",
       .inputs = {"records: string", "record_defaults: OUT_TYPE"},
       .outputs = {"output: OUT_TYPE"},
       .attrs = {"OUT_TYPE: list({float, double, int32, int64, string})",
                 "field_delim: string = ','", "use_quote_delim: bool = true",
                 "na_value: string = ''", "select_cols: list(int) = []"},
       .shape = DecodeCsvShape},
      {ExpensiveOnCpu()});

  registry.Add({.name = "StringToNumber",
                .doc = "Reads strings as numbers.",
                .inputs = {"string_tensor: string"},
                .outputs = {"output: out_type"},
                .attrs = {"out_type: {float, double, int32, int64} = float"},
                .shape = shapes::Unchanged},
               {OnCpu()});

  registry.Add(
      {.name = "AsString",
       .doc = "Writes values as text, in the form that printf gives them.",
       .inputs = {"input: T"},
       .outputs = {"output: string"},
       .attrs = {"T: {float, double, int32, uint8, int16, int8, int64, "
                 "bfloat16, uint16, half, uint32, uint64, complex64, "
                 "complex128, bool, variant, string}",
                 "precision: int = -1", "scientific: bool = false",
                 "shortest: bool = false", "width: int = -1",
                 "fill: string = ''"},
       .shape = shapes::Unchanged},
      {OnCpu({{"T", (kPlain + kStringOnly).dtypes()}})});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddRaw(registry);
  AddText(registry);

  registry.Add({.name = "ParseTensor",
                .doc = "Reads a tensor from a serialized TensorProto.",
                .inputs = {"serialized: string"},
                .outputs = {"output: out_type"},
                .attrs = {"out_type: type"},
                .shape = shapes::Unknown},
               {OnCpu()});

  registry.Add({.name = "SerializeTensor",
                .doc = "Writes a tensor as a serialized TensorProto.",
                .inputs = {"tensor: T"},
                .outputs = {"serialized: string"},
                .attrs = {"T: type"},
                .shape = shapes::Scalar},
               {OnCpu()});
}

}  // namespace leat::ops::decoding
