#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains on Fashion-MNIST while processes are killed: first one by one, then all at once.

The training has six processes: a chief, two workers, two parameter servers and an
evaluator. `leat launch` starts a killed process again. The chief saves checkpoints. The
training must end by itself, and the accuracy on the test images must be high enough.

Usage: train_through_losses.py BUILD [EPOCHS [ACCURACY]]
  BUILD     the build folder
  EPOCHS    the number of epochs (default: 15)
  ACCURACY  the least accuracy in percent (default: 91)
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

TASKS = ["chief-0", "worker-0", "worker-1", "ps-0", "ps-1", "evaluator-0"]
STEPS_BETWEEN_LOSSES = 200
MAX_SECONDS = 3600


class Training:
  """Runs a training of six processes. The chief saves every `save_every` seconds."""

  def __init__(self, build, folder, epochs, save_every):
    self.folder = folder
    self.log = open(folder / "log", "w+")
    self.process = subprocess.Popen(
        [build / "tools/leat", "launch", "--jobs", "chief=1,worker=2,ps=2,evaluator=1",
         "--logs", folder / "logs", "--max-restarts", "50", "--restart-delay", "0.1",
         "--", build / "examples/fashion_mnist_cluster", "--epochs", str(epochs),
         "--cosine", "--checkpoints", folder / "saved", "--save-every",
         str(save_every)],
        stdout=self.log, stderr=subprocess.STDOUT)
    self.deadline = time.monotonic() + MAX_SECONDS

  def output(self):
    return pathlib.Path(self.log.name).read_text()

  def step(self):
    """Returns the step of the latest checkpoint, or -1 if there is none."""
    try:
      state = (self.folder / "saved/checkpoint").read_text()
    except FileNotFoundError:
      return -1
    return int(re.search(r"model\.ckpt-(\d+)", state).group(1))

  def wait_for(self, step):
    self.wait_until(lambda: self.step() >= step, "a checkpoint of step %d" % step)

  def wait_until(self, condition, what):
    while not condition():
      if self.process.poll() is not None or time.monotonic() > self.deadline:
        sys.exit("the training has not reached %s:\n%s" % (what, self.output()))
      time.sleep(0.01)

  def starts(self, task):
    """Returns the process IDs that the task has had."""
    log = (self.folder / "logs" / (task + ".log")).read_text()
    return [int(number) for number in re.findall(r"is process (\d+)", log)]

  def kill(self, task):
    os.kill(self.starts(task)[-1], signal.SIGKILL)

  def stop(self):
    if self.process.poll() is None:
      self.process.terminate()
      self.process.wait()

  def end(self):
    try:
      code = self.process.wait(max(1, self.deadline - time.monotonic()))
    finally:
      self.stop()
    if code != 0:
      sys.exit("exit code %d:\n%s" % (code, self.output()))


def main():
  if not 2 <= len(sys.argv) <= 4:
    sys.exit(__doc__)
  build = pathlib.Path(sys.argv[1]).resolve()
  epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 15
  wanted = float(sys.argv[3]) if len(sys.argv) > 3 else 91
  choose = random.Random(1)
  with tempfile.TemporaryDirectory() as folder:
    training = Training(build, pathlib.Path(folder), epochs, save_every=0.5)
    order = choose.sample(TASKS, len(TASKS))
    for victims in [[task] for task in order] + [TASKS]:
      training.wait_for(training.step() + STEPS_BETWEEN_LOSSES)
      print("step %d: killing %s" % (training.step(), ", ".join(victims)), flush=True)
      for task in victims:
        training.kill(task)
    training.wait_for(training.step() + 1)
    print("step %d: all are back" % training.step(), flush=True)
    training.end()
    output = training.output()
    restored = re.findall(r"has restored the variables from '.*?-(\d+)'", output)
    accuracy = float(re.findall(r"test accuracy ([\d.]+)%", output)[-1])
    print("restored from steps %s; ended at step %d with %.2f %%" %
          (", ".join(restored), training.step(), accuracy))
    if len(restored) < 3 or accuracy < wanted:
      sys.exit(output)


if __name__ == "__main__":
  main()
