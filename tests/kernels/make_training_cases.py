#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes training_cases.jsonl: what TensorFlow 2.15.1's training ops make of
variables.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. A line has op and
attrs (as in the op cases, see tests/op_cases/make_cases.py), the values of the
variables "before" and "after", and the other inputs in the order of the op. The
numbers are float or complex128. All but those of "after" are exact in single precision,
so that the test can also use them in other types.
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import encode, write_cases  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

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
INDICES = np.array([2, 0, 2], np.int32)


def uniform(dtype, low, high, rows):
    """Random numbers from low to high, or complex ones with such real parts."""
    shape = [rows, COLUMNS]
    result = RANDOM.uniform(low, high, shape).astype(np.float32)
    if dtype == np.complex128:
        result = result + 1j * RANDOM.uniform(-1, 1, shape).astype(np.float32)
    return result.astype(dtype)


def scalar(dtype, value):
    """The value as a float32, times 1 + 0.5i if the dtype is complex."""
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
    inputs = dict(scalars, **{gradient: grad, "indices": INDICES})
    with tf1.Graph().as_default(), tf1.Session() as session:
        refs = [tf1.Variable(x, use_resource=False) for x in initial]
        session.run(tf1.global_variables_initializer())
        order = [a.name for a in op_def_registry.get(op).input_arg][len(names):]
        inputs = {name: inputs[name] for name in order}
        variables = {n: r._variable for n, r in zip(names, refs)}
        session.run(getattr(RAW, op)(**variables, **inputs, **attrs))
        final = session.run(refs)
    return json.dumps({
        "op": op, "attrs": {name: ["bool", value] for name, value in attrs.items()},
        "before": [encode(x) for x in initial],
        "inputs": [encode(np.asarray(x)) for x in inputs.values()],
        "after": [encode(x) for x in final]})


def main():
    lines = [case(np.float32, *row) for row in OPS]
    lines += [case(np.complex128, *row) for row in OPS if "update_slots" not in row[-1]]
    write_cases(os.path.join(FOLDER, "training_cases.jsonl"), lines)


if __name__ == "__main__":
    main()
