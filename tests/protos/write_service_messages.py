#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes service_messages.txt, which lists the fields of TensorFlow's messages
between a client, a master and workers. Each line describes one field: message,
field, number, label and type.

Run this script by hand with the folder of an installed tensorflow-cpu 2.15.1.
The list is committed beside this script. The wheel has no Python modules and no
.proto files for these messages, but its libraries contain their descriptors.

Usage: write_service_messages.py SITE-PACKAGES/tensorflow
"""

import mmap
import pathlib
import sys

from google.protobuf import descriptor_pb2

FILES = ["master", "named_tensor", "tensorflow_server", "worker"]
LIBRARIES = ["libtensorflow_framework.so.2", "libtensorflow_cc.so.2"]
# This is the largest field number of FileDescriptorProto.
MOST_FIELDS = 12
KINDS = descriptor_pb2.FieldDescriptorProto


def take_varint(data, at):
  value = shift = 0
  while True:
    byte = data[at]
    at += 1
    value |= (byte & 127) << shift
    shift += 7
    if byte < 128:
      return value, at


def end_of_message(data, at):
  """Returns the end of the FileDescriptorProto whose fields begin at `at`."""
  while at < len(data):
    tag, after = take_varint(data, at)
    if not 0 < tag >> 3 <= MOST_FIELDS or tag & 7 not in (0, 2):
      break
    value, after = take_varint(data, after)
    at = after + value if tag & 7 == 2 else after
  return at


def find(library, name):
  """Returns the descriptor of the file `name` from the library, or None."""
  path = f"tensorflow/core/protobuf/{name}.proto".encode()
  begin = library.find(b"\x0a" + bytes([len(path)]) + path + b"\x12")
  if begin < 0:
    return None
  end = end_of_message(library, begin)
  return descriptor_pb2.FileDescriptorProto.FromString(library[begin:end])


def read(folder, name):
  for library in LIBRARIES:
    with open(folder / library, "rb") as file:
      with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if (found := find(data, name)) is not None:
          return found
  raise SystemExit(f"{folder}: no descriptor of {name}.proto")


def describe(prefix, message):
  for field in message.field:
    kind = field.type_name.lstrip(".") or KINDS.Type.Name(
        field.type).removeprefix("TYPE_").lower()
    label = KINDS.Label.Name(field.label).removeprefix("LABEL_").lower()
    yield f"{prefix}{message.name} {field.name} {field.number} {label} {kind}"
  for nested in message.nested_type:
    yield from describe(f"{prefix}{message.name}.", nested)


def main():
  lines = ["# message field number label type; written by "
           "write_service_messages.py with TensorFlow 2.15.1."]
  for name in FILES:
    file = read(pathlib.Path(sys.argv[1]), name)
    for message in file.message_type:
      # This line describes the message itself, because some messages have no
      # fields.
      lines.append(f"{message.name} - 0 - {name}.proto")
      lines += describe("", message)
  out = pathlib.Path(__file__).with_name("service_messages.txt")
  out.write_text("\n".join(lines) + "\n")
  print(len(lines), "lines")


if __name__ == "__main__":
  main()
