#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes variant_encodings.h, tensors of variants as TensorFlow encodes them.

The program also checks that TensorFlow reads the same values from the field variant_val,
where Leat writes them.

This program is run by hand with a Python that has the tensorflow-cpu 2.15.1 wheel. The
header is committed beside this file. The comment of each tensor is the docstring of the
function that makes the tensor.
"""

import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # pylint: disable=wrong-import-position
from tensorflow.core.framework import tensor_pb2  # pylint: disable=wrong-import-position

raw = tf.raw_ops


def a_list():
    """The list has 3 elements of float[?,2]. Only the second, [[1,2]], is written."""
    made = raw.TensorListReserve(element_shape=[-1, 2], num_elements=3,
                                 element_dtype=tf.float32)
    return raw.TensorListSetItem(input_handle=made, index=1, item=[[1., 2.]],
                                 resize_if_index_out_of_bounds=False)


def bounded_list():
    """The list may have at most 5 strings of unknown shape. It has one, "a"."""
    made = raw.EmptyTensorList(element_shape=-1, max_num_elements=5,
                               element_dtype=tf.string)
    return raw.TensorListPushBack(input_handle=made, tensor="a")


def list_of_lists():
    """The list holds variants of unknown shape. It has one: the list of kAListHex."""
    made = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1,
                               element_dtype=tf.variant)
    return raw.TensorListPushBack(input_handle=made, tensor=a_list())


def some():
    """The optional holds the float 1 and the int32 vector [2,3]."""
    return raw.OptionalFromValue(components=[tf.constant(1.), tf.constant([2, 3])])


def none():
    """The optional has no value."""
    return raw.OptionalNone()


def two_lists():
    """The vector holds the lists of kAListHex and kBoundedListHex."""
    return tf.stack([a_list(), bounded_list()])


def take_varint(content):
    value, shift = 0, 0
    while True:
        byte, content = content[0], content[1:]
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, content


def as_values(message):
    """Returns the same tensor with its values in variant_val."""
    result = tensor_pb2.TensorProto(dtype=message.dtype, tensor_shape=message.tensor_shape)
    count = 1
    for dim in message.tensor_shape.dim:
        count *= dim.size
    lengths, rest = [], message.tensor_content
    for _ in range(count):
        length, rest = take_varint(rest)
        lengths.append(length)
    for length in lengths:
        result.variant_val.add().ParseFromString(rest[:length])
        rest = rest[length:]
    return result


def main():
    lines = ["// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0", "//",
             "// These constants hold tensors of variants as TensorFlow encodes them.",
             "// make_variant_encodings.py wrote them with TensorFlow " + tf.__version__ + ".",
             "#ifndef LEAT_TESTS_CORE_VARIANT_ENCODINGS_H_",
             "#define LEAT_TESTS_CORE_VARIANT_ENCODINGS_H_", "", "namespace leat {", ""]
    for make in [a_list, bounded_list, list_of_lists, some, none, two_lists]:
        encoded = raw.SerializeTensor(tensor=make()).numpy()
        values = as_values(tensor_pb2.TensorProto.FromString(encoded)).SerializeToString()
        again = raw.SerializeTensor(tensor=tf.io.parse_tensor(values, tf.variant)).numpy()
        assert again == encoded, make.__name__
        name = "".join(w.capitalize() for w in make.__name__.split("_"))
        lines.append(f"// {make.__doc__}")
        lines.append(f"inline constexpr char k{name}Hex[] =")
        digits = encoded.hex()
        parts = [digits[i:i + 72] for i in range(0, len(digits), 72)]
        lines += [f'    "{p}"' for p in parts[:-1]] + [f'    "{parts[-1]}";', ""]
    lines += ["}  // namespace leat", "", "#endif  // LEAT_TESTS_CORE_VARIANT_ENCODINGS_H_", ""]
    (pathlib.Path(__file__).parent / "variant_encodings.h").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
