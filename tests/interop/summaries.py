#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Makes summaries with TensorFlow's client on tasks of Leat and of TensorFlow.

Both kinds of tasks must return the same summaries, byte for byte, and their ops must
write the same events. TensorFlow's FileWriter, timeline and profiler must accept what
Leat's tasks record about a step. TensorFlow must be able to read the files that a C++
program of Leat writes.

Usage: summaries.py LEAT [FASHION_MNIST]
  LEAT           the program `leat`
  FASHION_MNIST  the example fashion_mnist; without it, no C++ program is tested
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import time

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf
from tensorflow.python.client import timeline
from tensorflow.python.ops import gen_summary_ops

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()


def check(condition, *what):
  if not condition:
    raise AssertionError(" ".join(map(str, what)))


def numbers(*shape, low=-3, high=5):
  return np.random.RandomState(7).uniform(low, high, shape).astype(np.float32)


def events(folder):
  """Returns the events of the only file in the folder, except the first event, which has
  the version of the file."""
  paths = glob.glob(folder + "/events.out.tfevents.*")
  check(len(paths) == 1, paths)
  found = list(tf1.train.summary_iterator(paths[0]))
  check(found[0].file_version == "brain.Event:2", found[0])
  return found[1:]


def summaries():
  """Builds summaries that the worker computes of a variable on the parameter server."""
  with tf1.device("/job:ps/task:0"):
    weights = tf1.get_variable("w", initializer=numbers(50, 20))
  with tf1.device("/job:worker/task:0"):
    tf1.summary.scalar("loss", tf.reduce_sum(weights))
    tf1.summary.histogram("w", weights)
    tf1.summary.image("images", tf.constant(numbers(5, 9, 8, 3)), max_outputs=2)
    tf1.summary.audio("sounds", tf.constant(numbers(2, 60, 2)), 8000)
    tf1.summary.text("note", tf.constant("# hello"))
    tf1.summary.tensor_summary("tensor", weights[:2])
    return tf1.summary.merge_all()


def of_ops(clusters):
  results = {}
  for kind, cluster in clusters.items():
    with tf1.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
      merged = summaries()
      with tf1.Session(cluster.target("worker")) as session:
        session.run(tf1.global_variables_initializer())
        results[kind] = session.run(merged)
        writer = tf1.summary.FileWriter(folder, session.graph)
        writer.add_summary(results[kind], 3)
        writer.close()
      check(len(events(folder)[-1].summary.value) == 8, events(folder)[-1])
  check(results["leat"] == results["tensorflow"], "the summaries differ")


def write_events(folder):
  """Returns ops that write one event of each kind to a file of the worker."""
  with tf1.device("/job:worker/task:0"):
    writer = gen_summary_ops.summary_writer(shared_name=folder)
    create = gen_summary_ops.create_summary_file_writer(
        writer, folder, max_queue=10, flush_millis=10000, filename_suffix=".v2")
    image = tf.constant(numbers(3, 4, 5, 1))
    graph = tf1.GraphDef(node=[tf1.NodeDef(name="n", op="NoOp")]).SerializeToString()
    summary = tf1.Summary(value=[tf1.Summary.Value(tag="raw", simple_value=2)])
    event = tf1.Event(step=9, wall_time=12.5, summary=summary)
    writes = [
        gen_summary_ops.write_scalar_summary(writer, 1, "scalar", 2.5),
        gen_summary_ops.write_histogram_summary(writer, 2, "histogram", numbers(40)),
        gen_summary_ops.write_image_summary(
            writer, 3, "image", image, np.array([255, 0, 0, 255], np.uint8), max_images=2),
        gen_summary_ops.write_audio_summary(writer, 4, "audio", numbers(1, 30), 8000.0),
        gen_summary_ops.write_summary(
            writer, 5, tf.constant(["a", "b"]), "tensor",
            tf1.SummaryMetadata(display_name="shown").SerializeToString()),
        gen_summary_ops.write_raw_proto_summary(
            writer, 6, [summary.SerializeToString()] * 2),
        gen_summary_ops.write_graph_summary(writer, 7, graph),
        gen_summary_ops.import_event(writer, event.SerializeToString()),
    ]
    flush = gen_summary_ops.flush_summary_writer(writer)
    close = gen_summary_ops.close_summary_writer(writer)
  return create, writes, flush, close


def of_writer_ops(clusters):
  results = {}
  for kind, cluster in clusters.items():
    with tf1.Graph().as_default(), tempfile.TemporaryDirectory() as root:
      folder = cluster.root + "/logs" if kind == "leat" else root
      create, writes, flush, close = write_events(folder)
      with tf1.Session(cluster.target("worker")) as session:
        session.run(create)
        check(not events(folder), "there is an event before the first write")
        for write in writes[:-1]:
          session.run(write)
        session.run(flush)
        check(len(events(folder)) == len(writes) - 1, "flush")
        session.run(writes[-1])
        session.run(close)
      results[kind] = events(folder)
      check(len(results[kind]) == len(writes), "close")
  for leat, other in zip(results["leat"], results["tensorflow"]):
    if leat.wall_time != 12.5:
      check(abs(leat.wall_time - time.time()) < 600, leat.wall_time)
      leat.wall_time = other.wall_time = 0
    check(leat == other, leat, "differs from", other)


def of_v2_api(clusters):
  """Uses tf.summary of TensorFlow 2 in a graph."""
  cluster = clusters["leat"]
  folder = cluster.root + "/v2"
  with tf1.Graph().as_default(), tf1.device("/job:worker/task:0"):
    writer = tf.compat.v2.summary.create_file_writer(folder)
    with writer.as_default():
      tf.compat.v2.summary.scalar("loss", tf.constant(2.0), step=1)
      tf.compat.v2.summary.text("note", tf.constant("hello"), step=1)
    with tf1.Session(cluster.target("worker")) as session:
      session.run(writer.init())
      session.run(tf1.summary.all_v2_summary_ops())
      session.run(writer.close())
  tags = [value.tag for event in events(folder) for value in event.summary.value]
  check(sorted(tags) == ["loss", "note"], tags)


def outside_of_the_root(clusters):
  with tf1.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
    create, *_ = write_events(folder)
    with tf1.Session(clusters["leat"].target("worker")) as session:
      try:
        session.run(create)
      except tf.errors.PermissionDeniedError as error:
        check("--file-root" in str(error), error)
      else:
        raise AssertionError("the task has written outside of --file-root")
    check(not os.listdir(folder), os.listdir(folder))


def of_a_step(clusters):
  """Gives the RunMetadata of a traced step to everything that shows RunMetadata."""
  names = {}
  for kind, cluster in clusters.items():
    metadata = tf1.RunMetadata()
    with tf1.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
      merged = summaries()
      with tf1.Session(cluster.target("worker")) as session:
        session.run(tf1.global_variables_initializer())
        session.run(merged, run_metadata=metadata,
                    options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE))
      writer = tf1.summary.FileWriter(folder, graph)
      writer.add_run_metadata(metadata, "step 5", 5)
      writer.close()
      tagged = events(folder)[-1].tagged_run_metadata
      check(tagged.tag == "step 5" and
            tagged.run_metadata == metadata.SerializeToString(), tagged.tag)
      trace = json.loads(timeline.Timeline(
          metadata.step_stats).generate_chrome_trace_format(show_memory=True))
      check(any(event["name"] == "HistogramSummary" for event in trace["traceEvents"]),
            "no HistogramSummary in the timeline")
      # Leat does not record the memory that kernels allocate in addition to
      # their outputs. So min_bytes is 0.
      options = tf1.profiler.ProfileOptionBuilder.time_and_memory(min_bytes=0)
      options["output"] = "none"
      shown = tf1.profiler.profile(graph, run_meta=metadata, cmd="op", options=options)
      check(shown.total_exec_micros > 0, kind, shown)
      names[kind] = set()
      rest = [shown]
      while rest:
        node = rest.pop()
        names[kind].add(node.name)
        rest += node.children
      scopes = tf1.profiler.profile(graph, run_meta=metadata, cmd="scope",
                                    options=options)
      check(scopes.total_exec_micros > 0, kind, scopes)
  ops = {"HistogramSummary", "Sum"}  # TensorFlow folds the other ops
  check(all(ops <= of_kind for of_kind in names.values()), names)


def of_a_program(clusters):
  del clusters
  if len(sys.argv) < 3:
    return
  with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[2], "--model", "mlp", "--epochs", "1", "--summaries",
                    folder + "/logs"], check=True, stdout=subprocess.DEVNULL,
                   timeout=100)
    found = events(folder + "/logs")
  graph = tf1.GraphDef.FromString(found[0].graph_def)
  with tf1.Graph().as_default():
    tf.import_graph_def(graph, name="")
  kinds = {}
  for event in found:
    for value in event.summary.value:
      kinds.setdefault(value.WhichOneof("value"), {}).setdefault(value.tag, []).append(
          (event.step, value))
  check(set(kinds) == {"simple_value", "histo", "image"}, set(kinds))
  losses = kinds["simple_value"]["loss"]
  check([step for step, _ in losses] == list(range(1, len(losses) + 1)), "steps")
  check(len(losses) > 400 and losses[-1][1].simple_value < losses[0][1].simple_value,
        len(losses))
  check(kinds["simple_value"]["test_accuracy"][0][1].simple_value > 0.7, "accuracy")
  check(len(kinds["histo"]) == 4 and len(kinds["image"]) == 3, kinds["histo"].keys())
  with tf1.Graph().as_default(), tf1.Session() as session:
    png = kinds["image"]["images/image/0"][0][1].image.encoded_image_string
    check(session.run(tf.image.decode_png(png)).shape == (28, 28, 1), "PNG")
  metadata = [tf1.RunMetadata.FromString(event.tagged_run_metadata.run_metadata)
              for event in found if event.HasField("tagged_run_metadata")]
  check(len(metadata) == 1 and metadata[0].step_stats.dev_stats, "metadata")


def main():
  failed = 0
  kinds = lambda kind: {"worker": [kind], "ps": [kind]}
  with tempfile.TemporaryDirectory(prefix="leat_interop_") as root, \
       tasks.Cluster(kinds("leat"), sys.argv[1],
                     ["--file-root", root + ":rw"]) as leat, \
       tasks.Cluster(kinds("tensorflow")) as tensorflow:
    leat.root = root
    clusters = {"leat": leat, "tensorflow": tensorflow}
    for case in (of_ops, of_writer_ops, of_v2_api, outside_of_the_root, of_a_step,
                 of_a_program):
      start = time.monotonic()
      result = "passed"
      try:
        case(clusters)
      except Exception as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        result = "FAILED"
        failed += 1
      print(f"{case.__name__:22} {result} ({time.monotonic() - start:.1f} s)", flush=True)
  sys.exit(1 if failed else 0)


if __name__ == "__main__":
  main()
