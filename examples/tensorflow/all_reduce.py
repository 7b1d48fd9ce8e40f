#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains copies of a model on several workers without parameter servers: the workers add
their gradients with a collective all-reduce, so their variables stay equal.

  all_reduce.py --target grpc://h:2222 --worker 0 --workers 2 --folder /tmp/a &
  all_reduce.py --target grpc://h:2223 --worker 1 --workers 2 --folder /tmp/a
"""

import model
from tensorflow.python.ops import collective_ops

tf1 = model.tf1


def session_config():
  """All groups of workers form at the first worker. Each client uses its worker only."""
  config = tf1.ConfigProto()
  config.experimental.collective_group_leader = "/job:worker/replica:0/task:0"
  return config


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  device = "/job:worker/task:%d" % args.worker
  with tf1.device(device):
    built = model.build(0, args.worker)
    optimizer = tf1.train.MomentumOptimizer(0.05, 0.9)
    summed = [
        (collective_ops.all_reduce(gradient, args.workers, 1, key, "Add", "Div"), variable)
        for key, (gradient, variable) in enumerate(optimizer.compute_gradients(built.loss),
                                                   1)]
    train = optimizer.apply_gradients(summed, built.global_step)
  config = session_config()
  config.device_filters.append(device)
  with tf1.Session(args.target, config=config) as session:
    session.run(tf1.global_variables_initializer())
    for step in range(args.steps):
      session.run(train, built.feed(step * args.workers + args.worker))
    kernel, loss = session.run(["hidden/kernel:0", built.loss], built.feed(0))
  model.report(kernel=kernel, loss=loss)


if __name__ == "__main__":
  main()
