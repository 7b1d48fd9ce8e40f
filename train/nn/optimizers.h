// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Optimizers: `Operation step = nn::Adam({.learning_rate = 1e-3})
// .Minimize(loss);`. Running the returned operation is one training step. They
// emit TensorFlow's [Resource][Sparse]Apply ops, so that slots and numbers are
// TensorFlow's (tf.compat.v1.train). A learning rate or another number may also
// be an Output, such as a schedule (learning_rate.h). Values; a copy is cheap.
// (The constructors are templates so that `Adam({})` is not ambiguous.)
#ifndef LEAT_TRAIN_NN_OPTIMIZERS_H_
#define LEAT_TRAIN_NN_OPTIMIZERS_H_

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/graph/builder.h"

namespace leat::nn {

struct MinimizeOptions {
  // Empty: all trainable variables that the loss depends on.
  std::vector<Variable> variables = {};
  // Counted up after the updates, such as GlobalStep(b).
  std::optional<Variable> global_step = {};
  std::string name = {};  // "": the optimizer's
  // Else the builder's updates() are left to others.
  bool run_updates = true;
};

struct VariableGradient {
  Variable variable = {};
  Gradient gradient = {};
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Differentiates, updates every variable, runs the builder's updates(). What
  // reads a variable on the way to the loss, a gradient or an update of the
  // builder's runs before the variable changes. Errors (a loss that is no
  // scalar or depends on no variable) go to the builder; so does a call in the
  // body of a Cond or a While, whose own reads nothing would order.
  Operation Minimize(Output loss, MinimizeOptions options = {},
                     SourceLocation location = SourceLocation::Current()) const;

  // The two halves, for programs that change gradients in between. Variables
  // without a gradient are left out. ApplyGradients does not know the loss: a
  // body that reads a variable for the loss only may run after the update.
  std::vector<VariableGradient> ComputeGradients(
      Output loss, absl::Span<const Variable> variables,
      SourceLocation location = SourceLocation::Current()) const;
  Operation ApplyGradients(
      absl::Span<const VariableGradient> gradients,
      const MinimizeOptions& options = {},
      SourceLocation location = SourceLocation::Current()) const;

 protected:
  explicit Optimizer(std::string name) : name_(std::move(name)) {}
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  // A number of the optimizer's, one node for all variables of a dtype.
  struct Number {
    const char* name = "";
    Operand value = 0.0;
  };

  // What the update of one variable may use.
  class Update;

  virtual std::vector<Number> Numbers() const = 0;
  // A variable of the step as a whole: starts as a number and is multiplied by
  // it after every step.
  struct Power {
    const char* name = "";
    const char* number = "";
  };
  virtual std::vector<Power> Powers() const { return {}; }
  virtual Operation Dense(Update& update, Output gradient) const = 0;
  // `rows` has no duplicate indices unless KeepsDuplicates().
  virtual Operation Sparse(Update& update, const IndexedSlices& rows) const = 0;
  virtual bool KeepsDuplicates() const { return false; }

 private:
  using Values = absl::flat_hash_map<std::string, Output>;
  using ValuesByType = absl::flat_hash_map<DType, Values>;

  // FAILED_PRECONDITION at the builder, and false, inside a body.
  bool CheckOutsideBodies(GraphBuilder& b, SourceLocation location) const;
  // `loss` may be invalid.
  Operation Apply(const Output& loss,
                  absl::Span<const VariableGradient> gradients,
                  const MinimizeOptions& options,
                  SourceLocation location) const;
  const Values& ValuesFor(GraphBuilder& b, DType dtype, SourceLocation location,
                          ValuesByType& all) const;
  absl::flat_hash_map<std::string, Variable> MakePowers(
      GraphBuilder& b, absl::Span<const VariableGradient> gradients,
      SourceLocation location) const;
  Operation MultiplyPower(const Variable& power, Output number,
                          SourceLocation location) const;
  // False, with an error at the builder, unless all variables are its own.
  bool CheckVariables(GraphBuilder& b,
                      absl::Span<const VariableGradient> gradients,
                      const MinimizeOptions& options,
                      SourceLocation location) const;
  Operation UpdateOne(Update& update, const Gradient& gradient,
                      SourceLocation location) const;

  std::string name_;
};

struct GradientDescentAttrs {
  Operand learning_rate = 0.01;
};
class GradientDescent : public Optimizer {
 public:
  GradientDescent() : GradientDescent(GradientDescentAttrs()) {}
  template <std::same_as<GradientDescentAttrs> Attrs = GradientDescentAttrs>
  explicit GradientDescent(Attrs attrs)
      : Optimizer("GradientDescent"), attrs_(std::move(attrs)) {}

 private:
  std::vector<Number> Numbers() const override;
  Operation Dense(Update& update, Output gradient) const override;
  Operation Sparse(Update& update, const IndexedSlices& rows) const override;
  bool KeepsDuplicates() const override { return true; }

  GradientDescentAttrs attrs_;
};

struct MomentumAttrs {
  Operand learning_rate = 0.01;
  Operand momentum = 0.9;
  bool nesterov = false;
};
class Momentum : public Optimizer {
 public:
  Momentum() : Momentum(MomentumAttrs()) {}
  template <std::same_as<MomentumAttrs> Attrs = MomentumAttrs>
  explicit Momentum(Attrs attrs)
      : Optimizer("Momentum"), attrs_(std::move(attrs)) {}

 private:
  std::vector<Number> Numbers() const override;
  Operation Dense(Update& update, Output gradient) const override;
  Operation Sparse(Update& update, const IndexedSlices& rows) const override;

  MomentumAttrs attrs_;
};

struct AdagradAttrs {
  Operand learning_rate = 0.01;
  double initial_accumulator = 0.1;
};
class Adagrad : public Optimizer {
 public:
  Adagrad() : Adagrad(AdagradAttrs()) {}
  template <std::same_as<AdagradAttrs> Attrs = AdagradAttrs>
  explicit Adagrad(Attrs attrs)
      : Optimizer("Adagrad"), attrs_(std::move(attrs)) {}

 private:
  std::vector<Number> Numbers() const override;
  Operation Dense(Update& update, Output gradient) const override;
  Operation Sparse(Update& update, const IndexedSlices& rows) const override;

  AdagradAttrs attrs_;
};

// The centered form updates sparse rows by several nodes, for want of an op.
struct RMSPropAttrs {
  Operand learning_rate = 0.001;
  Operand decay = 0.9;
  Operand momentum = 0.0;
  Operand epsilon = 1e-10;
  bool centered = false;
};
class RMSProp : public Optimizer {
 public:
  RMSProp() : RMSProp(RMSPropAttrs()) {}
  template <std::same_as<RMSPropAttrs> Attrs = RMSPropAttrs>
  explicit RMSProp(Attrs attrs)
      : Optimizer("RMSProp"), attrs_(std::move(attrs)) {}

 private:
  std::vector<Number> Numbers() const override;
  Operation Dense(Update& update, Output gradient) const override;
  Operation Sparse(Update& update, const IndexedSlices& rows) const override;
  Operation SparseCentered(Update& update, const IndexedSlices& rows) const;

  RMSPropAttrs attrs_;
};

struct AdamAttrs {
  Operand learning_rate = 0.001;
  Operand beta1 = 0.9;
  Operand beta2 = 0.999;
  Operand epsilon = 1e-8;
};
class Adam : public Optimizer {
 public:
  Adam() : Adam(AdamAttrs()) {}
  template <std::same_as<AdamAttrs> Attrs = AdamAttrs>
  explicit Adam(Attrs attrs) : Optimizer("Adam"), attrs_(std::move(attrs)) {}

 private:
  std::vector<Number> Numbers() const override;
  std::vector<Power> Powers() const override;
  Operation Dense(Update& update, Output gradient) const override;
  Operation Sparse(Update& update, const IndexedSlices& rows) const override;

  AdamAttrs attrs_;
};

}  // namespace leat::nn

#endif  // LEAT_TRAIN_NN_OPTIMIZERS_H_
