#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Traces a training step, and writes a timeline that a browser shows (chrome://tracing or
ui.perfetto.dev).

  tracing.py --target grpc://h:2222 --ps 2 --folder /tmp/trace
"""

import json
import os

import model
from tensorflow.python.client import timeline

tf1 = model.tf1


def devices_with(events, op):
  """Returns the devices on which an op ran."""
  names = {event["pid"]: event["args"]["name"] for event in events
           if event["name"] == "process_name"}
  return sorted({names[event["pid"]] for event in events
                 if event["ph"] == "X" and event["name"] == op
                 and names[event["pid"]].endswith("Compute")})


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  built = model.build(args.ps, args.worker)
  train = tf1.train.GradientDescentOptimizer(0.1).minimize(built.loss, built.global_step)
  metadata = tf1.RunMetadata()
  options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
  with tf1.Session(args.target) as session:
    session.run(tf1.global_variables_initializer())
    for step in range(args.steps):
      session.run(train, built.feed(step))
    session.run(train, built.feed(args.steps), options, metadata)
  written = os.path.join(args.folder, "timeline.json")
  with open(written, "w", encoding="utf-8") as file:
    file.write(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(
        show_memory=True))
  with open(written, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
  for op in ("SquaredDifference", "ApplyGradientDescent"):
    print(op, "ran on", devices_with(events, op))
  model.report(places_of_losses=len(devices_with(events, "SquaredDifference")),
               places_of_updates=len(devices_with(events, "ApplyGradientDescent")))


if __name__ == "__main__":
  main()
