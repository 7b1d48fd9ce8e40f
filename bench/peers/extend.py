#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Extends a graph of 100,000 nodes by ten with TensorFlow's client.

  extend.py LEAT FOLDER   LEAT is the program `leat`. Its server then has the
                          graph. If LEAT is "", TensorFlow's server has it.
                          FOLDER is the folder that bench/export_cases has written.

The program reads commands from standard input, and answers each with a time in seconds:
  extend  the least time of an extension by ten nodes
  step    the least time of an extension and a step that runs the ten nodes
"""
import os
import pathlib
import sys
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import tensorflow as tf  # noqa: E402

from checkpoints import LeatServer  # noqa: E402
from tf_cluster import Servers  # noqa: E402

tf1 = tf.compat.v1

NODES = 100_000
ADDED = 10
REPEATS = 5


class Bench:

  def __init__(self, leat, folder):
    servers = LeatServer(leat, folder) if leat else Servers({'worker': 1})
    graph_def = tf1.GraphDef.FromString(
        (folder / f'layered_{NODES}.pb').read_bytes())
    for node in graph_def.node:
      node.device = ''
    self.graph = tf.Graph()
    with self.graph.as_default():
      tf.import_graph_def(graph_def, name='')
    self.session = tf1.Session(servers.target('worker'), graph=self.graph)
    self.session.run('x:0', {'x:0': 1.0})

  def add(self):
    """Adds ten nodes to the client's graph and returns the last one."""
    with self.graph.as_default():
      value = self.graph.get_tensor_by_name('x:0')
      for _ in range(ADDED):
        value = value + value
    return value

  def extend(self):
    times = []
    for _ in range(REPEATS):
      self.add()
      start = time.perf_counter()
      self.session._extend_graph()  # session.run begins with this call
      times.append(time.perf_counter() - start)
    return min(times)

  def step(self):
    times = []
    for _ in range(REPEATS):
      last = self.add()
      start = time.perf_counter()
      assert self.session.run(last, {'x:0': 1.0}) == 2**ADDED
      times.append(time.perf_counter() - start)
    return min(times)


def main():
  bench = Bench(sys.argv[1], pathlib.Path(sys.argv[2]))
  for line in sys.stdin:
    print('%.9g' % getattr(bench, line.strip())(), flush=True)


if __name__ == '__main__':
  main()
