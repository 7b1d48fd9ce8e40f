#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs the programs of examples/tensorflow on servers of Leat and of TensorFlow.

Some programs and servers are killed while they run, and started again. At the end, the
variables, or the values that a program reports, must be the same on both kinds of
servers. What depends on chance is not compared.

Usage: programs.py LEAT [--tensorflow | --full | --small] [PROGRAM...]
  LEAT          the program `leat`. If LEAT is "" and --tensorflow is given, the script
                writes the values on TensorFlow's servers to programs.json.
  --tensorflow  also runs the programs on TensorFlow's servers, and compares with these
                values instead of programs.json
  --full        does the same with more steps and larger inputs
  --small       leaves out what computes long, for a server that is not optimized
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
import typing

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

EXPECTED = pathlib.Path(__file__).with_suffix(".json")
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/tensorflow"
STEPS = 200
SECONDS = 60
FULL_TIMES = 5  # how many times longer a program of --full may take


def check(condition, what):
  if not condition:
    raise AssertionError(what)


class Program:
  """Runs a program in a child process, which has already loaded TensorFlow."""

  def __init__(self, name, log, *args):
    self.log, self.seconds = log, SECONDS
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
    """Kills the program, unless it has ended."""
    if self.pid is None:
      return
    os.kill(self.pid, signal.SIGKILL)
    os.waitpid(self.pid, 0)
    self.pid = None

  def end(self):
    deadline = time.monotonic() + self.seconds
    while True:
      pid, status = os.waitpid(self.pid, os.WNOHANG)
      if pid:
        self.pid = None
        check(status == 0, "status %d: %s" % (status, self.output()))
        return self.output()
      if time.monotonic() > deadline:
        self.kill()
        raise AssertionError("the program does not end: " + self.output())
      time.sleep(0.02)


class World:
  """Has a cluster of servers of one kind, and a folder that the servers may write."""

  def __init__(self, kind, leat, root, ps=2, workers=1, full=False):
    self.kind, self.full = kind, full
    self.folder = tempfile.mkdtemp(dir=root)
    self.cluster = tasks.Cluster(
        {job: [kind] * count for job, count in (("ps", ps), ("worker", workers))
         if count},
        leat=leat, leat_flags=["--file-root", str(root) + ":rw"],
        group_leader="/job:worker/replica:0/task:0")
    self.ps, self.workers = ps, workers
    self.programs = []

  def __enter__(self):
    self.cluster.__enter__()
    return self

  def __exit__(self, *error):
    for program in self.programs:
      program.kill()
    self.cluster.__exit__(*error)

  def start(self, name, worker=0, steps=STEPS, folder=None, more=()):
    folder = folder or self.folder
    log = "%s/%s-%d.log" % (self.folder, name, worker)
    program = Program(name, log, "--target", self.cluster.target("worker", worker),
                      "--worker", worker, "--workers", self.workers, "--ps", self.ps,
                      "--folder", folder, "--steps", steps, *more)
    program.seconds *= FULL_TIMES if self.full else 1
    self.programs.append(program)
    return program

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
  with tasks.Cluster({"worker": [world.kind]}, leat=world.cluster.leat,
                     leat_flags=world.cluster.leat_flags) as own:
    evaluating = Program("evaluator", world.folder + "/evaluator.log", "--target",
                         own.target("worker"), "--folder", world.folder, "--steps", STEPS)
    training.end()
    output = evaluating.end()
  last = re.findall(r"step %d: loss ([\d.]+), best" % STEPS, output)
  check(len(last) == 1, output)
  return {"loss": np.float32(last[0])}


def sharded_saver(world):
  saved = world.start("sharded_saver", steps=20).end()
  with World(world.kind, world.cluster.leat, pathlib.Path(world.folder).parent,
             ps=3) as other:
    restored = other.start("sharded_saver", folder=world.folder, more=["--restore"]).end()
  check(saved == restored, saved + restored)
  return world.variables()


def reported(name, steps, full_steps=None, clients=1, full_flags=()):
  """Returns a test that runs a program, once on each of the first `clients` workers. The
  results are what the programs report."""

  def run(world):
    count, flags = ((full_steps or steps, full_flags) if world.full else (steps, ()))
    programs = [world.start(name, worker, count, more=flags)
                for worker in range(clients)]
    results = {}
    for worker, program in enumerate(programs):
      for key, value in re.findall(r"^(\w+) = (.*)$", program.end(), re.MULTILINE):
        results["%s on worker %d" % (key, worker)] = json.loads(value)
    check(results, "the program reports nothing: " + programs[0].output())
    return results

  return run


class Case(typing.NamedTuple):
  """Says how a program is run, on how many tasks, and how much its results may differ."""
  run: typing.Callable
  workers: int = 1
  ps: int = 2
  tolerance: float = 1e-4
  is_large: bool = False


CASES = {
    "monitored_training": Case(interrupted("monitored_training")),
    "supervisor": Case(interrupted("supervisor")),
    "sync_replicas": Case(sync_replicas, workers=2),
    "evaluator": Case(evaluator),
    "sharded_saver": Case(sharded_saver),
    "in_graph": Case(reported("in_graph", 30, 300), workers=2),
    "between_graph": Case(reported("between_graph", 100, 1000, clients=2), workers=2),
    "partitioned_embeddings": Case(reported("partitioned_embeddings", 10, 100)),
    "keras_callbacks": Case(reported("keras_callbacks", 5, 25), ps=0),
    "estimator": Case(reported("estimator", 40, 400)),
    "tfrecord_images": Case(reported("tfrecord_images", 12, 60), tolerance=1e-3),
    "lookup_tables": Case(reported("lookup_tables", 20, 100)),
    "dynamic_rnn": Case(reported("dynamic_rnn", 20, 60)),
    "while_loop": Case(reported("while_loop", 10, 100), workers=2, ps=0),
    "all_reduce": Case(reported("all_reduce", 30, 300, clients=2), workers=2, ps=0),
    "tracing": Case(reported("tracing", 3, 30)),
    "queue_runners": Case(reported("queue_runners", 0)),
    "resnet50": Case(reported("resnet50", 2, 2, full_flags=[
        "--size", 224, "--batch", 8]), ps=0, tolerance=3e-2, is_large=True),
}


def as_json(results):
  return {name: np.round(np.asarray(value, np.float64), 7).tolist()
          for name, value in results.items()}


def compare(name, results, expected):
  check(results.keys() == expected.keys(), "%s: %s" % (name, sorted(results)))
  tolerance = CASES[name].tolerance
  for key, value in results.items():
    check(np.shape(value) == np.shape(expected[key]) and
          np.allclose(value, expected[key], rtol=tolerance, atol=tolerance / 10),
          "%s: %s is %s instead of %s" % (name, key, value, expected[key]))


def run_on(kind, name, leat, root, full):
  case = CASES[name]
  start = time.monotonic()
  with World(kind, leat, root, ps=case.ps, workers=case.workers, full=full) as world:
    results = case.run(world)
  print("%-22s %-12s %.1f s" % (name, kind, time.monotonic() - start), flush=True)
  return results


def main():
  if len(sys.argv) < 2:
    sys.exit(__doc__)
  leat, *rest = sys.argv[1:]
  flag = rest.pop(0) if rest and rest[0].startswith("--") else None
  expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
  with tempfile.TemporaryDirectory() as root:
    for name in rest or CASES:
      if flag == "--small" and CASES[name].is_large:
        continue
      if flag in ("--tensorflow", "--full"):
        expected[name] = as_json(run_on("tensorflow", name, leat, root, flag == "--full"))
      if leat:
        compare(name, run_on("leat", name, leat, root, flag == "--full"), expected[name])
  if flag and not leat:
    lines = ['"%s": %s' % (name, json.dumps(expected[name], sort_keys=True))
             for name in sorted(expected)]
    EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
