// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// OptimizerUpdate is what an optimizer needs in order to update one variable.
// Only the optimizers use it.
#ifndef LEAT_TRAIN_NN_OPTIMIZER_UPDATE_H_
#define LEAT_TRAIN_NN_OPTIMIZER_UPDATE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/train/nn/initializers.h"

namespace leat::nn {

// Is not thread-safe. An OptimizerUpdate lives only while one update is built.
class OptimizerUpdate {
 public:
  // `builder`, `values` and `powers` are borrowed and must outlive the
  // OptimizerUpdate. `values` maps the names of the optimizer's numbers to
  // their nodes, and `powers` maps the names of its powers to their variables.
  // `slot_name` is the name of the optimizer.
  OptimizerUpdate(GraphBuilder& builder, Variable variable,
                  std::string slot_name,
                  const absl::flat_hash_map<std::string, Output>& values,
                  const absl::flat_hash_map<std::string, Variable>& powers,
                  SourceLocation location)
      : builder_(builder),
        variable_(std::move(variable)),
        slot_name_(std::move(slot_name)),
        values_(values),
        powers_(powers),
        location_(location) {}

  GraphBuilder& builder() const { return builder_; }
  // Returns the variable to update.
  const Variable& variable() const { return variable_; }
  bool is_resource() const { return variable_.is_resource(); }

  // Returns a number of the optimizer, or the value of a power, in the dtype of
  // the variable. Returns an invalid Output if there is no such name.
  Output value(absl::string_view name) const;
  // Adds a slot: a variable named "<variable>/<optimizer>" that has the shape,
  // dtype, kind and device of variable(). Reports an error to the builder if
  // the shape is not fully known.
  Variable Slot(const Initializer& initial_value);

  // Adds the op that updates the variable: `op` for a reference variable,
  // "Resource" + `op` for a resource variable. The inputs are the handles of
  // `variables` and then `inputs`.
  Operation Apply(absl::string_view op, absl::Span<const Variable> variables,
                  std::vector<OpInput> inputs, AttrMap attrs = {}) const;
  // Assigns `value` to a variable, and returns the value that the variable has
  // after that.
  Output Assigned(const Variable& variable, Output value) const;
  // Adds `rows` to rows of a variable, and returns the value that the variable
  // has after that.
  Output RowsAdded(const Variable& variable, const IndexedSlices& rows) const;
  // Subtracts `value` from a variable.
  Operation Subtract(const Variable& variable, Output value) const;
  // Rows reads the rows of a variable with the given indices. SetRows sets
  // these rows, and SubtractRows subtracts from them. The indices must be
  // unique.
  Output Rows(const Variable& variable, Output indices) const;
  Operation SetRows(const Variable& variable, Output indices,
                    Output rows) const;
  Operation SubtractRows(const Variable& variable, Output indices,
                         Output rows) const;

 private:
  // Returns a read of the variable that runs after `change`.
  Output ReadAfter(const Variable& variable, Operation change) const;

  GraphBuilder& builder_;
  Variable variable_;
  std::string slot_name_;
  const absl::flat_hash_map<std::string, Output>& values_;
  const absl::flat_hash_map<std::string, Variable>& powers_;
  SourceLocation location_;
};

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_OPTIMIZER_UPDATE_H_
