#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs in TensorFlow the graphs that examples/fashion_mnist exported.

    fashion_mnist --model mlp --epochs 1 --no-shuffle --losses losses.txt \
        --export frozen.pb --export-training train.pb --show 10000 > shown.txt
    python3 compare_fashion_mnist.py train.pb frozen.pb losses.txt shown.txt

The training graph starts from its own seeded initial values. Its first 20
losses must equal those of Leat (1e-5 relative). The frozen graph must give the
same predictions as Leat for all images that were shown. (If TensorFlow's two
best logits are within 1e-5 of each other, either class is right.)

This script needs a Python that has the tensorflow-cpu 2.15.1 wheel.
"""
import gzip
import re
import sys

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
FOLDER = "/usr/share/datasets/fashion-mnist/"
CLASSES = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal",
           "Shirt", "Sneaker", "Bag", "Boot"]


def read(name, offset):
    with gzip.open(FOLDER + name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


def images(split):
    return read(split + "-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28, 1)


def session(path):
    graph_def = tf1.GraphDef()
    with open(path, "rb") as file:
        graph_def.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    return tf1.Session(graph=graph)


def compare_losses(train_path, losses_path, batch=128, steps=20):
    ours = np.loadtxt(losses_path)[:steps]
    x = images("train")
    y = read("train-labels-idx1-ubyte.gz", 8).astype(np.int32)
    graph = session(train_path)
    loss = next(op for op in graph.graph.get_operations()
                if op.type == "SparseSoftmaxCrossEntropyWithLogits")
    # The optimizer minimizes the mean of the losses that this op computes.
    mean = next(op for op in loss.outputs[0].consumers() if op.type == "Mean")
    step = graph.graph.get_operation_by_name("Adam")
    graph.run("init")
    theirs = []
    for i in range(steps):
        rows = slice(i * batch, (i + 1) * batch)
        value, _ = graph.run([mean.outputs[0], step],
                             {"images:0": x[rows], "labels:0": y[rows]})
        theirs.append(value)
    worst = np.max(np.abs(ours - theirs) / np.abs(theirs))
    print("losses: worst relative difference %.2g over %d steps, %.6f -> %.6f"
          % (worst, steps, theirs[0], theirs[-1]))
    return worst <= 1e-5


def compare_predictions(frozen_path, shown_path, batch=1000):
    with open(shown_path) as file:
        ours = re.findall(r"predicted (\S+)", file.read())
    x = images("t10k")[:len(ours)]
    graph = session(frozen_path)
    argmax = next(op for op in graph.graph.get_operations()
                  if op.type == "ArgMax")
    logits = np.concatenate([
        graph.run(argmax.inputs[0], {"images:0": x[i:i + batch]})
        for i in range(0, len(x), batch)])
    best = np.argmax(logits, axis=1)
    differ = [i for i in range(len(ours)) if ours[i] != CLASSES[best[i]]]
    top = np.sort(logits, axis=1)[:, -2:]
    ties = set(np.flatnonzero(top[:, 1] - top[:, 0] <= 1e-5))
    wrong = [i for i in differ if i not in ties]
    print("predictions: %d compared, %d differ, %d of them because of a tie"
          % (len(ours), len(differ), len(differ) - len(wrong)))
    for i in wrong[:10]:
        print("  image %d: %s in Leat, %s in TensorFlow" % (i, ours[i], CLASSES[best[i]]))
    return bool(ours) and not wrong


def main():
    train_path, frozen_path, losses_path, shown_path = sys.argv[1:]
    same = compare_losses(train_path, losses_path)
    same = compare_predictions(frozen_path, shown_path) and same
    sys.exit(0 if same else 1)


main()
