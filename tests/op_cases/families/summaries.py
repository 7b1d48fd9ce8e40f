# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of serialized summaries: numbers, distributions, images, sounds and
tensors."""

import numpy as np
import tensorflow as tf
from make_cases import Ramp

INF, NAN = float("inf"), float("nan")
NUMBERS = ("float32 float64 int32 uint8 int16 int8 int64 uint16 float16 uint32 "
           "uint64").split()
BFLOAT16 = tf.bfloat16.as_numpy_dtype
METADATA = tf.compat.v1.SummaryMetadata(
    plugin_data={"plugin_name": "text", "content": b"\0x"}, display_name="shown",
    summary_description="what").SerializeToString()


def text(*values):
    return np.array(values, object)


def scalar(value):
    return np.array(value, object)


def summary(*values):
    return tf.compat.v1.Summary(value=[
        tf.compat.v1.Summary.Value(**value) for value in values]).SerializeToString()


def scalars(case):
    for dtype in NUMBERS + [BFLOAT16]:
        name = np.dtype(dtype).name
        case("ScalarSummary", name, scalar(b"loss"), np.array(100, dtype))
        case("ScalarSummary", "several " + name, text(b"a", b"b"),
             np.array([1, 7], dtype))
    case("ScalarSummary", "special", text(b"a", b"b", b"c"),
         np.array([INF, -INF, NAN]))
    case("ScalarSummary", "beyond float", scalar(b"a"), np.array(1e300))
    case("ScalarSummary", "rounded", scalar(b"a"), np.array(2**63 - 1, np.int64))
    case("ScalarSummary", "none", np.zeros([0], object), np.zeros([0]))
    case("ScalarSummary", "of no name", scalar(b""), np.array(0.0))
    case("ScalarSummary", "a value for a vector of tags", text(b"a"), np.array(1.0),
         text="tags and values are not the same shape: [1] != [] (tag 'a')")
    case("ScalarSummary", "fewer tags", text(b"a", b"b"), np.zeros([3]),
         text="tags and values are not the same shape: [2] != [3]")


def histograms(case):
    for dtype in NUMBERS + [BFLOAT16]:
        case("HistogramSummary", np.dtype(dtype).name, scalar(b"h"),
             np.array([[0, 1, 2], [100, 100, 7]], dtype))
    case("HistogramSummary", "both signs", scalar(b"h"),
         np.array([-1e30, -3.5, -1.0, -1e-13, 0, -0.0, 1e-12, 1.1e-12, 1.0, 1e20, 1e300]))
    case("HistogramSummary", "largest", scalar(b"h"),
         np.array([-1.7976931348623157e308, 1.79e308]))
    case("HistogramSummary", "at the limits", scalar(b"h"), np.array(
        [1e-12 * 1.1 ** i for i in range(0, 770, 70)]))
    case("HistogramSummary", "none", scalar(b"h"), np.zeros([0, 3], np.float32))
    case("HistogramSummary", "of a number", scalar(b"h"), np.float32(0.25))
    for name, value, error in (("nan", NAN, "Nan in summary histogram for: "),
                               ("infinity", -INF, "Infinity in Histogram for: ")):
        case("HistogramSummary", name, scalar(b"h"), np.array([1, value], np.float32),
             text=error)
    case("HistogramSummary", "vector of tags", text(b"h"), np.zeros([1]),
         text="tags must be scalar")


def tensors(case):
    values = [(np.dtype(d).name, np.array([[1, 2], [3, 100]], d))
              for d in NUMBERS + [BFLOAT16, "complex64", "complex128", "bool"]]
    values += [("string", text(b"", b"a\0b")), ("scalar", np.array(7, np.int32)),
               ("empty", np.zeros([0, 3], np.float32)), ("no string", np.zeros([0], object))]
    for name, value in values:
        case("TensorSummaryV2", name, scalar(b"t"), value, scalar(METADATA))
        case("TensorSummary", name, value)
    one = np.array(1.0)
    case("TensorSummaryV2", "no metadata", scalar(b"t"), one, scalar(b""))
    case("TensorSummaryV2", "no such metadata", scalar(b"t"), one, scalar(b"\xff"))
    case("TensorSummaryV2", "vector of tags", text(b"t"), one, scalar(b""),
         text="tag must be scalar")
    case("TensorSummaryV2", "vector of metadata", scalar(b"t"), one, text(b""),
         text="serialized_summary_metadata must be scalar")


def merged(case):
    first = summary(dict(tag="a", simple_value=1), dict(tag="b", simple_value=2))
    second = summary(dict(tag="c", tensor=tf.make_tensor_proto([1, 2])))
    unnamed = summary(dict(node_name="n", tensor=tf.make_tensor_proto("x")))
    case("MergeSummary", "one", [scalar(first)])
    case("MergeSummary", "several", [scalar(first), text(second, unnamed, unnamed)])
    case("MergeSummary", "of nothing", [np.zeros([0], object), scalar(b"")])
    case("MergeSummary", "the same tag", [scalar(first), scalar(first)],
         text="Duplicate tag a found in summary inputs ")
    case("MergeSummary", "no summary", [scalar(first), scalar(b"\x0a\xff")],
         text="Could not parse one of the summary inputs")


def images(case):
    grey = np.arange(24, dtype=np.uint8).reshape(2, 3, 4, 1) * 10
    case("ImageSummary", "grey", scalar(b"i"), grey)
    for name, channels in (("colors", 3), ("transparent", 4)):
        pixels = (np.arange(5 * 6 * channels) * 37 % 256).astype(np.uint8)
        case("ImageSummary", name, scalar(b"i"), pixels.reshape(1, 5, 6, channels),
             max_images=1)
    case("ImageSummary", "first", scalar(b"i"), grey, max_images=1)
    case("ImageSummary", "first of two", scalar(b"i"), grey[:1], max_images=2)
    case("ImageSummary", "none", scalar(b"i"), grey[:0])
    for dtype in ("float16", "float32", "float64"):
        for name, values in (
                ("positive", np.linspace(0.3, 7.7, 18)),
                ("signed", np.linspace(-3.1, 7.7, 18)),
                ("negative", np.linspace(-9.3, -0.1, 18)),
                ("black", np.full([18], 1e-7)),
                ("not finite", np.array([NAN, 1, 2, 3, INF, 5] + [-1.5] * 6 + [4] * 6))):
            case("ImageSummary", name + " " + dtype, scalar(b"i"),
                 values.astype(dtype).reshape(1, 2, 3, 3),
                 bad_color=np.array([1, 2, 3], np.uint8))
    case("ImageSummary", "all nan", scalar(b"i"), np.full([1, 1, 2, 1], NAN))
    case("ImageSummary", "beyond float", scalar(b"i"),
         np.array([1e300, 0, 2, 1]).reshape(1, 2, 2, 1))
    refused = np.zeros([1, 2, 2, 3], np.float32)
    case("ImageSummary", "two channels", scalar(b"i"), refused[..., :2],
         text="Tensor must be 4-D with last dim 1, 3, or 4, not [1,2,2,2]")
    case("ImageSummary", "no batch", scalar(b"i"), refused[0],
         text="Tensor must be 4-D with last dim 1, 3, or 4, not [2,2,3]")
    case("ImageSummary", "no pixels", scalar(b"i"), refused[:, :0],
         text="input tensor must have non-zero dims. Found: [1, 0, 2, 3].")
    case("ImageSummary", "vector of tags", text(b"i"), refused,
         text="Tags must be a scalar")
    case("ImageSummary", "short color", scalar(b"i"), refused,
         bad_color=np.array([1, 2], np.uint8),
         text="expected depth <= bad_color.size, got depth = 3, bad_color.size = 2")
    case("ImageSummary", "color of int32", scalar(b"i"), refused,
         bad_color=np.array([1, 2, 3], np.int32), text="bad_color must be uint8, got int32")
    case("ImageSummary", "matrix of colors", scalar(b"i"), refused,
         bad_color=np.zeros([1, 4], np.uint8),
         text="bad_color must be a vector, got shape [1,4]")


def sounds(case):
    wave = np.array([[0, 0.5, -0.5, 1, -1, 2, -2, NAN, INF, 1e-5, 0.99999]], np.float32)
    rate = np.float32(44100)
    # TensorFlow refuses AudioSummary in new graphs, so AudioSummaryV2 computes
    # the expected value.
    mono = tf.raw_ops.AudioSummaryV2(tag=b"s", tensor=wave, sample_rate=8000.0).numpy()
    case.__self__.given("AudioSummary", "mono", [scalar(b"s"), wave], [scalar(mono)],
                        sample_rate=8000.0)
    case("AudioSummaryV2", "mono", scalar(b"s"), wave, rate)
    stereo = np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 4, 2)
    case("AudioSummaryV2", "stereo", scalar(b"s"), stereo, rate)
    case("AudioSummaryV2", "one", scalar(b"s"), stereo, rate, max_outputs=1)
    case("AudioSummaryV2", "two", scalar(b"s"), stereo, rate, max_outputs=2)
    case("AudioSummaryV2", "low rate", scalar(b"s"), wave, np.float32(0.25))
    case("AudioSummaryV2", "half a rate", scalar(b"s"), wave, np.float32(2.5))
    case("AudioSummaryV2", "silence", scalar(b"s"), wave[:, :0], rate)
    case("AudioSummaryV2", "none", scalar(b"s"), stereo[:0], rate)
    case("AudioSummaryV2", "rate in a vector", scalar(b"s"), wave, np.array([2], np.float32))
    case("AudioSummaryV2", "no channel", scalar(b"s"), np.zeros([1, 2, 0], np.float32),
         rate, text="audio is null")
    case("AudioSummaryV2", "neither frame nor channel", scalar(b"s"),
         np.zeros([1, 0, 0], np.float32), rate,
         text="num_channels must be in (0, 2^16), got: 0")
    case("AudioSummaryV2", "channels", scalar(b"s"), Ramp("float32", (1, 1, 65536), 0, 0),
         rate, text="num_channels must be in (0, 2^16), got: 65536")
    case("AudioSummaryV2", "vector", scalar(b"s"), wave[0], rate,
         text="Tensor must be 3-D or 2-D, got: [11]")
    case("AudioSummaryV2", "vector of tags", text(b"s"), wave, rate,
         text="Tag must be a scalar")
    case("AudioSummaryV2", "rates", scalar(b"s"), wave, np.ones([2], np.float32),
         text="sample_rate must be rank-0 or contain a single value")
    case("AudioSummaryV2", "no rate", scalar(b"s"), wave, np.float32(0),
         text="sample_rate must be > 0")
    case("AudioSummaryV2", "too high a rate", scalar(b"s"), wave, np.float32(2**33),
         text="sample_rate must be in (0, 2^32), got: 8589934592")


def cases(case):
    for family in (scalars, histograms, tensors, merged, images, sounds):
        family(case)
