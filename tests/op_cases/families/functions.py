# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Functions of the standard library, roundings, remainders, products that are 0
where a factor is 0, bits, clipping, norms and further activations."""

import numpy as np
import tensorflow as tf
from families.elementwise import shapes, short
from make_cases import Ramp

BF16 = tf.bfloat16.as_numpy_dtype
# Each row holds a dtype and the tolerance for functions of several steps.
FLOATS = [(np.float32, 2e-6), (np.float64, 1e-14), (np.float16, 2e-3), (BF16, 2e-2)]
WIDE = FLOATS[:2]
COMPLEXES = [(np.complex64, 1e-5), (np.complex128, 1e-12)]
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
NAN, INF = np.nan, np.inf
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.5, -0.5, 1e-3, 100.0, INF, -INF, NAN]
TRIGONOMETRY = ["Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh",
                "Expm1"]
ROUNDINGS = ["Ceil", "Round", "Rint"]
ZERO_PRODUCTS = ["MulNoNan", "Xdivy", "Xlogy", "Xlog1py"]
INCOMPATIBLE = "Incompatible shapes: [2] vs. [3]"


def f(*values):
    return np.array(values, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def unary(case):
    dense = np.concatenate([np.linspace(-4, 4, 41), [-90, -8, 8, 90, 1e-6, -1e-6, 1.0625]])
    for dtype, tolerance in FLOATS:
        ops = TRIGONOMETRY + ["Erf", "Erfc", "Inv", "IsNan", "IsInf", "IsFinite", "Selu",
                              "Softsign"]
        for op in ops + (ROUNDINGS if dtype in (np.float32, np.float64) else ROUNDINGS[:2]):
            case(op, f"special {short(dtype)}", np.array(SPECIAL).astype(dtype),
                 tolerance=tolerance)
            # TensorFlow's Selu loses the digits of exp(x) - 1 where x is near 0.
            x = dense[np.abs(dense) > 1e-3] if op == "Selu" else dense
            case(op, f"dense {short(dtype)}", x.astype(dtype), tolerance=tolerance)
    for op in TRIGONOMETRY + ROUNDINGS + ["Erf", "Erfc", "Inv", "IsNan", "Selu", "Softsign"]:
        case(op, "scalar", np.float32(0.5))
        case(op, "empty", np.zeros([0, 3], np.float32))
    for dtype in (np.int32, np.int64):
        case("Round", short(dtype), np.array([0, -7, 5, np.iinfo(dtype).min], dtype))


def complex_numbers(case):
    # None of these numbers lies on a branch cut, where the sign of a zero decides.
    numbers = [0.5 + 1.5j, -1.25 + 0.75j, 2 - 0.5j, -0.75 - 2.25j, 0.25 + 3j, -1.5j + 0.125,
               0.3 + 0.01j, 1 - 2j, -0.125 - 0.0625j, 1e-3 + 2e-3j]
    case.__self__.floor = 1.0  # the terms of a part can cancel each other
    for dtype, tolerance in COMPLEXES:
        x = np.array(numbers, dtype)
        for op in TRIGONOMETRY + ["Inv"]:
            case(op, short(dtype), x, tolerance=tolerance)
            case(op, f"{short(dtype)} empty", x[:0])
        y = np.concatenate([x[4:], x[:4]])
        for op in ZERO_PRODUCTS:
            case(op, short(dtype), x, y, tolerance=tolerance)
            case(op, f"{short(dtype)} rows", x[:6].reshape([2, 3]), y[:3], tolerance=tolerance)
            case(op, f"{short(dtype)} zero", np.array([0, 1j, 0], dtype),
                 np.array([0, 2, 1 - 1j], dtype))
        case("InvGrad", short(dtype), x, y, tolerance=tolerance)
    case.__self__.floor = None


def binary(case):
    few = [0.0, -0.0, 1.5, -2.5, 100.0, INF, -INF, NAN]
    x, y = np.meshgrid(few, few)
    ops = ["TruncateDiv", "Atan2"] + ZERO_PRODUCTS
    wide = ["TruncateMod", "Mod", "NextAfter"]
    for dtype, tolerance in FLOATS:
        for op in ops + (wide if dtype in (np.float32, np.float64) else []):
            case(op, f"special {short(dtype)}", x.astype(dtype), y.astype(dtype),
                 tolerance=tolerance)
    for op in ops + wide:
        shapes(case, op, np.float32)
        case(op, "incompatible", np.ones([2], np.float32), np.ones([3], np.float32),
             text=INCOMPATIBLE)
    for dtype in SIGNED + UNSIGNED:
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1]
        divisors = [1, 2, 3, 7, info.max]
        if info.min < 0:
            values += [-1, -7]
            divisors += [-2, -3, -7]
        a, b = np.meshgrid(np.array(values, dtype), np.array(divisors, dtype))
        case("TruncateDiv", f"integers {short(dtype)}", a, b)
        if dtype in (np.int32, np.int64):
            for op in ("TruncateMod", "Mod"):
                case(op, f"integers {short(dtype)}", a, b)
                case(op, f"minus one {short(dtype)}", a[0, :7], np.full([7], -1, dtype))
            case("Mod", f"by zero {short(dtype)}", a[0], np.zeros_like(a[0]),
                 text="Integer division by zero")


def bits(case):
    for dtype in SIGNED + UNSIGNED:
        info = np.iinfo(dtype)
        values = np.array([0, 1, 5, 85, info.max, info.max - 1], dtype)
        if info.min < 0:
            values = np.append(values, np.array([info.min, -1, -85], dtype))
        x, y = np.meshgrid(values, values)
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
            case(op, f"integers {short(dtype)}", x, y)
        width = info.bits
        x, y = np.meshgrid(values, np.array([0, 1, 3, width - 1, width, width + 1], dtype))
        for op in ("LeftShift", "RightShift"):
            case(op, f"places {short(dtype)}", x, y)
        for op in ("Invert", "PopulationCount"):
            case(op, short(dtype), values)
            case(op, f"empty {short(dtype)}", values[:0])
    for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
        shapes(case, op, np.int32)
        case(op, "incompatible", i32(1, 2), i32(1, 2, 3), text=INCOMPATIBLE)


def gradients(case):
    case.__self__.floor = 1.0  # the terms of a sum can cancel each other
    x = np.linspace(-3, 3, 21)
    dy = np.round(np.cos(np.arange(21)), 2)
    for dtype, tolerance in FLOATS:
        for op in ("SeluGrad", "SoftsignGrad"):
            case(op, short(dtype), dy.astype(dtype), x.astype(dtype), tolerance=tolerance * 3)
        case("InvGrad", short(dtype), x.astype(dtype), dy.astype(dtype), tolerance=tolerance * 3)
    case.__self__.floor = None
    special = f(0, -0.0, INF, -INF, NAN, 1)
    for op in ("SeluGrad", "SoftsignGrad"):
        case(op, "special", np.ones([6], np.float32), special)
        case(op, "empty", np.zeros([0, 2], np.float32), np.zeros([0, 2], np.float32))
        case(op, "two shapes", f(1, 2), f(1), text="must have the same size and shape.")
    case("InvGrad", "empty", f(), f())
    case("InvGrad", "two sizes", f(1, 2), f(1), text="must have")


def approximate_equality(case):
    for dtype, _ in WIDE:
        x = np.array([1, 1, 1, INF, -INF, NAN, 0, -0.0], dtype)
        y = np.array([1.1, 1.09, 0.91, INF, INF, NAN, 0.1, 0], dtype)
        case("ApproximateEqual", short(dtype), x, y)
        case("ApproximateEqual", f"{short(dtype)} matrices", x.reshape([2, 4]), y.reshape([2, 4]))
    case("ApproximateEqual", "scalars", np.float32(1), np.float32(1 + 5e-6))
    case("ApproximateEqual", "empty", f(), f())
    case("ApproximateEqual", "two shapes", f(1, 2), f(1, 2).reshape([1, 2]),
         text="x and y must be of the same shape. x shape: [2]. y shape: [1,2]")


def clipping(case):
    for dtype in [d for d, _ in FLOATS] + SIGNED + UNSIGNED[:2]:
        x = np.arange(12).reshape([3, 4]).astype(dtype)
        low, high = (x + 2).astype(dtype) % 7, (x + 5).astype(dtype) % 9
        for name, a, b in [("scalars", dtype(3), dtype(8)), ("contradiction", dtype(8), dtype(3)),
                           ("tensors", low, high), ("low tensor", low, dtype(6)),
                           ("high tensor", dtype(2), high)]:
            case("ClipByValue", f"{short(dtype)} {name}", x, np.array(a, dtype),
                 np.array(b, dtype))
        case("ClipByValue", f"{short(dtype)} empty", x[:0], np.array(1, dtype),
             np.array(2, dtype))
    for dtype, _ in COMPLEXES:
        x = np.array([1 + 2j, 3 - 1j, 0.5, 1 - 5j, 2 - 9j, 1 + 9j], dtype)
        one, two = np.array(1, dtype), np.array(2 + 1j, dtype)
        case("ClipByValue", f"{short(dtype)} scalars", x, one, two)
        case("ClipByValue", f"{short(dtype)} tensors", x, np.full([6], one), np.full([6], two))
    x = f(1, 2, 3, NAN, INF, -INF, 7, -0.0, 0)
    for low, high in [(NAN, 3), (3, NAN), (NAN, NAN), (-INF, INF), (0.0, -0.0), (2, 2)]:
        case("ClipByValue", f"special {low} {high}", x, np.float32(low), np.float32(high))
        case("ClipByValue", f"special tensors {low} {high}", x, np.full_like(x, low),
             np.full_like(x, high))
    case("ClipByValue", "scalar", np.float32(5), np.float32(1), np.float32(2))
    text = "must be either of the same shape as input, or a scalar. input shape: "
    case("ClipByValue", "row for a matrix", f(1, 2, 3).reshape([1, 3]), f(1, 2, 3), f(1, 2, 3),
         text=text + "[1,3]clip_value_min shape: [3]clip_value_max shape: [3]")
    case("ClipByValue", "one element for three", f(1, 2, 3), f(0), np.float32(1), text=text)
    case("ClipByValue", "vector for a scalar", np.float32(1), f(0, 1), np.float32(1), text=text)
    case("ClipByValue", "matrix for a vector", f(1), np.float32(0), f(1).reshape([1, 1]),
         text=text)
    case("ClipByValue", "nothing for three", f(1, 2, 3), f(), np.float32(1), text=text)


def norms(case):
    integers = SIGNED + UNSIGNED
    for dtype in [d for d, _ in FLOATS] + integers:
        tag = short(dtype)
        x = np.array([[3, 4, 0], [5, 12, 0], [8, 6, 1], [0, 0, 9]]).astype(dtype)
        for axes in [(0,), (1,), (-1,), (0, 1), ()]:
            case("EuclideanNorm", f"{tag} {axes}", x, i32(*axes))
        case("EuclideanNorm", f"{tag} keep_dims", x, i32(1), keep_dims=True)
        case("EuclideanNorm", f"{tag} empty", x[:0], i32(0))
        case("EuclideanNorm", f"{tag} middle", x.reshape([2, 2, 3]), np.array([1], np.int64))
        case("EuclideanNorm", f"{tag} two steps", x.reshape([2, 2, 3]), i32(0, 2))
        if dtype in integers:
            wrapping = np.array([np.iinfo(dtype).max, np.iinfo(dtype).max // 2, 7, 16], dtype)
            case("EuclideanNorm", f"{tag} wraps around", wrapping.reshape([2, 2]), i32(1))
            case("EuclideanNorm", f"{tag} each", wrapping, i32())
    for dtype, tolerance in COMPLEXES:
        x = np.array([[3 + 4j, 1j, 2], [0, -1 - 1j, 5]], dtype)
        for axes in [(0,), (1,), (0, 1), ()]:
            case("EuclideanNorm", f"{short(dtype)} {axes}", x, i32(*axes), tolerance=tolerance)
        case("EuclideanNorm", f"{short(dtype)} empty", x[:, :0], i32(1))
    case("EuclideanNorm", "large", Ramp(np.float32, [90000], 0, 1, 17), i32(0), tolerance=1e-5)
    case("EuclideanNorm", "large columns", Ramp(np.float32, [30000, 3], 0, 1, 17), i32(0),
         tolerance=1e-5)
    case("EuclideanNorm", "special", f(3, NAN, INF, -INF, 1e30, 0).reshape([3, 2]), i32(1))
    case("EuclideanNorm", "axis out of range", f(1, 2), i32(1), text="Invalid reduction dimension")


def spaces(case):
    for dtype, tolerance in WIDE:
        tag = short(dtype)
        for start, stop, num in [(0, 1, 5), (2, -3, 7), (1, 1, 3), (5, 9, 1), (5, 9, 2),
                                 (0, INF, 3), (NAN, 1, 3), (-1e30, 1e30, 4)]:
            case("LinSpace", f"{tag} {start} {stop} {num}", dtype(start), dtype(stop),
                 np.int32(num), tolerance=tolerance)
        case("LinSpace", f"{tag} int64", dtype(-1), dtype(1), np.int64(4), tolerance=tolerance)
    one = np.float32(1)
    for num in (0, -2):
        case("LinSpace", f"num {num}", one, one, np.int32(num), text=f"Requires num > 0: {num}")
    case("LinSpace", "start vector", f(1), one, np.int32(2), text="start must be a scalar")
    case("LinSpace", "stop vector", one, f(1), np.int32(2), text="stop must be a scalar")
    case("LinSpace", "num vector", one, one, i32(2), text="num must be a scalar")


def cases(case):
    unary(case)
    complex_numbers(case)
    binary(case)
    bits(case)
    gradients(case)
    approximate_equality(case)
    clipping(case)
    norms(case)
    spaces(case)
