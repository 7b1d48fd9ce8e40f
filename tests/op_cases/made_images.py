# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Makes small image files byte by byte, in forms that few programs write: PNG, GIF and
BMP. Families and the corpora of fuzz targets use them."""

import struct
import zlib

PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by color type
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
         (1, 0, 2, 2), (0, 1, 1, 2)]


def png_chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data +
            struct.pack(">I", zlib.crc32(kind + data)))


def png_samples(samples, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    bits = "".join(format(s, "0%db" % depth) for s in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def png(rows, width, height, depth, color, interlaced=False, palette=b"", trns=b"",
        end=True):
    """`rows` has a list of samples for each row. `color` is the color type."""
    channels = PNG_CHANNELS[color]
    raw = b""
    if not interlaced:
        for row in rows:
            raw += b"\0" + png_samples(row, depth)
    for x0, y0, dx, dy in ADAM7 if interlaced else ():
        for y in range(y0, height, dy):
            row = [s for x in range(x0, width, dx)
                   for s in rows[y][x * channels:(x + 1) * channels]]
            if row:
                raw += b"\0" + png_samples(row, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    chunks = [(b"IHDR", header)]
    chunks += [(b"PLTE", bytes(palette))] if palette else []
    chunks += [(b"tRNS", trns)] if trns else []
    chunks += [(b"IDAT", zlib.compress(raw))] + ([(b"IEND", b"")] if end else [])
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def gif_codes(pixels, bits):
    """Compresses pixels with GIF's form of LZW, up to 4096 codes."""
    clear = 1 << bits
    table = {bytes([i]): i for i in range(clear)}
    codes = [(clear, bits + 1)]
    size, following, known = bits + 1, clear + 2, b""
    for pixel in pixels:
        longer = known + bytes([pixel])
        if longer in table:
            known = longer
            continue
        codes.append((table[known], size))
        assert following < 4096
        table[longer] = following
        size += following == 1 << size
        following += 1
        known = bytes([pixel])
    codes += [(table[known], size), (clear + 1, size)]
    number = sum_of_bits = 0
    for code, width in codes:
        number |= code << sum_of_bits
        sum_of_bits += width
    return number.to_bytes((sum_of_bits + 7) // 8, "little")


def gif_palette(palette):
    """Returns the number for the palette's size, and the palette filled up."""
    power = 0
    while 2 << power < len(palette) // 3:
        power += 1
    return power, bytes(palette) + bytes(3 * (2 << power) - len(palette))


def gif_frame(width, height, pixels, left=0, top=0, palette=None, transparent=None,
              interlaced=False, bits=None):
    frame = b""
    if transparent is not None:
        frame += b"\x21\xf9\x04\x01\0\0" + bytes([transparent, 0])
    flags, colors = 0x40 if interlaced else 0, b""
    if palette:
        power, colors = gif_palette(palette)
        flags |= 0x80 | power
    frame += b"," + struct.pack("<HHHHB", left, top, width, height, flags) + colors
    if interlaced:
        order = [y for first, step in ((0, 8), (4, 8), (2, 4), (1, 2))
                 for y in range(first, height, step)]
        pixels = [p for y in order for p in pixels[y * width:(y + 1) * width]]
    bits = bits or max(2, max(pixels).bit_length())
    data = gif_codes(pixels, bits)
    blocks = [data[i:i + 255] for i in range(0, len(data), 255)]
    return (frame + bytes([bits]) + b"".join(bytes([len(b)]) + b for b in blocks) +
            b"\0")


def gif(width, height, *frames, palette=None, end=True):
    head = b"GIF89a" + struct.pack("<HH", width, height)
    if palette:
        power, colors = gif_palette(palette)
        head += bytes([0x80 | power, 0, 0]) + colors
    else:
        head += b"\0\0\0"
    return head + b"".join(frames) + (b";" if end else b"")


def bmp(pixels, width, height, channels, bits=None):
    """`pixels` are in the order of the file. A negative height means top-down."""
    size = width * channels
    data = b"".join(bytes(pixels[y * size:(y + 1) * size]) + bytes(-size % 4)
                    for y in range(abs(height)))
    return (b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) +
            struct.pack("<IiiHH", 40, width, height, 1, bits or 8 * channels) +
            bytes(24) + data)


def with_field(data, place, form, value):
    """Replaces a number in a file."""
    return data[:place] + struct.pack(form, value) + data[place + struct.calcsize(form):]
