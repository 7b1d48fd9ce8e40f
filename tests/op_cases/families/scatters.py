# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Ops that combine parts of a tensor with updates."""

import numpy as np

from make_cases import Ramp
from families.moving import NUMBERS, PLAIN, f, v

OPS = ("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax",
       "TensorScatterMin")
NAN = np.nan


def rows(*indices, dtype=np.int32):
    return np.array(indices, dtype)


def cases(case):
    for op in OPS:
        kinds = {"TensorScatterUpdate": PLAIN + ("string",), "TensorScatterMax": NUMBERS,
                 "TensorScatterMin": NUMBERS}.get(op, NUMBERS + ("complex64", "complex128"))
        for kind in kinds:
            x = v(kind, 5)
            case(op, kind, x, rows([1], [3], [1]), x[[4, 0, 2]].copy())
        case(op, "rows", f(3, 2), rows([2], [0], [2], dtype=np.int64), 4 - f(3, 2))
        case(op, "points", f(2, 3), rows([1, 0], [0, 2]), -f(2))
        case(op, "a matrix of rows", f(4, 2), rows([[0], [1]], [[3], [1]]), 4 - f(2, 2, 2))
        case(op, "special", np.array([NAN, 1, 0, -0.0, np.inf], np.float32),
             rows([0], [1], [2], [3], [4]), np.array([1, NAN, -0.0, 0, -np.inf], np.float32))
        case(op, "no updates", f(3), np.zeros([0, 1], np.int32), f(0))
        case(op, "nothing", f(0), np.zeros([0, 1], np.int32), f(0))
        case(op, "no rows", f(0, 3), np.zeros([0, 1], np.int32), f(0, 3))
        case(op, "large", Ramp(np.float32, [40, 90]), Ramp(np.int32, [60, 1], modulus=37),
             Ramp(np.float32, [60, 90], modulus=1001))
        for name, x, indices, updates, text in (
                ("range", f(4), rows([4]), f(1), "indices[0] = [4] does not index into shape [4]"),
                ("negative", f(4), rows([0], [-1]), f(2),
                 "indices[1] = [-1] does not index into shape [4]"),
                ("second range", f(2, 2), rows([1, 2]), f(1),
                 "indices[0] = [1, 2] does not index into shape [2,2]"),
                ("scalar indices", f(4), np.int32(0), f(1),
                 "Indices shape must have rank at least one. Found:[]"),
                ("scalar updates", f(4), rows([1]), f(),
                 "Updates shape must have rank at least one. Found:[]"),
                ("scalar", f(), rows([0]), f(1), ""),
                ("many updates", f(4), rows([1]), f(2), ""),
                ("deep updates", f(4), rows([1]), f(1, 1), ""),
                ("deep indices", f(4), rows([1, 1]), f(1), ""),
                ("updates of nothing", f(0), rows([0]), f(1),
                 "Indices and updates specified for empty output shape"),
                ("rows of nothing", f(2, 0), rows([1]), f(1, 0),
                 "Indices and updates specified for empty output shape"),
                ("no coordinates", f(3), np.zeros([1, 0], np.int32), f(1, 3),
                 "Indices and updates specified for empty output shape")):
            case(op, name, x, indices, updates, text=text)
