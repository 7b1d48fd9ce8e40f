#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes random_checksums.h, which has checksums of the numbers that
TensorFlow's seeded random ops draw.

Usage: make_random_checksums.py > random_checksums.h   (TensorFlow 2.15.1)

Each row has the CRC-32 of the bytes of three consecutive runs of one kernel.
"""
import zlib

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()
RAW = tf.raw_ops
SIZE = 100003
FLOATS = [tf.half, tf.bfloat16, tf.float32, tf.float64]
NAMES = {"float16": "kHalf", "bfloat16": "kBfloat16", "float32": "kFloat",
         "float64": "kDouble", "int32": "kInt32", "int64": "kInt64"}


def runs(build, count=3):
    with tf1.Graph().as_default():
        fetch = build()
        with tf1.Session() as session:
            return [session.run(fetch) for _ in range(count)]


def row(op, dtype, build):
    crcs = ", ".join("0x%08x" % zlib.crc32(np.ascontiguousarray(x).tobytes())
                     for x in runs(build))
    print('    {"%s", DType::%s, {%s}},' % (op, NAMES[dtype.name], crcs))


def main():
    print("// Copyright 2026 The Leat Authors. "
          "SPDX-License-Identifier: Apache-2.0")
    print("// Written by make_random_checksums.py with TensorFlow %s."
          % tf.__version__)
    print("#ifndef LEAT_TESTS_KERNELS_RANDOM_CHECKSUMS_H_")
    print("#define LEAT_TESTS_KERNELS_RANDOM_CHECKSUMS_H_\n")
    print("#include <cstdint>\n\n#include \"leat/core/dtype.h\"\n")
    print("namespace leat {\n")
    print("inline constexpr int64_t kRandomSize = %d;\n" % SIZE)
    print("struct RandomChecksum {\n  const char* op;\n  DType dtype;")
    print("  uint32_t crc[3];\n};\n")
    print("inline constexpr RandomChecksum kRandomChecksums[] = {")
    for op in ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"]:
        for dtype in FLOATS:
            row(op, dtype, lambda: getattr(RAW, op)(
                shape=[SIZE], dtype=dtype, seed=7, seed2=11))
    for dtype in [tf.int32, tf.int64]:
        row("RandomUniformInt", dtype, lambda: RAW.RandomUniformInt(
            shape=[SIZE], minval=tf.constant(-5, dtype),
            maxval=tf.constant(1000, dtype), seed=7, seed2=11))
    row("RandomShuffle", tf.int32, lambda: RAW.RandomShuffle(
        value=np.arange(SIZE, dtype=np.int32), seed=7, seed2=11))
    for op in ["StatelessRandomUniformV2", "StatelessRandomNormalV2",
               "StatelessTruncatedNormalV2"]:
        for dtype in FLOATS:
            def stateless():
                seed = tf.constant([7, 11], tf.int64)
                got = RAW.StatelessRandomGetKeyCounter(seed=seed)
                return getattr(RAW, op)(shape=[SIZE], key=got.key,
                                        counter=got.counter, alg=1,
                                        dtype=dtype)
            row(op, dtype, stateless)
    print("};\n\n}  // namespace leat\n")
    print("#endif  // LEAT_TESTS_KERNELS_RANDOM_CHECKSUMS_H_")


if __name__ == "__main__":
    main()
