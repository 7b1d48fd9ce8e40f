#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes variable_cases.jsonl, which holds what TensorFlow 2.15.1's ops do to a
variable. The variable is a reference (VariableV2) or a resource (VarHandleOp).

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. Each line is a
case. It has op, name, attrs and inputs as in the op cases
(tests/op_cases/make_cases.py). "inputs" leaves out the variable, which is the
first input. "declared" [dtype, shape] is the declaration of the variable. "before"
is its value before the op, or null if it has no value yet. A line also has
"outputs" and the value "after" the op, or the "error" [code, text].
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import CODES, default_of, encode, encode_attr, short_name, write_cases  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_library  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

tf.compat.v1.disable_eager_execution()
BFLOAT16 = tf.bfloat16.as_numpy_dtype
FLOATS = (np.float32, np.float64, np.float16, BFLOAT16)
COMPLEXES = (np.complex64, np.complex128)
NUMBERS = FLOATS + (np.int8, np.int32, np.int64, np.uint8) + COMPLEXES


def matrix(rows, columns, dtype=np.float32, start=1):
    """Returns the numbers `start`, `start` + 1, and so on. Multiplies them by
    1 - 0.5i if the dtype is complex."""
    count = rows * columns
    numbers = np.arange(start, start + count).astype(dtype)
    if dtype in COMPLEXES:
        numbers *= 1 - .5j
    return numbers.reshape(rows, columns)


def i32(*numbers):
    return np.array(numbers, np.int32)


class Cases:
    def __init__(self):
        self.lines = []

    def add(self, op, name, before, *inputs, declared=None, text=None, **attrs):
        """Adds a case. `declared` is the (dtype, shape) of the variable. If it is
        None, the variable has the dtype and shape of `before`."""
        op_def = op_def_registry.get(op)
        reference = op_def.input_arg[0].is_ref
        dtype, shape = declared or (before.dtype, before.shape)
        kinds = {a.name: a.type for a in op_def.attr}
        with tf.Graph().as_default(), tf.device("/CPU:0"):
            variable, init, read = make(reference, dtype, shape, before)
            outputs, inferred = node(op_def, variable, inputs, attrs)
            given = dict(inferred, **attrs)
            line = {"op": op, "name": name,
                    "attrs": {k: encode_attr(kinds[k], v) for k, v in given.items()},
                    "declared": [short_name(dtype), shape and list(shape)],
                    "before": None if before is None else encode(before),
                    "inputs": [encode(np.asarray(v)) for v in inputs]}
            try:
                with tf.compat.v1.Session() as session:
                    if before is not None:
                        session.run(init)
                    if op_def.output_arg:
                        found = session.run(list(outputs.outputs))
                    else:
                        session.run(outputs)
                        found = []
                    line["outputs"] = [encode(np.asarray(v)) for v in found]
                    line["after"] = (None if op == "VarIsInitializedOp" or
                                     op == "IsVariableInitialized"
                                     else encode(session.run(read)))
                assert text is None, (op, name)
            except tf.errors.OpError as error:
                message = error.message.splitlines()[-1] if text is None else text
                assert text is not None and text in error.message, (
                    op, name, message, error.message)
                line["error"] = [CODES[type(error)], text]
        self.lines.append(json.dumps(line))


def make(reference, dtype, shape, before):
    """Returns a variable, the op that initializes it, and a tensor of its value.
    The initializer accepts a value of any shape."""
    raw = tf.raw_ops
    dtype = tf.as_dtype(dtype)
    value = tf.zeros(shape or [], dtype) if before is None else tf.constant(before)
    if reference:
        variable = raw.VariableV2(shape=shape, dtype=dtype)
        init = raw.Assign(ref=variable, value=value, validate_shape=False)
        return variable, init.op, raw.Identity(input=variable)
    variable = raw.VarHandleOp(dtype=dtype, shape=shape, shared_name="v")
    init = raw.AssignVariableOp(resource=variable, value=value)
    return variable, init, raw.ReadVariableOp(resource=variable, dtype=dtype)


def node(op_def, variable, inputs, attrs):
    """Returns a node of the op, and the attrs that follow from its inputs."""
    # The placeholders have an unknown shape. So the shapes are checked by
    # TensorFlow's kernels, and not by its shape functions.
    given = [tf.compat.v1.placeholder_with_default(tf.constant(v), None) for v in inputs]
    values = dict(zip([a.name for a in op_def.input_arg], [variable] + given))
    inferred = {}
    for arg in op_def.input_arg:
        if arg.type_attr:
            inferred[arg.type_attr] = values[arg.name].dtype.base_dtype
    values.update({a.name: default_of(a) for a in op_def.attr
                   if a.HasField("default_value") and a.name not in inferred})
    values.update({k: v for k, v in attrs.items() if k not in inferred})
    _, _, op, _ = op_def_library._apply_op_helper(op_def.name, **values)  # pylint: disable=protected-access
    return op, inferred


def dense(c):
    for dtype in NUMBERS:
        name = tf.as_dtype(dtype).name
        before, value = matrix(2, 3, dtype), matrix(2, 3, dtype, 5)
        for op in ("Assign", "AssignAdd", "AssignSub"):
            c.add(op, name, before, value)
        for op in ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"):
            c.add(op, name, before, value, dtype=dtype)
    text = np.array([b"a", b"b"], object)
    c.add("Assign", "string", text, text[::-1].copy())
    c.add("Assign", "bool", np.array([True]), np.array([False]))
    c.add("AssignVariableOp", "string", text, text[::-1].copy(), dtype=tf.string)
    for op in ("Assign", "AssignAdd", "AssignSub"):
        c.add(op, "scalar", np.array(1.5, np.float32), np.array(0.5, np.float32))
        c.add(op, "empty", np.zeros([0, 2], np.float32),
              np.zeros([0, 2], np.float32))
        special = np.array([1, np.nan, np.inf, -np.inf], np.float32)
        c.add(op, "NaN and infinity", special, special[::-1].copy())
    for op in ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"):
        c.add(op, "scalar", np.array(1.5, np.float32), np.array(0.5, np.float32),
              dtype=tf.float32)
        c.add(op, "empty", np.zeros([0], np.float32), np.zeros([0], np.float32),
              dtype=tf.float32)
    c.add("Assign", "the first value", None, matrix(1, 2), declared=(np.float32, [1, 2]))
    c.add("AssignVariableOp", "the first value", None, matrix(1, 2),
          declared=(np.float32, [1, 2]), dtype=tf.float32)
    c.add("Assign", "another shape", matrix(1, 2), matrix(2, 2),
          declared=(np.float32, None), validate_shape=False)
    c.add("Assign", "the first value where the rank is unknown is a scalar", None,
          np.float32(1), declared=(np.float32, None))
    c.add("AssignAdd", "nothing without a value", None, np.zeros([0], np.float32),
          declared=(np.float32, [0]))
    c.add("AssignVariableOp", "another shape", matrix(1, 2), matrix(2, 2),
          declared=(np.float32, None), dtype=tf.float32)
    for op in ("AssignAdd", "AssignSub"):
        c.add(op, "without a value", None, matrix(1, 2),
              declared=(np.float32, [1, 2]),
              text="Attempting to use uninitialized value")


def rows(c):
    two = i32(2, 0, 2)
    for dtype in NUMBERS:
        name = tf.as_dtype(dtype).name
        before, updates = matrix(3, 2, dtype, 10), matrix(3, 2, dtype)
        for op in ("ScatterAdd", "ScatterSub", "ScatterUpdate"):
            c.add(op, name, before, two, updates)
        for op in ("ResourceScatterAdd", "ResourceScatterSub",
                   "ResourceScatterUpdate"):
            c.add(op, name, before, two, updates, dtype=dtype)
        c.add("ResourceGather", name, before, two, dtype=dtype)
    for op in ("Scatter", "ResourceScatter"):
        attrs = {"dtype": tf.float32} if op == "ResourceScatter" else {}
        for what in ("Add", "Sub", "Update"):
            c.add(op + what, "int64 scalar index", matrix(3, 2),
                  np.array(1, np.int64), np.array([7, 8], np.float32), **attrs)
            c.add(op + what, "one update for all", matrix(3, 2), two,
                  np.array(0.5, np.float32), **attrs)
            c.add(op + what, "no index", matrix(3, 2), i32(),
                  np.zeros([0, 2], np.float32), **attrs)
            c.add(op + what, "rank 2 indices", np.array([1, 2, 3], np.float32),
                  np.array([[0, 1], [1, 2]], np.int64),
                  np.array([[5, 6], [7, 8]], np.float32), **attrs)
            if what != "Update":
                continue  # TensorFlow ignores bad indices, Leat refuses them
            c.add(op + what, "index too large", matrix(3, 2), i32(3),
                  np.zeros([1, 2], np.float32), text="= 3 is not in [0, 3)", **attrs)
            c.add(op + what, "negative index", matrix(3, 2), i32(-1),
                  np.zeros([1, 2], np.float32), text="= -1 is not in [0, 3)", **attrs)
    strings = np.array([b"a", b"b"], object)
    c.add("ScatterUpdate", "bool", np.array([True, True]), i32(1), np.array([False]))
    c.add("ResourceGather", "string", strings, i32(1, 1, 0), dtype=tf.string)
    c.add("ResourceGather", "batch_dims", matrix(2, 3), np.array([[2, 0], [1, 1]]),
          batch_dims=1, dtype=tf.float32)
    c.add("ResourceGather", "empty", matrix(3, 2), np.zeros([0, 4], np.int32),
          dtype=tf.float32)
    c.add("ResourceGather", "scalar", matrix(3, 2), np.array(2), dtype=tf.float32)
    c.add("ResourceGather", "too large", matrix(3, 2), i32(3), dtype=tf.float32,
          text="= 3 is not in [0, 3)")


# Each row holds the op, what is wrong, the value of the variable, the other
# inputs, and words of the error.
REFUSED = [
    ("Assign", "another shape", matrix(1, 2), [matrix(2, 2)],
     "Assign requires shapes of both tensors to match. lhs shape= [1,2] rhs shape= [2,2]"),
    ("Assign", "another rank", matrix(1, 2), [matrix(1, 2)[0]],
     "Assign requires shapes of both tensors to match. lhs shape= [1,2] rhs shape= [2]"),
    ("AssignAdd", "another shape", matrix(1, 2), [matrix(2, 1)], "must be the same size"),
    ("AssignSub", "scalar", matrix(1, 2), [np.float32(1)], "must be the same size"),
    ("ScatterUpdate", "an index of empty rows", np.zeros([3, 0], np.float32),
     [i32(1, 9), np.zeros([2, 0], np.float32)], "= 9 is not in [0, 3)"),
] + [
    row for what in ("Add", "Sub", "Update") for row in (
        ("Scatter" + what, "a scalar variable", np.array(1, np.float32),
         [i32(0), np.array([1], np.float32)], "params must be at least 1-D"),
        ("Scatter" + what, "updates of another length", matrix(3, 2),
         [i32(0, 1), matrix(3, 2)], "updates.shape = indices.shape + params.shape[1:]"),
        ("Scatter" + what, "updates of another width", matrix(3, 2),
         [i32(0, 1), matrix(2, 3)], "updates.shape = indices.shape + params.shape[1:]"),
        ("Scatter" + what, "updates of another rank", matrix(3, 2),
         [i32(0, 1), matrix(1, 2)[0]], "updates.shape = indices.shape + params.shape[1:]"),
    )
]


def refused(c):
    c.add("Assign", "the declared shape after another", matrix(2, 2), matrix(1, 2),
          declared=(np.float32, [1, 2]), text="lhs shape= [2,2] rhs shape= [1,2]")
    c.add("Assign", "the shape of the value, not the declared one", matrix(2, 2),
          matrix(2, 2, start=5), declared=(np.float32, [1, 2]))
    c.add("Assign", "the first value of another shape", None, matrix(2, 2),
          declared=(np.float32, [1, 2]), text="lhs shape= [1,2] rhs shape= [2,2]")
    c.add("Assign", "the first value where the rank is unknown", None, matrix(1, 2),
          declared=(np.float32, None), text="lhs shape= [] rhs shape= [1,2]")
    c.add("ApplyGradientDescent", "without a value, and no scalar", None,
          matrix(1, 2), matrix(1, 2), declared=(np.float32, [1, 2]),
          text="Attempting to use uninitialized value")
    c.add("AssignVariableOp", "another shape, validated", matrix(1, 2), matrix(2, 2),
          declared=(np.float32, None), dtype=tf.float32, validate_shape=True,
          text="Expected [1,2] got [2,2]")
    for op, name, before, inputs, text in REFUSED:
        # The variable is declared with an unknown shape. So the kernels check
        # the shapes, and not the shape functions.
        c.add(op, name, before, *inputs, declared=(np.float32, None), text=text)
    c.add("ResourceGather", "scalar variable", np.array(1, np.float32), i32(0),
          declared=(np.float32, None), dtype=tf.float32,
          text="params must be at least 1 dimensional")


def reads(c):
    for name, value in (("matrix", matrix(2, 3)), ("scalar", np.array(2.5)),
                        ("empty", np.zeros([0, 2], np.int32)),
                        ("string", np.array([b"x"], object))):
        dtype = tf.string if value.dtype == object else value.dtype
        c.add("ReadVariableOp", name, value, dtype=dtype)
        for out_type in (tf.int32, tf.int64):
            c.add("VariableShape", f"{name} {out_type.name}", value,
                  out_type=out_type)
        c.add("VarIsInitializedOp", name, value)
        c.add("IsVariableInitialized", name, value)
        c.add("RefIdentity", name, value)
    nothing = {"declared": (np.float32, [2])}
    c.add("VarIsInitializedOp", "without a value", None, **nothing)
    c.add("IsVariableInitialized", "without a value", None, **nothing)
    c.add("IsVariableInitialized", "without elements", None,
          declared=(np.float32, [2, 0]))


def more_rows(c):
    two = i32(2, 0, 2)
    for op in ("ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax"):
        for dtype in NUMBERS + (np.int16, np.uint16, np.uint32, np.uint64):
            if op in ("ScatterMin", "ScatterMax") and dtype in COMPLEXES:
                continue
            name = tf.as_dtype(dtype).name
            before, updates = matrix(3, 2, dtype, 10), matrix(3, 2, dtype, 2)
            c.add("Resource" + op, name, before, two, updates, dtype=dtype)
            if op in ("ScatterMul", "ScatterDiv") or dtype in FLOATS + (np.int32, np.int64):
                c.add(op, name, before, two, updates)
        for prefix in ("", "Resource"):
            attrs = {"dtype": tf.float32} if prefix else {}
            c.add(prefix + op, "one update for all", matrix(3, 2), two, np.float32(2), **attrs)
            c.add(prefix + op, "no index", matrix(3, 2), i32(), np.zeros([0, 2], np.float32),
                  **attrs)
            special = np.array([np.nan, 1, 0, -0.0, np.inf], np.float32)
            c.add(prefix + op, "special", special, i32(0, 1, 2, 3, 4),
                  np.array([1, np.nan, -1, 2, -np.inf], np.float32), **attrs)
            c.add(prefix + op, "index out of range", matrix(3, 2), i32(3), matrix(1, 2),
                  text="= 3 is not in [0, 3)", **attrs)
    for dtype in (np.int8, np.int32, np.int64):
        signed = np.array([7, -7, 7, -8], dtype)
        c.add("ResourceScatterDiv", f"signed {np.dtype(dtype)}", signed, i32(0, 1, 2, 3),
              np.array([2, 2, -2, 3], dtype), dtype=dtype)
        c.add("ResourceScatterDiv", f"by zero {np.dtype(dtype)}", signed, i32(0, 1),
              np.array([2, 0], dtype), dtype=dtype, text="updates must not contain 0")
        c.add("ResourceScatterDiv", f"by zeros {np.dtype(dtype)}", signed, i32(0),
              np.array(0, dtype), dtype=dtype, text="updates must not contain 0")
        c.add("ResourceScatterMul", f"wraps {np.dtype(dtype)}",
              np.array([np.iinfo(dtype).max], dtype), i32(0), np.array([3], dtype), dtype=dtype)
    c.add("ResourceScatterDiv", "by zero", matrix(1, 2), i32(0), np.zeros([1, 2], np.float32),
          dtype=tf.float32, text="updates must not contain 0")
    c.add("ScatterDiv", "by zero", matrix(1, 2), i32(0), np.zeros([1, 2], np.float32))


def column(*numbers, dtype=np.int32):
    return np.array(numbers, dtype).reshape(-1, 1)


# Each row holds what is wrong, the value of the variable, the indices, the updates, and words
# of the error.
WRONG_COORDINATES = [
    ("range", matrix(1, 4)[0], column(4), matrix(1, 1)[0],
     "indices[0] = [4] does not index into shape [4]"),
    ("negative", matrix(1, 4)[0], column(0, -1), matrix(1, 2)[0],
     "indices[1] = [-1] does not index into shape [4]"),
    ("second range", matrix(2, 2), i32(1, 2)[None], matrix(1, 1)[0],
     "indices[0] = [1, 2] does not index into shape [2,2]"),
    ("scalar indices", matrix(1, 4)[0], np.int32(0), matrix(1, 1)[0], ""),
    ("scalar updates", matrix(1, 4)[0], column(1), np.float32(1), ""),
    ("scalar variable", np.array(1, np.float32), column(0), matrix(1, 1)[0], ""),
    ("many updates", matrix(1, 4)[0], column(1), matrix(1, 2)[0], ""),
    ("deep updates", matrix(1, 4)[0], column(1), matrix(1, 1), ""),
    ("deep indices", matrix(1, 4)[0], i32(1, 1)[None], matrix(1, 1)[0], ""),
    ("nothing", np.zeros([0], np.float32), column(0), matrix(1, 1)[0],
     "Indices and updates specified for empty output"),
    ("no coordinates", matrix(1, 3)[0], np.zeros([1, 0], np.int32), matrix(1, 3),
     "Indices and updates specified for empty output"),
]


def coordinates(c):
    unknown = {"declared": (np.float32, None)}
    for what in ("Update", "Add", "Sub", "Max", "Min"):
        for op in ("ScatterNd" + what, "ResourceScatterNd" + what):
            for dtype in NUMBERS + (np.int16, np.uint16, np.uint32, np.uint64):
                if dtype in COMPLEXES and what in ("Max", "Min"):
                    continue
                c.add(op, tf.as_dtype(dtype).name, matrix(3, 2, dtype, 10), column(2, 0, 2),
                      matrix(3, 2, dtype, 9))
            c.add(op, "points", matrix(2, 3), np.array([[1, 0], [0, 2]], np.int64), -matrix(1, 2)[0])
            c.add(op, "a matrix of rows", matrix(4, 2), np.array([[[0], [1]], [[3], [1]]], np.int32),
                  -matrix(4, 2).reshape(2, 2, 2))
            special = np.array([np.nan, 1, 0, -0.0, np.inf], np.float32)
            c.add(op, "special", special, column(0, 1, 2, 3, 4), special[[1, 0, 3, 2, 4]].copy())
            c.add(op, "no updates", matrix(1, 3)[0], np.zeros([0, 1], np.int32),
                  np.zeros([0], np.float32))
            c.add(op, "no elements", np.zeros([0], np.float32), np.zeros([0, 1], np.int32),
                  np.zeros([0], np.float32))
            for name, before, indices, updates, text in WRONG_COORDINATES:
                c.add(op, name, before, indices, updates, text=text, **unknown)
    bools = np.array([True, True, False, False])
    for op in ("ResourceScatterNdUpdate", "ResourceScatterNdAdd", "ResourceScatterNdSub",
               "ScatterNdUpdate"):
        c.add(op, "bool", bools, column(0, 1, 2, 3), bools[[0, 2, 1, 3]].copy())
    texts = np.array([b"a", b"long enough to leave the object", b"c"], object)
    for op in ("ResourceScatterNdUpdate", "ScatterNdUpdate"):
        c.add(op, "string", texts, column(2, 0), texts[1:].copy())
    for dtype in NUMBERS + (np.int16, np.uint16, np.uint32, np.uint64):
        c.add("ResourceGatherNd", tf.as_dtype(dtype).name, matrix(3, 2, dtype), column(2, 0, 2),
              dtype=dtype)
    given = dict(unknown, dtype=tf.float32)
    for name, before, indices in (
            ("points", matrix(3, 2), np.array([[1, 0], [2, 1]], np.int64)),
            ("whole", matrix(3, 2), np.zeros([2, 0], np.int32)),
            ("vector", matrix(3, 2), i32(1)),
            ("nothing", matrix(3, 2), np.zeros([0, 1], np.int32)),
            ("nothing of nothing", np.zeros([0, 2], np.float32), np.zeros([0, 1], np.int32))):
        c.add("ResourceGatherNd", name, before, indices, **given)
    for name, before, indices, text in (
            ("range", matrix(3, 2), column(3), "indices[0] = [3] does not index into param shape [3,2]"),
            ("negative", matrix(3, 2), column(-1), "indices[0] = [-1] does not index into param shape [3,2]"),
            ("deep", matrix(3, 2), i32(0, 0, 0)[None],
             "index innermost dimension length must be <= params rank; saw: 3 vs. 2"),
            ("scalar variable", np.array(1, np.float32), column(0), "params must be at least a vector"),
            ("scalar indices", matrix(3, 2), np.int32(0), "indices must be at least a vector"),
            ("row of nothing", np.zeros([0, 2], np.float32), column(0),
             "Requested more than 0 entries, but params is empty.  Params shape: [0,2]")):
        c.add("ResourceGatherNd", name, before, indices, text=text, **given)
    c.add("ResourceGatherNd", "string", texts, column(1, 1, 0), dtype=tf.string)
    c.add("ResourceGatherNd", "bool", bools, column(1, 2), dtype=tf.bool)


# Each row holds the begin, the end and the strides of a slice of a 3 x 3 matrix, the masks,
# the shape of the value, and words of the error or None.
SLICES = [
    ([1, 0], [3, 2], [1, 1], {}, [2, 2], None), ([1, 0], [3, 2], [1, 1], {}, [1, 2], None),
    ([1, 0], [3, 2], [1, 1], {}, [2, 1], None), ([1, 0], [3, 2], [1, 1], {}, [2], None),
    ([1, 0], [3, 2], [1, 1], {}, [], None), ([1, 0], [3, 2], [1, 1], {}, [1, 1], None),
    ([2, 1], [-9, -9], [-1, -1], {}, [3, 2], None), ([0, 0], [3, 3], [2, 2], {}, [2, 2], None),
    ([1, 0], [3, 2], [1, 1], {"shrink_axis_mask": 2}, [2], None),
    ([1, 0], [3, 2], [1, 1], {"new_axis_mask": 2}, [2, 1, 3], None),
    ([1, 0], [3, 2], [1, 1], {"begin_mask": 3, "end_mask": 3}, [3, 3], None),
    ([1], [2], [1], {"shrink_axis_mask": 1}, [3], None), ([1], [2], [1], {}, [1, 3], None),
    ([1, 0], [1, 2], [1, 1], {}, [0, 2], None), ([1, 0], [1, 2], [1, 1], {}, [1], None),
    ([0, 1], [0, 2], [1, 1], {"ellipsis_mask": 1, "shrink_axis_mask": 2}, [3], None),
    ([1, 0], [3, 2], [1, 1], {}, [2, 3], "Cannot broadcast input shape [2,3] into final shape [2,2]"),
    ([1, 0], [3, 2], [1, 1], {}, [2, 2, 1], "Cannot broadcast input shape [2,2,1] into final shape [2,2]"),
    ([1, 0], [3, 2], [0, 1], {}, [2, 2], "strides[0] must be non-zero"),
    ([1], [3, 2], [1, 1], {}, [2, 2], "Expected begin, end, and strides to be 1D equal size tensors"),
    ([[1, 0]], [3, 2], [1, 1], {}, [2, 2], ""),
    ([5, 0], [6, 1], [1, 1], {"shrink_axis_mask": 1}, [1], "slice index 5 of dimension 0 out of bounds."),
]


def slices(c):
    for op in ("StridedSliceAssign", "ResourceStridedSliceAssign"):
        for number, (begin, end, strides, masks, shape, text) in enumerate(SLICES):
            index = np.int64 if number % 2 else np.int32
            value = -np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)
            c.add(op, f"{number} {shape}", matrix(3, 3), *[np.array(v, index) for v in (begin, end, strides)],
                  value, declared=(np.float32, None), text=text, **masks)
        for dtype in NUMBERS + (np.int16, np.uint16, np.uint32, np.uint64):
            c.add(op, tf.as_dtype(dtype).name, matrix(3, 2, dtype), i32(1), i32(3), i32(1),
                  matrix(2, 2, dtype, 7))
        for name, value in (("string", np.array([b"a", b"long enough to leave the object"], object)),
                            ("bool", np.array([True, False]))):
            c.add(op, name, value, i32(0), i32(1), i32(1), value[1:].copy())
        c.add(op, "scalar", np.array(1, np.float32), i32(), i32(), i32(), np.float32(2))


def counts(c):
    for op in ("CountUpTo", "ResourceCountUpTo"):
        for dtype in (np.int32, np.int64):
            attrs = {"T": dtype} if op.startswith("Resource") else {}
            name = np.dtype(dtype).name
            c.add(op, name, np.array(3, dtype), limit=5, **attrs)
            c.add(op, f"the last {name}", np.array(-1, dtype), limit=0, **attrs)
            c.add(op, f"the limit {name}", np.array(3, dtype), limit=3, text="Reached limit of 3",
                  **attrs)
            c.add(op, f"beyond the limit {name}", np.array(3, dtype), limit=2,
                  text="Reached limit of 2", **attrs)
        attrs = {"T": np.int32} if op.startswith("Resource") else {}
        c.add(op, "vector", i32(3), limit=9, declared=(np.int32, None),
              text="input is not a scalar: [1]", **attrs)
        c.add(op, "large limit", np.array(3, np.int32), limit=2**40, text="out of range for an int32",
              **attrs)


def main():
    cases = Cases()
    for family in (dense, rows, refused, reads, more_rows, coordinates, slices, counts):
        family(cases)
    write_cases(os.path.join(FOLDER, "variable_cases.jsonl"), cases.lines)


if __name__ == "__main__":
    main()
