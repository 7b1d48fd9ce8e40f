#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains on several workers from one client, whose graph has a copy of the model for each
worker. Every step waits for all workers and applies the mean of their gradients.

  in_graph.py --target grpc://h:2222 --workers 2 --ps 1 --folder /models/in_graph
"""

import model

tf1 = model.tf1


def mean_gradients(optimizer, towers):
  """Returns (gradient, variable) pairs. A gradient is the mean over the towers."""
  each = [optimizer.compute_gradients(tower.loss) for tower in towers]
  return [(tf1.add_n([gradient for gradient, _ in pairs]) / len(towers), pairs[0][1])
          for pairs in zip(*each)]


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  towers = []
  for worker in range(args.workers):
    with tf1.variable_scope(tf1.get_variable_scope(), reuse=tf1.AUTO_REUSE):
      towers.append(model.build(args.ps, worker))
  optimizer = tf1.train.MomentumOptimizer(0.05, 0.9)
  with tf1.device(tf1.train.replica_device_setter(ps_tasks=args.ps)):
    train = optimizer.apply_gradients(mean_gradients(optimizer, towers),
                                      towers[0].global_step)
    loss = tf1.add_n([tower.loss for tower in towers]) / len(towers)
  losses = []
  with tf1.Session(args.target) as session:
    session.run(tf1.global_variables_initializer())
    for step in range(args.steps):
      feed = {}
      for worker, tower in enumerate(towers):
        feed.update(tower.feed(step * len(towers) + worker))
      losses.append(session.run([loss, train], feed)[0])
    kernel = session.run("hidden/kernel:0")
  model.report(first_loss=losses[0], last_loss=losses[-1], kernel=kernel)


if __name__ == "__main__":
  main()
