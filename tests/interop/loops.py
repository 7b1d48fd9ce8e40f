#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains with the loops of TensorFlow 1.x on a server of Leat.

Their gradients push to stacks, and their inputs and outputs are TensorArrays. Each
program must have the same losses as in TensorFlow, which runs in this process.

Usage: loops.py LEAT [PROGRAM...]
  LEAT  the program `leat`
"""


import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

STEPS = 4


def values(*shape):
  return np.random.RandomState(0).uniform(-1, 1, shape).astype(np.float32)


def variable(value):
  """The value of a variable, read before all loops, so that no update overtakes one."""
  return tf.identity(tf1.get_variable("w", initializer=np.asarray(value, np.float32),
                                      use_resource=True))


def placeholder(*shape):
  return tf1.placeholder(tf.float32, shape)


def cell(units):
  return tf1.nn.rnn_cell.LSTMCell(
      units, initializer=tf1.glorot_uniform_initializer(seed=1))


def dynamic_rnn():
  """Learns to turn a sequence around. Every row has another length."""
  x = placeholder(8, 64, 32)
  out, _ = tf1.nn.dynamic_rnn(cell(32), x, dtype=tf.float32, swap_memory=True,
                              sequence_length=tf.range(57, 65))
  error = tf.reduce_mean(tf.square(out - x[:, ::-1]))
  return 50 * error, {x: values(8, 64, 32)}


def bidirectional_dynamic_rnn():
  """Reads sequences in both directions. Every row has another length."""
  x = placeholder(4, 9, 6)
  (forward, backward), _ = tf1.nn.bidirectional_dynamic_rnn(
      cell(5), cell(5), x, sequence_length=[9, 3, 1, 6], dtype=tf.float32)
  return 10 * tf.reduce_mean(tf.square(forward - backward - 0.3)), {x: values(4, 9, 6)}


def raw_rnn():
  """An own loop around a cell, with branches in it."""
  x = placeholder(5, 2, 4)
  rows = tf.TensorArray(tf.float32, 5).unstack(x)
  lstm = cell(4)

  def loop(time_step, output, state, loop_state):
    done = tf.fill([2], time_step >= 5)
    row = tf1.cond(tf.reduce_all(done), lambda: tf.zeros([2, 4]),
                   lambda: rows.read(time_step))
    state = lstm.zero_state(2, tf.float32) if output is None else state
    return done, row, state, output, loop_state

  return tf.reduce_sum(tf.square(tf1.nn.raw_rnn(lstm, loop)[0].stack())), {
      x: values(5, 2, 4)}


def swapped():
  """What the gradient needs may be swapped out; iterations run side by side."""
  x, w = placeholder(4, 4), variable(np.eye(4))
  last = tf1.while_loop(lambda i, v: i < 10,
                        lambda i, v: (i + 1, tf.tanh(tf.matmul(v, w))), [0, x],
                        swap_memory=True, parallel_iterations=4)[1]
  return tf.reduce_sum(last * last), {x: values(4, 4)}


def dynamic_array():
  """An array that grows, and whose elements have different shapes."""
  x, w = placeholder(3), variable([1, 0.9, 0.8])
  array = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False)
  array = tf1.while_loop(
      lambda i, v, a: i < 7,
      lambda i, v, a: (i + 1, v * w, a.write(i, tf.tile(v * w, [i]))),
      [0, x, array])[2]
  return tf.reduce_sum(tf.square(array.concat())), {x: values(3)}


def nested():
  """A loop in a loop: the outer one pushes the handles of the inner one's stacks."""
  x, w = placeholder(), variable(0.9)

  def outer(i, v):
    inner = tf1.while_loop(lambda j, u: j < i, lambda j, u: (j + 1, u * w + 0.1),
                           [0, v])[1]
    return i + 1, tf.sin(inner) + v * w

  return tf1.while_loop(lambda i, v: i < 6, outer, [0, x])[1], {x: values()}


def branches():
  x, w = placeholder(), variable(0.9)

  def body(i, v):
    return i + 1, tf1.cond(v > 1, lambda: tf.sin(v) * w, lambda: v * v + w)

  return tf1.while_loop(lambda i, v: i < 6, body, [0, x])[1], {x: values()}


def scan():
  x, w = placeholder(8), variable(0.9)
  return tf.reduce_sum(tf.square(tf1.scan(lambda a, b: a * w + b, x))), {x: values(8)}


def map_fn():
  x, w = placeholder(8, 2), variable(0.9)
  return tf.reduce_sum(tf1.map_fn(lambda row: tf.tanh(row * w), x)), {x: values(8, 2)}


PROGRAMS = [dynamic_rnn, bidirectional_dynamic_rnn, raw_rnn, swapped, dynamic_array, nested,
            branches, scan, map_fn]


def losses(program, target):
  container = program.__name__.replace("_", "-")  # for variables of its own
  with tf.Graph().as_default() as graph, graph.container(container):
    tf1.set_random_seed(1)
    loss, feeds = program()
    train = tf1.train.GradientDescentOptimizer(0.05).minimize(loss)
    with tf1.Session(target) as session:
      session.run(tf1.global_variables_initializer())
      return [session.run([loss, train], feeds)[0] for _ in range(STEPS)]


def agree(got, expected):
  if np.ptp(expected) < 1e-4:
    raise AssertionError("a program learns nothing: %s" % expected)
  return np.allclose(got, expected, rtol=1e-5, atol=1e-5)


tasks.compare_programs(__doc__, PROGRAMS, run=losses, agree=agree)
