# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Measures a training step with TensorFlow's Python client, as users run it. The
step is a callable that is fed from numpy. The optimizers have their defaults.

The program reads commands from standard input, and answers each on standard
output, as tensorflow_c_api.cc does:
  load CASE          loads mlp_32 or cnn_128, and answers with the number of nodes
                     that a step runs
  time CASE SECONDS  runs steps for about SECONDS, and answers with the mean time of
                     a step in seconds
"""
import os
import sys
import time
import warnings

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

warnings.simplefilter('ignore')
tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()


def mlp(h):
  h = tf1.layers.dense(tf1.layers.flatten(h), 128, activation=tf.nn.relu)
  return tf1.layers.dense(h, 10)


def cnn(h):
  for filters in (32, 64):
    h = tf1.layers.conv2d(h, filters, 3, activation=tf.nn.relu)
    h = tf1.layers.max_pooling2d(h, 2, 2)
  h = tf1.layers.dense(tf1.layers.flatten(h), 128, activation=tf.nn.relu)
  return tf1.layers.dense(h, 10)


class Case:

  def __init__(self, name):
    model, batch = name.split('_')
    batch = int(batch)
    with tf.Graph().as_default():
      images = tf1.placeholder(tf.float32, [batch, 28, 28, 1])
      labels = tf1.placeholder(tf.int32, [batch])
      logits = {'mlp': mlp, 'cnn': cnn}[model](images)
      loss = tf1.reduce_mean(
          tf.nn.sparse_softmax_cross_entropy_with_logits(
              labels=labels, logits=logits))
      train = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
      init = tf1.global_variables_initializer()
      session = tf1.Session()
      session.run(init)
      random = np.random.RandomState(1)
      feeds = (random.rand(batch, 28, 28, 1).astype(np.float32),
               random.randint(0, 10, batch).astype(np.int32))
      metadata = tf1.RunMetadata()
      session.run([train, loss], {images: feeds[0], labels: feeds[1]},
                  tf1.RunOptions(trace_level=tf1.RunOptions.SOFTWARE_TRACE),
                  metadata)
      self.nodes = sum(
          node.node_name != '_SOURCE'
          for device in metadata.step_stats.dev_stats
          for node in device.node_stats)
      step = session.make_callable([train, loss], feed_list=[images, labels])
    self.step = lambda: step(*feeds)

  def time(self, seconds):
    for _ in range(3):
      self.step()
    start = time.perf_counter()
    steps = 0
    while time.perf_counter() - start < seconds:
      for _ in range(5):
        self.step()
      steps += 5
    return (time.perf_counter() - start) / steps


def main():
  cases = {}
  for line in sys.stdin:
    command, name, *rest = line.split()
    if command == 'load':
      cases[name] = Case(name)
      print(cases[name].nodes, flush=True)
    else:
      print('%.9g' % cases[name].time(float(rest[0])), flush=True)


if __name__ == '__main__':
  main()
