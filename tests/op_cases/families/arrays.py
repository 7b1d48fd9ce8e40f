# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops that make, reshape and rearrange tensors."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp

BF16 = tf.bfloat16.as_numpy_dtype
NAN, INF = np.nan, np.inf
TYPES = [np.float32, np.float64, np.float16, np.int8, np.int64, np.bool_, np.complex128]
STRINGS = np.array([[b"a", b"bb", b""], [b"c\xff", b"long enough to leave the object", b"f"]], object)
ALL = [np.float32, np.float64, np.float16, BF16, np.int8, np.int16, np.int32, np.int64,
       np.uint8, np.uint16, np.uint32, np.uint64, np.bool_, np.complex64, np.complex128]


def name(dtype):
    return tf.as_dtype(dtype).name


def i32(*values):
    return np.array(values, np.int32).reshape([len(values)])


def i64(*values):
    return np.array(values, np.int64).reshape([len(values)])


def v(dtype, *shape):
    return (np.arange(int(np.prod(shape))) + 1).astype(dtype).reshape(shape)


def f(*shape):
    return v(np.float32, *shape)


def typed():
    return [(name(t), v(t, 2, 3)) for t in TYPES] + [("string", STRINGS)]


def casts(case):
    values = [0, 1, 2, -1, 3.7, -3.7, 127, 128, 255, 256, 300, -129, 1000]
    for source in ALL:
        array = np.array([x for x in values if x >= 0 or name(source)[0] != "u"])
        with np.errstate(all="ignore"):
            array = array.astype(source)
        for target in ALL:
            fitting = array
            if source in (np.float16, BF16) and name(target) in ("int8", "uint8", "int16", "uint16"):
                # For numbers out of range, TensorFlow saturates in its
                # vectorized loop and wraps around in the remainder loop. So
                # these numbers are left out.
                limits = np.iinfo(target)
                wide = array.astype(np.float32)
                fitting = array[(wide >= limits.min) & (wide <= limits.max)]
            case("Cast", f"{name(source)} {name(target)}", fitting, DstT=tf.as_dtype(target))
    big = np.array([1e10, -1e10, 3e9, 1e19, NAN, INF, -INF, 65504, 70000, 1e-8, 1 + 2**-9])
    for source in [np.float32, np.float64, BF16]:
        for target in [np.int32, np.int64, np.float16, BF16, np.float32, np.float64, np.bool_]:
            case("Cast", f"range {name(source)} {name(target)}", big.astype(source),
                 DstT=tf.as_dtype(target))
    case("Cast", "empty", np.zeros([0, 2], np.float32), DstT=tf.int32)
    case("Cast", "scalar", np.float32(2.5), DstT=tf.int32)
    case("Cast", "ties", np.array([0.5, 1.5, 2.5, -0.5], np.float32), DstT=tf.int32)


def makers(case):
    for t in ALL:
        case("Fill", name(t), i32(2, 3), np.array(1, t))
        case("OnesLike", name(t), v(t, 2, 2))
        case("ZerosLike", name(t), v(t, 2, 2))
    case("Fill", "string", i32(3), np.array(b"xy", object))
    case("Fill", "scalar", i32(), np.float32(5))
    case("Fill", "empty", i64(0, 2), np.float32(5))
    case("Fill", "negative", i32(-1), np.float32(5))
    case("Fill", "vector value", i32(2), f(2), text="value must represent a scalar, got shape [2]")
    case("Fill", "matrix dims", np.ones([1, 1], np.int32), np.float32(1), text="dims must represent a vector, got shape [1,1]")
    case("Fill", "overflow", i64(1 << 40, 1 << 40), np.float32(1))
    case("ZerosLike", "string", STRINGS)
    for t in [np.float32, np.float64, np.int32, np.int64]:
        case("Range", name(t), np.array(2, t), np.array(11, t), np.array(3, t))
    case("Range", "down", np.int32(5), np.int32(-5), np.int32(-3))
    case("Range", "fraction", np.float32(0), np.float32(1), np.float32(0.1))
    case("Range", "empty", np.int32(3), np.int32(3), np.int32(1))
    case("Range", "zero delta", np.int32(0), np.int32(3), np.int32(0), text="Requires delta != 0")
    case("Range", "wrong way", np.int32(3), np.int32(0), np.int32(1), text="Requires start <= limit when delta > 0")
    case("Range", "wrong way down", np.int32(0), np.int32(3), np.int32(-1), text="Requires start >= limit when delta < 0")
    case("Range", "int64 span", np.int64(-2**62), np.int64(2**62), np.int64(2**61))
    for axis in [-1, 0, 1]:
        case("OneHot", f"axis {axis}", np.array([[0, 2], [-1, 5]], np.int64), np.int32(3),
             np.float32(1), np.float32(0), axis=axis)
    case("OneHot", "uint8", np.array([0, 1], np.uint8), np.int32(2), np.int32(5), np.int32(-5))
    case("OneHot", "scalar", np.int32(1), np.int32(3), np.float32(1), np.float32(0))
    case("OneHot", "bool", np.array([1], np.int32), np.int32(2), np.array(True), np.array(False))
    case("OneHot", "depth 0", i32(0), np.int32(0), np.float32(1), np.float32(0))
    case("OneHot", "negative depth", i32(0), np.int32(-1), np.float32(1), np.float32(0), text="depth must be non-negative")
    case("OneHot", "bad axis", i32(0), np.int32(1), np.float32(1), np.float32(0), axis=2)


def shapes(case):
    for out in [tf.int32, tf.int64]:
        case("Shape", f"{out.name}", f(2, 3), out_type=out)
        case("Size", f"{out.name}", f(2, 3), out_type=out)
    case("Shape", "scalar", np.float32(1))
    case("Shape", "string", STRINGS)
    case("ShapeN", "two", [f(2, 3), f(4)])
    case("Size", "empty", f(0, 3))
    case("Rank", "matrix", f(2, 3))
    case("Rank", "scalar", np.float32(1))
    for s in [(6,), (3, -1), (-1,), (1, 6), (2, 3, 1)]:
        case("Reshape", f"{s}", f(2, 3), i32(*s))
    case("Reshape", "to scalar", f(1, 1), i32())
    case("Reshape", "int64", f(2, 3), i64(3, 2))
    case("Reshape", "empty", f(0, 3), i32(3, 0))
    case("Reshape", "string", STRINGS, i32(6))
    case("Reshape", "empty unknown", f(0, 3), i32(0, -1))
    case("Reshape", "empty unknown first", f(0, 3), i32(-1, 3))
    case("Reshape", "empty unknown split", f(0, 6), i32(0, 2, -1))
    case("Reshape", "zero for something", f(2, 3), i32(0, -1))
    case("Reshape", "two unknown", f(2, 3), i32(-1, -1), text="Only one input size may be -1, not both 0 and 1")
    case("Reshape", "wrong count", f(2, 3), i32(5), text="Input to reshape is a tensor with 6 values, but the requested shape has 5")
    case("Reshape", "no multiple", f(2, 3), i32(4, -1), text="requested shape requires a multiple of 4")
    case("Reshape", "negative", f(2, 3), i32(-2), text="Size 0 must be non-negative, not -2")
    case("Reshape", "rank", f(1), np.ones([255], np.int32))
    case("Squeeze", "all", f(1, 2, 1))
    case("Squeeze", "one", f(1, 2, 1), squeeze_dims=[-1])
    case("Squeeze", "not 1", f(1, 2, 1), squeeze_dims=[1], text="Can not squeeze dim[1], expected a dimension of 1, got 2")
    case("Squeeze", "range", f(1, 2), squeeze_dims=[2], text="Tried to squeeze dim index 2 for tensor with 2 dimensions")
    for axis in [0, 1, 2, -1, -3]:
        case("ExpandDims", f"{axis}", f(2, 3), np.int32(axis))
    case("ExpandDims", "range", f(2, 3), np.int32(3), text="Tried to expand dim index 3 for tensor with 2 dimensions")
    for a, b in [((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3), (2, 3)), ((1, 3), (1, 3)), ((), (2,)),
                 ((1,), ()), ((2, 1, 4), (3, 1)), ((1, 1), (1,)), ((), ()), ((5, 1, 2), (1, 1, 2)),
                 ((0, 3), (1, 3))]:
        case("BroadcastGradientArgs", f"{a} {b}", i32(*a), i32(*b))
    case("BroadcastGradientArgs", "mismatch", i32(2), i32(3), text="Incompatible shapes: [2] vs. [3]")
    case("InvertPermutation", "three", i32(2, 0, 1))
    case("InvertPermutation", "empty", i64())
    case("InvertPermutation", "range", i32(0, 3), text="3 is not between 0 and 2")
    case("InvertPermutation", "negative", i32(0, -1), text="-1 is not between 0 and 2")
    case("InvertPermutation", "twice", i32(1, 1), text="1 is duplicated in the input.")
    case("ConcatOffset", "two", np.int32(1), [i32(2, 3), i32(2, 4), i32(2, 1)])
    case("ConcatOffset", "negative", np.int32(-1), [i32(2, 3), i32(2, 4)])
    case("ConcatOffset", "mismatch", np.int32(1), [i32(2, 3), i32(3, 4)], text="All dimensions except 1 must match")
    case("ConcatOffset", "range", np.int32(2), [i32(2, 3), i32(3, 4)], text="Concat dim is out of range: 2 vs. 2")
    case("BroadcastTo", "rows", f(3), i32(2, 3))
    case("BroadcastTo", "columns", f(3, 1), i64(2, 3, 2))
    case("BroadcastTo", "scalar", np.float32(2), i32(2, 2))
    case("BroadcastTo", "string", STRINGS[:1], i32(2, 3))
    case("BroadcastTo", "empty", f(1), i32(0))
    case("BroadcastTo", "mismatch", f(3), i32(2))


def joins(case):
    for n, a in typed():
        for axis in [0, 1, -1]:
            case("ConcatV2", f"{n} {axis}", [a, a], np.int32(axis))
            case("Pack", f"{n} {axis}", [a, a, a], axis=axis)
        case("Split", n, np.int32(1), a, num_split=3)
        case("Unpack", n, a, num=3, axis=1)
    case("StringJoin", "scalar between", [STRINGS, np.array(b"/", object), STRINGS])
    case("StringJoin", "separator", [np.array(b"a", object), np.array(b"b", object)], separator=", ")
    case("StringJoin", "mismatch", [STRINGS, np.array([b"a", b"b"], object)])
    case("ConcatV2", "sizes", [f(2, 1), f(2, 3), f(2, 0)], np.int64(1))
    case("ConcatV2", "empty", [f(0), f(0)], np.int32(0))
    case("ConcatV2", "scalars", [np.float32(1), np.float32(2)], np.int32(0))
    case("ConcatV2", "mismatch", [f(2, 1), f(3, 1)], np.int32(1))
    case("ConcatV2", "rank", [f(2), f(3, 1)], np.int32(0))
    case("ConcatV2", "range", [f(2), f(3)], np.int32(1))
    case("Pack", "scalars", [np.int32(1), np.int32(2)])
    case("Pack", "empty", [f(0, 2), f(0, 2)], axis=1)
    case("Pack", "mismatch", [f(2), f(3)], text="Shapes of all inputs must match")
    case("Pack", "range", [f(2), f(2)], axis=2, text="axis = 2 not in [-2, 2)")
    case("Split", "rows", np.int32(0), f(4, 3), num_split=2)
    case("Split", "negative", np.int32(-1), f(4, 2), num_split=2)
    case("Split", "uneven", np.int32(0), f(3, 2), num_split=2)
    case("Split", "range", np.int32(2), f(3, 2), num_split=1)
    case("SplitV", "rows", f(4, 3), i64(1, 3), np.int32(0), num_split=2)
    case("SplitV", "rest", f(2, 5), i32(1, -1, 2), np.int32(1), num_split=3)
    case("SplitV", "too many", f(2, 5), i32(1, 6), np.int32(1), num_split=2)
    case("SplitV", "negative", f(2, 5), i32(-2, 7), np.int32(1), num_split=2)
    case("Unpack", "rows", f(2, 3), num=2)
    case("Unpack", "vector", f(3), num=3, axis=-1)
    case("Unpack", "mismatch", f(2, 3), num=3)
    case("Unpack", "range", f(2, 3), num=3, axis=2)


def slices(case):
    for n, a in typed():
        case("Slice", n, a, i32(0, 1), i32(2, 2))
        case("StridedSlice", n, a, i32(0, 0), i32(2, 3), i32(1, 2))
        case("StridedSlice", f"reverse {n}", a, i32(1, 2), i32(-3, -4), i32(-1, -1))
    case("Slice", "rest", f(3, 4), i64(1, 0), i64(-1, 2))
    case("Slice", "all", f(3, 4), i32(0, 0), i32(-1, -1))
    case("Slice", "empty", f(3, 4), i32(3, 0), i32(0, 4))
    case("Slice", "begin", f(3), i32(4), i32(0), text="Expected begin[0] in [0, 3], but got 4")
    case("Slice", "size", f(3), i32(1), i32(3), text="Expected size[0] in [0, 2], but got 3")
    case("Slice", "rank", f(3), i32(1, 1), i32(1, 1))
    a = f(3, 4, 5)
    for spec in [((1,), (2,), (1,), {}), ((1, 1), (3, 3), (1, 1), {}),
                 ((-1,), (-3,), (-1,), {}), ((0,), (9,), (2,), {}), ((5,), (9,), (1,), {}),
                 ((1,), (2,), (1,), dict(shrink_axis_mask=1)),
                 ((-1, 0), (0, 0), (1, 1), dict(shrink_axis_mask=1, begin_mask=2, end_mask=2)),
                 ((0, 1), (0, 2), (1, 1), dict(ellipsis_mask=1)),
                 ((0, 0, 2), (0, 0, 3), (1, 1, 1), dict(ellipsis_mask=1, new_axis_mask=2)),
                 ((0, 1), (0, 2), (1, 1), dict(new_axis_mask=1, shrink_axis_mask=2)),
                 ((1, 1, 1), (2, 2, 2), (1, 1, 1), dict(shrink_axis_mask=7)),
                 ((0, 0, 0), (3, 4, 5), (2, 3, -1), dict(begin_mask=4, end_mask=4)),
                 ((), (), (), {}), ((2,), (1,), (1,), {}),
                 ((0,), (2,), (1,), dict(shrink_axis_mask=1, begin_mask=1)),
                 ((0,), (0,), (1,), dict(new_axis_mask=1, ellipsis_mask=1))]:
        b, e, s, masks = spec
        case("StridedSlice", f"{spec}", a, i32(*b), i32(*e), i32(*s), **masks)
    case("StridedSlice", "zero stride", f(3), i32(0), i32(1), i32(0), text="strides[0] must be non-zero")
    case("StridedSlice", "bounds", f(3), i32(3), i32(4), i32(1), shrink_axis_mask=1, text="slice index 3 of dimension 0 out of bounds")
    case("StridedSlice", "too many", f(3), i32(0, 0), i32(1, 1), i32(1, 1), text="Index out of range using input dim 1; input has only 1 dims")
    case("StridedSlice", "ellipses", a, i32(0, 0), i32(1, 1), i32(1, 1), ellipsis_mask=3, text="Multiple ellipses in slice spec not allowed")
    case("StridedSlice", "lengths", f(3), i32(0), i32(1, 1), i32(1))
    case("StridedSlice", "int64 limits", f(3), i64(-2**63), i64(2**63 - 1), i64(2**63 - 1))
    case("StridedSlice", "string scalar", STRINGS, i32(1, 1), i32(2, 2), i32(1, 1), shrink_axis_mask=3)
    case("StridedSlice", "empty input", f(0, 3), i32(0), i32(5), i32(1))
    case("StridedSlice", "int64 shape", i64(7, 8, 9), i32(-1), i32(0), i32(1), shrink_axis_mask=1)
    case("StridedSliceGrad", "rows", i32(3, 4), i32(1), i32(3), i32(1), f(2, 4))
    case("StridedSliceGrad", "strided", i32(3, 4), i32(2, 0), i32(-4, 4), i32(-1, 2), f(3, 2))
    case("StridedSliceGrad", "shrink", i64(3, 2), i64(1), i64(2), i64(1), f(2), shrink_axis_mask=1)
    case("StridedSliceGrad", "new axis", i32(3), i32(0, 1), i32(0, 2), i32(1, 1), f(1, 1), new_axis_mask=1)
    case("StridedSliceGrad", "mismatch", i32(3, 4), i32(1), i32(3), i32(1), f(2, 3))


def moves(case):
    for n, a in typed():
        case("Transpose", n, a, i32(1, 0))
        case("Tile", n, a, i32(2, 1))
        case("Pad", n, a, np.array([[1, 0], [0, 2]], np.int32))
        case("GatherV2", n, a, i32(1, 0, 1), np.int32(0))
        case("GatherV2", f"columns {n}", a, i32(2, 0), np.int32(-1))
        case("Gather", n, a, i32(1, 0, 1))
        case("GatherNd", n, a, np.array([[0, 1], [1, 2]], np.int32))
    for perm in [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1), (2, 0, 1), (1, 0, 2)]:
        case("Transpose", f"{perm}", f(2, 3, 4), i32(*perm))
    case("Transpose", "four", f(2, 3, 2, 2), i64(0, 3, 1, 2))
    case("Transpose", "tiles", Ramp(np.int32, [37, 21]), i32(1, 0))
    case("Transpose", "scalar", np.float32(1), i32())
    case("Transpose", "empty", f(0, 3), i32(1, 0))
    case("Transpose", "range", f(2, 3), i32(0, 2))
    case("Transpose", "twice", f(2, 3), i32(0, 0))
    case("Transpose", "length", f(2, 3), i32(0))
    for m in [(2, 3), (1, 1), (0, 2), (3, 1)]:
        case("Tile", f"{m}", f(2, 3), i32(*m))
    case("Tile", "scalar", np.float32(1), i32())
    case("Tile", "negative", f(2), i32(-1), text="Expected multiples[0] >= 0, but got -1")
    case("Tile", "length", f(2), i32(1, 1))
    case("Pad", "scalar", np.float32(1), np.zeros([0, 2], np.int32))
    case("Pad", "empty", f(0, 2), np.array([[1, 1], [0, 0]], np.int64))
    case("Pad", "three", f(2, 1, 2), np.array([[0, 1], [1, 1], [2, 0]], np.int32))
    case("Pad", "negative", f(2), np.array([[-1, 0]], np.int32))
    case("Pad", "rank", f(2), np.array([[1, 0], [0, 0]], np.int32))
    case("GatherV2", "scalar", f(3, 2), np.int32(1), np.int32(0))
    case("GatherV2", "matrix", f(2, 3, 2), np.array([[0, 2], [1, 1]], np.int64), np.int64(1))
    case("GatherV2", "batch", f(2, 3, 2), np.array([[0, 2], [1, 1]], np.int32), np.int32(1), batch_dims=1)
    case("GatherV2", "batch negative", f(2, 3), np.array([[0, 2], [1, 1]], np.int32), np.int32(1), batch_dims=-1)
    case("GatherV2", "empty indices", f(2, 3), i32(), np.int32(0))
    case("GatherV2", "empty params", f(0, 3), i32(), np.int32(0))
    case("GatherV2", "range", f(3), np.array([[0, 1], [2, 3]], np.int32), np.int32(0), text="indices[1,1] = 3 is not in [0, 3)")
    case("GatherV2", "negative", f(3), i32(-10), np.int32(0), text="indices[0] = -10 is not in [0, 3)")
    case("GatherV2", "scalar range", f(3), np.int32(3), np.int32(0), text="indices = 3 is not in [0, 3)")
    case("GatherV2", "axis", f(3), i32(0), np.int32(1))
    case("Gather", "range", f(3), i32(3), text="indices[0] = 3 is not in [0, 3)")
    case("GatherNd", "rows", f(3, 2), np.array([[2], [0]], np.int64))
    case("GatherNd", "one", f(3, 2), i32(2, 1))
    case("GatherNd", "depth 0", f(2), np.zeros([3, 0], np.int32))
    case("GatherNd", "empty", f(2), np.zeros([0, 1], np.int32))
    case("GatherNd", "range", f(2, 2), np.array([[0, 1], [2, 3]], np.int32), text="indices[1] = [2, 3] does not index into param shape [2,2]")
    case("GatherNd", "deep", f(2), i32(0, 0))


def scatters(case):
    for t in [np.float32, np.float64, np.float16, BF16, np.int32, np.int64, np.uint8]:
        case("ScatterNd", name(t), np.array([[1], [3], [1]], np.int32), np.array([5, 6, 7], t), i32(5))
        case("UnsortedSegmentSum", name(t), v(t, 3, 2), i32(1, 0, 1), np.int32(3))
        case("Unique", name(t), np.array([3, 1, 3, 2, 1], t))
        # TensorFlow has no kernel for the other types.
        if t not in (np.float16, BF16):
            case("Where", name(t), np.array([[0, 1], [2, 0]], t))
    case("ScatterNd", "rows", np.array([[1], [0]], np.int64), f(2, 3), i64(2, 3))
    case("ScatterNd", "points", np.array([[1, 0], [0, 2]], np.int32), f(2), i32(2, 3))
    case("ScatterNd", "empty", np.zeros([0, 1], np.int32), np.zeros([0], np.float32), i32(3))
    case("ScatterNd", "range", np.array([[7]], np.int32), f(1), i32(4), text="indices[0] = [7] does not index into shape [4]")
    case("ScatterNd", "negative", np.array([[-1]], np.int32), f(1), i32(4), text="indices[0] = [-1] does not index into shape [4]")
    case("ScatterNd", "mismatch", np.array([[1]], np.int32), f(2), i32(4))
    case("UnsortedSegmentSum", "dropped", f(3), i32(-1, 0, 1), np.int32(2))
    case("UnsortedSegmentSum", "matrix ids", f(2, 2, 2), np.array([[0, 1], [1, 0]], np.int64), np.int64(2))
    case("UnsortedSegmentSum", "empty", f(0, 2), i32(), np.int32(2))
    case("UnsortedSegmentSum", "range", f(2), i32(0, 5), np.int32(3), text="segment_ids[1] = 5 is out of range [0, 3)")
    case("UnsortedSegmentSum", "negative count", f(2), i32(0, 0), np.int32(-1))
    case("UnsortedSegmentSum", "mismatch", f(2), i32(0, 0, 0), np.int32(1))
    case("Unique", "string", np.array([b"b", b"a", b"b"], object))
    case("Unique", "bool", np.array([True, True, False]), out_idx=tf.int64)
    case("Unique", "nan", np.array([NAN, 1, NAN, -0.0, 0.0], np.float32))
    case("Unique", "empty", f(0))
    case("Unique", "matrix", f(1, 2), text="unique expects a 1D vector.")
    case("Where", "bool", np.array([[True, False], [False, True]]))
    case("Where", "nan", np.array([NAN, 0.0, -0.0, INF], np.float32))
    case("Where", "scalar", np.array(True))
    case("Where", "empty", np.zeros([0, 2], bool))
    for n, a in typed():
        case("DynamicStitch", n, [i32(1, 2), i32(0, 3)], [a, a])
    case("DynamicStitch", "last wins", [np.int32(0), i32(0, 1)], [f(2), f(2, 2)])
    case("DynamicStitch", "empty", [i32()], [f(0, 2)])
    case("DynamicStitch", "mismatch", [i32(0, 1)], [f(3)])
    case("DynamicStitch", "negative", [i32(-1)], [f(1)])
    for n, a in typed():
        case("ParallelDynamicStitch", n, [i32(1, 2), i32(0, 3)], [a, a])
        case("DynamicPartition", n, a, i32(1, 0), num_partitions=2)
    case("ParallelDynamicStitch", "scalar index", [np.int32(2), i32(0, 1)], [f(2), f(2, 2)])
    case("ParallelDynamicStitch", "matrix of indices", [np.array([[3, 0], [1, 2]], np.int32)],
         [f(2, 2, 3)])
    case("ParallelDynamicStitch", "empty", [i32()], [f(0, 2)])
    case("ParallelDynamicStitch", "mismatch", [i32(0, 1)], [f(3)])
    case("ParallelDynamicStitch", "negative", [i32(-1)], [f(1)])
    case("DynamicPartition", "an empty part", f(3, 2), i32(2, 0, 2), num_partitions=3)
    case("DynamicPartition", "one part", f(2), i32(0, 0), num_partitions=1)
    case("DynamicPartition", "scalar", f(3), np.int32(1), num_partitions=2)
    case("DynamicPartition", "matrix", f(2, 2, 3), np.array([[1, 0], [1, 1]], np.int32),
         num_partitions=2)
    case("DynamicPartition", "no rows", f(0, 3), i32(), num_partitions=2)
    case("DynamicPartition", "rows of nothing", f(2, 0), i32(1, 0), num_partitions=2)
    case("DynamicPartition", "too large", f(2), i32(0, 2), num_partitions=2,
         text="partitions[1] = 2 is not in [0, 2)")
    case("DynamicPartition", "negative", f(2), np.array([[0], [-1]], np.int32)[:, 0],
         num_partitions=2, text="partitions[1] = -1 is not in [0, 2)")
    case("DynamicPartition", "place in a matrix", f(2, 2), np.array([[0, 0], [9, 0]], np.int32),
         num_partitions=1, text="partitions[1,0] = 9 is not in [0, 1)")
    case("DynamicPartition", "scalar too large", f(2), np.int32(5), num_partitions=2,
         text="partitions = 5 is not in [0, 2)")
    case("DynamicPartition", "mismatch", f(3, 2), i32(0, 0), num_partitions=2,
         text="data.shape must start with partitions.shape")


def cases(case):
    for part in [casts, makers, shapes, joins, slices, moves, scatters]:
        part(case)
