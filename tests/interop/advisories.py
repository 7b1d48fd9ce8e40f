#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Sends the inputs of TensorFlow's security advisories to a server of Leat.

The inputs are those of tests/runtime/advisories.jsonl, whose form advisories_test.cc
explains. TensorFlow's client sends each input twice, as constants of a graph and as fed
values. The server must answer with the expected error or with the right values, serve
the next step, and keep nothing.

The client itself refuses some constants. It cannot refuse them where a
PlaceholderWithDefault hides their values from it. What it refuses nevertheless is sent
without it.

Usage: advisories.py LEAT
  LEAT  the program `leat`
"""

import collections
import functools
import json
import pathlib
import sys
import typing

import tasks  # must come first: sets the environment of TensorFlow
import master_calls
import watched
import grpc  # installed with TensorFlow
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2, resource_handle_pb2, tensor_pb2
from tensorflow.core.protobuf import error_codes_pb2
from tensorflow.python.framework import op_def_registry

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

CASES = pathlib.Path(__file__).resolve().parents[1] / "runtime/advisories.jsonl"
# The first two are the limits with which advisories_test.cc runs the cases. Some cases
# look for files.
FLAGS = ["--memory", "1GiB", "--max-nesting", "1000", "--file-root", "/"]
# How many bytes more the process may use after it has answered the small inputs again.
# What is kept for later stops growing after some rounds, but a leak grows in each.
MAX_GROWTH = 5_000_000
MAX_ROUNDS = 4


# ---- The graph of a case ----

def dtype_of(name):
  full = {"float": "float32", "double": "float64", "half": "float16"}
  return tf.as_dtype(full.get(name, name))


def tensor_of(spec):
  """Returns the tensor that a case describes as [dtype, shape, values]."""
  dtype, shape, values = dtype_of(spec[0]), tf.TensorShape(spec[1]), spec[2]
  tensor = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape.as_proto())
  if dtype == tf.resource:
    handle = resource_handle_pb2.ResourceHandleProto()
    tensor.resource_handle_val.extend([handle] * shape.num_elements())
  elif dtype == tf.string:
    tensor.string_val.extend(each.encode("latin-1") for each in values)
  else:
    if isinstance(values, dict):
      start, step, period = values["ramp"]
      values = start + step * (np.arange(shape.num_elements()) % period)
    tensor.tensor_content = np.array(values).astype(dtype.as_numpy_dtype).tobytes()
  return tensor


def set_attr(attr, kind, value):
  """Sets an AttrValue to what a case describes as [kind, value]."""
  if kind.startswith("list("):
    attr.list.SetInParent()
    for each in value:
      one = type(attr)()
      set_attr(one, kind[len("list("):-1], each)
      field = one.WhichOneof("value")
      getattr(attr.list, field).append(getattr(one, field))
  elif kind == "shape":
    attr.shape.CopyFrom(tf.TensorShape(value).as_proto())
  elif kind == "type":
    attr.type = dtype_of(value).as_datatype_enum
  elif kind == "string":
    attr.s = value.encode("latin-1")
  else:
    setattr(attr, kind[0], value)  # the fields i, f and b


class Step:
  """Has the graph of a case, and what its step feeds and runs. `values` is "constants",
  "hidden constants" or "feeds"."""

  def __init__(self, case, values):
    self._values = values
    self.graph_def = graph_pb2.GraphDef()
    self.feeds, self.fetches, self.targets, self.first_target = {}, [], [], None
    if "graph" in case:
      text_format.Merge(case["graph"], self.graph_def)
      self.targets.append("bad")
      return
    inputs = self._add_state(case)
    for spec in case["inputs"]:
      inputs.append(self._add_input("bad_%d" % len(inputs), tensor_of(spec)))
    self._add("bad", case["op"], inputs, case["attrs"])
    outputs = op_def_registry.get(case["op"]).output_arg
    self.fetches = ["bad:%d" % i for i in range(len(outputs))]
    self.targets = [] if outputs else ["bad"]

  def _add(self, name, op, inputs=(), attrs=None, **types):
    node = self.graph_def.node.add(name=name, op=op, input=inputs)
    for key, (kind, value) in (attrs or {}).items():
      set_attr(node.attr[key], kind, value)
    for key, dtype in types.items():
      node.attr[key].type = dtype
    return node

  def _add_constant(self, name, tensor):
    node = self._add(name, "Const", dtype=tensor.dtype)
    node.attr["value"].tensor.CopyFrom(tensor)

  def _add_input(self, name, tensor):
    unknown = {"shape": ["shape", None]}
    if self._values == "constants":
      self._add_constant(name, tensor)
    elif self._values == "hidden constants":
      self._add_constant(name + "_value", tensor)
      self._add(name, "PlaceholderWithDefault", [name + "_value"], unknown, dtype=tensor.dtype)
    else:
      self._add(name, "Placeholder", [], unknown, dtype=tensor.dtype)
      self.feeds[name + ":0"] = tensor
    return name

  def _add_state(self, case):
    """Adds the variable of a case. Returns the inputs that the case's node gets first."""
    if not {"variable", "reference"} & case.keys():
      return []
    is_reference = "reference" in case
    value = tensor_of(case["reference" if is_reference else "variable"])
    state = self._add("state", "VariableV2" if is_reference else "VarHandleOp",
                      dtype=value.dtype)
    if self._values == "feeds":
      state.attr["shape"].shape.unknown_rank = True
    else:
      state.attr["shape"].shape.CopyFrom(value.tensor_shape)
    self._add_constant("state_value", value)
    self.first_target, inputs = "state_assign", ["state", "state_value"]
    if is_reference:
      self._add(self.first_target, "Assign", inputs, {"validate_shape": ["bool", False]},
                T=value.dtype)
    else:
      self._add(self.first_target, "AssignVariableOp", inputs, dtype=value.dtype)
    return ["state"]


# ---- Steps ----

class Refused(Exception):
  """Says that TensorFlow's client has sent nothing, and why."""


class Failed(typing.NamedTuple):
  """Is an error of the server."""
  code: str
  message: str


def run_with_client(target, step):
  """Returns what a step fetches, or its error."""
  if step.graph_def.library.function:
    raise Refused("Functions that call themselves crash the client.")
  if any(tensor.dtype == tf.resource.as_datatype_enum for tensor in step.feeds.values()):
    raise Refused("The client feeds no resources.")
  with tf1.Graph().as_default():
    try:
      tf1.import_graph_def(step.graph_def, name="")
    except (ValueError, tf.errors.OpError) as error:
      raise Refused(error) from error
    feeds = {name: tf.make_ndarray(tensor) for name, tensor in step.feeds.items()}
    try:
      with tf1.Session(target, config=watched.ALONE) as session:
        if step.first_target:
          session.run(step.first_target)
        return session.run([step.fetches, step.targets], feeds)[0]
    except tf.errors.OpError as error:
      return Failed(error_codes_pb2.Code.Name(error.error_code), error.message)


def run_without_client(target, step):
  master = master_calls.Master(target)
  try:
    session = master.create_session(step.graph_def, watched.ALONE)
    try:
      if step.first_target:
        master.run_step(session, [step.first_target])
      return [tf.make_ndarray(tensor) for tensor in
              master.run_step(session, step.targets, step.feeds, step.fetches)]
    finally:
      master.close_session(session)
  except grpc.RpcError as error:
    return Failed(error.code().name, error.details())


def run(target, case, values):
  """Returns what the step of a case fetches, or its error, and how the step was sent."""
  hidden = values == "constants" and "graph" not in case
  for kind in [values] + ["hidden constants"] * hidden:
    try:
      return run_with_client(target, Step(case, kind)), kind
    except Refused:
      pass
  return run_without_client(target, Step(case, values)), values + " without the client"


# ---- What the server must answer ----

def check(outcome, case):
  if isinstance(outcome, Failed):
    code, text = case.get("error", ["no error", ""])
    name = case.get("names", "bad")
    if (outcome.code != code or text not in outcome.message or
        not any(each % name in outcome.message for each in ("'%s'", "{{node %s}}"))):
      raise AssertionError("%s of '%s' that says '%s' was expected, but the server answers "
                           "%s: %s" % (code, name, text, *outcome))
    return
  for output, spec in zip(outcome, case["outputs"]):
    np.testing.assert_array_equal(np.shape(output), spec[1])
    expected = tf.make_ndarray(tensor_of(spec))
    equal = (np.testing.assert_array_equal if expected.dtype == object else
             functools.partial(np.testing.assert_allclose, rtol=3e-6))
    equal(output, expected)


def is_small(case):
  """Returns false if the client takes long to make the inputs of a case."""
  return all(np.prod(shape) < 1e6 for _, shape, _ in case.get("inputs", []))


def send_all(target, cases, neighbour):
  """Sends the inputs of all cases. Returns how many were sent in each way."""
  ways = collections.Counter()
  for case in cases:
    for values in ["constants"] if "graph" in case else ["constants", "feeds"]:
      outcome, way = run(target, case, values)
      ways[way] += 1
      try:
        check(outcome, case)
        neighbour()
      except Exception as error:
        raise AssertionError("%s, %s, as %s" % (case["id"], case["case"], way)) from error
  return ways


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  cases = [case for case in map(json.loads, CASES.read_text().splitlines())
           if "case" in case and "test" not in case]
  with tasks.Cluster({"worker": ["leat"]}, leat=sys.argv[1], leat_flags=FLAGS) as cluster, \
       watched.neighbour_on(cluster.target("worker")) as neighbour:
    held = watched.held(cluster, "worker")
    ways = send_all(cluster.target("worker"), cases, neighbour)
    watched.expect_let_go(cluster, "worker", held)
    used = [watched.used_bytes(cluster, "worker")]
    for _ in range(MAX_ROUNDS):
      send_all(cluster.target("worker"), filter(is_small, cases), neighbour)
      watched.expect_let_go(cluster, "worker", held)
      used.append(watched.used_bytes(cluster, "worker"))
      if used[-1] < used[-2] + MAX_GROWTH:
        break
    else:
      raise AssertionError("the process uses more in each round: %s bytes" % used)
  for way, count in sorted(ways.items()):
    print("%4d inputs as %s" % (count, way))
  print("the process has used %s bytes after each round" % used)


if __name__ == "__main__":
  main()
