#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains and evaluates an Estimator, whose sessions run on the server that the variable
`session_master` of TF_CONFIG names.

  estimator.py --target grpc://h:2222 --ps 2 --folder /models/estimator
"""

import json
import os

import numpy as np

import model
import tensorflow as tf

tf1 = model.tf1

BATCH = 32


def samples(seed, count):
  inputs = np.random.RandomState(seed).uniform(-1, 1, [count, model.INPUTS])
  return inputs.astype(np.float32), np.sin(inputs.sum(1, keepdims=True)).astype(np.float32)


def input_fn(seed, count, repeats):
  def read():
    data = tf1.data.Dataset.from_tensor_slices(samples(seed, count))
    return data.repeat(repeats).batch(BATCH)
  return read


def model_fn(features, labels, mode, params):
  hidden = model.dense(features, 16, "hidden", tf.nn.relu)
  guesses = model.dense(hidden, 1, "guesses")
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=guesses)
  loss = tf1.losses.mean_squared_error(labels, guesses)
  train = tf1.train.AdagradOptimizer(params["rate"]).minimize(
      loss, tf1.train.get_global_step())
  metrics = {"error": tf1.metrics.mean_absolute_error(labels, guesses)}
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train,
                                    eval_metric_ops=metrics)


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  os.environ["TF_CONFIG"] = json.dumps(
      {"session_master": args.target, "eval_session_master": args.target})
  config = tf.estimator.RunConfig(
      args.folder, tf_random_seed=1, save_checkpoints_steps=max(1, args.steps // 2),
      save_summary_steps=10,
      device_fn=tf1.train.replica_device_setter(
          ps_tasks=args.ps, worker_device="/job:worker/task:%d" % args.worker))
  estimator = tf.estimator.Estimator(model_fn, config=config, params={"rate": 0.1})
  metrics, _ = tf.estimator.train_and_evaluate(
      estimator,
      tf.estimator.TrainSpec(input_fn(1, 256, None), max_steps=args.steps),
      tf.estimator.EvalSpec(input_fn(2, 64, 1), steps=None, throttle_secs=0))
  guesses = list(estimator.predict(input_fn(3, 4, 1)))
  model.report(guesses=guesses, **metrics)


if __name__ == "__main__":
  main()
