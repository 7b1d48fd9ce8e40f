#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Saves and restores with tf.compat.v1.train.Saver, on tasks of TensorFlow and Leat.

The variables are on two parameter servers, and one variable is partitioned. Both kinds of
servers must write files that are equal byte for byte. Each kind must restore the files of
the other kind. Leat must also restore its files on three parameter servers. The script
tests all this with a plain saver, and with a sharded saver, which merges the files of the
parameter servers.

Usage: saver.py LEAT
  LEAT  the program `leat`. If LEAT is "", servers of TensorFlow take the place of Leat's
        servers. This tests the script.
"""

import glob
import os
import sys
import tempfile

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

MANY = 300


def check(condition, what):
  if not condition:
    raise AssertionError(what)


def build(num_ps):
  """Builds variables of several types. Their initial values are always the same."""
  def value(shape, dtype, seed):
    numbers = np.random.RandomState(seed).normal(0, 100, shape)
    return numbers.astype(dtype)

  variables = []
  with tf1.device(tf1.train.replica_device_setter(ps_tasks=num_ps)):
    for i, dtype in enumerate([np.float32, np.float64, np.int32, np.int64, np.uint8]):
      variables.append(tf1.get_variable(
          "plain%d" % i, initializer=value([7, i + 1], dtype, i)))
      variables.append(tf1.get_variable(
          "resource%d" % i, use_resource=True,
          initializer=value([3, i + 1], dtype, 10 + i)))
    rows = value([11, 4], np.float32, 99)
    partitioned = tf1.get_variable(
        "rows", shape=[11, 4], initializer=lambda shape, dtype, partition_info: (
            tf.constant(rows[partition_info.var_offset[0]:][:shape[0]])),
        partitioner=tf1.fixed_size_partitioner(num_ps))
    variables += list(partitioned)
    for i in range(MANY):
      variables.append(tf1.get_variable(
          "many/%d" % i, initializer=value([i % 5], np.float32, 1000 + i)))
  return variables, tf1.convert_to_tensor(partitioned), rows


def files(folder):
  return {os.path.basename(path): open(path, "rb").read()
          for path in glob.glob(folder + "/model*") if not path.endswith(".meta")}


def save(cluster, folder, num_ps, sharded):
  with tf1.Graph().as_default():
    build(num_ps)
    saver = tf1.train.Saver(sharded=sharded)
    with tf1.Session(cluster.target("worker", 0)) as session:
      session.run(tf1.global_variables_initializer())
      saver.save(session, folder + "/model", write_meta_graph=False)
  return files(folder)


def restore(cluster, folder, num_ps):
  """Sets all variables to 0, restores them, and expects their initial values."""
  with tf1.Graph().as_default():
    variables, whole, rows = build(num_ps)
    saver = tf1.train.Saver()
    with tf1.Session(cluster.target("worker", 0)) as session:
      session.run(tf1.global_variables_initializer())
      session.run([variable.assign(tf1.zeros_like(variable))
                   for variable in variables])
      saver.restore(session, tf1.train.latest_checkpoint(folder))
      restored, joined = session.run([variables, whole])
      session.run(tf1.global_variables_initializer())
      expected = session.run(variables)
  for variable, a, b in zip(variables, restored, expected):
    check(np.array_equal(a, b), "%s differs" % variable.name)
  check(np.array_equal(joined, rows), "the partitioned variable differs")


def refused(cluster, path, num_ps, words):
  with tf1.Graph().as_default():
    build(num_ps)
    with tf1.Session(cluster.target("worker", 0)) as session:
      session.run(tf1.global_variables_initializer())
      try:
        tf1.train.Saver().save(session, path, write_meta_graph=False,
                               write_state=False)
      except tf.errors.PermissionDeniedError as error:
        check(words in str(error), str(error))
        check(error.op is not None and "save" in error.op.name, "no op")
        return
  raise AssertionError("%s has been written" % path)


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  leat = sys.argv[1]
  kind = "leat" if leat else "tensorflow"
  with tempfile.TemporaryDirectory() as root:
    flags = ["--file-root", root + ":rw"]
    with tasks.Cluster({"ps": ["tensorflow"] * 2, "worker": ["tensorflow"]},
                       leat=leat) as theirs, \
         tasks.Cluster({"ps": [kind] * 2, "worker": [kind]}, leat=leat,
                       leat_flags=flags) as ours, \
         tasks.Cluster({"ps": [kind] * 3, "worker": [kind]}, leat=leat,
                       leat_flags=flags) as larger:
      for sharded in (False, True):
        folders = [tempfile.mkdtemp(dir=root) for _ in range(2)]
        saved = [save(cluster, folder, 2, sharded)
                 for cluster, folder in zip([theirs, ours], folders)]
        check(saved[0].keys() == saved[1].keys(),
              "%s and %s" % (sorted(saved[0]), sorted(saved[1])))
        for name, content in saved[0].items():
          check(saved[1][name] == content, name + " differs")
        restore(ours, folders[0], 2)
        restore(theirs, folders[1], 2)
        restore(larger, folders[1], 3)
        print("sharded" if sharded else "whole  ", sorted(saved[0]), flush=True)
      if leat:
        refused(ours, "/tmp/leat-outside", 2, "--file-root")


main()
