# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of half and bfloat16 for ops that compute in float32 and then round:
convolutions, pooling and normalisation."""

import numpy as np
import tensorflow as tf

BFLOAT16 = tf.bfloat16.as_numpy_dtype


def values(shape, dtype, salt=0):
    index = (np.arange(int(np.prod(shape)), dtype=np.int64) * 377 + salt) % 101
    return ((index - 50) / 32).astype(dtype).reshape(shape)


def cases(case):
    case.__self__.floor = 1.0  # the terms of the sums cancel each other
    for dtype in (np.float16, BFLOAT16):
        name = tf.as_dtype(dtype).name
        x = values([2, 5, 4, 3], dtype)
        kernel = values([3, 2, 3, 4], dtype, 5)
        for padding in ("SAME", "VALID"):
            window = {"strides": [1, 2, 1, 1], "padding": padding}
            # TensorFlow also adds up in half precision, so its own results are
            # inexact.
            attrs = dict(window, tolerance=1e-2 if dtype == np.float16 else None)
            sizes = [2, 3, 4, 4] if padding == "SAME" else [2, 2, 3, 4]
            dy = values(sizes, dtype, 9)
            tag = f"{name} {padding}"
            case("Conv2D", tag, x, kernel, **attrs)
            case("Conv2DBackpropInput", tag, np.array([2, 5, 4, 3], np.int32), kernel,
                 dy, **attrs)
            case("Conv2DBackpropFilter", tag, x, np.array([3, 2, 3, 4], np.int32), dy,
                 **attrs)
            pool = {"ksize": [1, 3, 2, 1], **window}
            y = tf.raw_ops.MaxPool(input=x, **pool).numpy().astype(dtype)
            dy = values(y.shape, dtype, 11)
            case("MaxPool", tag, x, **pool)
            case("MaxPoolGrad", tag, x, y, dy, **pool)
            case("AvgPool", tag, x, **pool)
            case("AvgPoolGrad", tag, np.array(x.shape, np.int32), dy, **pool)
        ones, half_ones = np.ones([3], np.float32), np.full([3], 0.5, np.float32)
        none = np.zeros([0], np.float32)
        statistics = {True: (none, none), False: (half_ones, ones)}
        for training, (mean, variance) in statistics.items():
            case.__self__.given(
                "FusedBatchNormV3", f"{name} training {training}",
                [x, ones, half_ones, mean, variance],
                batch_norm(x, ones, half_ones, mean, variance, training),
                is_training=training, epsilon=0.01)
    case("LRN", "float16", values([1, 2, 3, 7], np.float16), depth_radius=2)


def batch_norm(x, scale, offset, mean, variance, training):
    """Computes in float32 and rounds. Returns an empty tensor instead of the last
    output of TensorFlow's kernel, which is scratch space."""
    y, m, v, r1, r2, _ = [o.numpy() for o in tf.raw_ops.FusedBatchNormV3(
        x=x.astype(np.float32), scale=scale, offset=offset, mean=mean,
        variance=variance, is_training=training, epsilon=0.01)]
    return [y.astype(x.dtype), m, v, r1, r2, np.zeros([0], np.float32)]
