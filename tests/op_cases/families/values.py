# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Ops that compare values with each other, and ops that check, copy or read
tensors as they are."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp
from families.moving import EMPTY, NUMBERS, PLAIN, f, i32, i64, v

NAN = np.nan


def some(kind):
    """A few values, some of them twice."""
    return v(kind, 4)[[2, 0, 2, 3, 1, 0]].copy()


def rows(kind):
    """Rows of three, the third like the first."""
    return np.stack([v(kind, 3), v(kind, 3)[::-1], v(kind, 3)])


def uniques(case):
    for kind in NUMBERS + ("bool", "string"):
        case("UniqueV2", kind, some(kind), EMPTY)
        case("UniqueV2", f"rows {kind}", rows(kind), i64(0))
        case("UniqueWithCounts", kind, some(kind))
        case("UniqueWithCountsV2", kind, rows(kind), i64(0), out_idx=tf.int64)
    cube = np.array([[[1, 2], [3, 4], [1, 2]], [[1, 2], [5, 6], [1, 2]]], np.float32)
    special = np.array([[NAN, 1], [NAN, 1], [0, 1], [-0.0, 1]], np.float32)
    for op in ("UniqueV2", "UniqueWithCountsV2"):
        for axis in (0, 1, 2, -1):
            case(op, f"axis {axis}", cube, i32(axis))
        case(op, "special rows", special, i32(0))
        case(op, "special columns", special.T.copy(), i32(1))
        case(op, "special values", special.reshape(-1).copy(), i32(0))
        case(op, "no rows", f(0, 2), i32(0))
        case(op, "rows of nothing", f(2, 0), i32(0))
        case(op, "no columns", f(3, 0), i32(1))
        case(op, "columns of nothing", f(2, 5, 0), i32(1))
        case(op, "large", Ramp(np.int32, [500, 4], modulus=52), i32(0))
        for name, x, axis, text in (
                ("matrix", f(3, 2), EMPTY, "unique expects a 1D vector."),
                ("scalar", f(), EMPTY, "unique expects a 1D vector."),
                ("range", f(2, 2), i32(2), "axis has to be between [0, 2)"),
                ("negative range", f(2, 2), i32(-3), "axis has to be between [0, 2)"),
                ("axis of a scalar", f(), i32(0), "axis has to be between [0, 0)"),
                ("two axes", f(2, 2), i32(0, 1),
                 "axis does not support input tensors larger than 1 elements"),
                ("scalar axis", f(2), np.int32(0), "axis expects a 1D vector.")):
            case(op, name, x, axis, text=text)
    case("UniqueWithCounts", "nan", special.reshape(-1).copy())
    case("UniqueWithCounts", "empty", f(0), out_idx=tf.int64)
    case("UniqueWithCounts", "large", Ramp(np.int64, [3000], modulus=700))
    case("UniqueWithCounts", "matrix", f(1, 2), text="unique expects a 1D vector.")


def differences(case):
    for kind in NUMBERS + ("string",):
        case("ListDiff", kind, some(kind), v(kind, 1))
    case("ListDiff", "int64 positions", f(3), f(2), out_idx=tf.int64)
    case("ListDiff", "nothing", f(0), f(2))
    case("ListDiff", "without nothing", f(2), f(0))
    case("ListDiff", "nothing left", f(2), f(3))
    case("ListDiff", "special", np.array([NAN, 0, -0.0, 1], np.float32),
         np.array([NAN, 0], np.float32))
    case("ListDiff", "large", Ramp(np.int32, [3000]), Ramp(np.int32, [2000], 5, 2))
    case("ListDiff", "matrix", f(2, 1), f(2), text="x should be a 1D vector.")
    case("ListDiff", "scalar", f(2), f(), text="y should be a 1D vector.")


def casts(case):
    for source in ("int8", "half", "float", "double", "complex128", "quint8", "qint16", "qint32"):
        x = v(source, 2, 2)
        for target in ("uint8", "bfloat16", "int32", "int64", "complex64"):
            sizes = [tf.as_dtype(t).size for t in (source, target)]
            if sizes[0] < sizes[1]:
                x = v(source, 2, sizes[1] // sizes[0])
            case("Bitcast", f"{source} {target}", x, type=tf.as_dtype(target))
    case("Bitcast", "to a quantized type", v("int32", 3), type=tf.quint8)
    case("Bitcast", "scalar", np.int32(258), type=tf.int8)
    case("Bitcast", "to a scalar", v("uint8", 4), type=tf.int32)
    case("Bitcast", "nan", np.array([NAN, np.inf, -0.0], np.float32), type=tf.int32)
    case("Bitcast", "no rows", np.zeros([0, 4], np.uint8), type=tf.int32)
    case("Bitcast", "nothing", f(0), type=tf.int8)
    case("Bitcast", "three of four", v("uint8", 1, 3), type=tf.int32, text="Cannot bitcast from")
    case("Bitcast", "other axis", v("uint8", 4, 2), type=tf.int32, text="Cannot bitcast from")
    case("Bitcast", "none of four", np.zeros([0], np.uint8), type=tf.int32,
         text="Cannot bitcast from")
    case("Bitcast", "larger scalar", np.uint8(1), type=tf.int32, text="Cannot bitcast from")


def copies(case):
    for kind in PLAIN:
        case("Snapshot", kind, v(kind, 2, 3))
    for kind in PLAIN + ("string",):
        case("DeepCopy", kind, v(kind, 2, 3))
    for kind in PLAIN + ("string", "qint8", "qint32"):
        case("EnsureShape", kind, v(kind, 2, 3), shape=[2, -1])
    case("DeepCopy", "empty", f(0, 2))
    case("EnsureShape", "scalar", f(), shape=[])
    case("EnsureShape", "extent", f(2, 3), shape=[2, 2],
         text="Shape of tensor input [2,3] is not compatible with expected shape [2,2].")
    case("EnsureShape", "rank", f(2, 3), shape=[-1],
         text="Shape of tensor input [2,3] is not compatible with expected shape [?].")
    case("EnsureShape", "no scalar", f(), shape=[1],
         text="Shape of tensor input [] is not compatible with expected shape [1].")


def broadcasts(case):
    for a, b in (((2, 1), (3,)), ((), (3,)), ((), ()), ((-1,), (1,)), ((0,), (1,)), ((1, 4), (5, 1)),
                 ((-2,), (-2,)), ((7, 1, 2), (7, 6, 1))):
        case("BroadcastArgs", f"{a} {b}", i32(*a), i32(*b))
    case("BroadcastArgs", "large", i64(2**40), i64(1))
    for a, b in (((2, 2), (3,)), ((-1,), (3,)), ((0,), (3,))):
        text = f"Incompatible shapes: [{','.join(map(str, a))}] vs. [3]"
        case("BroadcastArgs", f"{a} {b}", i32(*a), i32(*b), text=text)
    case("BroadcastArgs", "scalar", np.int32(2), i32(1), text="In[0] must be a vector.[]")
    case("BroadcastArgs", "matrix", i32(1), i32(1)[None], text="In[1] must be a vector.[1,1]")


def cases(case):
    for part in (uniques, differences, casts, copies, broadcasts):
        part(case)
