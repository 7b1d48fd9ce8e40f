#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes lookup_cases.jsonl, which holds what lookup tables of TensorFlow 2.15.1 answer
to calls that are made one after another.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. The lines are as in
make_sync_cases.py.
"""

import os

import numpy as np
import tensorflow as tf
from make_sync_cases import FILE, FOLDER, INT, STRING, Case, f32, i32, i64, text
from make_cases import write_cases

LONG, FLOAT, DOUBLE, BOOL = tf.int64, tf.float32, tf.float64, tf.bool
MANY = b"a text of more than fifteen bytes"


class Table(Case):
    """Is the case of a table, with a method for each op. `form` is "V2", or "" for the
    ops whose handle is a reference."""

    def __init__(self, lines, name, key, value, op="HashTable", form="V2", inputs=(),
                 **options):
        super().__init__(lines, op + form, name, *inputs, key_dtype=key,
                         value_dtype=value, **options)
        self.form, self.types = form, (key, value)

    def initialize(self, keys, values):
        self("InitializeTable" + self.form, keys, values)

    def read(self, contents, key_index=-2, value_index=-1, **attrs):
        self.write(contents)
        self("InitializeTableFromTextFile" + self.form, text(FILE).reshape([]),
             key_index=key_index, value_index=value_index, **attrs)

    def find(self, keys, default):
        self("LookupTableFind" + self.form, keys, default)

    def insert(self, keys, values):
        self("LookupTableInsert" + self.form, keys, values)

    def remove(self, keys):
        self("LookupTableRemoveV2", keys)

    def size(self):
        self("LookupTableSize" + self.form)

    def export(self, key=None, value=None):
        self("LookupTableExport" + self.form, Tkeys=key or self.types[0],
             Tvalues=value or self.types[1])

    def load(self, keys, values):
        self("LookupTableImport" + self.form, keys, values)


def static(lines):
    with Table(lines, "static", STRING, LONG) as t:
        t.find(text(b"a"), np.int64(-1))
        t.size()
        t.export()
        t.initialize(text(b"a", MANY), i64(3, 4))
        t.size()
        t.find(text([b"a", b"b"], [b"", MANY]), np.int64(-1))
        t.find(text(), np.int64(-1))
        t.find(np.array(MANY, object), np.int64(-1))
        t.find(text(b"b", b"a"), i64(7, 8))
        t.find(text(b"b", b"a"), i64(7))
        t.find(text(b"b"), i64([7]))
        t.find(i64(1), np.int64(-1))
        t.find(text(b"b"), np.int32(7))
        t.initialize(text(b"x", b"y"), i64(5, 6))
        t.initialize(text(b"x"), i64(5))
        t.find(text(b"x", b"a"), np.int64(-1))
        t.insert(text(b"a"), i64(1))
        t.remove(text(b"a"))
        t.load(text(b"a"), i64(1))
    with Table(lines, "refused entries", LONG, FLOAT) as t:
        t.initialize(np.int64(1), np.float32(1))
        t.initialize(i64(1, 2), f32(1))
        t.initialize(i64(1, 2), np.float32(1))
        t.initialize(i64([1, 2]), f32([1, 2]))
        t.initialize(i32(1, 2), f32(1, 2))
        t.initialize(i64(1, 2), i64(1, 2))
        t.initialize(i64(1, 2, 1), f32(1, 2, 3))
        t.size()
        t.initialize(i64(1, 2, 1), f32(1, 2, 1))
        t.size()
        t.find(i64(1, 2), np.float32(0))
        t.initialize(i64(1, 2), f32(1, 2))
        t.initialize(i64(1, 2, 3), f32(1, 2, 3))
    with Table(lines, "twice the same value", STRING, STRING) as t:
        t.initialize(text(b"a", b"a"), text(b"x", b"y"))
        t.initialize(text(b"a", b"a"), text(b"x", b"x"))
        t.export()
        t.find(text(b"b", b"a"), np.array(MANY, object))
    with Table(lines, "no entries", LONG, INT) as t:
        t.initialize(i64(), i32())
        t.size()
        t.find(i64(1), np.int32(9))
        t.initialize(i64(1), i32(1))
    for key, keys in ((INT, i32(5)), (LONG, i64(5)), (STRING, text(b"five"))):
        for value, values in ((INT, i32(1)), (LONG, i64(1)), (FLOAT, f32(1)),
                              (DOUBLE, np.array([1.0])), (STRING, text(b"one")),
                              (BOOL, np.array([True]))):
            if (key == INT and value == LONG) or (key != STRING and value == BOOL):
                continue
            with Table(lines, "%s to %s" % (key.name, value.name), key, value) as t:
                t.initialize(keys, values)
                t.find(keys, values.reshape([]))
                t.export()


def references(lines):
    with Table(lines, "reference", STRING, LONG, form="") as t:
        t.find(text(b"a"), np.int64(-1))
        t.initialize(text(b"a"), i64(3))
        t.size()
        t.find(text(b"a", b"b"), np.int64(-1))
        t.find(i64(1), np.int64(-1))
        t.export()
    with Table(lines, "reference to a mutable one", LONG, FLOAT, "MutableHashTable", "") as t:
        t.insert(i64(1, 2), f32(3, 4))
        t.size()
        t.load(i64(7), f32(8))
        t.export()
        t.find(i64(7, 1), np.float32(0))
    with Table(lines, "reference to tensors", LONG, FLOAT, "MutableHashTableOfTensors", "",
               value_shape=[2]) as t:
        t.insert(i64(1), f32([3, 4]))
        t.export()


def mutable(lines):
    with Table(lines, "mutable", STRING, LONG, "MutableHashTable") as t:
        t.size()
        t.export()
        t.find(text(b"a"), np.int64(-1))
        t.insert(text(b"a", MANY), i64(1, 2))
        t.insert(text(b"a", b"a"), i64(3, 4))
        t.size()
        t.find(text([b"a", b"b"], [b"", MANY]), np.int64(-1))
        t.find(text(b"b", b"a"), i64(7, 8))
        t.find(text(b"b", b"a"), i64(7, 8, 9))
        t.remove(text(b"a", b"nothing"))
        t.size()
        t.export()
        t.remove(text(b"a"))
        t.remove(i64(1))
        t.insert(np.array(b"scalar", object), np.int64(6))
        t.insert(text([b"p", b"q"], [b"r", b"s"]), i64([1, 2], [3, 4]))
        t.insert(text(b"p", b"q"), i64(1))
        t.insert(text(b"p"), i32(1))
        t.insert(i64(1), i64(1))
        t.insert(text(), i64())
        t.size()
        t.load(text(b"new"), i64(9))
        t.size()
        t.export()
        t.load(text(b"p", b"q"), i64(9))
        t.load(np.array(b"new", object), np.int64(6))
        t.load(text(), i64())
        t.size()
        t.initialize(text(b"a"), i64(1))
    for key, keys in ((INT, i32(5)), (LONG, i64(5)), (STRING, text(b"five"))):
        for value, values in ((INT, i32(1)), (LONG, i64(1)), (FLOAT, f32(1)),
                              (DOUBLE, np.array([1.0])), (STRING, text(b"one")),
                              (BOOL, np.array([True]))):
            if ((key == INT and value == LONG) or (key != STRING and value == BOOL) or
                (key != LONG and value == STRING)):
                continue
            for op in ("MutableHashTable", "MutableHashTableOfTensors"):
                shape = {} if op == "MutableHashTable" else {"value_shape": [1]}
                row = values.reshape([1, 1]) if shape else values
                with Table(lines, "%s of %s to %s" % (op, key.name, value.name), key, value,
                           op, **shape) as t:
                    t.insert(keys, row)
                    t.find(keys, row[0] if shape else row.reshape([]))
                    t.export()


def tensors(lines):
    with Table(lines, "tensors", LONG, FLOAT, "MutableHashTableOfTensors",
               value_shape=[2]) as t:
        t.export()
        t.insert(i64(1, 2), f32([1, 2], [3, 4]))
        t.find(i64(2, 3, 1), f32(-1, -2))
        t.find(i64([2], [3]), f32(-1, -2))
        t.find(i64(2, 3), f32([-1, -2], [-3, -4]))
        t.find(i64(2, 3), np.float32(-1))
        t.find(i64(2, 3), f32(-1))
        t.insert(i64(1, 2), f32(1, 2))
        t.insert(i64(1), f32([1, 2, 3]))
        t.insert(np.int64(1), f32(5, 6))
        t.remove(i64([1]))
        t.export()
        t.load(i64(1, 2), f32([1, 2]))
        t.load(i64(7), f32([1, 2]))
        t.export()
    with Table(lines, "strings", LONG, STRING, "MutableHashTableOfTensors",
               value_shape=[2]) as t:
        t.insert(i64(1), text([MANY, b"b"]))
        t.find(i64(2, 1), text(b"c", MANY))
    for shape in ([], [2, 2]):
        with Table(lines, "value shape %s" % shape, LONG, FLOAT, "MutableHashTableOfTensors",
                   value_shape=shape):
            pass


def dense(lines):
    def table(name, key, value, empty, deleted, **options):
        return Table(lines, name, key, value, "MutableDenseHashTable", "V2",
                     inputs=[empty, deleted], **options)

    with table("dense", LONG, LONG, np.int64(-1), np.int64(-2), initial_num_buckets=8) as t:
        t.size()
        t.export()
        t.insert(i64(11, 12, 3, 19), i64(0, 1, 2, 3))
        t.export()
        t.find(i64([11, 12], [4, 3]), np.int64(-5))
        t.find(i64(4, 3), i64(7, 8))
        t.remove(i64(3, 100))
        t.size()
        t.export()
        t.insert(i64(27, 3, 3), i64(4, 5, 6))
        t.export()
        t.insert(np.arange(40, 60), np.arange(20))
        t.size()
        t.export()
        t.find(i64(-1), np.int64(0))
        t.find(i64(-2), np.int64(0))
        t.insert(i64(5, -1), i64(0, 0))
        t.insert(i64(6, -2), i64(0, 0))
        t.remove(i64(7, -1))
        t.remove(i64(-2))
        t.find(i64(5, 6), np.int64(0))
        t.insert(i64(1, 2), i64(0))
        t.insert(i32(1, 2), i64(0, 1))
        t.insert(i64([1, 2]), i64([0, 1]))
        t.insert(np.int64(70), np.int64(1))
        t.size()
        t.find(np.int64(50), np.int64(1))
        t.load(i64([-1], [1], [-1], [-1]), i64([0], [3], [0], [0]))
        t.size()
        t.export()
        t.find(i64(1, 3), np.int64(0))
        t.remove(i64(9))
        t.insert(i64(9, 5), i64(1, 2))
        t.export()
        t.load(i64([-1], [1], [-1], [-1]), i64([0, 0], [3, 0], [0, 0], [0, 1]))
        t.load(i64([-1], [1], [-1], [-1]), i64(0, 3, 0, 0))
        t.load(i64([-1], [1], [-1], [-1]), i64([0], [3], [0]))
        t.initialize(i64(1), i64(1))
    with table("strings", STRING, FLOAT, np.array(b"", object), np.array(b"$", object),
               initial_num_buckets=4, max_load_factor=0.5) as t:
        t.insert(text(b"a", b"b", MANY), f32(1, 2, 3))
        t.export()
        t.find(text(b"b", b"c", MANY), np.float32(9))
        t.remove(text(MANY))
        t.export()
        t.insert(text(b"c", b"d", b"e", b"f"), f32(1, 2, 3, 4))
        t.export()
    with table("keys of two", LONG, FLOAT, i64(0, 0), i64(-1, -1), initial_num_buckets=4,
               value_shape=[3]) as t:
        t.insert(i64([1, 2], [2, 1]), f32([1, 2, 3], [4, 5, 6]))
        t.export()
        t.find(i64([2, 1], [7, 7]), f32(0, 0, 1))
        t.find(i64([[2, 1], [7, 7]], [[1, 2], [1, 1]]), f32(0, 0, 1))
        t.find(i64(2, 1), f32(0, 0, 1))
        t.find(i64(1), f32(0, 0, 1))
        t.find(i64([2, 1]), np.float32(1))
        t.insert(i64([0, 0]), f32([1, 2, 3]))
        t.insert(i64([1, 2, 3]), f32([1, 2, 3]))
        t.remove(i64([2, 1]))
        t.remove(i64([0, 0]))
        t.remove(i64(1))
        t.export()
    with table("imported buckets", LONG, FLOAT, i64(0, 0), i64(-1, -1),
               initial_num_buckets=4, value_shape=[3]) as t:
        t.load(i64([1, 1], [0, 0], [0, 0], [0, 0]), np.eye(4, 3, dtype=np.float32) * f32([1], [0], [0], [0]))
        t.export()
        t.load(i64([0], [1], [0], [0]), np.ones([4, 3], np.float32))
    with table("keys of strings", STRING, INT, text(b"", b""), text(b"", b"x"),
               initial_num_buckets=4) as t:
        t.insert(text([b"p", b"q"]), i32(1))
        t.export()
    for name, empty, deleted, attrs in (
            ("equal keys", np.int64(1), np.int64(1), {}),
            ("other shapes", np.int64(1), i64(1, 2), {}),
            ("no key", i64(), i64(), {}),
            ("three buckets", np.int64(1), np.int64(2), {"initial_num_buckets": 3}),
            ("two buckets", np.int64(1), np.int64(2), {"initial_num_buckets": 2}),
            ("no buckets", np.int64(1), np.int64(2), {"initial_num_buckets": 0}),
            ("load 0", np.int64(1), np.int64(2), {"max_load_factor": 0.0}),
            ("load 1", np.int64(1), np.int64(2), {"max_load_factor": 1.0}),
            ("load 2", np.int64(1), np.int64(2), {"max_load_factor": 2.0}),
            ("matrix of values", np.int64(1), np.int64(2), {"value_shape": [1, 1]})):
        attrs.setdefault("initial_num_buckets", 4)
        with table(name, LONG, FLOAT, empty, deleted, **attrs):
            pass
    for key, empty, deleted, keys in ((INT, np.int32(0), np.int32(1), i32(5)),
                                      (LONG, np.int64(0), np.int64(1), i64(5)),
                                      (STRING, np.array(b"", object), np.array(b"-", object),
                                       text(b"five"))):
        for value, values in ((INT, i32(1)), (LONG, i64(1)), (FLOAT, f32(1)),
                              (DOUBLE, np.array([1.0])), (BOOL, np.array([True]))):
            if key == INT and value in (LONG, BOOL):
                continue
            with table("dense %s to %s" % (key.name, value.name), key, value, empty, deleted,
                       initial_num_buckets=4) as t:
                t.insert(keys, values)
                t.find(keys, values.reshape([]))


def files(lines):
    """Has text files."""

    def case(name, contents, key, value, key_index, value_index, **attrs):
        with Table(lines, name, key, value) as t:
            t.read(contents, key_index, value_index, **attrs)
            t.size()
            for number, found in enumerate((b"a", b"b", b"c\r", b"d e")):
                t.find({STRING: text(found), LONG: i64(number), INT: i32(number)}[key],
                       {STRING: text(b"-"), LONG: i64(-1), INT: i32(-1), FLOAT: f32(-1),
                        DOUBLE: np.array([-1.0]),
                        BOOL: np.array([False])}[value].reshape([]))

    whole, line = -2, -1
    for name, contents in (("lines", "a\nb\r\nc\r\r\nd e\n"), ("no end", "a\nb"),
                           ("empty line", "a\n\nb\n"), ("empty last line", "a\nb\n\n"),
                           ("empty file", ""), ("twice", "a\nb\na\n"), ("NUL", "a\0\nb\n")):
        case(name, contents, STRING, LONG, whole, line)
    two = "a\nb\n"
    for size in (0, 1, 2, 3):
        case("vocabulary of %d" % size, two, STRING, LONG, whole, line, vocab_size=size)
    case("offset", two, STRING, LONG, whole, line, offset=5)
    case("number to line", two, LONG, STRING, line, whole)
    for key, value, indices in ((INT, STRING, (line, whole)), (STRING, INT, (whole, line)),
                                (STRING, FLOAT, (0, whole)), (LONG, INT, (whole, whole)),
                                (LONG, LONG, (line, line)), (LONG, LONG, (line, whole)),
                                (LONG, INT, (line, whole)), (INT, STRING, (whole, whole))):
        case("%s %d to %s %d" % (key.name, indices[0], value.name, indices[1]), "1\n2\n",
             key, value, *indices)
    for name, contents, key, value in (
            ("columns", "a\t3\nb\t4\n", STRING, LONG), ("too few", "a\t3\nb\n", STRING, LONG),
            ("no int64", "a\t3\nb\tx\n", STRING, LONG), ("sign", "a\t +3\n", STRING, LONG),
            ("space", "a\t 3 \n", STRING, LONG), ("large", "a\t99999999999\n", STRING, INT),
            ("no float", "a\tx\n", STRING, FLOAT), ("float", "a\t3.5\nb\t 4e2\n", STRING, FLOAT),
            ("double", "a\t-inf\nb\tnan\n", STRING, DOUBLE), ("bool", "a\ttrue\n", STRING, BOOL),
            ("empty columns", "\tx\nb\t\n", STRING, STRING)):
        case(name, contents, key, value, 0, 1)
    case("comma", "a,3\nb,4\n", STRING, LONG, 0, 1, delimiter=",")
    case("column 5", "a\t3\n", STRING, LONG, 5, 1)
    with Table(lines, "filled before", STRING, LONG) as t:
        t.read(two)
        t.read("x\n")
        t.read(two, key_index=5)
        t.initialize(text(b"x"), i64(1))
        t.find(text(b"a", b"x"), np.int64(-1))
    with Table(lines, "paths", STRING, LONG) as t:
        for path in (text(b""), text([FILE]), text(b"a", b"b")):
            t("InitializeTableFromTextFileV2", path.reshape([]) if path.shape == (1,) else path,
              key_index=-2, value_index=-1)
    with Table(lines, "not initializable", STRING, LONG, "MutableHashTable") as t:
        t.read(two)
    with Table(lines, "by reference", STRING, LONG, form="") as t:
        t.read(two)
        t.find(text(b"b"), np.int64(-1))


def main():
    lines = []
    for family in (static, references, mutable, tensors, dense, files):
        family(lines)
    write_cases(os.path.join(FOLDER, "lookup_cases.jsonl"), lines)


if __name__ == "__main__":
    main()
