# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Prints how many nodes TensorFlow 2.15 needs for one step of the MLP that
optimizers_test.cc builds. It counts the nodes on which the loss or the training
step depends, directly or not."""
import tensorflow as tf

tf1 = tf.compat.v1
with tf.Graph().as_default() as graph:
    images = tf1.placeholder(tf.float32, [None, 784], name="images")
    labels = tf1.placeholder(tf.int32, [None], name="labels")
    hidden = tf1.layers.dense(images, 128, activation=tf.nn.relu)
    logits = tf1.layers.dense(hidden, 10)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    seen, stack = set(), [step, loss.op]
    while stack:
        op = stack.pop()
        if op.name in seen:
            continue
        seen.add(op.name)
        stack += [t.op for t in op.inputs] + list(op.control_inputs)
print(len(seen))
