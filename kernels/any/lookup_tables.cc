// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of the ops on lookup tables. HashTable,
// MutableHashTable, MutableHashTableOfTensors and MutableDenseHashTable make
// tables; the others fill them and look keys up in them. Input 0 of these names
// the table: it is a handle or, in ops without V2, a reference.
#include "leat/kernels/lookup/lookup_table.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/resource_handle.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/both_forms.h"
#include "leat/kernels/handle_output.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/lookup/dense_table.h"
#include "leat/kernels/lookup/mutable_table.h"
#include "leat/kernels/lookup/static_table.h"
#include "leat/kernels/signature.h"
#include "leat/kernels/variable_access.h"

namespace leat::kernels::any::lookup_tables {
namespace {

using TablePtr = std::shared_ptr<LookupTable>;

// Makes a table with these options for the node in `context`.
using NewTable = absl::StatusOr<TablePtr> (*)(const KernelContext& context,
                                              TableOptions options);

// Makes the node's table if there is none of its name, and outputs a handle of
// the table or a reference.
class TableHandle final : public Kernel {
 public:
  TableHandle(ResourceName name, TableOptions options, NewTable make)
      : options_(std::move(options)),
        make_(make),
        handle_(std::move(name), LookupTable::kTypeName) {}

  absl::Status Compute(KernelContext& context) const final {
    const auto& named = handle_.Get(context).scalar<ResourceHandle>();
    ResourceStore& store = *context.step().resources;
    absl::StatusOr<TablePtr> table =
        store.Find<LookupTable>(named.container, named.name);
    if (!table.ok()) {
      // A large table takes long to make, so the store is not locked meanwhile.
      TableOptions options = options_;
      options.name = absl::StrCat(named.container, " ", named.name);
      LEAT_ASSIGN_OR_RETURN(const TablePtr made,
                            make_(context, std::move(options)));
      table = store.FindOrMake<LookupTable>(
          named.container, named.name,
          [&]() -> absl::StatusOr<TablePtr> { return made; });
    }
    LEAT_RETURN_IF_ERROR(table.status());
    LEAT_RETURN_IF_ERROR(CheckTypes((*table)->options(), named.name));
    return handle_.Set(context);
  }

 private:
  absl::Status CheckTypes(const TableOptions& there,
                          absl::string_view name) const {
    if (there.key_dtype == options_.key_dtype &&
        there.value_dtype == options_.value_dtype) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "Conflicting key/value dtypes ", Name(options_.key_dtype), "->",
        Name(options_.value_dtype), " with ", Name(there.key_dtype), "-",
        Name(there.value_dtype), " for table ", name));
  }

  const TableOptions options_;
  const NewTable make_;
  const HandleOutput handle_;
};

absl::StatusOr<ResourceName> GetTableName(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(const bool by_node,
                        node.attrs.GetOr<bool>("use_node_name_sharing", false));
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetPrivateResourceName(node));
  if (by_node) name.is_private = false;
  return name;
}

template <NewTable make>
absl::StatusOr<std::unique_ptr<Kernel>> MakeTable(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(ResourceName name, GetTableName(node));
  TableOptions options;
  LEAT_ASSIGN_OR_RETURN(options.key_dtype, node.attrs.Get<DType>("key_dtype"));
  LEAT_ASSIGN_OR_RETURN(options.value_dtype,
                        node.attrs.Get<DType>("value_dtype"));
  LEAT_ASSIGN_OR_RETURN(
      const PartialShape shape,
      node.attrs.GetOr<PartialShape>("value_shape", PartialShape(Shape{})));
  LEAT_ASSIGN_OR_RETURN(options.value_shape, DeclaredShape(shape));
  return std::unique_ptr<Kernel>(
      std::make_unique<TableHandle>(std::move(name), std::move(options), make));
}

absl::StatusOr<TablePtr> NewStatic(const KernelContext&, TableOptions options) {
  return std::make_shared<StaticTable>(std::move(options));
}

absl::StatusOr<TablePtr> NewMutable(const KernelContext&,
                                    TableOptions options) {
  return std::make_shared<MutableTable>(std::move(options));
}

absl::StatusOr<TablePtr> NewOfTensors(const KernelContext&,
                                      TableOptions options) {
  if (!options.value_shape.IsVector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Default value must be a vector, got shape ",
                     options.value_shape.DebugString()));
  }
  return std::make_shared<MutableTable>(std::move(options));
}

absl::StatusOr<TablePtr> NewDense(const KernelContext& context,
                                  TableOptions options) {
  const NodeDef& node = context.node();
  DenseTableOptions dense{.empty_key = context.input(0),
                          .deleted_key = context.input(1)};
  LEAT_ASSIGN_OR_RETURN(dense.initial_num_buckets,
                        node.attrs.Get<int64_t>("initial_num_buckets"));
  LEAT_ASSIGN_OR_RETURN(dense.max_load_factor,
                        node.attrs.Get<float>("max_load_factor"));
  return DenseTable::New(std::move(options), dense,
                         context.step().device->host_allocator());
}

// Returns the table that input 0 names.
absl::StatusOr<TablePtr> GetTable(const KernelContext& context) {
  return FindResource<LookupTable>(context, 0);
}

absl::Status CheckKeysAndValues(const KernelContext& context,
                                const TableOptions& table) {
  return CheckSignature(context.node(), 1, {table.key_dtype, table.value_dtype},
                        {});
}

absl::Status Find(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TablePtr table, GetTable(context));
  const TableOptions& options = table->options();
  LEAT_RETURN_IF_ERROR(CheckSignature(context.node(), 1,
                                      {options.key_dtype, options.value_dtype},
                                      {options.value_dtype}));
  return table->Find(context, context.input(1), context.input(2));
}

// Calls a function of the table with the keys and values in inputs 1 and 2.
template <auto function>
absl::Status Fill(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TablePtr table, GetTable(context));
  LEAT_RETURN_IF_ERROR(CheckKeysAndValues(context, table->options()));
  return (*table.*function)(context, context.input(1), context.input(2));
}

absl::Status Remove(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TablePtr table, GetTable(context));
  LEAT_RETURN_IF_ERROR(
      CheckSignature(context.node(), 1, {table->options().key_dtype}, {}));
  return table->Remove(context, context.input(1));
}

absl::Status Size(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TablePtr table, GetTable(context));
  LEAT_ASSIGN_OR_RETURN(Tensor* const output,
                        context.AllocateOutput(0, Shape{}));
  output->mutable_data<int64_t>()[0] = table->size();
  return absl::OkStatus();
}

absl::Status Export(KernelContext& context) {
  LEAT_ASSIGN_OR_RETURN(const TablePtr table, GetTable(context));
  const TableOptions& options = table->options();
  LEAT_RETURN_IF_ERROR(CheckSignature(
      context.node(), 1, {}, {options.key_dtype, options.value_dtype}));
  LEAT_ASSIGN_OR_RETURN(TableEntries entries, table->Export(context));
  context.set_output(0, std::move(entries.keys));
  context.set_output(1, std::move(entries.values));
  return absl::OkStatus();
}

}  // namespace

void Register(KernelRegistry& registry) {
  AddBothForms("HashTable", &MakeTable<&NewStatic>, registry);
  AddBothForms("MutableHashTable", &MakeTable<&NewMutable>, registry);
  AddBothForms("MutableHashTableOfTensors", &MakeTable<&NewOfTensors>,
               registry);
  registry.Add("MutableDenseHashTableV2", kCpu, &MakeTable<&NewDense>);
  AddBothForms("InitializeTable",
               &MakeFunction<&Fill<&LookupTable::Initialize>>, registry);
  AddBothForms("LookupTableFind", &MakeFunction<&Find>, registry);
  AddBothForms("LookupTableInsert", &MakeFunction<&Fill<&LookupTable::Insert>>,
               registry);
  AddBothForms("LookupTableImport", &MakeFunction<&Fill<&LookupTable::Import>>,
               registry);
  AddBothForms("LookupTableSize", &MakeFunction<&Size>, registry);
  AddBothForms("LookupTableExport", &MakeFunction<&Export>, registry);
  registry.Add("LookupTableRemoveV2", kCpu, &MakeFunction<&Remove>);
}

}  // namespace leat::kernels::any::lookup_tables
