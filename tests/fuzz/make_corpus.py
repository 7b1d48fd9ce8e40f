#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the fuzz targets, corpus/<target>/*.

The GraphDefs are tests/graphs/*.pbtxt in binary form, and a few small graphs
that a step can run without feeds. NumPy writes the arrays. The script needs
protoc and NumPy.

Usage: tests/fuzz/make_corpus.py
"""

import gzip
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "op_cases"))
import made_images  # pylint: disable=wrong-import-position

FLOAT = 'attr { key: "%s" value { type: DT_FLOAT } }'
CONST = ('node { name: "%s" op: "Const" ' + FLOAT % "dtype" + ' attr { key: '
         '"value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: '
         '2 } dim { size: 2 } } float_val: 1.5 } } } }\n')
T = FLOAT % "T"
CLUSTERS = {
    "dense": '{"ps": ["p:1", "[::1]:2"], "worker": ["unix:/tmp/w", "w:0"]}',
    "sparse": '{"worker": {"1": "w:1", "7": "w:2"}, "idle": []}',
    "tf_config": '{"cluster": {"chief": ["c:1"], "ps": ["p:1"]}, "task": '
                 '{"type": "ps", "index": 0}, "environment": "cloud"}',
    "evaluator": '{"cluster": {"ps": ["p:1"]}, "task": '
                 '{"type": "evaluator", "index": "0"}}',
    "tf_job": '{"sparseCluster": {"worker": {}, "ps": ["p:1"]}, "task": '
              '{"type": "ps", "index": 3}}',
}
FLOATS = 'tensor { dtype: DT_FLOAT tensor_shape { dim { size: %d } } %s }'
# Each value is (kind, step, text). The kind is 0 for a RunGraphRequest and 1
# for a RecvTensorResponse. The step is the size of a slice in bytes, or 0 for
# one slice.
WIRE = {
    "feeds": (0, 7, 'graph_handle: "h" step_id: 7 recv_key: "r" send { name: '
              '"a" ' + FLOATS % (2, 'tensor_content: "abcdefgh"') + ' } send { '
              + FLOATS % (3, 'float_val: 1') + ' }'),
    "texts": (0, 0, 'send { name: "s" tensor { dtype: DT_STRING tensor_shape { '
              'dim { size: 2 } } tensor_content: "\\001\\002abc" } } send { '
              'name: "r" tensor { dtype: DT_RESOURCE resource_handle_val { '
              'name: "v" } } }'),
    "reply": (1, 0, 'send_start_micros: 5 ' +
              FLOATS % (4, 'tensor_content: "abcdefghijklmnop"')),
    "dead": (1, 3, 'is_dead: true ' + FLOATS % (0, "")),
    "bools": (1, 1, 'tensor { dtype: DT_BOOL tensor_shape { dim { size: 3 } } '
              'tensor_content: "\\000\\001\\002" }'),
}
GRAPHS = {
    "matmul": CONST % "a" + CONST % "b" +
              f'node {{ name: "c" op: "MatMul" input: "a" input: "b" {T} }}\n'
              f'node {{ name: "d" op: "Relu" input: "c" input: "^a" '
              f'device: "/cpu:1" {T} }}\n',
    "noop": 'node { name: "n" op: "NoOp" }\n',
}
PS = "/job:ps/replica:0/task:0/device:CPU:%d"
DEVICE = f'device: "{PS}" '


def key(name, device=0):
  """Returns the key of a tensor that is fed to the device or fetched from
  it."""
  return f"{PS % device};{1:016x};{PS % device};{name};0:0"


def transfer(op, name, tensor, dtype, source=0, target=0, client="true"):
  """Returns the fields of a _Send or _Recv node. If `client` is "true", the
  tensor is fed or fetched. Otherwise it goes from one device to another."""
  typed = "T" if op == "_Send" else "tensor_type"
  attrs = {"tensor_name": f's: "{tensor}"', "send_device": f's: "{PS % source}"',
           "recv_device": f's: "{PS % target}"', "send_device_incarnation":
           "i: 1", "client_terminated": f"b: {client}",
           typed: f"type: {dtype}"}
  device = DEVICE % (source if op == "_Send" else target)
  return (f'op: "{op}" name: "{name}" {device}' + "".join(
      f'attr {{ key: "{k}" value {{ {v} }} }} ' for k, v in attrs.items()))


def node(text):
  return f"node {{ {text} }}\n"


X = node(transfer("_Recv", "x", "x:0", "DT_FLOAT"))
TYPES = ('attr { key: "component_types" value { list { type: DT_FLOAT } } } ')
FED = ('step_id: 7 send { name: "' + key("x:0") + '" ' +
       FLOATS % (2, 'tensor_content: "abcdefgh"') + ' } ')
FETCHED = f'recv_key: "{key("y:0")}" '
# Each value is (nodes of the registered graph, fields of the RunGraphRequest).
WORKER = {
    "sum": (X + node(f'op: "AddV2" name: "s" input: "x" input: "x" {T} ' +
                     DEVICE % 0) +
            node(transfer("_Send", "y", "y:0", "DT_FLOAT") + 'input: "s"'),
            FED + FETCHED),
    "devices": (X + node(f'op: "Neg" name: "n" input: "x" {T} ' + DEVICE % 1) +
                node(transfer("_Send", "y", "y:0", "DT_FLOAT") + 'input: "n"'),
                FED + FETCHED + "exec_opts { record_timeline: true "
                "record_partition_graphs: true } "),
    "dead": (X + node('op: "Const" name: "p" ' + DEVICE % 0 +
                      'attr { key: "dtype" value { type: DT_BOOL } } attr { '
                      'key: "value" value { tensor { dtype: DT_BOOL '
                      'tensor_shape { } bool_val: true } } } ') +
             node(f'op: "Switch" name: "w" input: "x" input: "p" {T} ' +
                  DEVICE % 0) +
             node(transfer("_Send", "y", "y:0", "DT_FLOAT") + 'input: "w"'),
             FED + FETCHED + "store_errors_in_response_body: true "),
    "waits": (node(transfer("_Recv", "r", "edge_1_r", "DT_FLOAT", 1, 0,
                            "false")), "step_id: 7 "),
    "queue": (node('op: "FIFOQueueV2" name: "q" ' + TYPES + DEVICE % 0) +
              node('op: "QueueDequeueV2" name: "t" input: "q" ' + TYPES +
                   DEVICE % 0), "step_id: 7 "),
}
MEMBER = "/job:worker/replica:0/task:%d/device:CPU:0"
ATTRIBUTES = ('device_attributes { name: "' + MEMBER + '" device_type: "CPU" '
              'incarnation: 7 } ')
CLAIM = 'type: %d data_type: DT_FLOAT shape { dim { size: 2 } } group_key: 1 '
# The messages of collectives_fuzz, in the order of their numbers there.
COLLECTIVE_MESSAGES = ["RecvBufRequest", "RecvBufResponse", "CompleteGroupResponse",
                       "CompleteGroupRequest", "CompleteInstanceRequest",
                       "GetStepSequenceRequest", "AbortCollectivesRequest"]


def joins(size):
  return [("CompleteGroupRequest", "group_key: 1 group_size: %d device_type: "
           '"CPU" %s leat { lost_communicator_key: "" }' % (size, ATTRIBUTES % task))
          for task in range(size)]


def claim(task, kind, more=""):
  return ("CompleteInstanceRequest", CLAIM % kind + "instance_key: 5 device: "
          '"%s" %s' % (MEMBER % task, more))


# Each value lists messages.
COLLECTIVES = {
    "buffer_request": [("RecvBufRequest", 'step_id: 7 buf_rendezvous_key: '
                        '"1:2:0:0:3" src_device: "%s" src_incarnation: 7 '
                        'dst_device: "%s"' % (MEMBER % 0, MEMBER % 1))],
    "buffer": [("RecvBufResponse", "num_bytes: 3 transport_options { type_url: "
                '"type.googleapis.com/tensorflow.RecvBufRespExtra" value: '
                '"\\n\\002ab\\n\\001c" }')],
    "group": [("CompleteGroupResponse", 'group_key: 1 group_size: 2 device_type: '
               '"CPU" num_tasks: 2 communicator_key: "k" leat { is_all_leat: true } '
               + ATTRIBUTES % 0 + ATTRIBUTES % 1)],
    "waits": joins(2)[:1],
    "reduces": joins(2) + [claim(0, 0), claim(1, 0)],
    "broadcasts": joins(2) + [claim(0, 1, "is_source: true"), claim(1, 1)],
    "two_sources": joins(2) + 2 * [claim(0, 1, "is_source: true")],
    "steps": [("GetStepSequenceRequest", "graph_key: 5 graph_key: 6 leat { "
               "failed_step_id: 7 }")],
    "aborts": [("AbortCollectivesRequest", 'step_id: 7 code: 10 message: "gone" '
                'group_key: 1 lost_communicator_key: "k"')],
}


def collective_record(message, text):
  proto = "leat_worker" if message == "AbortCollectivesRequest" else "worker"
  data = encode(message, proto, text.encode())
  return struct.pack("<BH", COLLECTIVE_MESSAGES.index(message), len(data)) + data


# CHUNKS, UNKNOWN and ASKED choose what the receiver knows about the peer
# (AskForStatus in recv_reply_fuzz.cc). COMPUTE and CANCEL are the next actions.
CHUNKS, UNKNOWN, ASKED = range(3)
COMPUTE = b"\x08"
CANCEL = b"\x07"
TRANSFER = ('leat { id: 5 total_bytes: 10000 chunk_bytes: 4096 dtype: DT_FLOAT '
            'shape { dim { size: 2500 } } }')
STATUS = "leat { version: 2 max_chunk_bytes: 8192 }"


def write(target, name, data):
  folder = HERE / "corpus" / target
  folder.mkdir(parents=True, exist_ok=True)
  (folder / name).write_bytes(data)


def encode(message, proto, text):
  """Returns the binary form of a message that is given as text."""
  with tempfile.TemporaryDirectory() as include:
    (pathlib.Path(include) / "leat").symlink_to(ROOT)
    return subprocess.run(
        ["protoc", f"--proto_path={include}", f"--encode=leat.pb.{message}",
         f"leat/protos/{proto}.proto"],
        cwd=include, input=text, check=True, capture_output=True).stdout


def reply(message, proto, *parts, call=0, step=0):
  """Returns a record of recv_reply_fuzz with a message. The message has the
  fields of all parts, in their order."""
  data = b"".join(encode(message, proto, part.encode()) for part in parts)
  eights = (len(data) - len(data.rstrip(b"\0"))) // 8
  data = data[:len(data) - 8 * eights]
  return (bytes([10 * call + step]) + struct.pack("<HH", len(data), eights) +
          data)


def received(*parts, **how):
  return reply("RecvTensorResponse", "worker", *parts, **how)


def zeros(dtype, size, num_bytes):
  """Returns the fields of a TensorProto whose bytes are all 0."""
  content = "\\000" * num_bytes
  return (f'dtype: {dtype} tensor_shape {{ dim {{ size: {size} }} }} '
          f'tensor_content: "{content}"')


def first_chunk(size=4096):
  return received(TRANSFER, f'tensor {{ {zeros("DT_UINT8", size, size)} }}')


def chunk(num_bytes, dtype="DT_UINT8", size=None, **how):
  tensor = zeros(dtype, size or num_bytes, num_bytes)
  return reply("FetchChunkResponse", "leat_worker", f"chunk {{ {tensor} }}",
               **how)


def bundle(*parts, **how):
  return reply("RecvTensorsResponse", "leat_worker", *parts, **how)


def asking(peer, tensors=1, in_flight=1, has_little_memory=False,
           together=False):
  return bytes([peer + 3 * (tensors - 1) + 9 * (in_flight - 1) +
                36 * has_little_memory + 72 * together])


def replies():
  """Returns the seeds of recv_reply_fuzz."""
  floats = "tensor { %s }" % zeros("DT_FLOAT", 4, 16)
  status = reply("GetStatusResponse", "worker", STATUS)
  large = received("tensor { %s }" % zeros("DT_FLOAT", 2500, 10000))
  chunks = first_chunk() + COMPUTE + chunk(4096) + chunk(1808)
  return {
      "whole": asking(UNKNOWN) + received(floats),
      "slices": asking(UNKNOWN) + received(floats, step=2),
      "texts": asking(UNKNOWN) + received(
          'tensor { dtype: DT_STRING tensor_shape { dim { size: 2 } } '
          'string_val: "a" string_val: "bc" }'),
      "dead": asking(UNKNOWN) + received("is_dead: true", "tensor { %s }" % (
          "dtype: DT_FLOAT tensor_shape { dim { } }")),
      "three": asking(UNKNOWN, tensors=3) + received(floats, call=2) +
               b"\x04\x02" + received(floats),
      "learns": asking(UNKNOWN) + large + status,
      "by_the_pool": asking(UNKNOWN) + received(
          "tensor { %s }" % zeros("DT_UINT8", 300_000, 300_000)) + status +
          COMPUTE,
      "asked": asking(ASKED, in_flight=2) + status + chunks,
      "chunks": asking(CHUNKS, in_flight=2) + chunks,
      "chunks_early": asking(CHUNKS, in_flight=3) + first_chunk() +
                      chunk(1808, call=1) + chunk(4096, step=3) + COMPUTE,
      "chunk_of_floats": asking(CHUNKS) + first_chunk() + COMPUTE +
                         chunk(4096, dtype="DT_FLOAT", size=1024),
      "chunk_forgotten": asking(CHUNKS, in_flight=2) + first_chunk() +
                         COMPUTE + b"\x04\x04",
      "chunk_dropped": asking(CHUNKS, in_flight=2) + first_chunk() + COMPUTE +
                       b"\x06",
      "chunks_cancelled": asking(CHUNKS, in_flight=2) + first_chunk() +
                          COMPUTE + CANCEL + b"\x05\x00",
      "little_memory": asking(CHUNKS, tensors=2, has_little_memory=True) +
                       first_chunk() + first_chunk() + COMPUTE + COMPUTE,
      "bundle": asking(UNKNOWN, tensors=2, together=True) + bundle(
          "is_dead: false is_dead: false send_start_micros: 5", floats,
          'tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } } '
          'string_val: "a" }'),
      "bundle_dead": asking(UNKNOWN, tensors=3, together=True) + bundle(
          "is_dead: false is_dead: true is_dead: false", floats,
          "tensor { dtype: DT_FLOAT tensor_shape { dim { } } }", floats,
          step=2),
      "bundle_short": asking(UNKNOWN, tensors=2, together=True) + bundle(
          "is_dead: false is_dead: false", floats),
      "bundle_long": asking(UNKNOWN, together=True) + bundle(
          "is_dead: false", floats, floats),
      "bundle_flags": asking(UNKNOWN, tensors=2, together=True) + bundle(
          "is_dead: false", floats, floats),
      "bundle_by_the_pool": asking(UNKNOWN, tensors=2, together=True) + bundle(
          "is_dead: false is_dead: false", floats, "tensor { %s }" % zeros(
              "DT_UINT8", 300_000, 300_000)) + COMPUTE,
      "bundle_cancelled": asking(UNKNOWN, tensors=2, together=True) + CANCEL +
                          b"\x05\x00",
      "bundle_error": asking(UNKNOWN, tensors=2, together=True) + b"\x04\x04",
  }


def masked_crc32c(data):
  crc = 0xFFFFFFFF
  for byte in data:
    crc ^= byte
    for _ in range(8):
      crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
  crc ^= 0xFFFFFFFF
  return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
  """Returns `data` as a record of a TFRecord file."""
  length = struct.pack("<Q", len(data))
  return length + masked_crc32c(length) + data + masked_crc32c(data)


def event_files():
  """Returns the seeds of event_file_fuzz: single events, and a file of
  events."""
  texts = {
      "version": 'wall_time: 1.5 file_version: "brain.Event:2"',
      "scalar": 'step: 7 summary { value { tag: "loss" simple_value: 0.5 } }',
      "histogram": 'summary { value { tag: "w" histo { min: -1 max: 2 num: 2 '
                   'bucket_limit: 0 bucket_limit: 3 bucket: 1 bucket: 1 } } }',
      "tensor": 'summary { value { tag: "t" tensor { dtype: DT_STRING '
                'tensor_shape { } string_val: "x" } metadata { plugin_data { '
                'plugin_name: "text" } } } }',
      "metadata": 'tagged_run_metadata { tag: "s" run_metadata: "x" }',
  }
  events = {name: encode("Event", "event", text.encode())
            for name, text in texts.items()}
  return {**events, "file": b"".join(map(record, events.values()))}


PALETTE = [30, 60, 90, 20, 10, 0, 200, 100, 50, 7, 8, 9]


def jpeg_files():
  """Returns the JPEG files of cases of DecodeJpeg in image_files.jsonl, behind
  a byte with options."""
  files = {}
  cases = HERE.parent / "op_cases" / "image_files.jsonl"
  for line in cases.read_text().splitlines()[1:]:
    case = json.loads(line)
    kind, _, end = case["name"].rpartition(" to ")
    if case["op"] == "DecodeJpeg" and end == "0":
      files[kind.replace(" ", "_")] = (
          bytes([len(files) * 37 % 256]) +
          case["inputs"][0][2][0].encode("latin-1"))
  return files


def image_files():
  """Returns the seeds of png_fuzz, gif_fuzz and bmp_fuzz."""
  square = made_images.gif_frame(2, 2, [0, 1, 2, 3])
  moved = made_images.gif_frame(1, 9, [0, 1, 2] * 3, left=1, transparent=1,
                                interlaced=True, palette=PALETTE)
  grey = [[1000, 2, 65535]]
  return {
      "png_fuzz": {
          "deep": made_images.png(grey, 3, 1, 16, 0),
          "rgba": made_images.png([list(range(8))] * 2, 2, 2, 8, 6,
                                  interlaced=True),
          "palette": made_images.png([[0, 1, 2, 3]], 4, 1, 2, 3,
                                     palette=PALETTE, trns=b"\x80")},
      "gif_fuzz": {
          "flat": made_images.gif(2, 2, square, palette=PALETTE),
          "moving": made_images.gif(3, 9, square, moved, palette=PALETTE)},
      "bmp_fuzz": {
          "grey": made_images.bmp([1, 2], 2, 1, 1),
          "rgb": made_images.bmp(range(18), 3, 2, 3),
          "top_down": made_images.bmp(range(24), 3, -2, 4)}}


def examples():
  """Returns the seeds of example_fuzz."""
  def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data

  def entry(key, feature):
    return field(1, field(1, key) + field(2, feature))
  ints = field(3, field(1, b"\1\x80\1"))
  unpacked = field(3, b"\x08\1\x08\2")
  floats = field(2, field(1, struct.pack("<fff", 1, 2, 3)))
  texts = field(1, field(1, b"xy") + field(1, b""))
  return {
      "all": field(1, entry(b"a", ints) + entry(b"b", floats) +
                   entry(b"c", texts)),
      "unpacked": field(1, entry(b"a", unpacked)),
      "twice": field(1, entry(b"a", floats) + entry(b"a", ints)),
      "unknown": b"\x10\5" + field(1, entry(b"z", b"\xff\xff"))}


def main():
  for path in sorted((ROOT / "tests" / "graphs").glob("*.pbtxt")):
    if not path.name.startswith("meta_graph"):
      write("graph_fuzz", path.stem,
            encode("GraphDef", "graph", path.read_bytes()))
  for name, text in GRAPHS.items():
    write("graph_fuzz", name, encode("GraphDef", "graph", text.encode()))
  tensors = {
      "content": 'dtype: DT_INT32 tensor_shape { dim { size: 2 } } '
                 'tensor_content: "\\001\\000\\000\\000\\002\\000\\000\\000"',
      "repeated": 'dtype: DT_FLOAT tensor_shape { dim { size: 9 } } '
                  'float_val: 1 float_val: 2',
      "strings": 'dtype: DT_STRING tensor_shape { dim { size: 2 } } '
                 'string_val: "a" string_val: "b"',
      # This is a list of two float elements of unknown shape. The first element
      # is not written, and the second is 1.
      "list": 'dtype: DT_VARIANT tensor_shape { } variant_val { '
              'type_name: "tensorflow::TensorList" '
              'metadata: "\\001\\000\\001\\005\\030\\001" '
              'tensors { dtype: DT_FLOAT tensor_shape { } float_val: 1 } }',
      "optional": 'dtype: DT_VARIANT tensor_shape { } variant_val { '
                  'type_name: "tensorflow::data::Optional" metadata: "\\001" '
                  'tensors { dtype: DT_INT32 tensor_shape { } } }',
      # This is an optional without a value, encoded in tensor_content.
      "variant_content": 'dtype: DT_VARIANT tensor_shape { } tensor_content: '
                         '"\\037\\n\\032tensorflow::data::Optional'
                         '\\022\\001\\000"',
  }
  for name, text in tensors.items():
    write("tensor_codec_fuzz", name,
          encode("TensorProto", "tensor", text.encode()))
  models = ROOT / "tests" / "train" / "saved_model" / "tensorflow"
  for name in ["half_plus_two", "assets_and_init", "module"]:
    write("saved_model_fuzz", name,
          (models / name / "saved_model.pb").read_bytes())
  for name in ["/job:ps/replica:0/task:1/device:CPU:0", "/cpu:0", "/gpu:*",
               "/job:a/task:2"]:
    write("device_name_fuzz", name.strip("/").replace("/", "_").replace(
        ":", "").replace("*", "any"), name.encode())
  for name, text in CLUSTERS.items():
    write("cluster_json_fuzz", name, text.encode())
  for path in sorted((ROOT / "examples" / "clusters").glob("*.json")):
    write("cluster_model_fuzz", path.stem, path.read_bytes())
  for name, (kind, step, text) in WIRE.items():
    message = ["RunGraphRequest", "RecvTensorResponse"][kind]
    write("wire_fuzz", name,
          bytes([kind, step]) + encode(message, "worker", text.encode()))
  for name, (graph, run) in WORKER.items():
    graph = encode("GraphDef", "graph", graph.encode())
    write("worker_fuzz", name, struct.pack("<H", len(graph)) + graph +
          encode("RunGraphRequest", "worker", run.encode()))
  for name, data in event_files().items():
    write("event_file_fuzz", name, data)
  records = b"".join(map(record, [b"first", b"", b"x" * 40]))
  write("tf_records_fuzz", "plain", records)
  write("tf_records_fuzz", "zlib", zlib.compress(records))
  write("decompress_fuzz", "zlib", zlib.compress(records))
  write("decompress_fuzz", "gzip", 2 * gzip.compress(records, mtime=0))
  write("text_lines_fuzz", "lines", b"a\r\nb\n\n\rc\rd\n last")
  for name, messages in COLLECTIVES.items():
    write("collectives_fuzz", name,
          b"".join(collective_record(*message) for message in messages))
  for name, data in replies().items():
    write("recv_reply_fuzz", name, data)
  arrays = {"float": np.ones((2, 3), np.float32), "scalar": np.int64(7),
            "bytes": np.array([b"a", b"bcd"]), "bool": np.array([True, False]),
            "complex": np.zeros((1, 0, 2), np.complex64)}
  for name, array in arrays.items():
    file = io.BytesIO()
    np.save(file, array)
    write("npy_fuzz", name, file.getvalue())
  for name, data in jpeg_files().items():
    write("jpeg_fuzz", name, data)
  for target, files in image_files().items():
    for name, data in files.items():
      write(target, name, data)
  for name, data in examples().items():
    write("example_fuzz", name, data)
  for name, line in {"plain": b"1,-2.5,abc,", "quoted": b'"a""b","c,d",""',
                     "numbers": b" 7 ,0x1f,inf,1e400,-nan"}.items():
    write("csv_fuzz", name, line)
  write("idx_fuzz", "labels", struct.pack(">BBBBI", 0, 0, 8, 1, 3) + b"\1\2\3")
  write("idx_fuzz", "images",
        struct.pack(">BBBBIII", 0, 0, 8, 3, 1, 2, 2) + bytes(4))


if __name__ == "__main__":
  main()
