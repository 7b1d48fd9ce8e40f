# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Ops that count values or find their bins, and cross products.

TensorFlow writes out of bounds for negative values in a matrix, which Leat refuses."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp
from families.moving import NUMBERS, f, i32, v

INF, NAN = np.inf, np.nan
KINDS = (np.int32, np.int64, np.float32, np.float64)
FOUR = np.int32(4)


def bincounts(case):
    for kind in KINDS:
        name, none = np.dtype(kind).name, np.zeros([0], kind)
        weights = np.array([1, 2, 3, 4], kind)
        case("Bincount", name, i32(1, 2, 2, 5), FOUR, none)
        case("Bincount", f"{name} weights", i32(1, 2, 2, 5), FOUR, weights)
        for binary in (False, True):
            for index in (np.int32, np.int64):
                tag = f"{name} {binary} {np.dtype(index).name}"
                values, attrs = np.array([1, 2, 2, 5], index), {"binary_output": binary}
                case("DenseBincount", tag, values, index(4), none, **attrs)
                case("DenseBincount", f"{tag} weights", values, index(4), weights, **attrs)
                case("DenseBincount", f"{tag} rows", values.reshape(2, 2), index(4), none, **attrs)
                case("DenseBincount", f"{tag} rows and weights", values.reshape(2, 2), index(4),
                     weights.reshape(2, 2), **attrs)
    none = f(0)
    case("Bincount", "nothing", i32(), FOUR, none)
    case("Bincount", "no bins", i32(1, 2), np.int32(0), none)
    case("Bincount", "matrix", i32(1, 2)[None], FOUR, f(2))
    case("Bincount", "large", Ramp(np.int32, [70, 90], modulus=37), np.int32(30), none)
    case("DenseBincount", "no columns", np.zeros([2, 0], np.int32), FOUR, none)
    case("DenseBincount", "no rows", np.zeros([0, 2], np.int32), FOUR, none)
    case("DenseBincount", "large", Ramp(np.int32, [70, 90], modulus=37), np.int32(30), none)
    for op in ("Bincount", "DenseBincount"):
        case(op, "negative", i32(1, -2), FOUR, none, text="Input arr must be non-negative!")
        case(op, "negative size", i32(1), -FOUR, none, text="size (-4) must be non-negative")
        case(op, "vector of sizes", i32(1), i32(4), none, text="Shape must be rank 0 but is rank 1")
        case(op, "no size", i32(1), i32(), none, text="Shape must be rank 0 but is rank 1")
    case("Bincount", "few weights", i32(1, 2), FOUR, f(1),
         text="Input indices and weights must have the same size.")
    shape = "`weights` must be the same shape as `arr` or a length-0 `Tensor`"
    case("DenseBincount", "few weights", i32(1, 2), FOUR, f(1), text=shape)
    case("DenseBincount", "deep weights", i32(1, 2), FOUR, f(1, 2), text=shape)
    case("DenseBincount", "volume", i32(1, 2)[None, None], FOUR, none,
         text="Shape must be at most rank 2 but is rank 3")


def buckets(case):
    bounds = [0.0, 3.0, 3.0, 10.0]
    for kind in KINDS:
        case("Bucketize", np.dtype(kind).name, np.array([[-5, 0, 1], [3, 9, 10]], kind),
             boundaries=bounds)
    case("Bucketize", "special", np.array([NAN, INF, -INF, -0.0], np.float32), boundaries=bounds)
    case("Bucketize", "no boundaries", f(2), boundaries=[])
    case("Bucketize", "nothing", f(0, 2), boundaries=bounds)
    case("Bucketize", "scalar", f(), boundaries=bounds)
    case("Bucketize", "rounded boundary", np.array([0.1, 0.2]), boundaries=[0.1])
    case("Bucketize", "large integer", np.array([16777217]), boundaries=[16777216.0])
    case("Bucketize", "large", Ramp(np.float32, [70, 90], -5, modulus=23), boundaries=bounds)
    case("Bucketize", "not sorted", f(2), boundaries=[3.0, 1.0], text="Expected sorted boundaries")


def histograms(case):
    op, five = "HistogramFixedWidth", np.int32(5)
    for kind in KINDS:
        for out in (tf.int32, tf.int64):
            case(op, f"{np.dtype(kind).name} {out.name}", np.array([-1, 0, 1, 2, 5, 15], kind),
                 np.array([0, 5], kind), np.int32(3), dtype=out)
    limits = f(2) - 1
    for name, values in (("matrix", f(2, 3)), ("nothing", f(0)), ("scalar", f()),
                         ("infinite", np.array([INF, -INF], np.float32))):
        case(op, name, values, 5 * limits, five)
    case(op, "wide range", f(2), np.array([-3e38, 3e38], np.float32), five)
    case(op, "large", Ramp(np.float32, [70, 90], -5, modulus=23), 5 * limits, five)
    order = "value_range should satisfy value_range[0] < value_range[1], but got '["
    for name, values, limit, bins, text in (
            ("reversed range", f(1), np.array([5, 0], np.float32), five, order + "5, 0]'"),
            ("empty range", f(1), np.zeros([2], np.float32), five, order + "0, 0]'"),
            ("NaN in the range", f(1), np.array([NAN, 5], np.float32), five, order + "nan, 5]'"),
            ("one limit", f(1), f(1), five, "value_range should be a vector of 2 elements."),
            ("matrix of limits", f(1), limits[None], five, "value_range should be a vector."),
            ("no bins", f(1), limits, np.int32(0), "nbins should be a positive number, but got '0'"),
            ("vector of bins", f(1), limits, i32(5), "nbins should be a scalar."),
            ("NaN", np.array([NAN], np.float32), limits, five,
             "Histogram values must not contain NaN")):
        case(op, name, values, limit, bins, text=text)


def crosses(case):
    for kind in NUMBERS:
        case("Cross", kind, v(kind, 2, 3), v(kind, 4, 3)[::2][::-1].copy())
    case("Cross", "special", np.array([NAN, INF, 1], np.float32), f(3))
    case("Cross", "nothing", f(0, 3), f(0, 3))
    case("Cross", "deep", f(2, 2, 3), -f(2, 2, 3)[::-1].copy())
    case("Cross", "large", Ramp(np.float32, [900, 3], modulus=7), Ramp(np.float32, [900, 3], modulus=11))
    three = "Cross-products are only defined for 3-element vectors."
    case("Cross", "two elements", f(2), f(2), text=three)
    case("Cross", "no elements", f(0), f(0), text=three)
    case("Cross", "other shape", f(1, 3), f(3), text="Both inputs must be of same shape: [1,3] vs. [3]")
    case("Cross", "scalars", f(), f(), text="Input must be at least 1D[]")


def cases(case):
    bincounts(case)
    buckets(case)
    histograms(case)
    crosses(case)
