# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops that reduce sorted segments of rows."""

import numpy as np

from make_cases import Ramp
from families.moving import NUMBERS, f, v

NAN = np.nan
FLOATS = ("float32", "float64", "float16", "bfloat16")
SPARSE = ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")


def ids(*values, dtype=np.int32):
    return np.array(values, dtype).reshape([len(values)])


def dense(case, op):
    for kind in NUMBERS + ("complex64", "complex128"):
        case(op, kind, v(kind, 4, 2), ids(0, 0, 0, 2))
    case(op, "int64 ids", f(3, 2), ids(1, 1, 4, dtype=np.int64))
    case(op, "vector", f(4), ids(0, 1, 1, 3))
    case(op, "rank 3", f(3, 2, 2), ids(0, 0, 1))
    case(op, "nothing", f(0, 2), ids())
    case(op, "empty rows", f(3, 0), ids(0, 1, 1))
    case(op, "special", np.array([NAN, 1, np.inf, -np.inf, np.inf, 2], np.float32),
         ids(0, 0, 1, 1, 2, 2))
    case(op, "overflow", np.array([200, 100, 3], np.uint8), ids(0, 0, 0))
    case(op, "negative numbers", np.array([-3, -4], np.int8), ids(0, 0))
    case(op, "large", Ramp(np.float32, [300, 70], 0, 1, 11), np.arange(300, dtype=np.int32) // 7)
    case(op, "a long row", Ramp(np.float32, [20, 300], 0, 1, 11),
         np.arange(20, dtype=np.int32) // 3)
    for name, data, segments, text in (
            ("negative", f(2, 2), ids(-1, 0), "Segment id -1 out of range [0, 1), possibly "
             "because 'segment_ids' input is not sorted."),
            ("all negative", f(2, 2), ids(-2, -1), ""),
            ("not sorted", f(3, 2), ids(0, 1, 0), "segment ids are not increasing"),
            ("too few", f(3, 2), ids(0, 1), "segment_ids should be the same size as dimension 0"),
            ("matrix", f(1, 2), np.array([[0]], np.int32), "segment_ids should be a vector."),
            ("scalar id", f(1), np.int32(0), "segment_ids should be a vector."),
            ("scalar", np.float32(1), ids(0), "input must be at least rank 1")):
        case(op, name, data, segments, text=text)


def sparse(case, op):
    kinds = [k for k in NUMBERS] if op == "SparseSegmentSum" else FLOATS
    for kind in kinds:
        case(op, kind, v(kind, 4, 2), ids(0, 3, 1, 1), ids(0, 0, 2, 2))
    case(op, "int64 ids", f(4, 2), ids(0, 3, dtype=np.int64), ids(1, 1, dtype=np.int64))
    case(op, "vector", f(4), ids(3, 0, 3), ids(0, 0, 1))
    case(op, "nothing", f(4, 2), ids(), ids())
    case(op, "empty rows", f(3, 0), ids(0, 1), ids(0, 1))
    case(op, "special", np.array([NAN, 1, np.inf, -np.inf], np.float32), ids(0, 1, 2, 3, 2),
         ids(0, 0, 1, 1, 2))
    case(op, "large", Ramp(np.float32, [50, 70], 0, 1, 11), Ramp(np.int32, [300], 3, 1, 47),
         np.arange(300, dtype=np.int32) // 9)
    for name, data, indices, segments, text in (
            ("too large", f(4, 2), ids(0, 4), ids(0, 0), "indices[1] == 4 out of range [0, 4)"),
            ("below 0", f(4, 2), ids(0, -1), ids(0, 0), "indices[1] == -1 out of range [0, 4)"),
            ("no rows", f(0, 2), ids(0), ids(0), "indices[0] == 0 out of range [0, 0)"),
            ("not sorted", f(4, 2), ids(0, 1, 2), ids(0, 1, 0), "segment ids are not increasing"),
            ("negative", f(4, 2), ids(0, 1), ids(-1, 0), "Segment id -1 out of range [0, 1)"),
            ("too few ids", f(4, 2), ids(0, 1), ids(0),
             "segment_ids and indices should have same size."),
            ("matrix", f(4, 2), np.array([[0]], np.int32), ids(0), "indices should be a vector."),
            ("matrix of ids", f(4, 2), ids(0), np.array([[0]], np.int32),
             "segment_ids should be a vector."),
            ("scalar", np.float32(1), ids(0), ids(0), "Shape must be at least rank 1")):
        case(op, name, data, indices, segments, text=text)


def gradients(case, op):
    rows = np.int32(5)
    for kind in FLOATS:
        case(op, kind, v(kind, 3, 2), ids(0, 3, 1, 1), ids(0, 0, 2, 2), rows)
    case(op, "int64 ids", f(3, 2), ids(0, 3, dtype=np.int64), ids(0, 0, dtype=np.int64), rows)
    case(op, "not sorted", f(3, 2), ids(0, 1, 2), ids(1, 0, 1), np.int32(3))
    case(op, "vector", f(3), ids(0, 1), ids(1, 1), rows)
    case(op, "large", Ramp(np.float32, [40, 70], 0, 1, 11), Ramp(np.int32, [300], 3, 1, 47),
         np.arange(300, dtype=np.int32) // 9, np.int32(50))
    for name, grad, indices, segments, count, text in (
            ("too large", f(3, 2), ids(0, 5), ids(0, 0), rows, "Index 5 out of range [0, 5)."),
            ("segment", f(3, 2), ids(0, 1), ids(0, 3), rows, "Invalid number of segments"),
            ("negative", f(3, 2), ids(0, 1), ids(-1, 0), rows, "Segment id -1 out of range [0, 3)."),
            ("vector of rows", f(3, 2), ids(0), ids(0), ids(5), "output_dim0 should be a scalar."),
            ("negative rows", f(3, 2), ids(0), ids(0), np.int32(-1), ""),
            ("too few ids", f(3, 2), ids(0, 1, 2), ids(1, 0), rows,
             "segment_ids and indices should have same size.")):
        case(op, name, grad, indices, segments, count, text=text)


def cases(case):
    for op in ("SegmentSum", "SegmentMean"):
        dense(case, op)
    for op in SPARSE:
        sparse(case, op)
        gradients(case, op + "Grad")
