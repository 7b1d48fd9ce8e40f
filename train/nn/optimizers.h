// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Optimizers add the nodes of a training step to a graph.
//
//   Output loss = nn::SparseSoftmaxCrossEntropy(labels, logits);
//   Operation step = nn::Adam({.learning_rate = 1e-3}).Minimize(loss);
//   absl::Status status =  // one training step
//       session->Run({.feeds = feeds, .targets = {step}}).status();
//
// They emit TensorFlow's [Resource][Sparse]Apply ops, so their slots and
// results are those of tf.compat.v1.train. A learning rate or another number
// may also be an Output, such as a schedule (learning_rate.h).
//
// A program can also call the two halves of Minimize, and change the gradients
// in between:
//
//   const nn::Momentum momentum({.learning_rate = 0.1, .momentum = 0.9});
//   std::vector<nn::VariableGradient> gradients =
//       momentum.ComputeGradients(loss, b.TrainableVariables());
//   for (nn::VariableGradient& each : gradients) {
//     each.gradient = op::Maximum(op::Minimum(each.gradient.AsDense(), 1), -1);
//   }
//   Operation clipped = momentum.ApplyGradients(gradients);
#ifndef LEAT_TRAIN_NN_OPTIMIZERS_H_
#define LEAT_TRAIN_NN_OPTIMIZERS_H_

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"

namespace leat::nn {

class OptimizerUpdate;

// Holds the options of Minimize and ApplyGradients.
struct MinimizeOptions {
  // Holds the variables to update. Empty stands for all trainable variables on
  // which the loss depends.
  std::vector<Variable> variables = {};
  // Is a variable to which each step adds one after the updates, such as
  // GlobalStep(b).
  std::optional<Variable> global_step = {};
  // Is the name of the step. If it is empty, the step has the optimizer's name.
  std::string name = {};
  // If true, the step also runs the builder's updates(), such as those of
  // moving averages. If false, the caller must run them.
  bool run_updates = true;
};

// Describes a variable and the gradient of the loss with respect to it.
struct VariableGradient {
  Variable variable = {};
  Gradient gradient = {};
};

// Is the base class of all optimizers. An optimizer is an immutable value: it
// may be copied cheaply and used for several losses and builders. Each call
// adds its own slots. Calls that use the same builder must not overlap.
//
// (The constructors of the derived classes are templates so that `Adam({})` is
// not ambiguous.)
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Returns an operation that runs one training step: it computes the gradients
  // of `loss`, updates every variable and runs the builder's updates(). A node
  // that reads a variable in order to compute the loss, a gradient or one of
  // the builder's updates() runs before that variable changes.
  //
  // Errors go to the builder. The loss must be a scalar and depend on at least
  // one of the variables. Minimize must not be called in the body of a Cond or
  // a While, because nothing would order the reads of variables in the body
  // before the update.
  Operation Minimize(Output loss, MinimizeOptions options = {},
                     SourceLocation location = SourceLocation::Current()) const;

  // The two functions below are the halves of Minimize, for programs that
  // change gradients in between. ComputeGradients leaves out variables that
  // have no gradient. ApplyGradients does not know the loss, so a body (of a
  // Cond or a While) that reads a variable only for the loss may run after the
  // update.
  std::vector<VariableGradient> ComputeGradients(
      Output loss, absl::Span<const Variable> variables,
      SourceLocation location = SourceLocation::Current()) const;
  Operation ApplyGradients(
      absl::Span<const VariableGradient> gradients,
      const MinimizeOptions& options = {},
      SourceLocation location = SourceLocation::Current()) const;

 protected:
  // `name` is the default name of steps and of slots.
  explicit Optimizer(std::string name) : name_(std::move(name)) {}
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;

  // Describes a number of the optimizer, such as its learning rate. It becomes
  // one node for all variables of a dtype.
  struct Number {
    const char* name = "";
    Operand value = 0.0;
  };

  // Is the object through which Dense and Sparse add the nodes that update one
  // variable (optimizer_update.h).
  using Update = OptimizerUpdate;

  // Returns the numbers that Dense and Sparse read by name.
  virtual std::vector<Number> Numbers() const = 0;
  // Describes a variable that belongs to the step as a whole, such as Adam's
  // beta1^t. The variable starts as the number named `number`, and is
  // multiplied by that number after every step.
  struct Power {
    const char* name = "";
    const char* number = "";
  };
  virtual std::vector<Power> Powers() const { return {}; }
  // Adds the nodes that update a variable with a dense gradient, and returns
  // the last one.
  virtual Operation Dense(Update& update, Output gradient) const = 0;
  // Does the same for a sparse gradient. `rows` has no duplicate indices,
  // unless KeepsDuplicates() returns true.
  virtual Operation Sparse(Update& update, const IndexedSlices& rows) const = 0;
  // Returns true if Sparse adds up rows with equal indices itself.
  virtual bool KeepsDuplicates() const { return false; }

 private:
  // Values maps the name of each number to its node. ValuesByType maps each
  // dtype to its Values.
  using Values = absl::flat_hash_map<std::string, Output>;
  using ValuesByType = absl::flat_hash_map<DType, Values>;

  // Returns true outside of all bodies (of a Cond or a While). Inside of a
  // body, returns false and reports FAILED_PRECONDITION to the builder.
  bool CheckOutsideBodies(GraphBuilder& b, SourceLocation location) const;
  // Does what ApplyGradients does. Minimize also passes the loss, so that
  // bodies that read variables for the loss run before the update.
  // ApplyGradients does not know the loss and passes an invalid Output.
  Operation Apply(const Output& loss,
                  absl::Span<const VariableGradient> gradients,
                  const MinimizeOptions& options,
                  SourceLocation location) const;
  // Returns the nodes of the numbers for a dtype. The nodes are made at first
  // use and kept in `all`.
  const Values& ValuesFor(GraphBuilder& b, DType dtype, SourceLocation location,
                          ValuesByType& all) const;
  // Adds the variables of Powers().
  absl::flat_hash_map<std::string, Variable> MakePowers(
      GraphBuilder& b, absl::Span<const VariableGradient> gradients,
      SourceLocation location) const;
  // Multiplies the variable `power` by `number`.
  Operation MultiplyPower(const Variable& power, Output number,
                          SourceLocation location) const;
  // Returns true if all variables belong to `b`. Otherwise reports an error to
  // `b` and returns false.
  bool CheckVariables(GraphBuilder& b,
                      absl::Span<const VariableGradient> gradients,
                      const MinimizeOptions& options,
                      SourceLocation location) const;
  // Calls Dense or Sparse, after adding up duplicate rows if necessary.
  Operation UpdateOne(Update& update, const Gradient& gradient,
                      SourceLocation location) const;

  std::string name_;
};

// Holds the attributes of GradientDescent. Numbers of optimizers have no unit,
// and each may be a scalar Output of a floating-point type.
struct GradientDescentAttrs {
  Operand learning_rate = 0.01;
};
// Does gradient descent:
//
//   w -= learning_rate * g
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

// Holds the attributes of Momentum.
struct MomentumAttrs {
  Operand learning_rate = 0.01;
  Operand momentum = 0.9;
  bool nesterov = false;
};
// Does gradient descent with a velocity `a`, which is initially 0:
//
//   a = momentum * a + g
//   w -= learning_rate * a
//
// With `nesterov`, w is changed by learning_rate * (g + momentum * a) instead
// (Sutskever et al. 2013).
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

// Holds the attributes of Adagrad. The accumulator starts above 0, because the
// update divides by its root.
struct AdagradAttrs {
  Operand learning_rate = 0.01;
  double initial_accumulator = 0.1;
};
// Gives each element its own learning rate, which falls as the gradients of the
// element add up (Duchi et al. 2011). `a` is initially `initial_accumulator`:
//
//   a += g^2
//   w -= learning_rate * g / sqrt(a)
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

// Holds the attributes of RMSProp. `decay` says how much of the mean square
// stays in each step. `momentum` says how much of the last update stays.
// `epsilon` keeps the root above 0.
struct RMSPropAttrs {
  Operand learning_rate = 0.001;
  Operand decay = 0.9;
  Operand momentum = 0.0;
  Operand epsilon = 1e-10;
  bool centered = false;
};
// Divides gradients by a moving root mean square (Hinton 2012). `s` is
// initially 1 and `m` is initially 0:
//
//   s = decay * s + (1 - decay) * g^2
//   m = momentum * m + learning_rate * g / sqrt(s + epsilon)
//   w -= m
//
// The centered form (Graves 2013) subtracts the square of a moving mean of g
// from s under the root. The centered form updates sparse rows with several
// nodes, because there is no op for such updates.
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

// Holds the attributes of Adam. `beta1` and `beta2` say how much of the moving
// means stays in each step; `epsilon` keeps the divisor above 0.
struct AdamAttrs {
  Operand learning_rate = 0.001;
  Operand beta1 = 0.9;
  Operand beta2 = 0.999;
  Operand epsilon = 1e-8;
};
// Uses moving means of g and g^2, corrected for their start at 0 (Kingma and Ba
// 2015, in the form before its section 2.1). In step t:
//
//   m = beta1 * m + (1 - beta1) * g
//   v = beta2 * v + (1 - beta2) * g^2
//   rate = learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t)
//   w -= rate * m / (sqrt(v) + epsilon)
//
// As in TensorFlow, a sparse gradient decays the moments of all rows, so every
// row changes.
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
