#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Saves variables of several parameter servers, each server its own, and restores them.

The table is partitioned over the servers. A cluster with another number of servers can
restore it.

  sharded_saver.py --target grpc://h:2221 --ps 2 --folder /models/table
  sharded_saver.py --target grpc://h:3331 --ps 3 --folder /models/table --restore
"""

import model

tf1 = model.tf1


def main():
  parser = model.flags(__doc__.splitlines()[0])
  parser.add_argument("--restore", action="store_true")
  args = parser.parse_args()
  built = model.build(args.ps, args.worker)
  with tf1.device(tf1.train.replica_device_setter(ps_tasks=args.ps)):
    table = tf1.get_variable(
        "table", [100, 4], partitioner=tf1.fixed_size_partitioner(args.ps),
        initializer=tf1.random_uniform_initializer(seed=3))
  train = tf1.train.AdagradOptimizer(0.1).minimize(
      built.loss + tf1.reduce_sum(tf1.square(table)), built.global_step)
  saver = tf1.train.Saver(sharded=True)
  with tf1.Session(args.target) as session:
    if args.restore:
      saver.restore(session, tf1.train.latest_checkpoint(args.folder))
    else:
      session.run(tf1.global_variables_initializer())
      for step in range(args.steps):
        session.run(train, built.feed(step))
      saver.save(session, args.folder + "/model.ckpt", global_step=args.steps)
    print("step %d: the table sums to %.5f" %
          tuple(session.run([built.global_step, tf1.reduce_sum(table)])), flush=True)


if __name__ == "__main__":
  main()
