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
#include "leat/graph/ops/both_forms.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::readers {
namespace {

// Checks that references are vectors of two strings, and that the other inputs
// are scalars.
absl::Status ScalarsShape(InferenceContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    LEAT_RETURN_IF_ERROR(IsReference(context, i)
                             ? CheckReference(context, i)
                             : context.WithRank(i, 0).status());
  }
  return shapes::Scalar(context);
}

// References may be vectors of any length, as in TensorFlow.
absl::Status VectorsShape(InferenceContext& context) {
  for (int i = 0; i < 2; ++i) {
    LEAT_RETURN_IF_ERROR(CheckHandleRank(context, i));
  }
  LEAT_RETURN_IF_ERROR(context.WithRank(2, 0).status());
  for (int i = 0; i < 2; ++i) {
    LEAT_ASSIGN_OR_RETURN(PartialShape shape, UnknownVector());
    context.set_output(i, std::move(shape));
  }
  return absl::OkStatus();
}

constexpr char kContainer[] = "container: string = ''";
constexpr char kSharedName[] = "shared_name: string = ''";

// Adds both forms of an op that makes a reader.
void AddReader(const std::string& name, const FormDocs& docs,
               const std::vector<std::string>& attrs, OpRegistry& registry) {
  AddBothForms({.name = name,
                .outputs = {"reader_handle: Handle"},
                .attrs = attrs,
                .stateful = true,
                .shape = NewHandleShape},
               docs, registry);
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

// Only the second form knows encodings.
void AddFixedLength(OpRegistry& registry) {
  std::vector<std::string> attrs = {
      "header_bytes: int = 0", "record_bytes: int", "footer_bytes: int = 0",
      "hop_bytes: int = 0",    kContainer,          kSharedName};
  registry.Add({.name = "FixedLengthRecordReader",
                .doc = "Returns a reference to a reader of records of the same "
                       "length.",
                .outputs = {"reader_handle: Ref(string)"},
                .attrs = attrs,
                .stateful = true,
                .shape = NewHandleShape},
               {NotFoldable(OnCpu())});
  attrs.push_back("encoding: string = ''");
  registry.Add({.name = "FixedLengthRecordReaderV2",
                .doc = "Returns the handle of a reader of records of the same "
                       "length.",
                .outputs = {"reader_handle: resource"},
                .attrs = std::move(attrs),
                .stateful = true,
                .shape = NewHandleShape},
               {NotFoldable(OnCpu())});
}

void AddReads(OpRegistry& registry) {
  AddBothForms({.name = "ReaderRead",
                .inputs = {"reader_handle: Handle", "queue_handle: Handle"},
                .outputs = {"key: string", "value: string"},
                .shape = ScalarsShape},
               {"Takes a record from a reader, which is a reference.",
                "Takes a record from a reader, as soon as there is one."},
               registry);
  AddBothForms(
      {.name = "ReaderReadUpTo",
       .inputs = {"reader_handle: Handle", "queue_handle: Handle",
                  "num_records: int64"},
       .outputs = {"keys: string", "values: string"},
       .shape = VectorsShape},
      {"Takes up to num_records records from a reader, which is a reference.",
       "Takes up to num_records records from a reader, as soon as there is "
       "one."},
      registry);
}

void AddCounts(OpRegistry& registry) {
  AddBothForms(
      {.name = "ReaderNumRecordsProduced",
       .inputs = {"reader_handle: Handle"},
       .outputs = {"records_produced: int64"},
       .shape = ScalarsShape},
      {"Returns how many records a reader has given out, by its reference.",
       "Returns how many records a reader has given out."},
      registry);
  AddBothForms(
      {.name = "ReaderNumWorkUnitsCompleted",
       .inputs = {"reader_handle: Handle"},
       .outputs = {"units_completed: int64"},
       .shape = ScalarsShape},
      {"Returns how many files a reader has read to the end, by its reference.",
       "Returns how many files a reader has read to the end."},
      registry);
}

void AddStates(OpRegistry& registry) {
  AddBothForms({.name = "ReaderReset",
                .inputs = {"reader_handle: Handle"},
                .shape = ScalarsShape},
               {"Lets a reader, which is a reference, begin anew.",
                "Lets a reader begin anew."},
               registry);
  AddBothForms({.name = "ReaderSerializeState",
                .inputs = {"reader_handle: Handle"},
                .outputs = {"state: string"},
                .shape = ScalarsShape},
               {"Returns the state of a reader, which is a reference.",
                "Returns the state of a reader."},
               registry);
  AddBothForms({.name = "ReaderRestoreState",
                .inputs = {"reader_handle: Handle", "state: string"},
                .shape = ScalarsShape},
               {"Sets the state of a reader, which is a reference.",
                "Sets the state of a reader."},
               registry);
}

}  // namespace

void Register(OpRegistry& registry) {
  AddReaders(registry);
  AddFixedLength(registry);
  AddReads(registry);
  AddCounts(registry);
  AddStates(registry);
}

}  // namespace leat::ops::readers
