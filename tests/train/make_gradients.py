#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes gradients.jsonl, which holds what TensorFlow 2.15.1's gradient graphs
compute.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel:

    python make_gradients.py

A case has one node y = op(x). The script calls tf.gradients for the outputs of
the node, with fixed weights, and differentiates by some of the inputs. Each
line of the file is one case with these fields:
  op, name, attrs, inputs   as in the op cases (tests/op_cases/make_cases.py)
  "by"         the numbers of the inputs by which the outputs are differentiated
  "weights"    the grad_ys of tf.gradients: a tensor for each output, or null
               for an output that is not differentiated
  "gradients"  for each input of "by": null, a tensor, or rows {"values",
               "indices", "dense_shape"}
TensorFlow's CPU kernels lack NCHW. Such cases are computed in NHWC, with
transposes before and after the op.
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import default_of, derive_attrs, encode, encode_attr, write_cases  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_library  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

BFLOAT16 = tf.bfloat16.as_numpy_dtype
ALL = (np.float32, np.float64, np.float16, BFLOAT16)
WIDE = (np.float32, np.float64)
NCHW = {"NHWC": [0, 3, 1, 2], "NCHW": [0, 2, 3, 1]}  # permutations from a format


def values(shape, dtype=np.float32, low=-2.0, high=2.0, salt=0):
    """Returns distinct values in a fixed order that looks random."""
    count = int(np.prod(shape))
    index = (np.arange(count, dtype=np.int64) * 377 + salt * 131 + 57) % 1009
    numbers = low + (high - low) * (index + 0.5) / 1009
    return np.round(numbers, 3).astype(dtype).reshape(shape)


def i32(*numbers):
    return np.array(numbers, np.int32)


class Cases:
    def __init__(self):
        self.lines = []
        self.names = set()

    def add(self, op, name, inputs, by=(0,), outputs=(0,), layout=None,
            tolerance=None, **attrs):
        """Adds a case. If `layout` is given, layout(*inputs) builds the outputs
        instead of one node of the op."""
        assert (op, name) not in self.names, (op, name)
        self.names.add((op, name))
        op_def = op_def_registry.get(op)
        flat = derive_attrs(op_def, inputs, attrs)
        kinds = {a.name: a.type for a in op_def.attr}
        with tf.Graph().as_default(), tf.device("/CPU:0"):
            grouped, xs = placeholders(inputs)
            ys = layout(*grouped) if layout else node(op_def, grouped, attrs)
            probe = [ys[i] for i in outputs]
            feeds = {x: v for x, v in zip(xs, flat) if x.op.type != "Const"}
            with tf.compat.v1.Session() as session:
                shapes = [y.shape for y in session.run(probe, feeds)]
                weights = [None] * len(ys)
                for i, shape in zip(outputs, shapes):
                    weights[i] = values(shape, ys[i].dtype.as_numpy_dtype, -1, 1,
                                        salt=7 + i)
                grads = tf.gradients(probe, [xs[i] for i in by],
                                     [tf.constant(weights[i]) for i in outputs])
                found = [None if g is None else rows(session, g, feeds)
                         if isinstance(g, tf.IndexedSlices)
                         else encode(session.run(g, feeds)) for g in grads]
        line = {"op": op, "name": name,
                "attrs": {k: encode_attr(kinds[k], v) for k, v in attrs.items()},
                "inputs": [encode(v) for v in flat], "by": list(by),
                "weights": [None if w is None else encode(w) for w in weights],
                "gradients": found}
        if tolerance is not None:
            line["tolerance"] = tolerance
        self.lines.append(json.dumps(line))


def placeholders(inputs):
    """Makes a placeholder for each input. Returns the placeholders nested as
    the inputs are, and as a flat list. An input that is not of a floating-point
    type becomes a constant instead, because some gradients need its value."""
    flat = []

    def one(value):
        x = tf.compat.v1.placeholder(value.dtype, value.shape)
        if not np.issubdtype(value.dtype, np.floating) and value.dtype != BFLOAT16:
            x = tf.constant(value)
        flat.append(x)
        return x

    grouped = [[one(v) for v in value] if isinstance(value, list) else one(value)
               for value in inputs]
    return grouped, flat


def node(op_def, grouped, attrs):
    inferred = set()
    for arg in op_def.input_arg:
        inferred |= {arg.type_attr, arg.number_attr, arg.type_list_attr}
    given = {a.name: default_of(a) for a in op_def.attr
             if a.HasField("default_value")}
    given.update(attrs)
    given = {k: v for k, v in given.items() if k not in inferred}
    given.update({a.name: x for a, x in zip(op_def.input_arg, grouped)})
    _, _, op, _ = op_def_library._apply_op_helper(op_def.name, **given)  # pylint: disable=protected-access
    return list(op.outputs)


def rows(session, g, feeds):
    return {"values": encode(session.run(g.values, feeds)),
            "indices": encode(session.run(g.indices, feeds)),
            "dense_shape": encode(session.run(g.dense_shape, feeds))}


def dtype_name(dtype):
    return tf.as_dtype(dtype).name


def unary(c):
    ranges = {"Sqrt": (0.5, 3), "Rsqrt": (0.5, 3), "Log": (0.5, 3),
              "Log1p": (-0.5, 3), "Reciprocal": (0.5, 3), "Relu6": (-2, 9)}
    for op in ("Neg", "Square", "Sqrt", "Rsqrt", "Exp", "Log", "Log1p", "Abs",
               "Sign", "Reciprocal", "Sin", "Cos", "Sigmoid", "Tanh", "Relu",
               "Relu6", "Elu", "LeakyRelu", "Softplus", "Softmax", "LogSoftmax",
               "L2Loss", "Identity", "CheckNumerics", "PlaceholderWithDefault"):
        attrs = {"LeakyRelu": {"alpha": 0.3}, "CheckNumerics": {"message": "x"},
                 "PlaceholderWithDefault": {"shape": None}}.get(op, {})
        low, high = ranges.get(op, (-2, 2))
        for dtype in ALL:
            c.add(op, dtype_name(dtype), [values([3, 4], dtype, low, high)],
                  **dict(attrs))
        c.add(op, "empty", [values([0, 3], np.float32)], **dict(attrs))
        if "Softmax" not in op:
            c.add(op, "scalar", [values([], np.float32, low, high)], **dict(attrs))
    for op in ("Relu", "Relu6", "Elu", "LeakyRelu", "Softplus", "Sigmoid", "Tanh",
               "Abs", "Sqrt"):
        special = np.array([0.0, -0.0, 6.0, np.inf, -np.inf, np.nan], np.float32)
        c.add(op, "special values", [special])
    for src, dst in ((np.float32, np.float64), (np.float64, np.float32),
                     (np.float32, np.float16), (BFLOAT16, np.float32)):
        c.add("Cast", f"{dtype_name(src)} to {dtype_name(dst)}",
              [values([2, 3], src)], DstT=dst)
    c.add("Print", "passes it on", [values([2]), [values([1])]], by=(0,),
          message="gradient ")


def several(c):
    for dtype in ALL:
        name = dtype_name(dtype)
        c.add("AddN", name, [[values([2, 3], dtype, salt=s) for s in range(3)]],
              by=(0, 1, 2))
        c.add("IdentityN", name, [[values([2, 3], dtype), values([3], dtype)]],
              by=(0, 1), outputs=(0, 1))
    # This case differentiates output 1 by input 1 only. Output 1 does not
    # depend on input 0. With respect to input 0, TensorFlow's gradient is
    # zeros, and Leat has no gradient.
    c.add("IdentityN", "one output", [[values([2, 3]), values([3])]], by=(1,),
          outputs=(1,))
    c.add("AddN", "one", [[values([0, 2])]])


def binary(c):
    apart = {"Div", "RealDiv", "DivNoNan", "Pow", "FloorMod"}
    shapes = {"equal": ([2, 3], [2, 3]), "both stretched": ([2, 1, 3], [4, 1]),
              "scalar first": ([], [2, 3]), "scalar second": ([2, 3], []),
              "scalars": ([], []), "empty": ([0, 3], [3]),
              "stretched to empty": ([0, 3], [1, 3]), "ones": ([1, 1], [1])}
    for op in ("Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan",
               "FloorMod", "Maximum", "Minimum", "SquaredDifference", "Pow"):
        low, high = (0.5, 3) if op in apart else (-2, 2)
        for name, (x, y) in shapes.items():
            c.add(op, name, [values(x, np.float32, low, high),
                             values(y, np.float32, low, high, 3)], by=(0, 1))
        for dtype in ALL[1:]:
            c.add(op, dtype_name(dtype), [values([2, 1, 3], dtype, low, high),
                                          values([4, 1], dtype, low, high, 3)],
                  by=(0, 1))
    tie = np.array([1, 2, 2, np.nan], np.float32)
    other = np.array([1, 1, 3, 1], np.float32)
    for op in ("Maximum", "Minimum"):
        c.add(op, "ties", [tie, other], by=(0, 1))
    c.add("DivNoNan", "by zero", [values([3]), np.zeros([3], np.float32)], by=(0, 1))
    c.add("Pow", "at and below zero", [np.array([0, -1, -2, 0], np.float32),
                                       np.array([2, 2, 3, 0], np.float32)],
          by=(0, 1))
    for dtype in ALL:
        name = dtype_name(dtype)
        mask = np.array([True, False, True])
        c.add("SelectV2", name, [mask, values([2, 3], dtype), values([], dtype)],
              by=(1, 2))
        c.add("Select", name, [np.array([True, False]), values([2, 3], dtype),
                               values([2, 3], dtype, salt=2)], by=(1, 2))
    c.add("SelectV2", "empty", [np.zeros([0, 1], bool), values([1, 3]),
                                values([3])], by=(1, 2))
    c.add("Select", "scalar condition", [np.array(False), values([2]),
                                         values([2], salt=1)], by=(1, 2))


def reductions(c):
    for op in ("Sum", "Mean", "Prod", "Max", "Min"):
        for axes in ([0], [1], [-1], [0, 2], [0, 1, 2], []):
            for keep in (False, True):
                c.add(op, f"axes {axes} keep {keep}",
                      [values([2, 3, 4], salt=len(axes)), i32(*axes)],
                      keep_dims=keep)
        for dtype in ALL[1:]:
            c.add(op, dtype_name(dtype), [values([2, 3], dtype), i32(1)])
        c.add(op, "scalar", [values([]), i32()])
        c.add(op, "empty", [values([0, 3]), i32(1)])
        c.add(op, "scalar axis", [values([2, 3]), np.array(-1, np.int32)])
    ties = np.array([[1, 2, 2], [3, 3, 3]], np.float32)
    c.add("Max", "ties", [ties, i32(1)])
    c.add("Min", "ties", [ties, i32(0)])
    c.add("Prod", "zeros", [np.array([[0, 2, 3], [0, 0, 1]], np.float32), i32(1)])
    for op in ("Cumsum", "Cumprod"):
        for exclusive in (False, True):
            for reverse in (False, True):
                c.add(op, f"exclusive {exclusive} reverse {reverse}",
                      [values([2, 3], np.float64), np.array(-1, np.int32)],
                      exclusive=exclusive, reverse=reverse)
        for dtype in (np.float32, np.float16, BFLOAT16):
            c.add(op, dtype_name(dtype), [values([3, 2], dtype),
                                          np.array(0, np.int32)])
        c.add(op, "empty", [values([0, 2]), np.array(0, np.int32)])


def matrices(c):
    for ta in (False, True):
        for tb in (False, True):
            name = f"transposes {ta} {tb}"
            for dtype in ALL:
                c.add("MatMul", f"{name} {dtype_name(dtype)}",
                      [values([3, 2] if ta else [2, 3], dtype),
                       values([4, 3] if tb else [3, 4], dtype, salt=1)],
                      by=(0, 1), transpose_a=ta, transpose_b=tb)
            for dtype in ALL:
                c.add("BatchMatMulV2", f"{name} {dtype_name(dtype)}",
                      [values([2, 1, 3, 2] if ta else [2, 1, 2, 3], dtype),
                       values([5, 4, 3] if tb else [5, 3, 4], dtype, salt=1)],
                      by=(0, 1), adj_x=ta, adj_y=tb)
    c.add("MatMul", "empty inner", [values([2, 0]), values([0, 4])], by=(0, 1))
    c.add("MatMul", "empty outer", [values([0, 3]), values([3, 4])], by=(0, 1))
    c.add("BatchMatMulV2", "equal batches", [values([2, 2, 3]), values([2, 3, 1])],
          by=(0, 1))
    c.add("BatchMatMulV2", "empty batch", [values([0, 2, 3]), values([1, 3, 2])],
          by=(0, 1))
    for dtype in ALL:
        name = dtype_name(dtype)
        c.add("BiasAdd", name, [values([2, 3], dtype), values([3], dtype)],
              by=(0, 1))
        c.add("SoftmaxCrossEntropyWithLogits", name,
              [values([2, 3], dtype), values([2, 3], dtype, 0, 1, 1)], by=(0, 1))
        c.add("SparseSoftmaxCrossEntropyWithLogits", name,
              [values([2, 3], dtype), i32(2, 0)])
    c.add("BiasAdd", "NCHW", [values([2, 3, 2, 2]), values([3])], by=(0, 1),
          data_format="NCHW")
    c.add("BiasAdd", "empty", [values([0, 3]), values([3])], by=(0, 1))
    c.add("SparseSoftmaxCrossEntropyWithLogits", "empty",
          [values([0, 3]), np.zeros([0], np.int64)])


def spatial(numbers, data_format):
    """Puts numbers in the order [n, h, w, c] into the order of the format."""
    n, h, w, depth = numbers
    return [n, depth, h, w] if data_format == "NCHW" else [n, h, w, depth]


def between_transposes(op, which, attrs):
    """Returns a function that runs `op` in NHWC on inputs in NCHW. It
    transposes the inputs whose numbers are in `which`, and transposes output 0
    back."""
    attrs = dict(attrs, data_format="NHWC")
    for name in ("strides", "dilations", "ksize"):
        if name in attrs:
            n, depth, h, w = attrs[name]
            attrs[name] = [n, h, w, depth]

    def build(*inputs):
        inputs = [tf.transpose(x, NCHW["NCHW"]) if i in which else x
                  for i, x in enumerate(inputs)]
        outputs = node(op_def_registry.get(op), inputs, attrs)
        return [tf.transpose(outputs[0], NCHW["NHWC"])] + outputs[1:]

    return build


def dilated(padding, rate, size):
    """Returns a function that computes a dilated convolution of stride 1.
    TensorFlow's CPU kernels lack gradients of dilated convolutions. So the
    function puts zeros between the elements of the filter, and convolves
    without dilation."""
    def build(x, kernel):
        height, width = kernel.shape[0], kernel.shape[1]
        spread = tf.zeros([rate * (height - 1) + 1, rate * (width - 1) + 1] +
                          kernel.shape[2:], kernel.dtype)
        at = np.stack(np.meshgrid(rate * np.arange(height), rate * np.arange(width),
                                  indexing="ij"), -1)
        spread = tf.tensor_scatter_nd_add(spread, at, kernel)
        return [tf.nn.conv2d(x, spread, [1, 1], padding)]
    del size
    return build


def images(c):
    for data_format in ("NHWC", "NCHW"):
        for padding in ("SAME", "VALID"):
            for stride in (1, 2):
                name = f"{data_format} {padding} stride {stride}"
                attrs = {"strides": spatial([1, stride, stride, 1], data_format),
                         "padding": padding, "data_format": data_format}
                x = values(spatial([2, 5, 4, 2], data_format))

                def layout(op, which, data_format=data_format, attrs=attrs, **more):
                    if data_format == "NHWC":
                        return None
                    return between_transposes(op, which, dict(attrs, **more))

                c.add("Conv2D", name, [x, values([3, 2, 2, 3], salt=1)], by=(0, 1),
                      layout=layout("Conv2D", (0,)), **attrs)
                for op in ("MaxPool", "AvgPool"):
                    pool = {"ksize": spatial([1, 3, 2, 1], data_format)}
                    c.add(op, name, [x], layout=layout(op, (0,), **pool), **pool,
                          **attrs)
        for training in (True, False):
            x = values(spatial([3, 2, 2, 2], data_format))
            mean = values([0 if training else 2], low=-0.5, high=0.5)
            variance = values([0 if training else 2], low=0.5, high=2)
            attrs = {"is_training": training, "epsilon": 0.01,
                     "data_format": data_format}
            layout = None
            if data_format == "NCHW":
                layout = between_transposes("FusedBatchNormV3", (0,), attrs)
            c.add("FusedBatchNormV3", f"{data_format} training {training}",
                  [x, values([2], salt=1), values([2], salt=2), mean, variance],
                  by=(0, 1, 2), layout=layout, tolerance=2e-5, **attrs)
    for dtype in ALL[1:]:
        name = dtype_name(dtype)
        attrs = {"strides": [1, 1, 1, 1], "padding": "SAME"}
        c.add("Conv2D", name, [values([2, 4, 4, 2], dtype),
                               values([3, 3, 2, 3], dtype, salt=1)], by=(0, 1),
              **attrs)
        for op in ("MaxPool", "AvgPool"):
            c.add(op, name, [values([1, 4, 4, 2], dtype)], ksize=[1, 2, 2, 1],
                  **attrs)
        if dtype != np.float64:
            c.add("FusedBatchNormV3", name,
                  [values([3, 2, 2, 2], dtype), values([2]), values([2]),
                   values([0]), values([0])], by=(0, 1, 2), epsilon=0.01,
                  tolerance=3e-2)
    for padding in ("SAME", "VALID"):
        c.add("Conv2D", f"dilated {padding}",
              [values([2, 7, 6, 2]), values([3, 2, 2, 3], salt=1)], by=(0, 1),
              layout=dilated(padding, 2, 7), strides=[1, 1, 1, 1],
              dilations=[1, 2, 2, 1], padding=padding)
    c.add("Conv2D", "explicit padding",
          [values([1, 4, 4, 2]), values([3, 3, 2, 2], salt=1)], by=(0, 1),
          strides=[1, 2, 2, 1], padding="EXPLICIT",
          explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0])
    c.add("Conv2D", "grouped", [values([1, 4, 4, 4]), values([2, 2, 2, 6], salt=1)],
          by=(0, 1), strides=[1, 1, 1, 1], padding="VALID")
    c.add("Conv2DBackpropInput", "VALID",
          [i32(2, 5, 4, 2), values([3, 2, 2, 3]), values([2, 3, 3, 3], salt=1)],
          by=(1, 2), strides=[1, 1, 1, 1], padding="VALID")
    c.add("Conv2DBackpropInput", "SAME stride 2",
          [i32(2, 5, 4, 2), values([3, 2, 2, 3]), values([2, 3, 2, 3], salt=1)],
          by=(1, 2), strides=[1, 2, 2, 1], padding="SAME")
    for dtype in (np.float32, np.float16):
        c.add("LRN", dtype_name(dtype), [values([1, 2, 2, 5], dtype)],
              depth_radius=2)


def shapes(c):
    for dtype in ALL:
        name = dtype_name(dtype)
        x = values([2, 6], dtype)
        c.add("Reshape", name, [x, i32(3, -1)])
        c.add("ExpandDims", name, [x, np.array(1, np.int32)])
        c.add("Squeeze", name, [values([2, 1, 3], dtype)], squeeze_dims=[1])
        c.add("ConcatV2", name, [[x, values([2, 1], dtype, salt=1)],
                                 np.array(-1, np.int32)], by=(0, 1))
        c.add("Pack", name, [[x, values([2, 6], dtype, salt=1)]], by=(0, 1), axis=1)
        c.add("Unpack", name, [values([3, 2], dtype)], num=3, outputs=(0, 2))
        c.add("Split", name, [np.array(1, np.int32), x], by=(1,), num_split=3,
              outputs=(0, 2))
        c.add("SplitV", name, [values([2, 5], dtype), i32(2, 1, 2),
                               np.array(1, np.int32)], num_split=3, outputs=(0, 2))
        c.add("Slice", name, [values([3, 4], dtype), i32(1, 0), i32(2, 3)])
        c.add("StridedSlice", name, [values([3, 5], dtype), i32(1, 4), i32(2, 0),
                                     i32(1, -2)], shrink_axis_mask=1)
        c.add("Transpose", name, [values([2, 3, 4], dtype), i32(2, 0, 1)])
        c.add("ConjugateTranspose", name, [values([2, 3, 4], dtype), i32(2, 0, 1)])
        c.add("Tile", name, [values([2, 3], dtype), i32(3, 2)])
        c.add("Pad", name, [values([2, 3], dtype),
                            np.array([[1, 0], [2, 1]], np.int32)])
        c.add("BroadcastTo", name, [values([2, 1], dtype), i32(4, 2, 3)])
        c.add("Fill", name, [i32(2, 3), values([], dtype)], by=(1,))
    empty = values([0, 3])
    c.add("Reshape", "empty", [empty, i32(3, 0, 2)])
    c.add("Reshape", "scalar", [values([1]), i32()])
    c.add("Squeeze", "all", [values([1, 2, 1])])
    c.add("ConcatV2", "one empty", [[values([2, 0]), values([2, 3])],
                                    np.array(1, np.int32)], by=(0, 1))
    c.add("Pack", "scalars", [[values([]), values([], salt=1)]], by=(0, 1))
    c.add("Slice", "nothing", [values([3, 4]), i32(1, 1), i32(0, 2)])
    c.add("StridedSlice", "new axis and ellipsis",
          [values([2, 3, 4]), i32(0, 0, 1), i32(0, 0, 3), i32(1, 1, 1)],
          new_axis_mask=1, ellipsis_mask=2)
    c.add("Transpose", "scalar", [values([]), i32()])
    c.add("Tile", "nothing", [values([2, 3]), i32(0, 2)])
    c.add("Tile", "empty", [empty, i32(2, 2)])
    c.add("Pad", "empty", [empty, np.array([[1, 1], [0, 0]], np.int32)])
    c.add("BroadcastTo", "nothing", [values([1, 3]), i32(0, 3)])
    c.add("BroadcastTo", "scalar", [values([]), i32(2, 2)])


def gathers(c):
    matrix = np.array([[2, 0], [2, 1]], np.int32)
    zero = np.array(0, np.int32)
    for dtype in ALL:
        name = dtype_name(dtype)
        c.add("Gather", name, [values([3, 2], dtype), i32(2, 0, 2)])
        c.add("GatherV2", name, [values([3, 2], dtype), matrix, zero])
        c.add("GatherV2", name + " axis 1", [values([2, 3, 2], dtype), matrix,
                                             np.array(1, np.int32)])
        c.add("GatherNd", name, [values([3, 2, 2], dtype),
                                 np.array([[2, 0], [0, 1], [2, 0]], np.int32)])
        c.add("ScatterNd", name, [np.array([[3], [1], [3]], np.int32),
                                  values([3, 2], dtype), i32(4, 2)], by=(1,))
        c.add("UnsortedSegmentSum", name, [values([4, 2], dtype), i32(2, 0, -1, 2),
                                           np.array(3, np.int32)])
        c.add("SegmentSum", name, [values([4, 2], dtype), i32(0, 0, 2, 2)])
        c.add("SegmentMean", name, [values([4, 2], dtype), i32(0, 0, 2, 2)])
        for op in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
            c.add(op, name, [values([4, 2], dtype), i32(3, 0, 3), i32(0, 0, 2)])
        c.add("DynamicStitch", name, [[i32(2, 0), i32(1)],
                                      [values([2, 2], dtype),
                                       values([1, 2], dtype, salt=1)]], by=(2, 3))
        c.add("ParallelDynamicStitch", name, [[i32(2, 0), i32(1)],
                                              [values([2, 2], dtype),
                                               values([1, 2], dtype, salt=1)]],
              by=(2, 3))
        c.add("DynamicPartition", name, [values([4, 2], dtype), i32(1, 0, 1, 0)],
              num_partitions=3)
        c.add("TopKV2", name, [values([3, 5], dtype), np.array(2, np.int32)])
    c.add("Gather", "int64 indices of rank 2",
          [values([3, 2]), np.array([[2], [0]], np.int64)])
    c.add("GatherV2", "scalar index", [values([3, 2]), np.array(1, np.int32), zero])
    c.add("GatherV2", "no index", [values([3, 2]), i32(), zero])
    c.add("GatherV2", "vector", [values([4]), np.array([3, 3], np.int64), zero])
    c.add("GatherV2", "negative axis", [values([2, 3]), i32(2, 0, 2),
                                        np.array(-1, np.int32)])
    c.add("GatherV2", "batch_dims", [values([2, 4, 3, 2]), matrix,
                                     np.array(2, np.int32)], batch_dims=1)
    c.add("GatherNd", "all dimensions", [values([2, 2]),
                                         np.array([[1, 1], [0, 1]], np.int64)])
    c.add("UnsortedSegmentSum", "rank 2 segments",
          [values([2, 2, 3]), np.array([[0, 1], [1, 1]], np.int32),
           np.array(2, np.int32)])
    c.add("DynamicStitch", "overwritten", [[i32(0, 1), i32(1)],
                                           [values([2, 2]), values([1, 2], salt=1)]],
          by=(2, 3))
    c.add("DynamicPartition", "of a matrix of rows",
          [values([2, 2, 3]), np.array([[1, 0], [1, 1]], np.int32)],
          num_partitions=2)
    c.add("DynamicPartition", "of a scalar", [values([3]), np.array(1, np.int32)],
          num_partitions=2)
    c.add("TopKV2", "of a vector", [values([5]), np.array(3, np.int32)])


def pairs(*numbers):
    return np.array(numbers, np.int32).reshape([-1, 2])


def moves(c):
    for dtype in ALL:
        name = dtype_name(dtype)
        c.add("ReverseV2", name, [values([2, 3, 2], dtype), i32(1, 0)])
        c.add("ReverseSequence", name, [values([2, 4], dtype), i32(3, 0)], seq_dim=1)
        c.add("Roll", name, [values([2, 5], dtype), i32(1, -7), i32(0, 1)])
        c.add("PadV2", name, [values([2, 3], dtype), pairs(1, 0, 2, 1),
                              values([], dtype)])
        for mode in ("REFLECT", "SYMMETRIC"):
            c.add("MirrorPad", f"{mode} {name}",
                  [values([3, 4], dtype), pairs(1, 2, 3, 0)], mode=mode)
            c.add("MirrorPadGrad", f"{mode} {name}",
                  [values([6, 7], dtype), pairs(1, 2, 3, 0)], mode=mode)
        blocks = [values([2, 3, 4, 2], dtype), i32(2, 3), pairs(1, 0, 0, 2)]
        c.add("SpaceToBatchND", name, blocks)
        c.add("BatchToSpaceND", name, [values([12, 2, 2, 1], dtype)] + blocks[1:])
        c.add("SpaceToBatch", name, [values([1, 3, 2, 2], dtype), pairs(1, 0, 0, 2)],
              block_size=2)
        c.add("BatchToSpace", name, [values([4, 2, 2, 2], dtype), pairs(1, 0, 0, 2)],
              block_size=2)
        c.add("SpaceToDepth", name, [values([2, 4, 2, 3], dtype)], block_size=2)
        c.add("DepthToSpace", name, [values([2, 1, 2, 8], dtype)], block_size=2)
        c.add("EnsureShape", name, [values([2, 3], dtype)], shape=[2, 3])


def diagonals(c):
    any_extent = np.array(-1, np.int32)
    for dtype in ALL:
        name = dtype_name(dtype)
        zero = np.zeros([], dtype)
        c.add("MatrixDiag", name, [values([2, 3], dtype)])
        c.add("MatrixDiagPart", name, [values([2, 3, 3], dtype)])
        c.add("MatrixSetDiag", name, [values([2, 3, 4], dtype),
                                      values([2, 3], dtype, salt=1)], by=(0, 1))
        c.add("MatrixBandPart", name, [values([2, 3, 4], dtype),
                                       np.array(1, np.int32), np.array(0, np.int32)])
        for align in ("RIGHT_LEFT", "LEFT_RIGHT"):
            tag = f"{align} {name}"
            c.add("MatrixDiagV3", tag,
                  [values([2, 3, 3], dtype), i32(-1, 1), np.array(3, np.int32),
                   np.array(4, np.int32), zero], align=align)
            c.add("MatrixDiagPartV3", tag, [values([2, 3, 4], dtype), i32(-1, 2), zero],
                  align=align)
            c.add("MatrixSetDiagV3", tag, [values([2, 3, 4], dtype),
                                           values([2, 3, 3], dtype, salt=1),
                                           i32(-1, 1)], by=(0, 1), align=align)
        if dtype != BFLOAT16:  # TensorFlow has no kernel for it
            c.add("Diag", name, [values([2, 3], dtype)])
            c.add("DiagPart", name, [values([2, 3, 2, 3], dtype)])
    c.add("MatrixDiagPart", "wide", [values([2, 3, 4])])
    c.add("MatrixDiagV3", "one diagonal", [values([2, 3]), i32(-1), any_extent,
                                           any_extent, np.zeros([], np.float32)])
    c.add("MatrixDiagPartV3", "one diagonal", [values([2, 3, 4]), i32(2),
                                               np.zeros([], np.float32)])
    c.add("MatrixSetDiagV3", "one diagonal", [values([2, 3, 4]), values([2, 2]),
                                              i32(2)], by=(0, 1))


def combinations(c):
    for ta in (False, True):
        for tb in (False, True):
            for dtype in ALL:
                x = values([2, 3, 2] if ta else [2, 2, 3], dtype)
                y = values([2, 4, 3] if tb else [2, 3, 4], dtype, salt=1)
                name = f"transposes {ta} {tb} {dtype_name(dtype)}"
                c.add("BatchMatMul", name, [x, y], by=(0, 1), adj_x=ta, adj_y=tb)
                if dtype != np.float16:  # TensorFlow has no kernel for it
                    c.add("BatchMatMulV3", name, [x, y[:1]], by=(0, 1), adj_x=ta,
                          adj_y=tb, Tout=dtype)
    indices = np.array([[3], [1], [3]], np.int32)
    distinct = np.array([[3], [1], [0]], np.int32)
    for dtype in ALL:
        name = dtype_name(dtype)
        x = values([4, 2], dtype)
        updates = values([3, 2], dtype, salt=1)
        c.add("TensorScatterUpdate", name, [x, distinct, updates], by=(0, 2))
        for op in ("TensorScatterAdd", "TensorScatterSub"):
            c.add(op, name, [x, indices, updates], by=(0, 2))
        for op in ("TensorScatterMax", "TensorScatterMin"):
            c.add(op, name, [x, distinct, updates], by=(0, 2))
            equal = x[[3, 1, 3]].copy()
            c.add(op, f"equal {name}", [x, indices, equal], by=(0, 2))


def functions(c):
    ranges = {"Asin": (-0.9, 0.9), "Acos": (-0.9, 0.9), "Atanh": (-0.9, 0.9),
              "Acosh": (1.2, 3), "Tan": (-1.2, 1.2), "Inv": (0.5, 3)}
    for op in ("Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh",
               "Expm1", "Erf", "Erfc", "Inv", "Selu", "Softsign"):
        low, high = ranges.get(op, (-2, 2))
        for dtype in ALL:
            c.add(op, dtype_name(dtype), [values([3, 4], dtype, low, high)])
        c.add(op, "empty", [values([0, 3])])
        c.add(op, "scalar", [values([], np.float32, low, high)])
    shapes = {"equal": ([2, 3], [2, 3]), "both stretched": ([2, 1, 3], [4, 1]),
              "scalar second": ([2, 3], []), "empty": ([0, 3], [3])}
    for op in ("Atan2", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py", "NextAfter"):
        for name, (x, y) in shapes.items():
            c.add(op, name, [values(x, np.float32, 0.5, 3), values(y, np.float32, 0.5, 3, 3)],
                  by=(0, 1))
        for dtype in ALL[1:2] if op == "NextAfter" else ALL[1:]:
            c.add(op, dtype_name(dtype), [values([2, 1, 3], dtype, 0.5, 3),
                                          values([4, 1], dtype, 0.5, 3, 3)], by=(0, 1))
    zero = np.array([0, 0, 2, 1], np.float32)
    for op in ("MulNoNan", "Xdivy", "Xlogy", "Xlog1py"):
        c.add(op, "zeros", [zero, np.array([0, 3, 0, 2], np.float32)], by=(0, 1))
    x, low, high = values([3, 4]), values([3, 4], salt=1) - 1, values([3, 4], salt=2) + 1
    for dtype in ALL:
        name = dtype_name(dtype)
        c.add("ClipByValue", f"{name} tensors",
              [v.astype(dtype) for v in (x, low, high)], by=(0, 1, 2))
        c.add("ClipByValue", f"{name} scalars",
              [x.astype(dtype), np.array(-0.5, dtype), np.array(0.75, dtype)],
              by=(0, 1, 2))
    for axes in ([0], [1], [0, 2], [0, 1, 2]):
        for keep in (False, True):
            c.add("EuclideanNorm", f"axes {axes} keep {keep}",
                  [values([2, 3, 4], salt=len(axes)), i32(*axes)], keep_dims=keep)
    for dtype in ALL[1:]:
        c.add("EuclideanNorm", dtype_name(dtype), [values([2, 3], dtype), i32(1)])
    c.add("EuclideanNorm", "empty", [values([0, 3]), i32(1)])


def batch_norms(c):
    for op in ("FusedBatchNorm", "FusedBatchNormV2"):
        for training in (True, False):
            size = 0 if training else 2
            c.add(op, f"training {training}",
                  [values([3, 2, 2, 2]), values([2], salt=1), values([2], salt=2),
                   values([size], low=-0.5, high=0.5), values([size], low=0.5, high=2)],
                  by=(0, 1, 2), tolerance=2e-5, is_training=training, epsilon=0.01)


def depthwise(c):
    x, w = values([2, 5, 4, 3]), values([3, 2, 3, 2], salt=1)
    for padding in ("SAME", "VALID"):
        for stride in (1, 2):
            attrs = {"strides": [1, stride, stride, 1], "padding": padding}
            name = f"{padding} stride {stride}"
            c.add("DepthwiseConv2dNative", name, [x, w], by=(0, 1), **attrs)
            rows, columns = {("SAME", 1): (5, 4), ("SAME", 2): (3, 2),
                             ("VALID", 1): (3, 3), ("VALID", 2): (2, 2)}[padding, stride]
            dy = values([2, rows, columns, 6], salt=2)
            c.add("DepthwiseConv2dNativeBackpropInput", name, [i32(2, 5, 4, 3), w, dy],
                  by=(1, 2), **attrs)
            c.add("DepthwiseConv2dNativeBackpropFilter", name, [x, i32(3, 2, 3, 2), dy],
                  by=(0, 2), **attrs)
    c.add("DepthwiseConv2dNative", "explicit padding", [x, w], by=(0, 1),
          strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 2, 1, 0, 1, 0, 0])
    for dtype in ALL[1:]:
        c.add("DepthwiseConv2dNative", dtype_name(dtype), [x.astype(dtype), w.astype(dtype)],
              by=(0, 1), strides=[1, 1, 1, 1], padding="SAME",
              tolerance=3e-2 if dtype in ALL[2:] else None)


def further_pools(c):
    for padding in ("SAME", "VALID"):
        for dtype in ALL:
            x = values([2, 5, 4, 2], dtype)
            name = f"{padding} {dtype_name(dtype)}"
            c.add("MaxPoolV2", name, [x, i32(1, 3, 2, 1), i32(1, 2, 1, 1)], padding=padding)
            c.add("MaxPoolWithArgmax", name, [x], ksize=[1, 3, 2, 1], strides=[1, 2, 1, 1],
                  padding=padding)


def resizing(c):
    for corners, centers in ((False, False), (True, False), (False, True)):
        attrs = {"align_corners": corners, "half_pixel_centers": centers}
        for op in ("ResizeNearestNeighbor", "ResizeBilinear"):
            for size in ((5, 7), (1, 2)):
                c.add(op, f"{size} {corners} {centers}", [values([2, 3, 4, 2]), i32(*size)],
                      **attrs)
    for op in ("ResizeNearestNeighbor", "ResizeBilinear"):
        for dtype in ALL[1:]:
            c.add(op, dtype_name(dtype), [values([1, 3, 4, 2], dtype), i32(5, 3)],
                  tolerance=3e-2 if dtype in ALL[2:] else 1e-6)  # weights are floats


def equations(c):
    for equation, *shapes in (
            ("ij->ji", [2, 3]), ("ij->", [2, 3]), ("abcd->ac", [2, 3, 2, 2]),
            ("aabbcd->ca", [2, 2, 3, 3, 2, 2]), ("ii->", [3, 3]), ("ij->jj", [2, 3]),
            ("i...j->j...", [2, 3, 2]), ("...i->...", [3]), ("...ij->...ji", [2, 2, 3]),
            ("ij,jk->ik", [2, 3], [3, 4]), ("abc,cd->ad", [2, 3, 4], [4, 5]),
            ("aab,b->a", [2, 2, 3], [3]), ("i,i->", [3], [3]), ("i,j->ji", [3], [2]),
            ("ij,jk->", [2, 3], [3, 4]), ("a,a->aa", [3], [3]),
            ("bfnh,btnh->bnft", [2, 3, 2, 4], [2, 5, 2, 4]),
            ("...ij,...jk->...ik", [2, 1, 2, 3], [3, 3, 2]),
            ("...ij,jk->...ik", [2, 2, 3], [3, 4]), ("ij...,jk->ik...", [2, 3, 4], [3, 2]),
            ("...,...->...", [2, 1], [1, 3]), ("ab...,b...->a...", [2, 3, 1], [3, 4]),
            ("ij,jk->...ik", [2, 3], [3, 2]), ("...ij,jk->ik", [2, 3], [3, 2]),
            ("ij,jk->ik", [2, 0], [0, 2])):
        inputs = [values(shape, salt=i) for i, shape in enumerate(shapes)]
        c.add("Einsum", f"{equation} {shapes}", [inputs], by=range(len(inputs)), equation=equation)
    for dtype in ALL[1:]:
        c.add("Einsum", dtype_name(dtype), [[values([2, 3], dtype), values([3, 4], dtype, salt=1)]],
              by=(0, 1), equation="ij,jk->ki", tolerance=3e-2 if dtype in ALL[2:] else None)
    for dtype in ALL:
        c.add("Cross", dtype_name(dtype), [values([2, 3], dtype), values([2, 3], dtype, salt=1)],
              by=(0, 1))


def volumes(c):
    x, w = values([2, 3, 4, 3, 2]), values([2, 3, 2, 2, 3], salt=1)
    for padding, stride, out in (("SAME", 1, [3, 4, 3]), ("VALID", 1, [2, 2, 2]),
                                 ("SAME", 2, [2, 2, 2])):
        attrs = {"strides": [1, stride, stride, stride, 1], "padding": padding}
        name = f"{padding} stride {stride}"
        dy = values([2, *out, 3], salt=2)
        c.add("Conv3D", name, [x, w], by=(0, 1), tolerance=2e-6, **attrs)
        c.add("Conv3DBackpropInputV2", name, [i32(*x.shape), w, dy], by=(1, 2), tolerance=2e-6,
              **attrs)
        c.add("Conv3DBackpropFilterV2", name, [x, i32(*w.shape), dy], by=(0, 2), tolerance=2e-6,
              **attrs)
    for dtype in ALL[1:]:
        c.add("Conv3D", dtype_name(dtype), [x.astype(dtype), w.astype(dtype)], by=(0, 1),
              strides=[1, 1, 1, 1, 1], padding="SAME",
              tolerance=3e-2 if dtype in ALL[2:] else None)
    for dtype in (np.float32, BFLOAT16):
        for padding, out in (("SAME", [2, 4, 2]), ("VALID", [1, 2, 1])):
            attrs = {"ksize": [1, 2, 3, 2, 1], "strides": [1, 2, 1, 2, 1], "padding": padding}
            name = f"{padding} {dtype_name(dtype)}"
            y = x.astype(dtype)
            c.add("MaxPool3D", name, [y], **attrs)
            c.add("AvgPool3D", name, [y], tolerance=2e-2 if dtype == BFLOAT16 else None, **attrs)
            dy = values([2, *out, 2], dtype, salt=3)
            c.add("AvgPool3DGrad", name, [i32(*x.shape), dy], by=(1,),
                  tolerance=2e-2 if dtype == BFLOAT16 else None, **attrs)
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                maxima = session.run(tf.raw_ops.MaxPool3D(input=tf.constant(y), **attrs))
            c.add("MaxPool3DGrad", name, [y, maxima, dy], by=(2,), **attrs)
            c.add("MaxPool3DGradGrad", name, [y, maxima, values(x.shape, dtype, salt=4)], by=(2,),
                  **attrs)


def recurrent(c):
    def first_version(steps, x, cs_prev, h_prev, w, wci, wcf, wco, b):
        """Exchanges two gates. TensorFlow's gradient of BlockLSTMV2 forgets that."""
        def exchanged(v):
            i, f, ci, o = tf.split(v, 4, axis=-1)
            return tf.concat([i, ci, f, o], axis=-1)

        return list(tf.raw_ops.BlockLSTM(
            seq_len_max=steps, x=x, cs_prev=cs_prev, h_prev=h_prev, w=exchanged(w), wci=wci,
            wcf=wcf, wco=wco, b=exchanged(b), forget_bias=0, cell_clip=0, use_peephole=peephole))

    for dtype in (np.float32, np.float16):
        shapes = ([3, 2, 4], [2, 3], [2, 3], [7, 12], [3], [3], [3], [12])
        inputs = [np.array(3)] + [values(s, dtype, -1, 1, i) for i, s in enumerate(shapes)]
        for peephole in (False, True):
            name = f"{dtype_name(dtype)} peephole {peephole}"
            same = {"by": range(1, 9), "outputs": (1, 6), "use_peephole": peephole,
                    "tolerance": 3e-2 if dtype == np.float16 else 5e-6}
            c.add("BlockLSTM", name, inputs, cell_clip=-1.0, **same)
            c.add("BlockLSTMV2", name, inputs, layout=first_version, **same)


def main():
    cases = Cases()
    for family in (unary, several, binary, reductions, matrices, images, shapes,
                   gathers, moves, diagonals, combinations, functions, batch_norms,
                   depthwise, further_pools, resizing, equations, volumes, recurrent):
        family(cases)
    write_cases(os.path.join(FOLDER, "gradients.jsonl"), cases.lines)


if __name__ == "__main__":
    main()
