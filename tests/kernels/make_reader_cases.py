#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes reader_cases.jsonl, which holds what readers of TensorFlow 2.15.1 answer to
calls that are made one after another.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. The lines are as in
make_sync_cases.py. A file is written by the op WriteFile.
"""

import gzip
import os
import tempfile
import zlib

import numpy as np
import tensorflow as tf
from make_sync_cases import FILE, FOLDER, STRING, Case, text
from make_cases import write_cases


def path(name):
    return FILE + b"." + name


def records(*values):
    """Returns the bytes of a TFRecord file."""
    with tempfile.NamedTemporaryFile() as file:
        with tf.io.TFRecordWriter(file.name) as writer:
            for value in values:
                writer.write(value)
        return file.read()


class Reader(Case):
    """Is the case of a reader and its queue, with a method for each op. `files` are the
    contents of files, which the queue gets in this order. `missing` is behind them."""

    def __init__(self, lines, name, op, files=(), form="V2", closes=True, **attrs):
        super().__init__(lines, op + form, name, **attrs)
        self.form = form
        self.add_queue("FIFOQueue" + form, component_types=[STRING], shapes=[[]],
                       shared_name=name)
        names = [path(b"%d" % i) for i in range(len(files))]
        for file, contents in zip(names, files):
            self.write_file(file, contents)
        if names:
            self.put(*names)
        if names and closes:
            self("QueueClose" + form)

    def write_file(self, name, contents):
        self("WriteFile", np.array(name, object), np.array(contents, object))

    def put(self, *names):
        self("QueueEnqueueMany" + self.form, text(*names))

    def read(self, times=1):
        for _ in range(times):
            self("ReaderRead" + self.form)
            # The file before may be done or not when a read is cancelled.
            if "waits" not in self.line["calls"][-1]:
                self.look()

    def up_to(self, *counts):
        for count in counts:
            self("ReaderReadUpTo" + self.form, np.int64(count))
            self.look()

    def look(self):
        self("ReaderNumRecordsProduced" + self.form)
        self("ReaderNumWorkUnitsCompleted" + self.form)

    def reset(self):
        self("ReaderReset" + self.form)
        self.look()

    def save(self):
        self("ReaderSerializeState" + self.form)

    def restore(self, state):
        self("ReaderRestoreState" + self.form, np.array(state, object))
        self.look()


def lines_of_text(lines):
    files = [b"l1\nl2\r\n\nl4 of more than fifteen bytes", b"", b"x\n"]
    with Reader(lines, "text", "TextLineReader", files) as r:
        r.read(7)
        r.save()
        r.restore(b"")
    with Reader(lines, "text up to", "TextLineReader", files) as r:
        r.up_to(0, 2, 3, 9, 1)
    with Reader(lines, "text, both", "TextLineReader", files, closes=False) as r:
        r.read()
        r.up_to(2)
        r.read(3)
        r.reset()
        r.put(path(b"2"))
        r.read(2)
    with Reader(lines, "reset within a file", "TextLineReader", files) as r:
        r.read()
        r.reset()
        r.read(2)
    for skipped in (1, 3, 9):
        with Reader(lines, "skip %d" % skipped, "TextLineReader", files,
                    skip_header_lines=skipped) as r:
            r.read(4)
            r.up_to(2)
    with Reader(lines, "missing text", "TextLineReader", closes=False) as r:
        r.write_file(path(b"a"), b"1\n2")
        r.put(path(b"none"), path(b"a"))
        r.read(4)


def tf_records(lines):
    whole = records(b"one", b"", b"three of more than fifteen bytes")
    with Reader(lines, "records", "TFRecordReader", [whole, b"", whole]) as r:
        r.read(8)
        r.save()
        r.reset()
    with Reader(lines, "records up to", "TFRecordReader", [whole, b"", whole]) as r:
        r.up_to(2, 2, 5, 5)
    for name, kind, contents in (("zlib", "ZLIB", zlib.compress(whole)),
                                 ("gzip", "GZIP", gzip.compress(whole)),
                                 ("other compression", "X", whole),
                                 ("not compressed", "ZLIB", whole)):
        with Reader(lines, "records, " + name, "TFRecordReader", [contents],
                    compression_type=kind) as r:
            r.read(4)
    for name, contents in (("data", whole[:13] + b"X" + whole[14:]),
                           ("length", whole[:19] + b"X" + whole[20:]),
                           ("record cut off", whole[:-3]), ("header cut off", whole[:24]),
                           ("footer cut off", whole[:17])):
        with Reader(lines, "damaged " + name, "TFRecordReader", [contents, whole]) as r:
            r.read(4)
            r.reset()
            r.read()
        with Reader(lines, "damaged %s, up to" % name, "TFRecordReader",
                    [contents, whole]) as r:
            r.up_to(5, 5)
    with Reader(lines, "missing records", "TFRecordReader") as r:
        r.put(path(b"none"), path(b"no other"))
        r.read()
        r.up_to(2)
        r.read()


def fixed(lines):
    file = b"H12345678F"

    def case(name, files, reads=4, **attrs):
        with Reader(lines, "fixed " + name, "FixedLengthRecordReader", files, **attrs) as r:
            r.read(reads)

    framed = {"header_bytes": 1, "footer_bytes": 1}
    case("framed", [file, file], 6, record_bytes=4, **framed)
    with Reader(lines, "fixed up to", "FixedLengthRecordReader", [file, file],
                record_bytes=2, **framed) as r:
        r.up_to(3, 3, 9)
    for record, hop in ((4, 2), (2, 3), (4, 5), (2, 1), (3, 0), (4, 1), (0, 2), (0, 3),
                        (0, 4), (0, 8), (0, 0)):
        case("%d, hop %d" % (record, hop), [file], 7, record_bytes=record, hop_bytes=hop,
             **framed)
    case("0, footer 0", [file], 6, record_bytes=0, hop_bytes=3, header_bytes=1)
    case("short", [b"ab", b"", b"H", file], 6, record_bytes=4, **framed)
    case("header", [b"ab", b"abcde", file], 5, record_bytes=4, header_bytes=5)
    case("footer", [b"ab", b"abcde", file], 5, record_bytes=4, footer_bytes=5)
    for encoding, compress in (("ZLIB", zlib.compress), ("GZIP", gzip.compress)):
        for name, attrs in (("plain", {}), ("hop 2", {"hop_bytes": 2}),
                            ("hop 5", {"hop_bytes": 5}), ("footer 0", {"footer_bytes": 0}),
                            ("footer 2", {"footer_bytes": 2}),
                            ("footer 5", {"footer_bytes": 5}),
                            ("footer 6", {"footer_bytes": 6, "hop_bytes": 2}),
                            ("3", {"record_bytes": 3}),
                            ("0, hop 2", {"record_bytes": 0, "hop_bytes": 2}),
                            ("0, hop 4", {"record_bytes": 0, "hop_bytes": 4}),
                            ("0, hop 8", {"record_bytes": 0, "hop_bytes": 8}),
                            ("0, footer 0", {"record_bytes": 0, "footer_bytes": 0,
                                             "hop_bytes": 3}), ("header 9", {"header_bytes": 9}),
                            ("header 20", {"header_bytes": 20})):
            case("%s, %s" % (encoding, name), [compress(file)], 7,
                 **{"record_bytes": 4, "encoding": encoding, **framed, **attrs})
    case("other encoding", [file], record_bytes=4, encoding="X")
    case("not compressed", [file, file], record_bytes=4, encoding="ZLIB")
    case("no compressed header", [b"junkjunkjunk", zlib.compress(file)], record_bytes=2,
         encoding="ZLIB", header_bytes=6)


def states(lines):
    files = [b"a file of more than fifteen bytes", b"", b"c"]
    with Reader(lines, "whole", "WholeFileReader", files) as r:
        r.read(4)
        r.reset()
    with Reader(lines, "whole up to", "WholeFileReader", files) as r:
        r.up_to(2, 2)
        r.read()
    with Reader(lines, "missing whole", "WholeFileReader", closes=False) as r:
        r.put(path(b"none"), path(b"other"))
        r.read(2)
        r.write_file(path(b"none"), b"came")
        r.read(2)
    with Reader(lines, "identity", "IdentityReader", closes=False) as r:
        r.save()
        r.read()
        r.put(b"p", b"a name of more than fifteen bytes", b"r", b"s")
        r.read(2)
        r.save()
        r.up_to(3)
        r.save()
        r("ReaderReadUpToV2", np.array([2], np.int64))
        r("QueueCloseV2")
        r.read()
        r.save()
        r.reset()
        r.save()
    with Reader(lines, "restored", "IdentityReader") as r:
        for state in (b"\x08\x03\x10\x02\x18\x02\x22\x04work", b"\x08\x02\x10\x03",
                      b"\x08\x01\x10\x01\x18" + b"\xff" * 9 + b"\x01",
                      b"\x08\x03\x10\x03\x18\x07\x28\x01", b"\x08\x02\x10\x01", b"junk",
                      b"junk\xff", b"\x08\x01\x10\x01\x22\x02\xff\xfe", b"",
                      b"\x08\x04\x10\x04\x18\x05\x22\x01x"):
            r.restore(state)
            r.save()
        r.put(b"y")
        r.read()
        r.save()
        r("ReaderRestoreStateV2", text(b"", b"x"))


def wrong(lines):
    with Reader(lines, "skip -1", "TextLineReader", skip_header_lines=-1):
        pass
    for attrs in ({"record_bytes": -1}, {"record_bytes": 1, "header_bytes": -1},
                  {"record_bytes": 1, "footer_bytes": -1},
                  {"record_bytes": 1, "hop_bytes": -1}):
        with Reader(lines, "fixed " + str(attrs), "FixedLengthRecordReader", **attrs):
            pass
    for name, types, shapes, values in (
            ("numbers", [tf.int32], [[]], [np.array([1], np.int32)]),
            ("pairs", [STRING, STRING], [[], []], [text(b"a"), text(b"b")]),
            ("vectors", [STRING], [[2]], [text([b"a", b"b"])]),
            ("one in a vector", [STRING], [[1]], [text([b"a"])])):
        with Case(lines, "IdentityReaderV2", "queue of " + name) as r:
            r.add_queue("FIFOQueueV2", component_types=types, shapes=shapes,
                        shared_name=name)
            r("QueueEnqueueManyV2", *values)
            r("ReaderReadV2")
            r("ReaderReadUpToV2", np.int64(0))
            r("QueueSizeV2")


def references(lines):
    with Reader(lines, "reference", "WholeFileReader", [b"a", b"b", b"c"], form="") as r:
        r.read()
        r.up_to(2)
        r.reset()
        r.restore(b"\x08\x01\x10\x01\x18\x05")
        r.save()
        r.read(2)


def main():
    lines = []
    for family in (lines_of_text, tf_records, fixed, states, wrong, references):
        family(lines)
    write_cases(os.path.join(FOLDER, "reader_cases.jsonl"), lines)


if __name__ == "__main__":
    main()
