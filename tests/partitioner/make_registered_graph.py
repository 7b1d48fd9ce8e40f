#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes registered_graph.pbtxt, a graph that TensorFlow's master registers on a task.

A step feeds x and fetches the loss. A parameter server has the weights. The graph is
the part of this step that the master's own task (/job:worker) runs.

This program is run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. Its
output is committed beside this file.
"""

import os
import pathlib
import socket

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
# oneDNN would change the names of some ops in the graphs that run.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import tensorflow as tf  # pylint: disable=wrong-import-position
from google.protobuf import text_format  # pylint: disable=wrong-import-position

v1 = tf.compat.v1


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def step_parts():
    spec = tf.train.ClusterSpec({"ps": [free_address()], "worker": [free_address()]})
    servers = [v1.train.Server(spec, job_name=job, task_index=0)
               for job in ["ps", "worker"]]
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = v1.get_variable("w", [4, 3], use_resource=False)
            b = v1.get_variable("b", [3], use_resource=True)
        with tf.device("/job:worker/task:0"):
            x = v1.placeholder(tf.float32, [None, 4], name="x")
            y = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b), name="y")
            loss = tf.reduce_mean(y, name="loss")
        with v1.Session(servers[1].target) as session:
            session.run(v1.global_variables_initializer())
            metadata = v1.RunMetadata()
            session.run(loss, {x: [[1, 2, 3, 4]]}, run_metadata=metadata,
                        options=v1.RunOptions(output_partition_graphs=True))
    return metadata.partition_graphs


def main():
    parts = [part for part in step_parts()
             if all("/job:worker/" in node.device for node in part.node)]
    assert len(parts) == 1, parts
    path = pathlib.Path(__file__).with_name("registered_graph.pbtxt")
    path.write_text("# Written by make_registered_graph.py with TensorFlow "
                    f"{tf.__version__}.\n" + text_format.MessageToString(parts[0]))


main()
