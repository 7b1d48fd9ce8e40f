#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs programs that fail, on TensorFlow's server and on Leat's.

Each program causes another error. The errors concern kernels, graphs, names, feeds,
fetches, placement, timeouts and sessions. On both servers, the exception must have the
same class, name the same op, and begin with the same line.

Usage: failing_programs.py LEAT
  LEAT  the program `leat`. If LEAT is "", another server of TensorFlow takes the place of
        Leat's server. This tests the script.
"""

import re
import sys

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

PROGRAMS = {}


def program(function):
  PROGRAMS[function.__name__] = function
  return function


def placeholder(shape=None, dtype=tf.float32):
  return tf1.placeholder(dtype, shape, name="x")


# ---- Kernels ----

@program
def matmul_of_wrong_shapes(session):
  x = placeholder()
  session.run(tf.matmul(x, x, name="fails"), {x: np.ones([2, 3])})


@program
def reshape_of_wrong_size(session):
  x = placeholder()
  session.run(tf.reshape(x, [4, 4], name="fails"), {x: np.ones([2, 3])})


@program
def add_of_wrong_shapes(session):
  x, y = placeholder(), placeholder()
  session.run(tf.add(x, y, name="fails"), {x: np.ones([2]), y: np.ones([3])})


@program
def check_numerics(session):
  x = placeholder()
  session.run(tf1.check_numerics(x, "not a number", name="fails"), {x: [np.nan]})


@program
def assert_false(session):
  x = placeholder(dtype=tf.bool)
  session.run(tf1.Assert(x, ["never", tf.constant(7)], name="fails"), {x: False})


@program
def gather_out_of_range(session):
  x = placeholder(dtype=tf.int32)
  session.run(tf.gather(tf.constant([1.0, 2.0]), x, name="fails"), {x: [5]})


@program
def concat_of_wrong_shapes(session):
  x, y = placeholder(), placeholder()
  session.run(tf.concat([x, y], 0, name="fails"),
              {x: np.ones([1, 2]), y: np.ones([1, 3])})


@program
def slice_out_of_range(session):
  x = placeholder()
  session.run(tf.slice(x, [2], [5], name="fails"), {x: np.ones([3])})


@program
def transpose_of_wrong_permutation(session):
  x = placeholder(dtype=tf.int32)
  session.run(tf.transpose(tf.ones([2, 3]), x, name="fails"), {x: [0, 0]})


@program
def division_by_zero(session):
  x = placeholder(dtype=tf.int32)
  session.run(tf1.floordiv(x, tf.constant([0]), name="fails"), {x: [1]})


@program
def uninitialized_reference_variable(session):
  session.run(tf1.get_variable("v", [2], use_resource=False))


@program
def uninitialized_resource_variable(session):
  session.run(tf1.get_variable("v", [2], use_resource=True).read_value())


@program
def assign_of_wrong_shape(session):
  x = placeholder()
  v = tf1.get_variable("v", [2], use_resource=False)
  session.run(tf1.assign(v, x, name="fails"), {x: np.ones([3])})


@program
def closed_queue(session):
  queue = tf1.FIFOQueue(4, [tf.float32], name="queue")
  session.run(queue.close())
  session.run(queue.dequeue(name="fails"))


@program
def enqueue_to_a_closed_queue(session):
  queue = tf1.FIFOQueue(4, [tf.float32], name="other_queue")
  session.run(queue.close())
  session.run(queue.enqueue(1.0, name="fails"))


@program
def split_of_wrong_size(session):
  x = placeholder()
  session.run(tf.split(x, 2, name="fails"), {x: np.ones([3])})


@program
def in_a_loop(session):
  x = placeholder()
  body = lambda i, y: (i + 1, tf1.check_numerics(y / 0.0, "too large", name="fails"))
  session.run(tf1.while_loop(lambda i, y: i < 3, body, [0, x], name="loop"), {x: 1.0})


# ---- Names, feeds and fetches ----

def run_names(session, feeds, fetches, targets=()):
  options = config_pb2.CallableOptions()
  options.feed.extend(feeds)
  options.fetch.extend(fetches)
  options.target.extend(targets)
  session._make_callable_from_options(options)(*[np.float32(1)] * len(feeds))


@program
def unknown_fetch(session):
  tf.constant(1.0, name="c")
  run_names(session, [], ["nobody:0"])


@program
def unknown_output(session):
  tf.constant(1.0, name="c")
  run_names(session, [], ["c:3"])


@program
def unknown_target(session):
  tf.constant(1.0, name="c")
  run_names(session, [], ["c:0"], ["nobody"])


@program
def unknown_feed(session):
  tf.constant(1.0, name="c")
  run_names(session, ["nobody:0"], ["c:0"])


@program
def fed_twice(session):
  tf.negative(placeholder(), name="y")
  run_names(session, ["x:0", "x:0"], ["y:0"])


@program
def fed_and_fetched(session):
  tf.negative(placeholder(), name="y")
  run_names(session, ["x:0"], ["x:0"])


@program
def nothing_to_do(session):
  tf.negative(placeholder(), name="y")
  run_names(session, ["x:0"], [])


@program
def placeholder_not_fed(session):
  session.run(tf.negative(placeholder([2])))


@program
def fetch_of_an_operation(session):
  tf.no_op(name="nothing")
  run_names(session, [], ["nothing:0"])


# ---- Placement, timeouts and sessions ----

@program
def unknown_job(session):
  with tf1.device("/job:nobody/task:0"):
    c = tf.constant(1.0, name="c")
  session.run(c)


@program
def unknown_device(session):
  with tf1.device("/job:worker/task:0/device:CPU:7"):
    c = tf.constant(1.0, name="c")
  session.run(c)


@program
def too_slow(session):
  queue = tf1.FIFOQueue(4, [tf.float32], name="empty_queue")
  session.run(queue.dequeue(), options=tf1.RunOptions(timeout_in_ms=300))


@program
def closed_session(session):
  c = tf.constant(1.0)
  session.run(c)
  other = tf1.Session(session.sess_str)
  other.run(c)
  tf1.Session.reset(session.sess_str)
  session.run(c)


def outcome(function, target):
  with tf1.Graph().as_default():
    session = tf1.Session(target)
    try:
      function(session)
    except tf.errors.OpError as error:
      op = error.op.name if error.op is not None else None
      line = re.sub("^Session [0-9a-f]+ ", "Session HANDLE ", tasks.first_line(error))
      return type(error).__name__, op, line
    finally:
      try:
        session.close()
      except tf.errors.OpError:
        pass
  return "no error"


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  leat = sys.argv[1]
  kind = "leat" if leat else "tensorflow"
  differences = 0
  with tasks.Cluster({"worker": ["tensorflow"]}, leat=leat) as theirs, \
       tasks.Cluster({"worker": [kind]}, leat=leat) as ours:
    for name, function in PROGRAMS.items():
      expected = outcome(function, theirs.target("worker"))
      got = outcome(function, ours.target("worker"))
      print("%-34s %s" % (name, expected), flush=True)
      if got != expected or expected == "no error":
        differences += 1
        print("  leat: %s" % (got,), flush=True)
  if differences:
    sys.exit("%d of %d programs fail with another error on Leat" % (differences, len(PROGRAMS)))


if __name__ == "__main__":
  main()
