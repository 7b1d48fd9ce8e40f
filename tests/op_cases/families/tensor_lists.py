# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of TensorList* and Optional*, and of zeros and sums of lists and
optionals."""

import numpy as np
import tensorflow as tf

F32 = tf.float32
ANY = np.int32(-1)  # an element shape of unknown rank
STRINGS = np.array([b"a", b"long enough to leave the object"], object)


def i32(*values):
    return np.array(values, np.int32).reshape([len(values)])


def i64(*values):
    return np.array(values, np.int64).reshape([len(values)])


def f(*shape):
    return (np.arange(int(np.prod(shape))) + 1).astype(np.float32).reshape(shape)


def scalar(x):
    return np.float32(x)


class Lists:
    """Is a chain with a method for each op that the cases need."""

    def __init__(self, case):
        self.op = case.__self__.chain()

    def empty(self, shape=ANY, dtype=F32, most=-1):
        return self.op("EmptyTensorList", shape, np.int32(most), element_dtype=dtype)

    def reserve(self, shape, count, dtype=F32):
        return self.op("TensorListReserve", shape, np.int32(count), element_dtype=dtype)

    def push(self, a_list, *items):
        for item in items:
            a_list = self.op("TensorListPushBack", a_list, item)
        return a_list

    def set(self, a_list, index, item):
        return self.op("TensorListSetItem", a_list, np.int32(index), item)

    def optional(self, *items):
        return self.op("OptionalFromValue", list(items))

    def stack(self, name, a_list, shape=ANY, dtype=F32, **options):
        self.op.case("TensorListStack", name, a_list, shape, element_dtype=dtype, **options)

    def get(self, name, a_list, index, shape=ANY, dtype=F32, **options):
        self.op.case("TensorListGetItem", name, a_list, np.int32(index), shape,
                     element_dtype=dtype, **options)

    def pop(self, a_list, shape=ANY, dtype=F32):
        return self.op("TensorListPopBack", a_list, shape, element_dtype=dtype)

    def length(self, name, a_list):
        self.op.case("TensorListLength", name, a_list)


def elements(case):
    lists = Lists(case)
    first = lists.push(lists.empty(), f(2))
    second = lists.push(first, 10 * f(2))
    other = lists.push(first, 100 * f(2))
    lists.stack("pushed", second)
    lists.stack("copied when shared", other, everything=True)
    lists.stack("shared stays", first, everything=True)
    lists.length("pushed", second)
    lists.get("written", second, 1)
    lists.get("written ignores the shape", second, 1, i32(7))
    lists.get("negative", second, -1, text="Trying to access element -1 in a list with 2 elements.")
    lists.get("behind", second, 2, text="Trying to access element 2 in a list with 2 elements.")
    lists.get("other dtype", second, 0, dtype=tf.int32,
              text="Invalid data types; op elements int32 but list elements float")
    popped, item = lists.pop(second)
    lists.stack("popped", popped)
    lists.op.case("Identity", "popped item", item)
    lists.stack("pop leaves the input", second, everything=True)
    lists.op.case("TensorListPopBack", "empty", lists.empty(), ANY, element_dtype=F32,
                  text="Trying to pop from an empty list.")
    changed = lists.set(second, 0, 7 * f(2))
    lists.stack("set", changed)
    lists.stack("set leaves the input", second, everything=True)
    strings = lists.push(lists.empty(i32(2), tf.string), STRINGS)
    lists.stack("strings", lists.push(strings, STRINGS), dtype=tf.string)
    for dtype in [np.int8, np.float16, np.float64, np.complex128, np.bool_, np.int64]:
        name = tf.as_dtype(dtype)
        typed = lists.push(lists.empty(dtype=name), np.array([1, 0], dtype))
        lists.stack(name.name, typed, dtype=name)
    lists.stack("no extent", lists.push(lists.empty(), f(2, 0)))


def refused_elements(case):
    lists = Lists(case)
    pushed = lists.push(lists.empty(), scalar(1))
    one = lists.push(lists.empty(i32(), most=1), scalar(1))
    push, put = "TensorListPushBack", "TensorListSetItem"
    lists.op.case(push, "full", one, scalar(2), text="Tried to push item into a full list")
    lists.op.case(push, "full at once", lists.empty(most=0), scalar(2),
                  text="Tried to push item into a full list list size: 0 max_num_elements: 0")
    lists.length("a negative maximum is none", lists.push(lists.empty(most=-2), scalar(1)))
    lists.op.case(push, "dtype", pushed, i32(1), text="Invalid data types; op elements int32")
    lists.op.case(push, "shape", lists.empty(i32(2)), scalar(1),
                  text="Tried to append a tensor with incompatible shape to a list. "
                       "Op element shape: [] list shape: [2]")
    lists.op.case(push, "not a list", lists.op("OptionalNone"), scalar(1),
                  text="Input handle is not a list. Saw: '")
    two = lists.reserve(i32(), 2)
    for index in [-1, 2]:
        lists.op.case(put, f"index {index}", two, np.int32(index), scalar(1),
                      text=f"Trying to modify element {index} in a list with 2 elements.")
    lists.op.case(put, "shape", two, np.int32(1), f(1),
                  text="Tried to set a tensor with incompatible shape at a list index. "
                       "Item element shape: [1] list shape: []")
    lists.op.case(put, "dtype", two, np.int32(1), np.int32(1), text="Invalid data types")
    grown = lists.op(put, two, np.int32(4), scalar(3), resize_if_index_out_of_bounds=True)
    lists.stack("grown", grown)


def new_lists(case):
    lists = Lists(case)
    empty, reserve = "EmptyTensorList", "TensorListReserve"
    for name, shape, text in [
            ("scalar shape", np.int32(0), "The only valid scalar shape tensor is the fully "
                                          "unknown shape specified as -1."),
            ("extent below -1", i32(-2), "")]:
        lists.op.case(empty, name, shape, np.int32(-1), element_dtype=F32, text=text)
        lists.op.case(reserve, name, shape, np.int32(1), element_dtype=F32, text=text)
    # CVE-2022-35998: the shape given to EmptyTensorList is a matrix.
    lists.op.case(empty, "matrix shape", np.array([[1]], np.int32), np.int32(-1),
                  element_dtype=F32, text="")
    lists.op.case(empty, "vector maximum", i32(), i32(1, 2), element_dtype=F32,
                  text="max_num_elements expected to be a scalar but got shape: [2]")
    # CVE-2021-37644 and CVE-2022-35960: num_elements is negative or has several
    # elements.
    lists.op.case(reserve, "negative", i32(), np.int32(-1), element_dtype=F32,
                  text="The num_elements to reserve must be a non negative number, but got -1")
    lists.op.case(reserve, "vector", i32(), i32(1, 2), element_dtype=F32,
                  text="The num_elements to reserve must be a tensor size 1, but got [2]")
    lists.length("reserved", lists.reserve(i32(2), 3))
    lists.stack("reserved", lists.reserve(i32(2), 3))
    lists.stack("reserved, shape given", lists.reserve(ANY, 3), i32(2))
    lists.stack("reserved in part", lists.set(lists.reserve(ANY, 3), 1, f(2)))
    lists.stack("reserved, unknown", lists.reserve(i32(-1, 2), 2),
                text="Tried to stack list which only contains uninitialized tensors and has a "
                     "non-fully-defined element_shape: [?,2]")
    lists.stack("reserved strings", lists.reserve(i32(2), 1, tf.string), dtype=tf.string)
    lists.get("not written", lists.reserve(i32(2), 2), 1)
    lists.get("not written, like others", lists.set(lists.reserve(ANY, 2), 0, f(3)), 1)
    lists.get("not written, unknown", lists.reserve(ANY, 2), 1,
              text="Trying to read an uninitialized tensor but element_shape is not fully "
                   "defined: <unknown> and no list element is set.")
    lists.get("not written, contradiction", lists.reserve(i32(2), 2), 0, i32(3), text="")
    popped, item = lists.pop(lists.reserve(i32(2), 2))
    lists.op.case("Identity", "popped, not written", item)
    lists.length("popped, not written", popped)
    lists.op.case("TensorListPopBack", "not written, unknown", lists.reserve(ANY, 1), ANY,
                  element_dtype=F32,
                  text="Trying to read an uninitialized tensor but element_shape is not fully "
                       "defined.<unknown>")
    shape = "TensorListElementShape"
    lists.op.case(shape, "int32", lists.empty(i32(-1, 2)), shape_type=tf.int32)
    lists.op.case(shape, "int64", lists.empty(i64(1 << 40)), shape_type=tf.int64)
    lists.op.case(shape, "unknown", lists.empty(), shape_type=tf.int64)


def resized(case):
    lists = Lists(case)
    two = lists.push(lists.empty(), scalar(1), scalar(2))
    for size in [0, 1, 2, 4]:
        lists.length(f"resized to {size}", lists.op("TensorListResize", two, np.int32(size)))
    lists.stack("shorter", lists.op("TensorListResize", two, np.int32(1)))
    lists.stack("longer", lists.op("TensorListResize", two, np.int32(3)))
    again = lists.op("TensorListResize", two, np.int32(1))
    lists.stack("shorter, then longer", lists.op("TensorListResize", again, np.int32(2)))
    lists.stack("resized leaves the input", two, everything=True)
    lists.op.case("TensorListResize", "negative", two, np.int32(-1),
                  text="TensorListSlice expects size to be non-negative. Got: -1")
    lists.stack("pushed behind what is not written",
                lists.push(lists.op("TensorListResize", two, np.int32(4)), scalar(9)))


def stacks(case):
    lists = Lists(case)
    lists.stack("empty", lists.empty(), i32(2))
    lists.stack("empty, unknown", lists.empty(),
                text="Tried to stack elements of an empty list with non-fully-defined "
                     "element_shape: <unknown>")
    one = lists.push(lists.empty(), f(2, 3))
    lists.stack("given number", one, num_elements=1)
    lists.stack("another number", one, num_elements=2,
                text="Operation expected a list with 2 elements but got a list with 1 elements.")
    lists.stack("another shape", one, i32(3, 2), text="")
    lists.stack("another dtype", one, dtype=tf.int32, text="Invalid data types")
    lists.stack("different shapes", lists.push(one, f(2)), text="")


def gathers(case):
    lists = Lists(case)
    three = lists.push(lists.empty(), f(2), 10 * f(2), 100 * f(2))
    gather = "TensorListGather"
    lists.op.case(gather, "twice", three, i32(2, 0, 2), ANY, element_dtype=F32)
    lists.op.case(gather, "none", three, i32(), i32(2), element_dtype=F32)
    lists.op.case(gather, "none, unknown", three, i32(), ANY, element_dtype=F32,
                  text="Tried to gather 0-elements from a list with non-fully-defined shape: "
                       "<unknown>")
    part = lists.op("TensorListResize", three, np.int32(5))
    lists.op.case(gather, "not written", part, i32(4, 1), ANY, element_dtype=F32)
    lists.op.case(gather, "only not written", part, i32(4), ANY, element_dtype=F32,
                  text="Tried to gather uninitialized tensors from a list with non-fully-defined "
                       "element_shape: <unknown>")
    known = lists.push(lists.empty(i32(2)), f(2))
    lists.op.case(gather, "behind", known, i32(1), ANY, element_dtype=F32,
                  text="Index 1 out o range; list only has 1 elements.")


def concats(case):
    lists = Lists(case)
    concat = "TensorListConcatV2"
    mixed = lists.push(lists.empty(i32(-1, 2)), f(2, 2), f(1, 2), f(0, 2))
    lists.op.case(concat, "mixed", mixed, ANY, i64(), element_dtype=F32)
    lists.op.case(concat, "empty", lists.empty(), i32(-1, 2), i64(), element_dtype=F32)
    lists.op.case(concat, "empty, unknown", lists.empty(), i32(-1, -1), i64(), element_dtype=F32,
                  text="All except the first dimension must be fully defined when concating an "
                       "empty tensor list. element_shape: ")
    # CVE-2022-41891: the element_shape is [].
    lists.op.case(concat, "scalars", lists.empty(), i32(), i64(), element_dtype=F32,
                  text="Concat requires elements to be at least vectors, found scalars instead.")
    lists.op.case(concat, "pushed scalars", lists.push(lists.empty(), scalar(1)), ANY, i64(),
                  element_dtype=F32,
                  text="Concat saw a scalar shape at index 0 but requires at least vectors.")
    lists.op.case(concat, "another first extent", lists.push(lists.empty(), f(2, 2)), i32(3, 2),
                  i64(), element_dtype=F32,
                  text="First entry of element_shape input does not match the first dim of list "
                       "element at index: 0 Expected: 3 Actual: 2")
    lists.op.case(concat, "other rows", lists.push(lists.empty(), f(2, 2)), i32(-1, 3),
                  i64(), element_dtype=F32, text="")
    part = lists.op("TensorListResize", lists.push(lists.empty(), f(2, 2)), np.int32(3))
    lists.op.case(concat, "not written, like the others", part, ANY, i64(), element_dtype=F32)
    lists.op.case(concat, "not written, leading dims", part, ANY, i64(5, 1), element_dtype=F32)
    differ = lists.op("TensorListResize", mixed, np.int32(4))
    lists.op.case(concat, "not written, too few leading dims", differ, ANY, i64(1), element_dtype=F32,
                  text="List contains uninitialized tensor at index 3 but leading_dims has only 1 "
                       "elements.")
    lists.op.case(concat, "nothing written", lists.reserve(ANY, 1), ANY, i64(1), element_dtype=F32,
                  text="Trying to concat list with only uninitialized tensors but "
                       "element_shape_except_first_dim is not fully defined: ")
    strings = lists.push(lists.empty(dtype=tf.string), STRINGS, STRINGS[:1])
    lists.op.case(concat, "strings", strings, ANY, i64(), element_dtype=tf.string)


def from_tensors(case):
    lists = Lists(case)
    whole, split = "TensorListFromTensor", "TensorListSplit"
    lists.stack("from tensor", lists.op(whole, f(3, 2), i32(2)))
    lists.stack("from strings", lists.op(whole, STRINGS, i32()), dtype=tf.string)
    lists.length("from nothing", lists.op(whole, f(0, 2), ANY))
    lists.get("row", lists.op(whole, f(3, 2), ANY), 2)
    lists.op.case(whole, "scalar", scalar(1), ANY, text="Tensor must be at least a vector")
    lists.op.case(whole, "another shape", f(3, 2), i32(3),
                  text="Specified a list with shape [3] from a tensor with shape [2]")
    # CVE-2022-35992: the element shape is a matrix.
    lists.op.case(whole, "matrix shape", f(3, 2), np.array([[2]], np.int32), text="")
    parts = lists.op(split, f(4, 2), i32(-1, 2), i64(1, 0, 3))
    for i in range(3):
        lists.get(f"part {i}", parts, i)
    lists.op.case(split, "scalar elements", f(4), i32(), i64(4),
                  text="TensorListSplit requires element_shape to be at least of rank 1, but saw: []")
    lists.op.case(split, "scalar", scalar(1), ANY, i64(1), text="Tensor must be at least a vector")
    lists.op.case(split, "another shape", f(4, 2), i32(-1, 3), i64(4),
                  text="tensor shape [4,2] is not compatible with element_shape [?,3]")
    lists.op.case(split, "matrix of lengths", f(4, 2), ANY, np.array([[4]], np.int64),
                  text="Expected lengths to be a vector, received shape: [1,1]")
    lists.op.case(split, "negative length", f(4, 2), ANY, i64(5, -1),
                  text="")
    lists.op.case(split, "too long", f(4, 2), ANY, i64(1, 4), text="Attempting to slice")
    lists.op.case(split, "too short", f(4, 2), ANY, i64(1, 2),
                  text="Unused values in tensor. Length of tensor: 4 Values used: 3")


def scatters(case):
    lists = Lists(case)
    scatter, into = "TensorListScatterV2", "TensorListScatterIntoExistingList"
    lists.stack("scattered", lists.op(scatter, f(2, 2), i32(3, 1), i32(2), np.int32(-1)))
    lists.stack("scattered, longer", lists.op(scatter, f(2, 2), i32(3, 1), i32(2), np.int32(6)))
    lists.stack("scattered twice", lists.op(scatter, f(2, 2), i32(1, 1), i32(2), np.int32(-1)))
    lists.op.case(scatter, "negative size", f(2), i32(0, 1), i32(), np.int32(-2),
                  text="TensorListScatter expects num_elements >= -1, found: -2")
    lists.op.case(scatter, "negative index", f(2), i32(0, -1), i32(), np.int32(-1),
                  text="Indices in TensorListScatter must all be non-negative")
    lists.op.case(scatter, "behind", f(2), i32(0, 2), i32(), np.int32(2),
                  text="TensorListScatter: Trying to scatter at index 2 in list with size 2")
    lists.op.case(scatter, "other rows", f(3), i32(0, 1), i32(), np.int32(-1),
                  text="Invalid number of rows in input tensor. Expected: 2 Actual: 3")
    lists.op.case(scatter, "scalar", scalar(1), i32(), ANY, np.int32(-1),
                  text="Tensor must be at least a vector")
    # CVE-2022-35991: the element shape is a matrix.
    lists.op.case(scatter, "matrix shape", f(2), i32(0, 1), np.array([[1]], np.int32),
                  np.int32(-1), text="")
    two = lists.push(lists.empty(i32(2)), f(2), 10 * f(2))
    lists.stack("scattered into", lists.op(into, two, 7 * f(2, 2), i32(2, 0)))
    lists.stack("scattered into leaves the input", two, everything=True)
    lists.stack("scattered nothing", lists.op(into, two, f(0, 2), i32()))
    lists.op.case(into, "dtype", two, np.ones([1, 2], np.int32), i32(0),
                  text="Invalid data types; input tensor type: int32 list element_type: float")
    lists.op.case(into, "scalar", two, scalar(1), i32(0), text="Tensor must be at least a vector")
    lists.op.case(into, "matrix of indices", two, f(1, 2), np.array([[0]], np.int32),
                  text="Expected indices to be a vector, but received shape: [1,1]")
    lists.op.case(into, "other rows", two, f(2, 2), i32(0),
                  text="Expected len(indices) == tensor.shape[0], but saw: 1 vs. 2")


def sums(case):
    lists = Lists(case)
    one = lists.push(lists.empty(), f(2), 5 * f(3))
    part = lists.set(lists.op("TensorListResize", lists.empty(), np.int32(2)), 0, f(2))
    total = lists.op("AddN", [one, one, part])
    lists.get("sum", total, 0)
    lists.get("sum of what is written", total, 1)
    lists.get("the sum leaves its inputs", one, 0, everything=True)
    lists.get("sum of one", lists.op("AddN", [one]), 1)
    # Another order of the additions would change the last bits of the sum.
    values = [np.float32(x) for x in (1, 1e8, 3, -1e8, 5e-3, 7, 11)]
    lists.stack("sum of seven", lists.op("AddN", [lists.push(lists.empty(), v) for v in values]))
    for dtype in (tf.int8, tf.int16, tf.uint8, tf.uint16, tf.uint32, tf.uint64):
        most = lists.push(lists.empty(dtype=dtype), np.full(2, dtype.max, dtype.as_numpy_dtype))
        lists.stack(f"sum of {dtype.name}", lists.op("AddN", [most, most]), dtype=dtype)
    lists.op.case("AddN", "lengths", [one, lists.empty()],
                  text="Trying to add two lists of tensors with different lengths. One is 2 and the "
                       "other is 0")
    lists.op.case("AddN", "dtypes", [lists.empty(), lists.empty(dtype=tf.int32)],
                  text="Trying to add two lists of tensors of different dtypes. One is float and "
                       "the other is int32")
    lists.op.case("AddN", "element shapes", [lists.empty(i32()), lists.empty(i32(2))],
                  text="Trying to add two lists of tensors with incompatible element shapes. One is "
                       "[] and the other is [2]")
    lists.op.case("AddN", "shapes",
                  [lists.push(lists.empty(), scalar(1)), lists.push(lists.empty(), f(2))],
                  text="Trying to add two tensors with incompatible element shapes. One is [] and "
                       "the other is [2]")
    booleans = lists.push(lists.empty(dtype=tf.bool), np.bool_(True))
    lists.op.case("AddN", "booleans", [booleans, booleans], text="Trying to add unsupported dtype")
    zeros = lists.op("ZerosLike", one)
    lists.get("zeros", zeros, 1)
    lists.get("zeros leave the input", one, 1, everything=True)
    lists.get("zeros of what is not written", lists.op("ZerosLike", lists.reserve(ANY, 2)), 0,
              text="Trying to read an uninitialized tensor")
    lists.stack("zeros of booleans", lists.op("ZerosLike", booleans), dtype=tf.bool)
    lists.length("zeros have no maximum",
                 lists.push(lists.op("ZerosLike", lists.empty(most=1)), scalar(1), scalar(2)))
    strings = lists.push(lists.empty(dtype=tf.string), np.array(b"a", object))
    lists.op.case("ZerosLike", "strings", strings,
                  text="Trying to compute zeros_like for unsupported dtype string")
    nested = lists.push(lists.empty(dtype=tf.variant), one)
    inner, _ = lists.op("TensorListPopBack", lists.op("AddN", [nested, nested]), ANY,
                        element_dtype=tf.variant)[::-1]
    lists.get("sum of lists of lists", inner, 0)


def optionals(case):
    lists = Lists(case)
    has, value = "OptionalHasValue", "OptionalGetValue"
    none = lists.op("OptionalNone")
    some = lists.optional(scalar(1), i32(2, 3))
    kinds = {"output_types": [F32, tf.int32], "output_shapes": [[], [2]]}
    lists.op.case(has, "none", none)
    lists.op.case(has, "some", some)
    lists.op.case(has, "a list", lists.empty(),
                  text="Input to OptionalHasValue must be an OptionalVariant object.")
    lists.op.case(value, "some", some, **kinds)
    lists.op.case(value, "unknown shapes", some, output_types=[F32, tf.int32],
                  output_shapes=[None, [-1]])
    lists.op.case(value, "none", none, **kinds, text="The given optional does not have a value.")
    lists.op.case(value, "a list", lists.empty(), **kinds,
                  text="Input to OptionalGetValue must be an OptionalVariant object.")
    lists.op.case(value, "count", some, output_types=[F32], output_shapes=[[]],
                  text="The given optional has 2 components, expected 1")
    lists.op.case(value, "type", some, output_types=[F32, F32], output_shapes=[[], [2]],
                  text="The given optional does not match the expected type for component 1. "
                       "Expected: float. Actual: int32.")
    lists.op.case(value, "shape", some, output_types=[F32, tf.int32], output_shapes=[[3], [2]],
                  text="The given optional does not match the expected shape for component 0. "
                       "Expected: [3]. Actual: [].")
    lists.op.case(value, "sum", lists.op("AddN", [some, some]), **kinds)
    lists.op.case(value, "zeros", lists.op("ZerosLike", some), **kinds)
    lists.op.case(has, "sum of none", lists.op("AddN", [none, none]))
    lists.op.case(has, "zeros of none", lists.op("ZerosLike", none))
    lists.op.case("AddN", "some and none", [some, none],
                  text="Cannot add optionals because one has a value and the other doesn't.")
    lists.op.case("AddN", "components", [some, lists.optional(scalar(1))],
                  text="Cannot add optionals because they have different numbers of components "
                       "(2 vs. 1).")
    lists.op.case("AddN", "types", [some, lists.optional(scalar(1), f(2))],
                  text="Trying to add two tensors with incompatible element types. One is int32 and "
                       "the other is float")
    a_list = lists.push(lists.empty(), f(2))
    held = lists.op(value, lists.optional(a_list), output_types=[tf.variant], output_shapes=[[]])
    lists.stack("a list in an optional", held)
    lists.op.case("FakeParam", "unknown extent", dtype=F32, shape=[-1, 2])


def cases(case):
    elements(case)
    refused_elements(case)
    new_lists(case)
    resized(case)
    stacks(case)
    gathers(case)
    concats(case)
    from_tensors(case)
    scatters(case)
    sums(case)
    optionals(case)
