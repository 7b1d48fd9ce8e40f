#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes between_graph_cases.jsonl, which holds what TensorFlow 2.15.1
(tf.compat.v1) does in between-graph training. train/nn promises to do the same.
Tests in this folder and tests/train/partitioned_values_test.cc read the file.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel:

    python make_between_graph_cases.py

Each line is one case with the fields "kind" and "name". The other fields depend
on the kind:
  placement    "setter" (ReplicaDeviceSetterOptions; "strategy" is "round_robin"
               or "greedy"), "nodes": in order {"name", "kind" (variable,
               ref_variable or placeholder), "shape", "dtype", "scopes" (device
               scopes, outermost first; "setter" is the setter's)}, "devices" (by
               node, of slots and global_step too), "slots" (of which optimizer,
               whose step is built in the scope of the setter, or null)
  partitioner  "which", "attrs", "shape", "dtype", "parts" (by axis)
  variable     "initializer" (as in nn_cases.jsonl: "what", "attrs"; or "value"),
               "shape", "partitioner" ([which, attrs]), "parts" (values by name),
               "whole"
  lookup       "table" (the parts' values), "strategy", "max_norm" (or null),
               "ids", "rows", "weights" (of the sum of rows that is differentiated),
               "gradients" (of the parts, with equal indices added up)
  steps        "what", "attrs" (of the optimizer, as in nn_cases.jsonl), "initial",
               "parts", "strategy", "ids" and "weights" (of each step, as for
               lookup), "after" (the values of all variables by name, after each)
Tensors are encoded as in the op cases (tests/op_cases/make_cases.py).
"""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import encode, short_name, write_cases  # pylint: disable=wrong-import-position

tf1 = tf.compat.v1
LINES = []


def add(kind, name, **fields):
    LINES.append(json.dumps({"kind": kind, "name": name, **fields}))


def numbers(shape, salt=0, dtype=np.float32, low=-2.0, high=2.0):
    """Returns distinct values in a fixed order that looks random."""
    index = (np.arange(np.prod(shape), dtype=np.int64) * 377 + salt * 131 + 57) % 1009
    return np.round(low + (high - low) * (index + 0.5) / 1009, 3).astype(dtype).reshape(shape)


class Greedy:
    """Places variables as tf.contrib.training.GreedyLoadBalancingStrategy does with
    byte_size_load_fn. (tf.contrib is not part of TensorFlow 2.) This class takes
    the size from the attrs of the node, so it also knows the sizes of resource
    variables."""

    def __init__(self, num_tasks):
        self.loads = np.zeros(num_tasks)

    def __call__(self, op):
        task = np.argmin(self.loads)
        shape = tf.TensorShape(op.get_attr("shape"))
        self.loads[task] += shape.num_elements() * op.get_attr("dtype").size
        return int(task)


OPTIMIZERS = {"Adam": lambda: tf1.train.AdamOptimizer(0.1),
              "Adagrad": lambda: tf1.train.AdagradOptimizer(0.1)}


def make_node(node):
    dtype = tf.as_dtype(node["dtype"])
    if node["kind"] == "placeholder":
        return tf1.placeholder(dtype, node["shape"], node["name"])
    return tf1.get_variable(node["name"], node["shape"], dtype,
                            tf1.zeros_initializer(),
                            use_resource=node["kind"] == "variable")


def placement(name, nodes, slots=None, **setter):
    options = dict(setter)
    strategy = options.pop("strategy", "round_robin")
    if strategy == "greedy":
        options["ps_strategy"] = Greedy(setter["ps_tasks"])
    function = tf1.train.replica_device_setter(**options)
    devices = {}
    with tf.Graph().as_default() as graph:
        loss = 0.0
        for node in nodes:
            scopes = [tf1.device(function if s == "setter" else s)
                      for s in node["scopes"]]
            for scope in scopes:
                scope.__enter__()
            made = make_node(node)
            for scope in reversed(scopes):
                scope.__exit__(None, None, None)
            devices[node["name"]] = graph.get_operation_by_name(node["name"]).device
            if slots and node["kind"] != "placeholder":
                loss += tf.reduce_sum(made * made)
        if slots:
            with tf1.device(function):
                step = tf1.train.create_global_step()
                OPTIMIZERS[slots]().minimize(loss, step)
            for variable in tf1.global_variables():
                devices[variable.op.name] = variable.op.device
    add("placement", name, nodes=nodes, slots=slots, devices=devices,
        setter={**setter, "strategy": strategy})


def node(name, kind="variable", shape=(2,), dtype="float32", scopes=("setter",)):
    return {"name": name, "kind": kind, "shape": list(shape), "dtype": dtype,
            "scopes": list(scopes)}


def placements():
    for kind in ("variable", "ref_variable"):
        several = [node(f"v{i}", kind) for i in range(5)]
        several.insert(1, node("x", "placeholder"))
        for tasks in (1, 2, 3):
            placement(f"{tasks} tasks, {kind}", several, ps_tasks=tasks,
                      worker_device="/job:worker/task:1")
        placement(f"names of jobs, {kind}", several, ps_tasks=2, ps_device="/job:server",
                  worker_device="/job:chief/replica:0/task:0/device:CPU:0")
        placement(f"no ps device, {kind}", several, ps_tasks=2, ps_device="",
                  worker_device="/job:worker/task:0")
        sizes = [((100,), "float32"), ((150,), "uint8"), ((10,), "float64"),
                 ((30,), "int32"), ((90,), "uint8"), ((), "int64"),
                 ((0, 7), "float32"), ((10, 10), "float16"), ((33,), "int16"),
                 ((500,), "float32"), ((3,), "float32"), ((200,), "uint8")]
        placement(f"greedy, {kind}",
                  [node(f"v{i}", kind, *size) for i, size in enumerate(sizes)],
                  ps_tasks=3, worker_device="/job:worker/task:0", strategy="greedy")
        for slots in OPTIMIZERS:
            placement(f"{slots}, {kind}", several, slots, ps_tasks=2,
                      worker_device="/job:worker/task:1")
    # The device of an inner scope overrides the device of an outer scope. An
    # outer scope adds the fields that the inner scope leaves out. The round
    # robin does not count a variable that is placed in another job, but it
    # counts a variable whose task is given.
    scopes = [["setter"], ["setter", "/job:worker/task:7"], ["setter"],
              ["setter", "/job:ps"], ["setter", "/job:ps/task:0"],
              ["setter", "/task:1"], ["setter"], ["/job:other/task:5/cpu:1", "setter"],
              ["/cpu:0", "setter", "/cpu:1"], ["setter", "/gpu:0"], ["setter", "setter"],
              ["/job:a", "/task:3"], [], ["setter", "/replica:1"], ["setter"]]
    for kind in ("variable", "ref_variable", "placeholder"):
        placement(f"scopes, {kind}",
                  [node(f"n{i}", kind, scopes=s) for i, s in enumerate(scopes)],
                  ps_tasks=2, worker_device="/job:worker/task:1/cpu:0")


PARTITIONERS = {
    "FixedSize": lambda parts, axis=0: tf1.fixed_size_partitioner(parts, axis),
    "MinMax": lambda max_parts, axis=0, min_part_bytes=256 << 10:
              tf1.min_max_variable_partitioner(max_parts, axis, min_part_bytes),
    "AxisSize": lambda max_part_bytes, axis=0, max_parts=None:
                tf1.variable_axis_size_partitioner(max_part_bytes, axis,
                                                   max_shards=max_parts)}


def partitioner(which, shape, dtype="float32", **attrs):
    parts = PARTITIONERS[which](**attrs)(shape=tf.TensorShape(shape),
                                         dtype=tf.as_dtype(dtype))
    add("partitioner", f"{which} {attrs} {shape} {dtype}", which=which, attrs=attrs,
        shape=shape, dtype=dtype, parts=[int(n) for n in parts])


def partitioners():
    for shape in ([10], [7, 3], [2, 3, 5]):
        for parts in (1, 2, 3, 8, 100):
            for axis in range(len(shape)):
                partitioner("FixedSize", shape, parts=parts, axis=axis)
    for dtype in ("float32", "float64", "int8", "string"):
        for shape in ([1024, 1024], [100, 64], [3, 1 << 20], [1]):
            for most in (1, 4, 50):
                partitioner("MinMax", shape, dtype, max_parts=most)
                partitioner("MinMax", shape, dtype, max_parts=most, min_part_bytes=1000)
            for size in (1, 999, 1 << 18, (64 << 20) - 1, 1 << 40):
                partitioner("AxisSize", shape, dtype, max_part_bytes=size)
                partitioner("AxisSize", shape, dtype, max_part_bytes=size, max_parts=5)
    partitioner("MinMax", [10, 1 << 16], max_parts=3, axis=1)
    partitioner("MinMax", [10, 1 << 16], max_parts=-3)
    partitioner("AxisSize", [10, 1 << 16], max_part_bytes=1000, axis=1)
    partitioner("FixedSize", [4, 6], parts=4, axis=-1)
    partitioner("AxisSize", [4, 6], max_part_bytes=20, axis=-1)


def variable(name, shape, cut, initializer=None, what=None, attrs=None, value=None):
    with tf.Graph().as_default(), tf1.Session() as session:
        given = {"initializer": initializer, "shape": shape} if value is None else {
            "initializer": tf.constant(value)}
        table = tf1.get_variable("w", use_resource=True,
                                 partitioner=PARTITIONERS[cut[0]](**cut[1]), **given)
        whole = tf.convert_to_tensor(table)
        session.run(tf1.global_variables_initializer())
        parts = {v.op.name: encode(session.run(v)) for v in table}
        add("variable", name, partitioner=cut, parts=parts, shape=shape,
            initializer={"what": what, "attrs": attrs} if value is None else
            {"value": encode(value)}, whole=encode(session.run(whole)))


def variables():
    for cut in (["FixedSize", {"parts": 3}], ["FixedSize", {"parts": 1}],
                ["FixedSize", {"parts": 2, "axis": 1}],
                ["MinMax", {"max_parts": 100, "min_part_bytes": 60}],
                ["AxisSize", {"max_part_bytes": 50}]):
        for shape in ([7, 4], [6, 4]):
            def one(what, initializer, cut=cut, shape=shape, **attrs):
                variable(f"{what} {cut} {shape}", shape, cut, initializer, what, attrs)
            one("Zeros", tf1.zeros_initializer())
            one("Constant", tf1.constant_initializer(-0.3), value=-0.3)
            one("RandomUniform", tf1.random_uniform_initializer(-0.25, 0.75, 5),
                min=-0.25, max=0.75, seed=5)
            # These initializers compute their scale from the shape of the whole
            # variable.
            one("GlorotUniform", tf1.glorot_uniform_initializer(5), seed=5)
            one("HeNormal", tf1.variance_scaling_initializer(
                2.0, "fan_in", "truncated_normal", 5), seed=5)
            variable(f"value {cut} {shape}", shape, cut, value=numbers(shape, 3))


def densified(gradient, shape):
    return tf.math.unsorted_segment_sum(gradient.values, gradient.indices, shape[0])


def cut_table(rows, parts):
    """Cuts the rows into parts as TensorFlow cuts a variable. If the parts cannot
    have equal lengths, the first parts are longer."""
    return np.array_split(rows, parts)


def lookup(name, row_shape, parts, rows, ids, strategy, max_norm=None, dtype=np.float32,
           use_resource=True):
    table = cut_table(numbers([rows] + row_shape, 3, dtype), parts)
    with tf.Graph().as_default(), tf1.Session() as session:
        params = [tf1.get_variable(f"part_{i}", initializer=value,
                                   use_resource=use_resource)
                  for i, value in enumerate(table)]
        found = tf1.nn.embedding_lookup(params, tf.constant(ids), strategy,
                                        max_norm=max_norm)
        weights = numbers(list(ids.shape) + row_shape, 8, dtype)
        gradients = tf.gradients(tf.reduce_sum(found * weights), params)
        dense = [densified(g, v.shape) for g, v in zip(gradients, table)]
        session.run(tf1.global_variables_initializer())
        values, dense = session.run([found, dense])
    add("lookup", name, table=[encode(v) for v in table], strategy=strategy,
        max_norm=max_norm, ids=encode(ids), rows=encode(values), use_resource=use_resource,
        weights=encode(weights), gradients=[encode(g) for g in dense])


def lookups():
    ids = np.array([0, 5, 12, 5, 3, 11, 7, 1, 12], np.int32)
    for strategy in ("mod", "div"):
        for parts in (1, 2, 5, 13):
            for max_norm in (None, 1.5):
                lookup(f"{strategy} {parts} {max_norm}", [3], parts, 13, ids, strategy,
                       max_norm)
        lookup(f"{strategy} int64", [3], 3, 13, ids.astype(np.int64), strategy)
        lookup(f"{strategy} double", [3], 3, 13, ids, strategy, 1.5, np.float64)
        lookup(f"{strategy} matrix of ids", [2], 3, 13, ids.reshape(3, 3), strategy, 1.5)
        lookup(f"{strategy} scalar id", [2], 3, 13, ids[2], strategy, 1.5)
        lookup(f"{strategy} matrices", [2, 2], 3, 13, ids.reshape(3, 3), strategy, 2.0)
        lookup(f"{strategy} vector", [], 3, 13, ids, strategy, 1.5)
        lookup(f"{strategy} no ids", [2], 3, 13, ids[:0], strategy)
        lookup(f"{strategy} ref variables", [2], 3, 13, ids, strategy, use_resource=False)
        lookup(f"{strategy} even", [2], 3, 12, ids % 12, strategy)


def steps(what, build, parts, strategy, **attrs):
    rows, columns = 7, 2
    initial = numbers([rows, columns], 9)
    ids = [np.array(i, np.int32) for i in ([3, 1, 3, 0], [1, 6, 6, 6], [5, 2, 4, 0])]
    weights = [numbers([4, columns], salt) for salt in (4, 5, 6)]
    with tf.Graph().as_default(), tf1.Session() as session:
        table = tf1.get_variable("emb", initializer=tf.constant(initial), use_resource=True,
                                 partitioner=tf1.fixed_size_partitioner(parts))
        some, weight = tf1.placeholder(tf.int32, [4]), tf1.placeholder(tf.float32, [4, 2])
        found = tf1.nn.embedding_lookup(table, some, strategy)
        step = build().minimize(tf.reduce_sum(found * weight))
        session.run(tf1.global_variables_initializer())
        after = []
        for i, w in zip(ids, weights):
            session.run(step, {some: i, weight: w})
            after.append({v.op.name: encode(session.run(v))
                          for v in tf1.global_variables()})
    add("steps", f"{what} {parts} {strategy}", what=what, attrs=attrs, parts=parts,
        strategy=strategy, initial=encode(initial), ids=[encode(i) for i in ids],
        weights=[encode(w) for w in weights], after=after)


def all_steps():
    train = tf1.train
    for strategy in ("mod", "div"):
        for parts in (1, 3):
            steps("GradientDescent", lambda: train.GradientDescentOptimizer(0.1), parts,
                  strategy, learning_rate=0.1)
            steps("Momentum", lambda: train.MomentumOptimizer(0.05, 0.8), parts, strategy,
                  learning_rate=0.05, momentum=0.8, nesterov=False)
            steps("Adagrad", lambda: train.AdagradOptimizer(0.1, 0.3), parts, strategy,
                  learning_rate=0.1, initial_accumulator=0.3)
            steps("Adam", lambda: train.AdamOptimizer(0.1, 0.8, 0.95, 1e-3), parts,
                  strategy, learning_rate=0.1, beta1=0.8, beta2=0.95, epsilon=1e-3)


def main():
    placements()
    partitioners()
    variables()
    lookups()
    all_steps()
    write_cases(os.path.join(FOLDER, "between_graph_cases.jsonl"), LINES)


if __name__ == "__main__":
    main()
