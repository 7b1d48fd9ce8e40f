#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes tests/graphs/functional/: graphs with control flow, and results.

The control flow is functional, except in the graphs v1_*.

Run this script by hand with TensorFlow 2.15.1 installed. The files are committed.
Each graph is a GraphDef in <case>.pbtxt. Each line of expected.txt describes a step:

    case feed=value,feed=value fetch=value,fetch=value target,target

The steps of a case run in one session, in this order. All values are scalars. They
are floats, except for some int32 fetches. "-" is an empty list.

Usage: make_control_flow.py [FOLDER]
"""

import pathlib
import sys

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_functional_ops
from tensorflow.python.ops import gen_resource_variable_ops

tf1 = tf.compat.v1


def scalar(name, dtype=tf.float32):
  return tf1.placeholder(dtype, [], name=name)


def named(value, name):
  return tf.identity(value, name=name)


def cond_in_while():
  """Replaces v by v / 2 if v is even, and by 3 v + 1 if v is odd, n times."""
  x, n = scalar("x"), scalar("n")
  def body(i, v):
    even = tf.equal(v - 2.0 * tf.floor(v / 2.0), 0.0)
    return i + 1.0, tf1.cond(even, lambda: v / 2.0, lambda: 3.0 * v + 1.0)
  i, v = tf1.while_loop(lambda i, v: i < n, body, [0.0, x], name="loop")
  named(i, "i"), named(v, "v")
  return [({"x": x0, "n": n0}, ["i", "v"], [])
          for x0, n0 in [(7, 0), (7, 1), (7, 10), (27, 40)]]


def while_in_cond():
  """Computes 2^x in a loop if x > 0. Otherwise returns a constant."""
  x = scalar("x")
  def power():
    return tf1.while_loop(lambda i, v: i < x, lambda i, v: (i + 1.0, v * 2.0),
                          [0.0, 1.0])[1]
  named(tf1.cond(x > 0.0, power, lambda: tf.constant(-5.0), name="choice"), "y")
  return [({"x": x0}, ["y"], []) for x0 in (5, -1, 1)]


def nested_while():
  """Computes the sum of i^2 over i < n by adding i in nested loops."""
  n = scalar("n")
  def body(i, total):
    inner = tf1.while_loop(lambda j, t: j < i, lambda j, t: (j + 1.0, t + i),
                           [0.0, total], parallel_iterations=1)
    return i + 1.0, inner[1]
  named(tf1.while_loop(lambda i, t: i < n, body, [0.0, 0.0])[1], "y")
  return [({"n": n0}, ["y"], []) for n0 in (0, 1, 12)]


def case():
  """Selects one of three branches. An index out of range selects the last branch."""
  index = tf.cast(scalar("index"), tf.int32)
  x = scalar("x")
  named(tf.switch_case(
      index, [lambda: x + 1.0, lambda: tf.constant(20.0), lambda: x * 3.0],
      name="case"), "y")
  return [({"index": i, "x": 5}, ["y"], []) for i in (0, 1, 2, 3, -1)]


def stateful_branch():
  """Assigns in the branch that is taken, although no data leaves the branch."""
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
  """Calls functions in functions. A control edge from a call waits for the side effects."""
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
  """Reads and writes a variable in a loop that captures the variable."""
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
  """Runs a loop that carries only a resource."""
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
  """Uses numbers instead of bools as predicates."""
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


def list_in_while():
  """Pushes x, 2x, 4x and so on to a list. Computes the sum and the length of the list."""
  x, n = scalar("x"), scalar("n")
  def body(i, v, values):
    values = tf.raw_ops.TensorListPushBack(input_handle=values, tensor=v)
    return i + 1.0, v * 2.0, values
  empty = tf.raw_ops.EmptyTensorList(
      element_shape=tf.constant([], tf.int32), max_num_elements=-1,
      element_dtype=tf.float32)
  values = tf1.while_loop(lambda i, v, l: i < n, body, [0.0, x, empty])[2]
  stacked = tf.raw_ops.TensorListStack(
      input_handle=values, element_shape=[], element_dtype=tf.float32)
  named(tf.reduce_sum(stacked), "total")
  named(tf.raw_ops.TensorListLength(input_handle=values), "length")
  return [({"x": x0, "n": n0}, ["total", "length"], [])
          for x0, n0 in [(1, 0), (3, 1), (1, 20)]]


def tensor_array_gradient():
  """Reads each row of a TensorArray twice in a loop, and computes the gradient."""
  x = scalar("x")
  rows = tf.TensorArray(tf.float32, 4).unstack(
      tf.stack([x, x * x, 3.0 * x, tf.sin(x)]))
  def body(i, total, out):
    row = rows.read(i) * rows.read(3 - i)
    return i + 1, total + row, out.write(i, total * row)
  out = tf1.while_loop(lambda i, t, o: i < 4, body,
                       [0, 1.0, tf.TensorArray(tf.float32, 4)])[2]
  y = tf.reduce_sum(out.stack() * [1.0, 2.0, 3.0, 4.0])
  named(y, "y"), named(tf1.gradients(y, x)[0], "dx")
  return [({"x": x0}, ["y", "dx"], []) for x0 in (0.5, -1, 2)]


def while_gradient():
  """Computes v = v (1 + x v / 10) n times, and the first and second derivatives."""
  x, n = scalar("x"), scalar("n")
  y = tf1.while_loop(lambda i, v: i < n,
                     lambda i, v: (i + 1.0, v * (1.0 + x * v * 0.1)),
                     [0.0, x])[1]
  first = tf1.gradients(y, x)[0]
  named(y, "y"), named(first, "dx"), named(tf1.gradients(first, x)[0], "ddx")
  return [({"x": x0, "n": n0}, ["y", "dx", "ddx"], [])
          for x0, n0 in [(1, 0), (0.5, 1), (-2, 7)]]


def nested_while_gradient():
  """Computes the gradient of a loop in a loop, which needs lists of lists."""
  x, n = scalar("x"), scalar("n")
  def body(i, v):
    inner = tf1.while_loop(lambda j, w: j < i, lambda j, w: (j + 1.0, w * x),
                           [0.0, v])
    return i + 1.0, inner[1] + v * 0.5
  y = tf1.while_loop(lambda i, v: i < n, body, [0.0, 1.0])[1]
  named(y, "y"), named(tf1.gradients(y, x)[0], "dx")
  return [({"x": x0, "n": n0}, ["y", "dx"], [])
          for x0, n0 in [(2, 0), (2, 1), (0.5, 5)]]


def cond_gradient():
  """Computes gradients of branches. The intermediate values need optionals."""
  x = scalar("x")
  y = tf1.cond(x > 0.0, lambda: tf.sin(x) * tf.exp(x) * x, lambda: x * x * x)
  first = tf1.gradients(y, x)[0]
  named(y, "y"), named(first, "dx"), named(tf1.gradients(first, x)[0], "ddx")
  return [({"x": x0}, ["y", "dx", "ddx"], []) for x0 in (0.5, -2)]


def cond_in_while_gradient():
  """Computes the gradient of a branch in a loop, which needs lists of optionals."""
  x, n = scalar("x"), scalar("n")
  def body(i, v):
    return i + 1.0, tf1.cond(v > 1.0, lambda: tf.sin(v) * x,
                             lambda: v * v + x * v + x)
  y = tf1.while_loop(lambda i, v: i < n, body, [0.0, x])[1]
  named(y, "y"), named(tf1.gradients(y, x)[0], "dx")
  return [({"x": x0, "n": n0}, ["y", "dx"], [])
          for x0, n0 in [(2, 0), (0.5, 1), (0.7, 6)]]


def for_loop():
  """Calls a function for each number of a range, upwards and downwards."""
  @function.Defun(tf.int32, tf.float32, tf.float32)
  def body(i, product, last):
    del last
    i = tf.cast(i, tf.float32)
    return product * i, i
  start, limit, delta = (tf.cast(scalar(name), tf.int32)
                         for name in ("start", "limit", "delta"))
  product, last = gen_functional_ops._for(
      start, limit, delta, [tf.constant(1.0), tf.constant(-1.0)], body, name="for")
  named(product, "product"), named(last, "last")
  return [({"start": s, "limit": l, "delta": d}, ["product", "last"], [])
          for s, l, d in [(1, 6, 1), (6, 1, -2), (3, 3, 0), (2, 9, 100)]]


def remote_call():
  """Calls functions on a device that a constant names, and a tensor."""
  v = tf1.get_variable("v", initializer=3.0, use_resource=True)
  x = scalar("x")
  @function.Defun(tf.float32, tf.float32)
  def both(a, b):
    return a + b, a * b
  added, multiplied = functional_ops.remote_call(
      args=[x, v.read_value()], Tout=[tf.float32, tf.float32], f=both,
      target=tf.constant("/cpu:0"))
  @function.Defun(tf.resource)
  def double(handle):
    return 2.0 * gen_resource_variable_ops.read_variable_op(handle, tf.float32)
  twice = functional_ops.remote_call(
      args=[v.handle], Tout=[tf.float32], f=double,
      target=tf1.placeholder_with_default("/device:CPU:0", []))
  named(added, "added"), named(multiplied, "multiplied"), named(twice, "twice")
  tf1.group(v.initializer, name="init")
  return [({}, [], ["init"]), ({"x": 2}, ["added", "multiplied", "twice"], [])]


def recursive_function():
  """Computes factorials by a function that calls itself."""
  n = tf.cast(scalar("n"), tf.int32)
  tf.import_graph_def(text_format.Parse(FACTORIAL, tf1.GraphDef()), {"n": n}, name="")
  return [({"n": n}, ["y"], []) for n in (0, 1, 5, 10)]


# TensorFlow 2.15 crashes if the calls are PartitionedCalls.
FACTORIAL = """
  library {
    function {
      signature { name: "factorial" is_stateful: true
        input_arg { name: "n" type: DT_INT32 } output_arg { name: "y" type: DT_INT32 } }
      node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
      node_def { name: "ends" op: "LessEqual" input: "n" input: "one:output:0"
        attr { key: "T" value { type: DT_INT32 } } }
      node_def { name: "choice" op: "If" input: "ends:z:0" input: "n"
        attr { key: "Tcond" value { type: DT_BOOL } }
        attr { key: "Tin" value { list { type: DT_INT32 } } }
        attr { key: "Tout" value { list { type: DT_INT32 } } }
        attr { key: "then_branch" value { func { name: "last" } } }
        attr { key: "else_branch" value { func { name: "times_smaller" } } } }
      ret { key: "y" value: "choice:output:0" }
    }
    function {
      signature { name: "last"
        input_arg { name: "n" type: DT_INT32 } output_arg { name: "y" type: DT_INT32 } }
      node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
      ret { key: "y" value: "one:output:0" }
    }
    function {
      signature { name: "times_smaller" is_stateful: true
        input_arg { name: "n" type: DT_INT32 } output_arg { name: "y" type: DT_INT32 } }
      node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
        attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
      node_def { name: "less" op: "Sub" input: "n" input: "one:output:0"
        attr { key: "T" value { type: DT_INT32 } } }
      node_def { name: "call" op: "factorial" input: "less:z:0" }
      node_def { name: "product" op: "Mul" input: "n" input: "call:y:0"
        attr { key: "T" value { type: DT_INT32 } } }
      ret { key: "y" value: "product:z:0" }
    }
  }
  node { name: "n" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
  node { name: "y" op: "factorial" input: "n" }
"""


def symbolic_gradient():
  """Differentiates functions that call functions, and one that names its gradient."""
  x, y = scalar("x"), scalar("y")
  @function.Defun(tf.float32, tf.float32)
  def inner(a, b):
    return tf.sin(a) * b, a + b * b
  @function.Defun(tf.float32, tf.int32, tf.float32)
  def outer(a, n, b):
    first, second = inner(a * b, b)
    return first * second + tf.cast(n, tf.float32) * a
  @function.Defun(tf.float32, tf.float32)
  def ten_times(a, grad):
    return 10.0 * a * grad
  @function.Defun(tf.float32, grad_func=ten_times)
  def square(a):
    return a * a
  z = outer(x, tf.constant(3), y)
  dx, dy = tf1.gradients(z, [x, y])
  named(z, "z"), named(dx, "dx"), named(dy, "dy")
  named(tf1.gradients(square(x) + y, x)[0], "dsquare")
  named(tf1.gradients(square(square(x)), x)[0], "dtwice")
  return [({"x": a, "y": b}, ["z", "dx", "dy", "dsquare", "dtwice"], [])
          for a, b in [(0.5, 2), (-1, 0.25)]]
def v1_stacks():
  """A loop that pushes what its gradient pops, in TensorFlow 1's primitives."""
  x, n = scalar("x"), scalar("n")
  y = tf1.while_loop(lambda i, v: i < n,
                     lambda i, v: (i + 1.0, v * (1.0 + x * v * 0.1)),
                     [0.0, x], swap_memory=True, parallel_iterations=3)[1]
  named(y, "y"), named(tf1.gradients(y, x)[0], "dx")
  return [({"x": x0, "n": n0}, ["y", "dx"], [])
          for x0, n0 in [(1, 0), (0.5, 1), (-2, 7)]]


def v1_arrays():
  """Arrays that are read twice, grow, are concatenated, split and scattered."""
  x = scalar("x")
  rows = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(
      tf.stack([x, x * x, 3.0 * x, tf.sin(x)]))
  def body(i, total, out):
    row = rows.read(i) * rows.read(3 - i)
    return i + 1, total + row, out.write(i, tf.reshape(total * row, [1]))
  out = tf1.while_loop(lambda i, t, o: i < 4, body,
                       [0, 1.0, tf.TensorArray(tf.float32, 0, dynamic_size=True)])[2]
  parts = tf.TensorArray(tf.float32, 2, infer_shape=False).split(out.concat(), [1, 3])
  y = tf.reduce_sum(parts.read(0)) + tf.reduce_sum(parts.read(1) * [2.0, 3.0, 4.0])
  named(y, "y"), named(tf1.gradients(y, x)[0], "dx"), named(out.size(), "size")
  return [({"x": x0}, ["y", "dx", "size"], []) for x0 in (0.5, -1, 2)]


def v1_nested():
  """A loop in a loop: stacks of the handles of stacks."""
  return nested_while_gradient()


def v1_cond():
  """A branch in a loop: values that are pushed in one branch only."""
  return cond_in_while_gradient()


def control_flow_functional():
  """Returns the steps for a graph that tests/protos/make_graphs.py writes."""
  return [({"x": x0}, ["n", "z", "gradients/cond_grad/Identity"], [])
          for x0 in (3, -0.7)]


def write(folder, make):
  with tf.Graph().as_default() as graph:
    steps = make()
    message = graph.as_graph_def()
  name = make.__name__
  (folder / f"{name}.pbtxt").write_text(
      "# GraphDef, made by tests/interop/make_control_flow.py with TensorFlow "
      f"{tf.__version__}.\n# {make.__doc__}\n"
      + text_format.MessageToString(message))
  return run(graph, name, steps)


def run_existing(make):
  """Runs the steps of a graph that is already in tests/graphs/."""
  path = pathlib.Path(__file__).parents[1] / "graphs" / f"{make.__name__}.pbtxt"
  message = text_format.Parse(path.read_text(), tf1.GraphDef())
  with tf.Graph().as_default() as graph:
    tf.import_graph_def(message, name="")
  return run(graph, f"../{make.__name__}", make())


def run(graph, name, steps):
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
               while_on_variable_only, numeric_predicate, list_in_while,
               tensor_array_gradient, while_gradient, nested_while_gradient,
               cond_gradient, cond_in_while_gradient, for_loop, remote_call,
               recursive_function, symbolic_gradient]:
    lines += write(folder, make)
  lines += run_existing(control_flow_functional)
  tf1.disable_control_flow_v2()
  for make in [v1_stacks, v1_arrays, v1_nested, v1_cond]:
    lines += write(folder, make)
  (folder / "expected.txt").write_text(
      "# Made by tests/interop/make_control_flow.py with TensorFlow "
      f"{tf.__version__}.\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
  main()
