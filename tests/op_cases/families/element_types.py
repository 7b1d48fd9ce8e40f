# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of element types that few graphs use: images of integers, narrow indices,
sums of strings and of booleans, and moved variants and resources.

A file cannot hold the outputs of an op that moves variants or resources. So such a
case reads the number that each variant or resource holds after the move. The op of
the case is then a "Pack" of these numbers."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp

POOLED = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16)


def name_of(dtype):
    return tf.as_dtype(dtype).name


def strings(*values):
    return np.array(values, object)


def integers(shape, dtype, salt=0):
    """Returns values from the whole range of the dtype. Many of them are equal."""
    limits = np.iinfo(dtype)
    index = (np.arange(int(np.prod(shape)), dtype=np.int64) * 377 + salt) % 22 // 2
    choice = [limits.min, limits.min + 1, 0, 1, 2, 3, 5, 100, limits.max // 2,
              limits.max - 1, limits.max]
    return np.array(choice, dtype)[index].reshape(shape)


def pooling(case):
    for dtype in POOLED + (np.uint32, np.uint64):
        x = integers([2, 5, 4, 3], dtype)
        for padding, stride in (("SAME", 1), ("VALID", 2)):
            window = {"ksize": [1, 3, 2, 1], "strides": [1, stride, stride, 1],
                      "padding": padding}
            tag = f"{name_of(dtype)} {padding}"
            height, width = (5, 4) if padding == "SAME" else (2, 2)
            if dtype in POOLED:
                case("MaxPool", tag, x, **window)
            y = np.zeros([2, height, width, 3], dtype)  # only its shape is used
            case("MaxPoolGrad", tag, x, y, integers(y.shape, dtype, 4), **window)
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    empty, pooled = np.zeros([0, 4, 4, 1], np.int32), np.zeros([0, 2, 2, 1], np.int32)
    case("MaxPool", "no integer images", empty, **window)
    case("MaxPoolGrad", "no integer images", empty, pooled, pooled, **window)
    # This window has 200 elements.
    window = {"ksize": [1, 20, 10, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    wide = (np.arange(200) % 120).astype(np.int8).reshape([1, 20, 10, 1])
    one = np.array([7], np.int8).reshape([1, 1, 1, 1])
    case("MaxPoolGrad", "int8 many taps", wide[:, ::-1, ::-1].copy(), one, one, **window)


def convolutions(case):
    x, kernel = integers([2, 5, 4, 2], np.int32), integers([3, 2, 2, 3], np.int32, 5)
    sizes = np.array(x.shape, np.int32)
    for padding, stride in (("SAME", 1), ("VALID", 2)):
        window = {"strides": [1, stride, stride, 1], "padding": padding}
        case("Conv2D", f"int32 {padding}", x, kernel, **window)
        shape = [2, 5, 4, 3] if padding == "SAME" else [2, 2, 2, 3]
        case("Conv2DBackpropInput", f"int32 {padding}", sizes, kernel,
             integers(shape, np.int32, 9), **window)
    valid = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    case("Conv2D", "int32 dilated", x, kernel[:, :, :, :1].copy(), dilations=[1, 2, 3, 1],
         **valid)
    case("Conv2D", "int32 groups", integers([1, 3, 3, 4], np.int32),
         integers([2, 2, 2, 6], np.int32, 3), **valid)
    case("Conv2D", "int32 no images", x[:0].copy(), kernel, **valid)
    case("Conv2DBackpropInput", "int32 no images", np.array([0, 5, 4, 2], np.int32), kernel,
         np.zeros([0, 3, 3, 3], np.int32), **valid)


def products(case):
    x, y = integers([2, 1, 2, 3], np.int16), integers([3, 3, 2], np.int16, 5)
    case("BatchMatMulV2", "int16", x, y)
    case("BatchMatMulV2", "int16 adjoint", x, y, adj_x=True, adj_y=True)
    case("BatchMatMulV2", "int16 empty", x[:0].copy(), y)
    case("BatchMatMulV2", "int16 sums of nothing", x[..., :0].copy(), y[:, :0].copy())


def narrow_outputs(case):
    rows = np.array([[3, 9, 9, 1], [-1, -2, -3, -4]], np.float32)
    long = Ramp(np.float32, [70000])
    for kind in (tf.int16, tf.uint16):
        case("ArgMax", f"to {kind.name}", rows, np.int32(1), output_type=kind)
        case("ArgMax", f"to {kind.name} of columns", rows, np.int32(0), output_type=kind)
        case("ArgMax", f"to {kind.name} of none", rows[:0].copy(), np.int32(1),
             output_type=kind)
        case("ArgMax", f"to {kind.name} wraps around", long, np.int32(0), output_type=kind)
    case("TopKV2", "to int16", rows, np.int32(3), index_type=tf.int16)
    case("TopKV2", "to int16 of none", rows[:0].copy(), np.int32(3), index_type=tf.int16)
    case("TopKV2", "to int16 most", Ramp(np.float32, [32767]), np.int32(1),
         index_type=tf.int16)
    case("TopKV2", "to int16 too many", Ramp(np.float32, [32768]), np.int32(1),
         index_type=tf.int16,
         text="Second dimension of flattened input must be <= 32767, got 32768")
    case("TopKV2", "int16 k", rows, np.int16(2))
    case("TopKV2", "negative int16 k", rows, np.int16(-2), text="Need k >= 0, got -2")


def i16(*values):
    return np.array(values, np.int16)


def narrow_indices(case):
    table = np.arange(12, dtype=np.float32).reshape([3, 4])
    case("GatherV2", "int16", table, i16(2, 0, 2), np.int32(0))
    case("GatherV2", "int16 columns", table, i16(2, 0)[None], np.int32(1))
    case("GatherV2", "int16 batch", table, i16(3, 0, 1)[:, None].copy(), np.int32(1),
         batch_dims=1)
    case("GatherV2", "int16 scalar", table, np.int16(1), np.int64(0))
    case("GatherV2", "int16 nothing", table, i16(), np.int32(0))
    case("GatherV2", "int16 too large", table, i16(0, 3), np.int32(0),
         text="indices[1] = 3 is not in [0, 3)")
    case("GatherV2", "int16 negative", table, i16(-1), np.int32(0),
         text="indices[0] = -1 is not in [0, 3)")
    case("GatherNd", "int16", table, np.array([[2, 3], [0, 1]], np.int16))
    case("GatherNd", "int16 rows", table, np.array([[2], [0]], np.int16))
    case("GatherNd", "int16 nothing", table, np.zeros([0, 2], np.int16))
    case("GatherNd", "int16 whole", table, np.zeros([0], np.int16))
    case("GatherNd", "int16 too large", table, np.array([[2, 4]], np.int16),
         text="indices[0] = [2, 4] does not index into param shape [3,4]")
    case("UnsortedSegmentSum", "int16", table, i16(1, -1, 1), np.int32(3))
    case("UnsortedSegmentSum", "int16 matrix", table,
         np.array([[0, 1, 2, 3], [3, 2, 1, 0], [-1, -7, 0, 0]], np.int16), np.int64(4))
    case("UnsortedSegmentSum", "int16 wraps around", np.array([100, 100, 1], np.int8),
         i16(0, 0, 1), np.int32(2))
    case("UnsortedSegmentSum", "int16 nothing", table[:0].copy(), i16(), np.int32(2))
    case("UnsortedSegmentSum", "int16 too large", table, i16(1, 3, 1), np.int32(3),
         text="segment_ids[1] = 3 is out of range [0, 3)")
    case("StridedSlice", "int16", table, i16(-1, 1), i16(0, 4), i16(-1, 2))
    case("StridedSlice", "int16 shrink", table, i16(1), i16(2), i16(1), shrink_axis_mask=1)
    case("StridedSlice", "int16 out of bounds", table, i16(3), i16(4), i16(1),
         shrink_axis_mask=1, text="slice index 3 of dimension 0 out of bounds.")
    sizes = np.array([1, -1], np.int8)
    case("SplitV", "int8", table, sizes, np.int32(1), num_split=2)
    case("SplitV", "int8 rows", table, sizes, np.int32(0), num_split=2)
    case("SplitV", "int8 one", table, np.array([3], np.int8), np.int32(0), num_split=1)
    case("SplitV", "int8 empty pieces", np.zeros([0, 2], np.int32),
         np.array([0, 0], np.int8), np.int32(0), num_split=2)
    case("SplitV", "int8 too long", table, np.array([1, 3], np.int8), np.int32(0),
         num_split=2, text="Determined shape must either match input shape")


def sums(case):
    a, b = strings(b"a", b"", b"long enough to leave the object"), strings(b"x", b"yz", b"")
    case("Add", "strings", a, b)
    case("Add", "strings of two shapes", a[:, None].copy(), b)
    case("Add", "a string to many", np.array(b"-", object), b)
    case("Add", "many to a string", a, np.array(b"-", object))
    case("Add", "two strings", np.array(b"a", object), np.array(b"b", object))
    case("Add", "no strings", a[:0].copy(), np.array(b"b", object))
    case("Add", "strings that do not fit", a, b[:2].copy(), text="Incompatible shapes")
    twice = np.array([[1], [3], [1]], np.int32)
    shape = np.array([4], np.int32)
    case("ScatterNd", "strings", twice, a, shape)
    case("ScatterNd", "bool", twice, np.array([True, True, False]), shape)
    case("ScatterNd", "bool rows", twice.astype(np.int64),
         np.array([[True, False], [False, True], [False, True]]), np.array([4, 2]))
    case("ScatterNd", "string rows", twice[:2], np.stack([a, b]), i32(4, 3))
    case("ScatterNd", "no strings", twice[:0].copy(), a[:0].copy(), shape)
    case("ScatterNd", "no bool", twice[:0].copy(), np.zeros([0, 0], bool),
         np.array([4, 0], np.int32))
    case("ScatterNd", "string too far", twice + 1, a, shape,
         text="indices[1] = [4] does not index into shape [4]")


class Lists:
    """Makes variants, each of which is a list that holds one number."""

    kind = "variants"

    def __init__(self, case):
        self.op = case.__self__.chain()

    def make(self, number):
        return self.op("TensorListFromTensor", np.array([number], np.int32),
                       np.zeros([0], np.int32))

    def read(self, value):
        return self.op("TensorListGetItem", value, np.int32(0), np.zeros([0], np.int32),
                       element_dtype=tf.int32)


class Variables:
    """Makes resources, each of which is a variable that holds one number."""

    kind = "resources"

    def __init__(self, case):
        self.op = case.__self__.chain()

    def make(self, number):
        handle = self.op("VarHandleOp", dtype=tf.int32, shape=[], shared_name=f"v{number}")
        self.op("AssignVariableOp", handle, np.int32(number), dtype=tf.int32)
        return handle

    def read(self, value):
        return self.op("ReadVariableOp", value, dtype=tf.int32)


class Moved:
    """Makes variants or resources that hold the numbers 1 to 4, and adds cases that
    check where an op has moved them."""

    def __init__(self, kind, case):
        self.of = kind(case)
        self.op = self.of.op
        self.scalars = [self.of.make(n) for n in (1, 2, 3, 4)]

    def vector(self, count):
        return self.op("Pack", self.scalars[:count])

    def matrix(self):
        return self.op("Reshape", self.vector(4), np.array([2, 2], np.int32))

    def holds(self, name, *tensors):
        """Adds a case whose output has the number that each element of the tensors
        holds, in order."""
        elements = []
        for tensor in tensors:
            count = int(np.prod(tensor.tensor.shape))
            flat = self.op("Reshape", tensor, np.array([count], np.int32))
            single = self.op("Unpack", flat, num=count)
            elements += [single] if count == 1 else single
        self.op.case("Pack", f"{name} of {self.of.kind}", [self.of.read(e) for e in elements],
                     everything=True)

    def has_shape(self, name, tensor):
        self.op.case("Shape", f"{name} of {self.of.kind}", tensor, everything=True)


def i32(*values):
    return np.array(values, np.int32)


def moved(case):
    def both(name, move):
        for kind in (Lists, Variables):
            values = Moved(kind, case)
            result = move(values, values.op)
            values.holds(name, *(result if isinstance(result, list) else [result]))

    zero, one, none = np.int32(0), np.int32(1), i32()
    both("Fill", lambda m, op: op("Fill", i32(2), m.scalars[1]))
    both("Fill with a scalar", lambda m, op: op("Fill", none, m.scalars[1]))
    both("BroadcastTo", lambda m, op: op("BroadcastTo", m.vector(2), i32(2, 2)))
    both("Gather", lambda m, op: op("Gather", m.vector(3), i32(2, 0, 2)))
    both("GatherV2", lambda m, op: op("GatherV2", m.matrix(), i32(1), one))
    both("GatherV2 int16", lambda m, op: op("GatherV2", m.vector(3), i16(2, 1), zero))
    both("GatherNd", lambda m, op: op("GatherNd", m.matrix(), np.array([[1, 0], [0, 1]])))
    both("OneHot", lambda m, op: op("OneHot", i32(1, 0, 7), np.int32(2), m.scalars[0],
                                    m.scalars[2]))
    both("Pack", lambda m, op: op("Pack", [m.vector(2), m.vector(2)], axis=1))
    both("Unpack", lambda m, op: op("Unpack", m.matrix(), num=2, axis=1))
    both("Select", lambda m, op: op("Select", np.array([True, False]), m.vector(2),
                                    op("Pack", m.scalars[2:])))
    both("Select of rows", lambda m, op: op(
        "Select", np.array([True, False]), m.matrix(),
        op("Reshape", op("Gather", m.vector(4), i32(3, 2, 1, 0)), i32(2, 2))))
    both("Select by a scalar", lambda m, op: op("Select", np.array(False), *m.scalars[:2]))
    both("SelectV2", lambda m, op: op("SelectV2", np.array([[True], [False]]), m.vector(2),
                                      m.scalars[3]))
    both("Split", lambda m, op: op("Split", one, m.matrix(), num_split=2))
    both("Split of rows", lambda m, op: op("Split", zero, m.matrix(), num_split=2))
    both("SplitV", lambda m, op: op("SplitV", m.vector(4), i32(1, -1), zero, num_split=2))
    both("StridedSlice", lambda m, op: op("StridedSlice", m.vector(4), i32(3), i32(0), i32(-2)))
    both("StridedSlice of one", lambda m, op: op("StridedSlice", m.vector(3), i32(1), i32(2),
                                                 i32(1), shrink_axis_mask=1))
    # TensorFlow registers a kernel for these types, but the kernel refuses all
    # other permutations.
    both("Transpose", lambda m, op: op("Transpose", m.matrix(), i32(0, 1)))


def moved_nothing(case):
    # TensorFlow's eager execution does not accept empty resource tensors.
    m = Moved(Lists, case)
    op, empty = m.op, m.op("Fill", i32(0, 2), m.scalars[0])
    m.has_shape("Fill to nothing", empty)
    m.has_shape("Transpose of nothing", op("Transpose", empty, i32(1, 0)))
    m.has_shape("BroadcastTo nothing", op("BroadcastTo", m.scalars[0], i32(3, 0)))
    m.has_shape("Pack of nothing", op("Pack", [empty, empty], axis=1))
    m.has_shape("GatherV2 of nothing", op("GatherV2", m.vector(3), i32(), np.int32(0)))
    m.has_shape("StridedSlice of nothing", op("StridedSlice", m.vector(3), i32(2), i32(1), i32(1)))
    m.has_shape("Split of nothing", op("Split", np.int32(1), empty, num_split=2)[1])
    for kind in (Lists, Variables):
        m = Moved(kind, case)
        m.op.case("GatherV2", f"too large of {m.of.kind}", m.vector(3), i32(0, 3), np.int32(0),
                  text="indices[1] = 3 is not in [0, 3)")
        m.op.case("GatherNd", f"negative of {m.of.kind}", m.vector(3), i32(-1)[None],
                  text="indices[0] = [-1] does not index into param shape [3]")


def moved_variants(case):
    """Adds cases of ops that TensorFlow runs on variants, but not on resources.
    RandomShuffle of resources ends TensorFlow's process."""
    m = Moved(Lists, case)
    m.holds("RandomShuffle", m.op("RandomShuffle", m.vector(4), seed=87654321, seed2=32))
    m = Moved(Lists, case)
    m.holds("Tile", m.op("Tile", m.vector(2), i32(2)))
    m = Moved(Lists, case)
    m.holds("DynamicStitch", m.op("DynamicStitch", [i32(2, 0), i32(1, 0)],
                                  [m.vector(2), m.op("Pack", m.scalars[2:])]))
    m = Moved(Lists, case)
    gaps = m.op("DynamicStitch", [i32(3)], [m.vector(1)])
    m.op.case("TensorListLength", "DynamicStitch leaves a gap", m.op("Unpack", gaps, num=4)[1],
              text="Input handle is not a list")
    m.has_shape("DynamicStitch leaves a gap", gaps)


def variables_of_objects(case):
    for kind in (Lists, Variables):
        m = Moved(kind, case)
        dtype = tf.variant if kind is Lists else tf.resource
        handle = m.op("VarHandleOp", dtype=dtype, shape=[4], shared_name=f"v {m.of.kind}")
        m.op("AssignVariableOp", handle, m.vector(4), dtype=dtype)
        if kind is Lists:
            m.op("ResourceScatterUpdate", handle, i32(1, 3, 1),
                 m.op("Pack", [m.scalars[3], m.scalars[0], m.scalars[2]]), dtype=dtype)
        m.holds("ResourceGather", m.op("ResourceGather", handle, i32(1, 0, 3), dtype=dtype))


def cases(case):
    for family in (pooling, convolutions, products, narrow_outputs, narrow_indices, sums,
                   moved, moved_nothing, moved_variants, variables_of_objects):
        family(case)
