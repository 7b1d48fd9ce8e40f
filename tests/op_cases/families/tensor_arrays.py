# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""TensorArrays and stacks of TensorFlow 1.x, with their texts of errors."""

import numpy as np
import tensorflow as tf

F32 = tf.float32
FLOW = np.float32(0)
STRINGS = np.array([b"a", b"long enough to leave the object"], object)
TYPES = [tf.bool, tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.uint32, tf.int64, tf.uint64,
         tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128]
NOT_DEFINED = ".  Furthermore, the element shape is not fully defined: "
TWICE = "twice because it was cleared after a previous read (perhaps try setting " \
        "clear_after_read = false?)."


def i32(*values):
    return np.array(values, np.int32).reshape([len(values)])


def i64(*values):
    return np.array(values, np.int64).reshape([len(values)])


def f(*shape):
    return (np.arange(int(np.prod(shape))) + 1).astype(np.float32).reshape(shape)


class Array:
    """An array in a chain of its own. Its cases run everything that was done before."""

    def __init__(self, case, size=3, dtype=F32, written=(), source=None, **attrs):
        self.op = case.__self__.chain()
        self.dtype = dtype
        self.handle, _ = self.op("TensorArrayV3", np.int32(size), dtype=dtype, **attrs)
        for index, value in enumerate(written):
            if value is not None:
                self.write(index, value)
        if source is not None:
            self.use_gradients(source)

    def use_gradients(self, source="gradients"):
        self.handle, _ = self.op("TensorArrayGradV3", self.handle, FLOW, source=source)
        return self

    def write(self, index, value):
        self.op("TensorArrayWriteV3", self.handle, np.int32(index), value, FLOW)
        return self

    def read(self, index):
        self.op("TensorArrayReadV3", self.handle, np.int32(index), FLOW, dtype=self.dtype)
        return self

    def scatter(self, indices, value):
        self.op("TensorArrayScatterV3", self.handle, indices, value, FLOW)
        return self

    def split(self, value, lengths):
        self.op("TensorArraySplitV3", self.handle, value, lengths, FLOW)
        return self

    def close(self):
        self.op("TensorArrayCloseV3", self.handle)
        return self

    def case(self, op, name, *inputs, **options):
        self.op.case(op, name, self.handle, *inputs, everything=True, **options)

    def reads(self, name, index, dtype=None, **options):
        self.case("TensorArrayReadV3", name, np.asarray(index, np.int32), FLOW,
                  dtype=dtype or self.dtype, **options)

    def writes(self, name, index, value, **options):
        self.case("TensorArrayWriteV3", name, np.asarray(index, np.int32), value, np.float32(7),
                  **options)

    def gathers(self, name, indices, dtype=None, **options):
        self.case("TensorArrayGatherV3", name, np.asarray(indices, np.int32), FLOW,
                  dtype=dtype or self.dtype, **options)

    def scatters(self, name, indices, value, **options):
        self.case("TensorArrayScatterV3", name, np.asarray(indices, np.int32), value,
                  np.float32(7), **options)

    def concats(self, name, dtype=None, **options):
        self.case("TensorArrayConcatV3", name, FLOW, dtype=dtype or self.dtype, **options)

    def splits(self, name, value, lengths, **options):
        self.case("TensorArraySplitV3", name, value, np.asarray(lengths, np.int64), np.float32(7),
                  **options)

    def size(self, name, **options):
        self.case("TensorArraySizeV3", name, FLOW, **options)


def arrays(case):
    op = case.__self__.chain()
    new = "TensorArrayV3"
    op.case(new, "negative size", np.int32(-1), dtype=F32, text="Size should be >= 0.")
    op.case(new, "vector size", i32(1), dtype=F32,
            text="TensorArray size must be scalar, but had shape: [1]")
    Array(case, 0).size("empty")
    Array(case, 3).size("three")
    Array(case, 1, dynamic_size=True).write(4, f(2)).size("grown")
    Array(case).close().size("closed", text=" has already been closed.")
    Array(case).close().case("TensorArrayCloseV3", "closed")


def writes(case):
    Array(case).writes("passes the flow on", 0, f(2))
    Array(case).case("TensorArrayWriteV3", "vector flow", np.int32(0), f(2), f(2))
    Array(case, written=[f(2)]).writes("another shape", 1, f(3))
    Array(case, written=[f(2)]).writes("again", 0, f(2),
          text=": Could not write to TensorArray index 0 because it has already been written to.")
    Array(case, written=[f(2)]).read(0).writes("read already", 0, f(2),
          text=": Could not write to TensorArray index 0 because it has already been read.")
    for index in (3, -1):
        Array(case).writes(f"index {index}", index, f(2),
              text=f": Tried to write to index {index} but array is not resizeable and size is: 3")
    Array(case, dynamic_size=True).writes("dynamic, negative", -1, f(2),
          text=": Tried to write to index -1 but array is not resizeable and size is: 3")
    Array(case, dynamic_size=True).writes("dynamic", 40, f(2))
    Array(case).writes("dtype", 0, np.int32(1),
          text="TensorArray dtype is float but Op is trying to write dtype int32.")
    Array(case).writes("vector index", [0], f(2),
          text="TensorArray index must be scalar, but had shape: [1]")
    refused = " which is incompatible with the TensorArray's inferred element shape: "
    Array(case, element_shape=[2]).writes("element shape", 0, f(3),
          text="because the value shape is [3]" + refused + "[2] (consider setting "
               "infer_shape=False).")
    Array(case, element_shape=[-1, 2], written=[f(1, 2)]).writes("unknown extent", 1, f(3, 2))
    same = {"element_shape": [-1, 2], "identical_element_shapes": True}
    Array(case, written=[f(1, 2)], **same).writes("identical shapes", 1, f(3, 2),
          text="because the value shape is [3,2]" + refused + "[1,2]")
    Array(case, written=[f(1, 2)], **same).writes("identical", 1, f(1, 2))
    Array(case).close().writes("closed", 0, f(2), text=" has already been closed.")


def reads(case):
    Array(case, written=[None, f(2)]).reads("written", 1)
    Array(case, written=[f(0, 2)]).reads("no elements", 0)
    Array(case, written=[f(2)]).read(0).reads("twice", 0, text=": Could not read index 0 " + TWICE)
    Array(case, written=[f(2)], clear_after_read=False).read(0).reads("twice, not cleared", 0)
    Array(case).reads("not written", 1, text=": Could not read from TensorArray index 1"
                      + NOT_DEFINED + "<unknown>.  It is possible you are working with a "
                      "resizeable TensorArray and stop_gradients is not allowing the gradients to "
                      "be written.  If you set the full element_shape property on the forward "
                      "TensorArray, the proper all-zeros tensor will be returned instead of "
                      "incurring this error.")
    Array(case, element_shape=[-1, 2]).reads("not written, extent unknown", 1,
                                             text=NOT_DEFINED + "[?,2]")
    Array(case, element_shape=[2]).reads("not written, shape known", 1)
    Array(case, element_shape=[2]).read(1).reads("zeros twice", 1, text=TWICE)
    Array(case, written=[f(2)], identical_element_shapes=True).reads("not written, identical", 2)
    Array(case, dtype=tf.string, element_shape=[2]).reads(
        "not written, strings", 1, text="tensor_array::TensorSetZero type not supported: string")
    for index in (3, -1):
        Array(case).reads(f"index {index}", index,
                          text=f"Tried to read from index {index} but array size is: 3")
    Array(case, written=[f(2)]).reads("dtype", 0, dtype=tf.int32,
          text="TensorArray dtype is float but Op requested dtype int32.")
    Array(case, written=[f(2)]).reads("vector index", [0],
          text="TensorArray index must be scalar, but had shape: [1]")
    Array(case).close().reads("closed", 0, text=" has already been closed.")
    op = case.__self__.chain()
    op.case("TensorArrayReadV3", "a stack", op("StackV2", np.int32(1), elem_type=F32), np.int32(0),
            FLOW, dtype=F32,
            text="Trying to access a handle's resource using the wrong type. The handle points to "
                 "a resource (name '")


def gathers(case):
    def three(**attrs):
        return Array(case, written=[f(2), 10 * f(2), 100 * f(2)], **attrs)
    three().gathers("all", [0, 1, 2])
    three().gathers("some", [2, 0])
    three().gathers("twice", [1, 1], text=": Could not read index 1 " + TWICE)
    three(clear_after_read=False).gathers("twice, not cleared", [1, 1])
    three().gathers("none", [], element_shape=[2])
    none = " is not fully defined. Currently only static shapes are supported when packing " \
           "zero-size TensorArrays."
    three().gathers("none, unknown", [],
                    text="TensorArray has size zero, but element shape <unknown>" + none)
    three(element_shape=[2]).gathers("none, known to the array only", [], text=none)
    three().gathers("none, extent unknown", [], element_shape=[-1], text="[?]" + none)
    three().gathers("attr", [0], element_shape=[-1])
    three().gathers("wrong attr", [0], element_shape=[3],
                    text="TensorArray was passed element_shape [3] which does not match the Tensor "
                         "at index 0: [2]")
    three(element_shape=[-1]).gathers("attr against the array", [0], element_shape=[2, 2], text="")
    for index in (3, -1):
        three().gathers(f"index {index}", [index],
                        text=f"Tried to read from index {index} but array size is: 3")
    for name, indices, shape in [("scalar", 1, "[]"), ("matrix", [[1]], "[1,1]")]:
        three().gathers(name + " of indices", indices,
                        text="Expected indices to be a vector, but received shape: " + shape)
    three().gathers("dtype", [0], dtype=tf.int32,
                    text="TensorArray dtype is float but Op requested dtype int32.")
    Array(case).gathers("not written", [0], text=NOT_DEFINED + "<unknown>")
    Array(case, element_shape=[2]).gathers("not written, shape known", [0, 1])
    Array(case).gathers("not written, attr", [0], element_shape=[2])
    Array(case, written=[f(2)], element_shape=[2]).gathers("partly written", [1, 0])
    mixed = [f(2), f(3), f(2, 2)]
    for index, shape in [(1, "[3]"), (2, "[2,2]")]:
        Array(case, written=mixed).gathers(f"shape {shape}", [0, index],
              text=f"TensorArray has inconsistent shapes.  Index 0 has shape: [2] but index 1 has "
                   f"shape: {shape}")
    gathered = three()
    gathered.op("TensorArrayGatherV3", gathered.handle, i32(1), FLOW, dtype=F32)
    gathered.reads("gathered", 1, text=TWICE)
    gathered.reads("not gathered", 2)
    told = Array(case, written=[f(2)])
    told.op("TensorArrayGatherV3", told.handle, i32(0), FLOW, dtype=F32, element_shape=[2])
    told.writes("another shape than was gathered", 1, f(5),
                text="inferred element shape: [2] (consider setting infer_shape=False).")
    three().close().gathers("closed", [0], text=" has already been closed.")


def scatters(case):
    Array(case).scatters("passes the flow on", [2, 0], f(2, 2))
    done = Array(case).scatter(i32(2, 0), f(2, 2))
    for index in (0, 2):
        done.reads(f"scattered {index}", index)
    Array(case).scatters("nothing", [], f(0, 2))
    Array(case).scatters("scalar", [0], np.float32(1),
          text="Input value for unpack must be at least a vector but received shape: []")
    Array(case).scatters("other rows", [0], f(2, 2),
          text="Expected len(indices) == values.shape[0], but saw: 1 vs. 2")
    for name, indices, shape in [("scalar", 0, "[]"), ("matrix", [[0]], "[1,1]")]:
        Array(case).scatters(name + " of indices", indices, f(1, 2),
              text="Expected indices to be a vector, but received shape: " + shape)
    Array(case).scatters("behind", [3], f(1, 2),
          text="Max scatter index must be < array size (3 vs. 3)")
    Array(case).scatters("negative", [-1], f(1, 2),
          text=": Tried to write to index -1 but array is not resizeable and size is: 3")
    Array(case).scatters("twice", [1, 1], f(2, 2),
          text=": Could not write to TensorArray index 1 because it has already been written to.")
    Array(case, 0, dynamic_size=True).scatter(i32(5, 1), f(2, 2)).size("scattered, grown")
    Array(case, 0, dynamic_size=True).scatters("dynamic, negative", [-5], f(1, 2),
          text=": Tried to write to index -5 but array is not resizeable")
    Array(case, dtype=tf.int32).scatters("dtype", [0], f(1, 2),
          text="TensorArray dtype is int32 but Op is trying to write dtype float.")
    Array(case, element_shape=[3]).scatters("element shape", [0], f(1, 2),
          text="which is incompatible with the TensorArray's inferred element shape: [3]")
    Array(case).close().scatters("closed", [0], f(1, 2), text=" has already been closed.")


def concats(case):
    def rows(*counts, **attrs):
        return Array(case, len(counts), written=[(10 ** i) * f(n, 2) for i, n in enumerate(counts)],
                     **attrs)
    rows(2, 0, 1).concats("mixed")
    rows(2, 1).concats("attr", element_shape_except0=[2])
    rows(2, 1).concats("attr, extent unknown", element_shape_except0=[-1])
    for shape in ([3], []):
        rows(2, 1).concats(f"wrong attr {shape}", element_shape_except0=shape,
              text=f"TensorArray was passed element_shape_except0 {shape} but index 0 has (excepting "
                   "dimension 0) shape: [2] which does not match.")
    none = "TensorArray has size zero, but element_shape_except0 <unknown> is not fully defined. " \
           "Currently only static shapes are supported when concatenating zero-size TensorArrays."
    Array(case, 0).concats("none", element_shape_except0=[2])
    Array(case, 0).concats("none, unknown", text=none)
    Array(case, 0, element_shape=[3, 2]).concats("none, known to the array only", text=none)
    Array(case, 1, written=[np.float32(1)]).concats("scalars",
          text="Concat saw a scalar shape at index 0 but requires at least vectors.  Did you mean "
               "to call pack?")
    Array(case, 2).concats("not written", text=NOT_DEFINED + "<unknown>")
    Array(case, 2, element_shape=[1, 2]).concats("not written, shape known")
    for name, other, shape in [("rows", f(2, 3), "[3]"), ("ranks", f(2), "[]")]:
        Array(case, 2, written=[f(2, 2), other]).concats(f"other {name}",
              text="TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) "
                   f"shape: [2] but index 1 has (excepting dimension 0) shape: {shape}")
    rows(1).concats("dtype", dtype=tf.int32,
                    text="TensorArray dtype is float but Op requested dtype int32.")
    done = rows(2, 1)
    done.op("TensorArrayConcatV3", done.handle, FLOW, dtype=F32)
    done.concats("twice", text=": Could not read index 0 " + TWICE)
    rows(1).close().concats("closed", text=" has already been closed.")


def splits(case):
    Array(case).splits("passes the flow on", f(4, 2), [1, 0, 3])
    done = Array(case).split(f(4, 2), i64(1, 0, 3))
    for index in range(3):
        done.reads(f"part {index}", index)
    size = "TensorArray's size is not equal to the size of lengths (%d vs. %d), and the TensorArray " \
           "is not marked as dynamically resizeable"
    Array(case, 2).splits("too many", f(4), [1, 0, 3], text=size % (2, 3))
    Array(case, 4).splits("too few", f(4), [1, 0, 3], text=size % (4, 3))
    Array(case, 1, dynamic_size=True).split(f(4), i64(1, 3)).size("split, grown")
    Array(case, 5, dynamic_size=True).splits("dynamic, too few", f(4), [1, 3], text=size % (5, 2))
    for lengths in ([1, 2], [1, 4]):
        Array(case, 2).splits(f"sum {sum(lengths)}", f(4), lengths,
              text=f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                   f"{sum(lengths)} and value's shape is: [4]")
    Array(case, 2).splits("overflow", f(4), [2**62, 2**62], text="")
    Array(case, 1).splits("scalar", np.float32(1), [1],
          text="Expected value to be at least a vector, but received shape: []")
    for name, lengths, shape in [("scalar", 1, "[]"), ("matrix", [[1]], "[1,1]")]:
        Array(case, 1).splits(name + " of lengths", f(1), lengths,
              text="Expected lengths to be a vector, received shape: " + shape)
    Array(case, 2, element_shape=[3]).splits("element shape", f(4), [2, 2],
          text="which is incompatible with the TensorArray's inferred element shape: [3]")
    Array(case, 2, dtype=tf.int32).splits("dtype", f(4), [2, 2],
          text="TensorArray dtype is int32 but Op is trying to write dtype float.")
    Array(case, 0).splits("nothing", f(0), [])
    Array(case, 1).close().splits("closed", f(1), [1], text=" has already been closed.")


def gradients(case):
    def three(**attrs):
        return Array(case, written=[f(2), 10 * f(2), 100 * f(2)], **attrs).use_gradients()
    three().reads("gradient, zeros", 0)
    three().read(0).reads("gradient, zeros twice", 0, text=TWICE)
    three(clear_after_read=False).read(0).reads("gradient, always cleared", 0, text=TWICE)
    three().write(1, f(2)).write(1, 10 * f(2)).write(1, f(2)).reads("gradient, sum", 1)
    three().write(1, f(2)).read(1).writes("gradient, read already", 1, f(2),
          text="@gradients: Could not write to TensorArray index 1 because it has already been read.")
    three().writes("gradient, shape", 2, f(3),
          text="@gradients: Could not aggregate to TensorArray index 2 because the existing shape is "
               "[2] but the new input shape is [3].")
    three(dynamic_size=True).writes("gradient, behind", 3, f(2),
          text=": Tried to write to index 3 but array is not resizeable and size is: 3")
    three().writes("gradient, dtype", 0, np.int32(1),
          text="TensorArray dtype is float but Op is trying to write dtype int32.")
    three(identical_element_shapes=True).writes("gradient, identical shapes", 1, f(3),
          text="which is incompatible with the TensorArray's inferred element shape: [2]")
    three().size("gradient")
    three().gathers("gradient, zeros", [0, 2])
    three().write(2, f(2)).gathers("gradient, partly zeros", [0, 2])
    three().scatter(i32(1, 1), f(2, 2)).reads("gradient, scattered sum", 1)
    Array(case, 2, written=[f(2)]).use_gradients().reads("gradient, not written", 1,
          text=NOT_DEFINED + "<unknown>")
    Array(case, 2, written=[f(2)]).use_gradients().write(1, f(3)).reads("gradient, new", 1)
    Array(case, 2, element_shape=[2]).use_gradients().reads("gradient, shape known", 1)

    def rows():
        return Array(case, 2, written=[f(2, 2), f(1, 2)]).use_gradients()
    rows().split(f(3, 2), i64(2, 1)).split(f(3, 2), i64(2, 1)).reads("gradient, split sum", 0)
    rows().splits("gradient, other lengths", f(4, 2), [2, 2], text=": Could not aggregate to TensorArray"
                " index 1 because the existing shape is [1,2] but the new input shape is [2,2].")
    parts = Array(case, 2, dynamic_size=True).split(f(3, 2), i64(2, 1)).write(2, f(1, 2))
    parts.use_gradients().concats("gradient, what was split")
    parts = Array(case, 2, dynamic_size=True).split(f(3, 2), i64(2, 1)).write(2, f(1, 2))
    parts.use_gradients().split(f(4, 2), i64(2, 1, 1)).concats("gradient, split in more parts")
    three().case("TensorArrayGradV3", "of a gradient", FLOW, source="gradients",
                 text="Wrong input container. _tensor_array_grads")
    Array(case).close().case("TensorArrayGradV3", "closed", FLOW, source="gradients",
                             text=" has already been closed.")
    grown = Array(case, dynamic_size=True)
    grown.op("TensorArrayGradV3", grown.handle, FLOW, source="gradients")
    grown.writes("grown behind its gradients", 5, f(2),
                 text=": Tried to write to index 5 but array is not resizeable and size is: 3")
    shared = Array(case, written=[f(2)])
    first, _ = shared.op("TensorArrayGradV3", shared.handle, FLOW, source="a")
    shared.op("TensorArrayWriteV3", first, np.int32(0), f(2), FLOW)
    same, _ = shared.op("TensorArrayGradV3", shared.handle, FLOW, source="a")
    other, _ = shared.op("TensorArrayGradV3", shared.handle, FLOW, source="b")
    for name, handle in [("same source", same), ("another source", other)]:
        shared.op.case("TensorArrayReadV3", "gradient, " + name, handle, np.int32(0), FLOW, dtype=F32,
                       everything=True)


def gradients_with_shapes(case):
    def prepended(extents, **options):
        array = Array(case, 2, **options)
        array.handle, _ = array.op("TensorArrayGradWithShape", array.handle, FLOW, i32(*extents),
                                   source="gradients")
        return array
    prepended([4], written=[f(2)]).reads("prepended, zeros", 0)
    prepended([], written=[f(2)]).reads("nothing prepended", 0)
    prepended([4], written=[f(2)]).write(0, f(4, 2)).reads("prepended", 0)
    prepended([4], written=[f(2)]).writes("prepended, shape", 0, f(2),
          text="the existing shape is [4,2] but the new input shape is [2].")
    prepended([4, 1], element_shape=[2]).reads("prepended, shape known", 1)
    prepended([4, 1], element_shape=[2]).writes("prepended, element shape", 0, f(4, 2),
          text="inferred element shape: [4,1,2] (consider setting infer_shape=False).")
    prepended([4, 1]).reads("prepended, unknown", 0, text=NOT_DEFINED + "<unknown>")
    grad = "TensorArrayGradWithShape"
    for name, extents in [("negative", i32(-1)), ("overflow", np.full(3, 2**31 - 1, np.int32))]:
        Array(case, 1, written=[f(2)]).case(grad, name, FLOW, extents, source="g", text="")
    for name, extents, shape in [("scalar", np.int32(3), "[]"), ("matrix", [[3]], "[1,1]")]:
        Array(case).case(grad, name, FLOW, np.asarray(extents, np.int32), source="g",
                         text="shape must be a vector of {int32,int64}, got shape " + shape)


def types(case):
    for dtype in TYPES:
        name = dtype.name
        values = np.array([1, 0], dtype.as_numpy_dtype)
        Array(case, 2, dtype).scatter(i32(1, 0), values).gathers(name, [0, 1])
        Array(case, 2, dtype).split(values, i64(1, 1)).concats(name)
        Array(case, 1, dtype, written=[values]).reads(name, 0)
        if dtype == tf.bool:
            continue
        most = np.full(2, dtype.max, dtype.as_numpy_dtype) if dtype.is_integer else 3 * values
        total = Array(case, 1, dtype, written=[values]).use_gradients()
        total.write(0, most).write(0, most).reads(f"sum of {name}", 0)
    for dtype, values in [(tf.bool, np.array([True, False])), (tf.string, STRINGS)]:
        Array(case, 1, dtype, written=[values]).use_gradients().write(0, values).writes(
            f"sum of {dtype.name}", 0, values,
            text=f"tensor_array::AddToTensor type not supported: {dtype.name}")
    for dtype, name in [(tf.bool, "bool"), (tf.string, "string")]:
        none = np.zeros([0], bool if dtype == tf.bool else object)
        total = Array(case, 1, dtype).use_gradients().write(0, none).write(0, none)
        total.reads(f"sum of no {name}", 0)
    Array(case, 2, tf.string).scatter(i32(1, 0), STRINGS).gathers("strings", [0, 1])
    Array(case, 2, tf.string).split(STRINGS, i64(1, 1)).concats("strings")
    Array(case, 1, tf.string, written=[STRINGS]).reads("strings", 0)
    nested = Array(case, 1, tf.variant)
    a_list = nested.op("EmptyTensorList", np.int32(-1), np.int32(-1), element_dtype=F32)
    nested.write(0, nested.op("TensorListPushBack", a_list, f(2)))
    held = nested.op("TensorArrayReadV3", nested.handle, np.int32(0), FLOW, dtype=tf.variant)
    nested.op.case("TensorListStack", "read from an array", held, np.int32(-1), element_dtype=F32,
                   everything=True)


def stacks(case):
    new, push, pop, close = "StackV2", "StackPushV2", "StackPopV2", "StackCloseV2"

    class Stack:
        def __init__(self, size=-1, dtype=F32, pushed=()):
            self.op = case.__self__.chain()
            self.handle = self.op(new, np.int32(size), elem_type=dtype)
            for element in pushed:
                self.op(push, self.handle, element)

        def pop(self):
            self.op(pop, self.handle, elem_type=F32)
            return self

        def close(self):
            self.op(close, self.handle)
            return self

        def case(self, op, name, *inputs, **options):
            self.op.case(op, name, self.handle, *inputs, everything=True, **options)

    case(new, "vector", i32(1), elem_type=F32, text="Stack size must be a scalar, but had shape: [1]")
    Stack().case(push, "passes the element on", f(2))
    Stack().case(push, "swapped", f(2), swap_memory=True)
    Stack(-2).case(push, "negative size", f(2))
    for size in (0, 1):
        Stack(size, pushed=[f(2)] * size).case(push, f"full at {size}", f(2),
              text=f"overflowed its max_size ({size})")
    Stack(1, pushed=[f(2)]).pop().case(push, "no longer full", f(2))
    Stack().case(push, "dtype", np.int32(1), text="Must have type 1 but got 3")
    Stack(pushed=[f(2), 10 * f(3)]).case(pop, "last", elem_type=F32)
    Stack(pushed=[f(2), 10 * f(3)]).pop().case(pop, "first", elem_type=F32)
    Stack(pushed=[f(2)]).pop().case(pop, "empty", elem_type=F32, text="] is empty when calling Pop().")
    Stack(pushed=[f(2)]).case(pop, "dtype", elem_type=tf.int32,
                              text="Type mismatch: actual float vs. expect int32")
    Stack(dtype=tf.string, pushed=[STRINGS]).case(pop, "strings", elem_type=tf.string)
    for op, inputs, attrs in [(push, [f(2)], {}), (pop, [], {"elem_type": F32})]:
        Stack(pushed=[f(2)]).close().case(op, "closed", *inputs, **attrs,
                                          text="has already been closed.")
    Stack().case(close, "open")
    Stack().close().case(close, "closed")
    array = Array(case)
    array.case(pop, "an array", elem_type=F32,
               text="Trying to access a handle's resource using the wrong type. The handle points to "
                    "a resource (name '")


def cases(case):
    arrays(case)
    writes(case)
    reads(case)
    gathers(case)
    scatters(case)
    concats(case)
    splits(case)
    gradients(case)
    gradients_with_shapes(case)
    types(case)
    stacks(case)
