#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Measures how soon a training goes on after its parameter servers were killed.

Usage: resumption.py BUILD [TIMES]

Six processes train on Fashion-MNIST, and the chief saves a checkpoint every tenth of a
second. TIMES times, the program kills both parameter servers at once, so that all
variables are lost. It then waits until both servers have been started again, and until
a checkpoint has a later step than all checkpoints before. Each time it prints a line with
two numbers of seconds until that checkpoint: from the start of the second server, and
from the kill.
"""
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tests/cluster'))
from train_through_losses import Training  # noqa: E402

SERVERS = ['ps-0', 'ps-1']
STEPS_BETWEEN_LOSSES = 200


def resume(training):
  training.wait_for(training.step() + STEPS_BETWEEN_LOSSES)
  starts = {server: training.starts(server) for server in SERVERS}
  killed = time.monotonic()
  for server in SERVERS:
    training.kill(server)
  training.wait_until(
      lambda: all(training.starts(server) != starts[server] for server in SERVERS),
      'a new process of each parameter server')
  back = time.monotonic()
  training.wait_for(training.step() + 1)
  end = time.monotonic()
  return end - back, end - killed


def main():
  if not 2 <= len(sys.argv) <= 3:
    sys.exit(__doc__)
  build = pathlib.Path(sys.argv[1]).resolve()
  times = int(sys.argv[2]) if len(sys.argv) > 2 else 1
  with tempfile.TemporaryDirectory() as folder:
    training = Training(build, pathlib.Path(folder), epochs=1000, save_every=0.1)
    try:
      for _ in range(times):
        print('%.3f %.3f' % resume(training), flush=True)
    finally:
      training.stop()


main()
