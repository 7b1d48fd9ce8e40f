#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes data sets (tf.data) and what TensorFlow reads from them to
dataset_cases.jsonl. dataset_cases_test.cc compares Leat's elements with them.

Usage: make_dataset_cases.py   (with the Python of tools/tensorflow_python)

Each line has the name of a case, its graph, the node that initializes the iterator,
the fetches of a step that takes an element, and what such steps give: a list of
tensors, the code of an error, or "end". "begin" says that the initializer runs. Data
sets of files read those of dataset_files/, which this script writes, too.
"""

import gzip
import json
import os
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_eager_execution()

Data = tf.data.Dataset
MAX_ELEMENTS = 20  # of a data set that has no end
CODES = {3: "INVALID_ARGUMENT", 5: "NOT_FOUND", 15: "DATA_LOSS"}


def numbers(n=10):
  return Data.range(n)


def rows():
  return Data.from_tensor_slices((np.arange(12).reshape(6, 2), list("abcdef")))


def counted(x):
  """A data set of x mod 4 elements."""
  return Data.range(x * 10, x * 10 + x % 4)


def fails_at(bad):
  def f(x):
    with tf.control_dependencies([tf.debugging.assert_none_equal(x, tf.cast(bad, x.dtype))]):
      return tf.identity(x)
  return f


def random_element(x):
  return x, tf.random.uniform([2], maxval=1000, dtype=tf.int64, seed=4)


def options(**values):
  result = tf.data.Options()
  for name, value in values.items():
    setattr(result, name, value)
  return result


def scan_sum(state, x):
  return state + x, (state, x)


def window_sizes(dataset, *args, **kwargs):
  return dataset.window(*args, **kwargs).flat_map(lambda w: w.batch(100))


def empty():
  return Data.range(0)


def raw_dataset(op, **arguments):
  """A data set that the op makes, for ops to which the client has no other way."""
  variant = op(**arguments, output_types=[tf.int64], output_shapes=[[]])
  return tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64))


FOLDER = "dataset_files"
TEXT = b"a\n\nsecond line\r\nc\rd\r\r\n\tlast"
FIXED = b"HHabcdefghiFFF"


def tf_records():
  with tf.io.TFRecordWriter(FOLDER + "/records") as writer:
    for record in [b"first", b"", b"third" * 9, b"x" * 100]:
      writer.write(record)
  with open(FOLDER + "/records", "rb") as file:
    return file.read()


def write_cache():
  """Writes a cache, which cases read with other data sets."""
  for end in [".index", ".data-00000-of-00001"]:
    if os.path.exists(FOLDER + "/cached" + end):
      os.remove(FOLDER + "/cached" + end)
  with tf.Graph().as_default(), tf1.Session() as session:
    data = Data.range(120).map(lambda x: (x * 10, tf.strings.as_string(x), [1., 2.]))
    session.run(data.cache(FOLDER + "/cached").reduce(np.int64(0), lambda count, _: count + 1))


def write_files():
  os.makedirs(FOLDER, exist_ok=True)
  records = tf_records()
  damaged = records[:40] + b"?" + records[41:]
  gzipped = lambda data: gzip.compress(data, mtime=0)
  for name, data in {
      "records.gz": gzipped(records), "records.z": zlib.compress(records),
      "records.twice.gz": gzipped(records) * 2, "records.damaged": damaged,
      "records.cut": records[:50], "records.header_cut": records[:29],
      "records.z.damaged": zlib.compress(records)[:-1] + b"?",
      "records.z.cut": zlib.compress(records)[:25],
      "text.gz.damaged": gzipped(TEXT)[:-8] + b"?" + gzipped(TEXT)[-7:],
      "empty": b"", "text": TEXT, "text.gz": gzipped(TEXT), "text.z": zlib.compress(TEXT),
      "text.end": b"a\r\n\r\n", "text.gz.garbage": gzipped(b"a\nb\n") + b"garbage",
      "fixed": FIXED, "fixed.z": zlib.compress(FIXED), "fixed.gz": gzipped(FIXED)}.items():
    with open(FOLDER + "/" + name, "wb") as file:
      file.write(data)
  write_cache()


def from_cache(*example):
  """A data set whose elements are never made, because there is a cache."""
  return Data.range(120).map(lambda x: (fails_at(0)(x) + 1000, *example)).cache(
      FOLDER + "/cached")


def paths(*names):
  return [FOLDER + "/" + name for name in names]


def tf_record_files(*names, **options):
  return tf.data.TFRecordDataset(paths(*names), **options)


def lines(*names, **options):
  return tf.data.TextLineDataset(paths(*names), **options)


def fixed(record, *names, header=2, footer=3, **options):
  return tf.data.FixedLengthRecordDataset(paths(*names), record, header, footer, **options)


def from_file_op(op, **arguments):
  """A data set of an op to which the client has no other way. TensorFlow cannot
  rewrite a graph with TFRecordDatasetV2."""
  data = tf.data.experimental.from_variant(op(**arguments), tf.TensorSpec([], tf.string))
  plain = tf.data.Options()
  plain.autotune.enabled = False
  plain.experimental_optimization.apply_default_optimizations = False
  return data.with_options(plain)


def example(z, a=(0.5, 2.)):
  features = {"z": tf.train.Feature(int64_list=tf.train.Int64List(value=z)),
              "a": tf.train.Feature(float_list=tf.train.FloatList(value=a))}
  return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def examples(*values):
  return Data.from_tensor_slices([example(*value) for value in values])


def parsed(data, calls=1, features=None):
  return data.apply(tf.data.experimental.parse_example_dataset(features or {
      "z": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1),
      "a": tf.io.FixedLenFeature([2], tf.float32),
      "missing": tf.io.FixedLenFeature([], tf.string, "none")}, calls))


def parsed_numbers(data, **arguments):
  """A data set of a form that the client does not make."""
  variant = tf.raw_ops.ParseExampleDatasetV2(**{
      "input_dataset": data._variant_tensor, "num_parallel_calls": 1, "sparse_keys": [],
      "dense_keys": ["z"], "dense_defaults": [np.int64(0)], "dense_shapes": [[]],
      "sparse_types": [], "output_types": [tf.int64], "output_shapes": [[None]],
      "ragged_keys": [], "ragged_value_types": [], "ragged_split_types": [], **arguments})
  return tf.data.experimental.from_variant(variant, tf.TensorSpec([None], tf.int64))


def interleaved(names, compression_type="", **arguments):
  """A data set of the lines of files, which are read at the same time."""
  return Data.from_tensor_slices(paths(*names)).interleave(
      lambda name: tf.data.TextLineDataset(name, compression_type), cycle_length=2, **arguments)


def twice(data):
  return Data.zip((data, data))


def records_from(offsets, *names, compression_type=""):
  return from_file_op(
      tf.raw_ops.TFRecordDatasetV2, filenames=paths(*names), buffer_size=np.int64(0),
      byte_offsets=np.int64(offsets), compression_type=compression_type)


PIPELINES = {
    "range": lambda: Data.range(5),
    "range_down": lambda: Data.range(10, 0, -3),
    "range_empty": lambda: Data.range(5, 5),
    "range_float": lambda: Data.range(0, 3, output_type=tf.float32),
    "range_small": lambda: Data.range(0, 3, output_type=tf.uint8),
    "tensors": lambda: Data.from_tensors((np.eye(2), "text")),
    "slices": rows,
    "structures": lambda: Data.from_tensor_slices({"a": [1, 2], "b": ([3, 4], [5., 6.])}),
    "random": lambda: Data.random(seed=3).take(7),
    "random_again": lambda: Data.random(seed=3, rerandomize_each_iteration=True).take(3).repeat(2),
    "take": lambda: numbers().take(3),
    "take_all": lambda: numbers().take(-1),
    "take_more": lambda: numbers(3).take(7),
    "skip": lambda: numbers().skip(7),
    "skip_all": lambda: numbers().skip(-1),
    "skip_more": lambda: numbers(3).skip(5),
    "repeat": lambda: numbers(3).repeat(2),
    "repeat_zero": lambda: numbers(3).repeat(0),
    "repeat_forever": lambda: numbers(3).repeat(),
    "repeat_nothing": lambda: empty().repeat(),
    "concatenate": lambda: numbers(3).concatenate(Data.range(5, 7)),
    "zip": lambda: Data.zip((numbers(3), rows())),
    "zip_errors": lambda: Data.zip((numbers(6), numbers(6).map(fails_at(2)))),
    "shard": lambda: numbers().shard(3, 1),
    "filter": lambda: numbers().filter(lambda x: tf.equal(x % 3, 0)),
    "filter_nothing": lambda: numbers().filter(lambda x: x > 100),
    "filter_errors": lambda: numbers(6).filter(lambda x: fails_at(3)(x) > 1),
    "take_while": lambda: numbers().take_while(lambda x: x < 4),
    "map": lambda: numbers().map(lambda x: x * x),
    "map_parts": lambda: rows().map(lambda n, s: (s, tf.strings.join([s, "!"]), n[0])),
    "map_errors": lambda: numbers(5).map(fails_at(2)),
    "map_random": lambda: numbers(3).map(random_element).repeat(2),
    "map_nested": lambda: numbers(3).map(lambda x: Data.range(x + 3).reduce(x, lambda a, b: a + b)),
    "parallel_map": lambda: numbers(40).map(lambda x: x * x, num_parallel_calls=4),
    "parallel_map_errors": lambda: numbers(9).map(fails_at(4), num_parallel_calls=3),
    "parallel_map_auto": lambda: numbers(9).map(lambda x: -x, num_parallel_calls=tf.data.AUTOTUNE),
    "map_and_batch": lambda: numbers().apply(
        tf.data.experimental.map_and_batch(lambda x: x * 2, 3, num_parallel_calls=2)),
    "flat_map": lambda: numbers(5).flat_map(Data.range),
    "flat_map_nested": lambda: numbers(3).flat_map(
        lambda x: Data.range(x + 1).flat_map(lambda y: Data.range(y + 1).map(lambda z: x + y + z))),
    "flat_map_errors": lambda: numbers(4).flat_map(lambda x: Data.range(3).map(fails_at(x))),
    "interleave": lambda: numbers(9).interleave(counted, cycle_length=3, block_length=2),
    "interleave_one": lambda: numbers(9).interleave(counted, cycle_length=1),
    "interleave_wide": lambda: numbers(4).interleave(counted, cycle_length=9, block_length=5),
    "parallel_interleave": lambda: numbers(30).interleave(
        counted, cycle_length=3, block_length=2, num_parallel_calls=2),
    "parallel_interleave_wide": lambda: numbers(12).interleave(
        counted, cycle_length=20, num_parallel_calls=tf.data.AUTOTUNE),
    "choose": lambda: Data.choose_from_datasets(
        [numbers(3), Data.range(10, 12)], Data.range(9).map(lambda x: x % 2),
        stop_on_empty_dataset=False),
    "choose_until_empty": lambda: Data.choose_from_datasets(
        [numbers(3), Data.range(10, 12)], Data.range(9).map(lambda x: x % 2)),
    "parallel_interleave_errors": lambda: numbers(4).interleave(
        lambda x: Data.range(fails_at(2)(x)), cycle_length=4, num_parallel_calls=4),
    "interleave_function_errors": lambda: numbers(4).interleave(
        lambda x: Data.range(fails_at(1)(x) + 3), cycle_length=2, block_length=2),
    "interleave_element_errors": lambda: numbers(3).interleave(
        lambda x: Data.range(x * 10, x * 10 + 4).map(fails_at(11)),
        cycle_length=2, block_length=2),
    "parallel_interleave_function_errors": lambda: numbers(4).interleave(
        lambda x: Data.range(fails_at(1)(x) + 3), cycle_length=2, num_parallel_calls=2),
    "parallel_interleave_block_errors": lambda: numbers(4).interleave(
        lambda x: Data.range(fails_at(1)(x) + 3), cycle_length=2, block_length=2,
        num_parallel_calls=2),
    "parallel_interleave_element_errors": lambda: numbers(3).interleave(
        lambda x: Data.range(x * 10, x * 10 + 4).map(fails_at(11)),
        cycle_length=2, block_length=3, num_parallel_calls=2),
    "parallel_interleave_input_errors": lambda: numbers(4).map(fails_at(1)).interleave(
        lambda x: Data.range(x * 10, x * 10 + 4), cycle_length=2, num_parallel_calls=2),
    "batch": lambda: numbers().batch(4),
    "batch_drop": lambda: numbers().batch(4, drop_remainder=True),
    "batch_parts": lambda: rows().batch(4),
    "batch_parallel": lambda: numbers(20).batch(3, num_parallel_calls=2),
    "batch_errors": lambda: numbers(9).filter(lambda x: fails_at(4)(x) >= 0).batch(3),
    # TensorFlow makes one MapAndBatchDataset of these two.
    "map_and_batch_errors": lambda: numbers(9).apply(
        tf.data.experimental.map_and_batch(fails_at(4), 3)),
    "batch_shapes": lambda: Data.range(1, 4).map(tf.range).batch(4),
    "padded_batch": lambda: Data.range(1, 6).map(tf.range).padded_batch(2),
    "padded_batch_value": lambda: Data.range(1, 6).map(
        lambda x: tf.ones([x, 3])).padded_batch(2, [None, 4], -1.),
    "padded_batch_text": lambda: Data.range(1, 4).map(
        lambda x: tf.fill([x], "s")).padded_batch(2, [None], "pad"),
    "padded_batch_small": lambda: Data.range(1, 6).map(tf.range).padded_batch(2, [3]),
    "unbatch": lambda: rows().batch(4).unbatch(),
    "unbatch_empty": lambda: numbers(3).map(lambda x: tf.zeros([x, 2])).unbatch(),
    "rebatch": lambda: numbers(20).batch(6).rebatch(4),
    "rebatch_after_skip": lambda: numbers(25000).batch(1).skip(24990).rebatch(3),
    "rebatch_sizes": lambda: numbers(20).batch(6).rebatch([1, 7, 2], drop_remainder=True),
    "window": lambda: window_sizes(numbers(7), 3),
    "window_strided": lambda: window_sizes(numbers(12), 3, 2, 2),
    "window_apart": lambda: window_sizes(numbers(12), 2, 5, 1, drop_remainder=True),
    "scan": lambda: numbers(5).scan(np.int64(0), scan_sum),
    "group_by_window": lambda: numbers(20).group_by_window(
        lambda x: x % 3, lambda key, window: window.batch(3), window_size=4),
    "shuffle": lambda: numbers(30).shuffle(7, seed=3),
    "shuffle_all": lambda: numbers(9).shuffle(100, seed=3),
    "shuffle_cardinality": lambda: numbers(9).shuffle(numbers(9).cardinality(), seed=3),
    "shuffle_repeat": lambda: numbers(5).shuffle(3, seed=3).repeat(3),
    "shuffle_same": lambda: numbers(5).shuffle(3, seed=3, reshuffle_each_iteration=False).repeat(3),
    "shuffle_and_repeat": lambda: numbers(5).apply(
        tf.data.experimental.shuffle_and_repeat(3, 4, seed=5)),
    "shuffle_and_repeat_v2": lambda: raw_dataset(
        tf.raw_ops.ShuffleAndRepeatDatasetV2, input_dataset=numbers(5)._variant_tensor,
        buffer_size=3, seed=5, seed2=6, count=2,
        seed_generator=tf.raw_ops.DummySeedGenerator()),
    "shuffle_and_repeat_nothing": lambda: empty().apply(
        tf.data.experimental.shuffle_and_repeat(3, 5, seed=5)),
    "shuffle_in_flat_map": lambda: numbers(4).flat_map(lambda x: Data.range(5).shuffle(4, seed=2)),
    "cache": lambda: numbers(3).map(random_element).cache().repeat(2),
    "cache_in_flat_map": lambda: numbers(2).flat_map(
        lambda x: Data.range(2).map(random_element).cache().repeat(2)),
    "cache_file": lambda: from_cache("", [0., 0.]).shard(10, 3),
    "cache_file_types": lambda: from_cache(0),
    "parse_examples": lambda: parsed(
        examples([[1]], [[2, 3]], [[]], [[4]], [[5]]).batch(2)),
    "parse_examples_parallel": lambda: parsed(
        Data.range(20).map(lambda x: tf.gather([example([3]), example([5, 6])], x % 2)).batch(3),
        calls=3),
    "parse_examples_errors": lambda: parsed(
        examples([[1]], [[2], [7.]], [[3]]).batch(1), calls=2),
    "parse_examples_parts": lambda: parsed_numbers(
        Data.zip((examples([[1]], [[2]]), examples([[3]], [[4]]))).batch(2)),
    "parse_examples_single": lambda: parsed_numbers(examples([[1]], [[2]])),
    "parse_examples_shapes": lambda: parsed_numbers(
        examples([[1]], [[2]], [[3]]).batch(2), output_shapes=[[2]]),
    "prefetch": lambda: numbers(5).prefetch(2),
    "prefetch_zero": lambda: numbers(5).prefetch(0),
    "prefetch_errors": lambda: numbers(5).map(fails_at(2)).prefetch(2),
    "optimized": lambda: raw_dataset(
        tf.raw_ops.OptimizeDatasetV2, input_dataset=numbers(3)._variant_tensor,
        optimizations_enabled=tf.constant([], tf.string),
        optimizations_disabled=tf.constant([], tf.string),
        optimizations_default=tf.constant([], tf.string)),
    "tuned": lambda: raw_dataset(tf.raw_ops.ModelDataset, input_dataset=numbers(3)._variant_tensor),
    "records": lambda: tf_record_files("records", "empty", "records"),
    "records_none": lambda: tf.data.TFRecordDataset(tf.constant([], tf.string)),
    "records_gzip": lambda: tf_record_files("records.gz", compression_type="GZIP"),
    "records_gzip_twice": lambda: tf_record_files("records.twice.gz", compression_type="GZIP"),
    "records_zlib": lambda: tf_record_files("records.z", compression_type="ZLIB", buffer_size=7),
    "records_damaged": lambda: tf_record_files("records.damaged", "records"),
    "records_cut": lambda: tf_record_files("records.cut", "records.header_cut", "records"),
    "records_not_compressed": lambda: tf_record_files(
        "records", "records.gz", compression_type="GZIP"),
    "records_compressed": lambda: tf_record_files("records.gz", "records"),
    "records_zlib_damaged": lambda: tf_record_files(
        "records.z.damaged", "records.z", compression_type="ZLIB"),
    "records_zlib_cut": lambda: tf_record_files(
        "records.z.cut", "records.z", compression_type="ZLIB"),
    "records_missing": lambda: tf_record_files("records", "missing", "records"),
    "records_from": lambda: records_from([21, 0], "records", "records"),
    "records_from_gzip": lambda: records_from([21], "records.gz", compression_type="GZIP"),
    "records_from_inside": lambda: records_from([3, 21], "records", "records"),
    "records_from_beyond": lambda: records_from([1000, 37], "records", "records"),
    "records_from_below": lambda: records_from([-1, 37], "records", "records"),
    "records_interleaved": lambda: Data.from_tensor_slices(paths("records", "empty", "text")).
        interleave(tf.data.TextLineDataset, cycle_length=3, num_parallel_calls=2).filter(
            lambda line: tf.strings.length(line) < 12),
    "interleaved_missing": lambda: interleaved(["missing", "text"]),
    "interleaved_missing_block": lambda: interleaved(["text", "missing"], block_length=2),
    "parallel_interleaved_missing": lambda: interleaved(
        ["missing", "text"], num_parallel_calls=2),
    "parallel_interleaved_missing_block": lambda: interleaved(
        ["missing", "text", "text.end"], num_parallel_calls=1, block_length=2),
    "parallel_interleaved_damaged": lambda: interleaved(
        ["text.gz.damaged", "text.gz"], "GZIP", num_parallel_calls=2),
    "lines": lambda: lines("text", "empty", "text.end"),
    "lines_gzip": lambda: lines("text.gz", compression_type="GZIP", buffer_size=1),
    "lines_zlib": lambda: lines("text.z", compression_type="ZLIB"),
    "lines_garbage": lambda: lines("text.gz.garbage", "text.gz", compression_type="GZIP"),
    "lines_not_compressed": lambda: lines("text", "text.z", compression_type="ZLIB"),
    "lines_missing": lambda: lines("text.end", "missing", "text"),
    "lines_batch": lambda: lines("text").skip(1).batch(2),
    "fixed_length": lambda: fixed(3, "fixed", "fixed"),
    "fixed_length_old": lambda: from_file_op(
        tf.raw_ops.FixedLengthRecordDataset, filenames=paths("fixed"), header_bytes=2,
        record_bytes=3, footer_bytes=3, buffer_size=0),
    "fixed_length_all": lambda: fixed(7, "fixed", header=0, footer=0),
    "fixed_length_none": lambda: fixed(7, "fixed", header=14, footer=0),
    "fixed_length_zlib": lambda: fixed(3, "fixed.z", "fixed.z", compression_type="ZLIB"),
    "fixed_length_gzip": lambda: fixed(3, "fixed.gz", compression_type="GZIP"),
    "fixed_length_wrong": lambda: fixed(4, "fixed", "fixed"),
    "fixed_length_zlib_wrong": lambda: fixed(4, "fixed.z", "fixed.z", compression_type="ZLIB"),
    "fixed_length_missing": lambda: fixed(3, "missing", "fixed"),
    "shuffle_twice": lambda: twice(numbers(6).shuffle(6, seed=1)),
    "shuffle_twice_repeated": lambda: twice(numbers(6).shuffle(6, seed=1).repeat(2)),
    "shuffle_twice_same": lambda: twice(
        numbers(6).shuffle(6, seed=1, reshuffle_each_iteration=False)).repeat(2),
    "shuffle_twice_same_random": lambda: twice(raw_dataset(
        tf.raw_ops.ShuffleDatasetV3, input_dataset=numbers(9)._variant_tensor, buffer_size=9,
        seed=0, seed2=0, seed_generator=tf.raw_ops.DummySeedGenerator(),
        reshuffle_each_iteration=False)).map(tf.equal).repeat(2),
    "shuffle_and_repeat_twice_same_random": lambda: twice(raw_dataset(
        tf.raw_ops.ShuffleAndRepeatDatasetV2, input_dataset=numbers(9)._variant_tensor,
        buffer_size=9, seed=0, seed2=0, count=1,
        seed_generator=tf.raw_ops.DummySeedGenerator(),
        reshuffle_each_iteration=False)).map(tf.equal).repeat(2),
    "shuffle_and_repeat_twice": lambda: twice(
        numbers(3).apply(tf.data.experimental.shuffle_and_repeat(6, count=2, seed=1))),
    "shuffle_concatenated": lambda: (lambda data: data.concatenate(data))(
        numbers(6).shuffle(6, seed=1)),
    "shuffle_chosen": lambda: (lambda data: Data.choose_from_datasets(
        [data, data], numbers(2).repeat(3)))(numbers(3).shuffle(6, seed=1)),
    "shuffle_captured": lambda: (lambda data: numbers(3).flat_map(lambda _: twice(data)))(
        numbers(3).shuffle(6, seed=1)),
    "options": lambda: numbers(5).with_options(options(deterministic=True)),
    "deep": lambda: numbers(50).shuffle(9, seed=1).map(
        lambda x: x + 1, num_parallel_calls=2).batch(4).prefetch(2).unbatch().repeat(2).batch(7),
}


def one_shot():
  """The data set is made by a function, when its first element is wanted."""
  return tf.no_op(), tf1.data.make_one_shot_iterator(numbers(4).map(lambda x: x + 1)).get_next()


def optional():
  iterator = tf1.data.make_initializable_iterator(numbers(2))
  return iterator.initializer, tf.data.experimental.get_next_as_optional(iterator).has_value()


def string_handle():
  iterator = tf1.data.make_initializable_iterator(numbers(3))
  other = tf1.data.Iterator.from_string_handle(iterator.string_handle(), tf.int64, [])
  return iterator.initializer, other.get_next()


def raw_iterator():
  """An op of old clients, and one that waits in TensorFlow."""
  types = {"output_types": [tf.int64], "output_shapes": [[]]}
  iterator = tf.raw_ops.Iterator(shared_name="own", container="", **types)
  return (tf.raw_ops.MakeIterator(dataset=numbers(3)._variant_tensor, iterator=iterator),
          tf.raw_ops.IteratorGetNextSync(iterator=iterator, **types))


def cardinality():
  data = [numbers(10).batch(3), numbers(3).repeat(), numbers(9).filter(lambda x: x > 2),
          numbers(10).window(3, 2, drop_remainder=True), numbers(4).shard(3, 2),
          numbers(3).concatenate(numbers(4)), Data.zip((numbers(3), numbers(2))),
          numbers(5).take(9), numbers(5).skip(2), numbers(3).repeat(4), rows().batch(4, True)]
  return tf.no_op(), [tf.data.experimental.cardinality(each) for each in data]


# Each function returns an initializer and what a step fetches.
PROGRAMS = [one_shot, optional, string_handle, raw_iterator, cardinality]


def pipeline(make):
  def program():
    iterator = tf1.data.make_initializable_iterator(make())
    return iterator.initializer, iterator.get_next()
  return program


def encode(array):
  """A tensor in the form that op cases have."""
  array = np.asarray(array)
  values = array.reshape(-1).tolist()
  if array.dtype.kind in "SO":
    return ["string", list(array.shape), [value.decode() for value in values]]
  return [array.dtype.name.replace("float32", "float").replace("float64", "double"),
          list(array.shape), values]


def steps(session, initializer, fetches):
  result = []
  for _ in range(2):  # The initializer begins anew.
    session.run(initializer)
    result.append("begin")
    for _ in range(MAX_ELEMENTS):
      try:
        result.append([encode(value) for value in session.run(fetches)])
      except tf.errors.OutOfRangeError:
        result.append("end")
        break
      except tf.errors.OpError as error:
        result.append(CODES[error.error_code])
  return result


def graph_text(graph):
  """The graph without what the client keeps for itself."""
  definition = graph.as_graph_def()
  functions = definition.library.function
  for node in [*definition.node, *(n for f in functions for n in f.node_def)]:
    node.ClearField("experimental_debug_info")
    node.ClearField("experimental_type")
    for name in ["_output_shapes", "_user_specified_name", "metadata"]:
      node.attr.pop(name, None)
  for function in functions:
    function.attr.clear()
    function.arg_attr.clear()
    for argument in [*function.signature.input_arg, *function.signature.output_arg]:
      argument.ClearField("experimental_full_type")
      argument.ClearField("handle_data")
  return str(definition).replace("\n", " ").replace("  ", " ").replace("  ", " ")


def case(name, program):
  with tf.Graph().as_default() as graph:
    initializer, following = program()
    fetches = tf.nest.flatten(following)
    with tf1.Session() as session:
      return {"name": name, "graph": graph_text(graph), "initializer": initializer.name,
              "fetches": [tensor.name for tensor in fetches],
              "steps": steps(session, initializer, fetches)}


def main():
  programs = {name: pipeline(make) for name, make in PIPELINES.items()}
  programs.update({program.__name__: program for program in PROGRAMS})
  os.chdir(os.path.dirname(os.path.abspath(__file__)))
  write_files()
  with open("dataset_cases.jsonl", "w") as file:
    for name, program in programs.items():
      file.write(json.dumps(case(name, program)) + "\n")


if __name__ == "__main__":
  main()
