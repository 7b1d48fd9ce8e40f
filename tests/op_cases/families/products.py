# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Products of batches of matrices of the same or of different types."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp
from families.moving import f, v

SAME = ("float", "double", "bfloat16", "int16", "int32", "int64", "complex64", "complex128")


def small(kind, *shape):
    """Small numbers, of which some are negative if the type has them."""
    numbers = np.arange(int(np.prod(shape))) * 5 % 7 - (0 if kind[0] == "u" else 3)
    numbers = numbers * (1 + 0.5j) if kind[0] == "c" else numbers
    return numbers.astype(tf.as_dtype(kind).as_numpy_dtype).reshape(shape)


def plain(case):
    for kind in ("half",) + tuple(k for k in SAME if k != "int16"):
        case("BatchMatMul", kind, small(kind, 2, 2, 3), small(kind, 2, 3, 4))
        case("BatchMatMul", f"{kind} adjoint", small(kind, 2, 3, 2), small(kind, 2, 4, 3),
             adj_x=True, adj_y=True)
    case("BatchMatMul", "matrices", f(2, 3), f(3, 2))
    case("BatchMatMul", "rank 4", f(2, 3, 1, 2), f(2, 3, 2, 1))
    case("BatchMatMul", "empty batch", f(0, 1, 2), f(0, 2, 1))
    case("BatchMatMul", "large", Ramp(np.float32, [8, 33, 20], modulus=11),
         Ramp(np.float32, [8, 20, 17], modulus=7))
    for name, x, y, text in (
            ("other batch", f(2, 1, 2), f(1, 2, 1),
             "In[0].dim(0) and In[1].dim(0) must be the same: [2,1,2] vs [1,2,1]"),
            ("other rank", f(2, 1, 2), f(2, 1),
             "In[0] and In[1] has different ndims: [2,1,2] vs. [2,1]"),
            ("vectors", f(2), f(2), "In[0] and In[1] ndims must be >= 2: 1"),
            ("sizes", f(2, 1, 2), f(2, 3, 1),
             "Matrix size-incompatible: In[0]: [2,1,2], In[1]: [2,3,1]")):
        case("BatchMatMul", name, x, y, text=text)


def mixed(case):
    for kind in SAME:
        case("BatchMatMulV3", kind, small(kind, 2, 1, 2, 3), small(kind, 3, 3, 2),
             Tout=tf.as_dtype(kind))
        case("BatchMatMulV3", f"{kind} adjoint", small(kind, 2, 3, 2), small(kind, 4, 3),
             adj_x=True, adj_y=True, Tout=tf.as_dtype(kind))
    for a in ("int8", "uint8"):
        for b in ("int8", "uint8"):
            case("BatchMatMulV3", f"{a} {b}", v(a, 2, 8, 8), v(b, 8, 3), Tout=tf.int32)
            case("BatchMatMulV3", f"{a} {b} adjoint", v(a, 8, 8), v(b, 3, 8), adj_x=True,
                 adj_y=True, Tout=tf.int32)
        case("BatchMatMulV3", f"{a} bfloat16", small(a, 2, 2, 3), small("bfloat16", 3, 2),
             Tout=tf.bfloat16)
        case("BatchMatMulV3", f"bfloat16 {a}", small("bfloat16", 2, 2, 3), small(a, 2, 3, 2),
             Tout=tf.bfloat16)
    extremes = np.array([[-128, 127], [127, -128]], np.int8)
    case("BatchMatMulV3", "extremes", extremes, extremes, Tout=tf.int32)
    case("BatchMatMulV3", "empty", f(0, 1, 2), f(2, 1), Tout=tf.float32)
    case("BatchMatMulV3", "vectors", f(2), f(2), Tout=tf.float32, text="In[0] ndims must be >= 2: 1")
    case("BatchMatMulV3", "sizes", f(1, 2), f(3, 1), Tout=tf.float32, text="Matrix size-incompatible")


def cases(case):
    plain(case)
    mixed(case)
