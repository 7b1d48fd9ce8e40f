#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains synchronously: each step takes the mean of the gradients of all workers.

Every worker runs this program. A worker that was killed, even the chief, may be started
again.

  sync_replicas.py --target grpc://h:2221 --worker 0 --workers 2 --folder /models/sine &
  sync_replicas.py --target grpc://h:2222 --worker 1 --workers 2 --folder /models/sine
"""

import model

tf1 = model.tf1


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  is_chief = args.worker == 0
  built = model.build(args.ps, args.worker)
  optimizer = tf1.train.SyncReplicasOptimizer(
      tf1.train.GradientDescentOptimizer(0.05), replicas_to_aggregate=args.workers,
      total_num_replicas=args.workers)
  train = optimizer.minimize(built.loss, built.global_step)
  hooks = [optimizer.make_session_run_hook(is_chief),
           tf1.train.StopAtStepHook(last_step=args.steps)]
  with tf1.train.MonitoredTrainingSession(
      master=args.target, is_chief=is_chief, checkpoint_dir=args.folder, hooks=hooks,
      save_checkpoint_secs=None, save_checkpoint_steps=20, save_summaries_steps=None,
      save_summaries_secs=None, stop_grace_period_secs=5) as session:
    step = session.run_step_fn(model.step_without_hooks(built))
    print("begins at step %d" % step, flush=True)
    while not session.should_stop():
      _, loss, step = session.run([train, built.loss, built.global_step],
                                  built.feed(args.workers * step + args.worker))
    print("step %d: loss %.4f" % (step, loss), flush=True)


if __name__ == "__main__":
  main()
