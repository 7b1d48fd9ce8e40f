# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Has cases that ops refuse. Each case has one mistake. There is a case for each
check of TensorFlow's kernels that no case of the other families fails.

For many other mistakes, TensorFlow ends the process or reads out of bounds. Leat
refuses these mistakes, too, and other tests check them.
"""

import numpy as np
import tensorflow as tf

F32 = tf.float32
EMPTY = np.zeros([0], np.int32)
HUGE = 1 << 31  # too large for an int32
OVERFLOW = 1 << 62


def f(*shape):
    return (np.arange(int(np.prod(shape))) + 1).astype(np.float32).reshape(shape)


def d(*shape):
    return f(*shape).astype(np.float64)


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def scalar(value):
    return np.array(value, np.int32)


def refuse(case, op, *mistakes, **attrs):
    """Adds a case for each mistake. A mistake consists of a name, the inputs, words of
    the error, and other attrs."""
    for name, inputs, text, *other in mistakes:
        case(op, name, *inputs, text=text, **{**attrs, **(other[0] if other else {})})


NO_VECTOR = "must be a vector of {int32,int64}, got shape []"


def element_wise(case):
    for op in ("DivNoNan", "Greater", "GreaterEqual", "LessEqual", "NotEqual"):
        case(op, "no common shape", f(0, 3), f(2), text="Incompatible shapes: [0,3] vs. [2]")
    for op in ("LogicalAnd", "LogicalOr"):
        case(op, "no common shape", f(2, 3) > 1, f(2) > 1,
             text="Incompatible shapes: [2,3] vs. [2]")
    for op in ("EluGrad", "LeakyReluGrad", "Relu6Grad", "SoftplusGrad"):
        case(op, "two shapes", f(0, 4), f(0, 3), text="must have the same size and shape.")
    for op in ("ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad"):
        case(op, "two sizes", f(), f(0), text="must have")
    refuse(case, "Select",
           ("a vector chooses between scalars", (f(1) > 0, f(), f()), ""),
           ("two shapes", (np.array(True), f(2), f()), "'then' and 'else' must have the same size"),
           ("more choices than rows", (f(2) > 0, f(3, 2), f(3, 2)),
            "Number of batches of 'then' must match size of 'cond', but saw"))


def reductions(case):
    for op in ("All", "Any"):
        refuse(case, op,
               ("axis too large", (f(2) > 0, i32(1)), "Invalid reduction dimension (1 for input with 1"),
               ("an axis twice", (f(2, 2) > 0, i32(1, 1)), "Axes contains duplicate dimension: 1"))
    for op in ("Cumsum", "Cumprod"):
        case(op, "no axis", f(4), EMPTY, text="ScanOp: axis must be a scalar, not [0]")


def matrices(case):
    refuse(case, "BatchMatMulV2",
           ("sizes", (f(0, 2, 4), f(0, 3, 4)), "Matrix size-incompatible: In[0]: [0,2,4], In[1]: [0,3,4] 0 0"),
           ("scalar", (f(), f(3, 4)), "In[0] ndims must be >= 2: 0"))
    case("BiasAdd", "scalar bias", f(2, 4), f(), text="Biases must be 1D: []")
    case("BiasAddGrad", "vector", f(3), text="Input tensor must be at least 2D: [3]")
    refuse(case, "SoftmaxCrossEntropyWithLogits",
           ("rank 3", (f(1, 2, 3), f(2, 3)), "broadcasted to be 2-dimensional"))
    case("SoftmaxCrossEntropyWithLogits", "no classes", f(2, 0), f(2, 0))
    refuse(case, "SparseSoftmaxCrossEntropyWithLogits",
           ("no classes and no rows", (f(0, 0), EMPTY), "Must have at least one class, but got logits shape [0,0]"),
           ("vector", (f(3), i32(0, 1, 2)), "logits must be 2-D, but got shape [3]"),
           ("matrix of labels", (f(1, 3), i32([1])), "labels must be 1-D, but got shape [1,1]"))
    case("LogSoftmax", "scalar", f(), text="logits must have >= 1 dimension, got []")
    refuse(case, "InTopK",
           ("predictions are a vector", (f(3), i32(0, 0, 0)), "predictions must be 2-dimensional"),
           ("targets are a matrix", (f(1, 3), i32([0])), "targets must be 1-dimensional"),
           ("k is no int32", (f(1, 3), i32(0)), "Attr k has value 2147483648 out of range for an int32",
            {"k": HUGE}), k=1)
    refuse(case, "InTopKV2",
           ("predictions are a vector", (f(3), i32(0, 0, 0), scalar(1)), "predictions must be 2-dimensional"),
           ("targets are a matrix", (f(1, 3), i32([0]), scalar(1)), "targets must be 1-dimensional"),
           ("more targets", (f(1, 3), i32(0, 0), scalar(1)), "predictions 1 must match length of targets 2"),
           ("k is a vector", (f(1, 3), i32(0), i32(1)), "k must be 0-D, got shape [1]"))
    case("TopKV2", "scalar", f(), scalar(1), text="input must be >= 1-D, got shape []")


def images(case):
    # The images are not float32. For float32, TensorFlow uses oneDNN, which
    # checks less.
    image, filters = d(1, 4, 4, 2), d(2, 2, 2, 3)
    for op, arguments in (("MaxPool", (image,)), ("AvgPool", (image,)),
                          ("AvgPoolGrad", (i32(1, 4, 4, 2), d(1, 2, 2, 2)))):
        refuse(case, op,
               ("ksize of 5", arguments, "", {"ksize": [1, 2, 2, 1, 1, 1]}),
               ("batch in ksize", arguments, "the batch", {"ksize": [2, 2, 2, 1]}),
               ("channels in ksize", arguments, "", {"ksize": [1, 2, 2, 2]}),
               ("no stride of the batch", arguments, "the batch", {"strides": [0, 2, 2, 1]}),
               ("negative stride of the batch", arguments, "the batch", {"strides": [-1, 2, 2, 1]}),
               ("no stride", arguments, "", {"strides": [1, 0, 2, 1]}),
               ("window beyond the image", arguments, "Computed output size would be negative: ",
                {"ksize": [1, 100, 2, 1]}),
               ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    refuse(case, "AvgPoolGrad",
           ("negative extent", (i32(-1, 4, 4, 2), d(1, 2, 2, 2)), "-1"), **window)
    case("MaxPool", "rank 0", d(), text="", **window)
    refuse(case, "MaxPoolGrad",
           ("rank 3", (d(4, 4, 2), d(1, 2, 2, 2), d(1, 2, 2, 2)), "must be 4-dimensional"),
           ("another output", (image, d(1, 2, 2), d(1, 2, 2, 2)), ""),
           ("another gradient", (image, d(1, 2, 2, 2), d(1, 3, 2, 2)),
            "Expected grad shape to be [1,2,2,2], but got [1,3,2,2]"),
           ("channels in ksize", (image, d(1, 2, 2, 2), d(1, 2, 2, 2)), "", {"ksize": [1, 2, 2, 2]}),
           **window)
    moves = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    gradient, sizes = d(1, 3, 3, 3), i32(1, 4, 4, 2)
    for op, arguments in (("Conv2D", (image, filters)),
                          ("Conv2DBackpropInput", (sizes, filters, gradient)),
                          ("Conv2DBackpropFilter", (image, i32(2, 2, 2, 3), gradient))):
        refuse(case, op,
               ("no strides", arguments, "", {"strides": []}),
               ("no stride of the batch", arguments, "in the batch and depth dimensions",
                {"strides": [0, 1, 1, 1]}),
               ("negative stride of the channels", arguments, "in the batch and depth dimensions",
                {"strides": [1, 1, 1, -1]}),
               ("no stride", arguments, "", {"strides": [1, 0, 1, 1]}),
               ("no dilation of the batch", arguments, "in the batch and depth dimensions",
                {"dilations": [0, 1, 1, 1]}),
               ("no dilation", arguments, "", {"dilations": [1, 0, 1, 1]}),
               ("padding that is not asked for", arguments, "explicit_paddings",
                {"explicit_paddings": [0, 0, 1, 1, 1, 1, 0, 0]}),
               ("no explicit padding", arguments, "explicit_paddings", {"padding": "EXPLICIT"}), **moves)
    case("Conv2DBackpropFilter", "stride of the batch", image, i32(2, 2, 2, 3), gradient,
         text="in the batch and depth dimensions", strides=[2, 1, 1, 1], padding="VALID")
    refuse(case, "Conv2D",
           ("rank 0", (d(), filters), "input must be 4-dimensional: []"),
           ("filter of rank 0", (image, d()), "filter must be 4-dimensional: []"),
           ("input depth", (d(1, 4, 4, 3), filters), "input depth must be evenly divisible by filter depth: 3 vs 2"),
           ("output depth", (image, d(2, 2, 1, 3)),
            "output depth must be evenly divisible by number of groups: 3 vs 2"),
           ("nothing in the filter", (image, d(0, 2, 2, 3)), "filter must not have zero elements"),
           ("filter beyond the image", (image, d(7, 2, 2, 3)), "Computed output size would be negative: "),
           **moves)
    refuse(case, "Conv2DBackpropInput",
           ("scalar sizes", (scalar(1), filters, gradient), "Conv2DBackpropInput"),
           ("three sizes", (i32(1, 4, 4), filters, gradient),
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got"),
           ("negative size", (i32(-1, 4, 4, 2), filters, gradient), "-1"),
           ("filter of rank 0", (sizes, d(), gradient), "filter must be 4-dimensional"),
           ("input depth", (i32(1, 4, 4, 3), filters, gradient),
            "input depth must be evenly divisible by filter depth"), **moves)
    refuse(case, "Conv2DBackpropFilter",
           ("scalar sizes", (image, scalar(2), gradient), ""),
           ("negative size", (image, i32(-1, 2, 2, 3), gradient), "-1"),
           ("rank 0", (d(), i32(2, 2, 2, 3), gradient), "must be 4-dimensional"), **moves)
    row = f(3)
    refuse(case, "FusedBatchNormGradV3",
           ("two shapes", (f(1, 1, 1, 3), f(2, 1, 1, 3), row, row, row, f(0)),
            "x and y_backprop must have same shape, but x has shape [2,1,1,3]"),
           ("rank 0", (f(1, 1, 1, 3), f(), row, row, row, f(0)), "must be 4-dimensional"),
           ("scale", (f(1, 1, 1, 3), f(1, 1, 1, 3), f(2), row, row, f(0)),
            "scale must have the same number of elements as the channels of x, got 2 and 3"))
    refuse(case, "LRN",
           ("rank 0", (f(),), "in must be 4-dimensional"),
           ("negative radius", (f(1, 1, 1, 3),), "depth_radius = -1", {"depth_radius": -1}),
           ("radius too large", (f(1, 1, 1, 3),), "depth_radius = 2147483647 larger than int max",
            {"depth_radius": HUGE - 1}))
    refuse(case, "LRNGrad",
           ("two shapes", (f(1, 1, 1, 3), f(0, 1, 1, 3), f(1, 1, 1, 3)),
            "input_grads, input_image, and out_image should have the same shape"),
           ("radius too large", (f(1, 1, 1, 3),) * 3, "depth_radius = 2147483647 larger than int max",
            {"depth_radius": HUGE - 1}))


def made(case):
    """Adds cases of ops that make a tensor of a given shape."""
    for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
        refuse(case, op,
               ("scalar shape", (scalar(2),), NO_VECTOR),
               ("matrix as shape", (i32([2, 3]),), "shape must be a vector of {int32,int64}, got shape [1,2]"),
               ("negative extent", (i32(-1, 3),), "-1"), dtype=F32)
    refuse(case, "RandomUniformInt",
           ("scalar shape", (scalar(2), scalar(0), scalar(5)), NO_VECTOR),
           ("vector minval", (i32(2), i32(0), scalar(5)), "minval must be 0-D, got shape [1]"),
           ("vector maxval", (i32(2), scalar(0), i32(5)), "maxval must be 0-D, got shape [1]"),
           ("nothing between", (i32(2), scalar(7), scalar(5)), "Need minval < maxval, got 7 >= 5"))
    key, counter, alg = np.array([5], np.uint64), np.array([1, 2], np.uint64), scalar(1)
    for op in ("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"):
        refuse(case, op,
               ("scalar shape", (scalar(2), key, counter, alg), NO_VECTOR),
               ("no key", (i32(2), key[:0], counter, alg), "key must have shape [1], not [0]"),
               ("no counter", (i32(2), key, counter[:0], alg), "counter must be a vector with length at least"),
               ("unknown algorithm", (i32(2), key, counter, scalar(0)), "Unsupported algorithm id: 0"),
               ("vector algorithm", (i32(2), key, counter, i32(1)),
                "input 3 (0-based) must have shape [], not [1]"), dtype=F32)
    # Only Fill and Reshape accept a scalar as a shape. The scalar is the extent
    # of the one dimension.
    case("Fill", "scalar shape", scalar(2), f())
    case("Reshape", "scalar shape", f(2, 3), scalar(6))
    case("Reshape", "matrix as shape", f(6), i32([2, 3]), text="sizes input must be 1-D, not [1,2]")
    refuse(case, "BroadcastTo",
           ("scalar shape", (f(), scalar(2)), NO_VECTOR),
           ("scalar shape of as many", (f(2), scalar(2)), NO_VECTOR),
           ("negative extent", (f(), i32(-1, 2)), "-1"),
           ("too many elements", (f(), i64(OVERFLOW, 3)), "Shape [4611686018427387904,3]"),
           ("smaller rank", (f(1, 3), i32(3)), ""))
    refuse(case, "OneHot",
           ("vector depth", (i32(0), i32(3), f(), f()), "depth must be a scalar"),
           ("vector on_value", (i32(0), scalar(3), f(1), f()), "on_value must be a scalar"),
           ("vector off_value", (i32(0), scalar(3), f(), f(1)), "off_value must be a scalar"),
           ("axis is no int32", (i32(0), scalar(3), f(), f()), "2147483648", {"axis": HUGE}))
    for i, name in enumerate(("start", "limit", "delta")):
        inputs = [f(), np.float32(3), f()]
        inputs[i] = f(0)
        case("Range", f"no {name}", *inputs, text=f"{name} must be")
    refuse(case, "ScatterNd",
           ("scalar shape", (i32([1]), f(1), scalar(4)), ""),
           ("scalar indices", (scalar(1), f(2), i32(2, 3)), "Indices shape must have rank at least one. Found:[]"),
           ("single point", (i32(1), f(3), i32(2, 3)), ""),
           ("single index", (i32(1), f(1), i32(4, 1)), ""),
           ("scalar update", (i32(1, 0), f(), i32(2, 3)), "Updates shape must have rank at least one. Found:[]"),
           ("empty shape", (np.zeros([2, 0], np.int32), f(2), EMPTY),
            "Indices and updates specified for empty output"),
           ("no updates", (i32([0], [1]), f(2, 0), i32(4, 0)),
            "Indices and updates specified for empty output"),
           ("no coordinates", (np.zeros([2, 0], np.int32), f(2, 4), i32(4)), ""),
           ("scalar output", (np.zeros([0, 0], np.int32), f(0), EMPTY), "Output must be at least 1-D, got shape: []"),
           ("empty output", (i32([1, 0]), f(1), i32(0, 3)), "Indices and updates specified for empty output"),
           ("negative extent", (i32([1, 0]), f(1), i32(-1, 3)), "-1"),
           ("updates too short", (i32([1], [0]), f(1, 3), i32(2, 3)), ""))


def shapes(case):
    refuse(case, "BroadcastGradientArgs",
           ("scalar s0", (scalar(5), i32(1)), "In[0] must be a vector."),
           ("scalar s1", (i32(5, 1, 2), scalar(1)), "In[1] must be a vector."))
    refuse(case, "ConcatOffset",
           ("vector concat_dim", (i32(1), [i32(2, 3), i32(2, 4)]), "Concat dim tensor"),
           ("scalar for a shape", (scalar(-1), [i32(2, 3), scalar(2)]), "should be a vector, but got shape []"),
           ("shorter shape", (scalar(-1), [i32(2, 3), EMPTY]), ""))
    case("ConcatV2", "no axis", [f(2), f(2)], EMPTY, text="be a scalar")
    case("ExpandDims", "two axes", f(), i32(-1, -1), text="'dim' must be a tensor with a single value")
    case("InvertPermutation", "scalar", scalar(0), text="invert_permutation expects a 1D vector.")
    case("Squeeze", "axis is no int32", f(2, 1), squeeze_dims=[1 << 40], text="1099511627776")
    refuse(case, "Transpose",
           ("an axis twice", (f(2, 3, 4), i32(1, 1, 2)), "0 is missing from {1,1,2}."),
           ("matrix", (f(), np.zeros([1, 0], np.int32)), "perm must be rank 1, got shape [1,0]"))
    case("Tile", "matrix", f(2), i32([2]), text="")
    refuse(case, "Pad",
           ("three columns", (f(), np.zeros([0, 3], np.int32)), "paddings must be a matrix with 2 columns: [0,3]"),
           ("too many elements", (f(0, 2), i64([OVERFLOW, 1], [0, 0])), ""),
           ("extent too large", (f(0, 2), i64([2**63 - 1, 1], [0, 0])), ""))
    case("Pack", "axis is no int32", [f(2), f(2)], axis=HUGE, text="2147483648")
    case("Unpack", "axis is no int32", f(2), num=2, axis=HUGE, text="2147483648")


def parts(case):
    refuse(case, "Split", ("vector split_dim", (i32(1), f(2, 3)), "split_dim must be a scalar"), num_split=3)
    refuse(case, "SplitV",
           ("two of the rest", (f(3), i32(-1, -1), scalar(0)), "can only be one -1"),
           ("sizes of another number", (f(3), i32(3), scalar(0)), "size of the split_tensor must be 1-D"),
           ("axis too large", (f(3), i32(1, 2), scalar(1)), "<= split_dim < input rank (1), but got 1"),
           ("no axis", (f(3), i32(1, 2), EMPTY), ""), num_split=2)
    refuse(case, "Slice", ("one of nothing", (f(0, 3), i32(0, 1), i32(1, 2)), "size[0]"))
    one = i32(1)
    for op, inputs in (("StridedSlice", (f(3), i32(0), one, one)),
                       ("StridedSliceGrad", (i32(3), i32(0), one, one, f(1)))):
        for mask in ("begin", "end", "ellipsis", "new_axis", "shrink_axis"):
            case(op, f"{mask}_mask is no int32", *inputs, **{mask + "_mask": HUGE},
                 text=f"Attr {mask}_mask has value 2147483648 out of range for an int32")
        case(op, "ellipses behind the entries", *inputs, ellipsis_mask=12,
             text="Multiple ellipses in slice spec not allowed")
    many = np.zeros([32], np.int32)
    refuse(case, "StridedSlice",
           ("of a scalar", (f(), i32(0, 0), i32(2, 3), i32(1, 2)), ""),
           ("single index backwards", (f(3), i32(2), i32(0), i32(-1)),
            "only stride 1 allowed on non-range indexing", {"shrink_axis_mask": 1}),
           ("32 entries", (f(3), many, many, many + 1), "Expected begin, end, and strides to be 1D equal size tensors",
            {"new_axis_mask": HUGE - 1}))
    case("StridedSlice", "31 entries", f(3), many[:31], many[:31], many[:31] + 1,
         new_axis_mask=(1 << 30) - 1)
    ends = (i32(1, 0), i32(1, 3), i32(1, 1), f(0, 3))
    refuse(case, "StridedSliceGrad",
           ("scalar shape", (scalar(4), *ends), "shape must be 1-D, got shape.shape = []"),
           ("negative extent", (i32(-1, 3), *ends), "-1"),
           ("more entries than extents", (i32(4), *ends),
            "Index out of range using input dim 1; input has only 1 dims"),
           ("no begin", (i32(4, 3), EMPTY, *ends[1:]), "Expected begin, end, and strides to be 1D equal size tensors"),
           ("no stride", (i32(4, 3), *ends[:2], i32(0, 1), ends[3]), "strides[0] must be non-zero"),
           ("index out of bounds", (i32(0, 2), one, one + 1, one, f(2)),
            "slice index 1 of dimension 0 out of bounds.", {"shrink_axis_mask": 1}))


def rows(case):
    """Adds cases of ops that gather or stitch rows."""
    refuse(case, "Gather",
           ("nothing", (f(0, 2), scalar(0)), "indices = 0 is not in [0, 0)"))
    refuse(case, "GatherV2",
           ("batch_dims above axis", (f(2, 3), i32(0, 1), scalar(0)), "batch_dims (1) must be less than",
            {"batch_dims": 1}),
           ("batch_dims above the indices", (f(2, 3), i32(0), scalar(0)),
            "Expected batch_dims in the range [-1, 1], but got 2", {"batch_dims": 2}),
           ("batch_dims is no int32", (f(2, 3), i32(0), scalar(0)), "2147483648", {"batch_dims": HUGE}),
           ("batches of another size", (f(1, 3), i32([0], [1]), scalar(1)),
            "params.shape[0]: 1 should be equal to indices.shape[0]: 2", {"batch_dims": 1}),
           ("scalar", (f(), scalar(0), scalar(0)), ""),
           ("vector axis", (f(2, 3), i32(0), i32(0)), "axis must be scalar"))
    refuse(case, "GatherNd",
           ("nothing", (f(0, 2), i32([0], [0])), "Requested more than 0 entries, but params is empty.  Params shape: [0,2]"),
           ("rows of nothing", (f(3, 0), i32([2], [0])),
            "Requested more than 0 entries, but params is empty.  Params shape: [3,0]"),
           ("copies of nothing", (f(3, 0), np.zeros([2, 0], np.int32)), "but params is empty.  Params shape: [3,0]"),
           ("index too large", (f(3, 1), i32(2, 1)), "indices = [2, 1] does not index into param shape [3,1]"),
           ("scalar", (f(), i32(0)), "params must be at least a vector"),
           ("scalar index", (f(3, 2), scalar(2)), "indices must be at least a vector"))
    case("GatherNd", "no rows of nothing", f(3, 0), np.zeros([0, 1], np.int32))
    for op in ("DynamicStitch", "ParallelDynamicStitch"):
        refuse(case, op,
               ("rows of two sizes", ([scalar(0), i32(0, 1)], [f(2), f(2, 0)]), "Need data[0].shape["),
               ("largest index", ([i32(HUGE - 1, 0)], [f(2, 3)]), ""))
    refuse(case, "UnsortedSegmentSum",
           ("vector num_segments", (f(2, 3), i32(0, 0), i32(1)), "num_segments"),
           ("too many elements", (f(2, 2), i32(0, 1), np.int64(OVERFLOW)), ""))


class Variables:
    """Makes variables with unique names, and cases that use these variables."""

    def __init__(self, case):
        self.case = case
        self.count = 0

    def refuse(self, op, name, variables, *inputs, **options):
        chain = self.case.__self__.chain()
        handles = []
        for value in variables:
            self.count += 1
            handle = chain("VarHandleOp", dtype=F32, shape=None, container="",
                           shared_name=f"refusals {self.count}")
            chain("AssignVariableOp", handle, value, dtype=F32)
            handles.append(handle)
        chain.case(op, name, *handles, *inputs, everything=True, **options)


# Each row holds the op, the names of its variables, its scalars, and the name
# of its gradient. The last column lists the scalars that come after the
# gradient.
UPDATES = [
    ("GradientDescent", ("var",), ("alpha",), "delta", ()),
    ("Momentum", ("var", "accum"), ("lr",), "grad", ("momentum",)),
    ("Adagrad", ("var", "accum"), ("lr",), "grad", ()),
    ("Adam", ("var", "m", "v"),
     ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"), "grad", ()),
    ("RMSProp", ("var", "ms", "mom"), ("lr", "rho", "momentum", "epsilon"), "grad", ()),
    ("CenteredRMSProp", ("var", "mg", "ms", "mom"), ("lr", "rho", "momentum", "epsilon"),
     "grad", ()),
]
SPARSE = ("Momentum", "Adagrad", "RMSProp")


def variables(case):
    v = Variables(case)
    for op in ("AssignAddVariableOp", "AssignSubVariableOp"):
        v.refuse(op, "two shapes", [f(2)], f(1), dtype=F32,
                 text="Cannot update variable with shape [2] using a Tensor with shape [1]")
    for op in ("ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterUpdate"):
        v.refuse(op, "index too large", [f(4)], i32(4, 1), f(2), dtype=F32,
                 text="indices[0] = 4 is not in [0, 4)")
        v.refuse(op, "rows for one index", [f(4)], scalar(0), f(2), dtype=F32,
                 text="Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = []")
        v.refuse(op, "fewer updates", [f(4)], i32(0, 1), f(1), dtype=F32, text="")
    v.refuse("ResourceGather", "negative batch_dims", [f(4)], i32(0, 1), dtype=F32,
             batch_dims=-1, text="batch_dims is negative (-1)")
    v.refuse("ResourceGather", "batch_dims above the rank", [f(4)], i32(0, 1), dtype=F32,
             batch_dims=2, text="params must")
    v.refuse("ResourceGather", "batch_dims is no int32", [f(4)], i32(0, 1), dtype=F32,
             batch_dims=HUGE, text="Attr batch_dims has value 2147483648 out of range for an int32")
    for name, slots, first, gradient, last in UPDATES:
        op, values = "ResourceApply" + name, [f(2)] * len(slots)
        scalars = {s: np.float32(0.5) for s in first + last}

        def apply(what, values, scalars, update, text, op=op, first=first, last=last):
            v.refuse(op, what, values, *[scalars[s] for s in first], update,
                     *[scalars[s] for s in last], T=F32, text=text)

        for s in scalars:
            apply(f"vector {s}", values, {**scalars, s: f(1)}, f(2), f"{s} is not a scalar")
        for i, slot in enumerate(slots[1:], 1):
            apply(f"{slot} of another shape", values[:i] + [f(3)] + values[i + 1:], scalars, f(2),
                  f"var and {slot} do not have the same shape")
        apply(f"{gradient} of another shape", values, scalars, f(3),
              f"var and {gradient} do not have the same shape[2] [3]")
        if name not in SPARSE:
            continue

        def sparse(what, update, indices, text, op="ResourceSparseApply" + name,
                   number=len(slots), first=first, last=last):
            v.refuse(op, what, [f(4, 3)] * number, *[np.float32(0.5)] * len(first), update,
                     indices, *[np.float32(0.5)] * len(last), T=F32, text=text)

        sparse("fewer rows", f(1, 3), i32(0, 1), "grad must be the same size as indices in the first dimension.")
        sparse("narrower rows", f(2, 2), i32(0, 1), "var and grad must match in")
        sparse("index too large", f(2, 3), i32(4, 1), "Index 4 at offset 0 in indices is out of range")
        sparse("scalar index", f(2, 3), scalar(0), "indices must be one-dimensional")


def lists(case):
    chain = case.__self__.chain()
    made = chain("TensorListReserve", i32(2), scalar(3), element_dtype=F32)
    only_unknown = "The only valid scalar shape tensor is the fully unknown shape specified as -1."

    def refuse_list(op, name, *inputs, text="", **attrs):
        chain.case(op, name, *inputs, text=text, element_dtype=F32, **attrs)

    chain.case("TensorListResize", "vector size", made, i32(3), text="size must be a scalar")
    refuse_list("TensorListSetItem", "vector index", made, i32(1), f(2), text="argument 1")
    refuse_list("TensorListScatterV2", "vector num_elements", f(2, 2), i32(3, 1), i32(2), i32(-1),
                text="num_elements must be a scalar")
    refuse_list("TensorListScatterV2", "rows of another shape", f(2, 0), i32(3, 1), i32(2), scalar(-1),
                text="Specified a list with shape [2] from a tensor with shape [0]")
    refuse_list("TensorListScatterV2", "scalar shape", f(2, 2), i32(3, 1), scalar(2), scalar(-1),
                text=only_unknown)
    for op, after in (("TensorListPopBack", ()), ("TensorListStack", ()),
                      ("TensorListConcatV2", (i64(),))):
        refuse_list(op, "scalar shape", made, scalar(2), *after, text=only_unknown)
        refuse_list(op, "extent below -1", made, i32(-2), *after)
        refuse_list(op, "matrix shape", made, i32([2]), *after)
    refuse_list("TensorListGather", "scalar shape", made, i32(0), scalar(2), text=only_unknown)
    refuse_list("TensorListGather", "index too large", made, i32(3, 0), i32(2), text="3 elements")
    chain.case("TensorListFromTensor", "scalar shape", f(1, 2), scalar(2), text=only_unknown)
    chain.case("TensorListFromTensor", "extent below -1", f(1, 2), i32(-2), text="")
    chain.case("TensorListSplit", "negative length", f(2, 2), i32(-1, 2), i64(-1, 3),
               text="Invalid value in lengths: -1")


def cases(case):
    for part in (element_wise, reductions, matrices, images, made, shapes, parts, rows,
                 variables, lists):
        part(case)
