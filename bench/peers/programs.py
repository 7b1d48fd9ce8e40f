#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs typical programs of TensorFlow 1.x with TensorFlow's client.

  programs.py KIND FOLDER   KIND is the program `leat`, whose server then runs the
                            steps, or "server" for a server of TensorFlow's, or
                            "in_process" for a session in this process. The programs
                            write files in FOLDER.

The program reads commands from standard input, and answers each with a time in seconds:
  lstm      a training step of an LSTM by dynamic_rnn: 64 steps, 256 units, batch 32
  map       an element that tf.data maps with a small function, and batches by 128
  records   a record that tf.data reads from a TFRecord file, parses, decodes as a JPEG
            of 128 x 128, shuffles and batches by 32
  resnet    a training step of Keras' ResNet-50 with 8 images
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

ELEMENTS = 1_000_000
RECORDS = 2048
SIZE = 128


class Steps:
  """A program whose step is run several times."""

  def __init__(self, target, build, count):
    self.count = count
    with tf.Graph().as_default() as graph:
      self.step, self.feed = build()
      initialize = tf1.global_variables_initializer()
    self.session = tf1.Session(target, graph=graph)
    self.session.run(initialize)
    self.session.run(self.step, self.feed)

  def time(self):
    start = time.perf_counter()
    for _ in range(self.count):
      self.session.run(self.step, self.feed)
    return (time.perf_counter() - start) / self.count


class Pipeline:
  """A program that reads a data set to its end."""

  def __init__(self, target, build, elements):
    self.elements = elements
    with tf.Graph().as_default() as graph:
      self.iterator = tf1.data.make_initializable_iterator(build())
      # Only a number goes to the client.
      self.step = tf.add_n([tf1.reduce_sum(tf1.cast(part, tf.int64))
                            for part in tf.nest.flatten(self.iterator.get_next())])
    self.session = tf1.Session(target, graph=graph)
    self.time()

  def time(self):
    self.session.run(self.iterator.initializer)
    start = time.perf_counter()
    try:
      while True:
        self.session.run(self.step)
    except tf.errors.OutOfRangeError:
      return (time.perf_counter() - start) / self.elements


def lstm():
  inputs = tf1.placeholder(tf.float32, [32, 64, 256])
  cell = tf1.nn.rnn_cell.LSTMCell(256)
  outputs, _ = tf1.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
  loss = tf1.reduce_mean(tf1.square(outputs - 0.5))
  train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
  return train, {inputs: np.random.RandomState(1).rand(*inputs.shape.as_list())}


def resnet():
  images = tf1.placeholder(tf.float32, [8, 224, 224, 3])
  labels = tf1.placeholder(tf.int32, [8])
  network = tf1.keras.applications.ResNet50(weights=None, classifier_activation=None)
  loss = tf1.losses.sparse_softmax_cross_entropy(labels, network(images, training=True))
  train = tf1.train.MomentumOptimizer(1e-3, 0.9).minimize(loss)
  random = np.random.RandomState(1)
  return train, {images: random.rand(*images.shape.as_list()), labels: range(8)}


def mapped():
  return tf.data.Dataset.range(ELEMENTS).map(lambda x: 2 * x + 1).batch(128)


def write_records(name):
  """Writes JPEG images of noise that was made smooth, so that they compress."""
  random = np.random.RandomState(1)
  with tf.Graph().as_default(), tf1.Session() as session:
    pixels = tf1.placeholder(tf.uint8, [SIZE, SIZE, 3])
    encoded = tf1.image.encode_jpeg(pixels)
    images = [session.run(encoded, {pixels: random.randint(
        0, 256, [SIZE // 8, SIZE // 8, 3]).repeat(8, 0).repeat(8, 1)}) for _ in range(32)]
  with tf1.python_io.TFRecordWriter(name) as writer:
    for i in range(RECORDS):
      feature = {
          'image': tf1.train.Feature(bytes_list=tf1.train.BytesList(
              value=[images[i % len(images)]])),
          'label': tf1.train.Feature(int64_list=tf1.train.Int64List(value=[i]))}
      writer.write(tf1.train.Example(
          features=tf1.train.Features(feature=feature)).SerializeToString())


def records(name):
  def parse(serialized):
    features = tf1.parse_single_example(serialized, {
        'image': tf1.FixedLenFeature([], tf.string),
        'label': tf1.FixedLenFeature([], tf.int64)})
    image = tf1.image.decode_jpeg(features['image'], 3)
    image.set_shape([SIZE, SIZE, 3])
    return image, features['label']

  return (tf.data.TFRecordDataset(name).map(parse, num_parallel_calls=2)
          .shuffle(256, seed=1).batch(32).prefetch(2))


def main():
  kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
  file = str(folder / f'{pathlib.Path(kind).name}.tfrecord')
  write_records(file)
  if kind == 'in_process':
    target = ''
  else:
    servers = (Servers({'worker': 1}) if kind == 'server' else
               LeatServer(kind, folder))
    target = servers.target('worker')
  make = {
      'lstm': lambda: Steps(target, lstm, 5),
      'map': lambda: Pipeline(target, mapped, ELEMENTS),
      'records': lambda: Pipeline(target, lambda: records(file), RECORDS),
      'resnet': lambda: Steps(target, resnet, 2),
  }
  programs = {}
  for line in sys.stdin:
    name = line.strip()
    if name not in programs:
      programs[name] = make[name]()
    print(programs[name].time(), flush=True)


if __name__ == '__main__':
  main()
