#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Reads files with queues, as programs did before tf.data: threads of the client fill a
queue of file names and a queue of batches, until the files have been read twice.

  queue_runners.py --target grpc://h:2222 --folder /data/lines
"""

import os

import numpy as np

import model

tf1 = model.tf1

FILES, LINES, BATCH = 3, 40, 10


def write_files(folder):
  """Writes files whose lines are three inputs and their weighted sum."""
  random = np.random.RandomState(1)
  names = []
  for number in range(FILES):
    inputs = random.uniform(-1, 1, [LINES, 3])
    answers = inputs @ [1.0, -2.0, 0.5]
    names.append(os.path.join(folder, "part-%d.csv" % number))
    np.savetxt(names[-1], np.column_stack([inputs, answers]), "%.6f", ",")
  return names


def read_batches(names):
  """Returns a batch of inputs and one of answers, which queue runners fill."""
  files = tf1.train.string_input_producer(names, num_epochs=2, shuffle=False)
  reader = tf1.TextLineReader()
  _, line = reader.read(files)
  columns = tf1.decode_csv(line, [[0.0]] * 4)
  inputs, answers = tf1.train.batch([tf1.stack(columns[:3]), columns[3]], BATCH,
                                    capacity=50)
  return inputs, answers, reader.num_records_produced()


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  names = write_files(args.folder)
  with tf1.device("/job:worker/task:%d" % args.worker):
    inputs, answers, records = read_batches(names)
  with tf1.device(tf1.train.replica_device_setter(ps_tasks=args.ps)):
    weights = tf1.get_variable("weights", [3], initializer=tf1.zeros_initializer())
    step = tf1.train.get_or_create_global_step()
  guesses = tf1.reduce_sum(inputs * weights, 1)
  loss = tf1.reduce_mean(tf1.squared_difference(guesses, answers))
  train = tf1.train.GradientDescentOptimizer(0.3).minimize(loss, step)
  with tf1.Session(args.target) as session:
    session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
    coordinator = tf1.train.Coordinator()
    threads = tf1.train.start_queue_runners(session, coordinator)
    try:
      while not coordinator.should_stop():
        session.run(train)
    except tf1.errors.OutOfRangeError:
      coordinator.request_stop()  # the files have been read twice
    coordinator.join(threads)
    model.report(weights=session.run(weights), steps=session.run(step),
                 records=session.run(records))


if __name__ == "__main__":
  main()
