# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of the names of checkpoint files, and of regular expressions."""

import numpy as np


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


def cases(case):
    for family in (sharded, regex):
        family(case)
