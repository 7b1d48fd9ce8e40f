// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/train/nn/optimizers.h"

#include "leat/graph/ops.h"
#include "leat/train/nn/optimizer_update.h"

namespace leat::nn {

// ---- GradientDescent: w -= rate * g ----

std::vector<Optimizer::Number> GradientDescent::Numbers() const {
  return {{.name = "learning_rate", .value = attrs_.learning_rate}};
}

Operation GradientDescent::Dense(Update& update, Output gradient) const {
  return update.Apply("ApplyGradientDescent", {{update.variable()}},
                      {update.value("learning_rate"), gradient});
}

Operation GradientDescent::Sparse(Update& update,
                                  const IndexedSlices& rows) const {
  const Output change = rows.values * update.value("learning_rate");
  if (!update.is_resource()) {
    return op::ScatterSub(update.variable().handle(), rows.indices, change)
        .operation();
  }
  return op::ResourceScatterAdd(update.variable().handle(), rows.indices,
                                -change);
}

// ---- Momentum: a = momentum * a + g; w -= rate * a ----

std::vector<Optimizer::Number> Momentum::Numbers() const {
  return {{.name = "learning_rate", .value = attrs_.learning_rate},
          {.name = "momentum", .value = attrs_.momentum}};
}

Operation Momentum::Dense(Update& update, Output gradient) const {
  const Variable accumulator = update.Slot(Zeros());
  return update.Apply(
      "ApplyMomentum", {{update.variable(), accumulator}},
      {update.value("learning_rate"), gradient, update.value("momentum")},
      {{"use_nesterov", attrs_.nesterov}});
}

Operation Momentum::Sparse(Update& update, const IndexedSlices& rows) const {
  const Variable accumulator = update.Slot(Zeros());
  return update.Apply("SparseApplyMomentum", {{update.variable(), accumulator}},
                      {update.value("learning_rate"), rows.values, rows.indices,
                       update.value("momentum")},
                      {{"use_nesterov", attrs_.nesterov}});
}

// ---- Adagrad (Duchi et al. 2011): a += g^2; w -= rate * g / sqrt(a) ----

std::vector<Optimizer::Number> Adagrad::Numbers() const {
  return {{.name = "learning_rate", .value = attrs_.learning_rate}};
}

Operation Adagrad::Dense(Update& update, Output gradient) const {
  const Variable accumulator =
      update.Slot(Constant(attrs_.initial_accumulator));
  return update.Apply("ApplyAdagrad", {{update.variable(), accumulator}},
                      {update.value("learning_rate"), gradient});
}

Operation Adagrad::Sparse(Update& update, const IndexedSlices& rows) const {
  const Variable accumulator =
      update.Slot(Constant(attrs_.initial_accumulator));
  return update.Apply(
      "SparseApplyAdagrad", {{update.variable(), accumulator}},
      {update.value("learning_rate"), rows.values, rows.indices});
}

// ---- RMSProp (Hinton 2012; centered: Graves 2013) ----

std::vector<Optimizer::Number> RMSProp::Numbers() const {
  return {{.name = "learning_rate", .value = attrs_.learning_rate},
          {.name = "decay", .value = attrs_.decay},
          {.name = "momentum", .value = attrs_.momentum},
          {.name = "epsilon", .value = attrs_.epsilon}};
}

Operation RMSProp::Dense(Update& update, Output gradient) const {
  const Variable squares = update.Slot(Ones());
  std::vector<Variable> variables = {update.variable(), squares};
  // The op takes the mean gradient before the mean square.
  if (attrs_.centered) {
    variables.insert(variables.begin() + 1, update.Slot(Zeros()));
  }
  variables.push_back(update.Slot(Zeros()));
  return update.Apply(
      attrs_.centered ? "ApplyCenteredRMSProp" : "ApplyRMSProp", variables,
      {update.value("learning_rate"), update.value("decay"),
       update.value("momentum"), update.value("epsilon"), gradient});
}

Operation RMSProp::Sparse(Update& update, const IndexedSlices& rows) const {
  if (attrs_.centered) return SparseCentered(update, rows);
  const Variable squares = update.Slot(Ones());
  const Variable momentum = update.Slot(Zeros());
  return update.Apply("SparseApplyRMSProp",
                      {{update.variable(), squares, momentum}},
                      {update.value("learning_rate"), update.value("decay"),
                       update.value("momentum"), update.value("epsilon"),
                       rows.values, rows.indices});
}

// Does what TensorFlow's op SparseApplyCenteredRMSProp does. Leat does not have
// that op.
Operation RMSProp::SparseCentered(Update& update,
                                  const IndexedSlices& rows) const {
  const Variable squares = update.Slot(Ones());
  const Variable means = update.Slot(Zeros());
  const Variable momentum = update.Slot(Zeros());
  const Output decay = update.value("decay");
  const auto average = [&](const Variable& slot, Output values) {
    return update.Rows(slot, rows.indices) * decay + values * (1 - decay);
  };
  const Output square = average(squares, op::Square(rows.values));
  const Output mean = average(means, rows.values);
  const Output deviation =
      op::Sqrt(square - op::Square(mean) + update.value("epsilon"));
  const Output change =
      update.Rows(momentum, rows.indices) * update.value("momentum") +
      update.value("learning_rate") * rows.values / deviation;
  const Operation slots[] = {update.SetRows(squares, rows.indices, square),
                             update.SetRows(means, rows.indices, mean),
                             update.SetRows(momentum, rows.indices, change)};
  Scope after = update.builder().ControlDependencies(slots);
  return update.SubtractRows(update.variable(), rows.indices, change);
}

// ---- Adam (Kingma and Ba 2015) ----

std::vector<Optimizer::Number> Adam::Numbers() const {
  return {{.name = "learning_rate", .value = attrs_.learning_rate},
          {.name = "beta1", .value = attrs_.beta1},
          {.name = "beta2", .value = attrs_.beta2},
          {.name = "epsilon", .value = attrs_.epsilon}};
}

std::vector<Optimizer::Power> Adam::Powers() const {
  return {{.name = "beta1_power", .number = "beta1"},
          {.name = "beta2_power", .number = "beta2"}};
}

Operation Adam::Dense(Update& update, Output gradient) const {
  const Variable m = update.Slot(Zeros());
  const Variable v = update.Slot(Zeros());
  return update.Apply(
      "ApplyAdam", {{update.variable(), m, v}},
      {update.value("beta1_power"), update.value("beta2_power"),
       update.value("learning_rate"), update.value("beta1"),
       update.value("beta2"), update.value("epsilon"), gradient});
}

// The moments of all rows decay, as in TensorFlow, so every row of the variable
// changes.
Operation Adam::Sparse(Update& update, const IndexedSlices& rows) const {
  const Variable m = update.Slot(Zeros());
  const Variable v = update.Slot(Zeros());
  const Output beta1 = update.value("beta1");
  const Output beta2 = update.value("beta2");
  const Output rate = update.value("learning_rate") *
                      op::Sqrt(1 - update.value("beta2_power")) /
                      (1 - update.value("beta1_power"));
  const auto moment = [&](const Variable& slot, Output beta, Output values) {
    const Output decayed = update.Assigned(slot, slot.value() * beta);
    const Operation operations[] = {decayed.operation()};
    Scope after = update.builder().ControlDependencies(operations);
    return update.RowsAdded(slot, {.values = values * (1 - beta),
                                   .indices = rows.indices,
                                   .dense_shape = rows.dense_shape});
  };
  const Output first = moment(m, beta1, rows.values);
  const Output second = moment(v, beta2, op::Square(rows.values));
  return update.Subtract(
      update.variable(),
      rate * first / (op::Sqrt(second) + update.value("epsilon")));
}

}  // namespace leat::nn
