#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Compares Leat's messages with those of an installed TensorFlow (2.15.1).

Every message, field and enum value that protos/ declares must exist in
TensorFlow with the same number, type and label. A map must be a map there, and
a member of a oneof must be in a oneof of the same name. TensorFlow serializes
every graph of tests/graphs. Leat's messages must read the bytes without unknown
fields, and write the same bytes again. The script does not compare what only
Leat has: OUR_FILES, and fields whose numbers are at least OUR_NUMBERS.

Usage: compare_with_tensorflow.py FILE
FILE is a file that protoc --include_imports --descriptor_set_out=FILE wrote.
CTest runs this script under the label `tensorflow`, with LEAT_TENSORFLOW_PYTHON.
"""

import importlib
import pathlib
import sys

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message
from google.protobuf import message_factory
from google.protobuf import text_format
from google.protobuf import unknown_fields

import write_service_messages

OURS, THEIRS = "leat.pb.", "tensorflow."
OUR_FILES = ["leat/protos/health.proto",
             "leat/protos/leat_costs.proto",
             "leat/protos/leat_worker.proto",
             "leat/protos/status.proto",
             "leat/protos/status_payloads.proto"]
OUR_NUMBERS = 1000
# In Leat, these fields are integers. In TensorFlow, they are enums, which have
# the same encoding.
NUMBERS = ["leat.pb.RunStepResponse.status_code",
           "leat.pb.RunGraphResponse.status_code"]


def tensorflow_pool():
  for name in ["framework.graph", "framework.step_stats",
               "framework.device_attributes", "framework.op_def",
               "framework.reader_base",
               "protobuf.cluster", "protobuf.config", "protobuf.meta_graph",
               "protobuf.named_tensor", "protobuf.tensor_bundle",
               "protobuf.tensorflow_server", "protobuf.transport_options"]:
    importlib.import_module(f"tensorflow.core.{name}_pb2")
  importlib.import_module("tensorflow.python.training.checkpoint_state_pb2")
  pool = descriptor_pool.Default()
  folder = pathlib.Path(sys.modules["tensorflow"].__file__).parent
  for name in ["worker", "master"]:
    file = write_service_messages.read(folder, name)
    for dependency in file.dependency:
      importlib.import_module(
          dependency.removesuffix(".proto").replace("/", ".") + "_pb2")
    pool.Add(file)
  return pool


def load(path):
  files = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
  pool = descriptor_pool.DescriptorPool()
  for file in files.file:
    pool.Add(file)
  return pool, [f for f in files.file
                if f.package == "leat.pb" and f.name not in OUR_FILES]


def describe(field, is_number=False):
  """Returns everything that must be equal in both fields, as one value."""
  of = not is_number and (field.message_type or field.enum_type)
  oneof = field.containing_oneof
  return {
      "number": field.number,
      "type": field.TYPE_INT32 if is_number else field.type,
      "label": field.label,
      "of": of.full_name.replace(OURS, THEIRS) if of else None,
      "map": bool(field.message_type and
                  field.message_type.GetOptions().map_entry),
      "oneof": oneof and oneof.name,
  }


def is_unread(ours, theirs):
  """Returns true if the field is an option that Leat does not use. Leat declares such
  an option as bytes or as a number, which has the same encoding."""
  return (ours.file.name == "leat/protos/config.proto" and
          (ours.type, theirs.type) in ((ours.TYPE_BYTES, ours.TYPE_MESSAGE),
                                       (ours.TYPE_INT32, ours.TYPE_ENUM)) and
          (ours.number, ours.label) == (theirs.number, theirs.label))


def compare_enum(ours, theirs, complaints):
  for value in ours.values:
    other = theirs.values_by_name.get(value.name)
    if other is None or other.number != value.number:
      complaints.append(f"{ours.full_name}.{value.name} = {value.number}: "
                        f"{other and other.number} in TensorFlow")


def compare_message(ours, theirs, complaints):
  """Adds what differs to `complaints`. Returns the number of compared fields."""
  count = 0
  for field in ours.fields:
    if field.number >= OUR_NUMBERS:
      continue
    count += 1
    is_number = field.full_name in NUMBERS
    other = theirs.fields_by_name.get(field.name)
    if other is None:
      complaints.append(f"{field.full_name}: not in TensorFlow")
    elif (describe(field) != describe(other, is_number) and
          not is_unread(field, other)):
      complaints.append(f"{field.full_name}: {describe(field)}; in TensorFlow "
                        f"{describe(other, is_number)}")
  for enum in ours.enum_types:
    compare_enum(enum, theirs.enum_types_by_name[enum.name], complaints)
  for nested in ours.nested_types:
    count += compare_message(nested, theirs.nested_types_by_name[nested.name],
                             complaints)
  return count


def compare_files(pool, files, theirs, complaints):
  count = 0
  for file in files:
    for declared in file.message_type:
      count += compare_message(
          pool.FindMessageTypeByName(OURS + declared.name),
          theirs.FindMessageTypeByName(THEIRS + declared.name), complaints)
    for enum in file.enum_type:
      compare_enum(pool.FindEnumTypeByName(OURS + enum.name),
                   theirs.FindEnumTypeByName(THEIRS + enum.name), complaints)
  return count


def count_unknown(read):
  count = len(unknown_fields.UnknownFieldSet(read))
  for field, value in read.ListFields():
    if field.message_type is None:
      continue
    if field.message_type.GetOptions().map_entry:
      if field.message_type.fields_by_name["value"].message_type:
        count += sum(count_unknown(value[key]) for key in value)
    elif field.label == field.LABEL_REPEATED:
      count += sum(map(count_unknown, value))
    else:
      count += count_unknown(value)
  return count


def compare_graph(path, pool, theirs, complaints):
  name = "MetaGraphDef" if path.stem == "meta_graph" else "GraphDef"
  original = message_factory.GetMessageClass(
      theirs.FindMessageTypeByName(THEIRS + name))()
  text_format.Parse(path.read_text(), original)
  data = original.SerializeToString(deterministic=True)
  ours = message_factory.GetMessageClass(
      pool.FindMessageTypeByName(OURS + name))
  try:
    read = ours.FromString(data)
  except message.DecodeError as error:
    complaints.append(f"{path.name}: {error}")
    return
  if unknown := count_unknown(read):
    complaints.append(f"{path.name}: {unknown} unknown fields")
  if read.SerializeToString(deterministic=True) != data:
    complaints.append(f"{path.name}: Leat writes other bytes than TensorFlow")


def main():
  theirs = tensorflow_pool()
  pool, files = load(pathlib.Path(sys.argv[1]))
  complaints = []
  count = compare_files(pool, files, theirs, complaints)
  graphs = sorted((pathlib.Path(__file__).parents[1] / "graphs").glob("*.pbtxt"))
  for path in graphs:
    compare_graph(path, pool, theirs, complaints)
  for complaint in complaints:
    print(complaint, file=sys.stderr)
  print(f"{count} fields, {len(graphs)} graphs, {len(complaints)} complaints")
  return 1 if complaints or not count or not graphs else 0


if __name__ == "__main__":
  sys.exit(main())
