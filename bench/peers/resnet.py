#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Begins sessions with Keras' ResNet-50 on a server, with TensorFlow's client.

  resnet.py LEAT   LEAT is the program `leat`. Its server then runs the model. If
                   LEAT is "", TensorFlow's server runs the model.

The program reads commands from standard input, and answers each with a time in seconds:
  first_step   makes a session, initializes the variables, and classifies eight
               images
  step         classifies eight images
"""
import os
import pathlib
import sys
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from checkpoints import LeatServer  # noqa: E402
from tf_cluster import Servers  # noqa: E402

tf1 = tf.compat.v1
tf1.disable_v2_behavior()

STEPS = 3


class Bench:

  def __init__(self, leat):
    servers = LeatServer(leat, pathlib.Path('/tmp')) if leat else Servers({'worker': 1})
    self.target = servers.target('worker')
    with tf.Graph().as_default() as self.graph:
      tf1.keras.backend.set_learning_phase(0)
      self.images = tf1.placeholder(tf.float32, [8, 224, 224, 3])
      self.classes = tf.keras.applications.ResNet50(weights=None)(self.images)
      self.initializer = tf1.global_variables_initializer()
    self.values = np.random.RandomState(1).rand(8, 224, 224, 3).astype(np.float32)
    self.session = None

  def first_step(self):
    if self.session is not None:
      self.session.close()
    start = time.perf_counter()
    self.session = tf1.Session(self.target, graph=self.graph)
    self.session.run(self.initializer)
    self.session.run(self.classes, {self.images: self.values})
    return time.perf_counter() - start

  def step(self):
    start = time.perf_counter()
    for _ in range(STEPS):
      self.session.run(self.classes, {self.images: self.values})
    return (time.perf_counter() - start) / STEPS


def main():
  bench = Bench(sys.argv[1])
  for line in sys.stdin:
    print(getattr(bench, line.strip())(), flush=True)


if __name__ == '__main__':
  main()
