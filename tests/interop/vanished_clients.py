#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Kills clients of TensorFlow whose steps wait on tasks of Leat.

Each client runs a step that waits: for an element of a queue or for room in one, for the
next element of a data set, for a record of a reader, for a gradient. The step waits on
the task that is its master, or on another task. When the client is killed, both tasks
must soon let go of the step, the session, its memory and its files. Then the next client
runs the same program and gets what it waits for.

Usage: vanished_clients.py LEAT
  LEAT  the program `leat`
"""

import functools
import multiprocessing
import os
import sys
import tempfile
import threading
import time

import tasks  # must come first: sets the environment of TensorFlow
import watched
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

JOBS = ["worker", "ps"]
MASTER = "worker"
# The tasks soon close a session that no client uses.
FLAGS = ["--session-idle", "5"]
VARIABLE_ELEMENTS = 1 << 20  # of a variable in each session
processes = multiprocessing.get_context("fork")


# ---- Programs ----

class Pipe:
  """Is a named pipe that stays silent until `fill` is called."""

  def __init__(self, folder, name):
    self.path = os.path.join(folder, name)
    os.mkfifo(self.path)
    self._end = os.open(self.path, os.O_RDWR)

  def fill(self, text):
    os.write(self._end, text)


def dequeue(session, folder):
  queue = tf1.FIFOQueue(4, [tf.int64], [[]])
  fill = queue.enqueue(7)
  return queue.dequeue(), lambda: session.run(fill), 7


def enqueue(session, folder):
  queue = tf1.FIFOQueue(1, [tf.int64], [[]])
  waiting, take = queue.enqueue(7), queue.dequeue()
  session.run(waiting)
  return waiting, lambda: session.run(take), None


def dequeue_many(session, folder):
  queue = tf1.RandomShuffleQueue(9, 0, [tf.int64], [[]])
  fill = queue.enqueue(7)
  session.run(fill)
  return queue.dequeue_many(2), lambda: session.run(fill), [7, 7]


def gradients(session, folder):
  accumulator = tf1.ConditionalAccumulator(tf.float32, [])
  fill = accumulator.apply_grad(7.0)
  session.run(fill)
  return accumulator.take_grad(2), lambda: session.run(fill), 7


def get_next(session, data):
  iterator = tf1.data.make_initializable_iterator(data)
  session.run(iterator.initializer)
  return iterator.get_next()


def lines(session, folder):
  pipe = Pipe(folder, "lines")
  following = get_next(session, tf.data.TextLineDataset(pipe.path).batch(2))
  return following, lambda: pipe.fill(b"a\nb\n"), [b"a", b"b"]


def lines_of_many_files(session, folder):
  pipes = [Pipe(folder, "file_%d" % i) for i in range(3)]
  data = tf.data.Dataset.from_tensor_slices([pipe.path for pipe in pipes])
  data = data.interleave(tf.data.TextLineDataset, cycle_length=3, num_parallel_calls=3)
  following = get_next(session, data.batch(3).prefetch(2))

  def fill():
    for i, pipe in enumerate(pipes):
      pipe.fill(b"%d\n" % i)

  return following, fill, [b"0", b"1", b"2"]


def mapped(session, folder):
  """The function of a map takes elements of a queue."""
  queue = tf1.FIFOQueue(4, [tf.int64], [[]])
  fill = queue.enqueue(7)
  data = tf.data.Dataset.range(9).map(lambda x: x + queue.dequeue(), num_parallel_calls=2)
  return get_next(session, data), lambda: session.run(fill), 7


def reader_without_files(session, folder):
  path = os.path.join(folder, "file")
  with open(path, "wb") as file:
    file.write(b"a\nb\n")
  names = tf1.FIFOQueue(4, [tf.string], [[]])
  fill = names.enqueue(path)
  return tf1.TextLineReader().read(names).value, lambda: session.run(fill), b"a"


def reader(session, folder):
  pipe = Pipe(folder, "records")
  names = tf1.FIFOQueue(4, [tf.string], [[]])
  session.run(names.enqueue(pipe.path))
  return tf1.TextLineReader().read(names).value, lambda: pipe.fill(b"a\n"), b"a"


PROGRAMS = [dequeue, enqueue, dequeue_many, gradients, lines, lines_of_many_files, mapped,
            reader_without_files, reader]


# ---- Clients, which are processes ----

def connect(target):
  return tf1.Session(target, config=watched.ALONE)


def wait(program, root, target, job):
  """Runs a step that waits until the process is killed."""
  with tf1.device("/job:%s/task:0" % job), connect(target) as session:
    variable = tf1.get_variable("v", initializer=tf1.random_uniform([VARIABLE_ELEMENTS]))
    session.run(variable.initializer)
    session.run(program(session, tempfile.mkdtemp(dir=root))[0])


def wait_and_fill(program, root, target, job):
  """Runs the step that waits, and lets it end."""
  with tf1.device("/job:%s/task:0" % job), connect(target) as session:
    waiting, fill, expected = program(session, tempfile.mkdtemp(dir=root))
    results = []
    step = threading.Thread(target=lambda: results.append(session.run(waiting)))
    step.start()
    fill()
    step.join()
  if len(results) != 1 or not np.array_equal(results[0], expected):
    raise AssertionError("%s gives %s instead of %s" % (program.__name__, results, expected))


def wait_between_runs(target, job):
  """Leaves a partial run in its middle, and waits until the process is killed."""
  with tf1.device("/job:%s/task:0" % job), connect(target) as session:
    a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
    double = a * 2
    handle = session.partial_run_setup([double, double + b], [a, b])
    session.partial_run(handle, double, {a: 1})
    threading.Event().wait()


def shared_queue(count):
  """Returns a queue that all sessions share, and a step that takes elements of it."""
  queue = tf1.FIFOQueue(9, [tf.int64], [[]], shared_name="shared")
  return queue, queue.dequeue_many(count)


def take_too_many(target, job):
  """Puts two elements into the shared queue, and waits for three until the process is
  killed."""
  with tf1.device("/job:%s/task:0" % job), tf1.Session(target) as session:
    queue, take = shared_queue(3)
    session.run(queue.enqueue_many([[5, 6]]))
    session.run(take)


def take_what_was_given_back(target, job):
  with tf1.device("/job:%s/task:0" % job), tf1.Session(target) as session:
    elements = session.run(shared_queue(2)[1]).tolist()
  if elements != [5, 6]:
    raise AssertionError("the queue has %s" % elements)


def forget_shared_queues(target, job):
  tf1.Session.reset(target)


class Clients:
  """Runs functions, each in a process of its own. TensorFlow starts no threads before the
  process begins, because they would not be in it."""

  def __init__(self):
    self._processes = []

  def start(self, function, *args):
    self._processes.append(processes.Process(target=function, args=args, daemon=True))
    self._processes[-1].start()

  def kill(self):
    for process in self._processes:
      process.kill()
      process.join()

  def end(self):
    for process in self._processes:
      process.join(watched.SECONDS)
      if process.exitcode != 0:
        raise AssertionError("the client does not end" if process.exitcode is None
                             else "the client ends with %d" % process.exitcode)


class Test:
  """Starts clients of a cluster."""

  def __init__(self, cluster, root):
    self._cluster, self._root = cluster, root
    self._target = cluster.target(MASTER)

  def start(self, *functions):
    """Starts a client for each function on each task."""
    clients = Clients()
    for function in functions:
      for job in JOBS:
        clients.start(function, self._target, job)
    return clients

  def start_programs(self, function):
    """Starts a client for each program on each task."""
    return self.start(*(functools.partial(function, program, self._root)
                        for program in PROGRAMS))

  def held(self):
    return {job: watched.held(self._cluster, job) for job in JOBS}

  def expect_let_go(self, held):
    for job in JOBS:
      watched.expect_let_go(self._cluster, job, held[job])

  def expect_running(self, count):
    """Waits until this number of steps run on each task."""
    def check():
      for job, held in self.held().items():
        if held["running steps"] != count:
          raise AssertionError("%d steps run on %s instead of %d" %
                               (held["running steps"], job, count))
    tasks.eventually(check, watched.SECONDS)


def test_programs(test, held):
  clients = test.start_programs(wait)
  test.expect_running(len(PROGRAMS))
  clients.kill()
  test.expect_let_go(held)
  test.start_programs(wait_and_fill).end()
  test.expect_let_go(held)


def test_partial_runs(test, held):
  clients = test.start(wait_between_runs)
  test.expect_running(1)
  clients.kill()
  test.expect_let_go(held)


def test_shared_queues(test, held):
  clients = test.start(take_too_many)
  test.expect_running(1)
  clients.kill()
  test.expect_running(0)
  test.start(take_what_was_given_back).end()
  test.start(forget_shared_queues).end()
  test.expect_let_go(held)


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  with tempfile.TemporaryDirectory(prefix="leat_interop_") as root, tasks.Cluster(
      {job: ["leat"] for job in JOBS}, leat=sys.argv[1],
      leat_flags=FLAGS + ["--file-root", root]) as cluster:
    test = Test(cluster, root)
    test.start_programs(wait_and_fill).end()
    held = test.held()
    for each in [test_programs, test_partial_runs, test_shared_queues]:
      start = time.monotonic()
      each(test, held)
      print("%-20s %.1f s" % (each.__name__, time.monotonic() - start), flush=True)


if __name__ == "__main__":
  main()
