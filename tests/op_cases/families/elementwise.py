# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of unary and binary arithmetic, comparisons and logic."""

import numpy as np
import tensorflow as tf

BF16 = tf.bfloat16.as_numpy_dtype
FLOATS = [np.float32, np.float64, np.float16, BF16]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
NAN, INF = np.nan, np.inf
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 1e-3, 100.0, INF, -INF, NAN]
# The squares of some of these numbers overflow.
EXTREMES = [0.0, -0.0, 0.5, 300.0, 1e30, INF, -INF, NAN]


def short(dtype):
    return tf.as_dtype(dtype).name


def shapes(case, op, dtype):
    """Adds cases of broadcasting and of empty shapes, with small positive values."""
    def v(*shape):
        n = int(np.prod(shape))
        return (np.arange(n) % 7 + 1).astype(dtype).reshape(shape)
    pairs = [((), ()), ((3,), ()), ((), (3,)), ((2, 3), (2, 3)), ((2, 3), (3,)),
             ((3,), (2, 3)), ((2, 1), (1, 3)), ((2, 1, 4), (3, 1)), ((0, 3), (3,)),
             ((0,), ()), ((1,), (0,)), ((2, 3, 4), (2, 1, 4)), ((1, 1), (1,)),
             ((2, 3, 2, 3), (3, 1, 3)), ((1,), ()), ((), (1, 1)), ((5, 1), (5, 17)),
             ((17,), (17,))]
    for a, b in pairs:
        case(op, f"shapes {a} {b}", v(*a), v(*b) + v(*b))


def binary(case):
    for op in ["Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "FloorDiv", "FloorMod",
               "Div", "Less", "Equal", "RealDiv", "SquaredDifference", "Pow"]:
        shapes(case, op, np.float32)
        case(op, "incompatible", np.ones([2], np.float32), np.ones([3], np.float32))
    few = [0.0, -0.0, 1.5, -2.5, 100.0, INF, -INF, NAN]
    x, y = np.meshgrid(few, few)
    for dtype in FLOATS:
        for op in ["Add", "AddV2", "Sub", "Mul", "SquaredDifference", "Maximum", "Minimum",
                   "Div", "RealDiv", "DivNoNan", "FloorDiv", "FloorMod", "Pow", "Equal",
                   "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]:
            case(op, f"special {short(dtype)}", x.astype(dtype), y.astype(dtype))
    for dtype in SIGNED + UNSIGNED:
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1]
        divisors = [1, 2, 3, 7, info.max]
        if info.min < 0:
            values += [-1, -7]
            divisors += [-2, -3, -7]
        a, b = np.meshgrid(np.array(values, dtype), np.array(divisors, dtype))
        ops = ["AddV2", "Sub", "Mul", "Maximum", "Minimum", "Div", "FloorDiv", "FloorMod",
               "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]
        if dtype in (np.int32, np.int64):
            ops.append("SquaredDifference")
        if dtype not in (np.uint16, np.uint32, np.uint64):
            ops.append("Add")
        for op in ops:
            case(op, f"integers {short(dtype)}", a, b)
        for op in ["Div", "FloorDiv", "FloorMod"]:
            case(op, f"by zero {short(dtype)}", a[0], np.zeros_like(a[0]),
                 text="Integer division by zero")
        if info.min < 0:
            case("Pow", f"integers {short(dtype)}", np.array([0, 1, 2, -3, 5], dtype),
                 np.array([0, 5, 6, 3, 2], dtype))
            case("Pow", f"negative {short(dtype)}", np.array([2], dtype), np.array([-1], dtype),
                 text="Integers to negative integer powers are not allowed")
    case("Pow", "reals", np.linspace(0.1, 9, 20).astype(np.float32),
         np.linspace(-3, 4, 20).astype(np.float32))


def unary(case):
    dense = np.concatenate([np.linspace(-8, 8, 41), [-90, -88, 88, 90, 1e-6, -1e-6, 1e4]])
    for op in ["Neg", "Square", "Abs", "Sign", "Reciprocal", "Sqrt", "Rsqrt", "Exp", "Log",
               "Log1p", "Sin", "Cos", "Floor", "Sigmoid", "Tanh"]:
        for dtype in FLOATS:
            case(op, f"special {short(dtype)}", np.array(SPECIAL).astype(dtype))
            case(op, f"dense {short(dtype)}", dense.astype(dtype))
        case(op, "scalar", np.float32(0.5))
        case(op, "empty", np.zeros([0, 3], np.float32))
    for dtype in SIGNED:
        info = np.iinfo(dtype)
        values = np.array([0, 1, -1, 5, -5, info.max, info.min + 1], dtype)
        for op in ["Neg", "Square", "Abs", "Sign"]:
            case(op, short(dtype), values)
    for dtype in UNSIGNED:
        case("Square", short(dtype), np.array([0, 1, 5, 255], dtype))
    y = np.array([0.5, -0.5, 1, 2, 0.25, NAN], np.float32)
    dy = np.array([1, 2, -3, INF, 0, 1], np.float32)
    for op in ["ReciprocalGrad", "SqrtGrad", "RsqrtGrad", "SigmoidGrad", "TanhGrad"]:
        for dtype in FLOATS:
            case(op, short(dtype), y.astype(dtype), dy.astype(dtype))
            # There are 64 pairs, a multiple of 16. TensorFlow computes pairs
            # beyond a multiple of 16 in another order.
            y2, dy2 = np.meshgrid(np.array(EXTREMES).astype(dtype),
                                  np.array(EXTREMES).astype(dtype))
            case(op, f"extremes {short(dtype)}", y2, dy2)
        case(op, "empty", np.zeros([0], np.float32), np.zeros([0], np.float32))


def logic(case):
    a, b = np.array([[True, True], [False, False]]), np.array([True, False])
    case("LogicalAnd", "broadcast", a, b)
    case("LogicalOr", "broadcast", a, b)
    case("LogicalNot", "matrix", a)
    case("LogicalNot", "scalar", np.array(True))
    s = np.array([b"a", b"bb", b""], object)
    for op in ["Equal", "NotEqual"]:
        case(op, "strings", s, np.array([b"a", b"b", b""], object))
        case(op, "string scalar", s, np.array(b"bb", object))
        case(op, "bool", a, b)
        case(op, "complex", np.array([1 + 2j, 3], np.complex64), np.array([1 + 2j, 4], np.complex64))
        case(op, "lenient", np.zeros([2], np.float32), np.zeros([3], np.float32),
             incompatible_shape_error=False)
    for dtype in FLOATS + [np.int32]:
        case("AddN", f"three {short(dtype)}",
             [np.array([[1, 2], [3, 4]], dtype), np.array([[5, 6], [7, 8]], dtype),
              np.array([[1, 1], [2, 2]], dtype)])
    case("AddN", "one", [np.array([1, 2], np.float32)])
    case("AddN", "empty", [np.zeros([0], np.float32)] * 2)
    case("AddN", "shapes", [np.zeros([1], np.float32), np.zeros([2], np.float32)],
         text="must have the same size and shape")
    case("Select", "same", b, np.array([1., 2.], np.float32), np.array([3., 4.], np.float32))
    case("Select", "scalar", np.array(False), np.ones([2, 2], np.float32), np.zeros([2, 2], np.float32))
    case("Select", "rows", b, np.ones([2, 3], np.int32), np.zeros([2, 3], np.int32))
    case("Select", "strings", b, np.array([b"x", b"y"], object), np.array([b"u", b"v"], object))
    case("Select", "mismatch", b, np.ones([2], np.float32), np.ones([3], np.float32))
    case("Select", "condition", np.array([True]), np.ones([2], np.float32), np.ones([2], np.float32))
    case("SelectV2", "broadcast", b, np.ones([3, 1], np.float32), np.float32(7))
    case("SelectV2", "same", a, np.ones([2, 2], np.int64), np.zeros([2, 2], np.int64))
    case("SelectV2", "empty", np.zeros([0], bool), np.zeros([0], np.float32), np.float32(1))
    case("SelectV2", "mismatch", b, np.ones([3], np.float32), np.ones([3], np.float32))


def cases(case):
    binary(case)
    unary(case)
    logic(case)
