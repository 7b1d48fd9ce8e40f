# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of shapes and values that the other families do not have: scalars, empty
tensors, tensors so large that several threads share the work, NaN and infinity."""

import numpy as np

from make_cases import Ramp

INF, NAN = float("inf"), float("nan")
SPECIAL = np.array([[NAN, INF, -INF], [0.0, -0.0, 1.5]], np.float32)
EMPTY = np.zeros([0, 3], np.float32)
LARGE = Ramp(np.float32, [70, 300], -3, 0.01, 601)
POSITIVE = Ramp(np.float32, [70, 300], 0.5, 0.01, 601)


def f32(*numbers):
    return np.array(numbers, np.float32)


def i32(*numbers):
    return np.array(numbers, np.int32)


def scalar(number, dtype=np.float32):
    return np.array(number, dtype)


def element_wise(case):
    activations = ("Relu", "Relu6", "Elu", "Softplus", "LeakyRelu")
    positive = ("Sqrt", "Rsqrt", "Log", "Log1p", "Reciprocal")
    for op in activations + positive + (
            "Neg", "Square", "Abs", "Sign", "Exp", "Sin", "Cos", "Floor", "Sigmoid",
            "Tanh", "OnesLike", "ZerosLike"):
        large = POSITIVE if op in positive else LARGE
        # These ops add up small terms that cancel each other, so their relative
        # error is larger.
        tolerance = 3e-5 if op in ("Sin", "Cos", "Log", "Log1p", "Elu") else None
        case(op, "of a scalar", scalar(0.75))
        case(op, "of nothing", EMPTY)
        case(op, "of many", large, tolerance=tolerance)
        case(op, "of special values", SPECIAL)
    for op in ("ReluGrad", "Relu6Grad", "EluGrad", "SoftplusGrad", "LeakyReluGrad",
               "ReciprocalGrad", "SqrtGrad", "RsqrtGrad", "SigmoidGrad", "TanhGrad"):
        case(op, "of scalars", scalar(0.75), scalar(2))
        case(op, "of nothing", EMPTY, EMPTY)
        case(op, "of many", POSITIVE, POSITIVE)
        case(op, "of special values", np.ones([2, 3], np.float32), SPECIAL)
    for op in ("L2Loss",):
        case(op, "of special values", SPECIAL)


def binary(case):
    matrix, row = LARGE, Ramp(np.float32, [300], 1, 0.01, 601)
    for op in ("Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "FloorDiv",
               "FloorMod", "Div", "RealDiv", "SquaredDifference", "DivNoNan",
               "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"):
        case(op, "of scalars", scalar(0.75), scalar(2))
        case(op, "of a row and nothing", EMPTY, f32(1, 2, 3))
        case(op, "of nothing and a column", np.zeros([1, 0], np.float32),
             np.ones([2, 1], np.float32))
        case(op, "of many and a row", matrix, row)
        case(op, "of special values", SPECIAL, np.full([2, 3], 2, np.float32))
        case(op, "of two special values", SPECIAL, SPECIAL[:, ::-1].copy())
    case("Pow", "of scalars", scalar(0.75), scalar(2))
    case("Pow", "of nothing", EMPTY, scalar(2))
    case("Pow", "of many and a row", POSITIVE, Ramp(np.float32, [300], -2, 0.01, 301),
         tolerance=2e-5)
    mask = np.array([True, False])
    for op in ("LogicalAnd", "LogicalOr"):
        case(op, "of scalars", np.array(True), np.array(False))
        case(op, "of a column and a row", mask[:, None], mask)
        case(op, "of nothing", np.zeros([0, 2], bool), mask)
        case(op, "of many", Ramp(bool, [70, 300], 0, 1, 2), Ramp(bool, [300], 0, 1, 2))
    case("LogicalNot", "of a scalar", np.array(True))
    case("LogicalNot", "of nothing", np.zeros([0], bool))
    case("LogicalNot", "of many", Ramp(bool, [70, 300], 0, 1, 2))
    case("AddN", "of special values", [SPECIAL, SPECIAL[:, ::-1].copy()])
    case("AddN", "of many", [LARGE, POSITIVE, LARGE], tolerance=1e-5)
    for op in ("SelectV2", "Select"):
        case(op, "of special values", np.isnan(SPECIAL), np.zeros([2, 3], np.float32),
             SPECIAL)
        case(op, "of nothing", np.zeros([0, 3], bool), EMPTY, EMPTY)
        case(op, "of many", Ramp(bool, [70, 300], 0, 1, 2), LARGE, POSITIVE)
        case(op, "of scalars", np.array(True), scalar(1), scalar(2))


def reductions(case):
    for op in ("Sum", "Mean", "Prod", "Max", "Min"):
        case(op, "of special values", SPECIAL, i32(0))
        case(op, "of special values by the last axis", SPECIAL, i32(-1))
    case("Prod", "of many", Ramp(np.float32, [70, 300], 0.9, 0.001, 201), i32(-1),
         tolerance=2e-5)
    for op in ("All", "Any"):
        case(op, "of many", Ramp(bool, [70, 300], 0, 1, 2), i32(-1))
    for op in ("Cumsum", "Cumprod"):
        case(op, "of special values", SPECIAL, scalar(-1, np.int32))
        case(op, "of many", Ramp(np.float64, [70, 300], 0.99, 0.0001, 201),
             scalar(-2, np.int32))
    for op in ("ArgMax", "ArgMin"):
        case(op, "of special values", SPECIAL, scalar(-1, np.int32))


def neural(case):
    for op in ("Softmax", "LogSoftmax"):
        case(op, "of -infinity", f32(-INF, 0, 1)[None], tolerance=1e-5)
        case(op, "of NaN", np.full([1, 3], NAN, np.float32))
        case(op, "of many", LARGE, tolerance=3e-5)
        case(op, "of a large range", f32(1000, -1000, 0)[None], tolerance=1e-5)
    many = Ramp(np.float32, [70, 300], 0.0, 0.0001, 601)
    case("SoftmaxCrossEntropyWithLogits", "of many", LARGE, many, tolerance=5e-5)
    case("SoftmaxCrossEntropyWithLogits", "of nothing", EMPTY, EMPTY)
    case("SoftmaxCrossEntropyWithLogits", "of special values", SPECIAL,
         np.full([2, 3], 1 / 3, np.float32))
    case("SparseSoftmaxCrossEntropyWithLogits", "of many", LARGE,
         Ramp(np.int32, [70]), tolerance=5e-5)
    case("SparseSoftmaxCrossEntropyWithLogits", "of special values", SPECIAL, i32(0, 1))
    case("BiasAdd", "of many", LARGE, Ramp(np.float32, [300], -1, 0.01, 201))
    case("BiasAdd", "of special values", SPECIAL, f32(1, NAN, INF))
    case("BiasAddGrad", "of many", LARGE, tolerance=1e-4)
    case("BiasAddGrad", "of special values", SPECIAL)
    case("MatMul", "of many", LARGE, Ramp(np.float32, [300, 40], -1, 0.01, 201),
         tolerance=1e-3)
    case("MatMul", "of special values", SPECIAL, np.eye(3, dtype=np.float32))
    case("BatchMatMulV2", "of many", Ramp(np.float32, [20, 30, 40], -1, 0.01, 201),
         Ramp(np.float32, [1, 40, 30], -1, 0.01, 173), tolerance=1e-3)
    case("TopKV2", "of nothing", EMPTY, scalar(2, np.int32))
    case("TopKV2", "of many", LARGE, scalar(3, np.int32))
    case("InTopKV2", "of many", Ramp(np.float32, [70, 300], 0, 0.37, 9973),
         Ramp(np.int32, [70]), scalar(30, np.int32))
    case("InTopKV2", "of nothing", EMPTY, i32(), scalar(1, np.int32))
    case("InTopKV2", "of special values", SPECIAL, i32(2, 2), scalar(1, np.int32))
    case("InTopK", "of nothing", EMPTY, i32(), k=1)
    case("InTopK", "of many", LARGE, Ramp(np.int32, [70]), k=30)
    case("LRN", "of many", Ramp(np.float32, [2, 9, 11, 16], -3, 0.01, 601),
         tolerance=1e-4)
    images = Ramp(np.float32, [4, 17, 19, 6], -3, 0.01, 601)
    window = {"ksize": [1, 3, 3, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    case("MaxPool", "of many", images, **window)
    case("AvgPool", "of many", images, tolerance=1e-4, **window)
    case("MaxPool", "of special values", SPECIAL.reshape(1, 2, 3, 1),
         ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    case("AvgPool", "of special values", SPECIAL.reshape(1, 2, 3, 1),
         ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    case("Conv2D", "of many", images, Ramp(np.float32, [3, 3, 6, 8], -1, 0.01, 201),
         strides=[1, 1, 1, 1], padding="SAME", tolerance=1e-3)
    # There is no case without images, because TensorFlow's result has a wrong
    # shape then.
    case("Conv2DBackpropInput", "of many", i32(4, 17, 19, 6),
         Ramp(np.float32, [3, 3, 6, 8], -1, 0.01, 201),
         Ramp(np.float32, [4, 17, 19, 8], -1, 0.01, 173), strides=[1, 1, 1, 1],
         padding="SAME", tolerance=1e-3)
    case("Conv2DBackpropFilter", "of many", images, i32(3, 3, 6, 8),
         Ramp(np.float32, [4, 17, 19, 8], -1, 0.01, 173), strides=[1, 1, 1, 1],
         padding="SAME", tolerance=3e-3)


def arrays(case):
    zero = scalar(0, np.int32)
    case("Fill", "with NaN", i32(2, 2), scalar(NAN))
    case("Fill", "many", i32(70, 300), scalar(1.5))
    case("Range", "of nothing", scalar(3, np.int32), scalar(3, np.int32),
         scalar(1, np.int32))
    case("Range", "of many", scalar(0, np.int64), scalar(100000, np.int64),
         scalar(7, np.int64))
    case("Range", "backwards", scalar(1.0), scalar(-1.0), scalar(-0.25))
    case("OneHot", "of nothing", i32(), scalar(3, np.int32), scalar(1), scalar(0))
    case("OneHot", "of many", Ramp(np.int32, [300]), scalar(70, np.int32), scalar(1),
         scalar(NAN))
    case("OneHot", "negative axis", i32(0, 2), scalar(3, np.int32), scalar(1),
         scalar(0), axis=-1)
    for op in ("Shape", "Size", "Rank"):
        case(op, "of nothing", EMPTY)
        case(op, "of many", LARGE)
        case(op, "of a scalar", scalar(1))
    case("ShapeN", "of several kinds", [EMPTY, scalar(1), np.ones([2, 3, 1], np.float32)])
    case("Reshape", "of many", LARGE, i32(300, -1))
    case("Squeeze", "of nothing", np.zeros([1, 0, 1], np.float32))
    case("Squeeze", "negative axis", np.ones([2, 1], np.float32), squeeze_dims=[-1])
    case("ExpandDims", "of nothing", EMPTY, zero)
    case("ExpandDims", "of a scalar, negative axis", scalar(1), scalar(-1, np.int32))
    case("ConcatOffset", "of no extent", zero, [i32(0, 3), i32(2, 3), i32(0, 3)])
    case("BroadcastTo", "of nothing", EMPTY, i32(2, 0, 3))
    case("BroadcastTo", "many", f32(1, NAN, INF), i32(700, 3))
    case("Split", "of nothing", scalar(-1, np.int32), EMPTY, num_split=3)
    case("Split", "of many", scalar(-1, np.int32), LARGE, num_split=3)
    case("SplitV", "of nothing", EMPTY, i32(0, 3), scalar(-1, np.int32), num_split=2)
    case("SplitV", "of many", LARGE, i32(100, -1), scalar(-1, np.int32), num_split=2)
    case("Unpack", "of nothing", EMPTY, num=3, axis=-1)
    case("Unpack", "of many", LARGE, num=70)
    case("Pack", "of many", [LARGE, POSITIVE], axis=-1)
    case("Pack", "of nothing", [EMPTY, EMPTY], axis=-1)
    case("ConcatV2", "of many", [LARGE, POSITIVE], scalar(-1, np.int32))
    case("ConcatV2", "of special values", [SPECIAL, SPECIAL], scalar(-1, np.int32))
    case("Slice", "of nothing", EMPTY, i32(0, 1), i32(-1, 2))
    case("Slice", "of many", LARGE, i32(3, 5), i32(60, -1))
    case("StridedSlice", "of many", LARGE, i32(-1, 299), i32(0, 0), i32(-2, -1))
    case("StridedSliceGrad", "of nothing", i32(4, 3), i32(1, 0), i32(1, 3), i32(1, 1),
         EMPTY)
    case("StridedSliceGrad", "of many", i32(140, 300), i32(0, 0), i32(140, 300),
         i32(2, 1), LARGE)
    case("Transpose", "of many", LARGE, i32(1, 0))
    case("Transpose", "of special values", SPECIAL, i32(1, 0))
    case("Tile", "of many", LARGE, i32(2, 1))
    case("Pad", "of many", LARGE, np.array([[1, 2], [0, 3]], np.int32))
    case("Pad", "of special values", SPECIAL, np.array([[1, 0], [0, 1]], np.int32))
    case("Gather", "of nothing", EMPTY, i32())
    case("Gather", "of many", LARGE, Ramp(np.int32, [200], 0, 1, 70))
    case("GatherV2", "of many, negative axis", LARGE, Ramp(np.int32, [200]),
         scalar(-1, np.int32))
    case("GatherV2", "of special values", SPECIAL, i32(1, 0, 1), zero)
    case("GatherNd", "of many", LARGE, Ramp(np.int32, [5000, 2], 0, 1, 70))
    case("GatherNd", "of special values", SPECIAL, np.array([[0], [1]], np.int32))
    case("ScatterNd", "of many", Ramp(np.int32, [300, 1], 0, 1, 100),
         Ramp(np.float32, [300, 70], -3, 0.01, 601), i32(100, 70), tolerance=1e-4)
    case("UnsortedSegmentSum", "of many", LARGE, Ramp(np.int32, [70], 0, 1, 7),
         scalar(7, np.int32), tolerance=1e-4)
    case("UnsortedSegmentSum", "of special values", SPECIAL, i32(0, 0),
         scalar(1, np.int32))
    case("DynamicStitch", "of many", [Ramp(np.int32, [70]), Ramp(np.int32, [70], 30)],
         [LARGE, POSITIVE])
    case("DynamicStitch", "of special values", [i32(1, 0)], [SPECIAL])
    case("Unique", "of many", Ramp(np.int32, [5000], 3, 7, 1001))
    case("Where", "of many", Ramp(bool, [70, 300], 0, 1, 2))
    case("Where", "of special values", SPECIAL)
    case("InvertPermutation", "of many", Ramp(np.int32, [3000], 2999, -1))
    case("BroadcastGradientArgs", "of long shapes", i32(1, 5, 1, 3, 1, 4),
         i32(5, 6, 3, 1, 1))
    text = np.array([b"a", b"", b"\xff\x00"], object)
    case("StringJoin", "of nothing", [np.zeros([0], object), np.array(b"x", object)])
    case("StringJoin", "of bytes", [text, text], separator="|")


def cases(case):
    for family in (element_wise, binary, reductions, neural, arrays):
        family(case)
