#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Lets TensorFlow and a C++ program of Leat go on with each other's checkpoints.

The C++ program embedding_cluster trains on a cluster and saves its variables, some of
them partitioned. TensorFlow finds the latest checkpoint, reads all variables, changes
the step and a table, and saves. Then the C++ program, on a cluster of another shape,
goes on from there. TensorFlow also imports the graph that is beside the checkpoint, with
which it restores and saves the variables.

Usage: resumed_training.py LEAT EMBEDDING_CLUSTER     LEAT: the program `leat`
"""

import os
import re
import subprocess
import sys
import tempfile

import tasks  # before TensorFlow: sets its environment
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


def import_graph(folder, step, tensors):
  """Restores and saves the variables with the nodes of Leat's graph."""
  prefix = folder + "/model.ckpt-%d" % step
  with tempfile.TemporaryDirectory() as other, \
       tf1.Graph().as_default(), tf1.Session() as session:
    saver = tf1.train.import_meta_graph(prefix + ".meta", clear_devices=True)
    saver.restore(session, prefix)
    reader = tf1.train.load_checkpoint(saver.save(session, other + "/again"))
    for name, tensor in tensors.items():
      check(np.array_equal(reader.get_tensor(name), tensor), name)


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

    # Users and items that TensorFlow has learned: their products are all 0.
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
    # One step from all products 0: no gradient, so nothing has moved.
    again = read(folder, 101)
    for name in ("user_table", "item_table"):
      check(np.all(again[name] == 0), name + " was not restored")
    print("TensorFlow and Leat go on with each other's checkpoints")


main()
