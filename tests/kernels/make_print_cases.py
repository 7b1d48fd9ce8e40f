#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes print_cases.jsonl, which holds what TensorFlow 2.15.1's Print, PrintV2 and
Assert write to standard error or into their error.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. Each line is a
case. It has op, attrs and inputs as in the op cases (tests/op_cases/make_cases.py),
and either "stderr", which is the text on standard error, or "error", which is the
text of the error.
"""

import json
import os
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "op_cases"))
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from make_cases import derive_attrs, encode, encode_attr, run, write_cases  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

BFLOAT16 = tf.bfloat16.as_numpy_dtype
FALSE = np.array(False)


def captured(function):
    """Calls `function`. Returns what its Python code and C++ code have written to
    standard error."""
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            function()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        file.seek(0)
        return file.read().decode("latin-1")


class Cases:
    def __init__(self):
        self.lines = []

    def add(self, op, *inputs, **attrs):
        op_def = op_def_registry.get(op)
        flat = derive_attrs(op_def, inputs, attrs)
        kinds = {a.name: a.type for a in op_def.attr}
        line = {"op": op,
                "attrs": {k: encode_attr(kinds[k], v) for k, v in attrs.items()},
                "inputs": [encode(v) for v in flat]}
        try:
            line["stderr"] = captured(lambda: run(op_def, flat, attrs))
        except tf.errors.OpError as error:
            message = error.message.partition("}} ")[2] or error.message
            line["error"] = message.partition(" [Op:")[0]
        self.lines.append(json.dumps(line))


def tensors():
    yield np.array(1.5, np.float32)
    yield np.array([0.1, 1 / 3, 1e10, 1e-10, 123456789], np.float32)
    yield np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)
    yield np.array([0.1, 1 / 3, 1e100, 2.5e-300], np.float64)
    yield np.array([0.1, 65504, 6e-8], np.float16)
    yield np.array([0.1, 3e38], BFLOAT16)
    yield np.array([-128, 0, 127], np.int8)
    yield np.array([0, 255], np.uint8)
    yield np.array([-(1 << 63), 7], np.int64)
    yield np.array([(1 << 64) - 1], np.uint64)
    yield np.array([True, False])
    yield np.array([[True, False], [False, True]])
    yield np.array([b"text", b"two\nlines", b"quo\"te", b"\x00\xff", b""], object)
    yield np.array([[b"a", b"b"], [b"c", b"d"]], object)
    yield np.arange(4, dtype=np.int32).reshape(2, 2)
    yield np.arange(12, dtype=np.int32).reshape(2, 3, 2)
    yield np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    yield np.zeros([0], np.float32)
    yield np.zeros([2, 0], np.int32)
    yield np.arange(3, dtype=np.int32).reshape(1, 3, 1)


def main():
    cases = Cases()
    one = np.array(0, np.int32)
    for value in tensors():
        for summarize in (-1, 0, 1, 2, 3, 4, 6, 100):
            cases.add("Print", one, [value], message="value: ", summarize=summarize)
    for value in tensors():
        cases.add("Assert", FALSE, [value], summarize=3)
    cases.add("Print", one, [np.array(1), np.array([2.5, 3])])
    cases.add("Print", one, [], message="no data")
    cases.add("Assert", FALSE, [np.array(b"x is", object),
                                np.array([[1, 2.5], [3, 4]], np.float32)])
    cases.add("Assert", FALSE, [np.array([1, 2, 3, 4])], summarize=-1)
    cases.add("Assert", FALSE, [np.array([1, 2, 3, 4])], summarize=0)
    cases.add("Assert", np.array([False]), [np.array(1)])
    for text in (b"text", b"two\nlines", b"\x00\xff", b""):
        cases.add("PrintV2", np.array(text, object))
    cases.add("PrintV2", np.array(b"text", object), end="")
    cases.add("PrintV2", np.array(b"text", object), end="|\n")
    cases.add("PrintV2", np.array([b"text"], object))
    write_cases(os.path.join(FOLDER, "print_cases.jsonl"), cases.lines)


if __name__ == "__main__":
    main()
