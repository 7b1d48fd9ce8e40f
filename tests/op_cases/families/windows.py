# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions, further poolings, batch normalisation of versions 1 and
2, resizing.

TensorFlow's float kernels give no right answer for depthwise gradients with
dilations, and end the process for many mistakes. Such cases are left out."""

import numpy as np
import tensorflow as tf

BF16 = tf.bfloat16.as_numpy_dtype
# Each row holds a dtype and the tolerance for sums.
FLOATS = [(np.float32, 3e-6), (np.float64, 1e-13), (np.float16, 1e-2), (BF16, 5e-2)]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
# Each row holds the shape of the input, that of the filter, the strides, the
# dilations, the padding, and the explicit paddings.
DEPTHWISE = [
    ((2, 5, 6, 3), (3, 2, 3, 2), (1, 1), (1, 1), "SAME", None),
    ((2, 5, 6, 3), (3, 2, 3, 1), (1, 1), (1, 1), "VALID", None),
    ((1, 8, 7, 4), (3, 3, 4, 1), (2, 2), (1, 1), "SAME", None),
    ((1, 8, 7, 2), (2, 3, 2, 3), (2, 2), (1, 1), "VALID", None),
    ((2, 5, 6, 16), (3, 3, 16, 1), (1, 1), (1, 1), "SAME", None),
    ((2, 4, 4, 1), (2, 2, 1, 5), (1, 1), (1, 1), "SAME", None),
    ((1, 1, 1, 2), (1, 1, 2, 2), (1, 1), (1, 1), "VALID", None),
    ((2, 5, 6, 3), (3, 3, 3, 2), (2, 2), (1, 1), "EXPLICIT", [0, 0, 1, 2, 0, 3, 0, 0]),
]
# Each row holds the shape of the input, the window, the strides and the padding.
POOLS = [
    ((2, 5, 7, 3), (2, 2), (2, 2), "SAME"),
    ((2, 5, 7, 3), (3, 2), (1, 2), "VALID"),
    ((1, 6, 6, 8), (2, 2), (2, 2), "VALID"),
    ((2, 4, 4, 9), (3, 3), (2, 2), "SAME"),
    ((2, 5, 5, 2), (1, 1), (2, 2), "VALID"),
]


def short(dtype):
    return tf.as_dtype(dtype).name


def values(shape, dtype, salt=0):
    index = (np.arange(int(np.prod(shape)), dtype=np.int64) * 377 + salt * 31) % 101
    return ((index - 50) / 32).astype(dtype).reshape(shape)


def i32(*numbers):
    return np.array(numbers, np.int32)


def first(x):
    """NHWC to NCHW."""
    return np.transpose(x, (0, 3, 1, 2))


def depthwise(case, dtype, tolerance, row):
    shape, filter_shape, strides, dilations, padding, explicit = row
    attrs = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1],
             "padding": padding, "tolerance": tolerance}
    if explicit:
        attrs["explicit_paddings"] = explicit
    name = f"{short(dtype)} {shape} {filter_shape} {strides} {padding}"
    x, w = values(shape, dtype), values(filter_shape, dtype, 1)
    case("DepthwiseConv2dNative", name, x, w, **attrs)
    plain = {k: v for k, v in attrs.items() if k != "tolerance"}
    y = tf.raw_ops.DepthwiseConv2dNative(input=x, filter=w, **plain).numpy()
    g = values(y.shape, dtype, 2)
    case("DepthwiseConv2dNativeBackpropInput", name, i32(*shape), w, g, **attrs)
    attrs["tolerance"] = tolerance * 5
    case("DepthwiseConv2dNativeBackpropFilter", name, x, i32(*filter_shape), g, **attrs)


def depthwise_layouts(case):
    """TensorFlow's float kernel knows dilations, two strides and NCHW."""
    x, w = values([2, 7, 8, 3], np.float32), values([3, 2, 3, 2], np.float32, 1)
    one = [1, 1, 1, 1]
    for padding in ("SAME", "VALID"):
        case("DepthwiseConv2dNative", f"dilated {padding}", x, w, strides=one,
             dilations=[1, 2, 3, 1], padding=padding, tolerance=3e-6)
        case("DepthwiseConv2dNative", f"two strides {padding}", x, w, strides=[1, 1, 2, 1],
             padding=padding, tolerance=3e-6)
        nchw = {"strides": [1, 1, 2, 2], "padding": padding, "data_format": "NCHW",
                "tolerance": 1e-5}
        case("DepthwiseConv2dNative", f"NCHW {padding}", first(x).copy(), w, **nchw)
        rows, columns = ((4, 4) if padding == "SAME" else (3, 4))
        g = values([2, 6, rows, columns], np.float32, 3)
        case("DepthwiseConv2dNativeBackpropInput", f"NCHW {padding}", i32(2, 3, 7, 8), w, g,
             **nchw)
        case("DepthwiseConv2dNativeBackpropFilter", f"NCHW {padding}", first(x).copy(),
             i32(3, 2, 3, 2), g, **nchw)


def depthwise_mistakes(case):
    x, w, g = (values(s, np.float64) for s in ([2, 5, 6, 3], [3, 2, 3, 2], [2, 5, 6, 6]))
    same = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    op = "DepthwiseConv2dNative"
    case(op, "empty batch", x[:0], w, **same)
    case(op, "three strides", x, w, text="", strides=[1, 1, 1], padding="SAME")
    case(op, "rank of the input", x[0], w, text="input must be 4-dimensional", **same)
    case(op, "rank of the filter", x, w[0], text="filter must be 4-dimensional", **same)
    case(op, "depths", x, w[:, :, :2], text="input and filter must have the same depth: 3 vs 2",
         **same)
    case(op, "large filter", x, values([9, 9, 3, 1], np.float64), text="would be negative",
         strides=[1, 1, 1, 1], padding="VALID")
    case(op + "BackpropInput", "three sizes", i32(2, 5, 6), w, g, text="", **same)
    case(op + "BackpropInput", "matrix of sizes", i32(2, 5, 6, 3)[None], w, g, text="", **same)
    case(op + "BackpropInput", "other gradient", i32(2, 5, 6, 3), w, g[:, 1:], text="", **same)
    case(op + "BackpropInput", "negative sizes", i32(-2, 5, 6, 3), w, g, text="", **same)
    case(op + "BackpropFilter", "three sizes", x, i32(3, 2, 3), g, text="", **same)
    case(op + "BackpropFilter", "matrix of sizes", x, i32(3, 2, 3, 2)[None], g, text="", **same)
    case(op + "BackpropFilter", "other depth", x, i32(3, 2, 2, 2), g, text="", **same)
    case(op + "BackpropFilter", "negative sizes", x, i32(-3, 2, 3, 2), g, text="", **same)
    # CVE-2021-41197
    case(op + "BackpropFilter", "too many sizes", x, np.full([13], 1879048192, np.int32), g,
         text="", **same)


def pooling(case, dtype, row):
    shape, window, strides, padding = row
    attrs = {"ksize": [1, *window, 1], "strides": [1, *strides, 1], "padding": padding}
    name = f"{short(dtype)} {shape} {window} {strides} {padding}"
    count = int(np.prod(shape))
    x = (np.arange(count) * 37 % 23 - (0 if dtype in INTEGERS[4:] else 9)).astype(dtype)
    x = x.reshape(shape)
    for index in (tf.int32, tf.int64):
        case("MaxPoolWithArgmax", f"{name} {index.name}", x, Targmax=index,
             include_batch_in_index=index == tf.int32, **attrs)
    for batch in (False, True):
        argmax = tf.raw_ops.MaxPoolWithArgmax(
            input=x, Targmax=tf.int64, include_batch_in_index=batch, **attrs).argmax.numpy()
        case("MaxPoolGradWithArgmax", f"{name} {batch}", x,
             (np.arange(argmax.size) % 7 + 1).astype(dtype).reshape(argmax.shape), argmax,
             include_batch_in_index=batch, tolerance=1e-2, **attrs)
    v2 = (i32(*attrs["ksize"]), i32(*attrs["strides"]))
    if dtype not in (np.uint32, np.uint64):
        case("MaxPoolV2", name, x, *v2, padding=padding)
    y = tf.raw_ops.MaxPool(input=x.astype(np.float64), **attrs).numpy().astype(dtype)
    g = (np.arange(y.size) % 7 + 1).astype(dtype).reshape(y.shape)
    # A half sums in half precision in TensorFlow.
    case("MaxPoolGradV2", name, x, y, g, *v2, padding=padding, tolerance=1e-2)
    case("MaxPoolGradGrad", name, x, y, (x + 1).astype(dtype), **attrs)


def pooling_values(case):
    k = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    nan, inf = np.nan, np.inf
    for name, numbers in [("equal", [1, 1, 1, 1]), ("NaN first", [nan, 1, 2, nan]),
                          ("NaN later", [1, nan, 2, 0]), ("only NaN", [nan] * 4),
                          ("-inf", [-inf] * 4), ("inf", [0, inf, inf, 1])]:
        x = np.array(numbers, np.float32).reshape([1, 2, 2, 1])
        case("MaxPoolWithArgmax", name, x, **k)
        for out in (1, 2, inf, nan):
            case("MaxPoolGradGrad", f"{name} {out}", x,
                 np.full([1, 1, 1, 1], out, np.float32),
                 np.array([1, 2, 3, 4], np.float32).reshape([1, 2, 2, 1]), **k)


def pooling_mistakes(case):
    x = values([2, 4, 5, 2], np.float32)
    y = np.zeros([2, 2, 2, 2], np.float32)
    two, valid = [1, 2, 2, 1], {"padding": "VALID"}
    attrs = {"ksize": two, "strides": two, **valid}
    op = "MaxPoolWithArgmax"
    for name, part in [("no images", x[:0]), ("no channels", x[..., :0])]:
        case(op, name, part, text="tensor_in must not be empty", **attrs)
    case(op, "rank", x[0], text="tensor_in must be 4-dimensional", **attrs)
    case(op, "large window", x, text="would be negative", ksize=[1, 9, 9, 1], strides=two, **valid)
    case(op, "window over images", x, text="", ksize=[2, 2, 2, 1], strides=two, **valid)
    case(op, "empty window", x, text="", ksize=[1, 0, 2, 1], strides=two, **valid)
    case(op, "no stride", x, text="", ksize=two, strides=[1, 0, 1, 1], **valid)
    case(op, "five sizes", x, text="", ksize=two + [1], strides=two, **valid)
    op, g, places = "MaxPoolGradWithArgmax", y + 1, np.zeros(y.shape, np.int64)
    case(op, "no images", x[:0], y[:0], places[:0], **attrs)
    case(op, "index in another image", x, g,
         places + np.array([41, -3], np.int64).reshape(2, 1, 1, 1), **attrs)
    for name, a, b, c, text in [
            ("other gradient", x, g[:1], places, "Expected grad shape to be [2,2,2,2], but got [1,2,2,2]"),
            ("other indices", x, g, places[:1], "Expected argmax shape to be [2,2,2,2], but got [1,2,2,2]"),
            ("rank", x[0], g, places, ""), ("rank of the gradient", x, g[0], places, "")]:
        case(op, name, a, b, c, text=text, **attrs)
    case(op, "window over images", x, g, places, text="", ksize=[2, 2, 2, 1], strides=two, **valid)
    case(op, "no stride", x, g, places, text="", ksize=two, strides=[1, 0, 1, 1], **valid)
    w = i32(*two)
    case("MaxPoolV2", "no images", x[:0], w, w, **valid)
    for name, k, s in [("window over images", i32(2, 2, 2, 1), w), ("three sizes", w[:3], w),
                       ("three strides", w, w[:3]), ("empty window", i32(1, 0, 2, 1), w),
                       ("negative window", i32(1, -1, 2, 1), w),
                       ("no stride", w, i32(1, 0, 1, 1)), ("negative stride", w, i32(1, -1, 1, 1)),
                       ("large window", i32(1, 9, 9, 1), w)]:
        case("MaxPoolV2", name, x, k, s, text="", **valid)
    case("MaxPoolGradV2", "no images", x[:0], y[:0], y[:0], w, w, **valid)
    shape = "shape to be [2,2,2,2], but got [2,1,2,2]"
    case("MaxPoolGradV2", "other gradient", x, y, y[:, 1:], w, w, text="Expected grad " + shape,
         **valid)
    case("MaxPoolGradV2", "other output", x, y[:, 1:], y, w, w,
         text="Expected orig_output " + shape, **valid)
    case("MaxPoolGradV2", "three sizes", x, y, y, w[:3], w, text="", **valid)
    case("MaxPoolGradV2", "no stride", x, y, y, w, i32(1, 0, 1, 1), text="", **valid)
    case("MaxPoolGradGrad", "no images", x[:0], y[:0], x[:0], **attrs)
    case("MaxPoolGradGrad", "other gradient", x, y, x[:, 1:],
         text="Expected grad shape to be [2,4,5,2], but got [2,3,5,2]", **attrs)
    case("MaxPoolGradGrad", "other output", x, y[:, 1:], x,
         text="Expected orig_output " + shape, **attrs)
    case("MaxPoolGradGrad", "rank", x[0], y, x, text="must be 4-dimensional", **attrs)


def narrow_batch_norm(given, x, dy, per):
    """In float32, because the last outputs of TensorFlow's narrow kernels are scratch
    space."""
    for dtype, tolerance in FLOATS[2:]:
        x, dy = x.astype(dtype), dy.astype(dtype)
        for training in (True, False):
            attrs = {"is_training": training, "epsilon": 1e-3}
            y, *others = [o.numpy() for o in tf.raw_ops.FusedBatchNormV2(
                x=x.astype(np.float32), scale=per[0], offset=per[1],
                mean=per[2][:5 * (not training)], variance=per[3][:5 * (not training)],
                **attrs)]
            given("FusedBatchNormV2", f"{short(dtype)} {training}",
                  [x, *per[:2], *[p[:5 * (not training)] for p in per[2:]]],
                  [y.astype(dtype), *others], tolerance=tolerance, **attrs)
            dx, *others = [o.numpy() for o in tf.raw_ops.FusedBatchNormGradV2(
                y_backprop=dy.astype(np.float32), x=x.astype(np.float32), scale=per[0],
                reserve_space_1=per[1], reserve_space_2=per[3], **attrs)]
            given("FusedBatchNormGradV2", f"{short(dtype)} {training}",
                  [dy, x, per[0], per[1], per[3]], [dx.astype(dtype), *others],
                  tolerance=tolerance * 3, **attrs)


def batch_norms(case):
    for op in ("FusedBatchNorm", "FusedBatchNormV2"):
        grad = op.replace("Norm", "NormGrad")
        x, dy = values([2, 3, 4, 5], np.float32), values([2, 3, 4, 5], np.float32, 7)
        per = [values([5], np.float32, salt) for salt in (1, 2, 3)]
        per.append(np.abs(values([5], np.float32, 4)) + np.float32(0.1))
        none = np.zeros([0], np.float32)
        wide = {"epsilon": 1e-3, "tolerance": 2e-5}
        case(op, "training", x, *per[:2], none, none, **wide)
        case(op, "training with a moving average", x, *per, exponential_avg_factor=0.3, **wide)
        case(op, "inference", x, *per, is_training=False, **wide)
        case(op, "empty", x[:0], *per[:2], none, none, **wide)
        case(op, "no channels", x[..., :0], *[none] * 4, is_training=False)  # CVE-2021-29555
        wide["tolerance"] = 1e-4
        for training in (True, False):
            case(grad, f"training {training}", dy, x, per[0], per[1], per[3],
                 is_training=training, **wide)
        case(grad, "empty", x[:0], x[:0], per[0], per[1], per[3])
        if op.endswith("V2"):
            narrow_batch_norm(case.__self__.given, x, dy, per)
        x, one = values([2, 3, 4, 5], np.float32), np.ones([5], np.float32)
        case(op, "short offset", x, one, one[:2], one, one,
             text="offset must have the same number of elements as the channels of x, got 2 and 5")
        case(op, "volumes", x[None], one, one, one, one, text="input must be 4-dimensional")
        case(op, "no mean", x, one, one, one[:0], one, text="", is_training=False)
        case(grad, "volumes", x[None], x[None], one, one, one, text="input must be 4-dimensional")


ALIGNMENTS = [(False, False), (True, False), (False, True)]
SIZES = [(4, 6), (1, 2), (2, 3), (1, 1), (3, 4), (7, 5)]


def resizing(case):
    for op in ("ResizeNearestNeighbor", "ResizeBilinear"):
        for corners, centers in ALIGNMENTS:
            attrs = {"align_corners": corners, "half_pixel_centers": centers}
            for size in SIZES:
                x = values([2, 2, 3, 2], np.float32)
                case(op, f"{size} {corners} {centers}", x, i32(*size), tolerance=1e-6, **attrs)
            for dtype in [d for d, _ in FLOATS[1:]] + INTEGERS[:6]:
                x = (np.arange(60) % 11).astype(dtype).reshape([1, 4, 5, 3])
                case(op, f"{short(dtype)} {corners} {centers}", x, i32(6, 3), tolerance=1e-6,
                     **attrs)
        # The middle of pixel 14 is pixel 4, which only exact rounding shows.
        x = np.array([0, 1, 2, np.inf, 4, 5, 6, 7, 8], np.float32).reshape([1, 1, 9, 1])
        case(op, "rounding", x, i32(1, 29), tolerance=1e-6, half_pixel_centers=True)
        x = values([1, 2, 3, 2], np.float32)
        case(op, "no images", x[:0], i32(1, 3))
        for size in ([0, 3], [-1, 3]):
            case(op, f"size {size}", x, i32(*size), text="output dimensions must be positive")
        case(op, "three sizes", x, i32(1, 3, 1), text="shape_t must have two elements[3]")
        case(op, "matrix of sizes", x, i32(1, 3)[None], text="shape_t must be 1-dimensional[1,2]")
        case(op, "rank", x[0], i32(1, 3), text="input must be 4-dimensional[2,3,2]")
        case(op, "no channels", x[..., :0], i32(1, 3),
             text="image must have at least one channel")
        case(op, "no rows", x[:, :0], i32(1, 3), text="input image must be of non-zero size")
        case(op, "two alignments", x, i32(1, 3), align_corners=True, half_pixel_centers=True,
             text="If half_pixel_centers is True, align_corners must be False.")


def resizing_back(case):
    for height, width in [(3, 4), (2, 3), (1, 1), (7, 9)]:
        g = values([2, height, width, 2], np.float32)
        for corners, centers in ALIGNMENTS + [(True, True)]:
            attrs = {"align_corners": corners, "half_pixel_centers": centers}
            name = f"{height} {width} {corners} {centers}"
            for dtype, tolerance in FLOATS[:3]:
                case("ResizeNearestNeighborGrad", f"{name} {short(dtype)}", g.astype(dtype),
                     i32(2, 3), tolerance=tolerance, **attrs)
            if corners and centers:
                continue
            for dtype, tolerance in FLOATS[:3]:
                case("ResizeBilinearGrad", f"{name} {short(dtype)}", g,
                     values([2, 2, 3, 2], dtype), tolerance=max(tolerance, 3e-6), **attrs)
    for dtype in (np.int8, np.uint8, np.int32, BF16):
        x = (np.arange(40) % 13).astype(dtype).reshape([1, 4, 5, 2])
        case("ResizeNearestNeighborGrad", short(dtype), x, i32(2, 4))
    case("ResizeBilinearGrad", "bfloat16", values([1, 2, 3, 2], np.float32),
         values([1, 4, 6, 2], BF16))
    op, g = "ResizeNearestNeighborGrad", values([1, 3, 4, 2], np.float32)
    case(op, "no images", g[:0], i32(1, 3))
    case(op, "no rows", g[:, :0], i32(1, 3))
    for size in ([0, 3], [-1, 3]):
        case(op, f"size {size}", g, i32(*size), text="shape_t's elements must be positive")
    case(op, "three sizes", g, i32(1, 3, 3), text="shape_t must have two elements[3]")
    case(op, "matrix of sizes", g, i32(1, 3)[None], text="shape_t must be 1-dimensional[1,2]")
    case(op, "rank", g[0], i32(1, 3), text="input must be 4-dimensional[3,4,2]")
    op, x = "ResizeBilinearGrad", values([1, 2, 3, 2], np.float32)
    case(op, "no images", g[:0], x[:0])
    case(op, "more gradients than images", np.concatenate([g, g]), x, tolerance=3e-6)
    case(op, "rank", g[0], x, text="input_grad must be 4-dimensional[3,4,2]")
    case(op, "rank of the image", g, x[0], text="original_image must be 4-dimensional[2,3,2]")
    case(op, "no rows", g[:, :0], x, text="resized dimensions must be positive")
    case(op, "no rows of the image", g, x[:, :0], text="original dimensions must be positive")
    case(op, "two alignments", g, x, align_corners=True, half_pixel_centers=True,
         text="If half_pixel_centers is True, align_corners must be False.")


def cases(case):
    case.__self__.floor = 1.0  # the terms of the sums cancel each other
    for dtype, tolerance in FLOATS:
        for row in DEPTHWISE if dtype == np.float32 else DEPTHWISE[:2]:
            depthwise(case, dtype, tolerance, row)
    depthwise_layouts(case)
    depthwise_mistakes(case)
    for dtype in [d for d, _ in FLOATS] + INTEGERS:
        for row in POOLS if dtype == np.float32 else POOLS[:1]:
            pooling(case, dtype, row)
    pooling_values(case)
    pooling_mistakes(case)
    batch_norms(case)
    resizing(case)
    resizing_back(case)
