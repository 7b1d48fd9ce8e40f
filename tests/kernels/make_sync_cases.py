#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes sync_cases.jsonl, which holds what queues and accumulators of TensorFlow
2.15.1 answer to calls that are made one after another.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. Each line is a
case. It has a name, the op and attrs that make the queue or accumulator, and the
"calls" [{op, attrs, inputs}] as in the op cases (tests/op_cases/make_cases.py).
"inputs" leaves out the handle, which is the first input of each call. A call has
"outputs", an "error" [code, text], or "waits": true. The script cancels a call
that has not returned within WAIT_MS milliseconds, and writes that it waits. If a call
has a "file", this text is written to a file before the call. FILE stands for the path
of the file in strings and errors, and for the begin of the paths of other files. A case
of a reader has a "queue" {op, attrs}, too. It is the input of a call whose argument is
called handle or queue_handle.
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
from make_cases import CODES, default_of, derive_attrs, encode, encode_attr, write_cases  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_library  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

tf.compat.v1.disable_eager_execution()
CODES = {**CODES, tf.errors.CancelledError: "CANCELLED"}
WAIT_MS = 400
FILE = b"{file}"


def f32(*values):
    return np.array(values, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def text(*values):
    return np.array(values, object)


def array(value):
    """Returns `value` as an array. Python's integers become int32."""
    result = np.asarray(value)
    return result.astype(np.int32) if result.dtype == np.int64 and isinstance(
        value, (int, list)) else result


def plain_array(value):
    """Returns a value that was fetched as an array."""
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


def kernels_words(message):
    """Returns the kernel's own words in an error message. Leaves out the places in
    the graph and in the Python program, which TensorFlow adds."""
    lines = message.split("\n")
    places = [i for i, line in enumerate(lines) if line.startswith("\t [[")]
    if not places:
        return lines[0]
    nodes = [i for i, line in enumerate(lines[:places[0]]) if line.startswith("Node: ")]
    return "\n".join(lines[nodes[-1] + 1 if nodes else places[0] - 1:places[0]])


def replaced(value, old, new):
    """Returns `value` with the bytes `new` in the place of `old` in all strings."""
    if value.dtype != object:
        return value
    result = np.empty(value.shape, object)
    result.flat = [text.replace(old, new) for text in value.flat]
    return result


class Case:
    """Makes a queue, an accumulator, a table or a reader from `inputs`. `self(op,
    *inputs)` calls an op on it and records the call."""

    def __init__(self, lines, op, name, *inputs, **attrs):
        self.folder = tempfile.TemporaryDirectory()
        self.written = {}
        self.graph = tf.Graph()
        self.session = tf.compat.v1.Session(graph=self.graph)
        attrs.setdefault("shared_name", name)
        self.line = {"op": op, "name": name, "attrs": self.encoded(op, attrs),
                     "inputs": [encode(v) for v in inputs], "calls": []}
        self.lines = lines
        self.queue = None
        with self.graph.as_default():
            self.handle = self.node(op, [tf.constant(v) for v in inputs], attrs,
                                    name="test").outputs[0]
        try:
            self.session.run(self.handle.op)
        except tf.errors.OpError as error:
            self.line["error"] = [CODES[type(error)], kernels_words(error.message)]
            print(" ", name, op, self.line["error"])

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.session.close()
        self.folder.cleanup()
        if kind is None:
            self.lines.append(json.dumps(self.line))

    @staticmethod
    def encoded(op, attrs):
        kinds = {a.name: a.type for a in op_def_registry.get(op).attr}
        return {k: encode_attr(kinds[k], v) for k, v in attrs.items()}

    @staticmethod
    def node(op, inputs, attrs, name=None):
        op_def = op_def_registry.get(op)
        values, rest = {}, list(inputs)
        for arg in op_def.input_arg:
            values[arg.name] = rest if arg.type_list_attr else rest.pop(0)
        inferred = {a for arg in op_def.input_arg
                    for a in (arg.type_attr, arg.type_list_attr)}
        values.update({a.name: default_of(a) for a in op_def.attr
                       if a.HasField("default_value") and a.name not in inferred})
        values.update({k: v for k, v in attrs.items() if k not in inferred})
        if attrs.get("shape"):
            values["shape"] = [None if d < 0 else d for d in attrs["shape"]]
        _, _, made, _ = op_def_library._apply_op_helper(op_def.name, name, **values)  # pylint: disable=protected-access
        return made

    def add_queue(self, op, **attrs):
        """Makes a second resource: the queue of a reader."""
        self.line["queue"] = {"op": op, "attrs": self.encoded(op, attrs)}
        with self.graph.as_default():
            self.queue = self.node(op, [], attrs).outputs[0]
        self.session.run(self.queue.op)

    def handles(self, op_def):
        """Returns the handles that an op takes."""
        of_queues = ("handle", "queue_handle") if self.queue is not None else ()
        return [self.queue if arg.name in of_queues else self.handle
                for arg in op_def.input_arg
                if arg.is_ref or arg.type == tf.resource.as_datatype_enum]

    def write(self, text):
        """Writes the file FILE for the next call."""
        with open(os.path.join(self.folder.name, "file"), "w", encoding="utf-8",
                  newline="") as file:
            file.write(text)
        self.written = {"file": text}

    def __call__(self, op, *inputs, **attrs):
        op_def = op_def_registry.get(op)
        arrays = [array(v) for v in inputs]
        has_handle = bool(op_def.input_arg)
        path = os.path.join(self.folder.name, "file")
        with self.graph.as_default():
            # The placeholders have an unknown shape. So the shapes are checked
            # by TensorFlow's kernels, and not by its shape functions.
            given = [tf.compat.v1.placeholder_with_default(
                tf.constant(replaced(v, FILE, path.encode())), None) for v in arrays]
            made = self.node(op, self.handles(op_def) + given, attrs)
        for arg in op_def.input_arg:
            if arg.type_list_attr:
                attrs[arg.type_list_attr] = list(made.get_attr(arg.type_list_attr))
            elif arg.type_attr:
                attrs[arg.type_attr] = made.get_attr(arg.type_attr)
        call = {"op": op, "attrs": self.encoded(op, attrs),
                "inputs": [encode(v) for v in arrays], **self.written}
        self.written = {}
        # The value of a handle differs from run to run, so handles are not
        # fetched.
        fetches = list(made.outputs) if has_handle else []
        try:
            found = self.session.run(
                fetches or made,
                options=tf.compat.v1.RunOptions(timeout_in_ms=WAIT_MS))
            call["outputs"] = [encode(replaced(plain_array(v), path.encode(), FILE))
                               for v in found or []]
        except tf.errors.DeadlineExceededError:
            call["waits"] = True
        except tf.errors.OpError as error:
            words = kernels_words(error.message).replace(path, FILE.decode())
            call["error"] = [CODES[type(error)], words]
        print(" ", self.line["name"], op,
              call.get("error") or call.get("outputs") or "waits" * ("waits" in call))
        self.line["calls"].append(call)


class Queue(Case):
    """Is the case of a queue, with a method for each op. If `op` has no V2 behind its
    name, the handle is a reference."""

    def __init__(self, lines, name, types, shapes=None, op="FIFOQueueV2", **attrs):
        super().__init__(lines, op, name, component_types=types,
                         shapes=shapes or [], **attrs)
        self.types = types
        self.form = "V2" if op.endswith("V2") else ""

    def put(self, *components):
        self("QueueEnqueue" + self.form, *components)

    def put_many(self, *components):
        self("QueueEnqueueMany" + self.form, *components)

    def take(self):
        self("QueueDequeue" + self.form, component_types=self.types)

    def take_many(self, count):
        self("QueueDequeueMany" + self.form, np.int32(count), component_types=self.types)

    def take_up_to(self, count):
        self("QueueDequeueUpTo" + self.form, np.int32(count), component_types=self.types)

    def close(self, cancel=False):
        self("QueueClose" + self.form, cancel_pending_enqueues=cancel)

    def look(self):
        self("QueueSize" + self.form)
        self("QueueIsClosed" + self.form)


INT, FLOAT, STRING = tf.int32, tf.float32, tf.string


def fifo(lines):
    with Queue(lines, "order", [INT], [[]]) as q:
        for i in (3, 1, 2):
            q.put(i)
        q.look()
        for _ in range(3):
            q.take()
        q.take()
    with Queue(lines, "full", [INT], [[]], capacity=2) as q:
        q.put(1)
        q.put(2)
        q.put(3)
        q.put_many([4, 5])
        q.take()
        q.put(6)
        q.take_many(2)
    with Queue(lines, "many", [INT, FLOAT], [[], [2]]) as q:
        q.put_many([1, 2, 3], f32([1, 2], [3, 4], [5, 6]))
        q.take_many(2)
        q.take_many(0)
        q.take_up_to(0)
        q.put_many(i32(), np.zeros([0, 2], np.float32))
        q.look()
        q.take()
        q.take_many(1)
    with Queue(lines, "strings", [STRING], [[2]]) as q:
        q.put_many(np.array([[b"a", b"b" * 40], [b"", b"d"]], object))
        q.put(np.array([b"e", b"f"], object))
        q.take_many(3)
    with Queue(lines, "any shape", [FLOAT]) as q:
        q.put(f32(1))
        q.put(f32([1, 2], [3, 4]))
        q.put_many(f32([5, 6]))
        q.put_many(f32())
        q.take()
        q.take()
        q.take()
        q.take_many(1)
        q.take_up_to(1)


def references(lines):
    """Has queues whose handles are references."""
    for op, attrs in (("FIFOQueue", {}), ("RandomShuffleQueue", {"seed": 1, "seed2": 2})):
        with Queue(lines, op + " by reference", [INT, STRING], [[], [2]], op=op,
                   **attrs) as q:
            q.put(1, np.array([b"a", b"b"], object))
            q.put_many([2, 3, 4], np.array([[b"c", b"d"]] * 3, object))
            q.put(1)
            q.put([1], np.array([b"a", b"b"], object))
            q.look()
            q.take()
            q.take_many(2)
            q.close()
            q.take_up_to(2)
            q.take()
            q.look()


def unknown(lines):
    """Has components of unknown rank, which are scalars."""
    with Queue(lines, "unknown rank", [INT], [None]) as q:
        q.put(1)
        q.put([1, 2])
        q.take_many(1)
    with Queue(lines, "unknown rank, shuffled", [INT], [None],
               op="RandomShuffleQueueV2", seed=1, seed2=2) as q:
        q.put([1, 2])


def closing(lines):
    with Queue(lines, "closed", [INT], [[]]) as q:
        q.put_many([1, 2, 3, 4, 5])
        q.close()
        q.look()
        q.put(6)
        q.put_many([6, 7])
        q.take()
        q.take_many(2)
        q.take_many(4)
        q.take_up_to(4)
        q.take()
        q.take_many(1)
        q.take_up_to(1)
        q.close()
        q.close(cancel=True)
        q.look()
    with Queue(lines, "closed at once", [INT], [[]]) as q:
        q.close(cancel=True)
        q.close()
        q.take()
    with Queue(lines, "up to", [INT], [[]]) as q:
        q.put_many([1, 2, 3])
        q.take_up_to(2)
        q.close()
        q.take_up_to(5)
        q.take_up_to(5)


def wrong(lines):
    with Queue(lines, "types", [INT, FLOAT], [[], [2]]) as q:
        q.put(1)
        q.put(f32(1, 2), f32(1, 2))
        q.put(1, f32(1, 2), 3)
        q.put(1, f32(1, 2, 3))
        q.put([1], f32(1, 2))
        q.put_many([1, 2], f32([1, 2]))
        q.put_many([1], f32([1, 2, 3]))
        q("QueueDequeueV2", component_types=[INT])
        q("QueueDequeueManyV2", np.int32(1), component_types=[FLOAT, INT])
        q.look()
    with Queue(lines, "lengths", [INT, FLOAT]) as q:
        q.put_many([1, 2], f32(1))
    with Queue(lines, "shared", [INT], [[]], capacity=3, shared_name="shared") as q:
        same = {"component_types": [INT], "shapes": [[]], "capacity": 3,
                "shared_name": "shared"}
        q("FIFOQueueV2", **same)
        q("FIFOQueueV2", **dict(same, capacity=4))
        q("FIFOQueueV2", **dict(same, capacity=-1))
        q("FIFOQueueV2", **dict(same, component_types=[FLOAT]))
        q("FIFOQueueV2", **dict(same, component_types=[INT, FLOAT], shapes=[[], []]))
        q("FIFOQueueV2", **dict(same, shapes=[[2]]))
        q("FIFOQueueV2", **dict(same, shapes=[]))
        q("FIFOQueueV2", **dict(same, shapes=[[], [2]], shared_name="a new one"))
        q("RandomShuffleQueueV2", **same)
    with Queue(lines, "shuffled", [INT], [[]], op="RandomShuffleQueueV2", seed=1,
               seed2=2, capacity=9, min_after_dequeue=3) as q:
        same = {"component_types": [INT], "shapes": [[]], "capacity": 9, "seed": 1,
                "seed2": 2, "min_after_dequeue": 3, "shared_name": "shuffled"}
        q("RandomShuffleQueueV2", **same)
        q("RandomShuffleQueueV2", **dict(same, seed=0, seed2=0))
        q("RandomShuffleQueueV2", **dict(same, seed=0))
        q("RandomShuffleQueueV2", **dict(same, min_after_dequeue=2))
        q("RandomShuffleQueueV2", **dict(same, min_after_dequeue=9))
        q("RandomShuffleQueueV2", **dict(same, min_after_dequeue=-1))
        q("FIFOQueueV2", **{k: same[k] for k in (
            "component_types", "shapes", "capacity", "shared_name")})


def counts(lines):
    """Asks for numbers of elements and of components that no queue can give or
    take."""
    with Queue(lines, "counts", [INT], [[]], capacity=4) as q:
        q.take_many(-1)
        q.take_up_to(-1)
        q("QueueDequeueV2", component_types=[INT, INT])
        q.look()
    with Queue(lines, "counts of any shape", [FLOAT]) as q:
        q.take_many(-1)
        q.take_up_to(-1)
        q.look()


def shuffled(lines):
    def queue(name, **attrs):
        return Queue(lines, name, [INT], [[]], op="RandomShuffleQueueV2", **attrs)

    with queue("shuffled order", seed=5, seed2=7) as q:
        q.put_many(list(range(12)))
        for _ in range(6):
            q.take()
        q.take_many(4)
        q.put_many(list(range(20, 30)))
        q.take_many(9)
        q.close()
        q.take_up_to(9)
        q.take()
    with queue("other seeds", seed=(1 << 40) + 3, seed2=-5) as q:
        for i in range(7):
            q.put(i)
        q.take_many(7)
    with queue("kept back", seed=1, seed2=1, min_after_dequeue=2, capacity=10) as q:
        q.put_many([1, 2, 3, 4])
        q.take()
        q.take()
        q.take()
        q.look()
        q.put_many([5, 6])
        q.take_many(2)
        q.look()
        q.close()
        q.take_many(3)
        q.take_many(2)
        q.look()


class Accumulator(Case):
    def __init__(self, lines, name, shape, dtype=tf.float32, form="", **attrs):
        kind = "SparseConditional" if form == "Sparse" else form + "Conditional"
        super().__init__(lines, kind + "Accumulator", name, dtype=dtype, shape=shape,
                         **attrs)
        self.form, self.dtype = form, dtype
        self.common = "" if form == "Sparse" else form

    def apply(self, step, *gradient, known=False):
        if self.form != "Sparse":
            self(self.form + "AccumulatorApplyGradient", np.int64(step), *gradient)
            return
        indices, values = gradient[:2]
        shape = gradient[2] if known else i64()
        self("SparseAccumulatorApplyGradient", np.int64(step), i64(*indices), values,
             i64(*shape), has_known_shape=known)

    def take(self, count):
        self(self.form + "AccumulatorTakeGradient", np.int32(count), dtype=self.dtype)

    def step(self, step):
        self(self.common + "AccumulatorSetGlobalStep", np.int64(step))

    def look(self):
        self(self.common + "AccumulatorNumAccumulated")


def dense(lines):
    for form in ("", "Resource"):
        name = (form or "reference").lower()
        with Accumulator(lines, name, [2], form=form) as a:
            a.apply(0, f32(1, 3))
            a.apply(0, f32(2, 5))
            a.look()
            a.take(2)
            a.look()
            a.apply(0, f32(9, 9))
            a.look()
            a.apply(1, f32(1, 2))
            a.apply(7, f32(1, 2))
            a.apply(1, f32(2, 2))
            a.take(4)
            a.take(1)
            a.step(5)
            a.apply(4, f32(1, 1))
            a.look()
            a.step(3)
            a.apply(4, f32(1, 1))
            a.look()
            a.take(0)
            a.take(-1)
            a.apply(9, f32(1, 2, 3))
            a.apply(0, f32(1, 2, 3))
            a.look()
            op = form + "AccumulatorApplyGradient"
            a(op, i64(9), f32(1, 2))
    with Accumulator(lines, "sum", [-1], form="Resource", reduction_type="SUM") as a:
        a.apply(0, f32(1, 3))
        a.apply(0, f32(2, 5))
        a.apply(0, f32(1, 2, 3))
        a.take(2)
        a.apply(1, f32(1, 2, 3))
        a.take(1)
    for dtype in (tf.float64, tf.float16):
        with Accumulator(lines, dtype.name, [2], dtype=dtype, form="Resource") as a:
            for values in ([0.1, 3], [2, 5], [7, 9]):
                a.apply(0, np.array(values, dtype.as_numpy_dtype))
            a.take(3)
    with Accumulator(lines, "scalar", None, form="Resource") as a:
        a.apply(0, np.float32(4))
        a.apply(0, np.float32(5))
        a.take(1)


def sparse(lines):
    with Accumulator(lines, "sparse", [3, 2], form="Sparse") as a:
        a.apply(0, [0, 2], f32([1, 2], [3, 4]))
        a.apply(0, [0, 1], f32([5, 6], [7, 8]))
        a.look()
        a.take(2)
        a.apply(0, [0], f32([1, 1]))
        a.look()
        a.apply(1, [2, 0], f32([1, 1], [2, 2]))
        a.apply(1, [0], f32([4, 4]))
        a.take(1)
        a.apply(2, [1, 1], f32([1, 1], [2, 2]))
        a.apply(2, [1], f32([4, 6]))
        a.apply(2, [], np.zeros([0, 2], np.float32))
        a.take(3)
        a.take(1)
        a.apply(9, [0], f32([1, 1]), [3, 2], known=True)
        a.apply(9, [0], f32([1, 1]), [4, 2], known=True)
        a.apply(9, [0], f32([1, 1]), [3], known=True)
        a.apply(9, [3], f32([1, 1]))
        a.apply(9, [0, 7], f32([1, 1], [2, 2]))
        a.apply(9, [0], f32([1, 1], [2, 2]))
        a.apply(9, [0], np.float32(1))
        a.apply(9, [0], f32(1))
        a.apply(9, [0], f32([1, 1, 1]))
        a("SparseAccumulatorApplyGradient", np.int64(9), i64([0]), f32([1, 1]), i64(),
          has_known_shape=False)
        a.look()
        a.step(20)
        a.apply(19, [0], f32([1, 1]))
        a.look()
    with Accumulator(lines, "sparse, nothing declared", None, form="Sparse") as a:
        a.apply(0, [5], f32([1, 1, 1]))
        a.apply(0, [5], f32([1, 1]))
        a.apply(0, [5], f32(1))
        a.apply(0, [-1], f32([3, 3, 3]))
        a.take(2)
    with Accumulator(lines, "sparse, SUM", [-1, -1], form="Sparse", reduction_type="SUM",
                     dtype=tf.float16) as a:
        a.apply(0, [1, 3], np.array([[1, 2], [3, 4]], np.float16))
        a.apply(0, [3], np.array([[5, 6]], np.float16))
        a.take(2)


def main():
    lines = []
    for family in (fifo, references, unknown, closing, wrong, counts, shuffled, dense, sparse):
        family(lines)
    write_cases(os.path.join(FOLDER, "sync_cases.jsonl"), lines)


if __name__ == "__main__":
    main()
