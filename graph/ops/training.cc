// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the ops that apply one step of an optimizer, in place, to a variable
// and its slots. Most optimizers have four ops. For Momentum these are
// ApplyMomentum and SparseApplyMomentum, and ResourceApplyMomentum and
// ResourceSparseApplyMomentum, whose variables are resource handles. The sparse
// ops update some rows.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/dtype_list.h"
#include "leat/core/status_macros.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/graph/shape_inference.h"
#include "leat/graph/work_functions.h"

namespace leat::ops::training {
namespace {

// Checks that the variable, its slots and the gradient have the same shape, and
// that all other inputs are scalars. Gives output 0 the shape of the variable.
absl::Status ApplyShape(InferenceContext& context) {
  const std::vector<ArgDef>& args = context.op().inputs;
  PartialShape merged;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = args[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DType::kResource) {
      LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, VariableShapeOf(context, i)));
    } else if (arg.name == "grad" || arg.name == "delta") {
      LEAT_ASSIGN_OR_RETURN(merged, Merge(merged, context.input(i)));
    } else {
      LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
    }
  }
  context.set_output(0, std::move(merged));
  return absl::OkStatus();
}

// Checks that the gradient has one row per index, and that its rows have the
// shape of the variable's rows.
absl::Status CheckRows(const PartialShape& variable,
                       const PartialShape& gradient,
                       const PartialShape& indices) {
  if (variable.rank_known() && variable.rank() == 0) {
    return absl::InvalidArgumentError(
        "Shape must be at least rank 1 but is rank 0");
  }
  LEAT_ASSIGN_OR_RETURN(const PartialShape expected,
                        ConcatenateShapes(indices, Subshape(variable, 1)));
  return Merge(expected, gradient).status();
}

absl::Status ApplyRowsShape(InferenceContext& context) {
  const std::vector<ArgDef>& args = context.op().inputs;
  PartialShape variable;
  PartialShape gradient;
  PartialShape indices;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = args[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DType::kResource) {
      LEAT_ASSIGN_OR_RETURN(variable,
                            Merge(variable, VariableShapeOf(context, i)));
    } else if (arg.name == "grad") {
      LEAT_ASSIGN_OR_RETURN(gradient, context.WithRankAtLeast(i, 1));
    } else if (arg.name == "indices") {
      LEAT_ASSIGN_OR_RETURN(indices, context.WithRank(i, 1));
    } else {
      LEAT_RETURN_IF_ERROR(context.WithRank(i, 0).status());
    }
  }
  LEAT_RETURN_IF_ERROR(CheckRows(variable, gradient, indices));
  context.set_output(0, std::move(variable));
  return absl::OkStatus();
}

// Reads the gradient and updates the variable and its slots, with `kFlops`
// operations for each element of the gradient. So it does not matter how large
// the variable is of which some rows are updated.
template <int kFlops>
Work ApplyWork(const WorkContext& context) {
  Work work;
  double variables = 0;
  double touched = 0;  // bytes
  int i = 0;
  for (const ArgDef& arg : context.op().inputs) {
    const TensorSpec& input = context.input(i++);
    if (arg.is_ref || arg.type == DType::kResource) {
      ++variables;
    } else if (arg.name == "grad" || arg.name == "delta") {
      touched = input.num_bytes();
      work.flops = kFlops * FlopsOf(input);
      work.bytes_read += touched;
    } else if (arg.name == "indices") {
      work.bytes_read += input.num_bytes();
    }
  }
  work.bytes_read += variables * touched;
  work.bytes_written = variables * touched;
  return work;
}

// Describes the ops of an optimizer.
struct Optimizer {
  std::string name;                    // "Momentum" stands for ApplyMomentum
  std::string step;                    // what a step does, for the docs
  std::vector<std::string> variables;  // the first inputs
  std::vector<std::string> inputs;     // the other inputs of the dense ops
  WorkFunction work;
  std::vector<std::string> attrs = {};
  std::vector<DType> types = kFloatsAndComplexes.dtypes();  // of CPU kernels
  bool has_sparse_ops = true;
  bool has_reference_ops = true;
  bool dense_on_gpu = false;
  bool sparse_on_gpu = false;
};

std::vector<Optimizer> DescentOptimizers() {
  return {
      {.name = "GradientDescent",
       .step = "gradient descent",
       .variables = {"var"},
       .inputs = {"alpha", "delta"},
       .work = ApplyWork<2>,
       .has_sparse_ops = false,
       .dense_on_gpu = true},
      {.name = "Momentum",
       .step = "gradient descent with momentum",
       .variables = {"var", "accum"},
       .inputs = {"lr", "grad", "momentum"},
       .work = ApplyWork<4>,
       .attrs = {"use_nesterov: bool = false"},
       .dense_on_gpu = true,
       .sparse_on_gpu = true},
      {.name = "KerasMomentum",
       .step = "gradient descent with the momentum of Keras",
       .variables = {"var", "accum"},
       .inputs = {"lr", "grad", "momentum"},
       .work = ApplyWork<4>,
       .attrs = {"use_nesterov: bool = false"},
       .has_reference_ops = false},
      {.name = "AddSign",
       .step = "AddSign",
       .variables = {"var", "m"},
       .inputs = {"lr", "alpha", "sign_decay", "beta", "grad"},
       .work = ApplyWork<10>,
       .types = kFloats.dtypes(),
       .has_sparse_ops = false},
      {.name = "PowerSign",
       .step = "PowerSign",
       .variables = {"var", "m"},
       .inputs = {"lr", "logbase", "sign_decay", "beta", "grad"},
       .work = ApplyWork<25>,
       .types = kFloats.dtypes(),
       .has_sparse_ops = false},
  };
}

// These optimizers draw the variable to zero by the strengths l1 and l2.
std::vector<Optimizer> RegularizedOptimizers() {
  return {
      {.name = "ProximalGradientDescent",
       .step = "proximal gradient descent",
       .variables = {"var"},
       .inputs = {"alpha", "l1", "l2", "delta"},
       .work = ApplyWork<8>,
       .types = kFloats.dtypes()},
      {.name = "ProximalAdagrad",
       .step = "proximal Adagrad",
       .variables = {"var", "accum"},
       .inputs = {"lr", "l1", "l2", "grad"},
       .work = ApplyWork<12>,
       .types = kFloats.dtypes()},
      {.name = "AdagradDA",
       .step = "Adagrad with dual averaging",
       .variables = {"var", "gradient_accumulator",
                     "gradient_squared_accumulator"},
       .inputs = {"grad", "lr", "l1", "l2", "global_step: int64"},
       .work = ApplyWork<12>,
       .types = kFloats.dtypes()},
      {.name = "Ftrl",
       .step = "FTRL",
       .variables = {"var", "accum", "linear"},
       .inputs = {"grad", "lr", "l1", "l2", "lr_power"},
       .work = ApplyWork<20>,
       .attrs = {"multiply_linear_by_lr: bool = false"},
       .types = kFloats.dtypes()},
      {.name = "FtrlV2",
       .step = "FTRL with shrinkage",
       .variables = {"var", "accum", "linear"},
       .inputs = {"grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"},
       .work = ApplyWork<24>,
       .attrs = {"multiply_linear_by_lr: bool = false"},
       .types = kFloats.dtypes()},
  };
}

std::vector<Optimizer> AdamOptimizers() {
  return {
      {.name = "Adam",
       .step = "Adam",
       .variables = {"var", "m", "v"},
       .inputs = {"beta1_power", "beta2_power", "lr", "beta1", "beta2",
                  "epsilon", "grad"},
       .work = ApplyWork<12>,
       .attrs = {"use_nesterov: bool = false"},
       .has_sparse_ops = false,
       .dense_on_gpu = true},
      {.name = "AdamWithAmsgrad",
       .step = "Adam with AMSGrad",
       .variables = {"var", "m", "v", "vhat"},
       .inputs = {"beta1_power", "beta2_power", "lr", "beta1", "beta2",
                  "epsilon", "grad"},
       .work = ApplyWork<13>,
       .types = kFloats.dtypes(),
       .has_sparse_ops = false,
       .has_reference_ops = false},
      {.name = "AdaMax",
       .step = "AdaMax",
       .variables = {"var", "m", "v"},
       .inputs = {"beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       .work = ApplyWork<10>,
       .types = kFloats.dtypes(),
       .has_sparse_ops = false},
  };
}

// These optimizers scale each step by the squares of earlier gradients.
std::vector<Optimizer> AdaptiveOptimizers() {
  return {
      {.name = "Adagrad",
       .step = "Adagrad",
       .variables = {"var", "accum"},
       .inputs = {"lr", "grad"},
       .work = ApplyWork<5>,
       .attrs = {"update_slots: bool = true"},
       .dense_on_gpu = true,
       .sparse_on_gpu = true},
      {.name = "AdagradV2",
       .step = "Adagrad with an epsilon",
       .variables = {"var", "accum"},
       .inputs = {"lr", "epsilon", "grad"},
       .work = ApplyWork<6>,
       .attrs = {"update_slots: bool = true"}},
      {.name = "RMSProp",
       .step = "RMSProp",
       .variables = {"var", "ms", "mom"},
       .inputs = {"lr", "rho", "momentum", "epsilon", "grad"},
       .work = ApplyWork<10>,
       .dense_on_gpu = true,
       .sparse_on_gpu = true},
      {.name = "CenteredRMSProp",
       .step = "centered RMSProp",
       .variables = {"var", "mg", "ms", "mom"},
       .inputs = {"lr", "rho", "momentum", "epsilon", "grad"},
       .work = ApplyWork<13>,
       .dense_on_gpu = true},
      {.name = "Adadelta",
       .step = "Adadelta",
       .variables = {"var", "accum", "accum_update"},
       .inputs = {"lr", "rho", "epsilon", "grad"},
       .work = ApplyWork<14>},
  };
}

// Returns the definition of one of the ops of an optimizer, without a doc.
OpSpec SpecOf(const Optimizer& optimizer, bool is_sparse, bool is_resource) {
  OpSpec spec = {
      .name = absl::StrCat(is_resource ? "Resource" : "",
                           is_sparse ? "Sparse" : "", "Apply", optimizer.name),
      .attrs = {"T: numbertype"},
      .stateful = is_resource,
      .shape = is_sparse ? &ApplyRowsShape : &ApplyShape,
      .work = optimizer.work};
  for (const std::string& name : optimizer.variables) {
    spec.inputs.push_back(
        absl::StrCat(name, is_resource ? ": resource" : ": Ref(T)"));
  }
  for (const std::string& name : optimizer.inputs) {
    if (const bool has_type = absl::StrContains(name, ":"); has_type) {
      spec.inputs.push_back(name);
    } else if (is_sparse && (name == "grad" || name == "delta")) {
      spec.inputs.insert(spec.inputs.end(), {"grad: T", "indices: Tindices"});
    } else {
      spec.inputs.push_back(absl::StrCat(name, ": T"));
    }
  }
  if (!is_resource) spec.outputs = {"out: Ref(T)"};
  if (is_sparse) spec.attrs.push_back("Tindices: {int32, int64}");
  spec.attrs.push_back("use_locking: bool = false");
  spec.attrs.insert(spec.attrs.end(), optimizer.attrs.begin(),
                    optimizer.attrs.end());
  return spec;
}

// An op that can be registered. `spec.doc` is a view of `doc`.
struct TrainingOp {
  std::string doc;
  OpSpec spec;
  std::vector<KernelSignature> kernels;
};

TrainingOp OpOf(const Optimizer& optimizer, bool is_sparse, bool is_resource) {
  TrainingOp op = {
      .doc = absl::StrCat("Does a step of ", optimizer.step, " on ",
                          is_sparse ? "some rows of " : "", "a ",
                          is_resource ? "resource" : "reference", " variable."),
      .spec = SpecOf(optimizer, is_sparse, is_resource),
      .kernels = {NotFoldable(OnCpu({{"T", optimizer.types}}))}};
  if (is_sparse ? optimizer.sparse_on_gpu : optimizer.dense_on_gpu) {
    op.kernels.push_back(OnGpu({{"T", kFloats.dtypes()}}));
  }
  return op;
}

std::vector<TrainingOp> MakeTrainingOps() {
  std::vector<TrainingOp> ops;
  for (const auto& optimizers : {DescentOptimizers(), RegularizedOptimizers(),
                                 AdamOptimizers(), AdaptiveOptimizers()}) {
    for (const Optimizer& optimizer : optimizers) {
      for (bool is_sparse : {false, true}) {
        if (is_sparse && !optimizer.has_sparse_ops) continue;
        for (bool is_resource : {false, true}) {
          if (!is_resource && !optimizer.has_reference_ops) continue;
          ops.push_back(OpOf(optimizer, is_sparse, is_resource));
        }
      }
    }
  }
  for (TrainingOp& op : ops) op.spec.doc = op.doc;
  return ops;
}

}  // namespace

void Register(OpRegistry& registry) {
  // The registered ops refer to the docs, so these live as long as the process.
  static const auto& ops = *new std::vector<TrainingOp>(MakeTrainingOps());
  for (const TrainingOp& op : ops) registry.Add(op.spec, op.kernels);
}

}  // namespace leat::ops::training
