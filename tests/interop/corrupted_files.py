#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Reads corrupted files and decodes corrupted bytes with TensorFlow's client on a server of
Leat.

The errors must have the class and the text of those of TensorFlow, which runs in this
process. Besides, they must name the file and the position in it, or the record and the
node. After each error, the next step of the session must succeed, and at the end the
server must hold no more than before. Then bytes that are changed at random are decoded.
They must give a value, or an error that names the file or the node.

Usage: corrupted_files.py LEAT
  LEAT  the program `leat`
"""

import gzip
import os
import random
import sys
import tempfile
import typing
import zlib

import tasks  # must come first: sets the environment of TensorFlow
import watched
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

Data = tf.data.Dataset
FOLDER = tempfile.TemporaryDirectory(prefix="leat_interop_")
FEATURES = {"a": tf.io.FixedLenFeature([], tf.int64),
            "b": tf.io.FixedLenFeature([], tf.string)}
COLUMNS = [[0], [0.5]]
CHANGES = 60  # of the bytes of each format
BAD = (tf.errors.InvalidArgumentError, tf.errors.DataLossError)


# ---- Good and corrupted bytes ----

def file(name, content):
  path = os.path.join(FOLDER.name, name)
  with open(path, "wb") as out:
    out.write(content)
  return path


def flipped(content, position):
  content = bytearray(content)
  content[position] ^= 0x55
  return bytes(content)


def example(i):
  return tf.train.Example(features=tf.train.Features(feature={
      "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
      "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * 9]))
  })).SerializeToString()


def records(payloads):
  path = os.path.join(FOLDER.name, "made")
  with tf.io.TFRecordWriter(path) as out:
    for payload in payloads:
      out.write(payload)
  with open(path, "rb") as made:
    return made.read()


def images():
  """Returns a JPEG, a PNG and a GIF file."""
  pixels = (np.arange(16 * 16 * 3) * 7 % 251).astype(np.uint8).reshape(16, 16, 3)
  with tf1.Graph().as_default(), tf1.Session("") as session:
    jpeg, png = session.run([tf.io.encode_jpeg(pixels), tf.io.encode_png(pixels)])
  # This GIF file has one frame of 1 x 1.
  gif = bytes.fromhex("47494638396101000100800000000000ffffff"
                      "2c00000000010001000002024401003b")
  return jpeg, png, gif


EXAMPLES = [example(i) for i in range(5)]
TORN = b"\x0a\xff\xffgarbage"  # is no Example, and no UTF-8
RECORDS = records(EXAMPLES)
RECORD_BYTES = len(RECORDS) // len(EXAMPLES)
JPEG, PNG, GIF = images()
CSV = b"1,2.5\n3,4.5\n"


# ---- Programs ----

def data_set(make):
  """Returns a program that reads all elements of a data set."""
  def program(session):
    iterator = tf1.data.make_initializable_iterator(make())
    following = iterator.get_next()
    session.run(iterator.initializer)
    while True:
      session.run(following)
  return program


def reader(make, path):
  """Returns a program that reads all records of a file."""
  def program(session):
    names = tf1.FIFOQueue(1, [tf.string], [[]])
    session.run(names.enqueue(path))
    session.run(names.close())
    read = make().read(names)
    while True:
      session.run(read)
  return program


def step(make):
  """Returns a program of one step, whose op is named "bad"."""
  return lambda session: session.run(make())


def parse(serialized):
  return tf.io.parse_single_example(serialized, FEATURES)


class Case(typing.NamedTuple):
  """Is a program that fails. Its error must have all these texts."""
  name: str
  program: typing.Callable
  texts: tuple = ("{{node bad}}",)


def record_files():
  third = 2 * RECORD_BYTES
  short = file("cut", RECORDS[:-3])
  length = file("length", flipped(RECORDS, third + 8))
  content = file("content", flipped(RECORDS, third + 14))
  text = file("text", b"This is a text and no file of records.")
  squeezed = file("squeezed", flipped(gzip.compress(RECORDS), -6))
  half = file("half", gzip.compress(RECORDS)[:-12])
  packed = file("packed", flipped(zlib.compress(RECORDS), 15))
  lines = file("lines", flipped(gzip.compress(CSV * 9), 12))
  uneven = file("uneven", b"x" * 17)
  plain = file("plain", RECORDS)
  read = tf.data.TFRecordDataset
  piped = lambda: (Data.from_tensor_slices([plain, content])
                   .interleave(read, num_parallel_calls=2).shuffle(3, seed=1)
                   .map(parse, 2).batch(2).prefetch(1))
  return [
      Case("cut", data_set(lambda: read(short)), (short, "at %d" % (4 * RECORD_BYTES))),
      Case("length", data_set(lambda: read(length)), (length, "at %d" % third)),
      Case("content", data_set(lambda: read(content)), (content, "at %d" % (third + 12))),
      Case("text", data_set(lambda: read(text)), (text, "at 0")),
      Case("many stages", data_set(piped), (content, "at %d" % (third + 12))),
      Case("gzip", data_set(lambda: read(squeezed, "GZIP")), (squeezed, "at byte ")),
      Case("cut gzip", data_set(lambda: read(half, "GZIP")), (half, "truncated record at ")),
      Case("no gzip", data_set(lambda: read(plain, "GZIP")), (plain, "at byte 2")),
      Case("zlib", data_set(lambda: read(packed, "ZLIB")), (packed, "at byte ")),
      Case("lines", data_set(lambda: tf.data.TextLineDataset(lines, "GZIP")),
           (lines, "at byte ")),
      Case("fixed length", data_set(lambda: tf.data.FixedLengthRecordDataset(uneven, 8)),
           (uneven, "17 bytes")),
      Case("reader", reader(tf1.TFRecordReader, content), (content, "at %d" % (third + 12))),
  ]


def csv_lines():
  def decode(lines, **options):
    return tf.io.decode_csv(tf.constant(lines), COLUMNS, name="bad", **options)
  in_file = file("csv", b"1,2.5\n3\n")
  mapped = lambda: tf.data.TextLineDataset(in_file).map(
      lambda line: tf.io.decode_csv(line, COLUMNS, name="bad"))
  node = "{{node bad}}"
  return [
      Case("fields", step(lambda: decode(["1,2", "3"])), (node, "in record 1")),
      Case("number", step(lambda: decode(["1,2", "3,x"])), (node, "in record 1", "Field 1")),
      Case("quote", step(lambda: decode(["1,2", '"3,4'])), (node, "in record 1")),
      Case("text behind a quote", step(lambda: decode(["1,2", '"3"4,'])),
           (node, "in record 1")),
      Case("quote inside", step(lambda: decode(["1,2", '3"4,'])), (node, "in record 1")),
      Case("no text", step(lambda: decode([b"1,2", b"3,\xff"])),
           (node, "in record 1", r"\xff")),
      Case("in a file", data_set(mapped), ("bad}}", "in record 0")),
  ]


def torn_examples():
  in_file = file("torn", records(EXAMPLES[:2] + [TORN]))
  batches = lambda: tf.data.TFRecordDataset(in_file).batch(3)
  wrong = example(1).replace(b"a", b"b", 1)
  return [
      Case("example", step(lambda: tf1.parse_single_example(TORN, FEATURES, name="bad")["a"]),
           ("bad", r"\xff\xff")),
      Case("batch", step(lambda: tf1.parse_example(
          [EXAMPLES[0], TORN], FEATURES, name="bad")["a"]),
           ("bad", "Index: 1", r"\xff\xff")),
      Case("names", step(lambda: tf1.parse_example(
          [EXAMPLES[0], wrong], FEATURES, name="bad", example_names=["first", "second"])["a"]),
           ("bad", "Name: second")),
      Case("map", data_set(lambda: batches().map(lambda x: tf.io.parse_example(x, FEATURES))),
           ("Index: 2", "ParseExample")),
      Case("data set", data_set(lambda: batches().apply(
          tf.data.experimental.parse_example_dataset(FEATURES))), ("Index: 2",)),
  ]


def torn_images():
  half = lambda image: image[:len(image) // 2]
  decoders = [("jpeg", tf.io.decode_jpeg, [half(JPEG), b"\xff\xd8\xff" + b"x" * 50]),
              ("png", tf.io.decode_png, [half(PNG), flipped(PNG, len(PNG) // 2), PNG[:20]]),
              ("gif", tf.io.decode_gif, [half(GIF), b"GIF89a\0\0\0"]),
              ("any", tf.io.decode_image, [b"no image", b"", half(PNG)])]
  cases = []
  for name, decode, torn in decoders:
    for i, image in enumerate(torn):
      of_name = "{{node bad" if decode is tf.io.decode_image else "{{node bad}}"
      cases.append(Case("%s %d" % (name, i),
                        step(lambda d=decode, x=image: d(tf.constant(x), name="bad")),
                        (of_name,)))
  path = file("jpeg", half(JPEG))
  cases.append(Case("jpeg in a file", data_set(lambda: Data.from_tensor_slices([path]).map(
      lambda p: tf.io.decode_jpeg(tf.io.read_file(p), name="bad"))), ("bad}}",)))
  return cases


def encoded_bytes():
  return [
      Case("zlib", step(lambda: tf.io.decode_compressed(
          tf.constant([b"no zlib"]), "ZLIB", name="bad"))),
      Case("base64", step(lambda: tf.io.decode_base64(tf.constant(["!!!!"]), name="bad"))),
      Case("tensor", step(lambda: tf.io.parse_tensor(
          tf.constant(b"x"), tf.int32, name="bad"))),
      Case("number", step(lambda: tf.strings.to_number(tf.constant([b"\xff"]), name="bad")),
           ("{{node bad}}", r"\xff")),
  ]


def error_of(program, target):
  with tf1.Graph().as_default(), tf1.Session(target, config=watched.ALONE) as session:
    try:
      program(session)
    except UnicodeDecodeError as error:  # of a message of TensorFlow
      return error
    except tf.errors.OpError as error:
      if session.run(tf.constant(2) + 2) != 4:
        raise AssertionError("the next step has a wrong result") from error
      return error
  raise AssertionError("there is no error")


def test_case(case, target):
  expected, got = error_of(case.program, ""), error_of(case.program, target)
  if isinstance(got, UnicodeDecodeError):
    raise AssertionError(case.name) from got
  if isinstance(expected, UnicodeDecodeError):
    kind, text = tf.errors.InvalidArgumentError, ""
  else:
    # Behind "failed", Leat names another cause when the file is compressed.
    kind, text = type(expected), tasks.first_line(expected).split("' failed with")[0]
  missing = [each for each in [text, *case.texts] if each not in got.message]
  if type(got) is not kind or missing:  # pylint: disable=unidiomatic-typecheck
    raise AssertionError("%s: %s of Leat should be %s, with %s: %s" % (
        case.name, type(got).__name__, kind.__name__, missing, got))


# ---- Bytes that are changed at random ----

def changed(content, seed):
  """Returns the bytes with some changes, and perhaps without their end."""
  rng = random.Random(seed)
  result = bytearray(content)
  for _ in range(rng.choice([0, 1, 1, 2, 8])):
    result[rng.randrange(len(result))] = rng.randrange(256)
  return bytes(result[:rng.choice([len(result), rng.randrange(len(result) + 1)])])


def decode_changed(session, content, decode, name):
  """Decodes changed bytes. Returns how many times that fails."""
  fed = tf1.placeholder(tf.string, [])
  value = decode(fed)
  session.run(value, {fed: content})
  failures = 0
  for seed in range(CHANGES):
    try:
      session.run(value, {fed: changed(content, seed)})
    except BAD as error:
      failures += 1
      if name not in error.message:
        raise AssertionError("%s is not in: %s" % (name, error.message)) from error
  return failures


def read_changed(session):
  """Reads changed files of records. The records before an error must be right. Returns
  how many times there is an error."""
  path = tf1.placeholder(tf.string, [])
  iterator = tf1.data.make_initializable_iterator(tf.data.TFRecordDataset(path))
  following = iterator.get_next()
  failures = 0
  for seed in range(CHANGES):
    name = file("changed", changed(RECORDS, seed))
    session.run(iterator.initializer, {path: name})
    got = []
    try:
      while True:
        got.append(session.run(following))
    except tf.errors.OutOfRangeError:
      pass
    except tf.errors.DataLossError as error:
      failures += 1
      if name not in error.message or " at " not in error.message:
        raise AssertionError("no position in: " + error.message) from error
    if got != EXAMPLES[:len(got)]:
      raise AssertionError("the records are wrong: %s" % got)
  return failures


def report(name, failures):
  if failures == 0:
    raise AssertionError("nothing of %s has failed" % name)
  print("%-8s %2d of %d changes are errors" % (name, failures, CHANGES))


def test_changed(target):
  single = lambda x: tf1.parse_single_example(x, FEATURES, name="bad")
  kinds = {
      "csv": (b"12,2.5", lambda x: tf.io.decode_csv(x, COLUMNS, name="bad")),
      "example": (EXAMPLES[0], single),
      "jpeg": (JPEG, lambda x: tf.io.decode_jpeg(x, name="bad")),
      "png": (PNG, lambda x: tf.io.decode_png(x, name="bad")),
      "gif": (GIF, lambda x: tf.io.decode_gif(x, name="bad")),
      "zlib": (zlib.compress(CSV), lambda x: tf.io.decode_compressed(x, "ZLIB", name="bad")),
  }
  with tf1.Graph().as_default(), tf1.Session(target) as session:
    for name, (content, decode) in kinds.items():
      report(name, decode_changed(session, content, decode, "bad"))
    report("records", read_changed(session))


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  cases = record_files() + csv_lines() + torn_examples() + torn_images() + encoded_bytes()
  with tasks.Cluster({"worker": ["leat"]}, leat=sys.argv[1],
                     leat_flags=["--file-root", FOLDER.name]) as cluster:
    target = cluster.target("worker")
    with watched.neighbour_on(target):
      held = watched.held(cluster, "worker")
      for case in cases:
        test_case(case, target)
      print("%d errors name what is corrupted" % len(cases))
      test_changed(target)
      watched.expect_let_go(cluster, "worker", held)


if __name__ == "__main__":
  main()
