#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Reads data sets (tf.data) with the unmodified client of TensorFlow from a server
of Leat: through one-shot iterators, iterators whose handles are fed, optionals and
reductions, from files, and while a model trains. TensorFlow, which runs in this process, must
give the same.

tests/runtime/make_dataset_cases.py compares the elements of each kind of data set.

Usage: datasets.py LEAT [PROGRAM...]
  LEAT  the program `leat`
"""

import os
import tempfile

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_eager_execution()

Data = tf.data.Dataset


def numbers(n=10):
  return Data.range(n)


def rows():
  return Data.from_tensor_slices((np.arange(12).reshape(6, 2), list("abcdef")))


def counted(x):
  """A data set of x mod 4 elements."""
  return Data.range(x * 10, x * 10 + x % 4)


def plain(value):
  if isinstance(value, (tuple, list)):
    return [plain(each) for each in value]
  return value.tolist() if hasattr(value, "tolist") else value


def one_shot(target):
  """The data set is made by a function, when its first element is wanted."""
  with tf.Graph().as_default():
    data = numbers(4).map(lambda x: x + 1).shuffle(5, seed=1).cache().repeat(2)
    following = tf1.data.make_one_shot_iterator(data).get_next()
    with tf1.Session(target) as session:
      return [plain(session.run(following)) for _ in range(8)]


def feedable(target):
  """A string that is fed says which iterator a step uses."""
  with tf.Graph().as_default(), tf1.Session(target) as session:
    factor = tf1.placeholder(tf.int64, [])
    offset = tf1.get_variable("v", initializer=np.int64(100), use_resource=True)
    first = tf1.data.make_initializable_iterator(numbers(3).map(lambda x: x * factor + offset))
    second = tf1.data.make_initializable_iterator(numbers(2))
    handle = tf1.placeholder(tf.string, [])
    following = tf1.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    handles = session.run([first.string_handle(), second.string_handle()])
    result = []
    try:
      session.run(following, {handle: handles[0]})
    except tf.errors.FailedPreconditionError:
      result.append("not initialized")
    session.run(tf1.global_variables_initializer())
    session.run([first.initializer, second.initializer], {factor: 7})
    for name in [0, 1, 0, 1, 0]:
      result.append(plain(session.run(following, {handle: handles[name]})))
    return result


def optionals(target):
  with tf.Graph().as_default(), tf1.Session(target) as session:
    iterator = tf1.data.make_initializable_iterator(rows().take(2))
    following = tf.data.experimental.get_next_as_optional(iterator)
    has_value, value = following.has_value(), following.get_value()
    session.run(iterator.initializer)
    return [plain(session.run([has_value, value])), plain(session.run([has_value, value])),
            plain(session.run(has_value))]


def reductions(target):
  with tf.Graph().as_default(), tf1.Session(target) as session:
    parallel = numbers(50).map(lambda x: x * x, num_parallel_calls=4, deterministic=False)
    mixed = numbers(30).interleave(counted, cycle_length=4, num_parallel_calls=3,
                                   deterministic=False)
    total = lambda data: data.reduce(np.int64(0), lambda a, b: a + b)
    counts = [numbers(10).batch(3), numbers(3).repeat(), numbers(9).filter(lambda x: x > 2),
              numbers(10).window(3, 2, drop_remainder=True), numbers(4).shard(3, 2),
              numbers(3).concatenate(numbers(4)), Data.zip((numbers(3), numbers(2)))]
    return plain(session.run([
        total(numbers(100)), total(parallel), total(mixed),
        numbers(5).reduce((np.int64(0), "s"), lambda s, x: (s[0] + x, tf.strings.join([s[1], "!"]))),
        [tf.data.experimental.cardinality(each) for each in counts]]))


def trains(target):
  """A model that learns from an iterator, whose batches arrive ahead."""
  with tf.Graph().as_default(), tf1.Session(target) as session:
    random = np.random.RandomState(1)
    inputs = random.uniform(-1, 1, (64, 3)).astype(np.float32)
    labels = inputs @ np.float32([[1], [2], [3]])
    data = Data.from_tensor_slices((inputs, labels)).shuffle(64, seed=1).repeat().batch(8)
    x, y = tf1.data.make_one_shot_iterator(data.prefetch(2)).get_next()
    w = tf1.get_variable("w", initializer=np.zeros((3, 1), np.float32), use_resource=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    train = tf1.train.GradientDescentOptimizer(0.3).minimize(loss)
    session.run(tf1.global_variables_initializer())
    return [round(float(session.run([loss, train])[0]), 4) for _ in range(20)]


def elements(target, data):
  with tf.Graph().as_default():
    iterator = tf1.data.make_initializable_iterator(data())
    following = iterator.get_next()
    result = []
    with tf1.Session(target) as session:
      session.run(iterator.initializer)
      while True:
        try:
          result.append(plain(session.run(following)))
        except tf.errors.OutOfRangeError:
          return result


def caches(target):
  """TensorFlow reads the cache in files that the target writes, and the reverse."""
  def cached(factor, name):
    path = os.path.join(FOLDER.name, name)
    return lambda: numbers().map(
        lambda x: (x * factor, tf.strings.as_string(x), tf.ones([2, 3]))).cache(path)
  name = "leat" if target else "tensorflow"
  return [elements(target, cached(1, name)), elements("", cached(100, name)),
          elements("", cached(2, name + "_other")), elements(target, cached(100, name + "_other"))]


def pipes(target):
  """A named pipe gives what comes. A step that ends loses nothing."""
  if not target:
    return [[b"a", b"b"], [b"c", b"last"]]  # TensorFlow cannot read pipes.
  path = os.path.join(FOLDER.name, "pipe")
  os.mkfifo(path)
  with tf.Graph().as_default(), open(os.open(path, os.O_RDWR), "wb", buffering=0) as pipe:
    data = tf.data.TextLineDataset(path).batch(2)
    iterator = tf1.data.make_initializable_iterator(data)
    following = iterator.get_next()
    with tf1.Session(target) as session:
      session.run(iterator.initializer)
      try:
        session.run(following, options=tf1.RunOptions(timeout_in_ms=100))
        raise AssertionError("an empty pipe has given something")
      except tf.errors.DeadlineExceededError:
        pass
      pipe.write(b"a\nb\nc\nlast")
      first = plain(session.run(following))
      pipe.close()
      return [first, plain(session.run(following))]


FOLDER = tempfile.TemporaryDirectory(prefix="leat_interop_")
PROGRAMS = [one_shot, feedable, optionals, reductions, caches, pipes, trains]


tasks.compare_programs(__doc__, PROGRAMS, file_root=FOLDER.name)
