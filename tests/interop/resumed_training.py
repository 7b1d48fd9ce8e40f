#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Lets TensorFlow and a C++ program of Leat go on with each other's checkpoints.

The C++ program embedding_cluster trains on a cluster and saves its variables. Some of
them are partitioned. TensorFlow finds the latest checkpoint and reads all variables. It
imports the graph that is beside the checkpoint and finds its variables. It restores and
saves these variables with the graph's saver, and with a saver that it makes itself. Then
TensorFlow saves a checkpoint with another step and other tables. The C++ program goes on
from this checkpoint, on a cluster with more parameter servers.

Usage: resumed_training.py LEAT EMBEDDING_CLUSTER
  LEAT               the program `leat`
  EMBEDDING_CLUSTER  the program embedding_cluster
"""

import os
import re
import subprocess
import sys
import tempfile

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()

USERS, ITEMS, DIMENSION = 40, 20, 8


def check(condition, what):
  if not condition:
    raise AssertionError(what)


def train(leat, program, folder, ps, steps):
  """Trains until the step `steps`, and returns what the program wrote."""
  done = subprocess.run(
      [leat, "launch", "--jobs", "chief=1,ps=%d" % ps, "--", program,
       "--users=%d" % USERS, "--items=%d" % ITEMS, "--batch=16",
       "--dimension=%d" % DIMENSION, "--steps=%d" % steps,
       "--checkpoints", folder],
      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
  check(done.returncode == 0, done.stdout)
  return done.stdout


def read(folder, step):
  """Returns all tensors of the latest checkpoint."""
  latest = tf1.train.latest_checkpoint(folder)
  check(latest == folder + "/model.ckpt-%d" % step, latest)
  reader = tf1.train.load_checkpoint(latest)
  return {name: reader.get_tensor(name)
          for name in reader.get_variable_to_shape_map()}


def check_collections(session, is_initialized):
  """Checks the variables that TensorFlow finds in Leat's graph."""
  names = [v.op.name for v in tf1.global_variables()]
  tables = {"%s_table/part_%d" % (table, i) for table in ("user", "item")
            for i in range(2)}
  slots = {table + "/Adagrad" for table in tables}
  check(set(names) == tables | slots | {"global_step"}, names)
  check(len(names) == len(set(names)), names)
  trainable = {v.op.name for v in tf1.trainable_variables()}
  check(trainable == tables, trainable)
  missing = session.run(tf1.report_uninitialized_variables())
  check({name.decode() for name in missing} ==
        (set() if is_initialized else set(names)), missing)


def import_graph(folder, step, tensors):
  """Restores and saves the variables with the saver in Leat's graph, and with a
  saver that TensorFlow adds to the graph."""
  prefix = folder + "/model.ckpt-%d" % step
  with tempfile.TemporaryDirectory() as other, tf1.Graph().as_default():
    savers = [tf1.train.import_meta_graph(prefix + ".meta", clear_devices=True),
              tf1.train.Saver()]
    for saver in savers:
      with tf1.Session() as session:
        check_collections(session, is_initialized=False)
        saver.restore(session, prefix)
        check_collections(session, is_initialized=True)
        for variable in tf1.global_variables():
          check(session.run(variable).shape == variable.shape, variable.name)
        saved = saver.save(session, other + "/again")
      reader = tf1.train.load_checkpoint(saved)
      check(set(reader.get_variable_to_shape_map()) == set(tensors), saved)
      for name, tensor in tensors.items():
        check(np.array_equal(reader.get_tensor(name), tensor), name)
    with tf1.Session() as session:
      session.run(tf1.global_variables_initializer())
      check_collections(session, is_initialized=True)


def main():
  if len(sys.argv) != 3:
    sys.exit(__doc__)
  leat, program = sys.argv[1:]
  with tempfile.TemporaryDirectory() as folder:
    train(leat, program, folder, 2, 30)
    tensors = read(folder, 30)
    shapes = {name: tensor.shape for name, tensor in tensors.items()}
    check(shapes == {
        "global_step": (), "user_table": (USERS, DIMENSION),
        "item_table": (ITEMS, DIMENSION), "user_table/Adagrad": (USERS, DIMENSION),
        "item_table/Adagrad": (ITEMS, DIMENSION)}, shapes)
    check(tensors["global_step"] == 30, tensors["global_step"])
    check(np.any(tensors["user_table/Adagrad"] > 0.1), "nothing was learned")
    import_graph(folder, 30, tensors)

    # TensorFlow saves tables of zeros. So the product of every user with every
    # item is 0.
    tensors["user_table"][:] = 0
    tensors["item_table"][:] = 0
    tensors["global_step"] = np.int64(100)
    with tf1.Graph().as_default(), tf1.Session() as session:
      variables = [tf1.get_variable(name, initializer=tensor)
                   for name, tensor in tensors.items()]
      session.run(tf1.global_variables_initializer())
      tf1.train.Saver(variables).save(session, folder + "/model.ckpt",
                                      global_step=100, write_meta_graph=False)
    log = train(leat, program, folder, 3, 101)
    check(re.search(r"restored the variables from '.*model\.ckpt-100'", log), log)
    # If all products are 0, the gradient is 0. So the tables must still be 0
    # after one step.
    again = read(folder, 101)
    for name in ("user_table", "item_table"):
      check(np.all(again[name] == 0), name + " was not restored")
    print("TensorFlow and Leat go on with each other's checkpoints")


main()
