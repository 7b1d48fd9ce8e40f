# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""The model that the programs in this folder train, and the flags that they share.

A small network learns a function of 8 numbers. Every batch follows from the number of the
step, so that a training that was interrupted gives the same variables as one that was
not.
"""

import argparse
import json
import typing

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
tf1.logging.set_verbosity(tf1.logging.ERROR)

INPUTS, HIDDEN, BATCH = 8, 16, 32


class Model(typing.NamedTuple):
  inputs: tf.Tensor
  answers: tf.Tensor
  loss: tf.Tensor
  global_step: tf.Variable

  def feed(self, step):
    """Returns the batch of a step as a feed_dict."""
    random = np.random.RandomState(step)
    inputs = random.uniform(-1, 1, [BATCH, INPUTS]).astype(np.float32)
    return {self.inputs: inputs, self.answers: np.sin(inputs.sum(1, keepdims=True))}


def flags(description):
  """Returns a parser with the flags of all programs."""
  parser = argparse.ArgumentParser(description=description)
  parser.add_argument("--target", required=True,
                      help="grpc://HOST:PORT of the server of this worker")
  parser.add_argument("--worker", type=int, default=0,
                      help="number of this worker; 0 is the chief")
  parser.add_argument("--workers", type=int, default=1)
  parser.add_argument("--ps", type=int, default=1, help="number of parameter servers")
  parser.add_argument("--folder", required=True,
                      help="folder for checkpoints and summaries, below a --file-root "
                      "of the servers")
  parser.add_argument("--steps", type=int, default=200,
                      help="number of the last step")
  return parser


def dense(inputs, units, name, activation=tf.identity):
  with tf1.variable_scope(name):
    kernel = tf1.get_variable("kernel", [inputs.shape[1], units],
                              initializer=tf1.glorot_uniform_initializer())
    bias = tf1.get_variable("bias", [units], initializer=tf1.zeros_initializer())
    return activation(tf1.nn.xw_plus_b(inputs, kernel, bias))


def build(ps, worker):
  """Adds the model to the graph: variables on the servers, the rest on the worker.
  Without servers, all of it is on the worker."""
  tf1.set_random_seed(1)
  device = "/job:worker/task:%d" % worker
  setter = tf1.train.replica_device_setter(ps_tasks=ps, worker_device=device)
  with tf1.device(setter or device):
    inputs = tf1.placeholder(tf.float32, [None, INPUTS], "inputs")
    answers = tf1.placeholder(tf.float32, [None, 1], "answers")
    hidden = dense(inputs, HIDDEN, "hidden", tf.nn.relu)
    guesses = dense(hidden, 1, "guesses")
    loss = tf1.reduce_mean(tf1.squared_difference(guesses, answers), name="loss")
    tf1.summary.scalar("loss", loss)
    tf1.summary.histogram("guesses", guesses)
    return Model(inputs, answers, loss, tf1.train.get_or_create_global_step())


def report(**values):
  """Prints the results of a program, each as a line "name = value in JSON"."""
  for name, value in values.items():
    rounded = np.round(np.asarray(value, np.float64), 7)
    print("%s = %s" % (name, json.dumps(rounded.tolist())), flush=True)


def step_without_hooks(built):
  """Returns a function that reads the step in a session without running its hooks."""
  return lambda step_context: step_context.session.run(built.global_step)
