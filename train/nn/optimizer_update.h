// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Optimizer::Update: what an optimizer needs to update one variable. Private to
// the optimizers.
#ifndef LEAT_TRAIN_NN_OPTIMIZER_UPDATE_H_
#define LEAT_TRAIN_NN_OPTIMIZER_UPDATE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/optimizers.h"

namespace leat::nn {

class Optimizer::Update {
 public:
  // `values` and `powers` belong to the step and outlive this.
  Update(GraphBuilder& builder, Variable variable, std::string slot_name,
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
  const Variable& variable() const { return variable_; }
  bool is_resource() const { return variable_.is_resource(); }

  // A number or a power's value, of the variable's dtype.
  Output value(absl::string_view name) const;
  // A new variable like this one, "<variable>/<optimizer>", beside it.
  Variable Slot(const Initializer& initial_value);

  // Adds the op for resource or reference variables: "Resource" + op, or op.
  // `variables` are the first inputs, then `inputs`.
  Operation Apply(absl::string_view op, absl::Span<const Variable> variables,
                  std::vector<OpInput> inputs, AttrMap attrs = {}) const;
  // Assigns to a variable, or adds to its rows, and then reads it.
  Output Assigned(const Variable& variable, Output value) const;
  Output RowsAdded(const Variable& variable, const IndexedSlices& rows) const;
  Operation Subtract(const Variable& variable, Output value) const;
  // Some rows of a variable, by unique indices: read, set, subtracted from.
  Output Rows(const Variable& variable, Output indices) const;
  Operation SetRows(const Variable& variable, Output indices,
                    Output rows) const;
  Operation SubtractRows(const Variable& variable, Output indices,
                         Output rows) const;

 private:
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
