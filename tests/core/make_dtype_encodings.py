#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes dtype_encodings.h, a table of TensorFlow's dtypes.

For each dtype whose elements are plain bytes, the table has a tensor in two forms: the
message that TensorFlow's Python makes of the tensor, and the bytes of its elements in
memory. The bytes are those that TensorFlow's Const returns for the message. The program
checks that Const returns the same bytes if they are in tensor_content, where Leat writes
them.

This program is run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. The
header is committed beside this file.
"""

import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np  # pylint: disable=wrong-import-position
import tensorflow as tf  # pylint: disable=wrong-import-position
from tensorflow.core.framework import tensor_pb2  # pylint: disable=wrong-import-position
from tensorflow.core.framework import types_pb2  # pylint: disable=wrong-import-position

tf1 = tf.compat.v1
OBJECTS = ("string", "resource", "variant")


def values(dtype):
    """Returns two values that fit all dtypes of this kind, even those of 4 bits."""
    if dtype.name == "bool":
        return [True, False]
    if dtype.is_complex:
        return [1.5 - 2j, -0.5j]
    if dtype.is_floating:
        return [1.5, -2]
    if dtype.name.startswith(("u", "quint")):
        return [15, 8]
    return [-8, 7]


def message(dtype):
    if dtype.is_quantized:  # the elements of such a NumPy array are tuples
        array = np.array([(v,) for v in values(dtype)], dtype.as_numpy_dtype)
        return tf.make_tensor_proto(array, dtype=dtype)
    return tf.make_tensor_proto(
        np.array(values(dtype)).astype(dtype.as_numpy_dtype), dtype=dtype)


def memory(proto):
    graph = tf1.GraphDef()
    node = graph.node.add(name="c", op="Const")
    node.attr["dtype"].type = proto.dtype
    node.attr["value"].tensor.CopyFrom(proto)
    with tf.Graph().as_default() as g:
        tf.import_graph_def(graph, name="")
        with tf1.Session(graph=g) as session:
            return session.run("c:0").tobytes()


def literal(digits):
    parts = [digits[i:i + 70] for i in range(0, len(digits), 70)] or [""]
    return "\n     ".join('"%s"' % part for part in parts)


def row(number):
    name = types_pb2.DataType.Name(number)[len("DT_"):].lower()
    dtype = tf.dtypes.as_dtype(number)
    encoded, content = b"", b""
    if name not in OBJECTS:
        proto = message(dtype)
        encoded, content = proto.SerializeToString(), memory(proto)
        again = tensor_pb2.TensorProto(dtype=number, tensor_shape=proto.tensor_shape,
                                       tensor_content=content)
        assert memory(again) == content, name
    texts = [literal(encoded.hex()), literal(content.hex())]
    return '    {%d, "%s", "%s",\n     %s},' % (number, name, dtype.name,
                                              ",\n     ".join(texts))


def main():
    numbers = [n for n in types_pb2.DataType.values() if 0 < n < 100]
    lines = ["// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0", "//",
             "// This table holds TensorFlow's dtypes and the encodings of two values of each",
             "// dtype. make_dtype_encodings.py wrote it with TensorFlow " + tf.__version__ + ".",
             "#ifndef LEAT_TESTS_CORE_DTYPE_ENCODINGS_H_",
             "#define LEAT_TESTS_CORE_DTYPE_ENCODINGS_H_", "", "namespace leat {", "",
             "struct DTypeEncoding {",
             "  int number;",
             "  const char* name;         // in messages of TensorFlow's C++",
             "  const char* python_name;  // tf.DType.name",
             "  // These are a TensorProto of two elements, and the bytes of the elements.",
             "  // Both are empty if the elements are objects.",
             "  const char* message_hex;",
             "  const char* bytes_hex;",
             "};", "",
             "// clang-format off",
              "inline constexpr DTypeEncoding kDTypeEncodings[] = {"]
    lines += [row(n) for n in sorted(numbers)]
    lines += ["};", "// clang-format on", "", "}  // namespace leat", "",
              "#endif  // LEAT_TESTS_CORE_DTYPE_ENCODINGS_H_", ""]
    (pathlib.Path(__file__).parent / "dtype_encodings.h").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
