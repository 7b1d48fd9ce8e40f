#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains asynchronously: each worker has a client and a graph of its own, and all of them
update the variables that replica_device_setter puts on the parameter servers. Afterwards
each worker checks that no update is missing.

  between_graph.py --target grpc://h:2222 --worker 0 --workers 2 --ps 2 --folder /tmp/b &
  between_graph.py --target grpc://h:2223 --worker 1 --workers 2 --ps 2 --folder /tmp/b
"""

import time

import numpy as np

import model

tf1 = model.tf1
RATE = 0.05


class Marks:
  """Has a variable on each parameter server with an element for each step. The gradient of
  `term` is 1 for the element of the step `step`, and 0 for the others."""

  def __init__(self, ps, steps):
    self.step = tf1.placeholder(tf1.int32, [], "step")
    self.variables = []
    for server in range(ps):
      with tf1.device("/job:ps/task:%d" % server):
        self.variables.append(tf1.get_variable(
            "marks_%d" % server, [steps], initializer=tf1.zeros_initializer()))
    self.term = tf1.add_n([mark[self.step] for mark in self.variables])

  def missing(self, session):
    """Returns how many updates are missing, or were made several times."""
    return sum(np.count_nonzero(marks != np.float32(-RATE))
               for marks in session.run(self.variables))


def wait_for_the_chief(session):
  """Waits until the chief has initialized all variables."""
  missing = tf1.report_uninitialized_variables()
  while session.run(missing).size:
    time.sleep(0.1)


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  built = model.build(args.ps, args.worker)
  marks = Marks(args.ps, args.steps)
  # Without locks, updates of the same variable at the same time may be lost.
  optimizer = tf1.train.GradientDescentOptimizer(RATE, use_locking=True)
  train = optimizer.minimize(built.loss + marks.term, built.global_step)
  initialize = tf1.global_variables_initializer()
  with tf1.Session(args.target) as session:
    if args.worker == 0:
      session.run(initialize)
    wait_for_the_chief(session)
    done = 0
    for step in range(args.worker, args.steps, args.workers):
      session.run(train, {marks.step: step, **built.feed(step)})
      done += 1
    while session.run(built.global_step) < args.steps:
      time.sleep(0.1)  # waits for the other workers
    loss = session.run(built.loss, built.feed(args.steps))
    missing = marks.missing(session)
  model.report(steps_of_this_worker=done, missing_updates=missing, is_trained=loss < 0.4)


if __name__ == "__main__":
  main()
