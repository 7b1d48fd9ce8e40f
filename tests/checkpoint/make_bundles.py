#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes checkpoints with TensorFlow. tensorflow_bundles_test.cc reads these checkpoints
and writes them again. The files that it writes must have the same bytes.

This program needs a Python that has the tensorflow-cpu 2.15.1 wheel:
    python3 make_bundles.py tensorflow
"""
import os
import sys

import numpy as np
import tensorflow as tf

# The seed is fixed, so that every run writes the same files.
RANDOM = np.random.RandomState(1)

PLAIN = ['bool', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64',
         'uint64', 'half', 'bfloat16', 'float32', 'float64', 'complex64',
         'complex128']
QUANTIZED = ['qint8', 'quint8', 'qint16', 'quint16', 'qint32']


def save(prefix, tensors):
  """Saves `tensors`, a list of tuples (name, shape and slice, value)."""
  names, slices, values = zip(*tensors)
  tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices,
                    tensors=values)


def numbers(shape):
  return RANDOM.randint(0, 100, shape)


def types():
  for name in PLAIN:
    yield name, '', tf.cast(tf.constant(numbers([2, 3])), name)
  for name in QUANTIZED:
    yield name, '', tf.bitcast(tf.cast(tf.constant(numbers([4])), name[1:]), name)
  yield 'scalar', '', tf.constant(2.5)
  yield 'empty', '', tf.zeros([0])
  yield 'no/rows', '', tf.zeros([2, 0, 3], tf.int32)
  yield 'strings', '', tf.constant(
      [[b'', b'a'], [b'zero\0byte \xff', b'long' * 100]])
  yield 'string', '', tf.constant('scalar')
  yield 'no/strings', '', tf.zeros([0], tf.string)


def slices():
  rows = numbers([5, 4]).astype(np.float32)
  for start, length in [(0, 2), (2, 2), (4, 1)]:
    yield ('rows', '5 4 %d,%d:-' % (start, length),
           tf.constant(rows[start:start + length]))
  columns = numbers([3, 300]).astype(np.int64)
  for start, length in [(0, 100), (100, 70), (170, 130)]:
    yield ('columns', '3 300 -:%d,%d' % (start, length),
           tf.constant(columns[:, start:start + length]))
  quarters = numbers([4, 2, 4]).astype(np.uint8)
  for i in (0, 2):
    for j in (0, 2):
      yield ('quarters', '4 2 4 %d,2:-:%d,2' % (i, j),
             tf.constant(quarters[i:i + 2, :, j:j + 2]))
  yield 'texts', '3 0,2', tf.constant(['a', 'b' * 20])
  yield 'texts', '3 2,1', tf.constant(['c'])
  yield 'whole', '2 3 -:-', tf.constant(numbers([2, 3]))
  yield b'escaped\xff\xfe', '2 0,1', tf.constant([1.0])
  yield b'escaped\xff\xfe', '2 1,1', tf.constant([2.0])


def main():
  folder = sys.argv[1]
  os.makedirs(folder, exist_ok=True)
  save(folder + '/types', list(types()))
  save(folder + '/slices', list(slices()))
  parts = []
  for i, tensors in enumerate([list(types())[:3], list(slices())[:2]]):
    parts.append('%s/merged_temp/part-%05d-of-00002' % (folder, i))
    save(parts[-1], tensors)
  save(parts[0] + 'x', list(slices())[2:3])  # the last rows of 'rows'
  tf.raw_ops.MergeV2Checkpoints(
      checkpoint_prefixes=parts + [parts[0] + 'x'],
      destination_prefix=folder + '/merged', delete_old_dirs=True)


main()
