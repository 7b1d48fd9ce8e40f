#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains in a MonitoredTrainingSession with hooks.

A program that was killed and is started again continues from its last checkpoint.

  leat serve --cluster '{"ps": ["h:2220"], "worker": ["h:2221"]}' --job ps --task 0 \\
      --file-root /models:rw                            # and the same for the worker
  monitored_training.py --target grpc://h:2221 --folder /models/sine
"""

import model

tf1 = model.tf1


class PrintSteps(tf1.train.SessionRunHook):
  """Prints the loss of every 50th step."""

  def __init__(self, built):
    self.fetches = {"loss": built.loss, "step": built.global_step}

  def before_run(self, run_context):
    return tf1.train.SessionRunArgs(self.fetches)

  def after_run(self, run_context, run_values):
    if run_values.results["step"] % 50 == 0:
      print("step %(step)d: loss %(loss).4f" % run_values.results, flush=True)


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  built = model.build(args.ps, args.worker)
  with tf1.device("/job:ps/task:0"):
    train = tf1.train.AdamOptimizer(0.01).minimize(built.loss, built.global_step)
  hooks = [tf1.train.StopAtStepHook(last_step=args.steps),
           tf1.train.NanTensorHook(built.loss), PrintSteps(built)]
  with tf1.train.MonitoredTrainingSession(
      master=args.target, is_chief=args.worker == 0, checkpoint_dir=args.folder,
      hooks=hooks, save_checkpoint_secs=None, save_checkpoint_steps=20,
      save_summaries_steps=20) as session:
    step = session.run_step_fn(model.step_without_hooks(built))
    print("begins at step %d" % step, flush=True)
    while not session.should_stop():
      step = session.run_step_fn(model.step_without_hooks(built))
      session.run(train, built.feed(step))


if __name__ == "__main__":
  main()
