// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make readers and take records from them. All ops have
// two forms. In the first form, the handle is a reference to two strings: the
// container and the name. In the second form, V2, the handle is a resource.
#include <string>
#include <utility>
#include <vector>

#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::readers {
namespace {

absl::Status ReaderShape(InferenceContext& context) {
  if (context.op().outputs[0].is_ref) {
    context.set_output(0, Shape{2});
  } else {
    context.set_output(0, Shape{});
  }
  return absl::OkStatus();
}

// Checks the inputs: references are vectors of two strings, and the others are
// scalars.
absl::Status CheckInputs(const InferenceContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    const bool is_ref = context.op().inputs[static_cast<size_t>(i)].is_ref;
    LEAT_ASSIGN_OR_RETURN(const PartialShape shape,
                          context.WithRank(i, is_ref ? 1 : 0));
    if (!is_ref) continue;
    LEAT_RETURN_IF_ERROR(MergeExtents(ExtentOf(shape, 0), 2).status());
  }
  return absl::OkStatus();
}

absl::Status ScalarsShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context));
  return shapes::Scalar(context);
}

absl::Status VectorsShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckInputs(context));
  for (int i = 0; i < 2; ++i) {
    LEAT_ASSIGN_OR_RETURN(PartialShape shape,
                          PartialShape::Create({PartialShape::kUnknown}));
    context.set_output(i, std::move(shape));
  }
  return absl::OkStatus();
}

// Holds what the two forms of an op do.
struct Docs {
  const char* of_references;
  const char* of_resources;
};

constexpr char kContainer[] = "container: string = ''";
constexpr char kSharedName[] = "shared_name: string = ''";

// Adds both forms of an op that makes a reader. The second form has
// `second_attrs`, too.
void AddReader(const std::string& name, const Docs& docs,
               std::vector<std::string> attrs, OpRegistry& registry,
               const std::vector<std::string>& second_attrs = {}) {
  registry.Add({.name = name,
                .doc = docs.of_references,
                .outputs = {"reader_handle: Ref(string)"},
                .attrs = attrs,
                .stateful = true,
                .shape = ReaderShape},
               {NotFoldable(OnCpu())});
  attrs.insert(attrs.end(), second_attrs.begin(), second_attrs.end());
  registry.Add({.name = name + "V2",
                .doc = docs.of_resources,
                .outputs = {"reader_handle: resource"},
                .attrs = std::move(attrs),
                .stateful = true,
                .shape = ReaderShape},
               {NotFoldable(OnCpu())});
}

void AddReaders(OpRegistry& registry) {
  AddReader("TextLineReader",
            {"Returns a reference to a reader of the lines of text files.",
             "Returns the handle of a reader of the lines of text files."},
            {"skip_header_lines: int = 0", kContainer, kSharedName}, registry);
  AddReader("TFRecordReader",
            {"Returns a reference to a reader of TFRecord files.",
             "Returns the handle of a reader of TFRecord files."},
            {kContainer, kSharedName, "compression_type: string = ''"},
            registry);
  AddReader(
      "FixedLengthRecordReader",
      {"Returns a reference to a reader of records of the same length.",
       "Returns the handle of a reader of records of the same length."},
      {"header_bytes: int = 0", "record_bytes: int", "footer_bytes: int = 0",
       "hop_bytes: int = 0", kContainer, kSharedName},
      registry, {"encoding: string = ''"});
  AddReader("WholeFileReader",
            {"Returns a reference to a reader whose records are whole files.",
             "Returns the handle of a reader whose records are whole files."},
            {kContainer, kSharedName}, registry);
  AddReader("IdentityReader",
            {"Returns a reference to a reader whose records are the strings of "
             "its queue.",
             "Returns the handle of a reader whose records are the strings of "
             "its queue."},
            {kContainer, kSharedName}, registry);
}

// Adds both forms of an op on a reader. If it `takes_queue`, the handle of a
// queue follows that of the reader. The other inputs are those of `spec`.
void AddOnReader(OpSpec spec, const Docs& docs, OpRegistry& registry,
                 bool takes_queue = false) {
  const auto add = [&](const std::string& type, bool is_second) {
    OpSpec form = spec;
    if (is_second) form.name += "V2";
    form.doc = is_second ? docs.of_resources : docs.of_references;
    form.stateful = is_second;
    std::vector<std::string> inputs = {"reader_handle: " + type};
    if (takes_queue) inputs.push_back("queue_handle: " + type);
    form.inputs.insert(form.inputs.begin(), inputs.begin(), inputs.end());
    registry.Add(std::move(form), {NotFoldable(OnCpu())});
  };
  add("Ref(string)", /*is_second=*/false);
  add("resource", /*is_second=*/true);
}

void AddReads(OpRegistry& registry) {
  AddOnReader({.name = "ReaderRead",
               .outputs = {"key: string", "value: string"},
               .shape = ScalarsShape},
              {"Takes a record from a reader, which is a reference.",
               "Takes a record from a reader, as soon as there is one."},
              registry, /*takes_queue=*/true);
  AddOnReader(
      {.name = "ReaderReadUpTo",
       .inputs = {"num_records: int64"},
       .outputs = {"keys: string", "values: string"},
       .shape = VectorsShape},
      {"Takes up to num_records records from a reader, which is a reference.",
       "Takes up to num_records records from a reader, as soon as there is "
       "one."},
      registry, /*takes_queue=*/true);
}

void AddCounts(OpRegistry& registry) {
  AddOnReader(
      {.name = "ReaderNumRecordsProduced",
       .outputs = {"records_produced: int64"},
       .shape = ScalarsShape},
      {"Returns how many records a reader has given out, by its reference.",
       "Returns how many records a reader has given out."},
      registry);
  AddOnReader(
      {.name = "ReaderNumWorkUnitsCompleted",
       .outputs = {"units_completed: int64"},
       .shape = ScalarsShape},
      {"Returns how many files a reader has read to the end, by its reference.",
       "Returns how many files a reader has read to the end."},
      registry);
}

void AddStates(OpRegistry& registry) {
  AddOnReader({.name = "ReaderReset", .shape = ScalarsShape},
              {"Lets a reader, which is a reference, begin anew.",
               "Lets a reader begin anew."},
              registry);
  AddOnReader({.name = "ReaderSerializeState",
               .outputs = {"state: string"},
               .shape = ScalarsShape},
              {"Returns the state of a reader, which is a reference.",
               "Returns the state of a reader."},
              registry);
  AddOnReader({.name = "ReaderRestoreState",
               .inputs = {"state: string"},
               .shape = ScalarsShape},
              {"Sets the state of a reader, which is a reference.",
               "Sets the state of a reader."},
              registry);
}

}  // namespace

void Register(OpRegistry& registry) {
  AddReaders(registry);
  AddReads(registry);
  AddCounts(registry);
  AddStates(registry);
}

}  // namespace leat::ops::readers
