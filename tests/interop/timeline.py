#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Traces steps on clusters with tasks of Leat and of TensorFlow. Checks the step
stats, TensorFlow's timeline of them, and the trace of `leat run`.

Usage: timeline.py LEAT
  LEAT  the program `leat`
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf
from tensorflow.python.client import timeline

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_v2_behavior()

SIZE = 64  # the tensors are SIZE x SIZE floats
PULL = re.compile(r"\[[0-9.]+M?B\] \[[0-9.]+[MG]b/s\] "
                  r"(\S+) from (\S+) to (\S+)$")
TRANSFER = re.compile(r" = _(Host)?(Send|Recv)\((.*) @(.*)\)$")


def check(condition, *what):
  if not condition:
    raise AssertionError(" ".join(map(str, what)))


def build(places):
  """Returns a graph, and a tensor that passes through these tasks in turn."""
  graph = tf1.Graph()
  with graph.as_default():
    with tf1.device(places[0].device):
      value = tf1.placeholder(tf.float32, [SIZE, SIZE], name="x")
    for i, place in enumerate(places):
      with tf1.device(place.device):
        # The ops alternate, because Grappler would merge two consecutive nodes
        # of the same op.
        value = (tf1.sin, tf1.cos)[i % 2](value, name=f"node_{i}")
  return graph, value


def arrows(step_stats):
  """Returns (start of the Send, end of the Recv) in nanoseconds for each transfer
  between tasks of Leat. TensorFlow's tasks report neither of these times."""
  ends = collections.defaultdict(dict)
  for device in step_stats.dev_stats:
    for node in device.node_stats:
      found = TRANSFER.search(node.timeline_label)
      if not found:
        continue
      _, kind, tensor, other = found.groups()
      way = ((device.device, other) if kind == "Send"
             else (other, device.device))
      start = node.all_start_nanos
      ends[tensor, way][kind] = (
          start if kind == "Send" else start + node.all_end_rel_nanos)
  return [(end["Send"], end["Recv"]) for end in ends.values()
          if len(end) == 2]


def trace_a_step(cluster, master, places):
  graph, value = build(places)
  metadata = tf1.RunMetadata()
  config = tf1.ConfigProto()
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  with tf1.Session(cluster.target(master.job, master.index), graph=graph,
                   config=config) as session:
    feed = {"x:0": np.ones([SIZE, SIZE])}
    session.run(value, feed)  # makes the plan of the step
    begun = time.time_ns()
    session.run(value, feed, run_metadata=metadata, options=tf1.RunOptions(
        trace_level=tf1.RunOptions.FULL_TRACE, output_partition_graphs=True))
    ended = time.time_ns()
  return metadata, begun, ended


def check_timeline(step_stats, places):
  devices = {f"{place.name}/device:CPU:0" for place in places}
  recorded = {stats.device for stats in step_stats.dev_stats}
  check(devices <= recorded, "recorded:", recorded)
  for i, place in enumerate(places):
    check(any(f"node_{i}" == node.node_name
              for stats in step_stats.dev_stats
              if stats.device.startswith(place.name)
              for node in stats.node_stats), f"no node_{i} on", place.name)
  pulls = {}
  for stats in step_stats.dev_stats:
    for node in stats.node_stats:
      if node.node_name != "RecvTensor":
        continue
      found = PULL.match(node.timeline_label)
      check(found, "label:", node.timeline_label)
      check(found[3] == stats.device, node.timeline_label, stats.device)
      description = node.output[0].tensor_description
      check(description.allocation_description.requested_bytes ==
            4 * SIZE * SIZE, node)
      pulls[found[3]] = found[2]
  for sender, receiver in zip(places, places[1:]):
    check(pulls.get(f"{receiver.name}/device:CPU:0") ==
          f"{sender.name}/device:CPU:0", receiver.name, "pulled:", pulls)
  chrome = json.loads(
      timeline.Timeline(step_stats).generate_chrome_trace_format(
          show_memory=True))
  events = chrome["traceEvents"]
  processes = {event["args"]["name"] for event in events
               if event["name"] == "process_name"}
  for device in devices:
    check(f"{device} Compute" in processes, device, "is not in", processes)
  check({"Sin", "Cos", "RecvTensor"} <= {event["name"] for event in events},
        "ops of the timeline")


def master_of_leat(cluster, leat, foreign, ps):
  """Tests a master of Leat. One of the other tasks is TensorFlow's."""
  places = [leat, ps, foreign, leat]
  metadata, begun, ended = trace_a_step(cluster, leat, places)
  step_stats = metadata.step_stats
  check_timeline(step_stats, places)
  check(len(metadata.partition_graphs) == 3, len(metadata.partition_graphs))
  found = arrows(step_stats)
  check(len(found) == 1, "arrows:", found)
  for sent, received in found:
    check(sent < received, "received", sent - received, "ns before it was sent")
  for stats in step_stats.dev_stats:
    for node in stats.node_stats:
      check(begun - 10**6 <= node.all_start_micros * 1000 <= ended + 10**6,
            stats.device, node.node_name, "ran outside of the step")


def master_of_tensorflow(cluster, leat, foreign, ps):
  del leat
  places = [foreign, ps, foreign]
  metadata, _, _ = trace_a_step(cluster, foreign, places)
  check_timeline(metadata.step_stats, places)


def program(cluster, leat, foreign, ps):
  """Tests `leat run --trace` on the cluster."""
  places = [leat, ps, foreign, leat]
  graph, value = build(places)
  with tempfile.TemporaryDirectory(prefix="leat_interop_") as folder:
    tf.io.write_graph(graph.as_graph_def(), folder, "model.pb", as_text=False)
    np.save(f"{folder}/x.npy", np.ones([SIZE, SIZE], np.float32))
    subprocess.run(
        [sys.argv[1], "run", f"{folder}/model.pb", "--target",
         cluster.target(leat.job, leat.index), "--feed", f"x=@{folder}/x.npy",
         "--fetch", f"{value.name}=@{folder}/y.npy", "--steps", "3", "--trace",
         f"{folder}/trace.json", "--metadata", f"{folder}/metadata.pb"],
        check=True, stdout=subprocess.DEVNULL, timeout=60)
    np.testing.assert_allclose(np.load(f"{folder}/y.npy")[0, 0],
                               np.cos(np.sin(np.cos(np.sin(1)))), rtol=1e-5)
    with open(f"{folder}/trace.json", encoding="utf-8") as file:
      events = json.load(file)["traceEvents"]
    metadata = tf1.RunMetadata()
    with open(f"{folder}/metadata.pb", "rb") as file:
      metadata.ParseFromString(file.read())
    if os.environ.get("LEAT_KEEP_TRACE"):
      with open(os.environ["LEAT_KEEP_TRACE"], "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)
  check_timeline(metadata.step_stats, places)
  flows = collections.defaultdict(dict)
  slices = collections.defaultdict(list)
  for event in events:
    if event["ph"] in "sf":
      flows[event["id"]][event["ph"]] = event
    if event["ph"] == "X":
      slices[event["pid"], event["tid"]].append(event)
  check(len(flows) == 3 * 3, "arrows:", len(flows))
  for flow in flows.values():
    check(flow["s"]["ts"] <= flow["f"]["ts"], "an arrow runs backwards", flow)
    check(flow["s"]["pid"] != flow["f"]["pid"], "within a task:", flow)
  for row in slices.values():
    row.sort(key=lambda event: event["ts"])
    for one, other in zip(row, row[1:]):
      check(one["ts"] + one["dur"] <= other["ts"] + 0.001, one, other)


def main():
  failed = 0
  with tasks.Cluster({"worker": ["leat", "tensorflow"], "ps": ["leat"]},
                     sys.argv[1]) as cluster:
    leat, foreign = cluster.tasks["worker"]
    ps, = cluster.tasks["ps"]
    for case in (master_of_leat, master_of_tensorflow, program):
      start = time.monotonic()
      result = "passed"
      try:
        case(cluster, leat, foreign, ps)
      except Exception as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        result = "FAILED"
        failed += 1
      print(f"{case.__name__:22} {result} ({time.monotonic() - start:.1f} s)",
            flush=True)
  sys.exit(1 if failed else 0)


if __name__ == "__main__":
  main()
