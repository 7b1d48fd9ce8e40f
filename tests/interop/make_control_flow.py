#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes tests/graphs/functional/: functional control flow and what it yields.

Run by hand with TensorFlow 2.15.1 installed; the files are committed. Every graph
is a GraphDef <case>.pbtxt; expected.txt has one step a line,

    case feed=value,feed=value fetch=value,fetch=value target,target

the steps of a case run in one session, in order; all values are float scalars
and "-" is an empty list.

Usage: make_control_flow.py [FOLDER]
"""

import pathlib
import sys

import tensorflow as tf
from google.protobuf import text_format

tf1 = tf.compat.v1


def scalar(name, dtype=tf.float32):
  return tf1.placeholder(dtype, [], name=name)


def named(value, name):
  return tf.identity(value, name=name)


def cond_in_while():
  """Halves even and triples odd numbers until n steps are done."""
  x, n = scalar("x"), scalar("n")
  def body(i, v):
    even = tf.equal(v - 2.0 * tf.floor(v / 2.0), 0.0)
    return i + 1.0, tf1.cond(even, lambda: v / 2.0, lambda: 3.0 * v + 1.0)
  i, v = tf1.while_loop(lambda i, v: i < n, body, [0.0, x], name="loop")
  named(i, "i"), named(v, "v")
  return [({"x": x0, "n": n0}, ["i", "v"], [])
          for x0, n0 in [(7, 0), (7, 1), (7, 10), (27, 40)]]


def while_in_cond():
  """x > 0 ? 2^x in a loop : a constant that no data reaches."""
  x = scalar("x")
  def power():
    return tf1.while_loop(lambda i, v: i < x, lambda i, v: (i + 1.0, v * 2.0),
                          [0.0, 1.0])[1]
  named(tf1.cond(x > 0.0, power, lambda: tf.constant(-5.0), name="choice"), "y")
  return [({"x": x0}, ["y"], []) for x0 in (5, -1, 1)]


def nested_while():
  """sum over i < n of i^2, by adding."""
  n = scalar("n")
  def body(i, total):
    inner = tf1.while_loop(lambda j, t: j < i, lambda j, t: (j + 1.0, t + i),
                           [0.0, total], parallel_iterations=1)
    return i + 1.0, inner[1]
  named(tf1.while_loop(lambda i, t: i < n, body, [0.0, 0.0])[1], "y")
  return [({"n": n0}, ["y"], []) for n0 in (0, 1, 12)]


def case():
  """Three branches; an index out of range takes the last."""
  index = tf.cast(scalar("index"), tf.int32)
  x = scalar("x")
  named(tf.switch_case(
      index, [lambda: x + 1.0, lambda: tf.constant(20.0), lambda: x * 3.0],
      name="case"), "y")
  return [({"index": i, "x": 5}, ["y"], []) for i in (0, 1, 2, 3, -1)]


def stateful_branch():
  """Only the branch taken assigns, although no data leaves it."""
  v = tf1.get_variable("v", initializer=1.0)
  x = scalar("x")
  def add():
    with tf.control_dependencies([v.assign_add(x)]):
      return tf.constant(1.0)
  @tf.function
  def step():
    if x > 0.0:
      v.assign_add(x)
    return tf.constant(7.0)
  named(step(), "y")
  named(tf1.cond(x > 10.0, add, lambda: tf.constant(0.0)), "z")
  named(v.read_value(), "value")
  init = tf1.global_variables_initializer()
  return [({}, [], [init.name])] + [
      step for x0 in (3, -4, 20) for step in [
          ({"x": x0}, ["y"], []), ({}, ["value"], []),
          ({"x": x0}, ["z"], []), ({}, ["value"], [])]]


def call_with_control_outputs():
  """Calls in calls; a control edge from a call waits for its side effects."""
  v = tf1.get_variable("v", initializer=1.0)
  x = scalar("x")
  @tf.function
  def inner(a):
    v.assign(v * a)
    return a + 1.0
  @tf.function
  def outer(a, b):
    inner(a)
    return inner(b) * 2.0, a
  first, second = outer(x, x + 1.0)
  named(first, "first"), named(second, "second")
  with tf.control_dependencies([first]):
    named(v.read_value(), "after")
  named(v.read_value(), "value")
  init = tf1.global_variables_initializer()
  return [({}, [], [init.name]), ({"x": 2}, ["first", "second"], []),
          ({}, ["value"], []), ({"x": 3}, ["after"], [])]


def while_with_resource():
  """A loop that reads and writes a variable it captures."""
  v = tf1.get_variable("v", initializer=1.0)
  n = scalar("n")
  @tf.function
  def loop():
    i = tf.constant(0.0)
    while i < n:
      v.assign(v * 2.0 + i)
      i += 1.0
    return i
  named(loop(), "i"), named(v.read_value(), "value")
  init = tf1.global_variables_initializer()
  return [({}, [], [init.name]), ({"n": 5}, ["i"], []), ({}, ["value"], []),
          ({"n": 0}, ["i"], []), ({}, ["value"], [])]


def while_on_variable_only():
  """All that the loop carries is a resource."""
  v = tf1.get_variable("v", initializer=1.0)
  @tf.function
  def loop():
    while v < 100.0:
      v.assign(v * 3.0)
    return tf.constant(2.0)
  named(loop(), "y"), named(v.read_value(), "value")
  init = tf1.global_variables_initializer()
  return [({}, [], [init.name]), ({}, ["y"], []), ({}, ["value"], [])]


def numeric_predicate():
  """Predicates that are no bools."""
  x = scalar("x")
  def branch(value):
    @tf.function
    def f(a):
      return a + value
    return f.get_concrete_function(tf.TensorSpec([], tf.float32))
  out = tf.raw_ops.If(cond=x, input=[x], Tout=[tf.float32],
                      then_branch=branch(10.0), else_branch=branch(-10.0))
  named(out[0], "y")
  return [({"x": x0}, ["y"], []) for x0 in (0, 2, -3)]


def write(folder, make):
  with tf.Graph().as_default() as graph:
    steps = make()
    message = graph.as_graph_def()
  name = make.__name__
  (folder / f"{name}.pbtxt").write_text(
      "# GraphDef, made by tests/interop/make_control_flow.py with TensorFlow "
      f"{tf.__version__}.\n# {make.__doc__}\n"
      + text_format.MessageToString(message))
  lines = []
  with tf1.Session(graph=graph) as session:
    for feeds, fetches, targets in steps:
      ops = [graph.get_operation_by_name(t) for t in targets]
      values, _ = session.run(
          [[f + ":0" for f in fetches], ops],
          {k + ":0": v for k, v in feeds.items()})
      lines.append(" ".join(",".join(part) or "-" for part in [
          [f"{k}={v}" for k, v in feeds.items()],
          [f"{k}={v!r}" for k, v in zip(fetches, map(float, values))],
          targets]))
      lines[-1] = f"{name} {lines[-1]}"
  return lines


def main():
  folder = pathlib.Path(
      sys.argv[1] if len(sys.argv) > 1
      else pathlib.Path(__file__).parents[1] / "graphs" / "functional")
  folder.mkdir(parents=True, exist_ok=True)
  lines = []
  for make in [cond_in_while, while_in_cond, nested_while, case,
               stateful_branch, call_with_control_outputs, while_with_resource,
               while_on_variable_only, numeric_predicate]:
    lines += write(folder, make)
  (folder / "expected.txt").write_text(
      "# Made by tests/interop/make_control_flow.py with TensorFlow "
      f"{tf.__version__}.\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
  main()
