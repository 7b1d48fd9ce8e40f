#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes wire_cases.h: the responses of TensorFlow's worker to RecvTensor.

Starts a server of TensorFlow in this process. Registers and runs a graph that
sends one tensor for each case to another task. That task does not exist: this
script calls RecvTensor in its place.

Run this script by hand with a Python that has the tensorflow-cpu 2.15.1 wheel
and grpcio. The header is committed beside this file.
"""

import importlib
import os
import pathlib
import socket
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import grpc  # pylint: disable=wrong-import-position
from google.protobuf import descriptor_pool  # pylint: disable=wrong-import-position
from google.protobuf import message_factory  # pylint: disable=wrong-import-position
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "protos"))
import write_service_messages  # pylint: disable=wrong-import-position

TO = "/job:worker/replica:0/task:0/device:CPU:0"
CONSTANTS = {
    "FloatMatrix": ([[1.5, -2], [0, 3]], tf.float32),
    "FloatScalar": (1.5, tf.float32),
    "FloatEmpty": (np.zeros([0, 3]), tf.float32),
    "FloatLarge": (np.arange(300), tf.float32),
    "Double": ([1.5, -2], tf.float64),
    "Half": ([1.5, -2], tf.float16),
    "Bfloat16": ([1.5, -2], tf.bfloat16),
    "Int8": (np.arange(6).reshape(1, 2, 1, 3, 1), tf.int8),
    "Uint8": (200, tf.uint8),
    "Int16": ([-3], tf.int16),
    "Uint16": ([65535], tf.uint16),
    "Int32": ([-1, 2], tf.int32),
    "Uint32": (2**32 - 1, tf.uint32),
    "Int64": (-5, tf.int64),
    "Uint64": (2**64 - 1, tf.uint64),
    "Bool": ([True, False, True], tf.bool),
    "Complex64": (1 - 2j, tf.complex64),
    "Complex128": (1 - 2j, tf.complex128),
    "Strings": ([b"a", b"", b"xyz"], tf.string),
    "String": (b"leat" * 40, tf.string),
}


def messages():
  """Returns a function that finds a request or response class by name."""
  file = write_service_messages.read(pathlib.Path(tf.__file__).parent, "worker")
  for dependency in file.dependency:
    importlib.import_module(
        dependency.removesuffix(".proto").replace("/", ".") + "_pb2")
  pool = descriptor_pool.Default()
  pool.Add(file)
  return lambda name: message_factory.GetMessageClass(
      pool.FindMessageTypeByName(f"tensorflow.{name}"))


class Worker:
  """Starts a server of TensorFlow and calls its methods."""

  def __init__(self):
    with socket.socket() as probe:
      probe.bind(("127.0.0.1", 0))
      port = probe.getsockname()[1]
    cluster = {"ps": [f"127.0.0.1:{port}"], "worker": ["127.0.0.1:1"]}
    self.server = tf.distribute.Server(cluster, job_name="ps", task_index=0)
    self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    self.classes = messages()

  def raw(self, method, **fields):
    request = self.classes(method + "Request")(**fields)
    return self.channel.unary_unary(f"/tensorflow.WorkerService/{method}")(
        request.SerializeToString(), timeout=20)

  def call(self, method, **fields):
    return self.classes(method + "Response").FromString(
        self.raw(method, **fields))


def signed(number):
  return number - 2**64 if number >= 2**63 else number


class Sends:
  """Builds a graph whose nodes send tensors to TO. All nodes are on one device."""

  def __init__(self, device):
    self.device = device
    self.graph = tf.compat.v1.GraphDef()
    self.graph.versions.producer = 1645

  def node(self, name, op, inputs=(), **attrs):
    node = self.graph.node.add(name=name, op=op, input=inputs,
                               device=self.device.name)
    for key, value in attrs.items():
      if isinstance(value, tf.DType):
        node.attr[key].type = value.as_datatype_enum
      elif isinstance(value, bool):
        node.attr[key].b = value
      elif isinstance(value, int):
        node.attr[key].i = value
      elif isinstance(value, str):
        node.attr[key].s = value.encode()
      elif isinstance(value, tf.TensorShape):
        node.attr[key].shape.CopyFrom(value.as_proto())
      else:
        node.attr[key].tensor.CopyFrom(value)

  def constant(self, name, value, dtype):
    proto = tf.make_tensor_proto(
        np.array(value).astype(dtype.as_numpy_dtype), dtype=dtype)
    self.node(name, "Const", dtype=dtype, value=proto)

  def send(self, name, output, dtype):
    self.node(f"send_{name}", "_Send", [output], T=dtype, tensor_name=name,
              send_device=self.device.name, recv_device=TO,
              send_device_incarnation=signed(self.device.incarnation),
              client_terminated=False)

  def key(self, name):
    return (f"{self.device.name};{self.device.incarnation:016x};{TO};{name};"
            "0:0")


def add_cases(sends):
  """Adds the nodes of all cases. Returns the names of the cases."""
  for name, (value, dtype) in CONSTANTS.items():
    sends.constant(name, value, dtype)
    sends.send(name, name, dtype)
  sends.node("v", "VarHandleOp", dtype=tf.float32, shape=tf.TensorShape([2]),
             shared_name="weights", container="")
  sends.send("Resource", "v", tf.resource)
  sends.constant("shape", -1, tf.int32)
  sends.constant("count", -1, tf.int32)
  sends.constant("element", 1.5, tf.float32)
  sends.node("empty", "EmptyTensorList", ["shape", "count"],
             element_dtype=tf.float32, shape_type=tf.int32)
  sends.node("list", "TensorListPushBack", ["empty", "element"],
             element_dtype=tf.float32)
  sends.send("Variant", "list", tf.variant)
  sends.constant("no", False, tf.bool)
  sends.node("switch", "Switch", ["Int32", "no"], T=tf.int32)
  sends.send("Dead", "switch:1", tf.int32)
  return [*CONSTANTS, "Resource", "Variant", "Dead"]


def record():
  worker = Worker()
  sends = Sends(worker.call("GetStatus").device_attributes[0])
  names = add_cases(sends)
  handle = worker.call("RegisterGraph", graph_def=sends.graph).graph_handle
  worker.call("RunGraph", graph_handle=handle, step_id=1)
  return {name: worker.raw("RecvTensor", step_id=1,
                           rendezvous_key=sends.key(name), request_id=i + 1)
          for i, name in enumerate(names)}


def literal(data):
  digits = data.hex()
  return "\n".join('    "%s"' % digits[i:i + 72]
                   for i in range(0, len(digits), 72))


def main():
  lines = [
      "// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0",
      "//",
      "// Has RecvTensorResponses of TensorFlow's worker in hexadecimal. wire_test.cc",
      "// decodes them. make_wire_cases.py wrote them with TensorFlow 2.15.1. Each",
      "// constant is named for the dtype and the form of its tensor.",
      "//",
      "// clang-format off",
      "#ifndef LEAT_TESTS_DISTRIBUTED_WIRE_WIRE_CASES_H_",
      "#define LEAT_TESTS_DISTRIBUTED_WIRE_WIRE_CASES_H_",
      "", "namespace leat::wire_cases {", ""]
  for name, data in record().items():
    lines += [f"inline constexpr char k{name}[] =", literal(data) + ";", ""]
  lines += ["}  // namespace leat::wire_cases", "",
            "#endif  // LEAT_TESTS_DISTRIBUTED_WIRE_WIRE_CASES_H_"]
  (HERE / "wire_cases.h").write_text("\n".join(lines) + "\n")
  # TensorFlow's server cannot be stopped.
  sys.stdout.flush()
  os._exit(0)


if __name__ == "__main__":
  main()
