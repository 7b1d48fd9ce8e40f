#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains embeddings that are partitioned over the parameter servers, with every optimizer
of TensorFlow 1.x, on variables of both kinds.

  partitioned_embeddings.py --target grpc://h:2222 --ps 2 --folder /models/embeddings
"""

import numpy as np

import model

tf1 = model.tf1

WORDS, WIDTH, BATCH = 40, 3, 16
OPTIMIZERS = {
    "adadelta": lambda: tf1.train.AdadeltaOptimizer(0.5),
    "adagrad": lambda: tf1.train.AdagradOptimizer(0.1),
    "adagrad_da": lambda: tf1.train.AdagradDAOptimizer(
        0.1, tf1.train.get_or_create_global_step()),
    "adam": lambda: tf1.train.AdamOptimizer(0.01),
    "centered_rms_prop": lambda: tf1.train.RMSPropOptimizer(0.01, momentum=0.5,
                                                            centered=True),
    "ftrl": lambda: tf1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001),
    "gradient_descent": lambda: tf1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf1.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: tf1.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "proximal_adagrad": lambda: tf1.train.ProximalAdagradOptimizer(
        0.1, l2_regularization_strength=0.001),
    "proximal_descent": lambda: tf1.train.ProximalGradientDescentOptimizer(
        0.1, l1_regularization_strength=0.001),
    "rms_prop": lambda: tf1.train.RMSPropOptimizer(0.01),
}


def embedding_loss(name, ids, answers, ps, use_resource):
  """Returns a loss of a table of its own, and the table."""
  table = tf1.get_variable(
      name, [WORDS, WIDTH], partitioner=tf1.fixed_size_partitioner(ps),
      initializer=tf1.random_uniform_initializer(-1, 1, seed=5),
      use_resource=use_resource)
  found = tf1.nn.embedding_lookup(table, ids, partition_strategy="div")
  return tf1.reduce_mean(tf1.squared_difference(found, answers)), table


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  with tf1.device(tf1.train.replica_device_setter(
      ps_tasks=args.ps, worker_device="/job:worker/task:%d" % args.worker)):
    ids = tf1.placeholder(tf1.int64, [BATCH])
    answers = tf1.placeholder(tf1.float32, [BATCH, WIDTH])
    step = tf1.train.get_or_create_global_step()
    trains, tables, losses = [tf1.assign_add(step, 1)], {}, {}
    for name, optimizer in OPTIMIZERS.items():
      for kind, use_resource in (("ref", False), ("resource", True)):
        key = "%s_%s" % (name, kind)
        losses[key], tables[key] = embedding_loss(key, ids, answers, args.ps,
                                                  use_resource)
        trains.append(optimizer().minimize(losses[key],
                                           var_list=list(tables[key])))
  random = np.random.RandomState(1)
  truth = random.uniform(-1, 1, [WORDS, WIDTH])
  with tf1.Session(args.target) as session:
    session.run(tf1.global_variables_initializer())
    for _ in range(args.steps):
      batch = random.randint(0, WORDS, BATCH)
      last, _ = session.run([losses, trains], {ids: batch, answers: truth[batch]})
    sums = session.run({key: tf1.reduce_sum(tf1.convert_to_tensor(table), 0)
                        for key, table in tables.items()})
  model.report(**{"loss_" + key: value for key, value in last.items()}, **sums)


if __name__ == "__main__":
  main()
