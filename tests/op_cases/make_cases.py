#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes the op cases, which hold what TensorFlow 2.15.1 answers to given inputs.

Run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel; the output is
committed beside this file:

    python make_cases.py             # all families
    python make_cases.py binary_math # one

A family is a module in families/ with a function `cases(case)` that calls

    case(op, name, *inputs, text=None, tolerance=None, **attrs)

for every case. An input is a numpy array, a Ramp for a large array, or a list of
arrays for an argument of N tensors. Attrs are Python values. `case` derives the types
and lengths that follow from the inputs. If there is a `text`, TensorFlow must return
an error that contains it. If the text is WHOLE, TensorFlow may return an error, whose
whole text goes into the case. `case.__self__.given` records outputs that the family has
computed itself. For example, TensorFlow's CPU kernels lack NCHW, so families compute
the outputs for NCHW from those for NHWC.

`case.__self__.chain()` runs other ops that make inputs that no file can hold, such as
variants.

Each line of the file <family>.jsonl is one case. It has op, name, attrs {name: [type,
value]}, inputs, and outputs or error [code, text]. Inputs and outputs are [dtype,
shape, values]. The values of a large input are {"ramp": [start, step, modulus]}, which
means that value i is start + step * (i % modulus). The values of a large output are
{"every": n, "values": [...]}, which has every n-th value. "before" lists ops that run
before the op of the case. The input {"from": [i, j]} is output j of the i-th of them.
"""

import importlib
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from tensorflow.python.eager import context  # pylint: disable=wrong-import-position
from tensorflow.python.eager import execute  # pylint: disable=wrong-import-position
from tensorflow.python.framework import op_def_registry  # pylint: disable=wrong-import-position

# If an output has more elements than this, only some of them are written.
LARGE = 2000
WHOLE = object()
SHORT = {"float32": "float", "float64": "double", "float16": "half"}
CODES = {
    tf.errors.InvalidArgumentError: "INVALID_ARGUMENT",
    tf.errors.AbortedError: "ABORTED",
    tf.errors.NotFoundError: "NOT_FOUND",
    tf.errors.FailedPreconditionError: "FAILED_PRECONDITION",
    tf.errors.UnimplementedError: "UNIMPLEMENTED",
    tf.errors.OutOfRangeError: "OUT_OF_RANGE",
    tf.errors.InternalError: "INTERNAL",
    tf.errors.ResourceExhaustedError: "RESOURCE_EXHAUSTED",
    tf.errors.DataLossError: "DATA_LOSS",
}


class Ramp:
    """Is a large input that a few numbers describe."""

    def __init__(self, dtype, shape, start=0, step=1, modulus=1 << 30):
        self.dtype, self.shape = np.dtype(dtype), shape
        self.spec = [start, step, modulus]

    def array(self):
        start, step, modulus = self.spec
        index = np.arange(int(np.prod(self.shape)), dtype=np.int64) % modulus
        return (start + step * index).astype(self.dtype).reshape(self.shape)


class Result:
    """Is an output of an op of a chain."""

    def __init__(self, tensor, step, output):
        self.tensor, self.place = tensor, [step, output]


def short_name(dtype):
    name = tf.as_dtype(dtype).name
    return SHORT.get(name, name)


def number(value):
    value = float(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def float_text(value, dtype):
    """Returns the shortest number that reads back as the same value of the dtype."""
    if dtype == np.float32:
        result = number(value)
        return result if isinstance(result, str) else float(str(np.float32(value)))
    return number(value)


# Types without a type in C++: their elements are written as unsigned integers.
STORED = {np.dtype(tf.as_dtype(n).as_numpy_dtype) for n in
          ("qint8", "quint8", "qint16", "quint16", "qint32", "float8_e5m2",
           "float8_e4m3fn", "int4", "uint4")}


def plain_values(array):
    flat = array.reshape(-1)
    if array.dtype in STORED:
        return [int(v) for v in flat.view(f"u{array.dtype.itemsize}")]
    if array.dtype == object:
        return [v.decode("latin-1") if isinstance(v, bytes) else v for v in flat]
    if np.issubdtype(array.dtype, np.complexfloating):
        part = np.float32 if array.dtype == np.complex64 else np.float64
        return [[float_text(v.real, part), float_text(v.imag, part)] for v in flat]
    if array.dtype == np.bool_:
        return [bool(v) for v in flat]
    if np.issubdtype(array.dtype, np.integer):
        return [int(v) for v in flat]
    return [float_text(v, array.dtype) for v in flat]


def encode(value):
    if isinstance(value, Result):
        return {"from": value.place}
    if isinstance(value, Ramp):
        return [short_name(value.dtype), list(value.shape), {"ramp": value.spec}]
    return [tensor_type(value), list(value.shape), plain_values(value)]


def tensor_type(array):
    return "string" if array.dtype == object else short_name(array.dtype)


def encode_output(tensor):
    value = tensor.numpy()
    if not isinstance(value, np.ndarray):
        value = np.asarray(value, dtype=object if tensor.dtype == tf.string else None)
    numpy_type = np.dtype(tensor.dtype.as_numpy_dtype)
    if numpy_type in STORED:
        value = value.view(numpy_type)
    if value.size <= LARGE:
        return encode(value)
    # `every` is odd, so that the chosen elements are not all in one column.
    every = value.size // 50 | 1
    return [tensor_type(value), list(value.shape),
            {"every": every, "values": plain_values(value.reshape(-1)[::every])}]


def plain(value):
    """Returns an input in the form that cases hold. Numbers and lists become arrays."""
    return value if isinstance(value, (Ramp, Result)) else np.asarray(value)


def type_of(value):
    if isinstance(value, Result):
        return value.tensor.dtype
    dtype = as_array(value).dtype
    return tf.as_dtype(tf.string if dtype == object else dtype)


def as_tensor(value):
    if isinstance(value, Result):
        return value.tensor
    array = as_array(value)
    return tf.constant(array, dtype=tf.string if array.dtype == object else None)


def as_array(value):
    return value.array() if isinstance(value, Ramp) else np.asarray(value)


def encode_attr(kind, value):
    if kind == "type":
        return [kind, short_name(value)]
    if kind == "list(type)":
        return [kind, [short_name(v) for v in value]]
    if kind == "tensor":
        return [kind, encode(as_array(value))]
    return [kind, value]


def derive_attrs(op_def, inputs, attrs):
    """Adds to `attrs` those that follow from the inputs. Returns a flat list of the
    inputs."""
    flat = []
    for arg, value in zip(op_def.input_arg, inputs):
        values = value if isinstance(value, list) else [value]
        types = [type_of(v) for v in values]
        if arg.number_attr:
            attrs.setdefault(arg.number_attr, len(values))
        if arg.type_list_attr:
            attrs.setdefault(arg.type_list_attr, types)
        if arg.type_attr and types:
            attrs.setdefault(arg.type_attr, types[0])
        flat.extend(values)
    return flat


def default_of(attr):
    field = attr.default_value.WhichOneof("value")
    if field == "shape":
        shape = tf.TensorShape(attr.default_value.shape)
        return None if shape.rank is None else shape.as_list()
    if field != "list":
        return getattr(attr.default_value, field)
    field = {"int": "i", "float": "f", "bool": "b", "string": "s",
             "type": "type", "shape": "shape"}[attr.type[5:-1]]
    return list(getattr(attr.default_value.list, field))


def eager_attrs(op_def, attrs):
    kinds = {a.name: a.type for a in op_def.attr}
    complete = {a.name: default_of(a) for a in op_def.attr
                if a.HasField("default_value")}
    complete.update(attrs)
    result = []
    for name, value in complete.items():
        if kinds[name] == "type":
            value = tf.as_dtype(value).as_datatype_enum
        elif kinds[name] == "list(type)":
            value = [tf.as_dtype(v).as_datatype_enum for v in value]
        elif kinds[name] == "tensor":
            value = tf.make_tensor_proto(value)
        result += [name, value]
    return tuple(result)


def num_outputs(op_def, attrs):
    count = 0
    for arg in op_def.output_arg:
        if arg.number_attr:
            count += attrs[arg.number_attr]
        elif arg.type_list_attr:
            count += len(attrs[arg.type_list_attr])
        else:
            count += 1
    return count


# Eager execution cannot pass attrs that are tensors, and its nodes have no
# names.
NEED_GRAPH = {"ImageSummary", "TensorSummary"}
NODE = "test"  # KernelTestHarness gives the same name


def run_in_graph(op_def, flat, attrs):
    with tf.Graph().as_default(), tf.device("/CPU:0"):
        arrays = [v.array() if isinstance(v, Ramp) else v for v in flat]
        fed = [tf.compat.v1.placeholder(type_of(a), np.shape(a)) for a in arrays]
        node = tf.compat.v1.NodeDef(op=op_def.name, name=NODE,
                                    input=[f.name for f in fed])
        kinds = {a.name: a.type for a in op_def.attr}
        for name, value in attrs.items():
            if kinds[name] == "type":
                node.attr[name].type = tf.as_dtype(value).as_datatype_enum
            elif kinds[name] == "tensor":
                node.attr[name].tensor.CopyFrom(tf.make_tensor_proto(value))
            else:
                node.attr[name].i = value
        graph_def = tf.compat.v1.get_default_graph().as_graph_def()
        graph_def.node.append(node)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            tf.import_graph_def(graph_def, name="")
            fetches = [f"{NODE}:{i}" for i in range(num_outputs(op_def, attrs))]
            values = session.run(fetches, {f.name: a for f, a in zip(fed, arrays)})
    return [tf.constant(v) for v in values]


def run(op_def, flat, attrs):
    if op_def.name in NEED_GRAPH:
        return run_in_graph(op_def, flat, attrs)
    tensors = [as_tensor(v) for v in flat]
    with tf.device("/CPU:0"):
        return execute.execute(op_def.name, num_outputs(op_def, attrs), tensors,
                               eager_attrs(op_def, attrs), context.context())


class Family:
    def __init__(self):
        self.lines = []
        self.names = set()
        # A tolerance is relative to the expected value, or to `floor` if the
        # expected value is smaller. In some families, the terms of sums can
        # cancel each other. Such families set `floor` to 1.
        self.floor = None
        self.wrong = []

    def chain(self):
        return Chain(self)

    def case(self, op, name, *inputs, text=None, tolerance=None, before=None, **attrs):
        assert (op, name) not in self.names, (op, name)
        self.names.add((op, name))
        op_def = op_def_registry.get(op)
        flat = derive_attrs(op_def, inputs, attrs)
        kinds = {a.name: a.type for a in op_def.attr}
        line = {"op": op, "name": name,
                "attrs": {k: encode_attr(kinds[k], v) for k, v in attrs.items()},
                "inputs": [encode(plain(v)) for v in flat]}
        if before:
            line["before"] = list(before)
        if tolerance is not None:
            line["tolerance"] = tolerance
        if self.floor is not None:
            line["floor"] = self.floor
        try:
            outputs = run(op_def, flat, attrs)
            if text not in (None, WHOLE):
                self.wrong.append(f"{op} {name}: expected an error")
            line["outputs"] = [encode_output(o) for o in outputs]
        except tf.errors.OpError as error:
            message = error.message.partition("}} ")[2] or error.message
            if text is WHOLE:
                text = message.partition(" [Op:")[0]
            elif text is None:
                print(f"  {op} {name}: {message}")
            elif text not in message:
                self.wrong.append(f"{op} {name}: expected {text!r}, got {message!r}")
            line["error"] = [CODES[type(error)], text or ""]
        self.lines.append(json.dumps(line))

    def given(self, op, name, inputs, outputs, tolerance=None, **attrs):
        """Adds a case whose outputs TensorFlow has computed in another layout or with
        other ops."""
        assert (op, name) not in self.names, (op, name)
        self.names.add((op, name))
        op_def = op_def_registry.get(op)
        flat = derive_attrs(op_def, inputs, attrs)
        kinds = {a.name: a.type for a in op_def.attr}
        line = {"op": op, "name": name,
                "attrs": {k: encode_attr(kinds[k], v) for k, v in attrs.items()},
                "inputs": [encode(v) for v in flat],
                "outputs": [encode(v) for v in outputs]}
        if tolerance is not None:
            line["tolerance"] = tolerance
        if self.floor is not None:
            line["floor"] = self.floor
        self.lines.append(json.dumps(line))


class Chain:
    """Holds ops that use each other's outputs. A call of the chain runs an op and
    returns its output, or a list of its outputs. `case` adds a case that first runs
    the ops on which its inputs depend. With everything=True, it first runs all ops of
    the chain."""

    def __init__(self, family):
        self.family = family
        self.steps = []

    def __call__(self, op, *inputs, **attrs):
        op_def = op_def_registry.get(op)
        flat = derive_attrs(op_def, inputs, attrs)
        kinds = {a.name: a.type for a in op_def.attr}
        step = len(self.steps)
        self.steps.append({"op": op,
                           "attrs": {k: encode_attr(kinds[k], v) for k, v in attrs.items()},
                           "inputs": [encode(plain(v)) for v in flat]})
        results = [Result(t, step, i)
                   for i, t in enumerate(run(op_def, flat, attrs))]
        return results[0] if len(results) == 1 else results

    def case(self, op, name, *inputs, everything=False, **options):
        flat = [v for i in inputs for v in (i if isinstance(i, list) else [i])]
        used = {v.place[0] for v in flat if isinstance(v, Result)}
        for step in reversed(range(len(self.steps))):
            if everything or step in used:
                used |= {step} | {i["from"][0] for i in self.steps[step]["inputs"]
                                  if isinstance(i, dict)}
        place = {step: i for i, step in enumerate(sorted(used))}
        before = [dict(self.steps[step], inputs=[
            {"from": [place[i["from"][0]], i["from"][1]]} if isinstance(i, dict) else i
            for i in self.steps[step]["inputs"]]) for step in sorted(used)]
        moved = [Result(v.tensor, place[v.place[0]], v.place[1])
                 if isinstance(v, Result) else v for v in flat]
        arguments = iter(moved)
        inputs = [[next(arguments) for _ in i] if isinstance(i, list) else next(arguments)
                  for i in inputs]
        self.family.case(op, name, *inputs, before=before, **options)


def write_cases(path, lines):
    with open(path, "w", encoding="ascii") as out:
        out.write(json.dumps({"source": "tensorflow-cpu " + tf.__version__}) + "\n")
        out.write("\n".join(lines) + "\n")
    print(f"{os.path.basename(path)}: {len(lines)} cases, {os.path.getsize(path)} bytes")


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, folder)
    modules = sys.argv[1:] or sorted(
        f[:-3] for f in os.listdir(os.path.join(folder, "families"))
        if f.endswith(".py") and f != "__init__.py")
    for module in modules:
        family = Family()
        importlib.import_module("families." + module).cases(family.case)
        if family.wrong:
            sys.exit("\n".join(family.wrong))
        write_cases(os.path.join(folder, module + ".jsonl"), family.lines)


if __name__ == "__main__":
    sys.modules["make_cases"] = sys.modules["__main__"]
    main()
