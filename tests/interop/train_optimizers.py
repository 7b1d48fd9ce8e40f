#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains with the optimizers of TensorFlow's client, in process and on a task of Leat.

The model has a table, whose gradient has some rows only (IndexedSlices), and a matrix,
whose gradient is dense. Each optimizer trains it for a few steps. Both must have the
same variables then (1e-5 relative). Variables are references and resources for the
optimizers of tf1.train, and resources for those of Keras.

Usage: train_optimizers.py LEAT     LEAT: the program `leat`; "": a server of TensorFlow
                                    stands in, which tests this script
"""

import sys

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
tf1.logging.set_verbosity(tf1.logging.ERROR)
train, keras = tf1.train, tf.keras.optimizers.legacy

STEPS = 4
ROWS, WIDTH, BATCH = 20, 3, 6
# Some optimizers need the global step.
TRAIN = {
    "Adadelta": lambda step: train.AdadeltaOptimizer(1.0, epsilon=1e-3),
    "AdagradDA": lambda step: train.AdagradDAOptimizer(
        0.3, step, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "Ftrl": lambda step: train.FtrlOptimizer(
        0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "FtrlV2": lambda step: train.FtrlOptimizer(
        0.3, l2_shrinkage_regularization_strength=0.01),
    "ProximalGradientDescent": lambda step: train.ProximalGradientDescentOptimizer(
        0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "ProximalAdagrad": lambda step: train.ProximalAdagradOptimizer(
        0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "RMSProp, centered": lambda step: train.RMSPropOptimizer(
        0.02, momentum=0.5, centered=True),
}
KERAS = {
    "SGD": lambda: keras.SGD(0.1, momentum=0.9),
    "SGD, Nesterov": lambda: keras.SGD(0.1, momentum=0.9, nesterov=True),
    "Adam, AMSGrad": lambda: keras.Adam(0.05, amsgrad=True),
    "Adamax": lambda: keras.Adamax(0.05),
    "Adadelta": lambda: keras.Adadelta(1.0, epsilon=1e-3),
    "Adagrad": lambda: keras.Adagrad(0.1),
    "Ftrl": lambda: keras.Ftrl(
        0.3, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "Ftrl, shrinkage": lambda: keras.Ftrl(
        0.3, l2_shrinkage_regularization_strength=0.01, beta=0.1),
    "RMSprop, centered": lambda: keras.RMSprop(0.02, momentum=0.5, centered=True),
}


def model(use_resource):
  """The ids to feed, the loss, the variables and the global step."""
  random = np.random.RandomState(1)
  table = tf1.Variable(random.normal(0, 1, [ROWS, WIDTH]).astype(np.float32),
                       use_resource=use_resource)
  matrix = tf1.Variable(random.normal(0, 1, [WIDTH, 2]).astype(np.float32),
                        use_resource=use_resource)
  step = train.get_or_create_global_step()
  ids = tf1.placeholder(tf.int32, [BATCH])
  predicted = tf1.matmul(tf1.nn.embedding_lookup(table, ids), matrix)
  wanted = tf1.stack([tf.sin(tf.cast(ids, tf.float32)),
                      tf.cos(tf.cast(ids, tf.float32))], 1)
  return ids, tf.reduce_mean((predicted - wanted) ** 2), [table, matrix], step


def with_train(name, use_resource):
  ids, loss, variables, step = model(use_resource)
  update = TRAIN[name](step).minimize(loss, step)
  return ids, update, variables, tf1.global_variables()


def with_keras(name, unused_use_resource):
  ids, loss, variables, _ = model(use_resource=True)
  optimizer = KERAS[name]()
  gradients = zip(tf1.gradients(loss, variables), variables)
  update = optimizer.apply_gradients(gradients)
  return ids, update, variables, tf1.global_variables() + optimizer.variables()


def trained(target, build, name, use_resource):
  """The variables after the training, in a session of the target."""
  with tf1.Graph().as_default(), tf1.Session(target) as session:
    ids, update, variables, all_variables = build(name, use_resource)
    session.run([variable.initializer for variable in all_variables])
    before = session.run(variables)
    for step in range(STEPS):
      # Each batch names rows that it or an earlier batch has named.
      session.run(update, {ids: (np.arange(BATCH) ** 2 + step) % 11})
    return before, session.run(variables)


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  leat = sys.argv[1]
  cases = [(with_train, name, use_resource)
           for name in TRAIN for use_resource in (False, True)]
  cases += [(with_keras, name, True) for name in KERAS]
  passed = True
  with tasks.Cluster({"worker": ["leat" if leat else "tensorflow"]}, leat) as cluster:
    for build, name, use_resource in cases:
      before, expected = trained("", build, name, use_resource)
      _, actual = trained(cluster.target("worker"), build, name, use_resource)
      same = all(np.allclose(a, e, rtol=1e-5, atol=1e-6)
                 for a, e in zip(actual, expected))
      learnt = not any(np.allclose(b, e) for b, e in zip(before, expected))
      passed &= same and learnt
      print(f"{'Keras' if build is with_keras else 'tf1.train':9} {name:23} "
            f"{'resources' if use_resource else 'references':10}"
            f"{'' if same and learnt else ': FAILED'}", flush=True)
  sys.exit(0 if passed else 1)


if __name__ == "__main__":
  main()
