#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Tests what tasks of TensorFlow and of Leat send each other.

TensorFlow's client calls the master of a worker. The other task is a parameter server.
Each of the two tasks is one of TensorFlow or one of Leat, and every case runs in all four
combinations. If both tasks are TensorFlow's, the run tests the case itself.

Usage: wire_cases.py [LEAT [CASE...]]
  LEAT  the program `leat`. Without LEAT, or if LEAT is "", tasks of TensorFlow take the
        place of Leat's tasks.
"""

import concurrent.futures
import os
import sys
import time
import traceback

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()
errors = tf.errors

LOST = (errors.UnavailableError, errors.AbortedError)


def plain_config():
  """Returns a config that turns off Grappler, which would remove nodes of the cases."""
  config = tf1.ConfigProto()
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  return config


class Place:
  """Holds the two tasks on which a case runs."""

  def __init__(self, cluster, worker, ps):
    self.target = cluster.target("worker", worker.index)
    self.worker = worker  # also the master
    self.ps = ps

  def session(self, config=None):
    return tf1.Session(self.target, config=config or plain_config())

  def run(self, fetches, feeds=None):
    with self.session() as session:
      return session.run(fetches, feeds)


def check(condition, *what):
  if not condition:
    raise AssertionError(" ".join(map(str, what)))


def equal(actual, expected, what=""):
  np.testing.assert_allclose(actual, expected, rtol=1e-6, err_msg=what)


def raises(kinds, call):
  try:
    result = call()
  except kinds as error:
    return error
  raise AssertionError(f"no error but {result}")


def dead_tensors(place):
  """Runs a branch whose Switch is on one task. A Merge on the other task, and a Merge on
  the same task, must ignore the dead tensor."""
  for switch, other in ((place.worker.device, place.ps.device), (place.ps.device, place.worker.device)):
    with tf1.Graph().as_default():
      with tf1.device(switch):
        x = tf1.placeholder(tf.float32, [2])
        taken = tf1.placeholder(tf.bool, [])
        no, yes = tf.raw_ops.Switch(data=x, pred=taken)
      with tf1.device(other):
        no, yes = tf1.negative(no), yes * 10
        there = tf.raw_ops.Merge(inputs=[no, yes])
      with tf1.device(switch):
        here = tf.raw_ops.Merge(inputs=[tf1.identity(no), tf1.identity(yes)])
      with place.session() as session:
        for value, expected in ((False, [-1, -2]), (True, [10, 20])):
          results = session.run([there, here], {x: [1, 2], taken: value})
          for result in results:
            equal(result.output, expected)
            equal(result.value_index, int(value))


def loops(place):
  """Runs a loop whose body has ops on both tasks. Uses primitive control flow, and
  functional control flow, which the master lowers."""
  for functional in (False, True):
    toggle = (tf1.enable_control_flow_v2 if functional
              else tf1.disable_control_flow_v2)
    toggle()
    with tf1.Graph().as_default():
      limit = tf1.placeholder(tf.int32, [])

      def body(i, total):
        with tf1.device(place.ps.device):
          total = total * 2
        with tf1.device(place.worker.device):
          return i + 1, total + 1

      with tf1.device(place.worker.device):
        i, total = tf1.while_loop(lambda i, total: i < limit, body,
                                  [tf1.constant(0), tf1.constant(1.5)])
      with place.session() as session:
        for n in (0, 1, 2, 17):
          expected = 1.5
          for _ in range(n):
            expected = expected * 2 + 1
          equal(session.run([i, total], {limit: n}), [n, expected],
                f"functional = {functional}")
  tf1.disable_control_flow_v2()


def nested_loops(place):
  """Runs nested loops on both tasks. The condition of the outer loop is on one task."""
  with tf1.Graph().as_default():
    def inner(j, total):
      with tf1.device(place.ps.device):
        total = total + 1
      with tf1.device(place.worker.device):
        return j + 1, total * 1

    def outer(i, total):
      with tf1.device(place.ps.device):
        start = tf1.identity(i)
      _, total = tf1.while_loop(lambda j, total: j < 3, inner, [start, total])
      return i + 1, total

    with tf1.device(place.worker.device):
      result = tf1.while_loop(lambda i, total: i < 4, outer,
                              [tf1.constant(0), tf1.constant(0.0)])
    equal(place.run(result), [4, 3 + 2 + 1])


def feeds(place):
  """Feeds placeholders on both tasks, and feeds a tensor that a node would compute."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      x = tf1.placeholder(tf.float32, [None])
      doubled = x * 2
    with tf1.device(place.worker.device):
      y = tf1.placeholder(tf.float32, [None])
      total = doubled + y
    with place.session() as session:
      equal(session.run(total, {x: [1, 2], y: [10, 20]}), [12, 24])
      equal(session.run([doubled, x, y], {x: [1], y: [5]}), [[2], [1], [5]])
      equal(session.run(total, {doubled: [7], y: [1]}), [8])
      call = session.make_callable(total, [x, y])
      for i in range(20):
        equal(call([i], [1]), [2 * i + 1])


def default_attrs(place):
  """Runs nodes whose attrs have default values. A master does not send these attrs."""
  a = np.arange(6, dtype=np.float32).reshape(2, 3)
  b = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      x = tf1.placeholder(tf.float32, [2, 3])
      y = tf1.placeholder(tf.float32, [3, 4])
      product = tf1.matmul(x, y)
      results = [product, tf1.argmax(product, 1), tf1.reduce_max(product, 0),
                 tf1.cast(product / 3, tf.int32), product[1:, ::2],
                 tf1.nn.softmax(product), tf1.squeeze(product[:1]),
                 tf1.concat([product, product], 1)]
    expected = a @ b
    shifted = np.exp(expected - expected.max(1, keepdims=True))
    actual = place.run(results, {x: a, y: b})
    for one, other in zip(actual, [
        expected, expected.argmax(1), expected.max(0),
        np.trunc(expected / 3), expected[1:, ::2],
        shifted / shifted.sum(1, keepdims=True), expected[0],
        np.concatenate([expected, expected], 1)]):
      np.testing.assert_allclose(one, other, rtol=1e-5)


def values():
  """Yields tensors of every kind that has an encoding of its own, and of unusual
  shapes."""
  yield tf.bool, np.array([True, False, True])
  yield tf.string, np.array([b"", b"a\0b", b"x" * 5000, "ä".encode()], object)
  yield tf.string, np.array(b"alone", object)
  yield tf.string, np.zeros([0, 2], object)
  numbers = [0, 1, 3, 100]
  for dtype in (tf.bfloat16, tf.half, tf.float32, tf.float64, tf.int8,
                tf.uint8, tf.int16, tf.uint16, tf.int32, tf.int64, tf.uint32,
                tf.uint64, tf.complex64, tf.complex128):
    yield dtype, np.array(numbers).astype(dtype.as_numpy_dtype)
  yield tf.float32, np.float32(2.5)
  yield tf.float32, np.zeros([3, 0, 2], np.float32)
  yield tf.float64, np.array([np.nan, np.inf, -0.0])
  yield tf.int64, np.arange(200000).reshape(2, 100000)


def kinds_of_tensors(place):
  """Sends tensors of all kinds to the parameter server and back."""
  with tf1.Graph().as_default(), place.session() as session:
    for dtype, value in values():
      with tf1.device(place.worker.device):
        x = tf1.placeholder(dtype, value.shape)
        away = tf1.identity(x)
      with tf1.device(place.ps.device):
        there = tf1.identity(away)
      with tf1.device(place.worker.device):
        back = tf1.identity(there)
      result = np.asarray(session.run(back, {x: value}), value.dtype)
      check(result.shape == value.shape, dtype, result.shape)
      check(result.tolist() == value.tolist() if dtype == tf.string
            else result.tobytes() == value.tobytes(), dtype, result)


def large_tensors(place):
  """Lets the worker read and update a variable of 16 MiB."""
  shape = [1024, 4096]
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      v = tf1.get_variable("large", shape, use_resource=True,
                           initializer=tf1.ones_initializer())
    with tf1.device(place.worker.device):
      total = tf1.reduce_sum(tf1.cast(v, tf.float64))
      update = v.assign_add(tf1.fill(shape, 0.5))
    with place.session() as session:
      session.run(v.initializer)
      for i in range(4):
        equal(session.run(total), (1 + 0.5 * i) * 4 * 2**20)
        session.run(update.op)


def resources(place):
  """Fetches a resource handle, which the master must parse. (Nothing else can send a
  handle: the placer puts all ops that use a handle on the task that made it, and Python
  cannot feed a handle.)"""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2],
                                      shared_name="by_handle")
    check(place.run(handle).size > 0)


def fused_layers(place):
  """Runs layers that Grappler fuses, on the parameter server."""
  x = np.linspace(-2, 2, 12).astype(np.float32).reshape(3, 4)
  w = np.cos(np.arange(20)).astype(np.float32).reshape(4, 5)
  b = np.linspace(-1, 1, 5).astype(np.float32)
  plain = x @ w + b
  layers = {
      "linear": (lambda y: y, lambda y: y),
      "relu": (tf.nn.relu, lambda y: np.maximum(y, 0)),
      "relu6": (tf.nn.relu6, lambda y: np.clip(y, 0, 6)),
      "elu": (tf.nn.elu, lambda y: np.where(y > 0, y, np.expm1(y))),
      "leaky_relu": (tf.nn.leaky_relu, lambda y: np.where(y > 0, y, 0.2 * y)),
      "sigmoid": (tf.nn.sigmoid, lambda y: 1 / (1 + np.exp(-y))),
      "tanh": (tf.nn.tanh, np.tanh),
  }
  for name, (activation, expected) in layers.items():
    with tf1.Graph().as_default():
      with tf1.device(place.ps.device):
        inputs = tf1.placeholder(tf.float32, x.shape)
        weights = tf1.placeholder(tf.float32, w.shape)
        bias = tf1.placeholder(tf.float32, b.shape)
        layer = activation(tf1.nn.bias_add(tf1.matmul(inputs, weights), bias))
        result = tf1.identity(layer * 2)
      with tf1.Session(place.target) as session:
        np.testing.assert_allclose(
            session.run(result, {inputs: x, weights: w, bias: b}),
            expected(plain) * 2, rtol=1e-4, atol=1e-6, err_msg=name)


def errors_name_op_and_task(place):
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      index = tf1.placeholder(tf.int32, [])
      bad = tf1.gather(tf1.constant([1.0, 2.0]), index, name="bad_gather")
    with tf1.device(place.worker.device):
      on_worker = tf1.identity(bad)
    with place.session() as session:
      for fetch in (bad, on_worker, on_worker, on_worker):
        error = raises(errors.InvalidArgumentError,
                       lambda: session.run(fetch, {index: 7}))
        for part in ("bad_gather", place.ps.name, "is not in [0, 2)"):
          check(part in error.message, part, "is not in:", error.message)
        if place.ps.kind == "leat" or place.worker.kind == "leat":
          # The error must name the task that failed, and not the worker that
          # waited for the result.
          check(f"From {place.ps.name}" in error.message, error.message)
      equal(session.run(on_worker, {index: 1}), 2)


def blocked_dequeue_times_out(place):
  """Runs a step that times out at an empty queue. It must end on both tasks, so that it
  does not take an element that is added later."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      queue = tf1.FIFOQueue(3, [tf.float32], [[]], shared_name="blocking")
      enqueue = queue.enqueue(7.0)
      dequeue = queue.dequeue()
    with tf1.device(place.worker.device):
      here = dequeue * 1
    with place.session() as session:
      start = time.monotonic()
      raises(errors.DeadlineExceededError,
             lambda: session.run(here, options=tf1.RunOptions(
                 timeout_in_ms=700)))
      seconds = time.monotonic() - start
      check(0.6 < seconds < 10, "after", seconds, "s")
      session.run(enqueue)
      equal(session.run(here), 7)
      equal(session.run(queue.size()), 0)


def closing_ends_what_waits(place):
  """Dequeues more elements than a closed queue has. The error must have the code
  OUT_OF_RANGE, because input loops expect this code."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      queue = tf1.FIFOQueue(3, [tf.int32], [[]],
                            shared_name=f"closing{place.worker.index}")
      enqueue = queue.enqueue_many([[1, 2, 3]])
      close = queue.close()
      dequeue = queue.dequeue()
    with tf1.device(place.worker.device):
      here = tf1.identity(dequeue)
    with place.session() as session:
      session.run(enqueue)
      session.run(close)
      check([session.run(here) for _ in range(3)] == [1, 2, 3])
      error = raises(errors.OutOfRangeError, lambda: session.run(here))
      check("is closed and has insufficient elements" in error.message,
            error.message)


def sessions_share_variables(place):
  """Reads variables in several sessions, until their container is reset. The default
  container has the name of the task's job."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      by_ref = tf1.get_variable("by_ref", initializer=1.0, use_resource=False)
      by_handle = tf1.get_variable("by_handle", initializer=2.0,
                                   use_resource=True)
    read = [tf1.identity(by_ref), tf1.identity(by_handle)]
    with place.session() as first, place.session() as second:
      first.run([by_ref.initializer, by_handle.initializer])
      equal(second.run(read), [1, 2])
      second.run([by_ref.assign_add(2.0).op, by_handle.assign_add(2.0).op])
      equal(first.run(read), [3, 4])
    with place.session() as third:
      equal(third.run(read), [3, 4])
    # The variables are not in this container.
    tf1.Session.reset(place.target, ["localhost"])
    with place.session() as fourth:
      equal(fourth.run(read), [3, 4])
    tf1.Session.reset(place.target, ["ps"])
    with place.session() as fifth:
      for each in read:
        raises(errors.FailedPreconditionError, lambda: fifth.run(each))


def many_steps_at_a_time(place):
  """Updates a variable in many steps at a time. Every update must be done once."""
  threads, steps = 8, 40
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      total = tf1.get_variable("total", initializer=np.zeros(3, np.float32),
                               use_resource=True)
    with tf1.device(place.worker.device):
      delta = tf1.placeholder(tf.float32, [3])
      add = total.assign_add(delta * 2)
    with place.session() as session:
      session.run(total.initializer)

      def client():
        for _ in range(steps):
          session.run(add.op, {delta: [1, 2, 3]})

      with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(client) for _ in range(threads)]:
          future.result()
      equal(session.run(total), np.array([2, 4, 6]) * threads * steps)


def step_stats(place):
  """Traces a step. The trace must have the ops of both tasks, and the metadata must have
  the graphs that the tasks ran."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      x = tf1.placeholder(tf.float32, [])
      there = tf1.negative(x, name="negative_there")
    with tf1.device(place.worker.device):
      here = tf1.square(there, name="square_here")
    metadata = tf1.RunMetadata()
    with place.session() as session:
      session.run(here, {x: 3}, run_metadata=metadata, options=tf1.RunOptions(
          trace_level=tf1.RunOptions.FULL_TRACE, output_partition_graphs=True))
    nodes = {(stats.device, node.node_name) for stats in
             metadata.step_stats.dev_stats for node in stats.node_stats}
    check((place.ps.name + "/device:CPU:0", "negative_there") in nodes, nodes)
    check(any(node == "square_here" for _, node in nodes), nodes)
    names = {node.name for graph in metadata.partition_graphs
             for node in graph.node}
    check({"negative_there", "square_here"} <= names, names)


def restarted_server(place):
  """Restarts the parameter server. The client must get an error. A new session must work,
  but the variable is no longer initialized."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      v = tf1.get_variable("lost", initializer=5.0, use_resource=True)
    with tf1.device(place.worker.device):
      read = tf1.identity(v) * 1
    options = tf1.RunOptions(timeout_in_ms=20000)
    session = place.session()
    session.run(v.initializer)
    equal(session.run(read), 5)
    place.ps.kill()
    start = time.monotonic()
    error = raises(LOST, lambda: session.run(read, options=options))
    check(time.monotonic() - start < 15, "noticed late")
    check(place.ps.name in error.message, error.message)
    place.ps.restart()
    # When the parameter server refuses the step, TensorFlow's master cancels
    # the receive on its own task. So it may report CANCELLED.
    told = ((errors.AbortedError, errors.CancelledError)
            if place.worker.kind == "tensorflow" else errors.AbortedError)
    deadline = time.monotonic() + 30
    while True:  # the worker's channel waits before it reconnects
      error = raises((*LOST, errors.CancelledError),
                     lambda: session.run(read, options=options))
      if "restarted" in error.message:
        break
      check(time.monotonic() < deadline, error.message)
      time.sleep(0.2)
    check(isinstance(error, told), f"{type(error)}: {error.message}")
    try:
      session.close()
    except errors.OpError:
      pass  # TensorFlow reports again that the session is lost
    with place.session() as session:
      raises(errors.FailedPreconditionError,
             lambda: session.run(read, options=options))
      session.run(v.initializer)
      equal(session.run(read), 5)


def silent_server(place):
  """Stops the process of the parameter server, whose connections stay open. A worker of
  Leat must notice this. (A worker of TensorFlow would wait for the end of the step, so
  the case ends early.) When the process continues, steps must succeed again."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      v = tf1.get_variable("silent", initializer=5.0, use_resource=True)
    with tf1.device(place.worker.device):
      read = tf1.identity(v) * 1
    with place.session() as session:
      session.run(v.initializer)
      equal(session.run(read), 5)
      if place.worker.kind == "tensorflow":
        return
      place.ps.stop()
      try:
        options = tf1.RunOptions(timeout_in_ms=60000)
        start = time.monotonic()
        error = raises(errors.UnavailableError,
                       lambda: session.run(read, options=options))
        check(time.monotonic() - start < 20, "noticed late")
        check(place.ps.name in error.message, error.message)
      finally:
        place.ps.go_on()
      equal(tasks.eventually(lambda: session.run(read), errors=LOST), 5)


def restarted_master(place):
  """Restarts the worker whose master the client calls. The parameter server must keep
  the variables meanwhile."""
  with tf1.Graph().as_default():
    with tf1.device(place.ps.device):
      v = tf1.get_variable("kept", initializer=5.0, use_resource=True)
    with tf1.device(place.worker.device):
      read = tf1.identity(v) * 1
    options = tf1.RunOptions(timeout_in_ms=20000)
    session = place.session()
    session.run(v.initializer)
    equal(session.run(read), 5)
    place.worker.restart()
    raises(LOST, lambda: session.run(read, options=options))
    try:
      session.close()
    except errors.OpError:
      pass  # the new master does not know this session

    def again():
      with place.session() as fresh:
        return fresh.run(read, options=options)

    equal(tasks.eventually(again, errors=LOST), 5)


# The last two cases restart tasks. A task that restarts loses the variables of the
# cases before.
CASES = [dead_tensors, loops, nested_loops, feeds, default_attrs,
         kinds_of_tensors, large_tensors, resources, fused_layers,
         errors_name_op_and_task, blocked_dequeue_times_out,
         closing_ends_what_waits, sessions_share_variables,
         many_steps_at_a_time, step_stats,
         silent_server, restarted_master, restarted_server]


def main():
  leat = sys.argv[1] if len(sys.argv) > 1 else ""
  chosen = sys.argv[2:]
  kinds = ["tensorflow", "leat" if leat else "tensorflow"]
  failed = 0
  with tasks.Cluster({"ps": kinds, "worker": kinds}, leat) as cluster:
    for case in CASES:
      if chosen and case.__name__ not in chosen:
        continue
      for worker in cluster.tasks["worker"]:
        for ps in cluster.tasks["ps"]:
          start = time.monotonic()
          result = "passed"
          try:
            case(Place(cluster, worker, ps))
          except Exception:  # pylint: disable=broad-except
            traceback.print_exc()
            result = "FAILED"
            failed += 1
          print(f"{case.__name__:26} worker of {worker.kind:10} "
                f"ps of {ps.kind:10} {result} "
                f"({time.monotonic() - start:.1f} s)", flush=True)
    if failed:
      for task in cluster.all_tasks():
        print(f"---- {task.name} ({task.kind}) said:\n{task.log()}")
  if failed:
    # A failed case may leave a session open. TensorFlow would close the session
    # when this process ends, and would wait forever for tasks that no longer
    # run.
    sys.stdout.flush()
    os._exit(1)


if __name__ == "__main__":
  main()
