#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs a loop whose body is spread over two tasks, and its gradient.

The loop computes x = tanh(a x) and sums the norms of all x. One worker has the matrix
`a`, the other one the sum.

  while_loop.py --target grpc://h:2222 --workers 2 --folder /tmp/loop
"""

import numpy as np

import model

tf1 = model.tf1

SIZE = 5


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  with tf1.device("/job:worker/task:0"):
    matrix = tf1.placeholder(tf1.float32, [SIZE, SIZE])
    start = tf1.placeholder(tf1.float32, [SIZE, 1])
    count = tf1.placeholder(tf1.int32, [])

  def body(i, x, total):
    with tf1.device("/job:worker/task:0"):
      x = tf1.tanh(tf1.matmul(matrix, x))
    with tf1.device("/job:worker/task:%d" % (args.workers - 1)):
      total = total + tf1.reduce_sum(tf1.square(x))
    return i + 1, x, total

  with tf1.device("/job:worker/task:0"):
    _, last, total = tf1.while_loop(lambda i, *_: i < count, body,
                                    [0, start, tf1.constant(0.0)])
    gradients = tf1.gradients(total, [matrix, start])
  random = np.random.RandomState(1)
  feed = {matrix: random.normal(0, 0.4, [SIZE, SIZE]), start: np.ones([SIZE, 1])}
  results = {}
  with tf1.Session(args.target) as session:
    for turns in (0, 1, args.steps):
      feed[count] = turns
      values = session.run([last, total, *gradients], feed)
      names = ("last", "total", "matrix_gradient", "start_gradient")
      results.update({"%s_after_%d" % (name, turns): value
                      for name, value in zip(names, values)})
  model.report(**results)


if __name__ == "__main__":
  main()
