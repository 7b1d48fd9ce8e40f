// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that make lookup tables, fill them and look keys up in them.
// Most ops have two forms. In the first form, the handle is a reference to two
// strings: the container and the name. In the second form, V2, the handle is a
// resource. It does not carry the types and shapes of the keys and values.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/partial_shape.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/ops/both_forms.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"

namespace leat::ops::lookup_tables {
namespace {

absl::Status DenseTableShape(InferenceContext& context) {
  for (int i = 0; i < 2; ++i) {
    const PartialShape& key = context.input(i);
    if (key.rank_known() && key.rank() > 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape must be at most rank 1 but is rank ", key.rank()));
    }
  }
  return NewHandleShape(context);
}

// Checks the handle. Infers nothing about the outputs.
absl::Status OnTable(InferenceContext& context) {
  return CheckHandleRank(context, 0);
}

absl::Status SizeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  context.set_output(0, Shape{});
  return absl::OkStatus();
}

absl::Status FindShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  const PartialShape& value = context.input(2);
  if (IsReference(context, 0) && value.rank_known() && value.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Shape must be at most rank 1 but is rank ", value.rank()));
  }
  return absl::OkStatus();
}

absl::Status RemoveShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  return context.WithRankAtLeast(1, 1).status();
}

absl::Status ExportShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  if (!IsReference(context, 0)) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(PartialShape keys, UnknownVector());
  context.set_output(0, std::move(keys));
  return absl::OkStatus();
}

// Checks that the keys are a vector, and that there are as many values.
absl::Status CheckRows(const InferenceContext& context) {
  LEAT_ASSIGN_OR_RETURN(const PartialShape keys, context.WithRank(1, 1));
  LEAT_ASSIGN_OR_RETURN(const PartialShape values,
                        context.WithRankAtLeast(2, 1));
  return MergeExtents(ExtentOf(keys, 0), ExtentOf(values, 0)).status();
}

absl::Status InitializeShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  return CheckRows(context);
}

absl::Status ImportShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  if (IsReference(context, 0)) return absl::OkStatus();
  // The keys of a dense table are a matrix.
  if (context.input(1).rank_known() && context.input(1).rank() > 1) {
    return absl::OkStatus();
  }
  return CheckRows(context);
}

absl::Status InitializeFromFileShape(InferenceContext& context) {
  LEAT_RETURN_IF_ERROR(CheckHandleRank(context, 0));
  return context.WithRank(1, 0).status();
}

// The types of the values that tables with one type of keys may have.
struct Types {
  DType key;
  std::vector<DType> values;
};

std::vector<KernelSignature> Signatures(const std::vector<Types>& types) {
  std::vector<KernelSignature> signatures;
  for (const Types& pair : types) {
    signatures.push_back(NotFoldable(
        OnCpu({{"key_dtype", {pair.key}}, {"value_dtype", pair.values}})));
  }
  return signatures;
}

using enum DType;

std::vector<Types> StaticTypes() {
  return {{kInt32, {kDouble, kFloat, kInt32, kString}},
          {kInt64, {kDouble, kFloat, kInt32, kInt64, kString}},
          {kString, {kBool, kDouble, kFloat, kInt32, kInt64, kString}}};
}

std::vector<Types> TensorsTypes() {
  return {{kInt32, {kDouble, kFloat, kInt32}},
          {kInt64, {kDouble, kFloat, kInt32, kInt64, kString}},
          {kString, {kBool, kDouble, kFloat, kInt32, kInt64}}};
}

std::vector<Types> MutableTypes() {
  std::vector<Types> types = TensorsTypes();
  types[1].values.push_back(kVariant);
  return types;
}

std::vector<Types> DenseTypes() {
  return {{kInt32, {kDouble, kFloat, kInt32}},
          {kInt64, {kBool, kDouble, kFloat, kInt32, kInt64, kVariant}},
          {kString, {kBool, kDouble, kFloat, kInt32, kInt64, kResource}}};
}

std::vector<std::string> TableAttrs(std::vector<std::string> others = {}) {
  std::vector<std::string> attrs = {"container: string = ''",
                                    "shared_name: string = ''",
                                    "use_node_name_sharing: bool = false",
                                    "key_dtype: type", "value_dtype: type"};
  attrs.insert(attrs.end(), others.begin(), others.end());
  return attrs;
}

// Adds both forms of an op that makes a table.
void AddTable(const std::string& name, const FormDocs& docs,
              const std::vector<std::string>& others,
              const std::vector<Types>& types, OpRegistry& registry) {
  AddBothForms({.name = name,
                .outputs = {"table_handle: Handle"},
                .attrs = TableAttrs(others),
                .stateful = true,
                .shape = NewHandleShape},
               docs, registry, Signatures(types));
}

void AddTables(OpRegistry& registry) {
  AddTable("HashTable",
           {"Returns a reference to a table that gets all of its entries at "
            "once.",
            "Returns the handle of a table that gets all of its entries at "
            "once."},
           {}, StaticTypes(), registry);
  AddTable("MutableHashTable",
           {"Returns a reference to a hash table of scalars.",
            "Returns the handle of a hash table of scalars."},
           {}, MutableTypes(), registry);
  AddTable("MutableHashTableOfTensors",
           {"Returns a reference to a hash table of vectors.",
            "Returns the handle of a hash table of vectors."},
           {"value_shape: shape = {}"}, TensorsTypes(), registry);
  registry.Add({.name = "MutableDenseHashTableV2",
                .doc = "Returns the handle of a hash table of open addressing, "
                       "whose keys may be vectors.",
                .inputs = {"empty_key: key_dtype", "deleted_key: key_dtype"},
                .outputs = {"table_handle: resource"},
                .attrs = TableAttrs({"value_shape: shape = {}",
                                     "initial_num_buckets: int = 131072",
                                     "max_load_factor: float = 0.8"}),
                .stateful = true,
                .shape = DenseTableShape},
               Signatures(DenseTypes()));
}

void AddInitializers(OpRegistry& registry) {
  AddBothForms(
      {.name = "InitializeTable",
       .inputs = {"table_handle: Handle", "keys: Tkey", "values: Tval"},
       .attrs = {"Tkey: type", "Tval: type"},
       .shape = InitializeShape},
      {"Gives a table, to which it has a reference, all of its entries.",
       "Gives a table all of its entries."},
      registry);
  AddBothForms({.name = "InitializeTableFromTextFile",
                .inputs = {"table_handle: Handle", "filename: string"},
                .attrs = {"key_index: int >= -2", "value_index: int >= -2",
                          "vocab_size: int >= -1 = -1",
                          "delimiter: string = '\t'", "offset: int = 0"},
                .shape = InitializeFromFileShape},
               {"Gives a table, to which it has a reference, an entry for each "
                "line of a file.",
                "Gives a table an entry for each line of a text file."},
               registry);
}

void AddLookups(OpRegistry& registry) {
  AddBothForms(
      {.name = "LookupTableFind",
       .inputs = {"table_handle: Handle", "keys: Tin", "default_value: Tout"},
       .outputs = {"values: Tout"},
       .attrs = {"Tin: type", "Tout: type"},
       .shape = FindShape},
      {"Looks keys up in a table to which it has a reference.",
       "Looks keys up in a table, where missing keys get a default value."},
      registry);
  AddBothForms(
      {.name = "LookupTableSize",
       .inputs = {"table_handle: Handle"},
       .outputs = {"size: int64"},
       .shape = SizeShape},
      {"Returns the number of entries of a table to which it has a reference.",
       "Returns the number of entries of a table."},
      registry);
  AddBothForms(
      {.name = "LookupTableExport",
       .inputs = {"table_handle: Handle"},
       .outputs = {"keys: Tkeys", "values: Tvalues"},
       .attrs = {"Tkeys: type", "Tvalues: type"},
       .shape = ExportShape},
      {"Returns all keys and values of a table to which it has a reference.",
       "Returns all keys and values of a table."},
      registry);
}

void AddUpdates(OpRegistry& registry) {
  AddBothForms(
      {.name = "LookupTableInsert",
       .inputs = {"table_handle: Handle", "keys: Tin", "values: Tout"},
       .attrs = {"Tin: type", "Tout: type"},
       .shape = OnTable},
      {"Inserts entries into a table to which it has a reference.",
       "Inserts entries into a table, where keys that are there get new "
       "values."},
      registry);
  AddBothForms({.name = "LookupTableImport",
                .inputs = {"table_handle: Handle", "keys: Tin", "values: Tout"},
                .attrs = {"Tin: type", "Tout: type"},
                .shape = ImportShape},
               {"Replaces all entries of a table to which it has a reference.",
                "Replaces all entries of a table."},
               registry);
  registry.Add({.name = "LookupTableRemoveV2",
                .doc = "Removes the entries of some keys from a table.",
                .inputs = {"table_handle: resource", "keys: Tin"},
                .attrs = {"Tin: type"},
                .stateful = true,
                .shape = RemoveShape},
               {NotFoldable(OnCpu())});
}

}  // namespace

void Register(OpRegistry& registry) {
  AddTables(registry);
  AddInitializers(registry);
  AddLookups(registry);
  AddUpdates(registry);
}

}  // namespace leat::ops::lookup_tables
