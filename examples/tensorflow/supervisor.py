#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains under a Supervisor, which restores the variables by itself.

The first worker saves between its steps. A Supervisor with save_model_secs saves on a
thread of its own, in the middle of steps, so a checkpoint may hold values of different steps.

  supervisor.py --target grpc://h:2221 --folder /models/sine
"""

import model

tf1 = model.tf1

STEPS_BETWEEN_SAVES = 10


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  built = model.build(args.ps, args.worker)
  train = tf1.train.MomentumOptimizer(0.05, 0.9).minimize(built.loss, built.global_step)
  supervisor = tf1.train.Supervisor(
      is_chief=args.worker == 0, logdir=args.folder, global_step=built.global_step,
      save_model_secs=0, save_summaries_secs=1, summary_op=None)
  with supervisor.managed_session(args.target) as session:
    step = session.run(built.global_step)
    print("begins at step %d" % step, flush=True)
    next_save = step + STEPS_BETWEEN_SAVES
    while not supervisor.should_stop() and step < args.steps:
      _, loss = session.run([train, built.loss], built.feed(step))
      step = session.run(built.global_step)
      if args.worker == 0 and step >= next_save:
        supervisor.saver.save(session, supervisor.save_path, built.global_step)
        next_save = step + STEPS_BETWEEN_SAVES
    print("step %d: loss %.4f" % (step, loss), flush=True)
    if args.worker == 0:
      supervisor.saver.save(session, supervisor.save_path, built.global_step)


if __name__ == "__main__":
  main()
