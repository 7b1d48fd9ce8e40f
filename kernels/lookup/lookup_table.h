// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LookupTable maps keys to values. It is the resource behind all of
// TensorFlow's tables: HashTable, which gets all entries at once,
// MutableHashTable and MutableHashTableOfTensors, and MutableDenseHashTable.
#ifndef LEAT_KERNELS_LOOKUP_LOOKUP_TABLE_H_
#define LEAT_KERNELS_LOOKUP_LOOKUP_TABLE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/tensor.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/resource_store.h"

namespace leat::kernels {

// Says what a table maps to what. Is a value type.
struct TableOptions {
  std::string name = {};  // container and name, for messages
  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  Shape key_shape = {};
  Shape value_shape = {};
};

// The keys and values of a table, one row for each entry.
struct TableEntries {
  Tensor keys = {};
  Tensor values = {};
};

// Is thread-safe. The functions get tensors of the table's dtypes and check
// their shapes; errors have TensorFlow's texts. They take memory from the
// context's device, which must outlive the table.
class LookupTable : public Resource {
 public:
  static constexpr char kTypeName[] = "N10tensorflow6lookup15LookupInterfaceE";

  const TableOptions& options() const { return options_; }

  // Returns the number of keys.
  virtual int64_t size() const = 0;

  // Sets output 0 to the values of `keys`. A key that is not in the table gets
  // `default_value`, which is one value or one for each key.
  virtual absl::Status Find(KernelContext& context, const Tensor& keys,
                            const Tensor& default_value) const = 0;
  // Gives the table all of its entries. Returns INVALID_ARGUMENT if the table
  // is not filled in this way.
  virtual absl::Status Initialize(KernelContext& context, const Tensor& keys,
                                  const Tensor& values);
  virtual bool IsInitialized() const { return true; }
  // Adds entries. A key that is in the table gets the new value.
  virtual absl::Status Insert(KernelContext& context, const Tensor& keys,
                              const Tensor& values) = 0;
  // Removes the entries of `keys`. Ignores keys that are not in the table.
  virtual absl::Status Remove(KernelContext& context, const Tensor& keys) = 0;
  // Returns all entries.
  virtual absl::StatusOr<TableEntries> Export(KernelContext& context) const = 0;
  // Replaces all entries by those that Export has returned.
  virtual absl::Status Import(KernelContext& context, const Tensor& keys,
                              const Tensor& values) = 0;

  std::string DebugString() const final;

 protected:
  explicit LookupTable(TableOptions options) : options_(std::move(options)) {}

  // Returns the shape of the values of `keys`. Fails if the shape of the keys
  // does not end with the table's shape of keys.
  absl::StatusOr<Shape> ShapeOfValues(const Shape& keys) const;
  // Checks that `values` has a value for each key.
  absl::Status CheckEntries(const Tensor& keys, const Tensor& values) const;
  // Checks that `default_value` is one value, or has the shape `all`.
  absl::Status CheckDefault(const Tensor& default_value,
                            const Shape& all) const;

 private:
  const TableOptions options_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_LOOKUP_LOOKUP_TABLE_H_
