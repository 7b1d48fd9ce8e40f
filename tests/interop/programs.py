#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs the programs of examples/tensorflow on servers of Leat and of TensorFlow.

While the programs run, programs and servers are killed and started again. At the end,
the variables must have the same values on both kinds of servers. The values of some
programs are not compared, because they depend on chance.

Usage: programs.py LEAT [--tensorflow] [PROGRAM...]
  LEAT          the program `leat`. If LEAT is "" and --tensorflow is given, the script
                writes the values on TensorFlow's servers to programs.json.
  --tensorflow  also runs the programs on TensorFlow's servers, and compares with these
                values instead of programs.json
"""

import json
import os
import pathlib
import re
import runpy
import signal
import sys
import tempfile
import time

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

EXPECTED = pathlib.Path(__file__).with_suffix(".json")
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/tensorflow"
STEPS = 200
SECONDS = 60


def check(condition, what):
  if not condition:
    raise AssertionError(what)


class Program:
  """Runs a program in a child process, which has already loaded TensorFlow."""

  def __init__(self, name, log, *args):
    self.log = log
    self.pid = os.fork()
    if self.pid:
      return
    code = 1
    try:
      os.setpgid(0, 0)
      out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
      os.dup2(out, 1)
      os.dup2(out, 2)
      sys.path.insert(0, str(FOLDER))
      sys.argv = [name, *map(str, args)]
      runpy.run_path(str(FOLDER / (name + ".py")), run_name="__main__")
      code = 0
    except BaseException as error:  # the process must end here
      import traceback
      traceback.print_exception(error)
    finally:
      sys.stdout.flush()
      os._exit(code)

  def output(self):
    return pathlib.Path(self.log).read_text(errors="replace")

  def kill(self):
    os.kill(self.pid, signal.SIGKILL)
    os.waitpid(self.pid, 0)

  def end(self):
    deadline = time.monotonic() + SECONDS
    while True:
      pid, status = os.waitpid(self.pid, os.WNOHANG)
      if pid:
        check(status == 0, "status %d: %s" % (status, self.output()))
        return self.output()
      if time.monotonic() > deadline:
        self.kill()
        raise AssertionError("the program does not end: " + self.output())
      time.sleep(0.02)


class World:
  """Has a cluster of servers of one kind, and a folder that the servers may write."""

  def __init__(self, kind, leat, root, ps=2, workers=1):
    self.kind = kind
    self.folder = tempfile.mkdtemp(dir=root)
    self.cluster = tasks.Cluster(
        {"ps": [kind] * ps, "worker": [kind] * workers}, leat=leat,
        leat_flags=["--file-root", str(root) + ":rw"])
    self.ps, self.workers = ps, workers

  def __enter__(self):
    self.cluster.__enter__()
    return self

  def __exit__(self, *error):
    self.cluster.__exit__(*error)

  def start(self, name, worker=0, steps=STEPS, folder=None, more=()):
    folder = folder or self.folder
    log = "%s/%s-%d.log" % (self.folder, name, worker)
    return Program(name, log, "--target", self.cluster.target("worker", worker),
                   "--worker", worker, "--workers", self.workers, "--ps", self.ps,
                   "--folder", folder, "--steps", steps, *more)

  def step(self):
    latest = tf1.train.latest_checkpoint(self.folder)
    return int(latest.rsplit("-", 1)[1]) if latest else -1

  def wait_for(self, step, program):
    """Waits until a program has saved a checkpoint of this step or a later one."""
    deadline = time.monotonic() + SECONDS
    while self.step() < step:
      if time.monotonic() > deadline:
        program.kill()
        raise AssertionError("no checkpoint of step %d: %s" % (step, program.output()))
      time.sleep(0.01)

  def lose_all_servers(self):
    for task in self.cluster.all_tasks():
      task.kill()
    for task in self.cluster.all_tasks():
      task.start()
    for task in self.cluster.all_tasks():
      task.wait_until_ready()

  def variables(self):
    reader = tf1.train.load_checkpoint(self.folder)
    return {name: reader.get_tensor(name)
            for name in reader.get_variable_to_shape_map()}


def begins_at(output):
  return [int(step) for step in re.findall(r"begins at step (\d+)", output)]


def interrupted(name):
  """Returns a test that kills a training and all servers, and then lets it go on."""

  def run(world):
    first = world.start(name, steps=STEPS // 2)
    world.wait_for(20, first)
    first.kill()
    world.lose_all_servers()
    output = world.start(name).end()
    check(begins_at(output)[-1] >= 20, output)
    variables = world.variables()
    check(variables["global_step"] == STEPS, variables["global_step"])
    return variables

  return run


def sync_replicas(world):
  """Kills the chief and starts it again. The order of the workers' steps depends on
  chance, so this returns no variables to compare."""
  chief = world.start("sync_replicas", worker=0)
  world.wait_for(0, chief)  # a worker that starts earlier waits for 30 s
  others = world.start("sync_replicas", worker=1)
  world.wait_for(20, chief)
  chief.kill()
  chief = world.start("sync_replicas", worker=0)
  outputs = chief.end(), others.end()
  check(begins_at(outputs[0])[-1] >= 20, outputs[0])
  check(world.step() >= STEPS, world.step())
  check(np.isfinite(world.variables()["hidden/kernel"]).all(), outputs)
  return {}


def evaluator(world):
  """Evaluates, on a server of its own, the checkpoints that another cluster saves."""
  training = world.start("monitored_training")
  with tasks.Cluster({"worker": [world.kind]}, leat=world.cluster._leat,
                     leat_flags=world.cluster._leat_flags) as own:
    evaluating = Program("evaluator", world.folder + "/evaluator.log", "--target",
                         own.target("worker"), "--folder", world.folder, "--steps", STEPS)
    training.end()
    output = evaluating.end()
  last = re.findall(r"step %d: loss ([\d.]+), best" % STEPS, output)
  check(len(last) == 1, output)
  return {"loss": np.float32(last[0])}


def sharded_saver(world):
  saved = world.start("sharded_saver", steps=20).end()
  with World(world.kind, world.cluster._leat, pathlib.Path(world.folder).parent,
             ps=3) as other:
    restored = other.start("sharded_saver", folder=world.folder, more=["--restore"]).end()
  check(saved == restored, saved + restored)
  return world.variables()


PROGRAMS = {
    "monitored_training": (interrupted("monitored_training"), 1),
    "supervisor": (interrupted("supervisor"), 1),
    "sync_replicas": (sync_replicas, 2),
    "evaluator": (evaluator, 1),
    "sharded_saver": (sharded_saver, 1),
}


def as_json(results):
  return {name: np.round(np.asarray(value, np.float64), 7).tolist()
          for name, value in results.items()}


def compare(name, results, expected):
  check(results.keys() == expected.keys(), "%s: %s" % (name, sorted(results)))
  for variable, value in results.items():
    check(np.allclose(value, expected[variable], rtol=1e-4, atol=1e-5),
          "%s: %s differs" % (name, variable))


def run_on(kind, name, leat, root):
  run, workers = PROGRAMS[name]
  start = time.monotonic()
  with World(kind, leat, root, workers=workers) as world:
    results = run(world)
  print("%-20s %-12s %.1f s" % (name, kind, time.monotonic() - start), flush=True)
  return results


def main():
  if len(sys.argv) < 2:
    sys.exit(__doc__)
  leat, *rest = sys.argv[1:]
  asks_tensorflow = rest[:1] == ["--tensorflow"]
  names = rest[asks_tensorflow:] or PROGRAMS
  expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
  with tempfile.TemporaryDirectory() as root:
    for name in names:
      if asks_tensorflow:
        expected[name] = as_json(run_on("tensorflow", name, leat, root))
      if leat:
        compare(name, run_on("leat", name, leat, root), expected[name])
  if asks_tensorflow and not leat:
    lines = ['"%s": %s' % (name, json.dumps(expected[name], sort_keys=True))
             for name in sorted(expected)]
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
