# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of _FusedMatMul and _FusedConv2D, into which Grappler fuses products.

The expected outputs are those of the single ops, one after another.
"""

import numpy as np
import tensorflow as tf

RANDOM = np.random.RandomState(15)
ALPHA = 0.3
ACTIVATIONS = {
    None: tf.identity,
    "Relu": tf.nn.relu,
    "Relu6": tf.nn.relu6,
    "Elu": tf.nn.elu,
    "LeakyRelu": lambda y: tf.nn.leaky_relu(y, alpha=ALPHA),
    "Tanh": tf.tanh,
    "Sigmoid": tf.sigmoid,
    "GeluExact": lambda y: tf.nn.gelu(y, approximate=False),
    "GeluApproximate": lambda y: tf.nn.gelu(y, approximate=True),
}


def values(*shape, scale=2.0):
    return np.round(RANDOM.uniform(-scale, scale, shape), 2).astype(np.float32)


def fused(activation, alpha=ALPHA):
    attrs = {"fused_ops": ["BiasAdd"] + ([activation] if activation else [])}
    if activation == "LeakyRelu":
        attrs["leakyrelu_alpha"] = alpha
    return attrs


def products(given, activation):
    function = ACTIVATIONS[activation]
    x, w, bias = values(3, 5), values(6, 5), values(6, scale=6)
    bias[1], bias[2], bias[4] = np.nan, np.inf, -np.inf
    y = function(tf.nn.bias_add(tf.matmul(x, w, transpose_b=True), bias))
    given("_FusedMatMul", str(activation), [x, w, [bias]], [y.numpy()],
          transpose_b=True, tolerance=4e-6, **fused(activation))


def convolutions(given, activation):
    function = ACTIVATIONS[activation]
    image, kernel, bias = values(2, 5, 4, 3), values(3, 2, 3, 4), values(4, scale=9)
    strides = [1, 2, 1, 1]
    y = function(tf.nn.bias_add(
        tf.nn.conv2d(image, kernel, strides, "SAME"), bias)).numpy()
    attrs = dict(fused(activation), num_args=1, padding="SAME", tolerance=1e-5)
    given("_FusedConv2D", str(activation), [image, kernel, [bias], []], [y],
          strides=strides, **attrs)
    first = (0, 3, 1, 2)
    given("_FusedConv2D", f"{activation} NCHW",
          [np.transpose(image, first), kernel, [bias], []], [np.transpose(y, first)],
          strides=[1, 1, 2, 1], data_format="NCHW", **attrs)


def cases(case):
    family = case.__self__
    family.floor = 1.0
    for activation in ACTIVATIONS:
        products(family.given, activation)
    for activation in [None, "Relu", "Relu6", "Elu", "LeakyRelu"]:
        convolutions(family.given, activation)
    # The default of the attr leakyrelu_alpha is 0.2.
    x = values(2, 3)
    w, bias = np.eye(3, dtype=np.float32), np.zeros(3, np.float32)
    family.given("_FusedMatMul", "default alpha", [x, w, [bias]],
                 [tf.nn.leaky_relu(x, alpha=0.2).numpy()], tolerance=4e-6,
                 fused_ops=["BiasAdd", "LeakyRelu"])
