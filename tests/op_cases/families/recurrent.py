# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""LSTM and GRU cells.

TensorFlow does not check all inputs, and leaves what follows the last step of a block
undefined, where Leat has zeros."""

import numpy as np
import tensorflow as tf

from families.windows import short, values

STATES = ("i", "cs", "f", "o", "ci", "co", "h")
WRONG = [  # an input, what becomes of it, and what the error contains
    ("cs_prev", "more", "!= batch_size: 3 vs. 2"), ("h_prev", "more", "!= batch_size: 3 vs. 2"),
    ("h_prev", "wide", "!= cell_size: 4 vs. 3"), ("w", "more", "!= input_size + cell_size: 8 vs. 7"),
    ("w", "wide", "!= cell_size * 4: 13 vs. 12"), ("b", "more", "!= cell_size * 4: 13 vs. 12"),
    ("b", "deep", ""), ("wci", "deep", ""), ("wcf", "deep", ""), ("wco", "deep", "")]


def wrong(value, how):
    if how == "deep":
        return value[..., None]
    return np.concatenate([value, value[:1] if how == "more" else value[..., :1]],
                          0 if how == "more" else -1)


def inputs(dtype, batch=2, width=4, cells=3, steps=None):
    shapes = {"x": (batch, width) if steps is None else (steps, batch, width),
              "cs_prev": (batch, cells), "h_prev": (batch, cells),
              "w": (width + cells, 4 * cells), "wci": (cells,), "wcf": (cells,), "wco": (cells,),
              "b": (4 * cells,)}
    return {name: values(shape, dtype, salt) for salt, (name, shape) in enumerate(shapes.items())}


def with_steps(d, steps):
    return {"seq_len_max": np.int64(steps), **d}


def gradients_of(case, op, name, d, outputs, shape, **attrs):
    dtype = d["x"].dtype.type
    states = {n: o.numpy() for n, o in zip(STATES, outputs)}
    if op == "LSTMBlockCellGrad":
        del states["h"]
    case(op, name, *d.values(), *states.values(), values(shape, dtype, 11), values(shape, dtype, 12),
         **attrs)


def cells(case, dtype, tolerance, peephole):
    options = {"use_peephole": peephole}
    for clip, bias, size in ((3.0, 1.0, {}), (-1.0, 0.0, {"batch": 3, "width": 2, "cells": 5}),
                             (0.25, 0.5, {"width": 0})):
        name = f"{short(dtype)} {peephole} {clip} {size}"
        d = inputs(dtype, **size)
        attrs = {**options, "cell_clip": clip, "forget_bias": bias}
        case("LSTMBlockCell", name, *d.values(), tolerance=tolerance, **attrs)
        outputs = tf.raw_ops.LSTMBlockCell(**d, **attrs)
        gradients_of(case, "LSTMBlockCellGrad", name, d, outputs, outputs.h.shape,
                     tolerance=2 * tolerance, **options)


def blocks(case, dtype, tolerance, peephole):
    options = {"use_peephole": peephole}
    for op in ("BlockLSTM", "BlockLSTMV2"):
        grad = op.replace("LSTM", "LSTMGrad")
        for steps, size in ((3, {}), (1, {"batch": 3, "width": 2, "cells": 5}), (2, {"batch": 0})):
            name = f"{short(dtype)} {peephole} {steps} {size}"
            d = with_steps(inputs(dtype, steps=steps, **size), steps)
            attrs = {**options, "cell_clip": 0.75}
            case(op, name, *d.values(), tolerance=tolerance, **attrs)
            outputs = getattr(tf.raw_ops, op)(**d, **attrs)
            if size.get("batch") != 0:
                gradients_of(case, grad, name, d, outputs, outputs.h.shape,
                             tolerance=4 * tolerance, **options)


def short_blocks(case):
    """The last of three steps is not computed."""
    given = case.__self__.given
    for op in ("BlockLSTM", "BlockLSTMV2"):
        for steps in (2, 0):
            d = inputs(np.float32, steps=3)
            first = with_steps({**d, "x": d["x"][:steps]}, steps)
            outputs = [o.numpy() for o in getattr(tf.raw_ops, op)(**first)]
            padded = [np.concatenate([o, np.zeros_like(values((3 - steps, 2, 3), np.float32))])
                      for o in outputs]
            given(op, f"{steps} of 3 steps", list(with_steps(d, steps).values()), padded,
                  tolerance=1e-6)
            if steps == 0:
                continue
            states = dict(zip(STATES, outputs))
            grads = {"cs_grad": values((3, 2, 3), np.float32, 11),
                     "h_grad": values((3, 2, 3), np.float32, 12)}
            found = getattr(tf.raw_ops, op.replace("LSTM", "LSTMGrad"))(
                **first, **states, use_peephole=False,
                **{n: g[:steps] for n, g in grads.items()})
            x_grad, *others = [g.numpy() for g in found]
            x_grad = np.concatenate([x_grad, np.zeros((3 - steps, 2, 4), np.float32)])
            given(op.replace("LSTM", "LSTMGrad"), f"{steps} of 3 steps",
                  [*with_steps(d, steps).values(), *padded, *grads.values()], [x_grad, *others],
                  tolerance=1e-5, use_peephole=False)


def mistakes(case):
    d = inputs(np.float32)
    case("LSTMBlockCell", "rank of x", *{**d, "x": d["x"][None]}.values(), text="")
    case("LSTMBlockCell", "no batch", *inputs(np.float32, batch=0).values(),
         text="cs_prev_tensor is empty, has shape: (0,3).")
    case("LSTMBlockCell", "unused peepholes", *{**d, "wci": d["b"], "wcf": d["b"]}.values())
    for name, how, text in WRONG:
        case("LSTMBlockCell", f"{name} {how}", *{**d, name: wrong(d[name], how)}.values(), text=text)
    block = with_steps(inputs(np.float32, steps=3), 3)
    case("BlockLSTM", "no steps", *with_steps(inputs(np.float32, steps=0), 0).values())
    deep = WRONG + [("cs_prev", "deep", ""), ("h_prev", "deep", ""), ("w", "deep", ""), ("x", "deep", ""),
                    ("wci", "more", "!= cell_size: 4 vs. 3"), ("wcf", "more", "!= cell_size: 4 vs. 3"),
                    ("wco", "more", "!= cell_size: 4 vs. 3")]
    for name, how, text in deep:
        case("BlockLSTM", f"{name} {how}", *{**block, name: wrong(block[name], how)}.values(),
             text=text)
    case("BlockLSTM", "vector of steps", *{**block, "seq_len_max": np.array([3])}.values(), text="")


def grus(case):
    for size in ({}, {"batch": 3, "width": 2, "cells": 5}, {"width": 0}):
        batch, width, count = ({"batch": 2, "width": 4, "cells": 3} | size).values()
        shapes = {"x": (batch, width), "h_prev": (batch, count), "w_ru": (width + count, 2 * count),
                  "w_c": (width + count, count), "b_ru": (2 * count,), "b_c": (count,)}
        d = {n: values(shape, np.float32, salt) for salt, (n, shape) in enumerate(shapes.items())}
        case("GRUBlockCell", str(size), *d.values(), tolerance=1e-6)
        outputs = tf.raw_ops.GRUBlockCell(**d)
        states = {"r": outputs.r.numpy(), "u": outputs.u.numpy(), "c": outputs.c.numpy(),
                  "d_h": values((batch, count), np.float32, 9)}
        case("GRUBlockCellGrad", str(size), *d.values(), *states.values(), tolerance=2e-6)
        if size:
            continue
        everything = {**d, **states}
        for name, value in everything.items():
            for how in ("more", "wide", "deep"):
                bad = {**everything, name: wrong(value, how)}
                case("GRUBlockCellGrad", f"{name} {how}", *bad.values(), text="")
                if name in d:
                    case("GRUBlockCell", f"{name} {how}", *list(bad.values())[:6], text="")


def cases(case):
    case.__self__.floor = 1.0  # the terms of the sums cancel each other
    for dtype, tolerance in ((np.float32, 2e-6), (np.float16, 1e-2)):
        for peephole in (False, True):
            cells(case, dtype, tolerance, peephole)
            blocks(case, dtype, tolerance, peephole)
    short_blocks(case)
    mistakes(case)
    grus(case)
