#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains asynchronously: each worker has a client and a graph of its own, and all of them
update the variables that replica_device_setter puts on the parameter servers.

  between_graph.py --target grpc://h:2222 --worker 0 --workers 2 --ps 2 --folder /tmp/b &
  between_graph.py --target grpc://h:2223 --worker 1 --workers 2 --ps 2 --folder /tmp/b
"""

import time

import model

tf1 = model.tf1


def wait_for_the_chief(session):
  """Waits until the chief has initialized all variables."""
  missing = tf1.report_uninitialized_variables()
  while session.run(missing).size:
    time.sleep(0.1)


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  built = model.build(args.ps, args.worker)
  train = tf1.train.GradientDescentOptimizer(0.05).minimize(built.loss, built.global_step)
  initialize = tf1.global_variables_initializer()
  with tf1.Session(args.target) as session:
    if args.worker == 0:
      session.run(initialize)
    wait_for_the_chief(session)
    done = 0
    for step in range(args.worker, args.steps, args.workers):
      session.run(train, built.feed(step))
      done += 1
    while session.run(built.global_step) < args.steps:
      time.sleep(0.1)  # waits for the other workers
    loss = session.run(built.loss, built.feed(args.steps))
  model.report(steps_of_this_worker=done, is_trained=loss < 0.4)


if __name__ == "__main__":
  main()
