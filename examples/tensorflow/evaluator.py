#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Evaluates every checkpoint that a training saves, beside the training.

The evaluator is not in the cluster of the training: it has a server of its own, whose
only task is worker 0.

  evaluator.py --target grpc://h:2230 --folder /models/sine --steps 200
"""

import model

tf1 = model.tf1


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  built = model.build(ps=0, worker=0)
  best = tf1.get_variable("best_loss", initializer=1e9, trainable=False)
  saver = tf1.train.Saver([v for v in tf1.global_variables() if v is not best])
  better = best.assign(tf1.minimum(best, built.loss))
  with tf1.Session(args.target) as session:
    session.run(best.initializer)
    for path in model.tf.train.checkpoints_iterator(args.folder, timeout=60):
      saver.restore(session, path)
      step, loss = session.run([built.global_step, built.loss], built.feed(-1 % 2**32))
      print("step %d: loss %.6f, best %.6f" %
            (step, loss, session.run(better, built.feed(-1 % 2**32))), flush=True)
      if step >= args.steps:
        break


if __name__ == "__main__":
  main()
