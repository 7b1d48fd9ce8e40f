#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs in TensorFlow a loop that Leat froze, and writes a loop for Leat to freeze.

Run this script by hand with TensorFlow 2.15.1 installed. Leat's C++ API built and froze
tests/graphs/frozen_loops/leat.pbtxt. (tests/train/freeze_test.cc says how to write this
file anew.) TensorFlow runs this graph twice: with functional control flow lowered to
primitives, and with its If and While kernels. Both results must agree with NumPy.

The script writes tensorflow.pbtxt, in which TensorFlow builds the same computation with
variables. It also writes expected.txt, in which each line describes a step:

    graph n threshold value value

freeze_test.cc expects these values from Leat.

Usage: run_frozen_loops.py [FOLDER]
"""

import pathlib
import sys

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

tf1 = tf.compat.v1
tf1.enable_control_flow_v2()
tf1.enable_resource_variables()

LOWERING = "_lower_using_switch_merge"
STEPS = [(n, t) for n in (0, 1, 5) for t in (-9.0, 0.0, 9.0)]
X = np.array([[0.5, -0.75]], np.float32)
W = np.array([[0.5, -1], [2, 0.25]], np.float32)
BIAS = np.array([0.125, -0.25], np.float32)


def reference(n, threshold):
  y = X
  for _ in range(n):
    product = y @ W
    y = np.tanh(product + BIAS if product.sum() < threshold else product)
  return y.ravel()


def run(graph_def, lower, init=None):
  """Returns the value of y in each step."""
  graph_def = tf1.GraphDef.FromString(graph_def.SerializeToString())
  for nodes in [graph_def.node] + [f.node_def for f in graph_def.library.function]:
    for node in nodes:
      if LOWERING in node.attr:
        node.attr[LOWERING].b = lower
  # Turns off Grappler, which could fold the loops away before they run.
  config = tf1.ConfigProto()
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  with tf1.Graph().as_default() as graph:
    tf1.import_graph_def(graph_def, name="")
    with tf1.Session(graph=graph, config=config) as session:
      if init:
        session.run(init)
      return [session.run("y:0", {"n:0": n, "threshold:0": t, "x:0": X}).ravel()
              for n, t in STEPS]


def loops():
  """Builds the same graph as freeze_test.cc."""
  n = tf1.placeholder(tf.int32, [], name="n")
  threshold = tf1.placeholder(tf.float32, [], name="threshold")
  x = tf1.placeholder(tf.float32, [1, 2], name="x")
  w = tf1.get_variable("w", initializer=W)
  bias = tf1.get_variable("bias", initializer=BIAS)
  def body(i, y):
    product = tf.matmul(y, w)
    chosen = tf1.cond(tf.reduce_sum(product) < threshold,
                      lambda: product + bias, lambda: product)
    return i + 1, tf.tanh(chosen)
  _, y = tf1.while_loop(lambda i, y: i < n, body, [0, x])
  tf.identity(y, name="y")
  tf.group(w.initializer, bias.initializer, name="init")


def main():
  folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).parent.parent /
                        "graphs" / "frozen_loops")
  with tf1.Graph().as_default() as graph:
    loops()
    theirs = graph.as_graph_def()
  (folder / "tensorflow.pbtxt").write_text(
      f"# GraphDef, made by tests/interop/run_frozen_loops.py with TensorFlow "
      f"{tf.__version__}.\n" + text_format.MessageToString(theirs))
  ours = text_format.Parse((folder / "leat.pbtxt").read_text(), tf1.GraphDef())
  lines = [f"# tensorflow {tf.__version__}: run_frozen_loops.py"]
  for name, graph_def, init in [("leat", ours, None),
                                ("tensorflow", theirs, "init")]:
    results = [run(graph_def, lower, init) for lower in (True, False)]
    for (n, t), lowered, functional in zip(STEPS, *results):
      for other in (functional, reference(n, t)):
        np.testing.assert_allclose(lowered, other, rtol=1e-6, atol=1e-7,
                                   err_msg=f"{name}, n = {n}, threshold = {t}")
      values = " ".join(repr(float(v)) for v in lowered)
      lines.append(f"{name} {n} {t} {values}")
  (folder / "expected.txt").write_text("\n".join(lines) + "\n")
  print(f"{len(STEPS)} steps of both graphs: lowered loops, functional loops and NumPy agree")


if __name__ == "__main__":
  main()
