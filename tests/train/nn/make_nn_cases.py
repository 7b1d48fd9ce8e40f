#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes nn_cases.jsonl, which holds what TensorFlow 2.15.1 (tf.compat.v1)
computes. train/nn promises to compute the same numbers.
tests/train/nn_values_test.cc reads the file.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel:

    python make_nn_cases.py

Each line is one case with the fields "kind", "what" (the name in leat::nn), "name"
and "attrs" (the fields of the attrs struct of "what"). The other fields depend on
the kind:
  schedule     "steps", "values"
  loss         "labels", "logits", "value"; metrics have this kind, too
  activation   "x", "y"
  initializer  "graph_seed" (or null), "dtype", "shape", "value"
  optimizer    "initial" (of the variable "w"), "gradients" (a tensor, or rows
               {"values", "indices"}, for each step), "after" (the values of all
               variables by name, after each step)
  layer        "batches", "trained" (the output for each batch in training),
               "after" (the values of all variables by name, after the training),
               "inferred" (the output for the first batch, after the training)
Tensors are encoded as in the op cases (tests/op_cases/make_cases.py).
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import encode, short_name, write_cases  # pylint: disable=wrong-import-position

tf1 = tf.compat.v1
LINES = []
NAMES = set()


def add(kind, what, name, **fields):
    assert (what, name) not in NAMES, (what, name)
    NAMES.add((what, name))
    LINES.append(json.dumps({"kind": kind, "what": what, "name": name, **fields}))


def array(values, dtype=np.float32):
    return np.array(values, dtype)


def numbers(shape, salt=0, dtype=np.float32, low=-2.0, high=2.0):
    """Returns distinct values in a fixed order that looks random."""
    index = (np.arange(np.prod(shape), dtype=np.int64) * 377 + salt * 131 + 57) % 1009
    return np.round(low + (high - low) * (index + 0.5) / 1009, 3).astype(dtype).reshape(shape)


def schedule(what, name, at, build, **attrs):
    with tf.Graph().as_default():
        step = tf1.placeholder(tf.int64, [])
        rate = build(step)
        if callable(rate):
            rate = rate()
        with tf1.Session() as session:
            values = [float(session.run(rate, {step: s})) for s in at]
    add("schedule", what, name, attrs=attrs, steps=at, values=values)


def schedules():
    schedule("ConstantRate", "constant", [0, 1, 1000],
             lambda step: tf.constant(0.1, tf.float32), rate=0.1)
    for staircase in (False, True):
        for initial, steps, rate in ((0.1, 10, 0.96), (0.5, 7, 0.5), (2.0, 3, 1.25)):
            schedule("ExponentialDecay", f"{initial} {steps} {rate} {staircase}",
                     [0, 1, 6, 7, 9, 10, 11, 20, 21, 100],
                     lambda step, i=initial, n=steps, r=rate, s=staircase:
                     tf1.train.exponential_decay(i, step, n, r, s),
                     initial=initial, steps=steps, rate=rate, staircase=staircase)
    for boundaries, rates in (([5, 9], [1.0, 0.25, 0.125]), ([100], [0.1, 0.01]),
                              ([0, 1, 2], [0.4, 0.3, 0.2, 0.1])):
        schedule("PiecewiseConstant", str(boundaries),
                 [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 99, 100, 101, 1000],
                 lambda step, b=boundaries, r=rates:
                 tf1.train.piecewise_constant(step, [np.int64(x) for x in b], r),
                 boundaries=boundaries, rates=rates)
    for initial, steps, alpha in ((0.1, 10, 0.0), (0.3, 10, 0.25), (1.0, 7, 1.0)):
        schedule("CosineDecay", f"{initial} {steps} {alpha}",
                 [0, 1, 3, 5, 7, 9, 10, 11, 1000],
                 lambda step, i=initial, n=steps, a=alpha:
                 tf1.train.cosine_decay(i, step, n, a),
                 initial=initial, steps=steps, alpha=alpha)


def loss(what, name, labels, logits, build):
    with tf.Graph().as_default(), tf1.Session() as session:
        value = session.run(build(tf.constant(labels), tf.constant(logits)))
    add("loss", what, name, labels=encode(labels), logits=encode(logits),
        value=encode(value))


def accuracy(labels, logits):
    found = tf.argmax(logits, -1, output_type=labels.dtype)
    return tf.reduce_mean(tf.cast(tf.equal(found, labels), tf.float32))


def losses():
    logits = numbers([4, 3], 1)
    wide = array([[1000, -1000, 0], [0, 0, 0], [-3e4, 3e4, 1], [88, 89, 90]])
    one_hot = array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [0.25, 0.25, 0.5]])
    for which, x in (("small", logits), ("large", wide)):
        for dtype in (np.int32, np.int64):
            ids = array([2, 0, 1, 2], dtype)
            name = f"{which} {short_name(ids.dtype)}"
            loss("SparseSoftmaxCrossEntropy", name, ids, x,
                 tf1.losses.sparse_softmax_cross_entropy)
            loss("Accuracy", name, ids, x, accuracy)
        loss("SoftmaxCrossEntropy", which, one_hot, x,
             tf1.losses.softmax_cross_entropy)
        loss("MeanSquaredError", which, one_hot, x, tf1.losses.mean_squared_error)
    loss("MeanSquaredError", "three axes", numbers([2, 3, 4]), numbers([2, 3, 4], 5),
         tf1.losses.mean_squared_error)
    loss("MeanSquaredError", "double", numbers([5], 2, np.float64),
         numbers([5], 3, np.float64),
         lambda y, x: tf.reduce_mean(tf.math.squared_difference(x, y)))


def activations():
    x = array([[-88.5, -30, -6.5, -1, -0.25, -0.125, -0.0],
               [0, 0.125, 0.25, 1, 5.999, 6.5, 30]])
    for name in ("relu", "relu6", "elu", "leaky_relu", "sigmoid", "tanh", "softplus",
                 "softmax"):
        for dtype in (np.float32, np.float64):
            with tf.Graph().as_default(), tf1.Session() as session:
                value = x.astype(dtype)
                y = session.run(getattr(tf.nn, name)(tf.constant(value)))
            add("activation", name, short_name(value.dtype), x=encode(value),
                y=encode(y))


def initializer(what, shape, build, dtype=tf.float32, graph_seed=None, **attrs):
    with tf.Graph().as_default(), tf1.Session() as session:
        if graph_seed is not None:
            tf1.set_random_seed(graph_seed)
        variable = tf1.get_variable("w", shape, dtype, initializer=build(dtype),
                                    use_resource=True)
        session.run(variable.initializer)
        value = session.run(variable)
    name = f"{what} {shape} {dtype.name} {graph_seed} {attrs}"
    add("initializer", what, name, attrs=attrs, graph_seed=graph_seed, shape=shape,
        dtype=short_name(value.dtype), value=encode(value))


def initializers():
    for dtype in (tf.float32, tf.float64, tf.int32, tf.int64):
        for shape in ([], [2, 3]):
            initializer("Zeros", shape, lambda t: tf1.zeros_initializer(t), dtype)
            initializer("Ones", shape, lambda t: tf1.ones_initializer(t), dtype)
            initializer("Constant", shape, lambda t: tf1.constant_initializer(7, t),
                        dtype, value=7)
    initializer("Constant", [3], lambda t: tf1.constant_initializer(-0.3, t), value=-0.3)
    initializer("Constant", [40, 30], lambda t: tf1.constant_initializer(1.5, t), value=1.5)
    # Each pair has the op's seed and the graph's seed. If only the graph's seed
    # is set, TensorFlow 1.x takes the number of nodes so far as the op's seed.
    # Here this number is 3, because there are three constants. (TensorFlow 2.x
    # counts the ops that got a seed.)
    seeds = ((5, None), (None, 7), (11, 7))
    for shape in ([3, 5], [7], [2, 2, 3, 4]):
        for seed, graph_seed in seeds:
            for dtype in (tf.float32, tf.float64):
                given = {} if seed is None else {"seed": seed}
                of_op = 3 if seed is None else seed
                def one(what, build, **attrs):
                    initializer(what, shape, build, dtype, graph_seed, **attrs, **given)
                one("RandomUniform", lambda t: tf1.random_uniform_initializer(
                    -0.25, 0.75, of_op, t), min=-0.25, max=0.75)
                one("RandomNormal", lambda t: tf1.random_normal_initializer(
                    1.5, 0.5, of_op, t), mean=1.5, stddev=0.5)
                one("TruncatedNormal", lambda t: tf1.truncated_normal_initializer(
                    -1.0, 2.0, of_op, t), mean=-1.0, stddev=2.0)
                one("GlorotUniform", lambda t: tf1.glorot_uniform_initializer(of_op, t))
                one("HeNormal", lambda t: tf1.variance_scaling_initializer(
                    2.0, "fan_in", "truncated_normal", of_op, t))


def optimizer(what, name, build, dtype=np.float32, **attrs):
    initial = numbers([5, 2], 9, dtype)
    dense = [numbers([5, 2], salt, dtype) for salt in (1, 2, 3)]
    # The ids name some rows once, twice or three times, and some rows never.
    sparse = [(numbers([len(i), 2], salt, dtype), array(i, np.int32))
              for salt, i in ((4, [3, 1, 3, 0]), (5, [1]), (6, [0, 3, 3, 3]))]
    for kind, gradients in (("dense", dense), ("sparse", sparse)):
        with tf.Graph().as_default(), tf1.Session() as session:
            w = tf1.get_variable("w", initializer=initial, use_resource=True)
            g = tf1.placeholder(dtype, [5, 2] if kind == "dense" else [None, 2])
            i = tf1.placeholder(tf.int32, [None])
            gradient = g if kind == "dense" else tf.IndexedSlices(g, i, [5, 2])
            step = build().apply_gradients([(gradient, w)])
            session.run(tf1.global_variables_initializer())
            after = []
            for value in gradients:
                session.run(step, {g: value} if kind == "dense"
                            else {g: value[0], i: value[1]})
                after.append({v.op.name: encode(session.run(v))
                              for v in tf1.global_variables()})
        add("optimizer", what, f"{name}, {kind}, {np.dtype(dtype).name}", attrs=attrs,
            initial=encode(initial), after=after,
            gradients=[encode(v) if kind == "dense" else
                       {"values": encode(v[0]), "indices": encode(v[1])}
                       for v in gradients])


def optimizers():
    train = tf1.train
    for dtype in (np.float32, np.float64):
        optimizer("GradientDescent", "plain", lambda: train.GradientDescentOptimizer(0.1),
                  dtype, learning_rate=0.1)
        for nesterov in (False, True):
            optimizer("Momentum", f"nesterov {nesterov}", lambda n=nesterov:
                      train.MomentumOptimizer(0.05, 0.8, use_nesterov=n), dtype,
                      learning_rate=0.05, momentum=0.8, nesterov=nesterov)
        optimizer("Adagrad", "plain", lambda: train.AdagradOptimizer(0.1, 0.3), dtype,
                  learning_rate=0.1, initial_accumulator=0.3)
        for centered in (False, True):
            for momentum in (0.0, 0.5):
                optimizer("RMSProp", f"centered {centered}, momentum {momentum}",
                          lambda c=centered, m=momentum:
                          train.RMSPropOptimizer(0.01, 0.8, m, 1e-3, centered=c), dtype,
                          learning_rate=0.01, decay=0.8, momentum=momentum,
                          epsilon=1e-3, centered=centered)
        optimizer("Adam", "plain", lambda: train.AdamOptimizer(0.1, 0.8, 0.95, 1e-3), dtype,
                  learning_rate=0.1, beta1=0.8, beta2=0.95, epsilon=1e-3)


def batch_normalization(shape, momentum, epsilon):
    batches = [numbers(shape, salt, low=-1, high=3) for salt in (1, 2, 3)]
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, shape)
        y, inferred = [tf1.layers.batch_normalization(
            x, momentum=momentum, epsilon=epsilon, training=training,
            name="batch_normalization", reuse=tf1.AUTO_REUSE)
                       for training in (True, False)]
        updates = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
        session.run(tf1.global_variables_initializer())
        trained = [encode(session.run([y, updates], {x: batch})[0])
                   for batch in batches]
        after = {v.op.name: encode(session.run(v)) for v in tf1.global_variables()}
        add("layer", "BatchNormalization", str(shape),
            attrs={"momentum": momentum, "epsilon": epsilon},
            batches=[encode(batch) for batch in batches], trained=trained,
            after=after, inferred=encode(session.run(inferred, {x: batches[0]})))


def main():
    schedules()
    losses()
    activations()
    initializers()
    optimizers()
    batch_normalization([6, 3], 0.8, 1e-3)
    batch_normalization([2, 3, 3, 4], 0.9, 1e-2)
    write_cases(os.path.join(FOLDER, "nn_cases.jsonl"), LINES)


if __name__ == "__main__":
    main()
