# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases of activations, softmax, losses, biases, products, top-k and response
normalization."""

import itertools

import numpy as np
import tensorflow as tf

BF16 = tf.bfloat16.as_numpy_dtype
# Each row holds a dtype and the tolerance for the result of one operation.
FLOATS = [(np.float32, 2e-6), (np.float64, 1e-12), (np.float16, 2e-3), (BF16, 2e-2)]
RANDOM = np.random.RandomState(5)


def values(*shape, scale=2.0):
    return np.round(RANDOM.uniform(-scale, scale, shape), 3)


def short(dtype):
    return tf.as_dtype(dtype).name


def activations(case, dtype, tolerance):
    name = short(dtype)
    x = values(3, 7, scale=8)
    x[0, 0] = 0
    for op in ["Relu", "Relu6", "Elu", "Softplus"]:
        case(op, name, x.astype(dtype), tolerance=tolerance * 10)
    case("LeakyRelu", name, x.astype(dtype), alpha=0.3, tolerance=tolerance)
    for op in ["ReluGrad", "Relu6Grad", "EluGrad", "SoftplusGrad"]:
        case(op, name, values(3, 7).astype(dtype), x.astype(dtype),
             tolerance=tolerance * 10)
    case("LeakyReluGrad", name, values(3, 7).astype(dtype), x.astype(dtype), alpha=0.3,
         tolerance=tolerance)


def softmax(case, dtype, tolerance):
    name = short(dtype)
    for shape in [(5, 11), (2, 3, 4), (7,), (0, 4), (3, 1)]:
        for op in ["Softmax", "LogSoftmax"]:
            case(op, f"{name} {shape}", values(*shape, scale=9).astype(dtype),
                 tolerance=tolerance * 20)
    labels = np.abs(values(5, 11))
    labels /= labels.sum(1, keepdims=True)
    dense = "SoftmaxCrossEntropyWithLogits"
    case(dense, name, values(5, 11, scale=5).astype(dtype), labels.astype(dtype),
         tolerance=tolerance * 50)
    case(dense, f"{name} broadcast", values(5, 11).astype(dtype),
         labels[:1].astype(dtype), tolerance=tolerance * 20)
    sparse = "SparseSoftmaxCrossEntropyWithLogits"
    for index in [np.int32, np.int64]:
        case(sparse, f"{name} {short(index)}", values(5, 11, scale=5).astype(dtype),
             np.array([0, 10, 3, 3, 9], index), tolerance=tolerance * 50)
    case(sparse, f"{name} empty", values(0, 11).astype(dtype), np.zeros(0, np.int32))


def biases(case, dtype, tolerance):
    name = short(dtype)
    for shape in [(2, 3), (2, 3, 4), (2, 3, 4, 5), (0, 4)]:
        case("BiasAdd", f"{name} {shape}", values(*shape).astype(dtype),
             values(shape[-1]).astype(dtype), tolerance=tolerance)
        case("BiasAddGrad", f"{name} {shape}", values(*shape).astype(dtype),
             tolerance=tolerance * 10)
    case("BiasAdd", f"{name} NCHW", values(2, 3, 4, 5).astype(dtype),
         values(3).astype(dtype), data_format="NCHW", tolerance=tolerance)
    case("BiasAddGrad", f"{name} NCHW", values(2, 3, 4, 5).astype(dtype),
         data_format="NCHW", tolerance=tolerance * 20)


def products(case, dtype, tolerance):
    name = short(dtype)
    for a, b in itertools.product([False, True], repeat=2):
        x = values(*((5, 4) if a else (4, 5)))
        y = values(*((6, 5) if b else (5, 6)))
        case("MatMul", f"{name} {a} {b}", x.astype(dtype), y.astype(dtype),
             transpose_a=a, transpose_b=b, tolerance=tolerance * 10)
        case("BatchMatMulV2", f"{name} {a} {b}",
             np.stack([x, x + 1, x - 2])[:, None].astype(dtype),
             np.stack([y, y * 2]).astype(dtype), adj_x=a, adj_y=b,
             tolerance=tolerance * 20)
    case("MatMul", f"{name} no rows", values(0, 4).astype(dtype), values(4, 3).astype(dtype))
    case("MatMul", f"{name} no depth", values(3, 0).astype(dtype),
         values(0, 2).astype(dtype))
    case("BatchMatMulV2", f"{name} one", values(2, 3).astype(dtype),
         values(3, 4).astype(dtype), tolerance=tolerance * 10)
    case("BatchMatMulV2", f"{name} none", values(0, 2, 3).astype(dtype),
         values(0, 3, 4).astype(dtype))


def integers(case, dtype):
    name = short(dtype)

    def v(*shape):
        return RANDOM.randint(-9, 9, shape).astype(dtype)
    case("MatMul", name, v(4, 5), v(5, 3))
    case("BatchMatMulV2", name, v(2, 4, 5), v(2, 5, 3))
    case("BiasAdd", name, v(4, 5), v(5))
    case("BiasAddGrad", name, v(4, 5))
    case("Relu", name, v(4, 5))
    case("TopKV2", name, v(4, 15), np.int32(6))


def top_k(case):
    x = values(3, 9).astype(np.float32)
    x[0, 3] = x[0, 5]
    for k in [0, 1, 4, 9]:
        case("TopKV2", f"k {k}", x, np.int32(k))
    case("TopKV2", "too many", x, np.int32(10), text="input must have at least k columns")
    case("TopKV2", "negative", x, np.int32(-1), text="Need k >= 0, got -1")
    case("TopKV2", "k of a vector", x, np.array([1], np.int32))
    p = values(6, 8).astype(np.float32)
    p[4, 2], p[5, 0] = np.inf, np.nan
    case("InTopK", "int32", p, np.array([0, 1, 7, 8, 3, 4], np.int32), k=3)
    case("InTopK", "int64", p, np.array([0, 1, 7, -1, 3, 4], np.int64), k=1)
    case("InTopK", "lengths", p, np.array([0], np.int64), k=1, text="First dimension")
    case("InTopKV2", "int64", p, np.array([0, 1, 7, 8, 3, 4], np.int64), np.int64(4))


def errors(case):
    f = np.float32
    case("MatMul", "sizes", values(2, 3).astype(f), values(2, 3).astype(f),
         text="Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]")
    case("MatMul", "rank", values(2).astype(f), values(2, 3).astype(f))
    case("BatchMatMulV2", "batches", values(2, 2, 2).astype(f), values(3, 2, 2).astype(f))
    case("BiasAdd", "count", values(2, 4).astype(f), values(3).astype(f),
         text="Must provide as many biases as the last dimension of the input tensor")
    case("BiasAdd", "rank", values(4).astype(f), values(4).astype(f),
         text="Input tensor must be at least 2D: [4]")
    sparse = "SparseSoftmaxCrossEntropyWithLogits"
    case(sparse, "label", values(2, 3).astype(f), np.array([0, 3], np.int64),
         text="which is outside the valid range of [0, 3)")
    case(sparse, "negative label", values(2, 3).astype(f), np.array([-1, 0], np.int64),
         text="which is outside the valid range of [0, 3)")
    case(sparse, "no classes", values(2, 0).astype(f), np.array([0, 0], np.int64),
         text="Must have at least one class, but got logits shape [2,0]")
    case(sparse, "lengths", values(2, 3).astype(f), np.array([0], np.int64),
         text="logits and labels must have the same first dimension")
    case("SoftmaxCrossEntropyWithLogits", "shapes", values(2, 3).astype(f),
         values(2, 4).astype(f), text="logits and labels must be broadcastable")
    case("ReluGrad", "shapes", values(2).astype(f), values(3).astype(f))


def cases(case):
    case.__self__.floor = 1.0
    for dtype, tolerance in FLOATS:
        activations(case, dtype, tolerance)
        softmax(case, dtype, tolerance)
        biases(case, dtype, tolerance)
        products(case, dtype, tolerance)
    for dtype in [np.int32, np.int64]:
        integers(case, dtype)
    top_k(case)
    f = np.float32
    case("LRN", "defaults", values(2, 3, 3, 7).astype(f), tolerance=1e-5)
    attrs = {"depth_radius": 2, "bias": 2.0, "alpha": 0.5, "beta": 0.75}
    case("LRN", "attrs", values(1, 2, 2, 5).astype(f), tolerance=1e-5, **attrs)
    case("LRNGrad", "attrs", values(1, 2, 2, 5).astype(f), values(1, 2, 2, 5).astype(f),
         values(1, 2, 2, 5).astype(f), tolerance=2e-5, **attrs)
    errors(case)
