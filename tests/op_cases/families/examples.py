# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops that parse serialized Examples, among them malformed ones."""

import functools

import numpy as np
import tensorflow as tf
from make_cases import WHOLE


def text(*values):
    return np.array(values, object)


def ints(*values):
    return np.array(values, np.int64)


NO_FLOATS, NO_TEXTS = np.array([], np.float32), text()


def field(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def feature(*values):
    """Returns a serialized Feature."""
    made = tf.train.Feature()
    if not values:
        return b"\x1a\0"  # an empty list of integers
    if isinstance(values[0], bytes):
        made.bytes_list.value.extend(values)
    elif isinstance(values[0], float):
        made.float_list.value.extend(values)
    else:
        made.int64_list.value.extend(values)
    return made.SerializeToString()


def entry(key, value):
    return field(1, field(1, key) + field(2, value))


def example(**features):
    """Returns a serialized Example. A feature is a tuple of values, or already
    serialized."""
    return field(1, b"".join(
        entry(key.encode(), value if isinstance(value, bytes) else feature(*value))
        for key, value in features.items()))


def parse(case, name, serialized, names=(), sparse=(), dense=(), ragged=()):
    """Adds a case of ParseExampleV2. `sparse` has pairs (key, type), `ragged` has
    triples (key, type, type of splits), and `dense` has triples (key, shape, default)."""
    serialized = np.array(serialized, object)
    case("ParseExampleV2", name, serialized, text(*names), text(*[k for k, _ in sparse]),
         text(*[k for k, _, _ in dense]), text(*[k for k, _, _ in ragged]),
         [d for _, _, d in dense], num_sparse=len(sparse),
         sparse_types=[t for _, t in sparse], dense_shapes=[s for _, s, _ in dense],
         ragged_value_types=[t for _, t, _ in ragged],
         ragged_split_types=[s for _, _, s in ragged])


FULL = example(a=(1, 2), b=(1.5,), c=(b"x", b"a string that is not short"))
OTHER = example(c=(b"",), a=(3, -4), d=(7.0,))
A2 = [(b"a", [2], ints())]


def kinds(case):
    case = functools.partial(parse, case)
    batch = [FULL, OTHER, b""]
    for name, serialized in (("batch", batch), ("one", FULL), ("vector of one", [FULL]),
                             ("nothing", [])):
        case("sparse of " + name, serialized, sparse=[
            (b"a", "int64"), (b"b", "float32"), (b"c", "string"), (b"z", "int64")])
        for splits in ("int32", "int64"):
            case("ragged %s of %s" % (splits, name), serialized, ragged=[
                (b"a", "int64", splits), (b"b", "float32", splits),
                (b"c", "string", splits)])
        case("dense of " + name, serialized, dense=[
            (b"a", [2], ints(8, 9)), (b"b", [], np.array(2.5, np.float32)),
            (b"z", [1, 1], text([b"a default value that is long"])[None][0])])
        case("padded of " + name, serialized, dense=[
            (b"a", [-1], ints(9)), (b"c", [-1], text(b"a padding that is long")),
            (b"b", [-1, 1], np.array([0.5], np.float32))])
        case("all of " + name, serialized, sparse=[(b"a", "int64")],
             ragged=[(b"c", "string", "int64")],
             dense=[(b"b", [1], np.array([2.5], np.float32))])
        case("none of " + name, serialized)
    case("padded rows", [example(a=(1, 2)), example(a=(3, 4, 5, 6)), example(b=(1.0,))],
         dense=[(b"a", [-1, 2], ints(9))])
    case("no elements", [example(a=())], dense=[(b"a", [0], ints())])
    case("names", batch, names=[b"n0", b"n1", b"n2"], sparse=[(b"a", "int64")])
    many = [example(a=tuple(range(i % 7)), c=(b"s%d" % i,) * (i % 3)) for i in range(200)]
    case("many", many, sparse=[(b"a", "int64")], ragged=[(b"c", "string", "int32")])


def errors(case):
    case = functools.partial(parse, case)
    float_a = example(a=(1.0, 2.0))
    for name, names in (("", ()), (", named", [b"n0", b"n1"])):
        case("missing" + name, [FULL, b""], names, dense=A2)
        case("wrong dense type" + name, [FULL, float_a], names, dense=A2)
        case("wrong sparse type" + name, [FULL, float_a], names, sparse=[(b"a", "int64")])
        case("too few" + name, [FULL, example(a=(1,))], names, dense=A2)
        case("malformed" + name, [FULL, b"\x0a\x05abc"], names, sparse=[(b"a", "int64")])
    case("wrong ragged type", [float_a], ragged=[(b"a", "string", "int32")])
    case("too many", [example(a=(1, 2, 3))], dense=A2)
    case("too many floats", [float_a], dense=[(b"a", [1], NO_FLOATS)])
    case("too many strings", [FULL], dense=[(b"c", [1], NO_TEXTS)])
    case("too few strings", [FULL], dense=[(b"c", [3], NO_TEXTS)])
    case("no part of rows", [example(a=(1, 2, 3))], dense=[(b"a", [-1, 2], ints(9))])
    case("no part of rows of strings", [FULL], dense=[(b"c", [-1, 3], text(b""))])
    case("padding of two", [FULL], dense=[(b"a", [-1], ints(9, 9))])
    case("no padding", [FULL], dense=[(b"a", [-1], ints())])
    case("small default", [FULL], dense=[(b"a", [2], ints(1))])
    case("default of another rank", [FULL], dense=[(b"a", [2], ints([1, 2]))])
    case("unknown rank", [FULL], dense=[(b"a", None, ints())])
    case("unknown inner extent", [FULL], dense=[(b"a", [2, -1], ints())])
    case("two wrong ones", [float_a, b"\x0a\x05abc"], dense=A2)
    case("two missing ones", [b""], dense=[(b"y", [1], ints()), (b"x", [1], ints())])
    case("matrix", [[FULL]], sparse=[(b"a", "int64")])
    case("other number of names", [FULL], [b"a", b"b"], sparse=[(b"a", "int64")])
    case("a name for a scalar", FULL, [b"a"], sparse=[(b"a", "int64")])
    one = (("missing", b"", A2, []), ("wrong dense type", float_a, A2, []),
           ("wrong sparse type", float_a, [], [(b"a", "int64")]),
           ("malformed", b"\x0a\x05abc", [], [(b"a", "int64")]),
           ("too few", example(a=(1,)), A2, []),
           ("too many strings", FULL, [(b"c", [1], NO_TEXTS)], []),
           ("no part of rows", example(a=(1, 2, 3)), [(b"a", [-1, 2], ints(9))], []))
    for name, serialized, dense, sparse in one:
        case(name + " in one", serialized, dense=dense, sparse=sparse)


def wire_forms(case):
    """Has Examples that no program writes in this form."""
    case = functools.partial(parse, case)
    unpacked = b"\x1a\x04\x08\1\x08\2"
    features = {
        "unpacked": unpacked, "two lists": unpacked + unpacked,
        "unpacked and packed": b"\x1a\x06\x08\1\x0a\2\3\4",
        "packed twice": b"\x1a\x08\x0a\2\1\2\x0a\2\3\4",
        "unknown field in the list": b"\x1a\x04\x10\1\x08\2",
        "unknown field": b"\x20\5" + unpacked, "unknown field behind": unpacked + b"\x20\5",
        "floats first": feature(1.0) + unpacked, "floats behind": unpacked + feature(1.0),
        "cut number": b"\x1a\3\x0a\1\x80", "cut list": b"\x1a\3\x0a\2\x80",
        "number beyond": b"\x1a\2\x08\x80",
        "number of 11 bytes": b"\x1a\x0d\x0a\x0b" + b"\xff" * 10 + b"\1",
        "smallest number": b"\x1a\x0c\x0a\x0a\x80" + b"\x80" * 8 + b"\1",
        "empty packed": b"\x1a\2\x0a\0", "nothing": b"", "only a tag": b"\x1a",
        "group": b"\x1b", "field 5": b"\x2a\0",
        "floats cut": b"\x12\5\x0a\3\0\0\0", "unpacked floats": b"\x12\5\x0d\0\0\x80\x3f",
        "unpacked floats cut": b"\x12\4\x0d\0\0\x80", "string cut": b"\x0a\3\x0a\5x",
    }
    types = {"floats cut": "float32", "unpacked floats": "float32",
             "unpacked floats cut": "float32", "string cut": "string"}
    for name, data in features.items():
        kind = types.get(name, "int64")
        case(name, [example(a=data)], sparse=[(b"a", kind)])
        case("not used: " + name, [example(b=data)], sparse=[(b"a", kind)])
        default = {"int64": ints(), "float32": NO_FLOATS, "string": NO_TEXTS}[kind]
        if name != "number of 11 bytes":  # is counted before it is read
            case("dense: " + name, [example(a=data)], dense=[(b"a", [2], default)])
        case("one: " + name, example(a=data), ragged=[(b"a", kind, "int32")])
    good = entry(b"a", feature(1, 2))
    examples = {
        "key twice": field(1, good + entry(b"a", feature(5, 6))),
        "wrong first": field(1, entry(b"a", feature(1.0)) + good),
        "wrong second": field(1, good + entry(b"a", feature(1.0))),
        "two maps": field(1, good) + field(1, entry(b"a", feature(5))),
        "value first": field(1, field(1, field(2, feature(1)) + field(1, b"a"))),
        "no value": field(1, field(1, field(1, b"a"))),
        "third field": field(1, field(1, field(1, b"a") + field(2, b"") + b"\x18\1")),
        "field 2 of the map": field(1, b"\x10\5" + good),
        "varint before": b"\x10\5" + field(1, good), "string before": field(2, b"x") + field(1, good),
        "fixed32 before": b"\x15\1\2\3\4" + field(1, good),
        "fixed64 before": b"\x11\1\2\3\4\5\6\7\x08" + field(1, good),
        "group before": b"\x13\x14" + field(1, good),
        "end of a group before": b"\x14" + field(1, good), "tag 0": b"\0" + field(1, good),
        "map as a varint": b"\x08\5" + field(1, good), "cut": field(1, good)[:-1],
    }
    for name, data in examples.items():
        case(name, [data], sparse=[(b"a", "int64")])
        case("one: " + name, data, sparse=[(b"a", "int64")])


def older(case):
    def version_1(name, serialized, names=(), sparse=(), dense=()):
        case("ParseExample", name, np.array(serialized, object), text(*names),
             [np.array(k, object) for k, _ in sparse],
             [np.array(k, object) for k, _, _ in dense], [d for _, _, d in dense],
             sparse_types=[t for _, t in sparse], dense_shapes=[s for _, s, _ in dense])
    sparse, dense = [(b"a", "int64"), (b"c", "string")], [(b"b", [1], np.float32([2.5]))]
    version_1("batch", [FULL, OTHER, b""], sparse=sparse, dense=dense)
    version_1("sparse", [FULL], sparse=sparse)
    version_1("dense", [FULL], dense=dense)
    version_1("nothing", [], sparse=sparse, dense=dense)
    version_1("scalar", FULL, sparse=sparse)
    version_1("matrix", [[FULL]], sparse=sparse)
    version_1("names", [FULL], [b"a", b"b"], sparse=sparse)
    version_1("missing", [FULL, b""], [b"a", b"b"], dense=A2)

    def single(name, serialized, sparse=(), dense=(), **attrs):
        attrs = {"num_sparse": len(sparse), "sparse_keys": [k.decode() for k, _ in sparse],
                 "dense_keys": [k.decode() for k, _, _ in dense],
                 "sparse_types": [t for _, t in sparse],
                 "dense_shapes": [s for _, s, _ in dense], **attrs}
        case("ParseSingleExample", name, np.array(serialized, object),
             [d for _, _, d in dense], **attrs)
    single("both", FULL, sparse, dense)
    single("sparse", OTHER, sparse)
    single("defaults", b"", sparse, dense)
    single("padded", FULL, dense=[(b"a", [-1], ints(0))])
    single("missing", FULL, dense=[(b"z", [1], ints())])
    single("vector", [FULL], sparse)
    single("one key", FULL, sparse, sparse_keys=["a"])
    single("three sparse ones", FULL, sparse, num_sparse=3)
    single("no dense key", FULL, dense=dense, dense_keys=[])
    single("two shapes", FULL, dense=dense, dense_shapes=[[1], [1]])


def cases(case):
    case = functools.partial(case, text=WHOLE)
    for family in (kinds, errors, wire_forms, older):
        family(case)
