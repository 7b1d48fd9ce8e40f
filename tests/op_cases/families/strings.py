# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops on strings: the names of checkpoint files, regular expressions, parts,
hashes, cases and encodings."""

import functools

import numpy as np
import tensorflow as tf
from make_cases import WHOLE


def text(*values):
    return np.array(values, object)


def scalar(value):
    return np.array(value, object)


NAMES = text([b"", b"s3://bucket/x", b"model"], [b"file", b"a\0b", b"\xff\xfe"])


def sharded(case):
    count = np.array(12, np.int32)
    for shard in (0, 3, 11, 123456, -3):
        case("ShardedFilename", "shard %d" % shard, scalar(b"model"),
             np.array(shard, np.int32), count)
    case("ShardedFilename", "of no name", scalar(b""), np.array(1, np.int32), count)
    case("ShardedFilename", "vector", text(b"x"), np.array(1, np.int32), count)
    case("ShardedFilename", "vector of shards", scalar(b"x"),
         np.array([1], np.int32), count)
    case("ShardedFilename", "vector of counts", scalar(b"x"),
         np.array(1, np.int32), np.array([1], np.int32))
    case("ShardedFilespec", "pattern", scalar(b"a/b"), count)
    case("ShardedFilespec", "vector", text(b"x"), count)


def regex(case):
    for name, pattern in (("path", b"^s3://.*"), ("all", b".*"), ("nothing", b""),
                          ("class", b"[a-m]+"), ("alternatives", b"file|model"),
                          ("invalid", b"a(b"), ("any byte", b"(?s).\\C.")):
        case("RegexFullMatch", name, NAMES, scalar(pattern))
        case("StaticRegexFullMatch", name, NAMES, pattern=pattern.decode())
    case("RegexFullMatch", "vector of patterns", NAMES, text(b"a"))
    for name, pattern, rewrite in (
            ("each letter", b"[a-z]", b"<\\0>"), ("groups", b"(m)(o)", b"\\2\\1"),
            ("nothing", b"", b"-"), ("invalid", b"*", b""),
            ("no such group", b"m", b"\\1"), ("anchored", b"^f", b"F")):
        for all_of_them in (True, False):
            label = name + (" everywhere" if all_of_them else " once")
            case("RegexReplace", label, NAMES, scalar(pattern), scalar(rewrite),
                 replace_global=all_of_them)
            case("StaticRegexReplace", label, NAMES, pattern=pattern.decode(),
                 rewrite=rewrite.decode(), replace_global=all_of_them)
    case("RegexReplace", "vector of rewrites", NAMES, scalar(b"a"), text(b"b"))
    case("RegexReplace", "empty", np.zeros([0, 2], object), scalar(b"a"), scalar(b"b"))


WORDS = text(b"", b"abc", b"a string that is not short", b"\xc3\xa4\xc3\xb6\xc3\xbc",
             b"\xff", b"\xe2\x82", b"\x80\x80a", b"\xf0\x9f\x98\x80 x", b"a\0b")
EACH = [("words", WORDS), ("matrix", WORDS[:4].reshape(2, 2)), ("scalar", WORDS[1:2].reshape([])),
        ("none", WORDS[:0])]


def transforms(case):
    letters = text(*[w.encode() for w in (
        "aBc XYZ", "stra\u00dfe", "\u00c4\u00d6\u00fc", "\u03a3\u0391\u03a3", "\u0149", "\u0130I", "\ufb01",
        "\u03ac", "\u01c6", "i\u0307", "\u0390", "\U00010400\U00010428", "\u0131")])
    for name, strings in EACH + [("letters", letters)]:
        for op in ("StringLower", "StringUpper"):
            for encoding in ("", "utf-8"):
                case(op, "%s %s" % (name, encoding), strings, encoding=encoding)
        for unit in ("BYTE", "UTF8_CHAR"):
            case("StringLength", "%s in %s" % (name, unit), strings, unit=unit)
        case("StringStrip", name, strings)
        for pad in (False, True):
            case("EncodeBase64", name + (" padded" if pad else ""), strings, pad=pad)
    for encoding in ("latin", "UTF-8"):
        case("StringLower", encoding, letters, encoding=encoding)
        case("StringUpper", encoding, letters, encoding=encoding)
    case("StringStrip", "blanks", text(b" a b ", b"\t\n\v\f\rx\r", b" ", b"\xc2\xa0x", b"\0 "))
    for code in (b"", b"=", b"==", b"===", b"YQ", b"YQ==", b"YQ=", b"YQ===", b"YWI", b"YWI=", b"YWI==",
                 b"YWJj", b"YW", b"Y", b"YQ=Q", b"YQ==YQ==", b"-_8", b"+/8", b"YW I", b"YR", b"YWK",
                 b"aaaaa", b"=YQ", b"\xff\xff\xff\xff", b"\0aaa"):
        case("DecodeBase64", "%r" % code, scalar(code))
    case("DecodeBase64", "matrix", text([b"YQ", b"YWJj"], [b"X19fXw", b"-_8"]))
    case("DecodeBase64", "two wrong ones", text(b"YQ", b"Y", b"?"))


def hashes(case):
    strings = text(*[b"x" * n for n in (0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65,
                                        127, 128, 200, 1000)],
                   *[bytes(range(n)) for n in (5, 12, 20, 50, 70, 250)])
    for buckets in (1, 10, 2**31, 2**62, 2**63 - 1):
        for op in ("StringToHashBucket", "StringToHashBucketFast"):
            case(op, "into %d" % buckets, strings, num_buckets=buckets)
        case("StringToHashBucketStrong", "into %d" % buckets, strings, num_buckets=buckets,
             key=[123, -456])
    for op in ("StringToHashBucket", "StringToHashBucketFast"):
        case(op, "matrix", NAMES, num_buckets=1000)
        case(op, "none", WORDS[:0], num_buckets=1000)
    for key in ([], [1], [1, 2, 3], [0, 0]):
        case("StringToHashBucketStrong", "key %s" % key, NAMES, num_buckets=1000, key=key)


def splits(case):
    strings = text(b"a b  c", b"", b" x ", b"nothing", b"a,b;c,", b" \t\n\v\f\r", b"a<>b<><>",
                   b"a part that is not short, and b", b"\xc2\xa0 \0 ")
    for separator in (b" ", b"", b",;", b",", b"ab", b"<>", b"a b  c"):
        for skip in (True, False):
            case("StringSplit", "at %r%s" % (separator, "" if skip else ", all"), strings,
                 scalar(separator), skip_empty=skip)
        for most in (-5, -1, 0, 1, 2, 7):
            case("StringSplitV2", "at %r, %d times" % (separator, most), strings,
                 scalar(separator), maxsplit=most)
    for op in ("StringSplit", "StringSplitV2"):
        case(op, "none", strings[:0], scalar(b" "))
        case(op, "scalar", scalar(b"a b"), scalar(b" "))
        case(op, "matrix", text([b"a b"]), scalar(b" "))
        case(op, "two separators", strings, text(b" ", b","))


def substrings(case):
    def take(name, strings, position, length, **attrs):
        for dtype in (np.int32, np.int64):
            case("Substr", "%s %s" % (name, dtype.__name__), strings, np.array(position, dtype),
                 np.array(length, dtype), **attrs)
    for position in (0, 1, 3, 4, 5, -1, -3, -4, -5, 2**31 - 1, -2**31):
        for length in (0, 1, 2, 2**31 - 1, -1):
            for unit in ("BYTE", "UTF8_CHAR"):
                take("%d+%d %s" % (position, length, unit), text(b"abcd", b"\xc3\xa4b\xc3\xb6d"),
                     position, length, unit=unit)
    for unit in ("BYTE", "UTF8_CHAR"):
        take("each " + unit, WORDS, [0, 1, 2, 1, 0, -1, 1, 0, 2], [0, 1, 20, 2, 1, 1, 1, 4, 9],
             unit=unit)
        take("of broken text " + unit, WORDS[4:7], 0, 1, unit=unit)
    take("rows", WORDS[1:4], [[1], [0]], [[2], [1]])
    take("columns", WORDS[1:3].reshape(2, 1), [0, 1, 2], [1, 2, 3])
    take("of a scalar", scalar(b"abcdef"), [0, 1, 2], [1, 2, 3])
    take("of a long scalar", scalar(b"a string that is long" * 3), [[0, 1, 2]], [[1, 2, 30]])
    take("of three axes", WORDS[1:3].reshape(1, 2, 1), 0, 1)
    take("same three axes", WORDS[1:3].reshape(1, 2, 1), [[[0], [1]]], [[[1], [2]]])
    take("none", WORDS[:0], 0, 1)
    take("other lengths", WORDS[:3], [0, 0, 0], [1, 1])
    take("shapes that do not fit", WORDS[:3], [0, 0], [1, 1])
    take("second one out of range", WORDS[:3], [0, 5, 9], [1, 1, 1])


def joins(case):
    letters = text(*[bytes([c]) for c in range(97, 121)])
    matrix, cube = letters[:6].reshape(2, 3), letters.reshape(2, 3, 4)
    for keep in (False, True):
        for axes in ([], [0], [1], [-1], [0, 1], [1, 0], [-1, -2], 1, 2, -3, [0, 0], [0, -2],
                     [[0]], [0, 5]):
            case("ReduceJoin", "matrix %s %s" % (axes, keep), matrix, np.array(axes, np.int32),
                 keep_dims=keep, separator="-")
        for axes in ([0], [1], [2], [0, 2], [2, 0], [1, 0, 2]):
            case("ReduceJoin", "cube %s %s" % (axes, keep), cube, np.array(axes, np.int32),
                 keep_dims=keep)
    case("ReduceJoin", "scalar", scalar(b"a"), np.array([], np.int32))
    case("ReduceJoin", "axis of a scalar", scalar(b"a"), np.array(0, np.int32))
    for axis in (0, 1):
        case("ReduceJoin", "of no columns %d" % axis, np.zeros([2, 0], object),
             np.array(axis, np.int32), separator="x")
    case("ReduceJoin", "long ones", WORDS, np.array([0], np.int32), separator=" and ")


def formats(case):
    count = np.arange(14, dtype=np.int32)
    tensors = {"vector": count[:7], "matrix": count.reshape(7, 2), "cube": count[:8].reshape(2, 2, 2),
               "tall cube": np.arange(60).reshape(5, 4, 3), "empty": count[:0],
               "empty matrix": np.zeros([2, 0]), "scalar": np.float32(1.5),
               "string": scalar(b'a"\n\xff'), "strings": text(b"a", b"b'"),
               "bools": np.array([True, False])}
    for name, tensor in tensors.items():
        for most in (-1, 0, 1, 2, 3, 100):
            case("StringFormat", "%s %d" % (name, most), [tensor], template="<%s>", summarize=most)
    for name in ("int8 uint8 int16 uint16 int64 uint64 uint32 float16 float64 complex64 "
                 "complex128").split():
        case("StringFormat", name, [np.array([1, 2], name)])
    case("StringFormat", "bfloat16", [np.array([1.5], tf.bfloat16.as_numpy_dtype)])
    case("StringFormat", "floats", [np.array([1, 2.5, 1e30, np.nan, np.inf, 1 / 3], np.float32)],
         summarize=9)
    case("StringFormat", "doubles", [np.array([0.1, 1e300, 1 / 3])])
    case("StringFormat", "two", [np.float32(1.5), scalar(b"%s")], template="%s and %s")
    case("StringFormat", "another placeholder", [count[:1]], template="a {} %s", placeholder="{}")
    case("StringFormat", "none", [], template="abc", T=[])
    case("StringFormat", "few", [count], template="%s %s")
    case("StringFormat", "many", [count, count], template="%s")


def cases(case):
    for family in (sharded, regex):
        family(case)
    case = functools.partial(case, text=WHOLE)
    for family in (transforms, hashes, splits, substrings, joins, formats):
        family(case)
