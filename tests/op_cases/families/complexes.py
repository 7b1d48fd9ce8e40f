# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of complex numbers: arithmetic, functions, gradients, sums and products.

TensorFlow computes most elements with vector instructions, and the remaining
elements one by one. The two ways give different results for divisions by 0, and
for square roots of negative numbers whose imaginary part is -0. So the cases leave
out such inputs. They also leave out infinite inputs."""

import itertools

import numpy as np
import tensorflow as tf

# Each row holds a dtype, the dtype of its parts, and the tolerance for functions
# that are computed in several steps.
TYPES = [(np.complex64, np.float32, 1e-5), (np.complex128, np.float64, 1e-12)]
NAN, INF = np.nan, np.inf
BINARY = ["Add", "AddV2", "Sub", "Mul", "SquaredDifference", "Div", "RealDiv", "DivNoNan", "Pow"]
# Some of the ordinary numbers are real, imaginary, or on a branch cut.
ORDINARY = [0.5 + 1.5j, -1.25 + 0.75j, 2 - 0.5j, -0.75 - 2.25j, 3j, -1.5j, 2, -2, 1,
            0.01 + 0.02j, -0.3 + 0.01j, 1 - 2j, -0.125 - 0.0625j]
INFINITE_AT_ZERO = ["Reciprocal", "Rsqrt", "Log"]
FUNCTIONS = ["Sqrt", "Rsqrt", "Exp", "Log", "Log1p", "Sin", "Cos", "Tanh", "Sigmoid"]


def name(dtype):
    return tf.as_dtype(dtype).name


def i32(*values):
    return np.array(values, np.int32).reshape([len(values)])


def c(dtype, *numbers):
    return np.array(numbers, dtype)


def v(dtype, *shape, salt=0):
    """Returns small numbers whose sums are exact. Few of the numbers are real."""
    i = np.arange(int(np.prod(shape))) + salt
    return ((i * 7 % 9 - 4) / 4 + (i * 5 % 11 - 4) / 4 * 1j).astype(dtype).reshape(shape)


def binary(case, dtype, tolerance):
    tag = name(dtype)
    x, y = c(dtype, *ORDINARY), c(dtype, *ORDINARY[5:] + ORDINARY[:5])
    for op in BINARY:
        attrs = {"tolerance": tolerance} if op == "Pow" else {}
        case(op, tag, x, y, **attrs)
        case(op, f"{tag} rows", x[:6].reshape([2, 3]), y[:3], **attrs)
        case(op, f"{tag} scalar", y[0], x[:5], **attrs)
        case(op, f"{tag} empty", x[:0].reshape([0, 3]), y[:3])
    case("DivNoNan", f"{tag} zero", c(dtype, 1, 0, 2 - 3j, -1j, 0, 3),
         c(dtype, 0, 0, 0, -0.0, 2j, 1j))
    case("Pow", f"{tag} zero to powers", np.zeros([5], dtype), c(dtype, 1, 2, 0.5, 1 + 2j, 3 - 1j))
    case("Pow", f"{tag} zero to 0 and 1j", np.zeros([2], dtype), c(dtype, 0, 1j))
    case("Pow", f"{tag} to 0, 1 and 2", x[:, None], c(dtype, 0, 1, 2), tolerance=tolerance)


def incompatible(case):
    for op in BINARY:
        case(op, "incompatible", v(np.complex64, 2), v(np.complex64, 3), text="Incompatible shapes")


def unary(case, dtype, tolerance):
    tag = name(dtype)
    for op in ["Neg", "Square", "Sign", "Reciprocal", "Conj"] + FUNCTIONS:
        numbers = ORDINARY if op in INFINITE_AT_ZERO else ORDINARY + [0]
        attrs = {"tolerance": tolerance} if op in FUNCTIONS else {}
        case(op, tag, c(dtype, *numbers), **attrs)
        case(op, f"{tag} scalar", dtype(0.5 - 0.25j), **attrs)
        case(op, f"{tag} empty", np.zeros([0, 3], dtype))
    case("Neg", f"{tag} special", c(dtype, *[complex(a, b) for a, b in itertools.product(
        [0.0, -0.0, INF, -INF, NAN], [1.0, -0.0, INF, NAN])]))
    case("Log", f"{tag} zero", c(dtype, 0))
    case("Tanh", f"{tag} large", c(dtype, 50 + 2j, -50 + 2j, 1000 - 1000j))


def extremes(case, dtype, tolerance):
    """Adds cases of very large and very small numbers. The floor is below these
    numbers, so the tolerances are relative to them."""
    tag = name(dtype)
    large = 1e30 if dtype == np.complex64 else 1e200
    x = c(dtype, (3 + 4j) * large, (4 - 3j) / large, -5j / large, -large)
    case.__self__.floor = 1e-250
    case("Sign", f"{tag} extremes", x)
    case("ComplexAbs", f"{tag} extremes", x, Tout=parts_of(dtype))
    # TensorFlow's own results have about nine correct digits.
    case("Log1p", f"{tag} tiny", c(dtype, 1e-9 + 1e-10j, -1e-9 + 1e-9j, 2e-12 - 1e-12j,
                                   1e-20, -1e-25 + 3e-25j), tolerance=max(tolerance, 1e-8))


def parts_of(dtype):
    return tf.float32 if dtype == np.complex64 else tf.float64


def parts(case, dtype, real):
    tag, tout = name(dtype), parts_of(dtype)
    for op in ["Real", "Imag", "Angle", "ComplexAbs"]:
        case(op, tag, c(dtype, *ORDINARY + [0, -1j, 3 - 4j]), Tout=tout)
        case(op, f"{tag} scalar", dtype(-0.5 - 0.25j), Tout=tout)
        case(op, f"{tag} empty", np.zeros([2, 0], dtype), Tout=tout)
    case("Angle", f"{tag} signs of zero", c(dtype, complex(-1, 0.0), complex(-1, -0.0),
                                            complex(0.0, 0.0), complex(1, -0.0)), Tout=tout)
    a, b = np.array([1.5, -2, 0], real), np.array([[0.25, 1, -3], [0, 2, 1e-3]], real)
    for shapes, x, y in [("vectors", a, b[1]), ("rows", a, b), ("columns", b[:, :1], a),
                         ("scalar", a[0], b), ("scalars", a[0], b[0, 0]),
                         ("empty", a[:0], b[:, :0])]:
        case("Complex", f"{tag} {shapes}", x, y, Tout=tf.as_dtype(dtype))
    case("Complex", f"{tag} incompatible", a[:2], b, Tout=tf.as_dtype(dtype),
         text="Incompatible shapes")


def gradients(case, dtype):
    tag = name(dtype)
    y, dy = c(dtype, *ORDINARY), c(dtype, *ORDINARY[4:] + [0, 1j, 0, -1 + 1j])
    for op in ["ReciprocalGrad", "SqrtGrad", "RsqrtGrad", "SigmoidGrad", "TanhGrad"]:
        case(op, tag, y, dy)
        case(op, f"{tag} y and dy 0", np.zeros([9], dtype), np.zeros([9], dtype))
        case(op, f"{tag} scalar", y[0], dy[0])
        case(op, f"{tag} empty", y[:0], dy[:0])


def sums(case, dtype):
    tag = name(dtype)
    for count in [2, 3]:
        case("AddN", f"{tag} {count}", [v(dtype, 2, 3, salt=i) for i in range(count)])
    case("AddN", f"{tag} empty", [v(dtype, 0)] * 2)
    for shape in [(2, 3), (2, 2, 2, 3), (0, 3)]:
        case("BiasAdd", f"{tag} {shape}", v(dtype, *shape), v(dtype, 3, salt=5))
        case("BiasAddGrad", f"{tag} {shape}", v(dtype, *shape))
    case("BiasAdd", f"{tag} NCHW", v(dtype, 2, 3, 2, 2), v(dtype, 3, salt=5), data_format="NCHW")
    case("BiasAddGrad", f"{tag} NCHW", v(dtype, 2, 3, 2, 2), data_format="NCHW")


def reductions(case, dtype):
    tag = name(dtype)
    for op in ["Sum", "Mean", "Prod"]:
        for axis in [(0,), (1,), (-1,), (0, 2), (1, 2), (0, 1, 2), ()]:
            case(op, f"{tag} {axis}", v(dtype, 2, 2, 3), i32(*axis))
        case(op, f"{tag} keep_dims", v(dtype, 2, 2, 3), i32(0, 2), keep_dims=True)
        case(op, f"{tag} scalar", dtype(1 - 2j), i32())
        case(op, f"{tag} empty", v(dtype, 0, 3), i32(0))
        case(op, f"{tag} empty result", v(dtype, 0, 3), i32(1))


def cumulative(case, dtype):
    tag = name(dtype)
    for op in ["Cumsum", "Cumprod"]:
        for exclusive, reverse in itertools.product([False, True], repeat=2):
            case(op, f"{tag} {exclusive} {reverse}", v(dtype, 2, 3, 2), np.int32(1),
                 exclusive=exclusive, reverse=reverse)
        case(op, f"{tag} rows", v(dtype, 2, 3), np.int64(-1))
        case(op, f"{tag} empty", v(dtype, 0, 2), np.int32(0))


def products(case, dtype):
    tag = name(dtype)
    for a, b in itertools.product([False, True], repeat=2):
        rows, columns = (3, 2) if a else (2, 3), (2, 3) if b else (3, 2)
        case("MatMul", f"{tag} {a} {b}", v(dtype, *rows), v(dtype, *columns, salt=5),
             transpose_a=a, transpose_b=b)
        case("BatchMatMulV2", f"{tag} {a} {b}", v(dtype, 2, *rows), v(dtype, 2, *columns, salt=5),
             adj_x=a, adj_y=b)
        case("BatchMatMulV2", f"{tag} broadcast {a} {b}", v(dtype, 2, 1, *rows),
             v(dtype, 2, *columns, salt=5), adj_x=a, adj_y=b)
        case("BatchMatMulV2", f"{tag} vectors {a} {b}", v(dtype, *(4, 1) if a else (1, 4)),
             v(dtype, *(1, 4) if b else (4, 1), salt=5), adj_x=a, adj_y=b)
    case("MatMul", f"{tag} columns", v(dtype, 5, 4), v(dtype, 4, 1, salt=5))
    for op in ["MatMul", "BatchMatMulV2"]:
        case(op, f"{tag} no rows", v(dtype, 0, 3), v(dtype, 3, 2))
        case(op, f"{tag} no depth", v(dtype, 2, 0), v(dtype, 0, 2))


def transposes(case, dtype):
    x = v(dtype, 2, 3, 4)
    case("ConjugateTranspose", f"{name(dtype)} axes", x, i32(2, 0, 1))
    case("ConjugateTranspose", f"{name(dtype)} matrices", x, i32(0, 2, 1))
    case("ConjugateTranspose", f"{name(dtype)} none", x[:0].copy(), i32(2, 1, 0))
    case("ConjugateTranspose", f"{name(dtype)} scalar", x[0, 0, 0].copy(), i32())


def scatters(case, dtype):
    tag = name(dtype)
    case("UnsortedSegmentSum", tag, v(dtype, 4, 2), i32(1, -1, 0, 1), np.int32(3))
    case("UnsortedSegmentSum", f"{tag} empty", v(dtype, 0, 2), i32(), np.int32(2))
    case("ScatterNd", tag, i32(1, 3, 1)[:, None], v(dtype, 3), i32(5))
    case("ScatterNd", f"{tag} rows", i32(1, 0, 1)[:, None], v(dtype, 3, 2), i32(3, 2))
    case("ScatterNd", f"{tag} empty", np.zeros([0, 1], np.int32), v(dtype, 0), i32(3))
    zeros = [0, complex(-0.0, 0), complex(0, -0.0)]
    case("Where", tag, c(dtype, *zeros, 1j, 1, 1e-30j).reshape([3, 2]))
    case("Where", f"{tag} empty", v(dtype, 0, 2))


def cases(case):
    family = case.__self__
    for dtype, real, tolerance in TYPES:
        family.floor = 1.0  # the terms of a part can cancel each other
        binary(case, dtype, tolerance)
        unary(case, dtype, tolerance)
        parts(case, dtype, real)
        gradients(case, dtype)
        sums(case, dtype)
        reductions(case, dtype)
        cumulative(case, dtype)
        products(case, dtype)
        transposes(case, dtype)
        scatters(case, dtype)
        extremes(case, dtype, tolerance)
    case("ConjugateTranspose", "real", np.arange(6, dtype=np.float32).reshape([2, 3]), i32(1, 0))
    incompatible(case)
