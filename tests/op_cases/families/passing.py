# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops that pass values on, say whether there is a value, or check
values. Also has cases of constants, of the ops that compute the inputs of stateless
random ops, and of casts that truncate."""

import numpy as np
import tensorflow as tf

from make_cases import Ramp

INF, NAN = float("inf"), float("nan")
BFLOAT16 = tf.bfloat16.as_numpy_dtype


def tensors():
    """Yields (name, value) for values of all dtypes and of shapes of every kind."""
    for dtype in (np.float16, BFLOAT16, np.float32, np.float64):
        yield tf.as_dtype(dtype).name, np.array([0.0, -0.0, 1.5, INF, NAN], dtype)
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
                  np.uint32, np.uint64):
        limits = np.iinfo(dtype)
        yield tf.as_dtype(dtype).name, np.array([limits.min, 0, limits.max], dtype)
    yield "bool", np.array([[True, False]])
    yield "complex64", np.array([1.5 - 2j], np.complex64)
    yield "string", np.array([b"", b"text"], object)
    yield "scalar", np.array(3.0, np.float32)
    yield "empty", np.zeros([0, 3], np.float32)


def passing(case):
    for name, value in tensors():
        case("Identity", name, value)
        case("StopGradient", name, value)
        case("PreventGradient", name, value)
        case("PlaceholderWithDefault", name, value, shape=None)
    for op in ("Identity", "StopGradient", "PreventGradient"):
        large = Ramp(np.int32, [300, 400])  # written as a ramp, not as values
        case.__self__.given(op, "large", [large], [large])
    case("IdentityN", "one", [np.array([1, 2])])
    case("IdentityN", "of several types", [np.array(1.5, np.float32),
                                           np.array([b"x"], object),
                                           np.zeros([0], np.int64)])
    case("LoopCond", "true", np.array(True))
    case("LoopCond", "false", np.array(False))


def nothing(case):
    case("Assert", "of what is true", np.array(True), [np.array(1.5, np.float32)])
    case("NoOp", "has no outputs")
    case("ControlTrigger", "has no outputs")


def constants(case):
    for name, value in tensors():
        array = np.asarray(value)
        dtype = tf.string if array.dtype == object else tf.as_dtype(array.dtype)
        # Eager execution computes the results of the other cases, but it has no
        # Const.
        case.__self__.given("Const", name, [], [array], value=array, dtype=dtype)


def checks(case):
    for dtype in (np.float16, BFLOAT16, np.float32, np.float64):
        name = tf.as_dtype(dtype).name
        case("CheckNumerics", name, np.array([[0, -1.5], [2, 3]], dtype),
             message="x")
        case("CheckNumerics", name + " with NaN", np.array([1, NAN], dtype),
             message="loss", text="loss : Tensor had NaN values")
        case("CheckNumerics", name + " with infinity", np.array([-INF], dtype),
             message="loss", text="loss : Tensor had Inf values")
        case("CheckNumerics", name + " with +infinity", np.array([INF], dtype),
             message="loss", text="loss : Tensor had Inf values")
    case("CheckNumerics", "all kinds", np.array([INF, NAN, -INF], np.float32),
         message="loss", text="loss : Tensor had Inf and NaN values")
    case("CheckNumerics", "scalar", np.array(1, np.float32), message="x")
    case("CheckNumerics", "empty", np.zeros([0], np.float32), message="x")
    large = Ramp(np.float32, [300, 400])
    case.__self__.given("CheckNumerics", "large", [large], [large], message="x")


def truth(case):
    for dtype in (np.float32, np.float64, np.int8, np.int16, np.int32, np.int64,
                  np.uint8, bool):
        name = tf.as_dtype(dtype).name
        for value in (0, 1):
            case("ToBool", f"{name} {value}", np.array(value, dtype))
    for value in (-0.0, NAN, INF, 1e-30):
        case("ToBool", f"float {value}", np.array(value, np.float32))
    case("ToBool", "text", np.array(b"0", object))
    case("ToBool", "empty text", np.array(b"", object))
    case("ToBool", "vector", np.zeros([2], np.int32))
    case("ToBool", "empty", np.zeros([0], np.int32))
    case("ToBool", "half", np.array(1, np.float16), text="")


def keys(case):
    case("StatelessRandomGetAlg", "is Philox")
    for name, seed in (("int32", np.array([7, -3], np.int32)),
                       ("int64", np.array([1 << 40, -1], np.int64)),
                       ("zero", np.array([0, 0], np.int32))):
        case("StatelessRandomGetKeyCounter", name, seed)
    case("StatelessRandomGetKeyCounter", "of three", np.array([1, 2, 3]),
         text="seed must have shape [2]")
    case("StatelessRandomGetKeyCounter", "scalar", np.array(1),
         text="seed must have shape [2]")


def casts(case):
    numbers = [0.0, -0.0, 1.0, 1 / 3, -2 / 3, 0.1, 1e-8, 6e-8, -65504, 65519, 65520,
               1e9, 3.39e38, 1.0000001, INF, -INF, NAN]
    for source in (np.float32, np.float64, np.complex64, np.complex128):
        for target in (np.float16, BFLOAT16, np.float32, np.complex64, np.int32):
            if np.dtype(source) == np.dtype(target):
                continue
            if source == np.float64 and target == np.complex64:
                # TensorFlow's result is wrong. For example, 1.0 becomes 0.5,
                # because the cast drops an exponent bit.
                continue
            values = numbers
            if target == np.int32:
                values = [0.0, 1.9, -1.9, 1e6]
            value = np.array(values).astype(source)
            if np.issubdtype(source, np.complexfloating):
                value.imag = values[::-1]
            case("Cast", f"{tf.as_dtype(source).name} to "
                 f"{tf.as_dtype(target).name} truncated", value, DstT=target,
                 Truncate=True, tolerance=0.0)
    case("Cast", "half to float truncated", np.array([0.1], np.float16),
         DstT=np.float32, Truncate=True, tolerance=0.0)
    case("Cast", "empty truncated", np.zeros([0, 2], np.float32), DstT=np.float16,
         Truncate=True)
    case("Cast", "scalar truncated", np.array(0.1, np.float32), DstT=np.float16,
         Truncate=True, tolerance=0.0)
    case("Cast", "many truncated", Ramp(np.float32, [30, 40], 0.37, 1.13),
         DstT=BFLOAT16, Truncate=True, tolerance=0.0)


def cases(case):
    for family in (passing, nothing, constants, checks, truth, keys, casts):
        family(case)
