#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains a convolutional network on JPEG images in compressed files of TFRecords, which
tf.data reads, parses, decodes, shuffles, batches and prefetches on the server.

  tfrecord_images.py --target grpc://h:2222 --folder /data/images
"""

import os

import numpy as np

import model
import tensorflow as tf

tf1 = model.tf1

FILES, IMAGES, SIZE, CLASSES, BATCH = 2, 32, 16, 3, 8


def draw(random, label):
  """Returns an image that has a bright row, column or diagonal."""
  image = random.randint(0, 80, [SIZE, SIZE, 3]).astype(np.uint8)
  place = random.randint(SIZE)
  if label == 0:
    image[place] = 255
  elif label == 1:
    image[:, place] = 255
  else:
    image[np.arange(SIZE), np.arange(SIZE)] = 255
  return image


def write_files(session, folder):
  """Writes the images as examples with the features `image` and `label`."""
  random = np.random.RandomState(1)
  pixels = tf1.placeholder(tf.uint8, [SIZE, SIZE, 3])
  encoded = tf1.image.encode_jpeg(pixels, quality=95)
  names = []
  for number in range(FILES):
    names.append(os.path.join(folder, "images-%d.tfrecord.gz" % number))
    with tf1.python_io.TFRecordWriter(names[-1], "GZIP") as writer:
      for i in range(IMAGES):
        image = session.run(encoded, {pixels: draw(random, i % CLASSES)})
        feature = {
            "image": tf1.train.Feature(bytes_list=tf1.train.BytesList(value=[image])),
            "label": tf1.train.Feature(int64_list=tf1.train.Int64List(
                value=[i % CLASSES]))}
        example = tf1.train.Example(features=tf1.train.Features(feature=feature))
        writer.write(example.SerializeToString())
  return names


def parse(serialized):
  features = tf1.parse_single_example(serialized, {
      "image": tf1.FixedLenFeature([], tf.string),
      "label": tf1.FixedLenFeature([], tf.int64)})
  image = tf1.image.decode_jpeg(features["image"], 3, dct_method="INTEGER_ACCURATE")
  image.set_shape([SIZE, SIZE, 3])
  return tf1.cast(image, tf.float32) / 255, features["label"]


def batches(names):
  files = tf.data.Dataset.from_tensor_slices(names)
  records = files.interleave(lambda name: tf.data.TFRecordDataset(name, "GZIP"),
                             cycle_length=FILES)
  data = (records.map(parse, num_parallel_calls=2).shuffle(32, seed=7).repeat()
          .batch(BATCH, drop_remainder=True).prefetch(2))
  return tf1.data.make_initializable_iterator(data)


def classify(images):
  kernel = tf1.get_variable("kernel", [3, 3, 3, 8],
                            initializer=tf1.glorot_uniform_initializer(seed=1))
  hidden = tf1.nn.max_pool2d(tf.nn.relu(tf1.nn.conv2d(images, kernel, 1, "SAME")),
                             2, 2, "SAME")
  return model.dense(tf1.reshape(hidden, [BATCH, (SIZE // 2) ** 2 * 8]), CLASSES,
                     "classes")


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  tf1.set_random_seed(1)
  with tf1.Session(args.target) as session:
    names = write_files(session, args.folder)
  with tf1.device(tf1.train.replica_device_setter(
      ps_tasks=args.ps, worker_device="/job:worker/task:%d" % args.worker)):
    iterator = batches(names)
    images, labels = iterator.get_next()
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, classify(images))
    train = tf1.train.AdamOptimizer(0.01).minimize(loss)
  losses = []
  with tf1.Session(args.target) as session:
    session.run([tf1.global_variables_initializer(), iterator.initializer])
    for _ in range(args.steps):
      losses.append(session.run([loss, train])[0])
  model.report(first_losses=losses[:3], last_loss=losses[-1])


if __name__ == "__main__":
  main()
