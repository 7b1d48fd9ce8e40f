#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Tests partial runs and connected callables on tasks of TensorFlow and of Leat.

Each program runs on four clusters of a worker and a parameter server. Each of the two
tasks is one of TensorFlow or one of Leat. The worker is the master. Results, and classes
and messages of errors, must be the same as if both tasks are TensorFlow's.

Usage: partial_runs.py LEAT
  LEAT  the program `leat`. If LEAT is "", tasks of TensorFlow take the place of Leat's
        tasks. This tests the script.
"""

import sys

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()


class Model:
  """Has the graph that all programs run. The worker computes twice = 2 a. The ps
  computes sum = twice + b, and adds c to a variable."""

  def __init__(self):
    with tf1.device("/job:worker/task:0"):
      self.a = tf1.placeholder(tf.float32, [2], name="a")
      self.twice = tf.multiply(self.a, 2.0, name="twice")
      self.flag = tf1.placeholder(tf.bool, [], name="flag")
    with tf1.device("/job:ps/task:0"):
      self.b = tf1.placeholder(tf.float32, [2], name="b")
      self.sum = tf.add(self.twice, self.b, name="sum")
      self.variable = tf1.get_variable("total", initializer=np.float32([0, 0]))
      self.c = tf1.placeholder(tf.float32, [2], name="c")
      self.add = tf1.assign_add(self.variable, self.c, name="add").op
      self.checked = tf1.check_numerics(self.c, "bad number", name="checked")
    with tf1.device("/job:worker/task:0"):
      self.product = tf.multiply(self.sum, self.a, name="product")


def in_turns(m, session):
  handle = session.partial_run_setup([m.twice, m.sum, m.product], [m.a, m.b])
  first = session.partial_run(handle, m.twice, {m.a: [1, 2]})
  return [first] + session.partial_run(handle, [m.sum, m.product], {m.b: first})


def fed_before_fetched(m, session):
  handle = session.partial_run_setup([m.twice, m.sum], [m.a, m.b])
  nothing = session.partial_run(handle, [], {m.a: [1, 2]})
  return [nothing, session.partial_run(handle, m.sum, {m.b: [1, 1]}),
          session.partial_run(handle, m.twice)]


def two_at_once(m, session):
  handles = [session.partial_run_setup([m.sum], [m.a, m.b]) for _ in range(2)]
  for i, handle in enumerate(handles):
    session.partial_run(handle, [], {m.a: [i, i]})
  return [session.partial_run(handle, m.sum, {m.b: [1, 2]})
          for handle in reversed(handles)]


def targets(m, session):
  handle = session.partial_run_setup([m.twice, m.add], [m.a, m.c])
  twice = session.partial_run(handle, m.twice, {m.a: [1, 2]})
  session.partial_run(handle, [], {m.c: twice})
  return [twice, session.run(m.variable)]


def a_fed_tensor_that_is_computed(m, session):
  handle = session.partial_run_setup([m.sum], [m.twice, m.b])
  return [session.partial_run(handle, m.sum, {m.twice: [5, 6], m.b: [1, 1]})]


def feed_not_announced(m, session):
  handle = session.partial_run_setup([m.sum], [m.a, m.b])
  session.partial_run(handle, [], {m.c: [1, 2]})


def fed_twice(m, session):
  handle = session.partial_run_setup([m.sum], [m.a, m.b])
  session.partial_run(handle, [], {m.a: [1, 2]})
  session.partial_run(handle, [], {m.a: [1, 2]})


def fetch_not_announced(m, session):
  handle = session.partial_run_setup([m.sum], [m.a, m.b])
  session.partial_run(handle, m.twice, {m.a: [1, 2]})


def fetched_twice(m, session):
  handle = session.partial_run_setup([m.twice, m.sum], [m.a, m.b])
  session.partial_run(handle, m.twice, {m.a: [1, 2]})
  session.partial_run(handle, m.twice)


def fetch_without_its_feed(m, session):
  handle = session.partial_run_setup([m.twice, m.sum], [m.a, m.b])
  session.partial_run(handle, m.sum, {m.a: [1, 2]})


def goes_on_after_a_refusal(m, session):
  handle = session.partial_run_setup([m.twice, m.sum], [m.a, m.b])
  try:
    session.partial_run(handle, m.sum, {m.a: [1, 2]})
  except tf.errors.InvalidArgumentError:
    pass
  return [session.partial_run(handle, m.sum, {m.a: [1, 2], m.b: [0, 0]}),
          session.partial_run(handle, m.twice)]


def over(m, session):
  handle = session.partial_run_setup([m.twice], [m.a])
  session.partial_run(handle, m.twice, {m.a: [1, 2]})
  session.partial_run(handle, m.twice)


def fails(m, session):
  handle = session.partial_run_setup([m.twice, m.checked], [m.a, m.c])
  session.partial_run(handle, m.twice, {m.a: [1, 2]})
  session.partial_run(handle, m.checked, {m.c: [0, np.inf]})


def over_after_a_failure(m, session):
  handle = session.partial_run_setup([m.twice, m.checked], [m.a, m.c])
  try:
    session.partial_run(handle, m.checked, {m.c: [0, np.inf]})
  except tf.errors.InvalidArgumentError:
    pass
  session.partial_run(handle, m.twice, {m.a: [1, 2]})


def abandoned(m, session):
  for _ in range(20):
    handle = session.partial_run_setup([m.twice, m.sum], [m.a, m.b])
    session.partial_run(handle, m.twice, {m.a: [1, 2]})
  return [session.run(m.sum, {m.a: [1, 2], m.b: [3, 4]})]


def callable_of(session, feeds, fetches, connections):
  options = config_pb2.CallableOptions()
  options.feed.extend(feeds)
  options.fetch.extend(fetches)
  for source, destination in connections:
    options.tensor_connection.add(from_tensor=source, to_tensor=destination)
  return session._make_callable_from_options(options)


def connected(m, session):
  call = callable_of(session, ["a:0"], ["sum:0"], [("twice:0", "b:0")])
  return call(np.float32([1, 2]))


def connected_over_tasks(m, session):
  call = callable_of(session, ["a:0", "b:0"], ["checked:0"], [("product:0", "c:0")])
  return call(np.float32([1, 2]), np.float32([3, 4]))


def connected_from_unknown_node(m, session):
  callable_of(session, [], ["sum:0"], [("nobody:0", "b:0")])()


def connected_from_unknown_output(m, session):
  callable_of(session, ["a:0"], ["sum:0"], [("twice:1", "b:0")])(np.float32([1, 2]))


def connected_to_unknown(m, session):
  callable_of(session, ["a:0"], ["sum:0"], [("twice:0", "nobody:0")])(
      np.float32([1, 2]))


def connected_and_fed(m, session):
  callable_of(session, ["a:0", "b:0"], ["sum:0"], [("twice:0", "b:0")])(
      np.float32([1, 2]), np.float32([1, 2]))


def connected_and_fetched(m, session):
  callable_of(session, ["a:0"], ["b:0"], [("twice:0", "b:0")])(np.float32([1, 2]))


PROGRAMS = [
    in_turns, fed_before_fetched, two_at_once, targets, a_fed_tensor_that_is_computed,
    feed_not_announced, fed_twice, fetch_not_announced, fetched_twice,
    fetch_without_its_feed, goes_on_after_a_refusal, over, fails, over_after_a_failure,
    abandoned, connected, connected_over_tasks, connected_from_unknown_node,
    connected_from_unknown_output, connected_to_unknown, connected_and_fed,
    connected_and_fetched]


def outcome(program, target):
  """Returns what the program returns, or describes its error."""
  with tf1.Graph().as_default():
    model = Model()
    with tf1.Session(target) as session:
      session.run(tf1.global_variables_initializer())
      try:
        return [None if value is None or isinstance(value, list) and not value
                else np.asarray(value).tolist() for value in program(model, session)]
      except tf.errors.OpError as error:
        op = error.op.name if error.op is not None else None
        return type(error).__name__, op, tasks.first_line(error)


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  leat = sys.argv[1]
  kind = "leat" if leat else "tensorflow"
  differences = 0
  with tasks.Cluster({"ps": ["tensorflow"], "worker": ["tensorflow"]},
                     leat=leat) as theirs, \
       tasks.Cluster({"ps": [kind], "worker": [kind]}, leat=leat) as ours, \
       tasks.Cluster({"ps": ["tensorflow"], "worker": [kind]}, leat=leat) as mixed, \
       tasks.Cluster({"ps": [kind], "worker": ["tensorflow"]}, leat=leat) as foreign:
    for program in PROGRAMS:
      expected = outcome(program, theirs.target("worker"))
      print("%-32s %s" % (program.__name__, expected), flush=True)
      for name, cluster in [("leat", ours), ("mixed", mixed), ("foreign master", foreign)]:
        got = outcome(program, cluster.target("worker"))
        if got != expected:
          differences += 1
          print("  %s: %s" % (name, got), flush=True)
  if differences:
    sys.exit("%d differences" % differences)


if __name__ == "__main__":
  main()
