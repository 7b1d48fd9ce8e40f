#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes training_cases.jsonl: what TensorFlow 2.15.1's training ops make of
variables.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. A line has name and
attrs (as in the op cases, see tests/op_cases/make_cases.py), the values of the variables
"before" (null: none yet), the other inputs in the order of the op, and the values of the
variables "after" or the "error" [code, text]. The "ops" do the same to references and to
resources; TensorFlow's answer is that of the first. The numbers are float or complex128.
All but those of "after" are exact in single precision, so that the test can also use
them in other types. "tolerance" is that of float, where it is not the usual one.
"""
import json
import os
import sys
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import CODES, encode, write_cases  # pylint: disable=wrong-import-position
from tensorflow.python.framework import kernels  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

tf1 = tf.compat.v1
tf1.disable_eager_execution()
RAW = tf.raw_ops
F32, C128 = np.float32, np.complex128
NESTEROV = {"use_nesterov": True}
FROZEN = {"update_slots": False}
BY_LR = {"multiply_linear_by_lr": True}
ADAM = {"lr": .01, "beta1_power": .81, "beta2_power": .99, "beta1": .9, "beta2": .99,
        "epsilon": 1e-7}
FTRL = {"lr": .1, "l1": .3, "l2": .2, "lr_power": -.5}
FTRL_V2 = dict(FTRL, l2_shrinkage=.1)
RMSPROP = {"lr": .01, "rho": .9, "momentum": .8}
SIGN = {"lr": .1, "sign_decay": .7, "beta": .9}
PROXIMAL = {"lr": .1, "l1": .5, "l2": .2}

# Maps the name of an optimizer to the scalars and attrs of its cases.
OPTIMIZERS = {
    "GradientDescent": [({"alpha": .1}, {})],
    "ProximalGradientDescent": [
        ({"alpha": .1, "l1": .5, "l2": .2}, {}), ({"alpha": .1, "l1": 0, "l2": .2}, {}),
        ({"alpha": -.1, "l1": .5, "l2": -.2}, {})],
    "Momentum": [({"lr": .1, "momentum": .9}, {}), ({"lr": .1, "momentum": .9}, NESTEROV)],
    "KerasMomentum": [({"lr": .1, "momentum": .9}, {}),
                      ({"lr": .1, "momentum": .9}, NESTEROV)],
    "AddSign": [(dict(SIGN, alpha=1.5), {})],
    "PowerSign": [(dict(SIGN, logbase=1.5), {})],
    "Adagrad": [({"lr": .1}, {}), ({"lr": .1}, FROZEN)],
    "AdagradV2": [({"lr": .1, "epsilon": .1}, {}), ({"lr": .1, "epsilon": .1}, FROZEN)],
    "AdagradDA": [(dict(PROXIMAL, global_step=3), {}),
                  (dict(PROXIMAL, l1=0, global_step=1), {})],
    "ProximalAdagrad": [(PROXIMAL, {}), (dict(PROXIMAL, l1=0), {})],
    "Ftrl": [(FTRL, {}), (FTRL, BY_LR), (dict(FTRL, lr_power=-.7), {}),
             (dict(FTRL, l1=0, l2=0, lr_power=0), BY_LR)],
    "FtrlV2": [(FTRL_V2, {}), (FTRL_V2, BY_LR), (dict(FTRL_V2, lr_power=-.7), {})],
    "Adam": [(ADAM, {}), (ADAM, NESTEROV),
             (dict(ADAM, beta1_power=.9, beta2_power=.999, beta2=.999, epsilon=1e-8), {})],
    "AdamWithAmsgrad": [(dict(ADAM, beta2=.4), {})],
    "AdaMax": [({"lr": .01, "beta1_power": .9, "beta1": .9, "beta2": .5, "epsilon": 1e-7},
                {})],
    "RMSProp": [(dict(RMSPROP, epsilon=1e-6), {})],
    "CenteredRMSProp": [(dict(RMSPROP, epsilon=1e-2), {})],
    "Adadelta": [({"lr": .1, "rho": .9, "epsilon": 1e-2}, {})],
}
ROWS, COLUMNS = 4, 3
INDICES = np.array([2, 0, 2], np.int32)
SQUARES = ("accum", "accum_update", "gradient_squared_accumulator", "ms", "v", "vhat")
SIGNED = ("var", "linear", "gradient_accumulator", "grad", "delta")
# The variables that some of TensorFlow's kernels do not check.
UNCHECKED = ("accum_update", "mg", "vhat")


def is_variable(arg):
    return arg.is_ref or arg.type == tf.resource.as_datatype_enum


class Random:
    """Numbers that depend on the name of the case alone."""

    def __init__(self, name):
        self.state = np.random.RandomState(zlib.crc32(name.encode()))

    def uniform(self, dtype, name, shape):
        """Random numbers for an input, or complex ones with such real parts."""
        # Squares must be positive. "ms" must also exceed the square of "mg".
        low = 1 if name in SQUARES else -1 if name in SIGNED else 0
        high = 1 if name in SIGNED else low + .5
        result = self.state.uniform(low, high, shape).astype(F32)
        if dtype == C128:
            result = result + 1j * self.state.uniform(-1, 1, shape).astype(F32)
        return result.astype(dtype)


def scalar(dtype, name, value):
    """The value as a float32, times 1 + 0.5i if the dtype is complex."""
    if name == "global_step":
        return np.int64(value)
    value = F32(value)
    return dtype(value * (1 + .5j) if dtype == C128 else value)


def make_variable(arg, value, dtype):
    """The variable, its initializer and what reads it. A value of None is none yet."""
    init_value = np.zeros([], dtype) if value is None else value
    if arg.is_ref:
        variable = RAW.VariableV2(shape=None, dtype=dtype)
        init = RAW.Assign(ref=variable, value=init_value, validate_shape=False).op
        return variable, init, RAW.Identity(input=variable)
    variable = RAW.VarHandleOp(dtype=dtype, shape=None, shared_name=arg.name)
    init = RAW.AssignVariableOp(resource=variable, value=init_value)
    return variable, init, RAW.ReadVariableOp(resource=variable, dtype=dtype)


def run(op, values, attrs, dtype):
    """The values of the variables after the op, or its error."""
    args = op_def_registry.get(op).input_arg
    with tf1.Graph().as_default(), tf.device("/CPU:0"), tf1.Session() as session:
        inputs, inits, reads = {}, [], []
        for arg, value in zip(args, values):
            if is_variable(arg):
                inputs[arg.name], init, read = make_variable(arg, value, dtype)
                reads.append(read)
                if value is not None:
                    inits.append(init)
            else:
                # The unknown shape lets the kernel check the value, and not the shape
                # function.
                inputs[arg.name] = tf1.placeholder_with_default(value, None)
        node = getattr(RAW, op)(**inputs, **attrs)
        session.run(inits)
        try:
            session.run(node if isinstance(node, tf.Operation) else node.op)
            return session.run(reads)
        except tf.errors.OpError as error:
            return error


class Cases:
    def __init__(self):
        self.lines = []

    def add(self, op, name, values, attrs, text=None, dtype=F32):
        """`values` are those of all inputs. `text` must be part of the error."""
        args = op_def_registry.get(op).input_arg
        before = [v for a, v in zip(args, values) if is_variable(a)]
        inputs = [v for a, v in zip(args, values) if not is_variable(a)]
        ops = [o for o in (op, "Resource" + op) if op_def_registry.get(o) is not None]
        line = {"ops": ops, "name": name,
                "attrs": {n: ["bool", v] for n, v in attrs.items()},
                "before": [None if v is None else encode(v) for v in before],
                "inputs": [encode(np.asarray(v)) for v in inputs]}
        result = run(op, values, attrs, dtype)
        if isinstance(result, tf.errors.OpError):
            assert text is not None and text in result.message, (op, name, result.message)
            line["error"] = [CODES[type(result)], text]
        else:
            assert text is None, (op, name, result)
            if "Ftrl" in op:  # its differences of roots are divided by a small number
                line["tolerance"] = 4e-6
            line["after"] = [encode(v) for v in result]
        self.lines.append(json.dumps(line))


def values_of(op, name, scalars, dtype=F32, shape=(ROWS, COLUMNS), indices=INDICES):
    """A value for each input of the op."""
    random = Random(op + name)
    result = []
    for arg in op_def_registry.get(op).input_arg:
        if arg.name in scalars:
            result.append(scalar(dtype, arg.name, scalars[arg.name]))
        elif arg.name == "indices":
            result.append(indices)
        elif arg.name in ("grad", "delta") and "Sparse" in op:
            result.append(random.uniform(dtype, arg.name, [len(indices), *shape[1:]]))
        else:
            result.append(random.uniform(dtype, arg.name, shape))
    return result


def place(op, name):
    return [a.name for a in op_def_registry.get(op).input_arg].index(name)


def replaced(op, values, name, value):
    """The values with another one for the input of this name."""
    result = list(values)
    result[place(op, name)] = value
    return result


def takes_complexes(op):
    return any(tf.complex128.as_datatype_enum in constraint.allowed_values.list.type
               for kernel in kernels.get_registered_kernels_for_op(op).kernel
               for constraint in kernel.constraint)


def numbers(cases, op, variants):
    for i, (scalars, attrs) in enumerate(variants):
        name = f"variant {i}"
        cases.add(op, name, values_of(op, name, scalars), attrs)
        if takes_complexes(op) and "update_slots" not in attrs:
            name += " of complex numbers"
            cases.add(op, name, values_of(op, name, scalars, C128), attrs, dtype=C128)


def shapes(cases, op, scalars, gradient):
    sparse = "Sparse" in op
    none = np.zeros([0], np.int64)
    cases.add(op, "empty", values_of(op, "", scalars, shape=(0, 3), indices=none), {})
    special = np.array([np.nan, 0, -0.0, np.inf, -np.inf, 3, 1, -1, np.nan, .5, np.nan], F32)
    count = len(special)
    shape = (count, 1) if sparse else (count,)
    values = values_of(op, "special", scalars, shape=shape, indices=np.arange(count))
    cases.add(op, "NaN, infinities and zero",
              replaced(op, values, gradient, special.reshape(shape)), {})
    if sparse:
        cases.add(op, "no index", values_of(op, "", scalars, indices=none), {})
        cases.add(op, "rows of three dimensions",
                  values_of(op, "3-d", scalars, shape=(3, 2, 1), indices=np.array([2, 1])), {})
    else:
        cases.add(op, "scalar", values_of(op, "scalar", scalars, shape=()), {})


def small_values_of(op, scalars):
    return values_of(op, "small", scalars, shape=(3, 1), indices=np.array([0, 1]))


def refused_shapes(cases, op, scalars, gradient):
    good = small_values_of(op, scalars)
    other = np.ones([2, 1], F32)

    def refuse(what, name, value, text):
        cases.add(op, what, replaced(op, good, name, value), {}, text)

    for arg in op_def_registry.get(op).input_arg:
        if is_variable(arg) and arg.name != "var" and arg.name not in UNCHECKED:
            refuse(f"{arg.name} of another shape", arg.name, other,
                   "do not have the same shape[3,1] [2,1]")
        if arg.is_ref:
            refuse(f"{arg.name} without a value", arg.name, None,
                   "uninitialized")
    if "Sparse" not in op:
        refuse(f"{gradient} of another shape", gradient, other,
               f"var and {gradient} do not have the same shape[3,1] [2,1]")
        return
    refuse("fewer rows", gradient, np.ones([1, 1], F32),
           "grad must be the same size as indices in the first dimension.")
    refuse("narrower rows", gradient, np.ones([2, 2], F32),
           "var and grad must match in")
    refuse("scalar index", "indices", np.int32(0), "indices must be one-dimensional")
    for index in (3, -1):
        text = (f"indices[1] = {index} is not in [0, 3)" if "Keras" in op else
                f"Index {index} at offset 1 in indices is out of range")
        refuse(f"index {index}", "indices", np.array([1, index], np.int32), text)


# What TensorFlow says of some scalars that are not positive or have a dimension.
TITLES = {"l1": "l1 regularization strength", "l2": "l2 regularization strength",
          "l2_shrinkage": "l2 shrinkage regularization strength"}
BAD_SCALARS = {"lr": (0, "lr is not a positive scalar"),
               "lr_power": (.5, "lr_power is not a non-positive scalar: []"),
               **{name: (-1, title + " is not a non-negative scalar: []")
                  for name, title in TITLES.items()}}


def refused_scalars(cases, op, scalars):
    good = small_values_of(op, scalars)
    checks = "ProximalAdagrad" in op or "SparseApplyFtrl" in op
    for name in scalars:
        # TensorFlow forgets this check.
        if name != "sign_decay":
            value = np.array([good[place(op, name)]])
            title = "" if op == "SparseApplyProximalGradientDescent" else TITLES.get(name, name)
            kind = "" if checks else " a scalar"
            cases.add(op, f"vector {name}", replaced(op, good, name, value), {},
                      f"{title} is not{kind}")
        if checks:
            for number in (BAD_SCALARS[name][0], np.nan):
                cases.add(op, f"{name} of {number}", replaced(op, good, name, F32(number)), {},
                          BAD_SCALARS[name][1])


def main():
    cases = Cases()
    for optimizer, variants in OPTIMIZERS.items():
        for kind in ("Apply", "SparseApply"):
            op = kind + optimizer
            if op_def_registry.get("Resource" + op) is None:
                continue
            if op_def_registry.get(op) is None:
                op = "Resource" + op
            scalars = variants[0][0]
            args = [a.name for a in op_def_registry.get(op).input_arg]
            gradient = "grad" if "grad" in args else "delta"
            numbers(cases, op, variants)
            shapes(cases, op, scalars, gradient)
            refused_shapes(cases, op, scalars, gradient)
            refused_scalars(cases, op, scalars)
    write_cases(os.path.join(FOLDER, "training_cases.jsonl"), cases.lines)


if __name__ == "__main__":
    main()
