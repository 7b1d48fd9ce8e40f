#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Classifies sentences: splits strings, finds the words in tables, and trains the sums of
their embeddings.

  lookup_tables.py --target grpc://h:2222 --ps 1 --folder /data/words
"""

import os

import model
import tensorflow as tf

tf1 = model.tf1

SENTENCES = ["The cat sleeps", "a DOG barks", "the dog sleeps, too", "A cat purrs",
             "birds sing", "the Bird flies high"]
LABELS = ["cat", "dog", "dog", "cat", "bird", "bird"]
VOCABULARY = ["a", "the", "cat", "dog", "sleeps", "barks", "purrs", "sing", "flies"]
UNKNOWN = 4  # words that are not in the vocabulary share so many ids


def words_of(sentences):
  """Returns the words of all sentences, and the number of the sentence of each."""
  lower = tf.strings.lower(sentences)
  letters = tf.strings.regex_replace(lower, "[^a-z ]", "")
  split = tf1.string_split(letters, " ")
  return split.values, split.indices[:, 0]


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  tf1.set_random_seed(1)
  vocabulary = os.path.join(args.folder, "vocabulary.txt")
  with open(vocabulary, "w", encoding="utf-8") as file:
    file.write("\n".join(VOCABULARY) + "\n")
  with tf1.device(tf1.train.replica_device_setter(
      ps_tasks=args.ps, worker_device="/job:worker/task:%d" % args.worker)):
    word_ids = tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(vocabulary, tf.string,
                                      tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                      tf.lookup.TextFileIndex.LINE_NUMBER), UNKNOWN)
    label_ids = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["cat", "dog", "bird"], [0, 1, 2],
                                            value_dtype=tf.int64), -1)
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    sentences = tf1.placeholder(tf.string, [None])
    labels = tf1.placeholder(tf.string, [None])
    words, numbers = words_of(sentences)
    ids = word_ids.lookup(words)
    unique, _, times = tf1.unique_with_counts(words, tf.int64)
    count = counts.insert(unique, counts.lookup(unique) + times)
    table = tf1.get_variable("words", [len(VOCABULARY) + UNKNOWN, 4])
    summed = tf1.segment_sum(tf1.nn.embedding_lookup(table, ids), numbers)
    loss = tf1.losses.sparse_softmax_cross_entropy(
        label_ids.lookup(labels), model.dense(summed, 3, "classes"))
    train = tf1.train.GradientDescentOptimizer(0.5).minimize(loss)
  feed = {sentences: SENTENCES, labels: LABELS}
  with tf1.Session(args.target) as session:
    session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
    losses = [session.run([loss, train], feed)[0] for _ in range(args.steps)]
    session.run(count, feed)
    keys, values = session.run(counts.export())
    counted = dict(zip(keys, values))
    found = session.run(ids, feed)
  model.report(ids=found, first_loss=losses[0], last_loss=losses[-1],
               counts=[counted[key] for key in sorted(counted)])


if __name__ == "__main__":
  main()
