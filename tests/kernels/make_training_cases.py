#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes training_cases.h: what TensorFlow's training ops make of variables.

Usage: make_training_cases.py > training_cases.h   (TensorFlow 2.15.1)
"""
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
RAW = tf.raw_ops
RANDOM = np.random.RandomState(3)

# Each row holds the op, the names of its variables, its scalars, the name of
# its gradient, and its bool attrs.
OPS = [
    ("ApplyGradientDescent", ["var"], {"alpha": .1}, "delta", {}),
    ("ApplyMomentum", ["var", "accum"], {"lr": .1, "momentum": .9}, "grad", {}),
    ("ApplyMomentum", ["var", "accum"], {"lr": .1, "momentum": .9}, "grad",
     {"use_nesterov": True}),
    ("ApplyAdagrad", ["var", "accum"], {"lr": .1}, "grad", {}),
    ("ApplyAdagrad", ["var", "accum"], {"lr": .1}, "grad",
     {"update_slots": False}),
    ("ApplyAdam", ["var", "m", "v"],
     {"beta1_power": .9, "beta2_power": .999, "lr": .01, "beta1": .9,
      "beta2": .999, "epsilon": 1e-8}, "grad", {}),
    ("ApplyAdam", ["var", "m", "v"],
     {"beta1_power": .81, "beta2_power": .99, "lr": .01, "beta1": .9,
      "beta2": .99, "epsilon": 1e-7}, "grad", {"use_nesterov": True}),
    ("ApplyRMSProp", ["var", "ms", "mom"],
     {"lr": .01, "rho": .9, "momentum": .8, "epsilon": 1e-6}, "grad", {}),
    ("ApplyCenteredRMSProp", ["var", "mg", "ms", "mom"],
     {"lr": .01, "rho": .9, "momentum": .8, "epsilon": 1e-2}, "grad", {}),
    ("SparseApplyMomentum", ["var", "accum"], {"lr": .1, "momentum": .9},
     "grad", {}),
    ("SparseApplyMomentum", ["var", "accum"], {"lr": .1, "momentum": .9},
     "grad", {"use_nesterov": True}),
    ("SparseApplyAdagrad", ["var", "accum"], {"lr": .1}, "grad", {}),
    ("SparseApplyAdagrad", ["var", "accum"], {"lr": .1}, "grad",
     {"update_slots": False}),
    ("SparseApplyRMSProp", ["var", "ms", "mom"],
     {"lr": .01, "rho": .9, "momentum": .8, "epsilon": 1e-6}, "grad", {}),
]
ROWS, COLUMNS = 4, 3
INDICES = [2, 0, 2]


def numbers(array):
    return ", ".join(repr(float(x)) for x in np.ravel(array))


def case(op, names, scalars, gradient, attrs):
    sparse = op.startswith("Sparse")
    initial = [RANDOM.uniform(-1, 1, [ROWS, COLUMNS]).astype(np.float32)]
    for name in names[1:]:
        # These variables hold squares, so they must be positive. "ms" must also
        # exceed the square of "mg".
        low = 1 if name in ("ms", "v", "accum") else 0
        initial.append(RANDOM.uniform(low, low + .5, [ROWS, COLUMNS])
                       .astype(np.float32))
    grad = RANDOM.uniform(-1, 1, [len(INDICES) if sparse else ROWS, COLUMNS])
    grad = grad.astype(np.float32)
    with tf1.Graph().as_default(), tf1.Session() as session:
        refs = [tf1.Variable(x, use_resource=False) for x in initial]
        session.run(tf1.global_variables_initializer())
        arguments = dict(attrs)
        arguments.update({n: r._variable for n, r in zip(names, refs)})
        arguments.update({n: tf.constant(v, tf.float32)
                          for n, v in scalars.items()})
        arguments[gradient] = grad
        if sparse:
            arguments["indices"] = INDICES
        session.run(getattr(RAW, op)(**arguments))
        final = session.run(refs)
    print('    {"%s",' % op)
    print("     %s, %s," % (str(attrs.get("use_nesterov", False)).lower(),
                            str(attrs.get("update_slots", True)).lower()))
    print("     {%s}," % numbers([np.float32(v) for v in scalars.values()]))
    print("     {%s}," % numbers(grad))
    print("     {%s}," % ", ".join("{%s}" % numbers(x) for x in initial))
    print("     {%s}}," % ", ".join("{%s}" % numbers(x) for x in final))


def main():
    print("// Copyright 2026 The Leat Authors. "
          "SPDX-License-Identifier: Apache-2.0")
    print("// Written by make_training_cases.py with TensorFlow %s."
          % tf.__version__)
    print("#ifndef LEAT_TESTS_KERNELS_TRAINING_CASES_H_")
    print("#define LEAT_TESTS_KERNELS_TRAINING_CASES_H_\n")
    print("#include <vector>\n")
    print("namespace leat {\n")
    print("// Variables of 4 rows and 3 columns; sparse gradients are for the")
    print("// rows 2, 0, 2. Scalars are in the order of the op's inputs.")
    print("struct TrainingCase {\n  const char* op;")
    print("  bool use_nesterov, update_slots;")
    print("  std::vector<double> scalars, gradient;")
    print("  std::vector<std::vector<double>> initial, final;\n};\n")
    print("inline std::vector<TrainingCase> TrainingCases() {\n  return {")
    for op in OPS:
        case(*op)
    print("  };\n}\n\n}  // namespace leat\n")
    print("#endif  // LEAT_TESTS_KERNELS_TRAINING_CASES_H_")


if __name__ == "__main__":
    main()
