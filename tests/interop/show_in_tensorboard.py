#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs TensorBoard on event files, and takes pictures of its pages with Chromium.

Fails if TensorBoard does not find a curve and a graph. A person can then look at the
pictures. Run this script by hand:

    fashion_mnist --model mlp --epochs 2 --summaries /tmp/logs/run
    show_in_tensorboard.py /tmp/logs /tmp/pictures

Usage: show_in_tensorboard.py LOGS [PICTURES]
  LOGS      the folder with the event files
  PICTURES  the folder for the pictures; without it, no pictures are taken
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.request

import tasks  # must come first: sets the environment of TensorFlow

PAGES = ["scalars", "histograms", "distributions", "images", "graphs", "text", "audio",
         "timeseries"]
# Maps each plugin to the path at which TensorBoard lists the tags of the
# plugin.
LISTS = {name: f"/data/plugin/{name}/tags"
         for name in ("scalars", "histograms", "images", "audio", "text")}


def get(address, path):
  with urllib.request.urlopen(address + path, timeout=60) as reply:
    return json.load(reply)


def check(address):
  """Prints the tags of each plugin. Returns whether TensorBoard has a curve and a graph."""
  tags = {}
  for plugin, path in LISTS.items():
    runs = get(address, path)
    tags[plugin] = sorted(tag for run in runs.values() for tag in run)
    print(f"{plugin}: {', '.join(tags[plugin]) or 'nothing'}")
  runs = get(address, "/data/plugin/graphs/info")
  graphs = [run for run, tags_of_run in runs.items() if tags_of_run["run_graph"]]
  profiles = [tag for info in runs.values() for tag, what in info["tags"].items()
              if what["profile"]]
  print(f"graphs: {', '.join(graphs) or 'none'}; steps with times: "
        f"{', '.join(profiles) or 'none'}")
  run = next(iter(get(address, LISTS["scalars"])), None)
  if run is not None:
    tag = next(iter(get(address, LISTS["scalars"])[run]))
    points = get(address, f"/data/plugin/scalars/scalars?run={run}&tag={tag}")
    print(f"{tag} of {run}: {len(points)} points, the last {points[-1][1:]}")
  return bool(run is not None and graphs)


def take_picture(address, page, path):
  # --virtual-time-budget gives the page 30 seconds of simulated time, in which
  # TensorBoard loads and draws its data.
  subprocess.run(
      ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
       "--hide-scrollbars", "--window-size=1600,1100", "--timeout=20000",
       "--virtual-time-budget=30000", f"--screenshot={path}", f"{address}/#{page}"],
      check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)


def main():
  logs = sys.argv[1]
  port, = tasks.free_ports(1)
  address = f"http://127.0.0.1:{port}"
  server = subprocess.Popen(
      [sys.executable, "-m", "tensorboard.main", "--logdir", logs, "--port", str(port),
       "--host", "127.0.0.1", "--reload_interval", "1", "--load_fast", "false"],
      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
  try:
    tasks.eventually(lambda: get(address, LISTS["scalars"])[next(iter(
        get(address, LISTS["scalars"])))], seconds=60)
    is_shown = check(address)
    if len(sys.argv) > 2:
      if shutil.which("chromium") is None:
        sys.exit("Chromium is missing; install the package chromium")
      os.makedirs(sys.argv[2], exist_ok=True)
      for page in PAGES:
        path = os.path.join(os.path.abspath(sys.argv[2]), page + ".png")
        take_picture(address, page, path)
        print(path)
  finally:
    server.kill()
    server.wait()
  sys.exit(0 if is_shown else 1)


if __name__ == "__main__":
  main()
