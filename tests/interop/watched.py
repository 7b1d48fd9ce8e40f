# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Watches a server of Leat that gets bad input. It must serve on, and keep nothing.

    with watched.neighbour_on(cluster.target("worker")) as neighbour:
      held = watched.held(cluster, "worker")
      ...  # bad input
      watched.expect_let_go(cluster, "worker", held)
"""

import contextlib
import json
import os
import subprocess

import tasks  # must come first: sets the environment of TensorFlow
import tensorflow as tf

tf1 = tf.compat.v1

# Is the configuration of a session whose state is dropped with it.
ALONE = tf1.ConfigProto(isolate_session_state=True)
SECONDS = 30  # within which a server must have let go of what has ended


def status(cluster, job, index=0):
  """Returns what `leat status` says about a task of a tasks.Cluster."""
  task = cluster.tasks[job][index]
  text = subprocess.run(
      [cluster.leat, "status", "--json", "--interval", "0", "--min-age", "0",
       cluster.target(job, index)],
      check=True, capture_output=True, timeout=SECONDS).stdout
  return next(each for each in json.loads(text)["tasks"] if each["task"] == task.name)


def _open_files(process):
  """Returns the names of what a process has open, without its connections."""
  folder = "/proc/%d/fd" % process.pid
  names = []
  for number in os.listdir(folder):
    try:
      names.append(os.readlink(os.path.join(folder, number)))
    except FileNotFoundError:
      pass
  return sorted(name for name in names if not name.startswith("socket:"))


def held(cluster, job, index=0):
  """Returns what a task holds for its clients."""
  report = status(cluster, job, index)
  return {
      "incarnation": report["incarnation"],
      "running steps": report["steps"]["running"],
      "open steps": report["open_steps"],
      "sessions of clients": report["sessions"]["num_of_clients"],
      "sessions of masters": report["sessions"]["num_of_masters"],
      "waiting tensors": report["num_waiting_recvs"],
      "bytes in tensors": report["memory"]["live_bytes"],
      "open files": _open_files(cluster.tasks[job][index].process),
  }


def used_bytes(cluster, job, index=0):
  """Returns how much memory a task uses. What it has freed and keeps does not count."""
  report = status(cluster, job, index)
  memory = report["memory"]
  return report["resident_bytes"] - memory["kept_bytes"] - memory["free_heap_bytes"]


def expect_let_go(cluster, job, before, index=0):
  """Waits until a task holds what it held before, in the same process."""
  def check():
    now = held(cluster, job, index)
    if now != before:
      raise AssertionError("the task holds other things than before: " + ", ".join(
          "%s: %s, not %s" % (what, now[what], before[what])
          for what in now if now[what] != before[what]))
  tasks.eventually(check, SECONDS, (AssertionError,))


@contextlib.contextmanager
def neighbour_on(target):
  """Has a function that runs a step of a session that stays, and fails if the step has a
  wrong result. The client needs this session: without any, it would end and begin its
  gRPC again and again, which may take 10 s each time."""
  with tf1.Graph().as_default(), tf1.Session(target) as session:
    x = tf1.placeholder(tf.float32, [])
    double = session.make_callable(x + x, [x])

    def neighbour():
      if double(2.0) != 4:
        raise AssertionError("the next step has a wrong result")

    neighbour()
    yield neighbour
