#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains with TensorFlow's client on tasks of TensorFlow and of Leat.

A Fashion-MNIST MLP, 20 steps, its variables on a parameter server, the rest on a
worker, whose master the client calls: both of TensorFlow, then each and both of Leat.
In both dialects of TensorFlow 1 (reference and resource variables) and with several
optimizers. The losses must be equal (1e-5 relative).

Usage: train_mlp.py [LEAT]     LEAT: the program `leat`; without it, TensorFlow's own
                               servers stand in, which tests this script
"""

import gzip
import sys

import tasks  # before TensorFlow: sets its environment
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

FOLDER = "/usr/share/datasets/fashion-mnist/"
STEPS = 20
BATCH = 128
HIDDEN = 100
OPTIMIZERS = {
    "sgd": lambda: tf1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf1.train.MomentumOptimizer(0.05, 0.9),
    "adam": lambda: tf1.train.AdamOptimizer(0.002),
    "adagrad": lambda: tf1.train.AdagradOptimizer(0.05),
}


def read(name, offset, count):
  with gzip.open(FOLDER + name) as file:
    return np.frombuffer(file.read(offset + count)[offset:], np.uint8)


def batches():
  pixels = read("train-images-idx3-ubyte.gz", 16, STEPS * BATCH * 784)
  labels = read("train-labels-idx1-ubyte.gz", 8, STEPS * BATCH)
  x = (pixels / 255).astype(np.float32).reshape(STEPS, BATCH, 784)
  return zip(x, labels.astype(np.int32).reshape(STEPS, BATCH))


def variable(name, shape, seed):
  value = np.random.RandomState(seed).normal(0, 0.05, shape)
  return tf1.get_variable(name, initializer=value.astype(np.float32))


def build(ps, worker, optimizer):
  with tf1.device(ps):
    w1 = variable("w1", [784, HIDDEN], 1)
    b1 = variable("b1", [HIDDEN], 2)
    w2 = variable("w2", [HIDDEN, 10], 3)
    b2 = variable("b2", [10], 4)
    global_step = tf1.train.get_or_create_global_step()
  with tf1.device(worker):
    x = tf1.placeholder(tf.float32, [None, 784])
    y = tf1.placeholder(tf.int32, [None])
    hidden = tf.nn.relu(tf1.matmul(x, w1) + b1)
    logits = tf1.nn.bias_add(tf1.matmul(hidden, w2), b2)
    loss = tf1.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(
        labels=y, logits=logits))
    train = OPTIMIZERS[optimizer]().minimize(loss, global_step)
  return x, y, loss, train, global_step


def losses(target, ps, worker, dialect, optimizer):
  with tf1.Graph().as_default():
    scope = f"{dialect}_{optimizer}"
    with tf1.variable_scope(scope, use_resource=dialect == "resource"):
      x, y, loss, train, global_step = build(ps, worker, optimizer)
    init = tf1.global_variables_initializer()
    with tf1.Session(target) as session:
      session.run(init)
      result = [session.run([loss, train], {x: xs, y: ys})[0]
                for xs, ys in batches()]
      steps = session.run(global_step)
      if steps != STEPS:
        raise AssertionError(f"{steps} global steps instead of {STEPS}")
      return np.array(result)


def main():
  leat = sys.argv[1] if len(sys.argv) > 1 else None
  kinds = ["tensorflow", "leat" if leat else "tensorflow"]
  failed = False
  with tasks.Cluster({"ps": kinds, "worker": kinds}, leat) as cluster:
    for dialect in ("reference", "resource"):
      for optimizer in OPTIMIZERS:
        expected = None
        for worker in cluster.tasks["worker"]:
          for ps in cluster.tasks["ps"]:
            actual = losses(cluster.target("worker", worker.index), ps.device,
                            worker.device, dialect, optimizer)
            expected = actual if expected is None else expected
            worst = np.max(np.abs(actual - expected) / np.abs(expected))
            equal = worst <= 1e-5 and expected[-1] < expected[0]
            failed |= not equal
            print(f"{dialect:9} {optimizer:8} worker of {worker.kind:10} "
                  f"ps of {ps.kind:10} {actual[0]:.6f} -> {actual[-1]:.6f}, "
                  f"worst relative difference {worst:.2g}"
                  f"{'' if equal else ': FAILED'}", flush=True)
  sys.exit(1 if failed else 0)


if __name__ == "__main__":
  main()
