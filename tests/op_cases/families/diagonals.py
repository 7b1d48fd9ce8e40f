# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Ops on diagonals and bands of matrices."""

import numpy as np

from make_cases import Ramp
from families.moving import EMPTY, PLAIN, f, i32, v

ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
ANY = np.int32(-1)
NINE = np.float32(9)


def makers(case):
    for kind in PLAIN:
        case("MatrixDiag", kind, v(kind, 2, 3))
        case("MatrixDiagV3", kind, v(kind, 2, 3), i32(-1, 0), ANY, ANY,
             v(kind, 3)[2:].reshape([]))
    for k in (0, 1, -2):
        case("MatrixDiagV3", f"diagonal {k}", f(2, 2), np.int32(k), ANY, ANY, NINE)
    case("MatrixDiagV3", "a vector of one", f(2), i32(1), ANY, ANY, NINE)
    case("MatrixDiagV3", "rows", f(2), i32(0), np.int32(2), ANY, NINE)
    case("MatrixDiagV3", "columns", f(2), i32(-1), ANY, np.int32(2), NINE)
    case("MatrixDiagV3", "more columns", f(2), i32(0), ANY, np.int32(4), NINE)
    case("MatrixDiagV3", "rows of a band", f(2, 3), i32(-1, 0), np.int32(3), ANY, NINE)
    for align in ALIGNMENTS:
        case("MatrixDiagV3", align, f(2, 3, 3), i32(-1, 1), np.int32(3), np.int32(4), NINE,
             align=align)
        case("MatrixDiagV3", f"{align} upper", f(2, 2, 3), i32(1, 2), ANY, ANY, NINE, align=align)
    for op, more in (("MatrixDiag", ()), ("MatrixDiagV3", (i32(1), ANY, ANY, NINE))):
        case(op, "empty", f(0), *more)
        case(op, "no matrices", f(0, 3), *more)
        case(op, "large", Ramp(np.int32 if not more else np.float32, [20, 30]), *more)
        case(op, "scalar", f(), *more, text="diagonal must be at least 1-dim, received shape: []")
    for name, shape, k, rows, columns, text in (
            ("three numbers", (2,), (0, 1, 2), -1, -1,
             "diag_index must have only one or two elements, received 3 elements."),
            ("order", (2, 2), (1, 0), -1, -1,
             "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
            ("few rows", (2,), (0,), 1, 1, "The number of rows is too small."),
            ("few columns", (2,), (0,), 3, 1, "The number of columns is too small."),
            ("negative rows", (2,), (0,), -5, -5, "The number of rows is too small."),
            ("more of both", (2,), (0,), 3, 3,
             "The number of rows or columns is not consistent with the specified"),
            ("other band", (3, 2), (0, 1), -1, -1,
             "The number of diagonals provided in the input does not match"),
            ("widest band", (2, 2), (-2**31, 2**31 - 1), -1, -1,
             "The number of diagonals provided in the input does not match"),
            ("no number", (2,), (), -1, -1, "Expected diag_index to have at least 1 element")):
        case("MatrixDiagV3", name, f(*shape), i32(*k), np.int32(rows), np.int32(columns), NINE,
             text=text)
    case("MatrixDiagV3", "matrix of numbers", f(2), i32(0)[None], ANY, ANY, NINE,
         text="diag_index must be a scalar or vector, received shape: [1,1]")
    case("MatrixDiagV3", "vector of rows", f(2), i32(0), i32(2), ANY, NINE,
         text="num_rows must be a scalar")
    case("MatrixDiagV3", "vector of padding", f(2), i32(0), ANY, ANY, f(1),
         text="padding_value must be a scalar")


def parts(case):
    for kind in PLAIN:
        case("MatrixDiagPart", kind, v(kind, 2, 2, 3))
        case("MatrixDiagPartV3", kind, v(kind, 3, 2), i32(-1, 1), v(kind, 3)[2:].reshape([]))
    for k in (0, 1, -2, 3):
        case("MatrixDiagPartV3", f"diagonal {k}", f(2, 3, 4), np.int32(k), NINE)
    for align in ALIGNMENTS:
        case("MatrixDiagPartV3", align, f(2, 3, 4), i32(-2, 3), NINE, align=align)
        case("MatrixDiagPartV3", f"{align} tall", f(2, 4, 2), i32(-3, 1), NINE, align=align)
        case("MatrixDiagPartV3", f"{align} upper", f(4, 4), i32(1, 2), NINE, align=align)
        case("MatrixDiagPartV3", f"{align} lower", f(4, 4), i32(-3, -1), NINE, align=align)
    case("MatrixDiagPartV3", "padding of one element", f(2, 3), i32(0), f(1))
    for op, more in (("MatrixDiagPart", ()), ("MatrixDiagPartV3", (i32(0), NINE))):
        case(op, "no rows", f(0, 3), *more)
        case(op, "no columns", f(3, 0), *more)
        case(op, "no matrices", f(0, 2, 3), *more)
        case(op, "large", Ramp(np.float32, [20, 30, 50]), *more)
        case(op, "vector", f(2), *more, text="input must be at least 2-dim, received shape: [2]")
    case("MatrixDiagPartV3", "large band", Ramp(np.float32, [10, 30, 50]), i32(-3, 7), NINE)
    for name, k, text in (
            ("three numbers", (0, 1, 2), "received 3 elements."),
            ("order", (1, 0), "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
            ("too high", (3,), "lower_diag_index is out of bound: 3. It must be between -2 and 3"),
            ("too low", (-2,), "lower_diag_index is out of bound: -2. It must be between -2 and 3"),
            ("band too high", (0, 3), "upper_diag_index is out of bound: 3"),
            ("widest band", (-2**31, 2**31 - 1), "lower_diag_index is out of bound: -2147483648")):
        case("MatrixDiagPartV3", name, f(2, 3), i32(*k), NINE, text=text)
    case("MatrixDiagPartV3", "matrix of numbers", f(2, 3), i32(0)[None], NINE,
         text="diag_index must be a scalar or vector, received shape: [1,1]")
    case("MatrixDiagPartV3", "vector of padding", f(2, 3), i32(0), f(2),
         text="Padding must be scalar.")


def setters(case):
    for kind in PLAIN:
        case("MatrixSetDiag", kind, v(kind, 2, 2, 3), v(kind, 2, 2)[:, ::-1].copy())
        case("MatrixSetDiagV3", kind, v(kind, 3, 2), v(kind, 2, 2)[::-1].copy(), i32(-1, 0))
    for k, length in ((0, 3), (1, 3), (-2, 1), (3, 1)):
        case("MatrixSetDiagV3", f"diagonal {k}", f(2, 3, 4), -f(2, length), np.int32(k))
    for align in ALIGNMENTS:
        case("MatrixSetDiagV3", align, f(2, 3, 4), -f(2, 6, 3), i32(-2, 3), align=align)
        case("MatrixSetDiagV3", f"{align} upper", f(4, 4), -f(2, 3), i32(1, 2), align=align)
    for op, more in (("MatrixSetDiag", ()), ("MatrixSetDiagV3", (i32(0),))):
        case(op, "no rows", f(0, 3), f(0), *more)
        case(op, "no matrices", f(0, 2, 3), f(0, 2), *more)
        case(op, "large", Ramp(np.float32, [20, 30, 50]), Ramp(np.float32, [20, 30], -1, -1), *more)
        case(op, "vector", f(2), f(2), *more, text="input must be at least 2-dim, received shape: [2]")
        case(op, "scalar", f(2, 2), f(), *more,
             text="diagonal must be at least 1-dim, received shape: []")
        case(op, "long", f(2, 3), f(3), *more, text="Expected diagonal shape: [2]")
        case(op, "other batch", f(2, 2, 2), f(3, 2), *more, text="Expected diagonal shape: [2,2]")
    for name, shape, k, text in (
            ("order", (2,), (1, 0), "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
            ("too high", (2,), (3,), "lower_diag_index is out of bound: 3"),
            ("widest band", (2,), (-2**31, 2**31 - 1), "lower_diag_index is out of bound: -2147483648"),
            ("a band of one", (1, 2), (0, 0), "Expected diagonal shape: [2]"),
            ("band too long", (3, 3), (-1, 1), "Expected diagonal shape: [3,2]"),
            ("no band", (2,), (-1, 1),
             "The number of diagonals provided in `diag` is not consistent")):
        case("MatrixSetDiagV3", name, f(2, 3), f(*shape), i32(*k), text=text)
    case("MatrixSetDiagV3", "no number", f(2, 3), f(2), EMPTY, text="at least")


def bands(case):
    for kind in PLAIN:
        case("MatrixBandPart", kind, v(kind, 2, 3, 2), np.int64(1), np.int64(0))
    for lower, upper in ((0, 0), (1, 1), (-1, -1), (-5, 0), (0, -1), (2, 3), (3, 4), (0, 4)):
        case("MatrixBandPart", f"{lower} {upper}", f(3, 4), np.int32(lower), np.int32(upper))
    case("MatrixBandPart", "tall", f(2, 5, 2), np.int64(1), np.int64(1))
    case("MatrixBandPart", "empty", f(0, 4), np.int64(0), np.int64(0))
    case("MatrixBandPart", "no matrices", f(0, 2, 3), np.int64(0), np.int64(0))
    case("MatrixBandPart", "large", Ramp(np.float32, [20, 30, 50]), np.int64(3), np.int64(7))
    zero = np.int64(0)
    case("MatrixBandPart", "vector", f(3), zero, zero,
         text="input must be at least 2-dim, received shape: [3]")
    case("MatrixBandPart", "many rows", f(3, 4), np.int64(4), zero,
         text="num_lower must be negative or less or equal to number of rows (3) got: 4")
    case("MatrixBandPart", "many columns", f(3, 4), zero, np.int64(2**62),
         text="num_upper must be negative or less or equal to number of columns (4) got: 4611686018427387904")
    case("MatrixBandPart", "vector of rows", f(3, 4), i32(1), np.int32(1),
         text="num_lower must be scalar, got shape [1]")
    case("MatrixBandPart", "vector of columns", f(3, 4), np.int32(1), i32(1, 2),
         text="num_upper must be scalar, got shape [2]")


def whole_tensors(case):
    for kind in ("half", "float", "double", "int32", "int64", "complex64", "complex128"):
        case("Diag", kind, v(kind, 3))
        case("DiagPart", kind, v(kind, 3, 3))
    case("Diag", "matrix", f(2, 3))
    case("Diag", "empty", f(0, 2))
    case("Diag", "scalar", f(), text="Input must be at least rank 1, got 0")
    case("DiagPart", "rank 4", f(2, 3, 2, 3))
    case("DiagPart", "empty", f(0, 0))
    case("DiagPart", "scalar", f())
    case("DiagPart", "odd", f(2, 2, 2), text="The rank of the tensor should be")
    case("DiagPart", "mismatch", f(2, 3), text="Invalid shape [2,3]: dimensions 0 and 1 do not match.")


def cases(case):
    for part in (makers, parts, setters, bands, whole_tensors):
        part(case)
