#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Saves and restores 1 GB of 200 variables with TensorFlow's client and Saver.

  checkpoints.py LEAT FOLDER   LEAT is the program `leat`. Its server then has the
                               variables. If LEAT is "", TensorFlow's server has them.

The program reads commands from standard input, and answers each with a time in seconds:
  save         saves the variables, and waits until all bytes are on the disk
  restore      restores the last checkpoint
  write, read  write as many bytes to a file and sync it, or read them, without a server
  step         runs a step that trains an MLP on the same server
  step_saving  runs such a step while saves run one after another
"""
import os
import pathlib
import subprocess
import sys
import threading
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from tensorflow_python import mlp  # noqa: E402
from tf_cluster import Servers, end_with_parent, free_ports  # noqa: E402

tf1 = tf.compat.v1
tf1.disable_v2_behavior()

VARIABLES = 200
ELEMENTS = 5 * 1000 * 1000 // 4  # floats per variable; 1 GB in all
STEP_SECONDS = 2


class LeatServer:
  """Runs one task of Leat, which may write files in the folder."""

  def __init__(self, leat, folder):
    port = free_ports(1)[0]
    self.cluster = {'worker': [f'127.0.0.1:{port}']}
    process = subprocess.Popen(
        [leat, 'serve', '--cluster', '{"worker": ["127.0.0.1:%d"]}' % port, '--job',
         'worker', '--task', '0', '--file-root', f'{folder}:rw'],
        stdout=subprocess.PIPE, preexec_fn=end_with_parent)
    process.stdout.readline()

  def target(self, job):
    return f'grpc://{self.cluster[job][0]}'


def sync(folder):
  for path in folder.iterdir():
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)
  file = os.open(folder, os.O_RDONLY)
  os.fsync(file)
  os.close(file)


def train_mlp():
  """Returns a training step, its placeholders, and the values that they are fed."""
  images = tf1.placeholder(tf.float32, [32, 28, 28, 1])
  labels = tf1.placeholder(tf.int32, [32])
  loss = tf1.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
      labels=labels, logits=mlp(images)))
  random = np.random.RandomState(1)
  values = (random.rand(32, 28, 28, 1).astype(np.float32),
            random.randint(0, 10, 32).astype(np.int32))
  return tf1.train.GradientDescentOptimizer(0.01).minimize(loss), [images, labels], values


class Bench:

  def __init__(self, leat, folder):
    self.folder = folder
    servers = LeatServer(leat, folder) if leat else Servers({'worker': 1})
    with tf.Graph().as_default():
      with tf1.device('/job:worker/task:0'):
        saved = [tf1.get_variable('v%d' % i, use_resource=True,
                                  initializer=tf.random.stateless_uniform(
                                      [ELEMENTS], seed=[1, i]))
                 for i in range(VARIABLES)]
        step, feeds, self.values = train_mlp()
      self.saver = tf1.train.Saver(saved, max_to_keep=1)
      self.session = tf1.Session(servers.target('worker'))
      self.session.run(tf1.global_variables_initializer())
      self.run_step = self.session.make_callable(step, feed_list=feeds)
    self.saves = 0
    self.saved = None

  def save(self):
    start = time.perf_counter()
    self.saves += 1
    self.saved = self.saver.save(self.session, str(self.folder / 'model'),
                                 global_step=self.saves, write_meta_graph=False)
    sync(self.folder)
    return time.perf_counter() - start

  def restore(self):
    start = time.perf_counter()
    self.saver.restore(self.session, self.saved)
    return time.perf_counter() - start

  def write(self):
    content = np.ones(ELEMENTS, np.float32)
    start = time.perf_counter()
    with open(self.folder / 'raw', 'wb', buffering=0) as file:
      for _ in range(VARIABLES):
        file.write(content)
      os.fsync(file.fileno())
    return time.perf_counter() - start

  def read(self):
    content = memoryview(np.empty(ELEMENTS, np.float32)).cast('B')
    start = time.perf_counter()
    with open(self.folder / 'raw', 'rb', buffering=0) as file:
      while file.readinto(content):
        pass
    return time.perf_counter() - start

  def step(self):
    for _ in range(5):
      self.run_step(*self.values)
    start = time.perf_counter()
    steps = 0
    while time.perf_counter() - start < STEP_SECONDS:
      self.run_step(*self.values)
      steps += 1
    return (time.perf_counter() - start) / steps

  def step_saving(self):
    ends = threading.Event()

    def save():
      while not ends.is_set():
        self.save()

    thread = threading.Thread(target=save)
    thread.start()
    try:
      return self.step()
    finally:
      ends.set()
      thread.join()


def main():
  bench = Bench(sys.argv[1], pathlib.Path(sys.argv[2]))
  for line in sys.stdin:
    print(getattr(bench, line.strip())(), flush=True)


if __name__ == '__main__':
  main()
