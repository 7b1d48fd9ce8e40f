# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs the cases of cluster_bench.cc with TensorFlow's servers and Python client.
Each server is a process of its own.

  tf_cluster.py FOLDER   FOLDER is the folder that bench/export_cases has written

The program reads commands from standard input, and answers each on standard
output, as tensorflow_python.py does:
  load CASE          loads null_step, read_N, mlp_32, cnn_128 or first_step, and
                     answers with 0
  time CASE SECONDS  runs steps for about SECONDS, and answers with the mean time of
                     a step in seconds. For first_step, answers with the least time.
"""
import ctypes
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from tensorflow_python import cnn, mlp  # noqa: E402

tf1 = tf.compat.v1

SERVER = '''
import json, os, sys
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
tf1 = tf.compat.v1
server = tf1.train.Server(tf1.train.ClusterSpec(json.loads(sys.argv[1])),
                          job_name=sys.argv[2], task_index=int(sys.argv[3]))
print('ready', flush=True)
server.join()
'''
FIRST_STEP_NODES = 7000
FIRST_STEP_TASKS = 5


def free_ports(count):
  sockets = [socket.socket() for _ in range(count)]
  for each in sockets:
    each.bind(('127.0.0.1', 0))
  ports = [each.getsockname()[1] for each in sockets]
  for each in sockets:
    each.close()
  return ports


def end_with_parent():
  ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Servers:
  """Runs servers. `jobs` has the number of tasks of each job: {'ps': 1, 'worker': 1}."""

  def __init__(self, jobs):
    ports = free_ports(sum(jobs.values()))
    self.cluster = {
        job: [f'127.0.0.1:{ports.pop()}' for _ in range(tasks)]
        for job, tasks in jobs.items()
    }
    self.processes = []
    for job, tasks in jobs.items():
      for task in range(tasks):
        self.processes.append(
            subprocess.Popen(
                [sys.executable, '-c', SERVER, json.dumps(self.cluster), job,
                 str(task)], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, preexec_fn=end_with_parent))
    for process in self.processes:
      if not process.stdout.readline():
        raise SystemExit('a server has ended')

  def target(self, job):
    return f'grpc://{self.cluster[job][0]}'


class Steps:
  """Runs steps of the graph that `build` makes. The first task of `job` is the master.

  The servers keep the variables of the graph, by names that no other graph uses."""

  def __init__(self, name, servers, job, build, config=None):
    with tf.Graph().as_default(), tf1.variable_scope(name):
      fetches, feeds, values = build(servers)
      init = tf1.global_variables_initializer()
      session = tf1.Session(servers.target(job), config=config)
      session.run(init)
      step = session.make_callable(fetches, feed_list=feeds)
    self.step = lambda: step(*values)

  def time(self, seconds):
    for _ in range(5):
      self.step()
    start = time.perf_counter()
    steps = 0
    while time.perf_counter() - start < seconds:
      for _ in range(3):
        self.step()
      steps += 3
    return (time.perf_counter() - start) / steps


def null_step(servers):
  del servers
  return tf.no_op(), [], []


def read(elements):

  def build(servers):
    del servers
    with tf1.device('/job:ps/task:0'):
      variable = tf1.Variable(tf.zeros([elements]))
    with tf1.device('/job:worker/task:0/cpu:0'):
      return tf.reduce_max(variable).op, [], []

  return build


def train(model, batch):

  def build(servers):
    with tf1.device(
        tf1.train.replica_device_setter(cluster=servers.cluster,
                                        worker_device='/job:worker/task:0')):
      images = tf1.placeholder(tf.float32, [batch, 28, 28, 1])
      labels = tf1.placeholder(tf.int32, [batch])
      loss = tf1.reduce_mean(
          tf.nn.sparse_softmax_cross_entropy_with_logits(
              labels=labels, logits=model(images)))
      step = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
    random = np.random.RandomState(1)
    values = (random.rand(batch, 28, 28, 1).astype(np.float32),
              random.randint(0, 10, batch).astype(np.int32))
    return [step, loss], [images, labels], values

  return build


class FirstStep:

  def __init__(self, folder):
    self.servers = Servers({'worker': FIRST_STEP_TASKS})
    name = f'layered_tasks_{FIRST_STEP_NODES}'
    graph_def = tf1.GraphDef.FromString(
        (folder / f'{name}.pb').read_bytes())
    targets = [
        line.split()[1]
        for line in (folder / f'{name}.case').read_text().splitlines()
        if line.startswith('target ')
    ]
    self.graph = tf.Graph()
    with self.graph.as_default():
      tf.import_graph_def(graph_def, name='')
    self.targets = [self.graph.get_operation_by_name(t) for t in targets]

  def time(self, seconds):
    times = []
    while sum(times) < seconds or len(times) < 2:
      start = time.perf_counter()
      session = tf1.Session(self.servers.target('worker'), graph=self.graph)
      session.run(self.targets, {'x:0': 1.0})
      times.append(time.perf_counter() - start)
      session.close()
    return min(times)


class Cases:

  def __init__(self, folder):
    self.folder = folder
    self.pair = None
    self.alone = None

  def load(self, name):
    if name == 'first_step':
      return FirstStep(self.folder)
    if name == 'null_step':
      self.alone = self.alone or Servers({'worker': 1})
      return Steps(name, self.alone, 'worker', null_step)
    self.pair = self.pair or Servers({'ps': 1, 'worker': 1})
    kind, size = name.split('_')
    if kind == 'read':
      # TensorFlow may know the value of the variable. It would then replace the
      # reduction by a constant.
      config = tf1.ConfigProto()
      config.graph_options.rewrite_options.disable_meta_optimizer = True
      return Steps(name, self.pair, 'worker', read(int(size)), config)
    return Steps(name, self.pair, 'worker',
                 train({'mlp': mlp, 'cnn': cnn}[kind], int(size)))


def main():
  cases = Cases(pathlib.Path(sys.argv[1]))
  loaded = {}
  for line in sys.stdin:
    command, name, *rest = line.split()
    if command == 'load':
      loaded[name] = cases.load(name)
      print(0, flush=True)
    else:
      print('%.9g' % loaded[name].time(float(rest[0])), flush=True)


if __name__ == '__main__':
  main()
