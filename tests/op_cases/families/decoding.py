# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops that turn strings into numbers and tensors, and back: CSV, raw and
compressed bytes, serialized tensors and the text of numbers."""

import functools
import gzip
import zlib

import numpy as np
import tensorflow as tf
from make_cases import WHOLE

BFLOAT16 = tf.bfloat16.as_numpy_dtype


def text(*values):
    return np.array(values, object)


def scalar(value):
    return np.array(value, object)


F, I = np.array([1.5], np.float32), np.array([7], np.int32)
L, D = np.array([8], np.int64), np.array([2.5])
S = text(b"a default that is long")
NO_F, NO_I, NO_S = F[:0], I[:0], S[:0]


def csv(case):
    def decode(name, records, *defaults, **attrs):
        case("DecodeCSV", name, np.array(records, object), list(defaults), **attrs)
    decode("three types", [b"1,2,x", b'3,-4,"y"'], F, I, S)
    decode("five types", [b"1,2,3,4,x", b",,,,"], F, D, I, L, S)
    decode("matrix", [[b"1,2", b"3,4"]], I, L)
    decode("scalar", b"1,2", I, L)
    decode("no records", np.zeros([0, 3], object), I)
    decode("many", [b"%d,name %d" % (i, i * i) for i in range(300)], I, S)
    for name, record in (("float", b",1,x"), ("int", b"1,,x"), ("string", b"1,1,"),
                         ("quoted string", b'1,1,""')):
        decode("without required " + name, [b"1,1,x", record], NO_F, NO_I, NO_S)
    decode("few fields", [b"1,2,3", b"1,2"], I, I, I)
    decode("many fields", [b"1,2,3,4"], I, I, I)
    decode("empty line", [b""], S)
    for name, value in (("x", b"x"), ("large", b"99999999999"), ("hex", b"0x10"),
                        ("plus", b"+5"), ("zero", b"-0"), ("blanks", b" 5 "), ("real", b"1.5"),
                        ("quoted", b'" 5"'), ("empty quotes", b'""')):
        for kind, default in (("int32", I), ("int64", L), ("float", F), ("double", D)):
            decode("%s as %s" % (name, kind), [b"1", value], default)
    decode("special floats", [b"inf", b"-nan", b"1e400", b"1e-400", b"nan"], F)
    records = {
        "blanks": b" a ", "quotes": b'"a""b"', "delimiter": b'"a,b"', "line": b'"a\nb"',
        "quote inside": b'a"b', "text behind": b'"a"b', "open": b'"ab', "only a quote": b'"',
        "two quotes": b'""', "three quotes": b'"""', "four quotes": b'""""',
        "open at a quote": b'"a""', "cr": b"a\r", "lf": b"a\nb", "crlf": b'"a"\r\n'}
    for name, record in records.items():
        decode("quoting: " + name, [record], S)
        decode("no quoting: " + name, [record], S, use_quote_delim=False)
    decode("quoted and empty", [b'"a",'], S, S)
    decode("line in the middle", [b"a\n,b"], S, S)
    decode("semicolons", [b"a;b,c"], S, S, field_delim=";")
    decode("quotes that delimit", [b'a"b'], S, S, field_delim='"')
    decode("quotes that delimit first", [b'"b'], S, S, field_delim='"')
    decode("lines that delimit", [b"a\nb"], S, S, field_delim="\n")
    for delimiter in (";;", ""):
        decode("delimiter %r" % delimiter, [b"a;b"], S, S, field_delim=delimiter)
    decode("missing values", [b'NA,NA,"NA",NAN'], F, I, S, S, na_value="NA")
    decode("required and missing", [b"NA"], NO_S, na_value="NA")
    for columns in ([1, 3], [0], [3], [3, 1], [1, 1], [-1, 1], [1, 2, 3], [2, 9]):
        decode("columns %s" % columns, [b"1,2,3,4", b"5,6,7,8"],
               *[I] * (1 if len(columns) == 1 else 2), select_cols=columns)
    decode("bad field that is not selected", [b"x,2"], I, select_cols=[1])
    decode("two defaults", [b"1,2"], I, np.array([1, 2], np.int32))
    decode("matrix of defaults", [b"1,2"], I, I[None])
    decode("scalar default", [b","], I, I[0])


def raw(case):
    data = bytes(range(7, 39))
    for dtype in ("float16 float32 float64 int32 uint16 uint8 int16 int8 int64 complex64 "
                  "complex128 bool bfloat16").split():
        for little in (True, False):
            name = dtype + (" little" if little else " big")
            case("DecodeRaw", name, text([data, data[::-1]]), out_type=dtype,
                 little_endian=little)
            if dtype not in ("float16", "complex64", "complex128", "bool"):
                case("DecodePaddedRaw", name, text(data, data[:9], b"x", b""),
                     np.array(16, np.int32), out_type=dtype, little_endian=little)
    for name, strings in (("other sizes", text(b"abcd", b"efg")), ("no part", text(b"abc")),
                          ("empty", text(b"", b"")), ("none", text()),
                          ("scalar", scalar(b"abcd"))):
        case("DecodeRaw", name, strings, out_type="int16")
        for length in (4, 3, 1, 0, -2, 2**31 - 2):
            if length < 100 or not strings.size:
                case("DecodePaddedRaw", "%s to %d" % (name, length), strings,
                     np.array(length, np.int32), out_type="uint16")
    case("DecodePaddedRaw", "vector", text(b"abc"), np.array([4], np.int32),
         out_type="uint16")


def compressed(case):
    data = bytes(range(256)) * 4
    z, g = zlib.compress(data), gzip.compress(data, mtime=0)
    damaged = zlib.compressobj(zdict=b"hello")
    with_dictionary = damaged.compress(b"hello hello") + damaged.flush()
    for kind, good in (("ZLIB", z), ("GZIP", g)):
        for name, strings in (
                ("two", text(good, z if kind == "ZLIB" else g)), ("scalar", scalar(good)),
                ("twice", text(good + good)), ("text", text(b"abc")), ("nothing", text(b"")),
                ("none", text()), ("wrong sum", text(good[:-1] + b"\xff")),
                ("damaged", text(good, good[:20] + b"\xff\xff\xff" + good[23:])),
                ("dictionary", text(with_dictionary)), ("text behind", text(good + b"text")),
                ("other kind", text(g if kind == "ZLIB" else z)),
                ("large", text(zlib.compress(bytes(20000)) if kind == "ZLIB" else
                               gzip.compress(bytes(20000), mtime=0)))):
            case("DecodeCompressed", kind + " " + name, strings, compression_type=kind)
        for end in (1, 5, 20, 100, -4, -5, -9):
            case("DecodeCompressed", "%s cut at %d" % (kind, end), text(good[:end]),
                 compression_type=kind)
    case("DecodeCompressed", "as it is", text(b"abc", b"a string that is not short"))
    for kind in ("NONE", "SNAPPY", "zlib"):
        case("DecodeCompressed", kind, text(z), compression_type=kind)


def tensors(case):
    values = {
        "float32": [1.5, -2], "float64": [1.5], "float16": [1.5, 2], "int8": [-1, 2],
        "uint8": [1, 255], "int16": [-3], "uint16": [3], "int32": [[1, 2], [3, 4]],
        "uint32": [7], "int64": [1 << 40], "uint64": [1 << 63], "bool": [True, False],
        "complex64": [1 + 2j], "complex128": [1 - 2j]}
    arrays = {k: np.array(v, k) for k, v in values.items()}
    arrays["bfloat16"] = np.array([1.5], BFLOAT16)
    arrays.update({"strings": text(b"", b"ab", b"\xff\0"), "scalar": np.float32(3),
                   "scalar string": scalar(b"x"), "empty": np.zeros([2, 0], np.float32),
                   "no strings": np.zeros([0], object)})
    for name, array in arrays.items():
        case("SerializeTensor", name, array)
        dtype = tf.as_dtype(tf.string if array.dtype == object else array.dtype)
        data = tf.make_tensor_proto(array, dtype).SerializeToString()
        case("ParseTensor", name, scalar(data), out_type=dtype.name)
    one = tf.make_tensor_proto([1, 2]).SerializeToString()
    case("ParseTensor", "another type", scalar(one), out_type="float32")
    case("ParseTensor", "vector", text(one), out_type="int32")
    shape = b"\x12\4\x12\2\x08"
    for name, data, code in (
            ("text", b"abc", WHOLE), ("cut", one[:-2], WHOLE), ("nothing", b"", None),
            ("repeated", b"\x08\3" + shape + b"\5\x3a\1\7", WHOLE),
            ("of shape -1", b"\x08\3\x12\x0d\x12\x0b\x08" + b"\xff" * 9 + b"\1", None),
            # TensorFlow once ended the process for the next ones (CVE-2022-23571).
            ("of no type", b"\x08\0" + shape + b"\0", None),
            ("of type 127", b"\x08\x7f" + shape + b"\0", None),
            ("of a reference", b"\x08\x67" + shape + b"\1", None),
            ("of short content", b"\x08\3" + shape + b"\5\x22\2ab", None)):
        case("ParseTensor", name, scalar(data), out_type="int32",
             text=code or "Cannot parse tensor from proto")


def numbers(case):
    texts = [b"1", b" 2 ", b"1.5", b"1e3", b"0x1F", b"-0X1f", b"0x", b"0x1p4", b"inf", b"-INF",
             b"+inf", b"nan", b"-nan", b"Infinity", b"nan(1)", b"infx", b"i", b"", b" ", b"1x",
             b"+5", b"-5", b"+-5", b"--5", b"- 5", b"99999999999999999999", b"1e-400", b"1e400",
             b"-1e400", b".5", b"5.", b".", b"-", b"1_0", b"1,0", b"1f", b"1e", b"1e+",
             b"\t7\n", b"\x0b\x0c8\r", b"1\0", b"\0", b"2147483647", b"2147483648", b"-2147483648",
             b"-2147483649", b"9223372036854775807", b"9223372036854775808",
             b"-9223372036854775808", b"007", b"-0", b"16777217", b"3.4028236e38",
             b"1.17549435e-38", b"1e-46", b"0.1", b"123456789.123456789",
             b"1.000000000000000000000000000", b"1." + b"0" * 29, b"1." + b"0" * 30,
             b" " * 30 + b"1", b" " * 31 + b"1", b"1" * 31, b"1" * 32]
    for dtype in ("float32", "float64", "int32", "int64"):
        for value in texts:
            case("StringToNumber", "%r as %s" % (value, dtype), scalar(value),
                 out_type=dtype)
        case("StringToNumber", "matrix as " + dtype, text([b"1", b"-2"], [b"3", b"4"]),
             out_type=dtype)
        case("StringToNumber", "none as " + dtype, text(), out_type=dtype)
        case("StringToNumber", "two wrong ones as " + dtype, text(b"1", b"x", b"y"),
             out_type=dtype)


def as_string(case):
    reals = [1.5, -2.25, 1e20, 1e-20, np.inf, -np.inf, np.nan, -0.0, 0.1]
    arrays = {"float32": np.array(reals, np.float32), "float64": np.array(reals + [1e300]),
              "float16": np.array([1.5, 3.14159, 65504], np.float16),
              "bfloat16": np.array([1.5, 3.14159, 3e38], BFLOAT16),
              "complex64": np.array([1 + 2j, -1.5 - 0.25j], np.complex64),
              "complex128": np.array([1 + 2j, 1e300 - 0.25j])}
    for name, array in arrays.items():
        for attrs in ({}, {"precision": 2}, {"precision": 0}, {"scientific": True},
                      {"shortest": True}, {"scientific": True, "precision": 2},
                      {"shortest": True, "precision": 3}, {"width": 12},
                      {"width": 12, "fill": "0"}, {"width": 12, "precision": 1, "fill": "-"}):
            case("AsString", "%s %s" % (name, attrs), array, **attrs)
    for name in "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split():
        ends = np.array([np.iinfo(name).min, 5, np.iinfo(name).max], name)
        for attrs in ({}, {"width": 6}, {"width": 6, "fill": "0"}, {"fill": "+"}, {"precision": 3},
                      {"scientific": True}, {"shortest": True}):
            case("AsString", "%s %s" % (name, attrs), ends, **attrs)
    flags, strings = np.array([True, False]), text(b"", b"ab", b"a\0c", b"\xff",
                                                   b"a string that is long")
    for attrs in ({}, {"width": 7}, {"precision": 3}, {"scientific": True}, {"shortest": True}):
        case("AsString", "bools %s" % attrs, flags, **attrs)
        case("AsString", "strings %s" % attrs, strings, **attrs)
    # TensorFlow once gave the fill to printf without a check (CVE-2020-15203).
    for fill in ("0", "-", "+", " ", "#", "x", "%", "s", "n", "d", "*", ".", "00", "-0", "%s"):
        for name, array in (("floats", arrays["float32"][:2]), ("ints", np.array([5, -2])),
                            ("strings", strings), ("bools", flags)):
            case("AsString", "%s filled with %r" % (name, fill), array, width=9, fill=fill)
    for width in (-5, 0, 300):
        case("AsString", "width %d" % width, np.array([5.5, -2]), width=width)
    for precision in (-3, 400):
        case("AsString", "precision %d" % precision, np.array([0.1]), precision=precision)
    case("AsString", "both notations", np.array([1.5]), scientific=True, shortest=True)
    case("AsString", "matrix", np.array([[1, 2], [3, 4]]))
    case("AsString", "none", np.zeros([0, 2], np.float32))
    case("AsString", "scalar", np.int32(7))


def cases(case):
    case = functools.partial(case, text=WHOLE)
    for family in (csv, raw, compressed, tensors, numbers, as_string):
        family(case)
