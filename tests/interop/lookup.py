#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Uses the lookup tables of a server of Leat with the unmodified client of TensorFlow:
static ones, vocabularies, mutable and dense ones, tables of a text file, and saved
ones. TensorFlow, which runs in this process, must give the same.

tests/kernels/make_lookup_cases.py compares each op.

Usage: lookup.py LEAT [PROGRAM...]
  LEAT  the program `leat`
"""

import os
import tempfile

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
tf1.disable_eager_execution()

WORDS = ["a", "the", "cat", "a word of more than fifteen letters"]


def plain(value):
  if isinstance(value, (tuple, list)):
    return [plain(each) for each in value]
  return value.tolist() if hasattr(value, "tolist") else value


def entries(exported):
  """Returns the entries in an order that does not depend on the table."""
  keys, values = exported
  return sorted(zip(plain(keys), plain(values)))


def error_of(session, fetches):
  """Returns the kind and the text of the error of a step."""
  try:
    session.run(fetches)
  except tf.errors.OpError as error:
    return type(error).__name__, tasks.first_line(error)
  return "no error", ""


def static(target):
  with tf.Graph().as_default(), tf1.Session(target) as session:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(WORDS, [1.5, 2.5, 3.5, 4.5]), -1.0)
    back = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(np.int64([1, 2, 3, 4]), WORDS), "?")
    found = table.lookup(tf.constant([["cat", "dog"], ["the", WORDS[3]]]))
    names = back.lookup(tf.constant([3, 9, 4], tf.int64))
    sparse = table.lookup(tf.SparseTensor([[0, 1], [2, 0]], ["a", "b"], [3, 2]))
    before = error_of(session, found)
    session.run(tf1.tables_initializer())
    session.run(tf1.tables_initializer())
    tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "a"], [1.5, 2.5]), -1.0)
    twice = error_of(session, tf1.tables_initializer())
    return [before, twice,
            plain(session.run([found, names, table.size(), sparse.values])),
            entries(session.run(table.export()))]


def vocabulary(target):
  """Words that are not in the vocabulary get ids by their hash."""
  with tf.Graph().as_default(), tf1.Session(target) as session:
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(WORDS, np.int64(range(4))), 3)
    numbers = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(np.int64([7, 5]), np.int64([0, 1])), 4)
    words = tf1.placeholder(tf.string, [None])
    ids = table.lookup(words)
    of_numbers = numbers.lookup(tf.constant([5, 6, 7, -8], tf.int64))
    session.run(tf1.tables_initializer())
    many = WORDS + ["word %d" % i for i in range(40)]
    return plain(session.run([ids, table.size(), of_numbers], {words: many}))


def text_file(target):
  with tempfile.TemporaryDirectory() as folder:
    lines, pairs = os.path.join(folder, "lines"), os.path.join(folder, "pairs")
    with open(lines, "w", encoding="utf-8") as file:
      file.write("\n".join(WORDS) + "\n")
    with open(pairs, "w", encoding="utf-8") as file:
      file.write("one,1\r\ntwo,2\n")
    with tf.Graph().as_default(), tf1.Session(target) as session:
      whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
      ids = tf.lookup.StaticVocabularyTable(
          tf.lookup.TextFileInitializer(lines, tf.string, whole, tf.int64, number), 2)
      words = tf.lookup.StaticHashTable(
          tf.lookup.TextFileInitializer(lines, tf.int64, number, tf.string, whole), "?")
      columns = tf.lookup.StaticHashTable(
          tf.lookup.TextFileInitializer(pairs, tf.string, 0, tf.int64, 1, delimiter=","), -1)
      found = [ids.lookup(tf.constant(["cat", "dog", "a"])),
               words.lookup(tf.constant([3, 4], tf.int64)),
               columns.lookup(tf.constant(["two", "one", "three"]))]
      session.run(tf1.tables_initializer())
      tf.lookup.StaticHashTable(
          tf.lookup.TextFileInitializer(os.path.join(folder, "none"), tf.string, whole,
                                        tf.int64, number), -1)
      # Leat has words of its own for what it cannot open.
      return [plain(session.run(found)), error_of(session, tf1.tables_initializer())[0]]


def mutable(target):
  with tf.Graph().as_default(), tf1.Session(target) as session:
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    vectors = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, -1.0])
    words = tf1.placeholder(tf.string, [None])
    unique, _, times = tf1.unique_with_counts(words, tf.int64)
    count = counts.insert(unique, counts.lookup(unique) + times)
    for _ in range(3):
      session.run(count, {words: ["a", "the", "a", WORDS[3]]})
    result = [entries(session.run(counts.export())), session.run(counts.size())]
    session.run(counts.remove(tf.constant(["the", "nothing"])))
    session.run(vectors.insert(np.int64([3, 4]), [[1.0, 2.0], [3.0, 4.0]]))
    return result + [entries(session.run(counts.export())),
                     plain(session.run(vectors.lookup(np.int64([4, 5]))))]


def dense_table(name):
  return tf.lookup.experimental.DenseHashTable(
      key_dtype=tf.int64, value_dtype=tf.int64, default_value=-1, empty_key=0,
      deleted_key=-1, initial_num_buckets=4, name=name)


def dense(target):
  with tf.Graph().as_default(), tf1.Session(target) as session:
    table = dense_table("dense")
    keys = np.arange(1, 60, dtype=np.int64) * 7
    insert = table.insert(keys, keys * 10)
    remove = table.remove(keys[::2])
    pairs = tf.lookup.experimental.DenseHashTable(
        key_dtype=tf.int64, value_dtype=tf.float32, default_value=[0.0, 0.0],
        empty_key=[0, 0], deleted_key=[-1, -1])
    insert_pairs = pairs.insert(np.int64([[1, 2], [2, 1]]), [[1.0, 2.0], [3.0, 4.0]])
    session.run([insert, insert_pairs])
    session.run(remove)
    errors = [error_of(session, table.insert(np.int64([key]), np.int64([1])))
              for key in (0, -1)]
    return errors + plain(session.run([table.size(), table.lookup(keys), table.export(),
                              pairs.lookup(np.int64([[2, 1], [2, 2]])), pairs.size()]))


def saved(target):
  """A checkpoint has the entries of mutable tables."""
  with tempfile.TemporaryDirectory() as folder:
    path, result = os.path.join(folder, "model"), []
    for restores in (False, True):
      with tf.Graph().as_default(), tf1.Session(target) as session:
        table = tf.lookup.experimental.MutableHashTable(
            tf.string, tf.int64, -1, name="mutable", checkpoint=True)
        other = dense_table("saved_dense")
        insert = [table.insert(tf.constant(WORDS), np.int64(range(4))),
                  other.insert(np.int64([5, 9]), np.int64([6, 7]))]
        change = table.insert(tf.constant(["a", "b"]), np.int64([8, 9]))
        variable = tf1.get_variable("v", initializer=1.5)
        saver = tf1.train.Saver()
        session.run(variable.initializer)
        if restores:
          session.run(change)
          saver.restore(session, path)
        else:
          session.run(insert)
          saver.save(session, path)
        result += [entries(session.run(table.export())), plain(session.run(other.export())),
                   plain(session.run(other.lookup(np.int64([5, 9, 3]))))]
    return result


PROGRAMS = [static, vocabulary, text_file, mutable, dense, saved]


# The programs make their folders in the folder for temporary files.
tasks.compare_programs(__doc__, PROGRAMS, file_root=tempfile.gettempdir())
