# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of reductions, arg reductions, cumulative ops and L2Loss."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp

BF16 = tf.bfloat16.as_numpy_dtype
FLOATS = [np.float32, np.float64, np.float16, BF16]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
NAN, INF = np.nan, np.inf


def name(dtype):
    return tf.as_dtype(dtype).name


def axes(*values, dtype=np.int32):
    return np.array(values, dtype).reshape([len(values)])


def v(dtype, *shape):
    n = int(np.prod(shape))
    return (np.arange(n) % 5 + 1).astype(dtype).reshape(shape)


def reductions(case):
    for op in ["Sum", "Mean", "Prod", "Max", "Min"]:
        for dtype in FLOATS + INTS:
            for axis in [(0,), (1,), (-1,), (0, 2), (1, 2), (0, 1, 2), ()]:
                if dtype == np.float32 or axis == (1,):
                    case(op, f"{name(dtype)} {axis}", v(dtype, 2, 3, 4), axes(*axis))
        case(op, "keep_dims", v(np.float32, 2, 3, 4), axes(0, 2), keep_dims=True)
        case(op, "rank 5", v(np.float32, 2, 3, 2, 2, 3), axes(0, 2, 4))
        case(op, "int64 axes", v(np.float32, 2, 3), axes(1, dtype=np.int64))
        case(op, "scalar axis", v(np.float32, 2, 3), np.int32(1))
        case(op, "scalar", np.float32(3), axes())
        case(op, "empty", np.zeros([0, 3], np.float32), axes(0))
        case(op, "empty result", np.zeros([0, 3], np.float32), axes(1))
        case(op, "empty half", np.zeros([0, 3], np.float16), axes(0))
        case(op, "empty double", np.zeros([2, 0], np.float64), axes(-1))
        case(op, "empty int32", np.zeros([2, 0], np.int32), axes(-1))
        case(op, "special", np.array([[1, NAN, 2], [INF, 1, -INF], [INF, 1, 2], [-INF, -INF, 0],
                                      [NAN, NAN, NAN]], np.float32), axes(1))
        case(op, "special columns", np.array([[1, NAN, INF], [2, 1, -INF], [3, 1, 2]],
                                             np.float32), axes(0))
        case(op, "axis out of range", v(np.float32, 2, 3), axes(2),
             text="Invalid reduction dimension (2 for input with 2 dimension(s)")
        case(op, "axis twice", v(np.float32, 2, 3), axes(0, -2), text="duplicate dimension")
    for op in ["Sum", "Mean", "Max", "Min"]:
        big = Ramp(np.float32, [300000], -50, 0.125, 801)
        case(op, "large", big, axes(0), tolerance=2e-6)
        case(op, "large rows", Ramp(np.float32, [8, 50001], -3, 0.5, 61), axes(1), tolerance=2e-6)
        case(op, "large columns", Ramp(np.float32, [30000, 7], -3, 0.5, 61), axes(0), tolerance=2e-6)
        case(op, "wide columns", Ramp(np.float32, [400, 600], 0, 0.5, 61), axes(0), tolerance=2e-6)
        case(op, "middle", Ramp(np.int64, [3, 700, 50], -1000, 7, 999983), axes(1))
    case("Sum", "bfloat16 many", Ramp(BF16, [4096], 1, 0, 2), axes(0))
    case("Sum", "half many", Ramp(np.float16, [2048], 1, 0, 2), axes(0))
    for op in ["All", "Any"]:
        b = np.array([[True, False], [True, True], [False, False]])
        for axis in [(0,), (1,), (0, 1), ()]:
            case(op, f"{axis}", b, axes(*axis))
        case(op, "empty", np.zeros([2, 0], bool), axes(1))
        case(op, "scalar", np.array(True), axes())


def arg_reductions(case):
    for op in ["ArgMax", "ArgMin"]:
        for dtype in FLOATS + INTS:
            case(op, f"ties {name(dtype)}", np.array([[1, 3, 3, 0], [0, 0, 5, 5]], dtype), np.int32(1))
        case(op, "axis 0", v(np.float32, 3, 4), np.int32(0))
        case(op, "negative", v(np.float32, 2, 3, 4), np.int32(-2), output_type=tf.int32)
        case(op, "nan", np.array([[NAN, 1, 2], [1, NAN, 2], [NAN, NAN, NAN], [2, 1, NAN],
                                  [-INF, -INF, -5], [INF, INF, 5]], np.float32), np.int32(1))
        case(op, "bool", np.array([False, True, True]), np.int32(0))
        case(op, "empty", np.zeros([0, 3], np.float32), np.int32(1))
        case(op, "empty axis", np.zeros([0, 3], np.float32), np.int32(0), text="is empty in shape")
        case(op, "out of range", v(np.float32, 2), np.int32(1), text="Expected dimension in the range")
        case(op, "vector axis", v(np.float32, 2), axes(0))
        case(op, "large", Ramp(np.float32, [20, 1000], 0, 0.5, 997), np.int32(1))


def cumulative(case):
    for op in ["Cumsum", "Cumprod"]:
        for dtype in FLOATS + [np.int32, np.uint8, np.int64]:
            case(op, name(dtype), v(dtype, 2, 3), np.int32(1))
        for exclusive in [False, True]:
            for reverse in [False, True]:
                case(op, f"{exclusive} {reverse}", v(np.float32, 2, 3, 2), np.int32(-2),
                     exclusive=exclusive, reverse=reverse)
        case(op, "nan", np.array([1, NAN, 2, INF], np.float32), np.int32(0))
        case(op, "empty", np.zeros([0, 2], np.float32), np.int64(0))
        case(op, "out of range", v(np.float32, 2), np.int32(1), text="Expected scan axis")
    for dtype in FLOATS:
        case("L2Loss", name(dtype), v(dtype, 2, 3))
    case("L2Loss", "empty", np.zeros([0], np.float32))
    case("L2Loss", "scalar", np.float32(3))
    case("L2Loss", "nan", np.array([1, NAN], np.float32))
    case("L2Loss", "large", Ramp(np.float32, [100003], -1, 0.25, 17))


def cases(case):
    reductions(case)
    arg_reductions(case)
    cumulative(case)
