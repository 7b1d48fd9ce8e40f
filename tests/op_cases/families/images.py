# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of convolutions, pooling and batch normalisation, in NHWC and NCHW.

TensorFlow's CPU kernels take only NHWC. So the cases in NCHW have the transposed
results of the cases in NHWC.
"""

import numpy as np
import tensorflow as tf

RANDOM = np.random.RandomState(6)
# Each row holds the shape of the input, the shape of the filter, the strides,
# the dilations, the padding, and the explicit paddings.
CONVOLUTIONS = [
    ((2, 5, 7, 3), (3, 3, 3, 4), (1, 1), (1, 1), "SAME", None),
    ((2, 5, 7, 3), (3, 3, 3, 4), (1, 1), (1, 1), "VALID", None),
    ((1, 8, 9, 2), (2, 3, 2, 5), (2, 3), (1, 1), "SAME", None),
    ((3, 6, 5, 2), (3, 2, 2, 3), (2, 1), (1, 1), "VALID", None),
    ((1, 9, 9, 2), (3, 3, 2, 4), (1, 1), (2, 2), "SAME", None),
    ((1, 9, 8, 2), (3, 3, 2, 4), (1, 1), (2, 1), "VALID", None),
    ((2, 5, 6, 3), (3, 3, 3, 4), (2, 2), (1, 1), "EXPLICIT",
     [0, 0, 1, 2, 0, 3, 0, 0]),
    ((2, 9, 9, 1), (3, 3, 1, 8), (1, 1), (1, 1), "VALID", None),
    ((2, 1, 1, 16), (1, 1, 16, 8), (1, 1), (1, 1), "SAME", None),
    ((1, 4, 4, 2), (5, 5, 2, 3), (1, 1), (1, 1), "SAME", None),
    ((2, 6, 6, 3), (1, 1, 3, 2), (3, 3), (1, 1), "VALID", None),
]
# Each row holds the shape of the input, the window, the strides, and the
# padding.
POOLS = [
    ((2, 5, 7, 3), (2, 2), (2, 2), "SAME"),
    ((2, 5, 7, 3), (3, 2), (1, 2), "VALID"),
    ((1, 6, 6, 8), (2, 2), (2, 2), "VALID"),
    ((2, 4, 4, 16), (3, 3), (2, 2), "SAME"),
    ((0, 4, 4, 2), (2, 2), (2, 2), "VALID"),
    ((2, 5, 5, 2), (1, 1), (2, 2), "VALID"),
]


def values(*shape):
    return np.round(RANDOM.uniform(-2, 2, shape), 2)


def first(x):
    """Transposes NHWC to NCHW."""
    return np.transpose(x, (0, 3, 1, 2))


def channels_first(attrs):
    result = dict(attrs, data_format="NCHW")
    for name in ["strides", "dilations", "ksize"]:
        if name in attrs:
            n, h, w, c = attrs[name]
            result[name] = [n, c, h, w]
    if "explicit_paddings" in attrs:
        pads = attrs["explicit_paddings"]
        result["explicit_paddings"] = pads[:2] + pads[6:] + pads[2:6]
    return result


def sizes(x):
    return np.array(x.shape, np.int32)


def convolution(case, dtype, tolerance, row):
    shape, filter_shape, strides, dilations, padding, explicit = row
    attrs = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1],
             "padding": padding}
    if explicit:
        attrs["explicit_paddings"] = explicit
    name = f"{np.dtype(dtype).name} {shape} {filter_shape} {strides} {dilations} {padding}"
    given = case.__self__.given
    x, w = values(*shape).astype(dtype), values(*filter_shape).astype(dtype)
    y = tf.raw_ops.Conv2D(input=x, filter=w, **attrs).numpy()
    case("Conv2D", name, x, w, tolerance=tolerance, **attrs)
    nchw = channels_first(attrs)
    given("Conv2D", name + " NCHW", [first(x), w], [first(y)], tolerance=tolerance, **nchw)
    if dilations != (1, 1):
        return  # TensorFlow's CPU kernels have no gradient here.
    g = values(*y.shape).astype(dtype)
    dx = tf.raw_ops.Conv2DBackpropInput(
        input_sizes=sizes(x), filter=w, out_backprop=g, **attrs).numpy()
    dw = tf.raw_ops.Conv2DBackpropFilter(
        input=x, filter_sizes=sizes(w), out_backprop=g, **attrs).numpy()
    given("Conv2DBackpropInput", name, [sizes(x), w, g], [dx], tolerance=tolerance, **attrs)
    given("Conv2DBackpropFilter", name, [x, sizes(w), g], [dw], tolerance=tolerance * 5,
          **attrs)
    given("Conv2DBackpropInput", name + " NCHW", [sizes(first(x)), w, first(g)],
          [first(dx)], tolerance=tolerance, **nchw)
    given("Conv2DBackpropFilter", name + " NCHW", [first(x), sizes(w), first(g)], [dw],
          tolerance=tolerance * 5, **nchw)


def pooling(case, dtype, tolerance, row):
    shape, window, strides, padding = row
    attrs = {"ksize": [1, *window, 1], "strides": [1, *strides, 1], "padding": padding}
    nchw = channels_first(attrs)
    name = f"{np.dtype(dtype).name} {shape} {window} {strides} {padding}"
    given = case.__self__.given
    # Rounding makes many values equal.
    x = np.round(values(*shape) * 2).astype(dtype)
    y = tf.raw_ops.MaxPool(input=tf.constant(x), **attrs).numpy()
    g = values(*y.shape).astype(dtype)
    d = tf.raw_ops.MaxPoolGrad(orig_input=tf.constant(x), orig_output=tf.constant(y),
                               grad=tf.constant(g), **attrs).numpy()
    given("MaxPool", name, [x], [y], **attrs)
    given("MaxPool", name + " NCHW", [first(x)], [first(y)], **nchw)
    given("MaxPoolGrad", name, [x, y, g], [d], tolerance=tolerance, **attrs)
    given("MaxPoolGrad", name + " NCHW", [first(x), first(y), first(g)], [first(d)],
          tolerance=tolerance, **nchw)
    y = tf.raw_ops.AvgPool(value=x, **attrs).numpy()
    d = tf.raw_ops.AvgPoolGrad(orig_input_shape=sizes(x), grad=g, **attrs).numpy()
    given("AvgPool", name, [x], [y], tolerance=tolerance, **attrs)
    given("AvgPool", name + " NCHW", [first(x)], [first(y)], tolerance=tolerance, **nchw)
    given("AvgPoolGrad", name, [sizes(x), g], [d], tolerance=tolerance, **attrs)
    given("AvgPoolGrad", name + " NCHW", [sizes(first(x)), first(g)], [first(d)],
          tolerance=tolerance, **nchw)


def batch_norm(case, shape):
    given = case.__self__.given
    f, c, none = np.float32, shape[-1], np.zeros(0, np.float32)
    for training, factor in [(True, 1.0), (True, 0.3), (False, 1.0)]:
        name = f"{shape} {training} {factor}"
        x = values(*shape).astype(f)
        estimates = ([none, none] if training and factor == 1.0 else
                     [values(c).astype(f), (np.abs(values(c)) + .1).astype(f)])
        inputs = [x, values(c).astype(f), values(c).astype(f)] + estimates
        attrs = {"is_training": training, "exponential_avg_factor": factor,
                 "epsilon": 1e-3}
        outputs = [o.numpy() for o in tf.raw_ops.FusedBatchNormV3(
            x=x, scale=inputs[1], offset=inputs[2], mean=inputs[3], variance=inputs[4],
            **attrs)]
        given("FusedBatchNormV3", name, inputs, outputs, tolerance=2e-5, **attrs)
        given("FusedBatchNormV3", name + " NCHW", [first(x)] + inputs[1:],
              [first(outputs[0])] + outputs[1:], tolerance=2e-5, data_format="NCHW",
              **attrs)
        if factor != 1.0 or not x.size:
            continue
        del attrs["exponential_avg_factor"]
        g = values(*shape).astype(f)
        inputs = [g, x, values(c).astype(f), x.mean((0, 1, 2)),
                  x.var((0, 1, 2)) + f(.01), none]
        outputs = [o.numpy() for o in tf.raw_ops.FusedBatchNormGradV3(
            y_backprop=g, x=x, scale=inputs[2], reserve_space_1=inputs[3],
            reserve_space_2=inputs[4], reserve_space_3=none, **attrs)]
        given("FusedBatchNormGradV3", name, inputs, outputs, tolerance=1e-4, **attrs)
        given("FusedBatchNormGradV3", name + " NCHW", [first(g), first(x)] + inputs[2:],
              [first(outputs[0])] + outputs[1:], tolerance=1e-4, data_format="NCHW",
              **attrs)


def cases(case):
    case.__self__.floor = 1.0
    for dtype, tolerance in [(np.float32, 3e-5), (np.float64, 1e-11)]:
        few = len(CONVOLUTIONS) if dtype == np.float32 else 3
        for row in CONVOLUTIONS[:few]:
            convolution(case, dtype, tolerance, row)
        for row in POOLS[:few]:
            pooling(case, dtype, tolerance, row)
    for shape in [(2, 3, 4, 5), (1, 1, 1, 3), (4, 2, 2, 1), (0, 2, 2, 3)]:
        batch_norm(case, shape)
