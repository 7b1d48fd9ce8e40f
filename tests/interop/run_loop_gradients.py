#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs in TensorFlow a graph of Leat that has loops and their gradients.

Leat's C++ API built tests/graphs/loop_gradients/graph.pbtxt. (tests/train/
loop_gradients_test.cc says how to write this file anew.) Run this script by hand with
TensorFlow 2.15.1 installed. It runs every step twice: with functional control flow
lowered to primitives, and with TensorFlow's If and While kernels. Both results must
agree to 1e-12 with TensorFlow's own gradients of the same loops, which run eagerly.

The script writes expected.txt, in which each line describes a fetch:

    n threshold fetch value value ...

loop_gradients_test.cc expects these values from Leat.

Usage: run_loop_gradients.py [FOLDER]
"""

import pathlib
import sys

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

tf1 = tf.compat.v1

FETCHES = ["loss", "grad_x", "grad_h0", "grad_w", "grad_u", "grad_bias"]
STEPS = [(0, 0.5), (1, 0.5), (1, -9.0), (4, 0.5), (4, -9.0), (7, 0.1)]
LOWERING = "_lower_using_switch_merge"


def nodes(graph_def):
  yield from graph_def.node
  for function in graph_def.library.function:
    yield from function.node_def


def run(graph_def, lower):
  """Returns the values of the fetches in each step."""
  graph_def = tf1.GraphDef.FromString(graph_def.SerializeToString())
  count = 0
  for node in nodes(graph_def):
    if LOWERING in node.attr:
      node.attr[LOWERING].b = lower
      count += 1
  assert count > 0
  # Turns off Grappler, which could fold the loops away before they run.
  config = tf1.ConfigProto()
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  with tf1.Graph().as_default() as graph:
    tf1.import_graph_def(graph_def, name="")
    with tf1.Session(graph=graph, config=config) as session:
      session.run("init")
      return [session.run([f + ":0" for f in FETCHES],
                          {"n:0": n, "threshold:0": t}) for n, t in STEPS]


def reference(graph_def, n, threshold):
  """Computes the fetches of a step with loops of Python and TensorFlow's tape."""
  constants = {node.name: tf.constant(tf.make_ndarray(node.attr["value"].tensor))
               for node in graph_def.node if node.op == "Const"}
  x, h0, w, u, bias = xs = [constants[k]
                               for k in ("x", "h0", "w_initial", "u", "bias")]
  def cell(h):
    return tf.tanh(x @ w + h @ u + bias)
  with tf.GradientTape() as tape:
    tape.watch(xs)
    h = h0
    for i in range(n):
      if tf.reduce_sum(h) < threshold:
        h = cell(h)
      else:
        for _ in range(i + 1):
          h = h * tf.sin(cell(h))
    loss = tf.reduce_sum(tf.square(h))
  return [loss] + tape.gradient(loss, xs, unconnected_gradients="zero")


def main():
  folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        pathlib.Path(__file__).parent.parent /
                        "graphs" / "loop_gradients")
  graph_def = text_format.Parse((folder / "graph.pbtxt").read_text(),
                                tf1.GraphDef())
  lowered, functional = run(graph_def, True), run(graph_def, False)
  lines = [f"# tensorflow {tf.__version__}: run_loop_gradients.py"]
  for (n, t), a, b in zip(STEPS, lowered, functional):
    for fetch, x, y, z in zip(FETCHES, a, b, reference(graph_def, n, t)):
      for other in (y, z.numpy()):
        np.testing.assert_allclose(x, other, rtol=1e-12, atol=1e-15,
                                   err_msg=f"{fetch}, n = {n}, threshold = {t}")
      values = " ".join(repr(float(v)) for v in np.ravel(x))
      lines.append(f"{n} {t} {fetch} {values}")
  (folder / "expected.txt").write_text("\n".join(lines) + "\n")
  print(f"{len(STEPS)} steps: lowered loops, functional loops and TensorFlow's tape agree")


if __name__ == "__main__":
  main()
