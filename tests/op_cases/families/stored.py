# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Ops that only move elements, for types without arithmetic: quantized integers,
8-bit floats and 4-bit integers."""

import numpy as np
import tensorflow as tf

from families.moving import i32

QUANTIZED = ("qint8", "quint8", "qint32")
SHORT = ("qint16", "quint16")
FLOATS = ("float8_e5m2", "float8_e4m3fn")
FOUR_BITS = ("int4", "uint4")


def bits(kind, *shape):
    """Elements with the bytes 1, 2 and so on."""
    numpy_type = np.dtype(tf.as_dtype(kind).as_numpy_dtype)
    count = int(np.prod(shape))
    return (np.arange(count) % 7 + 1).astype(f"u{numpy_type.itemsize}").view(numpy_type).reshape(shape)


def cases(case):
    for kind in QUANTIZED + SHORT + FLOATS + FOUR_BITS:
        x = bits(kind, 2, 3)
        case("Identity", kind, x)
        case("Reshape", kind, x, i32(3, -1))
        case("Shape", kind, x)
    for kind in QUANTIZED + FLOATS:
        case("Slice", kind, bits(kind, 2, 3), i32(0, 1), i32(2, 2))
    for kind in QUANTIZED + SHORT + FLOATS:
        x = bits(kind, 2, 3)
        case("ConcatV2", kind, [x, x], np.int32(1))
        case("Pack", kind, [x, x], axis=1)
        case("GatherV2", kind, x, i32(1, 0, 1), np.int32(0))
        case("Gather", kind, x, i32(1, 0, 1))
    for kind in QUANTIZED + FLOATS:
        case("GatherNd", kind, bits(kind, 2, 3), np.array([[0, 1], [1, 2]], np.int32))
    for kind in FLOATS:
        case("Transpose", kind, bits(kind, 2, 3), i32(1, 0))
    for kind in ("quint8",) + FLOATS + FOUR_BITS:
        case("Split", kind, np.int32(1), bits(kind, 2, 3), num_split=3)
    for kind in FLOATS:
        case("StridedSlice", kind, bits(kind, 2, 3), i32(0, 0), i32(2, 3), i32(1, 2))
        case("Unpack", kind, bits(kind, 2, 3), num=3, axis=1)
