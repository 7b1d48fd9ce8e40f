# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Ops that reverse, shift, pad and cut tensors into blocks."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp

NUMBERS = ("float", "double", "half", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
           "uint16", "uint32", "uint64")
PLAIN = NUMBERS + ("bool", "complex64", "complex128")
TEXTS = (b"a", b"bb", b"", b"c\xff", b"long enough to leave the object", b"f")


def v(kind, *shape):
    """Different elements of the type of this name, as far as it has them."""
    count = int(np.prod(shape))
    if kind == "string":
        return np.array((TEXTS * count)[:count], object).reshape(shape)
    numpy_type = np.dtype(tf.as_dtype(kind).as_numpy_dtype)
    if kind[0] == "q" or kind.startswith("quint") or kind.startswith("float8"):
        bits = np.arange(count) + 1
        return bits.astype(f"u{numpy_type.itemsize}").view(numpy_type).reshape(shape)
    if kind == "bool":
        return (np.arange(count) % 3 == 0).reshape(shape)
    values = np.arange(count) + 1
    return (values * (1 + 0.5j) if kind[0] == "c" else values).astype(numpy_type).reshape(shape)


def f(*shape):
    return v("float", *shape)


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def pairs(*values):
    return np.array(values, np.int32).reshape([-1, 2])


EMPTY = np.zeros([0], np.int32)
TOP = 2**63 - 1


def reversals(case):
    for kind in PLAIN + ("string",):
        case("ReverseV2", kind, v(kind, 2, 3), i32(1))
        case("ReverseSequence", kind, v(kind, 2, 3), i64(2, 3), seq_dim=1)
    for axes in ((), (0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (-1, 0), (0, 1, 2)):
        case("ReverseV2", f"axes {axes}", f(2, 3, 4), i32(*axes))
    case("ReverseV2", "int64 axis", f(2, 3), i64(-1))
    case("ReverseV2", "ones", f(1, 3, 1), i32(0, 2))
    case("ReverseV2", "scalar", f(), EMPTY)
    case("ReverseV2", "axis of a scalar", f(), i32(0))
    case("ReverseV2", "empty", f(2, 0), i32(1))
    case("ReverseV2", "large", Ramp(np.int32, [300, 7, 50]), i32(0, 2))
    case("ReverseV2", "large rows", Ramp(np.float32, [300, 7, 50]), i32(1))
    case("ReverseV2", "twice", f(2, 3), i32(0, -2), text="axis 0 specified more than once.")
    case("ReverseV2", "range", f(2, 3), i32(2), text="'axis'[0] = 2 is out of valid range [0, 1")
    case("ReverseV2", "negative range", f(2, 3), i32(1, -3),
         text="'axis'[1] = -3 is out of valid range [0, 1")
    case("ReverseV2", "scalar axis", f(2, 3), np.int32(0),
         text="'dims' must be 1-dimension, not 0")


def sequences(case):
    case("ReverseSequence", "int32 lengths", f(3, 4, 2), i32(4, 1, 0), seq_dim=1)
    case("ReverseSequence", "time first", f(4, 3, 2), i64(4, 3, 2), seq_dim=0, batch_dim=1)
    case("ReverseSequence", "between", f(2, 3, 2, 4, 2), i64(0, 1, 3), seq_dim=3, batch_dim=1)
    case("ReverseSequence", "batch last", f(3, 2, 4), i64(3, 1, 2, 0), seq_dim=0, batch_dim=2)
    case("ReverseSequence", "empty", f(2, 0), i64(0, 0), seq_dim=1)
    case("ReverseSequence", "no sequences", f(0, 3), i64(), seq_dim=1)
    case("ReverseSequence", "rows of nothing", f(2, 3, 0), i64(1, 2), seq_dim=1)
    case("ReverseSequence", "large", Ramp(np.float32, [50, 40, 20]),
         np.arange(50, dtype=np.int64) % 41, seq_dim=1)
    for name, shape, lengths, seq, batch, text in (
            ("same", (2, 3), (2, 3), 0, 0, "batch_dim == seq_dim == 0"),
            # TFSA-2021-061
            ("negative sequence", (2, 3), (2, 3), -2, 0, "Invalid seq_dim -2"),
            ("negative batch", (2, 3), (2, 3), 1, -10, "Invalid batch_dim -10"),
            # TFSA-2022-002
            ("both negative", (3,), (2, 0), -10, -10, "Invalid batch_dim -10"),
            ("sequence range", (2, 3), (2, 3), 2, 0, "seq_dim must be < input rank ( 2 vs. 2)"),
            ("batch range", (2, 3), (2, 3), 1, 2, "batch_dim must be < input rank ( 2 vs. 2)"),
            ("scalar", (), (), 1, 0, "seq_dim must be < input rank ( 1 vs. 0)"),
            ("too many lengths", (2, 3), (2, 3, 1), 1, 0,
             "Length of seq_lengths != input.dims(0), (3 vs. 2)"),
            ("too long", (2, 3), (2, 4), 1, 0, "seq_lens(1) > input.dims(1)"),
            ("too long for nothing", (2, 0), (0, 1), 1, 0, "seq_lens(1) > input.dims(1)"),
            ("negative length", (2, 3), (2, -1), 1, 0, "seq_lens(1) < 0")):
        case("ReverseSequence", name, f(*shape), i64(*lengths), seq_dim=seq, batch_dim=batch,
             text=text)
    case("ReverseSequence", "matrix of lengths", f(2, 3), i64(2, 3)[None], seq_dim=1,
         text="seq_lengths must be 1-dim, not 2")


def rolls(case):
    for kind in PLAIN + ("string",):
        case("Roll", kind, v(kind, 2, 3), i32(1), i32(1))
    for shift in (0, 1, 4, 5, 7, -1, -5, -12):
        case("Roll", f"by {shift}", f(5), np.int32(shift), np.int32(0))
    for axis in (0, 1, 2, -1, -3):
        case("Roll", f"axis {axis}", f(3, 4, 5), np.int64(2), np.int32(axis))
    case("Roll", "all axes", f(3, 4, 5), i32(1, -2, 7), i64(0, 1, 2))
    case("Roll", "two axes", f(3, 1, 5), i64(1, 3, 2), i64(0, 1, 2))
    case("Roll", "an axis twice", f(5), i32(-7, 1), i32(0, -1))
    case("Roll", "no axes", f(2, 3), EMPTY, EMPTY)
    # TensorFlow drops the upper half of a larger shift.
    case("Roll", "large shift", f(5), i64(2**31 - 1), i32(0))
    case("Roll", "small shift", f(5), i64(-2**31), i32(0))
    case("Roll", "empty", f(0, 5), i32(1, 1), i32(0, 1))
    case("Roll", "large", Ramp(np.int32, [100, 90, 10]), i32(17, -5), i32(0, 1))
    case("Roll", "scalar", f(), np.int32(2), np.int32(0), text="input must be 1-D or higher")
    case("Roll", "matrix of shifts", f(5), i32(2)[None], np.int32(0),
         text="shift must be a scalar or a 1-D vector. Found: [1,1]")
    case("Roll", "matrix of axes", f(5), np.int32(2), i32(0)[None],
         text="axis must be a scalar or a 1-D vector. Found: [1,1]")
    case("Roll", "lengths", f(5), i32(2, 1), i32(0), text="shift and axis must have the same size")
    case("Roll", "ranks", f(5), i32(2), np.int32(0), text="shift and axis must have the same size")
    case("Roll", "range", f(5), np.int32(2), np.int32(1), text="axis 1 is out of range")
    case("Roll", "negative range", f(5), np.int32(2), np.int32(-2), text="axis -1 is out of range")


def pads(case):
    for kind in PLAIN + ("string", "qint8", "quint8", "qint32"):
        case("PadV2", kind, v(kind, 2, 3), pairs(1, 0, 0, 2), v(kind, 3)[2:].reshape([]))
        case("MirrorPad", kind, v(kind, 2, 3), pairs(1, 0, 2, 1), mode="REFLECT")
    for kind in ("qint8", "quint8", "qint32"):
        case("Pad", kind, v(kind, 2, 3), pairs(1, 0, 0, 2))
    nine = np.float32(9)
    case("PadV2", "int64 paddings", f(2), np.array([[1, 2]], np.int64), nine)
    case("PadV2", "scalar", f(), np.zeros([0, 2], np.int32), nine)
    case("PadV2", "empty", f(0, 2), pairs(1, 1, 0, 0), nine)
    case("PadV2", "nan", f(2, 1, 2), pairs(0, 1, 1, 1, 2, 0), np.float32(np.nan))
    case("PadV2", "nothing", f(2, 2), pairs(0, 0, 0, 0), nine)
    case("PadV2", "large", Ramp(np.float32, [40, 50, 8]), pairs(1, 2, 3, 4, 0, 0), nine)
    case("PadV2", "vector", f(2), pairs(1, 2), f(1),
         text="constant_values must be a scalar. Found: [1]")
    case("PadV2", "negative", f(2), pairs(-1, 2), nine, text="Paddings must be non-negative")
    case("PadV2", "rank", f(2), pairs(1, 2, 0, 0), nine,
         text="The first dimension of paddings must be the rank of inputs[2,2] ")
    case("PadV2", "columns", f(2), i32(1, 2, 3)[None], nine,
         text="paddings must be a matrix with 2 columns: [1,3]")
    case("PadV2", "overflow", f(2), np.array([[2**62, 2**62]]), nine, text="")


def mirrors(case):
    for mode, paddings in (("REFLECT", (2, 1)), ("SYMMETRIC", (3, 2))):
        case("MirrorPad", mode, f(3), pairs(*paddings), mode=mode)
        case("MirrorPad", f"{mode} most", f(3), pairs(paddings[0], paddings[0]), mode=mode)
        case("MirrorPad", f"{mode} images", f(2, 3, 4, 2), pairs(0, 0, 2, 1, 1, 3, 0, 0),
             mode=mode)
        case("MirrorPad", f"{mode} all axes", f(2, 3, 2), pairs(1, 1, 0, 2, 1, 0), mode=mode)
        case("MirrorPad", f"{mode} scalar", f(), np.zeros([0, 2], np.int32), mode=mode)
        case("MirrorPad", f"{mode} nothing", f(2, 2), pairs(0, 0, 0, 0), mode=mode)
        for kind in NUMBERS + ("complex64", "complex128"):
            case("MirrorPadGrad", f"{mode} {kind}", v(kind, 4, 5), pairs(1, 0, 1, 1), mode=mode)
        case("MirrorPadGrad", f"{mode} both sides", f(9), pairs(2, 2), mode=mode)
        case("MirrorPadGrad", f"{mode} images", f(2, 6, 8, 2), pairs(0, 0, 2, 1, 1, 3, 0, 0),
             mode=mode)
        case("MirrorPadGrad", f"{mode} all axes", f(4, 5, 3), pairs(1, 1, 0, 2, 1, 0), mode=mode)
        case("MirrorPadGrad", f"{mode} scalar", f(), np.zeros([0, 2], np.int32), mode=mode)
        case("MirrorPadGrad", f"{mode} large", Ramp(np.float64, [50, 40, 3], modulus=97),
             pairs(10, 11, 7, 0, 0, 0), mode=mode)
    case("MirrorPad", "int64 paddings", f(3), np.array([[1, 2]], np.int64), mode="REFLECT")
    case("MirrorPad", "large", Ramp(np.float32, [20, 30, 40]), pairs(3, 0, 0, 5, 9, 9),
         mode="REFLECT")
    case("MirrorPad", "symmetric rows of nothing", f(2, 0), pairs(1, 2, 0, 0), mode="SYMMETRIC")
    for op, refusals in (
            ("MirrorPad", (
                ("REFLECT", (3,), (3, 2), "paddings must be less than the dimension size: 3, 2 not less than 3"),
                ("REFLECT", (0, 2), (0, 0, 1, 1), "paddings must be less than the dimension size: 0, 0 not less than 0"),
                ("SYMMETRIC", (3,), (2, 4), "paddings must be no greater than the dimension size: 2, 4 greater than 3"),
                ("SYMMETRIC", (3,), (-1, 2), "paddings must be non-negative: -1 2"),
                ("SYMMETRIC", (3,), (1, 2, 1, 1), "The first dimension of paddings must be the rank of inputs[2,2]"))),
            ("MirrorPadGrad", (
                ("REFLECT", (7,), (3, 3), "paddings must be less than the output dimension size: 3, 3 not less than 1"),
                ("SYMMETRIC", (7,), (4, 1), "paddings must be no greater than the output dimension size: 4, 1 greater than 2"),
                ("SYMMETRIC", (7,), (4, 4), "Total paddings must be less than the input dimension size: 8 was not less than 7"),
                ("SYMMETRIC", (0,), (0, 0), "Total paddings must be less than the input dimension size: 0 was not less than 0"),
                ("REFLECT", (7,), (-2, 2), "Paddings must be non-negative: -2, 2"),
                ("REFLECT", (7,), (2, 2, 1, 1), "The first dimension of paddings must be the rank of inputs[2,2]")))):
        for mode, shape, paddings, text in refusals:
            case(op, f"{mode} {shape} {paddings}", f(*shape), pairs(*paddings), mode=mode, text=text)
        case(op, "columns", f(7), i32(1, 1, 1)[None], mode="REFLECT",
             text="paddings must be a matrix with 2 columns: [1,3]")


def batches(case):
    for kind in NUMBERS:
        case("SpaceToBatchND", kind, v(kind, 2, 3, 2), i32(2), pairs(1, 0))
        case("BatchToSpaceND", kind, v(kind, 4, 2, 2), i32(2), pairs(1, 0))
        case("SpaceToBatch", kind, v(kind, 1, 3, 2, 1), pairs(1, 0, 0, 2), block_size=2)
        case("BatchToSpace", kind, v(kind, 4, 2, 2, 1), pairs(1, 0, 0, 2), block_size=2)
    for name, shape, sizes, paddings in (
            ("two", (2, 4, 6, 3), (2, 3), (0, 0, 0, 0)),
            ("padded", (2, 3, 4, 3), (2, 3), (1, 2, 5, 0)),
            ("ones", (2, 3, 2), (1, 1), (0, 0, 0, 0)),
            ("padded ones", (2, 3, 2), (1, 1), (1, 0, 0, 2)),
            ("no rest", (2, 4), (4,), (2, 2)),
            ("a one between", (1, 2, 2, 2, 2), (2, 1, 2), (0, 0, 1, 1, 0, 0)),
            ("four", (1, 2, 2, 2, 2, 3), (2, 2, 2, 2), (0, 0) * 4),
            ("only padding", (1, 1, 2), (3,), (4, 1)),
            ("no batch", (0, 4), (2,), (0, 0)),
            ("no space", (1, 0), (2,), (1, 1)),
            ("rows of nothing", (1, 4, 0), (2,), (0, 0))):
        case("SpaceToBatchND", name, f(*shape), i64(*sizes), np.array(pairs(*paddings), np.int64))
    for name, shape, sizes, crops in (
            ("two", (12, 2, 3, 3), (2, 3), (0, 0, 0, 0)),
            ("cropped", (12, 2, 3, 3), (2, 3), (1, 2, 5, 0)),
            ("ones", (2, 3, 2), (1, 1), (0, 0, 0, 0)),
            ("cropped ones", (2, 3, 2), (1, 1), (1, 0, 0, 1)),
            ("no rest", (8, 2), (4,), (2, 2)),
            ("everything", (2, 2), (2,), (2, 2)),
            ("no batch", (0, 2), (2,), (0, 0)),
            ("four", (16, 2, 1, 2, 1, 3), (2, 2, 2, 2), (0, 0) * 4)):
        case("BatchToSpaceND", name, f(*shape), i64(*sizes), np.array(pairs(*crops), np.int64))
    none = np.zeros([0, 2], np.int32)
    case("SpaceToBatchND", "no blocks", f(2, 3), EMPTY, none)
    case("BatchToSpaceND", "no blocks", f(2, 3), EMPTY, none)
    case("SpaceToBatchND", "large", Ramp(np.float32, [2, 60, 50, 4]), i32(2, 2), pairs(1, 1, 0, 2))
    case("BatchToSpaceND", "large", Ramp(np.float32, [8, 30, 25, 4]), i32(2, 2), pairs(1, 1, 0, 2))
    case("SpaceToBatch", "int64 paddings", f(2, 2, 3, 2), np.array([[0, 1], [1, 2]], np.int64), block_size=3)
    case("BatchToSpace", "int64 crops", f(9, 2, 1, 2), np.array([[0, 1], [1, 1]], np.int64), block_size=3)


def refused_batches(case):
    for op, refusals in (
            ("SpaceToBatchND", (
                ((1, 3), (2,), (0, 0), "padded_shape[0]=3 is not divisible by block_shape[0]=2"),
                ((1, 3), (2,), (-1, 0), "Paddings must be non-negative"),
                ((1, 3), (0,), (0, 0), "All values in block_shape must be positive, got value, 0 at index 0."),
                ((3,), (2,), (0, 0), "input rank should be >= 2 instead of 1"),
                ((1, 4), (2,), (0, 0, 0, 0), "paddings should have shape [1, 2] instead of [2,2]"),
                # TFSA-2022-076
                ((10, 19, 22), (-1879048192,) * 2, (0, 0, 0, 0),
                 "All values in block_shape must be positive, got value, -1879048192 at index 0."),
                ((10, 19, 22), (1879048192,) * 2, (0, 1879048192 - 19, 0, 1879048192 - 22),
                 ""),
                ((1, 1), (2,), (TOP, 2), ""))),
            ("BatchToSpaceND", (
                ((2, 2), (2,), (3, 2), "cropped_shape[0]=-1 must be non-negative"),
                ((2, 2), (2,), (-1, 0), "Crops must be non-negative"),
                ((3, 2), (2,), (0, 0), "Input batch dimension (3) is not divisible by product of block sizes (2)"),
                ((2,), (2,), (0, 0), "input rank should be >= 2 instead of 1"),
                ((2, 2), (0,), (0, 0), ""),
                ((2, 2, 2), (2**32,) * 2, (0, 0, 0, 0), ""),
                ((2, 2), (2,), (TOP, 1), "must be non-negative"),
                ((2, 2), (2,), (0, 0, 0, 0), "crops should have shape [1, 2] instead of [2,2]")))):
        for shape, sizes, paddings, text in refusals:
            case(op, f"{shape} {sizes} {paddings}", f(*shape), i64(*sizes),
                 np.array(paddings, np.int64).reshape([-1, 2]), text=text)
        case(op, "scalar block", f(4, 4), np.int32(2), pairs(0, 0),
             text="block_shape rank should be 1 instead of 0")
    square = pairs(0, 0, 0, 0)
    case("SpaceToBatch", "rank", f(1, 2, 4), square, block_size=2, text="Input rank should be: 4")
    case("BatchToSpace", "rank", f(4, 2, 4), square, block_size=2, text="Input rank should be: 4")
    case("SpaceToBatch", "rows", f(1, 2, 4, 1), pairs(0, 0), block_size=2,
         text="paddings should have shape [2, 2] instead of [1,2]")
    case("SpaceToBatch", "uneven", f(1, 2, 3, 1), square, block_size=2,
         text="padded_shape[1]=3 is not divisible by block_shape[1]=2")
    case("BatchToSpace", "uneven", f(3, 1, 2, 1), square, block_size=2,
         text="Input batch dimension (3) is not divisible by product of block sizes (4)")
    case("BatchToSpace", "too much", f(4, 1, 2, 1), pairs(2, 1, 0, 1), block_size=2,
         text="cropped_shape[0]=-1 must be non-negative")


def depths(case):
    for kind in PLAIN + ("string",):
        case("SpaceToDepth", kind, v(kind, 1, 2, 4, 1), block_size=2)
        case("DepthToSpace", kind, v(kind, 1, 1, 2, 4), block_size=2)
    case("SpaceToDepth", "qint8", v("qint8", 1, 2, 4, 1), block_size=2)
    for op, shape, other in (("SpaceToDepth", (2, 6, 9, 2), (2, 60, 30, 5)),
                             ("DepthToSpace", (2, 2, 3, 18), (2, 20, 10, 45))):
        case(op, "three", f(*shape), block_size=3)
        case(op, "large", Ramp(np.int32, list(other)), block_size=3)
        case(op, "no images", f(0, 2, 2, 4), block_size=2)
        case(op, "no channels", f(1, 2, 2, 0), block_size=2)
    case("SpaceToDepth", "uneven", f(1, 3, 2, 3), block_size=2,
         text="Image width 2 and height 3 should be divisible by block_size: 2")
    case("DepthToSpace", "uneven", f(1, 3, 2, 3), block_size=2,
         text="Input depth dimension 3 should be divisible by: 4")
    case("SpaceToDepth", "rank", f(1, 2, 2), block_size=2, text="Input rank should be")
    case("DepthToSpace", "rank", f(1, 2, 2), block_size=2, text="Input rank should be")
    case("SpaceToDepth", "largest block", f(1, 2, 2, 4), block_size=2**31 - 1,
         text="should be divisible by block_size: 2147483647")
    case("DepthToSpace", "largest block", f(1, 2, 2, 4), block_size=2**31 - 1, text="")


def cases(case):
    for part in (reversals, sequences, rolls, pads, mirrors, batches, refused_batches, depths):
        part(case)
