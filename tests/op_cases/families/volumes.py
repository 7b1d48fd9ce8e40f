# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling of volumes.

TensorFlow's float kernels end the process, or compute something, for many mistakes. Such
cases are left out, or are for double."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp
from families.windows import BF16, FLOATS, i32, short, values

ONES = [1, 1, 1, 1, 1]
# Each row holds the shape of the input, that of the filter, the strides, the dilations and
# the padding.
CONVOLUTIONS = [
    ((2, 3, 4, 3, 2), (3, 2, 3, 2, 3), (1, 1, 1), (1, 1, 1), "SAME"),
    ((2, 3, 3, 4, 2), (2, 2, 3, 2, 2), (1, 1, 1), (1, 1, 1), "VALID"),
    ((1, 5, 4, 5, 2), (2, 3, 2, 2, 3), (2, 1, 2), (1, 1, 1), "SAME"),
    ((1, 5, 7, 3, 2), (2, 3, 2, 2, 3), (2, 3, 1), (1, 1, 1), "VALID"),
    ((2, 4, 3, 7, 1), (2, 2, 3, 1, 2), (1, 1, 1), (2, 1, 3), "SAME"),
    ((2, 1, 1, 1, 2), (1, 1, 1, 2, 3), (1, 1, 1), (1, 1, 1), "VALID"),
]
# Each row holds the shape of the input, the window, the strides and the padding.
POOLS = [
    ((2, 3, 4, 3, 2), (2, 3, 2), (2, 2, 1), "SAME"),
    ((1, 5, 4, 3, 3), (3, 2, 2), (1, 2, 2), "VALID"),
    ((1, 2, 4, 2, 8), (2, 2, 2), (2, 2, 2), "VALID"),
    ((1, 3, 2, 3, 9), (3, 2, 3), (1, 1, 1), "SAME"),
]
FIRST = [0, 4, 1, 2, 3]  # from NDHWC to NCDHW


def attrs_of(strides, padding, **others):
    return {"strides": [1, *strides, 1], "padding": padding,
            **{name: [1, *value, 1] for name, value in others.items()}}


def convolution(case, dtype, tolerance, row):
    x_shape, w_shape, strides, dilations, padding = row
    attrs = {**attrs_of(strides, padding, dilations=dilations), "tolerance": tolerance}
    name = f"{short(dtype)} {x_shape} {w_shape} {strides} {dilations} {padding}"
    x, w = values(x_shape, dtype), values(w_shape, dtype, 3)
    case("Conv3D", name, x, w, **attrs)
    y = tf.raw_ops.Conv3D(input=x.astype(np.float32), filter=w.astype(np.float32),
                          dilations=attrs["dilations"], **attrs_of(strides, padding))
    dy = values(y.shape, dtype, 5)
    index = np.int64 if strides == (1, 1, 1) else np.int32
    case("Conv3DBackpropInputV2", name, np.array(x_shape, index), w, dy, **attrs)
    # The sums of 16-bit floats have many terms.
    wide = dict(attrs, tolerance=tolerance * (4 if dtype in (np.float16, BF16) else 2))
    case("Conv3DBackpropFilterV2", name, x, i32(*w_shape), dy, **wide)


def convolutions_by_channel(case):
    given = case.__self__.given
    for x_shape, w_shape, strides, dilations, padding in CONVOLUTIONS[1:3]:
        x, w = values(x_shape, np.float32), values(w_shape, np.float32, 3)
        attrs = attrs_of(strides, padding)
        y = tf.raw_ops.Conv3D(input=x, filter=w, **attrs).numpy()
        first = {"strides": [1, 1, *strides], "padding": padding, "data_format": "NCDHW",
                 "dilations": [1, 1, *dilations], "tolerance": 3e-6}
        name = f"NCDHW {x_shape} {w_shape}"
        given("Conv3D", name, [x.transpose(FIRST), w], [y.transpose(FIRST)], **first)
        dx = tf.raw_ops.Conv3DBackpropInputV2(input_sizes=i32(*x_shape), filter=w,
                                              out_backprop=y, **attrs).numpy()
        x_sizes = i32(*x.transpose(FIRST).shape)
        given("Conv3DBackpropInputV2", name, [x_sizes, w, y.transpose(FIRST)],
              [dx.transpose(FIRST)], **first)
        dw = tf.raw_ops.Conv3DBackpropFilterV2(input=x, filter_sizes=i32(*w_shape),
                                               out_backprop=y, **attrs).numpy()
        given("Conv3DBackpropFilterV2", name,
              [x.transpose(FIRST), i32(*w_shape), y.transpose(FIRST)], [dw],
              **dict(first, tolerance=1e-5))


def large_volumes(case):
    x, w = Ramp(np.float32, [1, 9, 12, 13, 16], -3, modulus=7), Ramp(np.float32, [3, 3, 3, 16, 8], -2, modulus=5)
    same = {"strides": ONES, "padding": "SAME"}
    dy = Ramp(np.float32, [1, 9, 12, 13, 8], -2, modulus=5)
    case("Conv3D", "large", x, w, **same)
    case("Conv3DBackpropInputV2", "large", i32(*x.shape), w, dy, **same)
    case("Conv3DBackpropFilterV2", "large", x, i32(*w.shape), dy, **same)
    two = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
    case("MaxPool3D", "large", x, **two)
    case("AvgPool3D", "large", x, tolerance=1e-6, **two)


def convolution_mistakes(case):
    x, w = np.ones([2, 5, 4, 3, 2]), np.ones([2, 2, 2, 2, 3])
    dy = np.ones([2, 5, 4, 3, 3])
    same = {"strides": ONES, "padding": "SAME"}
    empty = "filter must not have zero elements"
    case("Conv3D", "no volumes", x[:0], w, **same)
    case("Conv3D", "no planes", x[:, :0], w, **same)
    for name, a, b, text in [
            ("rank of the filter", x, w[0], "filter must be 5-dimensional"),
            ("filter without planes", x, w[:0], empty), ("no outputs", x, w[..., :0], empty),
            ("no channels", x[..., :0], w[..., :0, :], ""),
            ("fewer channels", x, w[..., :1, :], "")]:
        case("Conv3D", name, a, b, text=text, **same)
    case("Conv3D", "large filter", x, np.ones([9, 2, 2, 2, 3]), strides=ONES,
         padding="VALID", text="would be negative")
    for strides in ([2, 1, 1, 1, 1], [1, 1, 1, 1, 2], [1, 0, 1, 1, 1], [1, 1, -1, 1, 1], ONES + [1]):
        case("Conv3D", f"strides {strides}", x, w, strides=strides, padding="SAME", text="")
        case("Conv3D", f"dilations {strides}", x, w, dilations=strides, text="", **same)
    op, sizes = "Conv3DBackpropInputV2", i32(2, 5, 4, 3, 2)
    case(op, "no volumes", i32(0, 5, 4, 3, 2), w, dy[:0], **same)
    mismatch = "Size of out_backprop doesn't match computed"
    depths = "input and filter must have the same depth"
    for name, a, b, c, text in [
            ("two sizes", sizes[:2], w, dy, ""),
            ("negative size", i32(2, 5, -4, 3, 2), w, dy, ""),
            ("rank of the filter", sizes, w[0], dy, ""), ("rank", sizes, w, dy[0], ""),
            ("other channels", i32(2, 5, 4, 3, 3), w, dy, ""),
            ("more columns", i32(2, 5, 4, 4, 2), w, dy, mismatch),
            ("more volumes", i32(3, 5, 4, 3, 2), w, dy, ""),
            ("fewer outputs", sizes, w, dy[..., :2], "")]:
        case(op, name, a, b, c, text=text, **same)
    case(op, "strides over volumes", sizes, w, dy, strides=[2, 1, 1, 1, 1], padding="SAME", text="")
    op, sizes = "Conv3DBackpropFilterV2", i32(2, 2, 2, 2, 3)
    case(op, "no volumes", x[:0], sizes, dy[:0], **same)
    for name, a, b, c, text in [
            ("four sizes", x, sizes[:4], dy, ""), ("matrix of sizes", x, sizes[None], dy, ""),
            ("negative size", x, i32(2, 2, 2, 2, -3), dy, ""),
            ("other channels", x, i32(2, 2, 2, 3, 3), dy, ""),
            ("fewer planes", x, sizes, dy[:, 1:], mismatch),
            ("rank of the input", x[0], sizes, dy, ""), ("rank", x, sizes, dy[0], "")]:
        case(op, name, a, b, c, text=text, **same)
    case("Conv3DBackpropFilterV2", "channels of float", x.astype(np.float32), i32(2, 2, 2, 1, 3),
         dy.astype(np.float32), text=depths, **same)


def pooling(case, dtype, tolerance, row):
    shape, window, strides, padding = row
    attrs = {**attrs_of(strides, padding, ksize=window), "tolerance": tolerance}
    given = case.__self__.given
    name = f"{short(dtype)} {shape} {window} {strides} {padding}"
    x = (np.arange(int(np.prod(shape))) * 37 % 101 - 50).astype(dtype).reshape(shape)
    case("MaxPool3D", name, x, **attrs)
    case("AvgPool3D", name, x, **attrs)
    options = {key: value for key, value in attrs.items() if key != "tolerance"}
    y = tf.raw_ops.MaxPool3D(input=x, **options).numpy()
    dy = values(y.shape, dtype, 3)
    case("MaxPool3DGrad", name, x, y, dy, **attrs)
    case("MaxPool3DGradGrad", name, x, y, values(shape, dtype, 4), **attrs)
    case("AvgPool3DGrad", name, i32(*shape), dy, **attrs)
    if dtype != np.float32:
        return
    first = {"ksize": [1, 1, *window], "strides": [1, 1, *strides], "padding": padding,
             "data_format": "NCDHW", "tolerance": tolerance}
    average = tf.raw_ops.AvgPool3D(input=x, **options).numpy()
    dx = tf.raw_ops.MaxPool3DGrad(orig_input=x, orig_output=y, grad=dy, **options).numpy()
    given("MaxPool3D", f"NCDHW {name}", [x.transpose(FIRST)], [y.transpose(FIRST)], **first)
    given("AvgPool3D", f"NCDHW {name}", [x.transpose(FIRST)], [average.transpose(FIRST)], **first)
    given("MaxPool3DGrad", f"NCDHW {name}", [v.transpose(FIRST) for v in (x, y, dy)],
          [dx.transpose(FIRST)], **first)


def pooling_values(case):
    k = {"ksize": [1, 2, 1, 2, 1], "strides": [1, 2, 1, 2, 1], "padding": "VALID"}
    nan, inf = np.nan, np.inf
    for name, numbers in [("equal", [1, 1, 1, 1]), ("later equal", [0, 2, 1, 2]),
                          ("NaN first", [nan, 1, 2, nan]), ("NaN later", [1, nan, 2, 0]),
                          ("-inf", [-inf] * 4), ("inf", [0, inf, inf, 1])]:
        x = np.array(numbers, np.float32).reshape([1, 2, 1, 2, 1])
        case("MaxPool3D", name, x, **k)
        case("AvgPool3D", name, x, **k)
        for out in (1, 2, inf):
            y = np.full([1, 1, 1, 1, 1], out, np.float32)
            grad = np.array([1, 2, 3, 4], np.float32).reshape([1, 2, 1, 2, 1])
            case("MaxPool3DGradGrad", f"{name} {out}", x, y, grad, **k)
        y = tf.raw_ops.MaxPool3D(input=x, **k).numpy()
        case("MaxPool3DGrad", name, x, y, np.full([1, 1, 1, 1, 1], 7, np.float32), **k)


def pooling_mistakes(case):
    x, y = np.ones([2, 5, 4, 3, 2], np.float32), np.zeros([2, 3, 2, 2, 2], np.float32)
    two = [1, 2, 2, 2, 1]
    attrs = {"ksize": two, "strides": two, "padding": "SAME"}
    for op in ("MaxPool3D", "AvgPool3D"):
        for name, part in [("no volumes", x[:0]), ("no channels", x[..., :0]), ("no planes", x[:, :0])]:
            case(op, name, part, **attrs)
        case(op, "large window", x, text="would be negative", ksize=[1, 9, 9, 9, 1], strides=two,
             padding="VALID")
        for wrong in ([2, 2, 2, 2, 1], [1, 0, 2, 2, 1], [1, -1, 2, 2, 1], two + [1]):
            case(op, f"window {wrong}", x, text="", **dict(attrs, ksize=wrong))
            case(op, f"strides {wrong}", x, text="", **dict(attrs, strides=wrong))
        case(op, "window over channels", x, text="", **dict(attrs, ksize=[1, 2, 2, 2, 2]))
    output = "Expected orig_output shape to be [2,3,2,2,2], but got [1,3,2,2,2]"
    deep = "must be 5-dimensional"
    op = "MaxPool3DGrad"
    case(op, "no volumes", x[:0], y[:0], y[:0], **attrs)
    case(op, "other output", x, y[:1], y, text=output, **attrs)
    case(op, "other gradient", x, y, y[:1],
         text="Expected grad shape to be [2,3,2,2,2], but got [1,3,2,2,2]", **attrs)
    case(op, "rank", x[0], y, y, text=deep, **attrs)
    case(op, "no stride", x, y, y, text="", **dict(attrs, strides=[1, 0, 1, 1, 1]))
    op = "MaxPool3DGradGrad"
    case(op, "other output", x, y[:1], x, text=output, **attrs)
    case(op, "other gradient", x, y, x[:1],
         text="Expected grad shape to be [2,5,4,3,2], but got [1,5,4,3,2]", **attrs)
    case(op, "rank", x[0], y, x, text=deep, **attrs)
    op, sizes = "AvgPool3DGrad", i32(2, 5, 4, 3, 2)
    case(op, "no volumes", i32(0, 5, 4, 3, 2), y[:0], **attrs)
    case(op, "negative size", i32(2, 5, 4, -3, 2), y, text="", **attrs)
    case(op, "other gradient", sizes, y[:1], text="", **attrs)


def cases(case):
    case.__self__.floor = 1.0  # the terms of the sums cancel each other
    for dtype, tolerance in FLOATS:
        rows = CONVOLUTIONS if dtype == np.float32 else CONVOLUTIONS[:2]
        for row in rows:
            convolution(case, dtype, tolerance, row)
    convolutions_by_channel(case)
    large_volumes(case)
    convolution_mistakes(case)
    for dtype, tolerance in ((np.float32, 3e-6), (BF16, 5e-2)):
        for row in POOLS if dtype == np.float32 else POOLS[:2]:
            pooling(case, dtype, tolerance, row)
    pooling_values(case)
    pooling_mistakes(case)
