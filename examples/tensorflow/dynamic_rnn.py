#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains an LSTM with dynamic_rnn on sequences of different lengths, to say whether a
sequence sums to more than zero.

  dynamic_rnn.py --target grpc://h:2222 --folder /models/rnn
"""

import numpy as np

import model

tf1 = model.tf1

STEPS, WIDTH, UNITS, BATCH = 12, 4, 16, 16


def sequences(random):
  """Returns inputs, lengths, and the answers."""
  lengths = random.randint(1, STEPS + 1, BATCH)
  inputs = random.uniform(-1, 1, [BATCH, STEPS, WIDTH]).astype(np.float32)
  counted = inputs * (np.arange(STEPS)[None, :, None] < lengths[:, None, None])
  return inputs, lengths, (counted.sum((1, 2)) > 0).astype(np.int32)


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  tf1.set_random_seed(1)
  with tf1.device(tf1.train.replica_device_setter(
      ps_tasks=args.ps, worker_device="/job:worker/task:%d" % args.worker)):
    inputs = tf1.placeholder(tf1.float32, [BATCH, STEPS, WIDTH])
    lengths = tf1.placeholder(tf1.int32, [BATCH])
    answers = tf1.placeholder(tf1.int32, [BATCH])
    cell = tf1.nn.rnn_cell.MultiRNNCell(
        [tf1.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=True),
         tf1.nn.rnn_cell.GRUCell(UNITS)])
    _, states = tf1.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf1.float32)
    loss = tf1.losses.sparse_softmax_cross_entropy(
        answers, model.dense(states[-1], 2, "classes"))
    optimizer = tf1.train.AdamOptimizer(0.01)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    clipped, norm = tf1.clip_by_global_norm(gradients, 1.0)
    train = optimizer.apply_gradients(zip(clipped, variables))
  random = np.random.RandomState(1)
  losses, norms = [], []
  with tf1.Session(args.target) as session:
    session.run(tf1.global_variables_initializer())
    for _ in range(args.steps):
      batch = dict(zip((inputs, lengths, answers), sequences(random)))
      values = session.run([loss, norm, train], batch)
      losses.append(values[0])
      norms.append(values[1])
  model.report(losses=losses[-5:], norms=norms[-5:])


if __name__ == "__main__":
  main()
