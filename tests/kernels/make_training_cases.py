#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes training_cases.h, which holds the values of variables before and after
TensorFlow's training ops.

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


def number(x):
    if np.iscomplexobj(x):
        return "{%r, %r}" % (float(x.real), float(x.imag))
    return repr(float(x))


def numbers(array):
    return ", ".join(number(x) for x in np.ravel(array))


def uniform(dtype, low, high, rows):
    """Returns random numbers between `low` and `high`. If the dtype is complex,
    these are the real parts."""
    shape = [rows, COLUMNS]
    result = RANDOM.uniform(low, high, shape).astype(np.float32)
    if dtype == np.complex128:
        result = result + 1j * RANDOM.uniform(-1, 1, shape).astype(np.float32)
    return result.astype(dtype)


def scalar(dtype, value):
    """Returns the value, rounded to float32. Multiplies it by 1 + 0.5i if the dtype
    is complex."""
    value = np.float32(value)
    return dtype(value * (1 + .5j) if dtype == np.complex128 else value)


def case(dtype, op, names, scalars, gradient, attrs):
    sparse = op.startswith("Sparse")
    scalars = {n: scalar(dtype, v) for n, v in scalars.items()}
    initial = [uniform(dtype, -1, 1, ROWS)]
    for name in names[1:]:
        # These variables hold squares, so they must be positive. "ms" must also
        # exceed the square of "mg".
        low = 1 if name in ("ms", "v", "accum") else 0
        initial.append(uniform(dtype, low, low + .5, ROWS))
    grad = uniform(dtype, -1, 1, len(INDICES) if sparse else ROWS)
    with tf1.Graph().as_default(), tf1.Session() as session:
        refs = [tf1.Variable(x, use_resource=False) for x in initial]
        session.run(tf1.global_variables_initializer())
        arguments = dict(attrs)
        arguments.update({n: r._variable for n, r in zip(names, refs)})
        arguments.update(scalars)
        arguments[gradient] = grad
        if sparse:
            arguments["indices"] = INDICES
        session.run(getattr(RAW, op)(**arguments))
        final = session.run(refs)
    print('    {"%s",' % op)
    print("     %s, %s," % (str(attrs.get("use_nesterov", False)).lower(),
                            str(attrs.get("update_slots", True)).lower()))
    print("     {%s}," % numbers(list(scalars.values())))
    print("     {%s}," % numbers(grad))
    print("     {%s}," % ", ".join("{%s}" % numbers(x) for x in initial))
    print("     {%s}}," % ", ".join("{%s}" % numbers(x) for x in final))


def function(name, number_type, dtype, ops):
    """Prints the function `name`, which returns a case for each row of `ops`."""
    print("inline std::vector<TrainingCase<%s>> %s() {" % (number_type, name))
    print("  return {")
    for op in ops:
        case(dtype, *op)
    print("  };\n}\n")


def main():
    print("// Copyright 2026 The Leat Authors. "
          "SPDX-License-Identifier: Apache-2.0")
    print("// Written by make_training_cases.py with TensorFlow %s."
          % tf.__version__)
    print("#ifndef LEAT_TESTS_KERNELS_TRAINING_CASES_H_")
    print("#define LEAT_TESTS_KERNELS_TRAINING_CASES_H_\n")
    print("#include <complex>\n#include <vector>\n")
    print("namespace leat {\n")
    print("// Variables of 4 rows and 3 columns; sparse gradients are for the")
    print("// rows 2, 0, 2. Scalars are in the order of the op's inputs. All")
    print("// numbers but the final ones are exact in single precision.")
    print("template <class Number>")
    print("struct TrainingCase {\n  const char* op;")
    print("  bool use_nesterov, update_slots;")
    print("  std::vector<Number> scalars, gradient;")
    print("  std::vector<std::vector<Number>> initial, final;\n};\n")
    function("TrainingCases", "double", np.float32, OPS)
    function("ComplexTrainingCases", "std::complex<double>", np.complex128,
             [row for row in OPS if "update_slots" not in row[-1]])
    print("}  // namespace leat\n")
    print("#endif  // LEAT_TESTS_KERNELS_TRAINING_CASES_H_")


if __name__ == "__main__":
    main()
