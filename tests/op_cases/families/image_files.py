# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of ops that decode and encode image files. Other files than JPEG are made
byte by byte in made_images.py."""

import functools

import numpy as np
import tensorflow as tf
from made_images import bmp, gif, gif_frame, png, with_field
from make_cases import WHOLE

PALETTE = [30, 60, 90, 20, 10, 0, 200, 100, 50, 7, 8, 9]
DECODERS = "DecodeJpeg DecodePng DecodeGif DecodeBmp DecodeImage".split()


def scalar(value):
    return np.array(value, object)


def smooth(height, width, channels):
    """Returns an image with gradients and an edge."""
    y, x, c = np.mgrid[:height, :width, :channels]
    return ((x * 255 // max(width - 1, 1) * (c + 1) + y * 37 + 90 * (x > y)) % 256
            ).astype(np.uint8)


def jpeg(image, **attrs):
    return tf.raw_ops.EncodeJpeg(image=image, optimize_size=True, **attrs).numpy()


def with_four_components(data):
    """Makes a JPEG file of inks from two of one component each: four times the same
    scan, with a quantization table and Huffman tables in common."""
    frame = data.index(b"\xff\xc0")
    size = int.from_bytes(data[frame + 2:frame + 4], "big")
    head = data[frame + 4:frame + 9]
    four = b"".join(bytes([i + 1, 0x11, 0]) for i in range(4))
    new_frame = b"\xff\xc0" + (8 + 12).to_bytes(2, "big") + head + b"\4" + four
    scan = data.index(b"\xff\xda")
    begin = scan + 2 + int.from_bytes(data[scan + 2:scan + 4], "big")
    bits = data[begin:data.rindex(b"\xff\xd9")]
    scans = b"".join(b"\xff\xda\0\x08\1" + bytes([i + 1, 0, 0, 63, 0]) + bits
                     for i in range(4))
    tables = data[frame + 2 + size:scan]
    return data[:frame] + new_frame + tables + scans + b"\xff\xd9"


GREY = jpeg(smooth(9, 11, 1))
COLOR = jpeg(smooth(17, 19, 3))
PROGRESSIVE = jpeg(smooth(17, 19, 3), progressive=True)
INKS = with_four_components(GREY)
ADOBE = INKS[:2] + b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0" + INKS[2:]
FLAT_GIF = gif(3, 2, gif_frame(3, 2, [0, 1, 2, 3, 2, 1]), palette=PALETTE)
MOVING = gif(4, 3, gif_frame(4, 3, [0, 1, 2, 3] * 3),
             gif_frame(2, 1, [2, 0], left=1, top=1, transparent=0), palette=PALETTE)
FLAT_PNG = png([[1, 2, 3, 4, 5, 6]], 2, 1, 8, 2)
DEEP_PNG = png([[1000, 20000, 65535]], 3, 1, 16, 0)
FLAT_BMP = bmp(range(18), 3, 2, 3)
FILES = {"GIF": FLAT_GIF, "animation": MOVING, "BMP": FLAT_BMP, "PNG": FLAT_PNG,
         "JPEG": COLOR, "text": b"abcdefghijkl", "nothing": b"", "BM": b"BM"}


def formats(case):
    for name, data in FILES.items():
        for op in DECODERS:
            case(op, "of " + name, scalar(data))
            if name in ("GIF", "BMP", "PNG", "JPEG"):
                for channels in (1, 2, 3, 4):
                    if op != "DecodeGif":
                        case(op, "%s with %d channels" % (name, channels), scalar(data),
                             channels=channels)
        case("DecodeAndCropJpeg", "of " + name, scalar(data), np.array([0, 0, 1, 1], np.int32))
        case("ExtractJpegShape", "of " + name, scalar(data))
    for op in DECODERS:
        case(op, "vector", np.array([FLAT_PNG], object))
    for dtype in ("uint16", "float32"):
        for name in ("GIF", "animation", "BMP", "PNG", "JPEG"):
            case("DecodeImage", name + " as " + dtype, scalar(FILES[name]), dtype=dtype)
        case("DecodeImage", "deep PNG as " + dtype, scalar(DEEP_PNG), dtype=dtype)
    for dtype in ("uint8", "uint16"):
        case("DecodePng", "deep PNG as " + dtype, scalar(DEEP_PNG), dtype=dtype)
        case("DecodePng", "JPEG as " + dtype, scalar(GREY), dtype=dtype)
        case("DecodePng", "GIF as " + dtype, scalar(FLAT_GIF), dtype=dtype)
    for name in ("animation", "GIF", "PNG"):
        case("DecodeImage", name + " without animation", scalar(FILES[name]),
             expand_animations=False)


def jpegs(case):
    files = {"grey": GREY, "color": COLOR, "progressive": PROGRESSIVE, "inks": INKS,
             "Adobe": ADOBE, "one pixel": jpeg(smooth(1, 1, 3)),
             "whole chroma": jpeg(smooth(17, 19, 3), chroma_downsampling=False)}
    for name, data in files.items():
        for channels in (0, 1, 3):
            case("DecodeJpeg", "%s to %d" % (name, channels), scalar(data),
                 channels=channels)
        for ratio in (2, 4, 8):
            case("DecodeJpeg", "%s by %d" % (name, ratio), scalar(data), ratio=ratio)
        for method in ("INTEGER_FAST", "INTEGER_ACCURATE"):
            case("DecodeJpeg", name + " " + method, scalar(data), dct_method=method)
        case("DecodeJpeg", name + " not fancy", scalar(data), fancy_upscaling=False)
        case("ExtractJpegShape", name, scalar(data), output_type="int64")
        for rest in (0.3, 0.7):
            cut = data[:-int(len(data) * 0.1 * rest) - 2]
            label = "%s cut at %g" % (name, rest)
            case("DecodeJpeg", label, scalar(cut))
            case("DecodeJpeg", label + ", half", scalar(cut), acceptable_fraction=0.5)
            case("DecodeJpeg", label + ", recovered", scalar(cut),
                 try_recover_truncated=True)
    case("DecodeJpeg", "header only", scalar(COLOR[:200]), acceptable_fraction=0.)
    case("DecodeJpeg", "header only, recovered", scalar(COLOR[:200]),
         try_recover_truncated=True)
    case("ExtractJpegShape", "cut", scalar(COLOR[:20]))
    case("ExtractJpegShape", "vector", np.array([COLOR], object))
    case("DecodeJpeg", "bad ratio", scalar(COLOR), ratio=3)
    case("DecodeJpeg", "bad method", scalar(COLOR), dct_method="FLOAT")
    size = COLOR.index(b"\xff\xc0") + 5
    case("DecodeJpeg", "of no height", scalar(with_field(COLOR, size, ">H", 0)))
    case("DecodeJpeg", "too large", scalar(
        with_field(with_field(COLOR, size, ">H", 65000), size + 2, ">H", 65000)))


def crops(case):
    large = jpeg(smooth(40, 50, 3))
    inks = with_four_components(jpeg(smooth(40, 50, 1)))
    for name, data in (("color", large), ("grey", jpeg(smooth(40, 50, 1))),
                       ("progressive", jpeg(smooth(40, 50, 3), progressive=True)),
                       ("inks", inks)):
        for window in ([0, 0, 40, 50], [3, 5, 10, 12], [17, 33, 23, 17], [39, 49, 1, 1],
                       [0, 20, 40, 7]):
            case("DecodeAndCropJpeg", "%s %s" % (name, window), scalar(data),
                 np.array(window, np.int32))
    case("DecodeAndCropJpeg", "by 2", scalar(large), np.array([3, 5, 10, 12], np.int32),
         ratio=2)
    for window in ([0, 0, 0, 1], [-1, 0, 1, 1], [0, -1, 1, 1], [39, 49, 2, 1], [39, 49, 1, 2],
                   [0, 0, 41, 1], [0, 0, 1, 51], [0, 0, 2**31 - 1, 1],
                   [0, 0, 1], [0, 0, 1, 1, 1]):
        case("DecodeAndCropJpeg", "bad %s" % window, scalar(large),
             np.array(window, np.int32))
    case("DecodeAndCropJpeg", "scalar window", scalar(large), np.array(1, np.int32))


def pngs(case):
    rng = np.random.RandomState(7)
    for color, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)),
                          (4, (8, 16)), (6, (8, 16))):
        for depth in depths:
            channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
            most = min(1 << depth, 4 if color == 3 else 1 << 16)
            rows = rng.randint(0, most, [5, 5 * channels]).tolist()
            palette = PALETTE if color == 3 else b""
            trns = {0: b"\0\1", 2: b"\0\1\0\2\0\3", 3: b"\x80\0\x40"}.get(color, b"")
            for name, options in (("", {}), (" transparent", {"trns": trns}),
                                  (" interlaced", {"interlaced": True})):
                if name == " transparent" and not trns:
                    continue
                data = png(rows, 5, 5, depth, color, palette=palette, **options)
                for wanted in (0, 1, 3, 4):
                    case("DecodePng", "color %d, %d bits%s to %d" % (color, depth, name,
                                                                   wanted),
                         scalar(data), channels=wanted)
                for wanted in (0, 4):
                    case("DecodePng", "color %d, %d bits%s to %d of uint16" % (
                        color, depth, name, wanted), scalar(data), channels=wanted,
                         dtype="uint16")
    for end in (8, 20, 50, 60, -12, -13):
        case("DecodePng", "cut at %d" % end, scalar(FLAT_PNG[:end]))
    for width, height in ((30000, 30000), (2000000, 1), (1, 2000000), (0, 1), (1, 0)):
        case("DecodePng", "of %d x %d" % (width, height),
             scalar(png([[0]], width, height, 8, 2)))
    case("DecodePng", "bad checksum", scalar(FLAT_PNG[:45] + b"\xff" + FLAT_PNG[46:]))
    case("DecodePng", "no palette", scalar(png([[0]], 1, 1, 8, 3)))
    case("DecodePng", "outside of the palette", scalar(
        png([[0, 1, 2, 3]], 4, 1, 8, 3, palette=PALETTE[:6])))


def gifs(case):
    def square(**options):
        return gif_frame(2, 2, [0, 1, 2, 3], **options)
    files = {
        "own palette": gif(2, 2, square(palette=PALETTE)),
        "no palette": gif(2, 2, square()),
        "second without palette": gif(2, 2, square(palette=PALETTE), square()),
        "outside of the palette": gif(2, 2, square(palette=PALETTE[:6], bits=2)),
        "transparent": gif(2, 2, square(palette=PALETTE, transparent=1)),
        "moved": gif(4, 4, square(palette=PALETTE, left=1, top=1)),
        "moved away": gif(4, 4, square(palette=PALETTE, left=9, top=9)),
        "two sizes": gif(4, 4, square(), gif_frame(3, 1, [1, 2, 3], left=1),
                         palette=PALETTE),
        "interlaced": gif(1, 9, gif_frame(1, 9, [0, 1, 2, 3, 0, 1, 2, 3, 0],
                                          interlaced=True), palette=PALETTE),
        "no end": gif(2, 2, square(), palette=PALETTE, end=False),
        "text behind": gif(2, 2, square(), palette=PALETTE, end=False) + b"abc",
        "no frames": gif(2, 2, palette=PALETTE),
        "short": gif(2, 2, gif_frame(2, 2, [0, 1]), palette=PALETTE),
        "long": gif(2, 2, gif_frame(2, 2, [0, 1, 2, 3, 1, 1]), palette=PALETTE),
        "no width": gif(2, 2, gif_frame(0, 2, [0]), palette=PALETTE),
        "comment": gif(2, 2, b"\x21\xfe\2hi\0" + square(), palette=PALETTE),
        "many pixels": gif(60, 50, gif_frame(60, 50, (smooth(50, 60, 1).reshape(-1) % 4).tolist()),
                           palette=PALETTE),
    }
    for name, data in files.items():
        case("DecodeGif", name, scalar(data))
        case("DecodeImage", name, scalar(data), expand_animations=False)
    for end in (7, 20, 30, 40, -1, -5, -12):
        case("DecodeGif", "cut at %d" % end, scalar(MOVING[:end]))


def bmps(case):
    for channels, data in ((1, bmp([1, 2], 2, 1, 1)), (3, FLAT_BMP),
                           (4, bmp(range(8), 2, 1, 4))):
        for wanted in (0, 3, 4):
            case("DecodeBmp", "%d to %d" % (channels, wanted), scalar(data),
                 channels=wanted)
    files = {"top down": bmp(range(18), 3, -2, 3), "long": FLAT_BMP + b"x",
             "short": FLAT_BMP[:-1], "cut": FLAT_BMP[:31], "16 bits": bmp(range(18), 3, 2, 3, 16),
             "8 bits": bmp(range(18), 3, 2, 3, 8), "27 bits": bmp(range(18), 3, 2, 3, 27)}
    for place, form, values in ((18, "<i", (0, -3, 2**30, 2**31 - 1)),
                                (22, "<i", (0, 2**30, -2**31, 3)),
                                (10, "<i", (-1, 0, 2**31 - 1)), (28, "<h", (-8, 0, 64)),
                                (30, "<i", (1,))):
        for value in values:
            files["%d at %d" % (value, place)] = with_field(FLAT_BMP, place, form, value)
    for name, data in files.items():
        case("DecodeBmp", name, scalar(data))


def encoders(case):
    for channels in (1, 3):
        image = smooth(9, 11, channels)
        for name, attrs in (
                ("plain", {}), ("quality 0", {"quality": 0}), ("quality 40", {"quality": 40}),
                ("quality 100", {"quality": 100}), ("progressive", {"progressive": True}),
                ("optimized", {"optimize_size": True}),
                ("whole chroma", {"chroma_downsampling": False}),
                ("density", {"density_unit": "cm", "x_density": 72, "y_density": 70000}),
                ("metadata", {"xmp_metadata": "<x/>"}),
                ("all", {"progressive": True, "optimize_size": True, "quality": 70})):
            case("EncodeJpeg", "%s, %d" % (name, channels), image, **attrs)
        case("EncodeJpegVariableQuality", "quality 60, %d" % channels, image,
             np.array(60, np.int32))
    image = smooth(4, 5, 3)
    case("EncodeJpeg", "as rgb", image, format="rgb")
    case("EncodeJpeg", "as grayscale", image, format="grayscale")
    case("EncodeJpeg", "grey as rgb", image[:, :, :1], format="rgb")
    case("EncodeJpeg", "matrix", image[0])
    for channels in (0, 2, 4):
        case("EncodeJpeg", "%d channels" % channels, np.zeros([2, 2, channels], np.uint8))
    case("EncodeJpeg", "of no rows", image[:0])
    case("EncodeJpeg", "of no columns", image[:, :0])
    for quality in (-1, 101):
        case("EncodeJpeg", "quality %d" % quality, image, quality=quality)
        case("EncodeJpegVariableQuality", "quality %d" % quality, image,
             np.array(quality, np.int32))
    case("EncodeJpegVariableQuality", "vector", image, np.array([60], np.int32))
    case("EncodeJpegVariableQuality", "batch", image[None], np.array(60, np.int32))
    for channels in (1, 2, 3, 4):
        for dtype in (np.uint8, np.uint16):
            wide = smooth(6, 7, channels).astype(dtype) * (1 if dtype == np.uint8 else 251)
            case("EncodePng", "%d channels %s" % (channels, dtype.__name__), wide)
    for compression in (-2, 0, 1, 9, 10):
        case("EncodePng", "compression %d" % compression, image, compression=compression)
    case("EncodePng", "batch", np.stack([smooth(3, 2, 3), smooth(3, 2, 3) + 1])[:, None])
    case("EncodePng", "no images", np.zeros([2, 0, 3, 2, 3], np.uint8))
    for channels in (0, 5):
        case("EncodePng", "%d channels" % channels, np.zeros([2, 2, channels], np.uint8))
    case("EncodePng", "matrix", image[0])
    case("EncodePng", "of no rows", image[:0])
    case("EncodePng", "of no columns", image[:, :0])


def cases(case):
    case = functools.partial(case, text=WHOLE)
    for family in (formats, jpegs, crops, pngs, gifs, bmps, encoders):
        family(case)
