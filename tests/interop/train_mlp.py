#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains with TensorFlow's client on tasks of TensorFlow and of Leat.

The model is an MLP for Fashion-MNIST, which trains for 20 steps. Its variables are on a
parameter server. All other nodes are on a worker, which is also the master. Each of the
two tasks is first one of TensorFlow and then one of Leat, in all four combinations. The
losses must be equal (1e-5 relative) in all of them, and all masters must list the same
devices. Some trainings use a plain session. Others use a MonitoredTrainingSession, and
have a loop in a branch of the loss.

The dialect of TensorFlow 1 is a mode of the whole process:
  v1     The process calls disable_v2_behavior(). Variables are reference variables,
         unless the program asks for resource variables. Loops and branches are nodes
         (Enter, Switch).
  v2     The process calls only disable_eager_execution(). Variables are resource
         variables. Loops and branches are functions (While, If).

Usage: train_mlp.py LEAT v1|v2
  LEAT  the program `leat`. If LEAT is "", tasks of TensorFlow take the place of Leat's
        tasks. This tests the script.
"""

import contextlib
import gzip
import sys
import typing

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)

FOLDER = "/usr/share/datasets/fashion-mnist/"
STEPS = 20
BATCH = 128
HIDDEN = 100
BRIGHT = 0.29  # in five batches, the mean of all pixels exceeds this
OPTIMIZERS = {
    "sgd": lambda: tf1.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf1.train.MomentumOptimizer(0.05, 0.9),
    "adam": lambda: tf1.train.AdamOptimizer(0.002),
    "adagrad": lambda: tf1.train.AdagradOptimizer(0.05),
}


class Dialect(typing.NamedTuple):
  start: typing.Callable
  variables: dict  # maps use_resource to the op of a variable
  plain: list  # optimizers to try with a plain session
  monitored: list  # optimizers to try with a MonitoredTrainingSession
  # The ops that the graph of a MonitoredTrainingSession must contain. The If
  # comes from the session's hook.
  control_flow: set


DIALECTS = {
    "v1": Dialect(tf1.disable_v2_behavior,
                  {None: "VariableV2", True: "VarHandleOp"},
                  list(OPTIMIZERS), ["sgd"], {"Switch", "Enter"}),
    "v2": Dialect(tf1.disable_eager_execution, {None: "VarHandleOp"},
                  ["sgd", "adam"], ["sgd", "adam"], {"If", "StatelessIf"}),
}


def check(condition, what):
  if not condition:
    raise AssertionError(what)


def read(name, offset, count):
  with gzip.open(FOLDER + name) as file:
    return np.frombuffer(file.read(offset + count)[offset:], np.uint8)


def batches():
  pixels = read("train-images-idx3-ubyte.gz", 16, STEPS * BATCH * 784)
  labels = read("train-labels-idx1-ubyte.gz", 8, STEPS * BATCH)
  x = (pixels / 255).astype(np.float32).reshape(STEPS, BATCH, 784)
  return zip(x, labels.astype(np.int32).reshape(STEPS, BATCH))


def variable(name, shape, seed):
  value = np.random.RandomState(seed).normal(0, 0.05, shape)
  return tf1.get_variable(name, initializer=value.astype(np.float32))


def weighted(loss, x):
  """Returns four times the loss if the batch is bright, and otherwise the loss. Uses a
  loop in a branch."""
  # In control flow v1, the gradient of a product in a loop needs StackV2, which
  # Leat does not have.
  twice = (lambda y: y * 2.0) if tf1.control_flow_v2_enabled() else (lambda y: y + y)
  return tf1.cond(
      tf1.reduce_mean(x) > BRIGHT,
      lambda: tf1.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, twice(y)),
                             (0, loss))[1],
      lambda: loss)


def build(ps, worker, optimizer, control_flow):
  with tf1.device(ps):
    w1 = variable("w1", [784, HIDDEN], 1)
    b1 = variable("b1", [HIDDEN], 2)
    w2 = variable("w2", [HIDDEN, 10], 3)
    b2 = variable("b2", [10], 4)
    global_step = tf1.train.get_or_create_global_step()
  with tf1.device(worker):
    x = tf1.placeholder(tf.float32, [None, 784])
    y = tf1.placeholder(tf.int32, [None])
    hidden = tf.nn.relu(tf1.matmul(x, w1) + b1)
    logits = tf1.nn.bias_add(tf1.matmul(hidden, w2), b2)
    loss = tf1.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(
        labels=y, logits=logits))
    if control_flow:
      loss = weighted(loss, x)
    train = OPTIMIZERS[optimizer]().minimize(loss, global_step)
  return x, y, loss, train


@contextlib.contextmanager
def plain_session(target):
  init = tf1.global_variables_initializer()
  with tf1.Session(target) as session:
    session.run(init)
    yield session
    steps = session.run(tf1.train.get_global_step())
    check(steps == STEPS, f"{steps} global steps instead of {STEPS}")


@contextlib.contextmanager
def monitored_session(target):
  """Runs a MonitoredTrainingSession. Its hook reads the global step in a branch, and
  stops the session after STEPS steps."""
  # The graph contains a Saver, but no step runs it.
  with tf1.train.MonitoredTrainingSession(
      target, hooks=[tf1.train.StopAtStepHook(last_step=STEPS)],
      save_checkpoint_secs=None, save_summaries_steps=None,
      log_step_count_steps=None) as session:
    yield session
    check(session.should_stop(), f"not stopped after {STEPS} steps")


def losses(target, ps, worker, use_resource, optimizer, monitored, ops):
  """Returns the losses of the steps of a training. Its graph must contain `ops`."""
  start = monitored_session if monitored else plain_session
  with tf1.Graph().as_default() as graph:
    with tf1.variable_scope(f"{use_resource}_{optimizer}_{monitored}",
                            use_resource=use_resource):
      x, y, loss, train = build(ps, worker, optimizer, control_flow=monitored)
    with start(target) as session:
      result = [session.run([loss, train], {x: xs, y: ys})[0]
                for xs, ys in batches()]
    missing = ops - {op.type for op in graph.get_operations()}
    check(not missing, f"no {missing} in the graph")
    return np.array(result)


def compare_losses(cluster, use_resource, optimizer, monitored, ops):
  expected = None
  passed = True
  for worker in cluster.tasks["worker"]:
    for ps in cluster.tasks["ps"]:
      actual = losses(cluster.target("worker", worker.index), ps.device,
                      worker.device, use_resource, optimizer, monitored, ops)
      expected = actual if expected is None else expected
      worst = np.max(np.abs(actual - expected) / np.abs(expected))
      equal = worst <= 1e-5 and expected[-1] < expected[0]
      passed &= bool(equal)
      print(f"{'resource' if 'VarHandleOp' in ops else 'reference':9} "
            f"{optimizer:8} {'monitored' if monitored else 'plain':9} "
            f"worker of {worker.kind:10} ps of {ps.kind:10} "
            f"{actual[0]:.6f} -> {actual[-1]:.6f}, "
            f"worst relative difference {worst:.2g}"
            f"{'' if equal else ': FAILED'}", flush=True)
  return passed


def compare_devices(cluster):
  expected = {f"{task.name}/device:CPU:0" for task in cluster.all_tasks()}
  incarnations = None
  for worker in cluster.tasks["worker"]:
    # list_devices creates the session with an empty graph. The first run
    # extends that graph.
    with tf1.Graph().as_default():
      with tf1.Session(cluster.target("worker", worker.index)) as session:
        devices = [device for device in session.list_devices()
                   if device.device_type == "CPU"]
        check(session.run(tf1.constant(2) + 3) == 5, "2 + 3 is not 5")
    actual = {device.name: device.incarnation for device in devices}
    incarnations = incarnations or actual
    check(actual.keys() == expected and actual == incarnations
          and all(actual.values())
          and all(device.memory_limit_bytes > 0 for device in devices),
          f"the master of {worker.kind} lists {devices}")
    print(f"master of {worker.kind:10} lists {len(devices)} devices", flush=True)


def main():
  if len(sys.argv) != 3 or sys.argv[2] not in DIALECTS:
    sys.exit(__doc__)
  leat = sys.argv[1]
  dialect = DIALECTS[sys.argv[2]]
  dialect.start()
  bright = [x.mean() > BRIGHT for x, _ in batches()]
  check(any(bright) and not all(bright), "one branch is never taken")
  kinds = ["tensorflow", "leat" if leat else "tensorflow"]
  passed = True
  with tasks.Cluster({"ps": kinds, "worker": kinds}, leat) as cluster:
    compare_devices(cluster)
    for use_resource, variable_op in dialect.variables.items():
      for optimizer in dialect.plain:
        passed &= compare_losses(cluster, use_resource, optimizer, False,
                                 {variable_op})
      for optimizer in dialect.monitored:
        passed &= compare_losses(cluster, use_resource, optimizer, True,
                                 {variable_op} | dialect.control_flow)
  sys.exit(0 if passed else 1)


if __name__ == "__main__":
  main()
