#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes tests/graphs/*.pbtxt: small graphs that TensorFlow's Python API builds.

Run this script by hand with TensorFlow 2.15.1 installed. The files are committed.

Graphs of dialect A have resource variables and functional control flow, as in
TensorFlow 2. For dialect B the script calls disable_v2_behavior(). These graphs
have reference variables and the ops Switch, Merge, Enter and Exit.

Usage: make_graphs.py [FOLDER]
"""

import pathlib
import sys

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

tf1 = tf.compat.v1


def mlp():
  """Trains a 4-3-2 MLP with gradient descent. Each label is 0 or 1."""
  rng = np.random.RandomState(7)
  x = tf1.placeholder(tf.float32, [None, 4], name="x")
  labels = tf1.placeholder(tf.int32, [None], name="labels")
  w1 = tf1.get_variable(
      "w1", initializer=rng.randn(4, 3).astype(np.float32))
  b1 = tf1.get_variable("b1", initializer=np.zeros(3, np.float32))
  w2 = tf1.get_variable(
      "w2", initializer=rng.randn(3, 2).astype(np.float32))
  b2 = tf1.get_variable("b2", initializer=np.zeros(2, np.float32))
  hidden = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w1), b1), name="hidden")
  logits = tf.nn.bias_add(tf.matmul(hidden, w2), b2, name="logits")
  loss = tf.reduce_mean(
      tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits),
      name="loss")
  tf1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
  tf1.global_variables_initializer()


def control_flow():
  """Computes y = x > 0 ? 2x : -x, and the smallest n with z = 2^n y >= 100."""
  x = tf1.placeholder(tf.float32, [], name="x")
  y = tf1.cond(x > 0.0, lambda: x * 2.0, lambda: -x, name="cond")
  n, z = tf1.while_loop(
      lambda n, z: z < 100.0, lambda n, z: (n + 1, z * 2.0), [0, y],
      name="while")
  tf.identity(n, name="n")
  tf.identity(z, name="z")
  tf1.gradients(z, x, name="gradients")


def attr_kinds():
  """Has constants of many types, and attrs of every kind, including lists."""
  for name, values, dtype in [
      ("strings", [b"", b"leat", b"\x00\xff"], tf.string),
      ("bools", [True, False, True], tf.bool),
      ("halves", [0.5, -2.0, np.inf], tf.float16),
      ("bfloats", [0.5, -2.0, 3.0], tf.bfloat16),
      ("longs", [-2**63, 2**63 - 1, 0], tf.int64),
      ("ulongs", [0, 2**64 - 1], tf.uint64),
      ("uints", [0, 2**32 - 1], tf.uint32),
      ("bytes", [0, 127, 255], tf.uint8),
      ("shorts", [-32768, 32767], tf.int16),
      ("doubles", [1e-300, -0.0, np.nan], tf.float64),
      ("complexes", [1 + 2j, -3j], tf.complex64),
      ("empty", [], tf.float32),
  ]:
    tf1.constant(values, dtype, name=name)
  tf1.constant(3, tf.int32, name="scalar")
  tf1.constant(1.0, tf.float32, [2, 3], name="repeated")
  queue = tf.queue.FIFOQueue(
      8, [tf.float32, tf.string], shapes=[[2, 3], []], names=["f", "s"],
      name="queue")
  queue.enqueue({"f": np.ones((2, 3), np.float32), "s": "s"}, name="enqueue")
  images = tf1.placeholder(tf.float32, [None, 8, 8, 2], name="images")
  tf.nn.conv2d(images, np.ones((3, 3, 2, 4), np.float32), [1, 2, 2, 1],
               [[0, 0], [1, 1], [1, 0], [0, 0]], name="convolution")
  tf.raw_ops.Squeeze(input=np.ones((1, 2), np.float32), axis=[], name="squeeze")
  tf.raw_ops.Bucketize(input=[0.5, 2.5], boundaries=[0.0, 1.0, 2.0],
                       name="bucketize")
  tf1.placeholder(tf.float32, None, name="unknown_rank")
  with tf1.device("/job:ps/task:0/device:CPU:0"):
    anchor = tf1.placeholder_with_default(np.int32(1), [], name="anchor")
  with tf1.colocate_with(anchor), tf1.control_dependencies([anchor]):
    tf1.no_op(name="colocated")
  branches = [lambda: 1.0, lambda: 2.0, lambda: 3.0]
  tf.switch_case(anchor, branches, name="case")


def meta_graph():
  """Has a variable, a saver, collections and a signature."""
  x = tf1.placeholder(tf.float32, [None], name="x")
  scale = tf1.get_variable("scale", initializer=2.0)
  y = tf.multiply(x, scale, name="y")
  step = tf1.train.get_or_create_global_step()
  tf1.add_to_collection("losses", tf.reduce_sum(y, name="loss"))
  tf1.add_to_collection("epochs", 3)
  tf1.add_to_collection("rate", 0.5)
  saver = tf1.train.Saver([scale, step])
  exported = tf1.train.export_meta_graph(saver_def=saver.as_saver_def())
  exported.meta_info_def.tags.append("serve")
  exported.signature_def["serving_default"].CopyFrom(
      tf1.saved_model.predict_signature_def({"x": x}, {"y": y}))
  return exported


def write(folder, name, make, dialect):
  with tf.Graph().as_default() as graph:
    message = make() or graph.as_graph_def()
  (folder / f"{name}.pbtxt").write_text(
      f"# {type(message).__name__}, made by tests/protos/make_graphs.py with "
      f"TensorFlow {tf.__version__}, dialect {dialect}.\n"
      f"# {make.__doc__.splitlines()[0]}\n"
      + text_format.MessageToString(message))


def main():
  folder = pathlib.Path(
      sys.argv[1] if len(sys.argv) > 1
      else pathlib.Path(__file__).parents[1] / "graphs")
  write(folder, "mlp_resource", mlp, "A")
  write(folder, "control_flow_functional", control_flow, "A")
  write(folder, "attr_kinds", attr_kinds, "A")
  write(folder, "meta_graph", meta_graph, "A")
  tf1.disable_v2_behavior()
  write(folder, "mlp_ref", mlp, "B")
  write(folder, "control_flow_primitive", control_flow, "B")


if __name__ == "__main__":
  main()
