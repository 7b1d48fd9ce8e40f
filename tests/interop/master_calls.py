# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Calls the master of a task with the messages that TensorFlow's client would send.

The client checks graphs and feeds before it sends them. These calls check nothing.
"""

import grpc  # installed with TensorFlow
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import config_pb2, named_tensor_pb2

SECONDS = 60
_GRAPH, _CONFIG, _TENSOR = (graph_pb2.GraphDef, config_pb2.ConfigProto,
                            named_tensor_pb2.NamedTensorProto)
# The fields of the messages, from number 1 on. A list has repeated fields. The package of
# TensorFlow has no module with these messages.
_MESSAGES = {
    "CreateSessionRequest": {"graph_def": _GRAPH, "config": _CONFIG},
    "CreateSessionResponse": {"session_handle": str},
    "RunStepRequest": {"session_handle": str, "feed": [_TENSOR], "fetch": [str],
                       "target": [str]},
    "RunStepResponse": {"tensor": [_TENSOR]},
    "CloseSessionRequest": {"session_handle": str},
    "CloseSessionResponse": {},
}


def _make_messages():
  package = "leat_interop"
  file = descriptor_pb2.FileDescriptorProto(
      name="master_calls.proto", package=package, syntax="proto3",
      dependency=[each.DESCRIPTOR.file.name for each in (_GRAPH, _CONFIG, _TENSOR)])
  for name, fields in _MESSAGES.items():
    message = file.message_type.add(name=name)
    for number, (field, kind) in enumerate(fields.items(), start=1):
      is_list = isinstance(kind, list)
      kind = kind[0] if is_list else kind
      added = message.field.add(name=field, number=number)
      added.label = added.LABEL_REPEATED if is_list else added.LABEL_OPTIONAL
      added.type = added.TYPE_STRING if kind is str else added.TYPE_MESSAGE
      if kind is not str:
        added.type_name = "." + kind.DESCRIPTOR.full_name
  pool = descriptor_pool.Default()
  pool.Add(file)
  return {name: message_factory.GetMessageClass(
      pool.FindMessageTypeByName("%s.%s" % (package, name))) for name in _MESSAGES}


_CLASSES = _make_messages()


class Master:
  """Calls the master of the task at a target such as "grpc://host:port". Raises
  grpc.RpcError if the master answers with an error."""

  def __init__(self, target):
    self._channel = grpc.insecure_channel(target[len("grpc://"):])

  def _call(self, method, **fields):
    call = self._channel.unary_unary(
        "/tensorflow.MasterService/" + method,
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=_CLASSES[method + "Response"].FromString)
    return call(_CLASSES[method + "Request"](**fields), timeout=SECONDS)

  def create_session(self, graph_def, config):
    return self._call("CreateSession", graph_def=graph_def, config=config).session_handle

  def run_step(self, session, targets, feeds=None, fetches=()):
    """Feeds TensorProtos by their names, and returns the fetched ones."""
    feed = [_TENSOR(name=name, tensor=tensor) for name, tensor in (feeds or {}).items()]
    response = self._call("RunStep", session_handle=session, feed=feed, fetch=fetches,
                          target=targets)
    return [each.tensor for each in response.tensor]

  def close_session(self, session):
    self._call("CloseSession", session_handle=session)
