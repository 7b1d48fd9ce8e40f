#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs the collectives of TensorFlow 1.x over two and three workers, which are servers
of Leat, of TensorFlow, or of both in one group.

Each worker has a client with a graph of its own, as in a program of several workers, or
one client has all of them. The results must be those that NumPy computes.

Usage: collectives.py LEAT
  LEAT  the program `leat`
"""

import sys
import threading

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import collective_ops

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_eager_execution()

LEADER = "/job:worker/replica:0/task:0"
STEPS = 3
SECONDS = 60
KINDS = [["leat", "leat"], ["leat", "tensorflow"], ["tensorflow", "leat"],
         ["tensorflow", "tensorflow"], ["leat", "leat", "leat"],
         ["leat", "tensorflow", "leat"]]


def input_of(rank, shape, dtype):
  values = np.random.RandomState(rank).randint(-4, 5, shape)
  return np.asarray(values).astype(dtype)


def reduction(shape, dtype, merge, final, second=False):
  """A case: the name, the op of one worker, and the result."""
  numpy_op = {"Add": np.add, "Mul": np.multiply, "Max": np.maximum,
              "Min": np.minimum}[merge]

  def op(rank, size, key):
    value = tf1.placeholder_with_default(input_of(rank, shape, dtype), shape)
    if second:
      return collective_ops.all_reduce_v2(value, size, 1, key, merge, final)
    return collective_ops.all_reduce(value, size, 1, key, merge, final)

  def result(size):
    total = input_of(0, shape, dtype)
    for rank in range(1, size):
      total = numpy_op(total, input_of(rank, shape, dtype))
    if final == "Id":
      return total
    if np.issubdtype(dtype, np.integer):
      return np.trunc(total / size).astype(dtype)
    return (total / np.asarray(size, dtype)).astype(dtype)

  return (f"reduce{2 if second else 1} {merge} {final} {np.dtype(dtype)} {shape}",
          op, result)


def gather(shape, dtype, second=False):
  def op(rank, size, key):
    value = tf1.placeholder_with_default(input_of(rank, shape, dtype), shape)
    if second:
      return collective_ops.all_gather_v2(value, size, 1, key)
    return collective_ops.all_gather(value, size, 1, key)

  def result(size):
    return np.concatenate([input_of(rank, shape, dtype) for rank in range(size)])

  return f"gather{2 if second else 1} {np.dtype(dtype)} {shape}", op, result


def broadcast(source, shape, dtype, second=False):
  def op(rank, size, key):
    if rank == source % size:
      value = tf.constant(input_of(source, shape, dtype))
      if second:
        return collective_ops.broadcast_send_v2(value, size, 1, key)
      return collective_ops.broadcast_send(value, value.shape, value.dtype, size, 1, key)
    if second:
      return collective_ops.broadcast_recv_v2(shape, dtype, size, 1, key)
    return collective_ops.broadcast_recv(shape, tf.as_dtype(dtype), size, 1, key)

  def result(size):
    return input_of(source, shape, dtype)

  return f"broadcast{2 if second else 1} {source} {np.dtype(dtype)} {shape}", op, result


CASES = [
    reduction([5], np.float32, "Add", "Id"),
    reduction([], np.float64, "Add", "Div"),
    reduction([3, 4], np.float16, "Max", "Id"),
    reduction([0, 2], np.float32, "Add", "Id"),
    reduction([1000], np.int32, "Mul", "Div"),
    reduction([33], np.int64, "Min", "Id"),
    reduction([64], tf.bfloat16.as_numpy_dtype, "Add", "Id"),
    reduction([3_000_001], np.float32, "Add", "Div"),
    reduction([7, 3], np.float32, "Add", "Div", second=True),
    reduction([1_500_000], np.int32, "Add", "Id", second=True),
    gather([2, 3], np.float32),
    gather([300_000], np.int64, second=True),
    broadcast(0, [4], np.float32),
    broadcast(1, [2, 2], np.int32),
    broadcast(1, [500_000], np.float64, second=True),
    broadcast(0, [3], np.bool_, second=True),
]


def session_config():
  config = tf1.ConfigProto(operation_timeout_in_ms=1000 * SECONDS)
  config.experimental.collective_group_leader = LEADER
  return config


def options():
  result = tf1.RunOptions(timeout_in_ms=1000 * SECONDS)
  result.experimental.collective_graph_key = 17
  return result


def ops_of(rank, size):
  with tf.device(f"/job:worker/task:{rank}/device:CPU:0"):
    return [op(rank, size, key) for key, (_, op, _) in enumerate(CASES, start=100)]


def check(values, size, where):
  for (name, _, result), value in zip(CASES, values):
    np.testing.assert_array_equal(value, result(size), f"{name} of {size} {where}")


def run_worker(cluster, rank, size, errors):
  """Is the program of one of several workers."""
  try:
    with tf.Graph().as_default():
      ops = ops_of(rank, size)
      with tf1.Session(cluster.target("worker", rank), config=session_config()) as session:
        for _ in range(STEPS):
          check(session.run(ops, options=options()), size, f"at worker {rank}")
  except Exception as error:  # pylint: disable=broad-except
    errors.append(error)


def between_graph(cluster, size):
  errors = []
  threads = [threading.Thread(target=run_worker, args=(cluster, rank, size, errors))
             for rank in range(size)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  if errors:
    raise errors[0]


def in_graph(cluster, size):
  with tf.Graph().as_default():
    ops = [ops_of(rank, size) for rank in range(size)]
    with tf1.Session(cluster.target("worker"), config=session_config()) as session:
      for _ in range(STEPS):
        for rank, values in enumerate(session.run(ops, options=options())):
          check(values, size, f"for worker {rank}")


def main():
  for kinds in KINDS:
    for program in (between_graph, in_graph):
      # A task of TensorFlow never forgets a group.
      with tasks.Cluster({"worker": kinds}, leat=sys.argv[1],
                         group_leader=LEADER) as cluster:
        program(cluster, len(kinds))
      print(program.__name__, ", ".join(kinds), "ok", flush=True)


if __name__ == "__main__":
  main()
