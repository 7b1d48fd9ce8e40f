#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes the shapes that TensorFlow infers.
tests/ops/shape_functions_test.cc reads them.

Run with the Python that has the tensorflow-cpu 2.15.1 wheel:
    python3 dump_shape_cases.py > tensorflow_shape_cases.txt

Every case is one node in a graph of its own. The inputs of the node are
placeholders of partial shape, constants, shapes of placeholders (values that
are partly known) and handles of variables and tensor lists.
"""
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework import op_def_registry


class Value:
  """Is a placeholder. The shape None stands for an unknown rank, and the extent
  -1 for an unknown extent."""

  def __init__(self, dtype, shape):
    self.dtype, self.shape = dtype, shape

  def tensor_shape(self):
    return tf.TensorShape(None if self.shape is None else
                          [None if d < 0 else d for d in self.shape])

  def make(self):
    return tf.raw_ops.Placeholder(dtype=self.dtype, shape=self.tensor_shape())

  def line(self):
    return '%s %s' % (self.dtype, shape_text(self.shape))


class Reference(Value):
  """Is a reference to strings, such as the name of a queue."""

  def __init__(self, shape):
    super().__init__('string', shape)

  def make(self):
    return tf.raw_ops.VariableV2(dtype='string', shape=self.tensor_shape())


class Known(Value):
  """Is a constant."""

  def __init__(self, values, dtype='int32', shape=None):
    self.tensor = tf.make_tensor_proto(values, dtype=dtype, shape=shape)
    array = tf.make_ndarray(self.tensor)
    self.values = array.flatten().tolist()
    super().__init__(dtype, list(array.shape))

  def make(self):
    return tf.constant(tf.make_ndarray(self.tensor))

  def line(self):
    return '%s value %s' % (super().line(), ','.join(map(str, self.values)))


class ShapeOf(Value):
  """Is the shape of a placeholder. An element of the shape is known if the
  extent of the placeholder is known."""

  def __init__(self, extents, dtype='int32'):
    self.extents = extents
    super().__init__(dtype, [len(extents)])

  def make(self):
    return tf.raw_ops.Shape(input=Value('float', self.extents).make(),
                            out_type=self.dtype)

  def line(self):
    return '%s partly %s' % (super().line(), shape_text(self.extents))


class Variable(Value):
  """Is the handle of a variable."""

  def __init__(self, dtype, shape):
    self.handle_dtype, self.handle_shape = dtype, shape
    super().__init__('resource', [])

  def make(self):
    return tf.raw_ops.VarHandleOp(
        dtype=self.handle_dtype,
        shape=Value(None, self.handle_shape).tensor_shape())

  def line(self):
    return '%s handle %s %s' % (super().line(), self.handle_dtype,
                                shape_text(self.handle_shape))


class List(Variable):
  """Is a tensor list."""

  def __init__(self, dtype, shape):
    super().__init__(dtype, shape)
    self.dtype = 'variant'

  def make(self):
    shape = -1 if self.handle_shape is None else self.handle_shape
    return tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant(shape, tf.int32), max_num_elements=-1,
        element_dtype=self.handle_dtype)


class Array(Variable):
  """A TensorArray whose elements have this shape."""

  def __init__(self, dtype, shape):
    super().__init__(dtype, shape)
    self.shape = [2]

  def make(self):
    return tf.raw_ops.TensorArrayV3(
        size=tf.constant(3), dtype=self.handle_dtype, identical_element_shapes=True,
        element_shape=Value(None, self.handle_shape).tensor_shape())[0]


def shape_text(shape):
  if shape is None:
    return '<unknown>'
  return '[%s]' % ','.join('?' if d is None or d < 0 else str(d)
                           for d in shape)


def attr_text(kind, value):
  if kind.startswith('list('):
    separator = ';' if kind == 'list(shape)' else ','
    return separator.join(attr_text(kind[5:-1], v) for v in value)
  if kind == 'bool':
    return 'true' if value else 'false'
  if kind == 'shape':
    return shape_text(value)
  return str(value)


def set_attr(proto, kind, value):
  if kind.startswith('list('):
    for v in value:
      add = proto.list
      if kind == 'list(int)':
        add.i.append(v)
      elif kind == 'list(type)':
        add.type.append(tf.as_dtype(v).as_datatype_enum)
      elif kind == 'list(shape)':
        add.shape.append(Value(None, v).tensor_shape().as_proto())
      elif kind == 'list(string)':
        add.s.append(v.encode())
      else:
        raise ValueError(kind)
    if not value:
      proto.list.SetInParent()
  elif kind == 'int':
    proto.i = value
  elif kind == 'float':
    proto.f = value
  elif kind == 'bool':
    proto.b = value
  elif kind == 'string':
    proto.s = value.encode()
  elif kind == 'type':
    proto.type = tf.as_dtype(value).as_datatype_enum
  elif kind == 'shape':
    proto.shape.CopyFrom(Value(None, value).tensor_shape().as_proto())
  else:
    raise ValueError(kind)


def infer(op, attrs, inputs):
  """Returns the shapes of the outputs as texts, or ['error']."""
  kinds = {a.name: a.type for a in op_def_registry.get(op).attr}
  protos = {}
  for name, value in attrs.items():
    protos[name] = attr_value_pb2.AttrValue()
    set_attr(protos[name], kinds[name], value)
  with tf.Graph().as_default() as graph:
    made = [i.make() for i in inputs]
    definition = graph.as_graph_def()
    node = definition.node.add()
    node.name = 'case'
    node.op = op
    node.input.extend(m.name for m in made)
    for name, proto in protos.items():
      node.attr[name].CopyFrom(proto)
  with tf.Graph().as_default() as graph:
    try:
      tf.graph_util.import_graph_def(definition, name='')
    except ValueError as error:
      # These errors do not mean that TensorFlow refuses the shapes. They mean
      # that a case in this file is wrong.
      if any(word in str(error) for word in ('NodeDef', 'expected to be',
                                              'incompatible with')):
        raise
      return ['error']
    outputs = graph.get_operation_by_name('case').outputs
    return [shape_text(o.shape.as_list() if o.shape.rank is not None else None)
            for o in outputs]


def case(op, attrs, *inputs, ours=None):
  """Prints a case. `ours` holds the outputs that Leat infers, if they differ
  from TensorFlow's. Leat infers an 'error' for some nodes that can never run,
  and knows more about some shapes."""
  kinds = {a.name: a.type for a in op_def_registry.get(op).attr}
  print('case ' + op)
  for name, value in sorted(attrs.items()):
    print(('  attr %s %s %s' % (name, kinds[name],
                                attr_text(kinds[name], value))).rstrip())
  for i in inputs:
    print('  in ' + i.line())
  for output in infer(op, attrs, inputs):
    print('  out ' + output)
  for output in ours or ():
    print('  ours ' + output)


def f(*shape):
  return Value('float', list(shape))


def i32(*shape):
  return Value('int32', list(shape))


ANY = Value('float', None)
IANY = Value('int32', None)
K = Known
F = {'T': 'float'}


def reshaping():
  shape = {'T': 'float', 'Tshape': 'int32'}
  case('Reshape', shape, f(2, 3), K([3, 2]))
  case('Reshape', shape, f(2, 3), K([-1]))
  case('Reshape', shape, f(2, 3), K([4, -1]))
  case('Reshape', shape, f(2, 3), K([7]))
  case('Reshape', shape, f(-1, 3), K([-1, 6]))
  case('Reshape', shape, f(-1, 3), K([5]))
  case('Reshape', shape, f(-1, 3), ShapeOf([-1, 10]))
  case('Reshape', shape, f(-1, 4, 2), ShapeOf([-1, 8]))
  case('Reshape', shape, f(12), ShapeOf([-1, 4]))
  case('Reshape', shape, f(-1, -1), K([2, -1]))
  case('Reshape', shape, f(0, -1), K([-1, 2]))
  case('Reshape', shape, f(0), K([0, -1]))
  case('Reshape', shape, ANY, K([2, -1]))
  case('Reshape', shape, f(6), i32(2))
  case('Reshape', shape, f(6), IANY)
  case('Reshape', shape, f(6), K([-2, 3]))
  case('Reshape', shape, f(0), K([0] * 255), ours=['error'])
  case('Reshape', shape, f(1), K([2**31 - 1] * 3))
  for dims in ([], [0], [-1], [1], [5], [-3]):
    case('Squeeze', {'T': 'float', 'squeeze_dims': dims}, f(1, 3, 1))
    case('Squeeze', {'T': 'float', 'squeeze_dims': dims}, f(-1, 3))
  case('Squeeze', {'T': 'float'}, ANY)
  for dim in (0, 2, -1, -3, 3, -4):
    case('ExpandDims', {'T': 'float', 'Tdim': 'int32'}, f(2, -1), K(dim))
  case('ExpandDims', {'T': 'float', 'Tdim': 'int32'}, f(2, 3), i32())
  case('ExpandDims', {'T': 'float', 'Tdim': 'int32'}, ANY, K(0))
  case('ExpandDims', {'T': 'float', 'Tdim': 'int32'}, f(2), K([0, 1]))
  for op in ('Shape', 'Size', 'Rank'):
    for x in (f(2, -1), ANY, f()):
      case(op, F, x)
  case('ShapeN', {'T': 'float', 'N': 2}, f(2, -1), ANY)


def joining():
  for axis in (0, 1, -1, 2, -3):
    case('Pack', {'T': 'float', 'N': 2, 'axis': axis}, f(3), f(-1))
  case('Pack', {'T': 'float', 'N': 2}, f(3), f(4))
  case('Pack', {'T': 'float', 'N': 1}, ANY)
  for axis in (0, 1, -1, 2, -3):
    case('Unpack', {'T': 'float', 'num': 2, 'axis': axis}, f(2, 3))
  case('Unpack', {'T': 'float', 'num': 2}, ANY)
  case('Unpack', {'T': 'float', 'num': 2}, f(-1, 4))
  concat = {'T': 'float', 'N': 2, 'Tidx': 'int32'}
  for axis in (0, 1, -1, -2, 2, -3):
    case('ConcatV2', concat, f(2, 3), f(2, 3), K(axis))
  case('ConcatV2', concat, f(2, 3), f(4, 3), K(1))
  case('ConcatV2', concat, f(2, -1), f(-1, 3), K(0))
  case('ConcatV2', concat, f(2, 3), ANY, K(0))
  case('ConcatV2', concat, ANY, ANY, K(0))
  case('ConcatV2', concat, f(2, 3), f(2, 3), i32())
  case('ConcatV2', concat, f(), f(), K(0))
  case('ConcatV2', concat, f(2, 3), f(2), K(0))
  case('ConcatV2', concat, f(2), f(2), K([0]))
  case('ConcatOffset', {'N': 2}, K(0), i32(2), i32(-1))
  for axis in (0, 1, -1, 2):
    case('Split', {'T': 'float', 'num_split': 2}, K(axis), f(4, 3))
  case('Split', {'T': 'float', 'num_split': 2}, K(0), f(-1, 3))
  case('Split', {'T': 'float', 'num_split': 2}, i32(), f(4, 3))
  splitv = {'T': 'float', 'Tlen': 'int32', 'num_split': 2}
  for sizes in ([1, 3], [-1, 1], [2, 3], [-1, -1], [5, -1], [-2, 6]):
    case('SplitV', splitv, f(4, 3), K(sizes), K(0))
  case('SplitV', splitv, f(-1, 3), K([1, 2]), K(0))
  case('SplitV', splitv, f(4, 3), i32(2), K(1))
  case('SplitV', splitv, f(4, 3), K([1, 3]), K(2))


def slicing():
  index = {'T': 'float', 'Index': 'int32'}
  for begin, size in (([0, 1], [1, 2]), ([0, 1], [-1, -1]), ([0, 4], [1, 1]),
                      ([-1, 0], [1, 1]), ([0, 0], [3, 1]), ([0], [1]),
                      ([0, 0], [-2, 1])):
    case('Slice', index, f(2, 3), K(begin), K(size))
  case('Slice', index, f(2, 3), i32(2), K([1, -1]))
  case('Slice', index, f(2, 3), i32(2), i32(2))
  case('Slice', index, ANY, i32(2), K([1, 2]))
  case('Slice', index, f(-1, 3), K([0, 1]), K([-1, 2]))
  slices = [
      ([0], [2], [1], {}), ([1], [-1], [1], {}), ([-1], [0], [-1], {}),
      ([0, 0], [2, 3], [1, 2], {}), ([0], [0], [0], {}),
      ([0, 0], [0, 0], [1, 1], {'begin_mask': 3, 'end_mask': 3}),
      ([1], [0], [1], {'shrink_axis_mask': 1}),
      ([9], [0], [1], {'shrink_axis_mask': 1}),
      ([-5], [0], [1], {'shrink_axis_mask': 1}),
      ([1], [0], [-1], {'shrink_axis_mask': 1}),
      ([0, 1], [0, 2], [1, 1], {'ellipsis_mask': 1}),
      ([0, 0], [0, 0], [1, 1], {'ellipsis_mask': 3}),
      ([0, 0], [0, 0], [1, 1], {'ellipsis_mask': 12}),
      ([0], [1], [1], {'begin_mask': 2**31}),
      ([0] * 31, [0] * 31, [1] * 31, {'new_axis_mask': 2**31 - 1}),
      ([0] * 32, [0] * 32, [1] * 32, {'new_axis_mask': 2**31 - 1}),
      ([0, 0], [0, 2], [1, 1], {'new_axis_mask': 1}),
      ([0, 0, 0], [0, 0, 2], [1, 1, 1],
       {'ellipsis_mask': 1, 'new_axis_mask': 2}),
      ([0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1], {}),
      ([100], [200], [1], {}), ([-100], [100], [3], {}),
      ([4], [-100], [-2], {}), ([2**31 - 1], [-2**31], [-2**31], {}),
  ]
  for begin, end, strides, masks in slices:
    for x in (f(4, 5, 6), f(-1, 5, -1)):
      case('StridedSlice', {**index, **masks}, x, K(begin), K(end), K(strides))
  case('StridedSlice', index, ANY, K([0]), K([1]), K([1]))
  case('StridedSlice', index, f(4, 5), i32(1), K([1]), K([1]))
  case('StridedSlice', {**index, 'shrink_axis_mask': 1}, f(4, 5), i32(1),
       i32(1), K([1]))
  case('StridedSlice', {**index, 'begin_mask': 1, 'end_mask': 1}, f(4, 5),
       i32(1), i32(1), K([-2]))
  case('StridedSlice', index, f(4, 5), K([0]), K([1]), i32(1))
  case('StridedSlice', index, f(4, 5), K([0, 0]), K([1]), K([1]))
  case('StridedSliceGrad', index, ShapeOf([-1, 4]), K([0]), K([1]), K([1]),
       f(1, 4))


def rearranging():
  perm = {'T': 'float', 'Tperm': 'int32'}
  for p in ([1, 0], [0, -1], [-10, 0], [2, 0], [0]):
    case('Transpose', perm, f(2, -1), K(p))
  case('Transpose', perm, f(2, 3), i32(2))
  case('Transpose', perm, ANY, K([1, 0]))
  case('Transpose', perm, ANY, i32(3))
  case('Transpose', perm, ANY, IANY)
  tile = {'T': 'float', 'Tmultiples': 'int32'}
  case('Tile', tile, f(2, -1), K([3, 2]))
  case('Tile', tile, f(2, 3), K([3]))
  case('Tile', tile, f(2, 3), i32(2))
  case('Tile', tile, ANY, K([2, 2]))
  case('Tile', tile, f(1), K([0]))
  case('Tile', {'T': 'float', 'Tmultiples': 'int64'}, f(2**40, 1),
       K([2**40, 1], 'int64'))
  broadcast = {'T': 'float', 'Tidx': 'int32'}
  case('BroadcastTo', broadcast, f(1, 3), K([2, 3]))
  case('BroadcastTo', broadcast, f(2, 3), K([3]))
  case('BroadcastTo', broadcast, f(2, 3), K([4, 3]))
  case('BroadcastTo', broadcast, f(-1, 3), ShapeOf([-1, 5, 3]))
  case('BroadcastTo', broadcast, f(2), IANY)
  pad = {'T': 'float', 'Tpaddings': 'int32'}
  case('Pad', pad, f(2, -1), K([[1, 1], [0, 2]]))
  case('Pad', pad, f(2, 3), K([[1, 1]]))
  case('Pad', pad, f(2, 3), K([[-1, 1], [0, 0]]))
  case('Pad', pad, ANY, K([[1, 1], [0, 2]]))
  case('Pad', pad, f(2, 3), i32(2, 2))
  case('Pad', pad, f(2, 3), i32(2, 3))
  fill = {'T': 'float', 'index_type': 'int32'}
  case('Fill', fill, K([2, 3]), f())
  case('Fill', fill, ShapeOf([-1, 3]), f())
  case('Fill', fill, i32(3), f())
  case('Fill', fill, K([2]), f(1))
  case('Fill', fill, K([-3]), f())
  for bounds in ((0, 5, 1), (0, 5, 2), (5, 0, -1), (0, 5, 0), (5, 0, 1),
                 (0, 5, -1)):
    case('Range', {'Tidx': 'int32'}, *[K(b) for b in bounds])
  case('Range', {'Tidx': 'float'}, *[K(b, 'float') for b in (0., 1., .25)])
  case('Range', {'Tidx': 'int32'}, K(0), i32(), K(1))
  case('Range', {'Tidx': 'int32'}, K([0]), K(1), K(1))
  hot = {'T': 'float', 'TI': 'int32'}
  for axis in (-1, 0, 1, 2, -2):
    case('OneHot', {**hot, 'axis': axis}, i32(-1), K(10), f(), f(),
         ours=['error'] if axis == 2 else None)
  case('OneHot', hot, i32(4), i32(), f(), f())
  case('OneHot', hot, i32(4), K(-1), f(), f())
  case('Cast', {'SrcT': 'float', 'DstT': 'int32'}, f(2, -1))
  case('Where', {'T': 'float'}, f(2, 3))
  case('Where', {'T': 'float'}, ANY)
  for condition in ([], [2], [2, 3], [3], [1, 3]):
    case('Select', F, Value('bool', condition), f(2, 3), f(-1, 3))
    case('SelectV2', F, Value('bool', condition), f(2, 3), f(3))


def gathering():
  gather = {'Tparams': 'float', 'Tindices': 'int32', 'Taxis': 'int32'}
  for axis in (0, 1, -1, 2, -3):
    case('GatherV2', gather, f(4, 5), i32(2, 3), K(axis))
  case('GatherV2', gather, f(4, 5), i32(2), i32())
  case('GatherV2', gather, f(4, 5), IANY, K(0))
  case('GatherV2', gather, f(), i32(2), K(0))
  for batch in (1, -1, 2, 3):
    case('GatherV2', {**gather, 'batch_dims': batch}, f(4, 5, 6), i32(4, 2),
         K(2))
  case('GatherV2', {**gather, 'batch_dims': 1}, f(4, 5), i32(3, 2), K(1))
  case('GatherV2', {**gather, 'batch_dims': 1}, f(4, 5), i32(4, 2), K(0))
  gather = {'Tparams': 'float', 'Tindices': 'int32'}
  case('Gather', gather, f(4, 5), i32(2, 3))
  case('Gather', gather, f(), i32(2))
  case('GatherNd', gather, f(4, 5, 6), i32(7, 2))
  case('GatherNd', gather, f(4, 5, 6), i32(7, 4))
  case('GatherNd', gather, f(4, 5, 6), i32(7, -1))
  case('GatherNd', gather, f(4), i32())
  scatter = {'T': 'float', 'Tindices': 'int32'}
  case('ScatterNd', scatter, i32(2, 1), f(2, 5), K([4, 5]))
  case('ScatterNd', scatter, i32(2, 1), f(2, 6), K([4, 5]))
  case('ScatterNd', scatter, i32(2, 3), f(2), K([4, 5]))
  case('ScatterNd', scatter, i32(2, 1), f(2), K([0]))
  segment = {'T': 'float', 'Tindices': 'int32', 'Tnumsegments': 'int32'}
  case('UnsortedSegmentSum', segment, f(4, 5), i32(4), K(3))
  case('UnsortedSegmentSum', segment, f(4, 5), i32(4), i32())
  case('UnsortedSegmentSum', segment, f(4, 5), i32(3), K(3))
  case('UnsortedSegmentSum', segment, f(4), i32(4, 1), K(3))
  case('UnsortedSegmentSum', segment, f(4, 5), i32(4), K(-1))
  segment = {'T': 'float', 'Tindices': 'int32'}
  for data in (f(4, 5), f(), ANY):
    for ids in (i32(4), i32(3), i32(4, 1), IANY):
      case('SegmentSum', segment, data, ids)
  case('SegmentMean', segment, f(4, 5), i32(4))
  segment = {'T': 'float'}
  for data in (f(4, 5), f(), ANY):
    for indices, ids in ((i32(3), i32(3)), (i32(2), i32(3)), (i32(3, 1), i32(3, 1)),
                         (IANY, IANY)):
      case('SparseSegmentSum', segment, data, indices, ids)
      for rows in (K(7), i32(), i32(1)):
        case('SparseSegmentSumGrad', segment, data, indices, ids, rows)
  case('SparseSegmentSumGrad', segment, f(4, 5), i32(3), i32(3), K(-1))
  for op in ('SparseSegmentMean', 'SparseSegmentSqrtN'):
    case(op, segment, f(4, 5), i32(3), i32(3))
    case(op + 'Grad', segment, f(4, 5), i32(3), i32(3), K(7))
  stitch = {'T': 'float', 'N': 2}
  case('DynamicStitch', stitch, K([0, 2]), K([1]), f(2, 3), f(1, 3))
  case('DynamicStitch', stitch, i32(2), K([1]), f(2, 3), f(1, 3))
  case('DynamicStitch', stitch, i32(2), i32(1), f(2, 3), f(1, 4))
  case('DynamicStitch', stitch, i32(2), i32(1), f(3, 3), f(1, 3))
  case('ParallelDynamicStitch', stitch, K([0, 2]), K([1]), f(2, 3), f(1, 3))
  case('ParallelDynamicStitch', stitch, i32(2), i32(1), f(2, 3), f(1, 4))
  deal = {'T': 'float', 'num_partitions': 2}
  case('DynamicPartition', deal, f(4, 3), i32(4))
  case('DynamicPartition', deal, f(-1, 3), i32(4))
  case('DynamicPartition', deal, f(4, 3), i32())
  case('DynamicPartition', deal, f(4, 3), i32(4, 3))
  case('DynamicPartition', deal, f(4, 3), i32(5))
  case('DynamicPartition', deal, f(4), i32(4, 3))
  case('DynamicPartition', deal, Value('float', None), i32(4))
  case('DynamicPartition', deal, f(4, 3), Value('int32', None))
  top = {'T': 'float'}
  case('TopKV2', top, f(2, 5), K(3))
  case('TopKV2', top, f(2, 5), K(6))
  case('TopKV2', top, f(2, 5), i32())
  case('TopKV2', top, f(), K(1))
  case('InTopKV2', {'T': 'int32'}, f(2, 5), i32(-1), i32())
  case('Unique', {'T': 'float'}, f(5))
  case('Unique', {'T': 'float'}, f(5, 1))


def arithmetic():
  for x, y in ((f(2, 3), f(3)), (f(2, 1), f(1, 3)), (f(2), f(3)),
               (f(-1, 3), f(2, 1)), (f(-1), f(1)), (f(-1), f(-1)),
               (ANY, f(2)), (f(0), f(1)), (f(), f(2, 3))):
    case('AddV2', F, x, y)
  case('Equal', F, f(2), f(3))
  case('Equal', {**F, 'incompatible_shape_error': False}, f(2), f(3))
  case('Exp', F, f(2, -1))
  case('TanhGrad', F, f(2), f(3))
  case('ReluGrad', F, f(2, -1), f(-1, 3))
  case('ReluGrad', F, f(2), f(3))
  case('Selu', F, f(2, -1))
  case('SeluGrad', F, f(2, -1), f(-1, 3))
  case('SoftsignGrad', F, f(2), f(3))
  case('Tan', F, f(2, -1))
  case('IsNan', F, ANY)
  case('InvGrad', F, f(2), f(3))
  case('TruncateDiv', F, f(2, 1), f(1, 3))
  case('Xlogy', F, f(2), f(3))
  case('NextAfter', F, f(2, 3), f(3))
  case('ApproximateEqual', F, f(2, -1), f(-1, 3), ours=['[2,3]'])
  case('ApproximateEqual', F, f(2), f(3))
  case('BitwiseAnd', {'T': 'int32'}, i32(2, 1), i32(3))
  case('LeftShift', {'T': 'int32'}, i32(2), i32(3))
  case('PopulationCount', {'T': 'int32'}, i32(2, -1))
  case('ClipByValue', F, f(2, -1), f(), f(2, 3))
  case('ClipByValue', F, f(2), f(3), f(4))
  case('EuclideanNorm', F, f(2, -1), K([1], 'int32'))
  for num in (K(3), K(1), K(0), K(-2), i32(), i32(1), IANY):
    case('LinSpace', F, f(), f(), num)
  case('LinSpace', F, f(1), f(), K(3))
  case('LinSpace', F, f(), f(1), i32())
  case('AddN', {**F, 'N': 3}, f(2, -1), f(-1, 3), ANY)
  case('AddN', {**F, 'N': 2}, f(2), f(3))
  for axes in ([0], [1], [-1], [0, 1], [], [2], [-3]):
    for keep in (False, True):
      case('Sum', {**F, 'Tidx': 'int32', 'keep_dims': keep}, f(2, -1),
           K(axes, 'int32'))
  case('Sum', {**F, 'keep_dims': True}, f(2, 3), i32(1))
  case('Sum', F, f(2, 3), i32(1))
  case('Sum', F, f(2, 3), K([[0]]))
  case('Sum', F, f(2, 3), K(1))
  for axis in (0, 1, -1, 2):
    case('ArgMax', F, f(2, -1), K(axis))
    case('Cumsum', F, f(2, -1), K(axis))
  case('ArgMax', F, f(2, 3), i32())
  case('ArgMax', F, f(2), i32())
  case('L2Loss', F, f(2, 3))
  for ta in (False, True):
    for tb in (False, True):
      t = {**F, 'transpose_a': ta, 'transpose_b': tb}
      case('MatMul', t, f(2, 3), f(3, 4))
      case('MatMul', t, f(-1, 3), f(3, -1))
      t = {**F, 'adj_x': ta, 'adj_y': tb}
      case('BatchMatMulV2', t, f(5, 2, 3), f(3, 4))
      case('BatchMatMulV2', t, f(5, 1, 3, 3), f(7, 3, 3))
  case('MatMul', F, f(2), f(2, 3))
  case('MatMul', F, ANY, f(2, 3))
  case('BatchMatMulV2', F, f(2), f(2, 3))
  case('BatchMatMulV2', F, f(2, 3, 3), f(4, 3, 3))


def convolution():
  conv = {**F, 'strides': [1, 2, 2, 1], 'padding': 'SAME'}
  x, w = f(-1, 9, 8, 3), f(3, 2, 3, 7)
  case('Conv2D', conv, x, w)
  case('Conv2D', {**conv, 'padding': 'VALID'}, x, w)
  case('Conv2D', {**conv, 'padding': 'VALID', 'dilations': [1, 3, 1, 1]}, x, w)
  case('Conv2D', {**conv, 'padding': 'VALID', 'dilations': [1, 9, 1, 1]}, x, w)
  case('Conv2D', {**conv, 'padding': 'EXPLICIT',
                  'explicit_paddings': [0, 0, 1, 2, 3, 0, 0, 0]}, x, w)
  case('Conv2D', {**conv, 'padding': 'EXPLICIT',
                  'explicit_paddings': [0, 0, 1, 2]}, x, w)
  case('Conv2D', {**conv, 'padding': 'EXPLICIT',
                  'explicit_paddings': [0, 0, -1, 2, 3, 0, 0, 0]}, x, w)
  case('Conv2D', {**conv, 'data_format': 'NCHW', 'strides': [1, 1, 2, 2]},
       f(-1, 3, 9, 8), w)
  for strides in ([1, 0, 1, 1], [1, -1, 1, 1], [1, 1, 1]):
    case('Conv2D', {**conv, 'strides': strides}, x, w)
  case('Conv2D', {**conv, 'dilations': [1, 0, 1, 1]}, x, w)
  case('Conv2D', conv, f(1, 9, 8, 5), w)
  case('Conv2D', conv, f(1, 9, 8, 6), w)
  case('Conv2D', conv, f(9, 8, 3), w)
  case('Conv2D', conv, ANY, w)
  case('Conv2D', conv, f(1, -1, 8, 3), w)
  case('Conv2D', conv, x, ANY)
  back = {**conv}
  case('Conv2DBackpropInput', back, ShapeOf([-1, 9, 8, 3]), w, f(-1, 5, 4, 7))
  case('Conv2DBackpropInput', back, K([9, 8]), w, f(2, 5, 4, 7))
  case('Conv2DBackpropInput', back, i32(4), w, ANY)
  case('Conv2DBackpropInput', back, i32(3), w, f(2, 5, 4, 7))
  case('Conv2DBackpropInput', back, i32(4), w, f())
  case('Conv2DBackpropFilter', back, x, K([3, 2, 3, 7]), f(-1, 5, 4, 7))
  case('Conv2DBackpropFilter', back, x, i32(4), f(-1, 5, 4, 7))
  pool = {**F, 'ksize': [1, 3, 2, 1], 'strides': [1, 2, 2, 1],
          'padding': 'SAME'}
  for op in ('MaxPool', 'AvgPool'):
    case(op, pool, x)
    case(op, {**pool, 'padding': 'VALID'}, x)
    case(op, {**pool, 'data_format': 'NCHW', 'ksize': [1, 1, 2, 2],
              'strides': [1, 1, 2, 2]}, f(2, 3, 9, -1))
    case(op, {**pool, 'strides': [1, 0, 1, 1]}, x)
    case(op, pool, f(2, 3))
    case(op, {**pool, 'ksize': [1, 2, 2, 1], 'padding': 'VALID',
              'strides': [1, 1, 1, 1]}, f(1, 1, 1, 1))
    case(op, pool, ANY)
  case('MaxPool', {**pool, 'padding': 'EXPLICIT',
                   'explicit_paddings': [0, 0, 1, 1, 1, 0, 0, 0]}, x)
  case('MaxPoolGrad', pool, x, ANY, ANY)
  case('AvgPoolGrad', pool, ShapeOf([-1, 9, 8, 3]), f(-1, 5, 4, 3))
  case('AvgPoolGrad', pool, i32(4), f(-1, 5, 4, 3))
  for form in ('NHWC', 'NCHW'):
    case('BiasAdd', {**F, 'data_format': form}, f(2, -1, 5, -1), f(3))
    case('BiasAddGrad', {**F, 'data_format': form}, f(2, 4, 5, 3))
    case('BiasAdd', {**F, 'data_format': form}, f(2, 3), f(3))
  case('BiasAdd', F, f(2, 4), f(3))
  case('BiasAdd', F, f(4), f(4))
  case('BiasAdd', F, ANY, f(4))
  bn = {**F, 'U': 'float'}
  c = f(3)
  case('FusedBatchNormV3', bn, x, c, c, f(0), f(0))
  case('FusedBatchNormV3', {**bn, 'is_training': False}, f(2, 9, 8, -1), c, c,
       c, c)
  case('FusedBatchNormV3', {**bn, 'is_training': False}, x, c, c, f(4), c)
  case('FusedBatchNormV3', {**bn, 'data_format': 'NCHW'}, f(2, 3, 4, 5), c, c,
       f(0), f(0))
  case('FusedBatchNormV3', bn, f(2, 3), c, c, c, c)
  case('FusedBatchNormGradV3', bn, x, x, c, c, c, ANY)
  depthwise = {**F, 'strides': [1, 2, 2, 1], 'padding': 'SAME'}
  name = 'DepthwiseConv2dNative'
  case(name, depthwise, x, f(3, 2, 3, 4))
  case(name, {**depthwise, 'padding': 'VALID'}, f(-1, -1, 8, -1), f(3, 2, 3, -1))
  case(name, {**depthwise, 'data_format': 'NCHW', 'strides': [1, 1, 2, 2]},
       f(2, 3, 9, 8), f(3, 2, 3, 4))
  case(name, {**depthwise, 'padding': 'EXPLICIT',
              'explicit_paddings': [0, 0, 1, 2, 0, 1, 0, 0]}, x, f(3, 2, 3, 4))
  case(name, depthwise, x, f(3, 2, 4, 4))
  case(name, depthwise, f(2, 3), f(3, 2, 3, 4))
  case(name, depthwise, x, f(3, 2, 3))
  case(name + 'BackpropInput', depthwise, ShapeOf([-1, 9, 8, 3]), ANY,
       f(-1, 5, 4, 6))
  case(name + 'BackpropInput', depthwise, i32(4), ANY, ANY)
  case(name + 'BackpropFilter', depthwise, ANY, K([3, 2, 3, 4]), ANY)
  case(name + 'BackpropFilter', depthwise, ANY, i32(4), ANY)
  window = {'ksize': [1, 3, 2, 1], 'strides': [1, 2, 2, 1], 'padding': 'SAME'}
  case('MaxPoolWithArgmax', {**F, **window}, f(-1, 9, 8, 3))
  case('MaxPoolWithArgmax', {**F, **window}, f(2, 3))
  case('MaxPoolGradGrad', {**F, **window}, f(-1, 9, 8, 3), ANY, f(2, 9, 8, 3))
  case('MaxPoolGradGrad', {**F, **window}, f(2, 9, 8, 3), f(2, 5, 3, 3), ANY)
  case('MaxPoolGradGrad', {**F, **window}, f(2, 9, 8, 3), ANY, f(2, 9, 8, 4))
  v2 = {**F, 'padding': 'VALID'}
  k, s = K([1, 3, 2, 1]), K([1, 2, 2, 1])
  case('MaxPoolV2', v2, f(-1, 9, 8, 3), k, s)
  case('MaxPoolV2', v2, f(2, 9, 8, 3), i32(4), s)
  case('MaxPoolV2', v2, f(2, 9, 8, 3), k, i32(4))
  case('MaxPoolV2', v2, ANY, k, s)
  case('MaxPoolV2', v2, f(2, 3), k, s)
  case('MaxPoolV2', v2, f(2, 9, 8, 3), K([1, 3, 2]), s)
  case('MaxPoolV2', v2, f(2, 9, 8, 3), K([1, 30, 2, 1]), s)
  case('MaxPoolGradV2', v2, f(-1, 9, 8, 3), ANY, ANY, k, s)
  case('MaxPoolGradV2', v2, f(2, 3), ANY, ANY, k, s)
  for name in ('ResizeNearestNeighbor', 'ResizeBilinear',
               'ResizeNearestNeighborGrad'):
    for size in (K([5, 7]), i32(2), i32(3), IANY, K([5]), K(5), ShapeOf([5, -1])):
      case(name, F, f(-1, 9, 8, 3), size)
    case(name, F, ANY, K([5, 7]))
    case(name, F, f(2, 3), K([5, 7]))
  case('ResizeBilinearGrad', F, f(2, 9, 8, 3), f(2, 4, -1, 3))
  case('ResizeBilinearGrad', F, f(2, 3), ANY)
  for version, attrs in (('', F), ('V2', bn)):
    case('FusedBatchNorm' + version, attrs, x, c, c, f(0), f(0))
    case('FusedBatchNorm' + version, {**attrs, 'is_training': False}, x, c, c,
         f(4), c)
    case('FusedBatchNormGrad' + version, attrs, x, x, c, c, c)
    case('FusedBatchNormGrad' + version, attrs, f(2, 3), x, c, c, c)
  case('LRN', F, x)
  case('LRN', F, f(2, 3))
  case('LRNGrad', F, x, f(2, 9, 8, -1), ANY)


def losses():
  case('Softmax', F, f(2, 3))
  case('Softmax', F, f())
  case('LogSoftmax', F, ANY)
  cross = 'SoftmaxCrossEntropyWithLogits'
  case(cross, F, f(-1, 10), f(32, 10))
  case(cross, F, f(1, 10), f(32, 10))
  case(cross, F, f(3, 10), f(32, 10))
  case(cross, F, f(10), f(10))
  case(cross, F, ANY, f(32, 10))
  cross = 'Sparse' + cross
  sparse = {**F, 'Tlabels': 'int32'}
  case(cross, sparse, f(-1, 10), i32(32))
  case(cross, sparse, f(16, 10), i32(32))
  case(cross, sparse, f(10), i32())
  case(cross, sparse, ANY, IANY)


def random():
  draw = {'dtype': 'float', 'T': 'int32'}
  case('RandomUniform', draw, K([2, 3]))
  case('RandomUniform', draw, ShapeOf([-1, 3]))
  case('RandomUniform', draw, i32(2))
  case('RandomUniform', draw, K([-2]))
  case('RandomUniform', draw, i32(2, 2))
  case('RandomUniformInt', {'Tout': 'int32', 'T': 'int32'}, K([2]), i32(),
       i32(1))
  draw = {'dtype': 'float', 'Tshape': 'int32'}
  key, counter = Value('uint64', [1]), Value('uint64', [2])
  case('StatelessRandomUniformV2', draw, K([2, 3]), key, counter, i32())
  case('StatelessRandomUniformV2', draw, K([2, 3]), key, counter, i32(1))
  case('StatelessRandomGetKeyCounter', {'Tseed': 'int32'}, i32(2))
  case('StatelessRandomGetKeyCounter', {'Tseed': 'int32'}, i32(3))


def variables():
  v = Variable('float', [4, -1])
  case('ReadVariableOp', {'dtype': 'float'}, v)
  case('ReadVariableOp', {'dtype': 'int32'}, v)
  case('VariableShape', {}, v)
  case('AssignVariableOp', {'dtype': 'float'}, v, f(4, 3))
  case('AssignVariableOp', {'dtype': 'float'}, v, f(5, 3))
  case('AssignAddVariableOp', {'dtype': 'float'}, v, f(5, 3))
  gather = {'dtype': 'float', 'Tindices': 'int32'}
  case('ResourceGather', gather, v, i32(2, 2))
  case('ResourceGather', {**gather, 'batch_dims': 1}, v, i32(4, 2))
  case('ResourceScatterAdd', gather, v, i32(2), f(2, 3))
  case('ResourceScatterAdd', gather, v, i32(2), f(3, 3))
  case('ResourceScatterAdd', gather, v, i32(2), f())
  w = Variable('float', [4, 3])
  case('ResourceApplyGradientDescent', F, w, f(), f(4, 3))
  case('ResourceApplyGradientDescent', F, w, f(), f(4, 2))
  case('ResourceApplyGradientDescent', F, w, f(1), f(4, 3))
  case('ResourceApplyMomentum', F, w, w, f(), f(4, 3), f())
  case('ResourceApplyMomentum', F, w, v, f(), f(5, 3), f(), ours=['error'])
  adam = [f()] * 6
  case('ResourceApplyAdam', F, w, w, w, *adam, f(4, 3))
  case('ResourceApplyAdam', F, w, w, w, *adam, f(3), ours=['error'])
  sparse = {**F, 'Tindices': 'int32'}
  case('ResourceSparseApplyAdagrad', sparse, w, w, f(), f(2, 3), i32(2))
  case('ResourceSparseApplyAdagrad', sparse, w, w, f(), f(2, 3), i32(3),
       ours=['error'])
  case('ResourceSparseApplyAdagrad', sparse, w, w, f(), f(2, 4), i32(2),
       ours=['error'])
  for name in ('Adadelta', 'AdagradDA', 'AdagradV2', 'CenteredRMSProp', 'Ftrl',
               'FtrlV2', 'KerasMomentum', 'ProximalAdagrad',
               'ProximalGradientDescent', 'RMSProp'):
    training('ResourceApply' + name, f(4, 3), f(4, 2))
    training('ResourceSparseApply' + name, f(2, 3), f(3, 3))
  for name in ('AdaMax', 'AdamWithAmsgrad', 'AddSign', 'PowerSign'):
    training('ResourceApply' + name, f(4, 3), f(4, 2))


def training(op, gradient, wrong_gradient):
  """A training op with these gradients, and with a vector in place of a scalar."""
  attrs = {**F, 'Tindices': 'int32'} if 'Sparse' in op else F

  def inputs(scalar, gradient):
    special = {'grad': gradient, 'delta': gradient, 'indices': i32(2),
               'global_step': Value('int64', [])}
    return [Variable('float', [4, 3]) if arg.type == tf.resource.as_datatype_enum
            else special.get(arg.name, scalar)
            for arg in op_def_registry.get(op).input_arg]

  case(op, attrs, *inputs(f(), gradient))
  for wrong in (inputs(f(), wrong_gradient), inputs(f(1), gradient)):
    accepted = 'error' not in infer(op, attrs, wrong)
    case(op, attrs, *wrong, ours=['error'] if accepted else None)


def lists():
  element = {'element_dtype': 'float'}
  short = {**element, 'shape_type': 'int32'}
  some = List('float', [-1, 3])
  case('TensorListStack', element, some, K([2, 3]))
  case('TensorListStack', {**element, 'num_elements': 5}, some, K(-1))
  case('TensorListStack', element, some, K([2]))
  case('TensorListStack', {'element_dtype': 'int32'}, some, K(-1))
  case('TensorListGetItem', element, some, i32(), K(-1))
  case('TensorListPushBack', element, some, f(2, 3))
  case('TensorListPushBack', element, some, f(2, 4))
  case('TensorListPopBack', element, some, K([7, -1]), ours=['[]', '[7,3]'])
  case('TensorListLength', {}, some)
  case('TensorListGather', element, some, i32(4), K(-1))
  case('TensorListConcatV2', short, some, K(-1), Value('int64', [-1]))
  case('TensorListFromTensor', short, f(5, 3), K([3]))
  case('TensorListFromTensor', short, f(5, 3), K([4]))
  case('TensorListSetItem', element, some, i32(), f(2, 3))
  case('TensorListReserve', short, K([2]), i32())


def narrow_indices():
  def K16(*values):
    return Known(values, 'int16')
  index = {'T': 'float', 'Index': 'int16'}
  case('StridedSlice', index, f(5, 4), K16(1), K16(-1), K16(1))
  case('StridedSlice', {**index, 'shrink_axis_mask': 1}, f(5, 4), K16(5), K16(6),
       K16(1))
  case('TopKV2', {**F, 'Tk': 'int16', 'index_type': 'int16'}, f(5, 4),
       Known(2, 'int16'))
  case('GatherV2', {'Tparams': 'float', 'Tindices': 'int16', 'Taxis': 'int32'},
       f(5, 4), K16(1, 2), K(1))


def moving():
  reverse = {'T': 'float', 'Tidx': 'int32'}
  for axes in ([0], [-1], [0, 1], [2], [-3], [0, -2]):
    case('ReverseV2', reverse, f(2, -1), K(axes))
  case('ReverseV2', reverse, f(2, 3), K(0))
  case('ReverseV2', reverse, f(2, 3), i32(2))
  case('ReverseV2', reverse, ANY, K([0]))
  sequence = {'T': 'float', 'Tlen': 'int32', 'seq_dim': 1}
  for x, lengths in ((f(-1, 3), i32(2)), (f(2, 3), i32(3)), (f(2, 3), i32()),
                     (ANY, i32(2)), (f(2), i32(2))):
    case('ReverseSequence', sequence, x, lengths)
  for seq, batch in ((0, 1), (0, 2)):
    case('ReverseSequence', {**sequence, 'seq_dim': seq, 'batch_dim': batch},
         f(4, -1), i32(3))
  for seq, batch in ((-2, 0), (0, -10), (-10, -10)):
    case('ReverseSequence', {**sequence, 'seq_dim': seq, 'batch_dim': batch},
         f(4, -1), i32(3), ours=['error'])
  roll = {'T': 'float', 'Tshift': 'int32', 'Taxis': 'int32'}
  for x, shift, axis in ((f(2, -1), i32(), i32()), (f(2), i32(1), i32(1)),
                         (f(), i32(), i32()), (f(2), i32(1, 1), i32(1)),
                         (ANY, i32(), i32())):
    case('Roll', roll, x, shift, axis)
  pad = {'T': 'float', 'Tpaddings': 'int32'}
  case('PadV2', pad, f(2, -1), K([[1, 1], [0, 2]]), f())
  case('PadV2', pad, f(2, 3), K([[1, 1], [0, 2]]), f(1), ours=['error'])
  for mode in ('REFLECT', 'SYMMETRIC'):
    mirror = {**pad, 'mode': mode}
    case('MirrorPad', mirror, f(2, -1), K([[1, 1], [0, 2]]))
    case('MirrorPad', mirror, f(2, -1), i32(2, 2))
    case('MirrorPad', mirror, f(2, 3), K([[-1, 1], [0, 0]]))
    case('MirrorPadGrad', mirror, f(4, -1), K([[1, 1], [0, 2]]))
    case('MirrorPadGrad', mirror, f(4, -1), i32(2, 2))
    case('MirrorPadGrad', mirror, f(4, 3), K([[2, 2], [0, 0]]), ours=['error'])
    case('MirrorPadGrad', mirror, f(4, 3), K([[-1, 2], [0, 0]]))
    case('MirrorPadGrad', mirror, ANY, K([[1, 2], [0, 0]]))
  case('EnsureShape', {'T': 'float', 'shape': [2, -1]}, f(-1, 3))
  case('EnsureShape', {'T': 'float', 'shape': [2, -1]}, f(4, 3))
  case('EnsureShape', {'T': 'float', 'shape': [2, -1]}, ANY)
  case('Snapshot', F, f(2, -1))
  case('DeepCopy', F, f(2, -1))
  for target in ('int8', 'int32', 'double'):
    for x in (f(3, 2), f(-1), f(), f(3), ANY):
      case('Bitcast', {'T': 'float', 'type': target}, x)


def blocks():
  nd = {'T': 'float', 'Tblock_shape': 'int32'}
  to_batch, to_space = {**nd, 'Tpaddings': 'int32'}, {**nd, 'Tcrops': 'int32'}
  for op, attrs in (('SpaceToBatchND', to_batch), ('BatchToSpaceND', to_space)):
    for x in (f(12, 4, 6, 3), f(-1, 4, 6, -1), f(12, -1, 6), f(12, 4), ANY):
      case(op, attrs, x, K([2, 3]), K([[0, 0], [2, 1]]))
    case(op, attrs, f(12, 4, 6), K([2, 2]), K([[1, 1], [2, 2]]))
    case(op, attrs, f(12, 4, 6), K([2, 2]), i32(2, 2))
    case(op, attrs, f(12, 4, 6), i32(2), K([[1, 1], [2, 2]]))
    case(op, attrs, f(12, 4, 6), i32(-1), K([[1, 1], [2, 2]]),
         ours=['<unknown>'])
    case(op, attrs, f(12, 4, 6), K([2, 2]), K([[1, 1]]))
    case(op, attrs, f(12, 4, 6), K([2, 0]), K([[1, 1], [2, 2]]))
    case(op, attrs, f(12, 4, 6), K([2, 2]), K([[-1, 1], [2, 2]]))
    case(op, attrs, f(12, 4, 6), K([5, 2]), K([[4, 4], [2, 2]]))
  for op, attrs in (('SpaceToBatch', {'Tpaddings': 'int32'}), ('BatchToSpace', {'Tidx': 'int32'})):
    attrs = {'T': 'float', 'block_size': 2, **attrs}
    for x in (f(8, 3, 4, 1), f(-1, 3, -1, 2), f(6, 3, 5, 1), f(2, 3), ANY):
      case(op, attrs, x, K([[0, 1], [1, 1]]))
    case(op, attrs, f(8, 4, 4, 1), i32(2, 2))
    case(op, attrs, f(8, 4, 4, 1), K([[0, 1], [-1, 1]]))
  for data_format in ('NHWC', 'NCHW'):
    for op in ('SpaceToDepth', 'DepthToSpace'):
      attrs = {'T': 'float', 'block_size': 2, 'data_format': data_format}
      for x in (f(1, 4, 4, 4), f(-1, 8, 4, -1), f(1, 3, 4, 3), f(2, 3), ANY):
        case(op, attrs, x)


def diagonals():
  align = {'T': 'float'}
  any_extent = K(-1)
  for k in ([0], [1], [-1, 1], [1, 0], [0, 1, 2]):
    for x in (f(2, 3, 4), f(-1, 3), f(3), f(), ANY):
      ours = {'[-1, 1] [-1, 3]': ['[3,3]'], '[-1, 1] [3]': ['error'],
              '[1, 0] None': ['error'], '[0, 1, 2] None': ['error']}
      case('MatrixDiagV3', align, x, K(k), any_extent, any_extent, f(),
           ours=ours.get('%s %s' % (k, x.shape)))
  for rows, columns in ((4, -1), (-1, 6), (4, 6), (3, 3), (6, 6)):
    case('MatrixDiagV3', align, f(2, 4), K(0), K(rows), K(columns), f())
  case('MatrixDiagV3', align, f(2, 4), i32(), any_extent, any_extent, f())
  case('MatrixDiagV3', align, f(2, 4), K(0), i32(1), any_extent, f())
  case('MatrixDiagV3', align, f(2, 4), K(0), any_extent, any_extent, f(1))
  for k in ([0], [1], [-1, 1], [1, 0], [4], [-3], [0, 1, 2]):
    for x in (f(5, 3, 4), f(-1, 3, -1), f(3), ANY):
      never_runs = x is ANY and k in ([1, 0], [0, 1, 2]) or x.shape == [-1, 3, -1] and k == [-3]
      case('MatrixDiagPartV3', align, x, K(k), f(), ours=['error'] if never_runs else None)
    case('MatrixSetDiagV3', align, f(5, 3, 4), f(5, 3), K(k))
    case('MatrixSetDiagV3', align, f(-1, 3, 4), f(5, 3, 3), K(k),
         ours=['[5,3,4]'] if k == [-1, 1] else None)
    case('MatrixSetDiagV3', align, f(5, -1, 4), ANY, K(k), ours=['error'] if k == [4] else None)
  case('MatrixSetDiagV3', align, f(5, 3, 4), f(5, 3), i32())
  case('MatrixSetDiagV3', align, ANY, f(5, 3), K(0))
  for x in (f(2, 3, 4), f(3, 3), f(-1, 2), f(2), f(), ANY):
    case('MatrixDiag', F, x)
    case('MatrixDiagPart', F, x)
    case('Diag', F, x)
    case('DiagPart', F, x)
    case('MatrixSetDiag', F, x, ANY)
    case('MatrixSetDiag', F, x, f(2))
    case('MatrixBandPart', {**F, 'Tindex': 'int32'}, x, i32(), i32(),
         ours=['error'] if x.shape in ([], [2]) else None)
  case('DiagPart', F, f(2, -1, -1, 3))
  case('MatrixSetDiag', F, f(2, 3, 4), f(2, 4))
  case('MatrixBandPart', {**F, 'Tindex': 'int32'}, f(2, 3), i32(1), i32(), ours=['error'])


def comparing():
  for x in (f(3), f(-1), f(2, 3), f(), ANY):
    case('UniqueWithCounts', {**F, 'out_idx': 'int32'}, x,
         ours=['[?]'] * 3 if x is ANY else ['error'] if len(x.shape) != 1 else None)
    case('ListDiff', {**F, 'out_idx': 'int32'}, x, f(2))
    case('ListDiff', {**F, 'out_idx': 'int32'}, f(2), x)
    for op in ('UniqueV2', 'UniqueWithCountsV2'):
      attrs = {**F, 'Taxis': 'int32', 'out_idx': 'int32'}
      for axes in ([0], [1], [-1], [], [0, 1]):
        ours = None
        if x.shape == [2, 3] and len(axes) == 1:
          ours = (['[?,3]', '[2]'] if axes == [0] else ['[2,?]', '[3]']) + ['[?]'] * (
              op == 'UniqueWithCountsV2')
        case(op, attrs, x, K(axes, shape=[len(axes)]), ours=ours)
      case(op, attrs, x, i32(1))
  for a, b in ((i32(2), i32(3)), (i32(2), i32(-1)), (IANY, i32(1)), (i32(1), i32()),
               (K([2, 1]), K([3]))):
    case('BroadcastArgs', {'T': 'int32'}, a, b)


def combining():
  for x, y in ((f(2, 3, 4), f(2, 4, 5)), (f(-1, 3, 4), f(2, -1, 5)), (f(2, 3, 4), f(1, 4, 5)),
               (f(3, 4), f(4, 5)), (f(3), f(3)), (f(3, 4), f(3, 5)), (ANY, f(4, 5)),
               (f(2, 3, 4), ANY), (f(2, 3, 4), f(4, 5))):
    case('BatchMatMul', {'T': 'float', 'adj_x': False, 'adj_y': False}, x, y)
    case('BatchMatMulV3', {'Ta': 'float', 'Tb': 'float', 'Tout': 'float', 'adj_x': False,
                           'adj_y': False}, x, y)
  case('BatchMatMul', {'T': 'float', 'adj_x': True, 'adj_y': True}, f(2, 4, 3), f(2, 5, 4))
  scatter = {'T': 'float', 'Tindices': 'int32'}
  for op in ('TensorScatterUpdate', 'TensorScatterAdd', 'TensorScatterSub', 'TensorScatterMax',
             'TensorScatterMin'):
    for x, indices, updates in ((f(4, 5), i32(2, 1), f(2, 5)), (f(4, 5), i32(2, 2), f(2)),
                                (f(4, 5), i32(2, 1), f(2, 6)), (f(4, 5), i32(2, 3), f(2)),
                                (f(4, -1), i32(-1, 1), f(2, 5)), (ANY, i32(2, 1), f(2, 5)),
                                (f(4, 5), IANY, f(2, 5)), (f(4, 5), i32(2, 1), ANY),
                                (f(0), i32(2, 1), f(2)), (f(), i32(2, 1), f(2)),
                                (f(4), i32(), f(1))):
      case(op, scatter, x, indices, updates)


def flow():
  case('Switch', F, f(2, -1), Value('bool', []))
  case('Merge', {**F, 'N': 2}, f(2, 3), f(2, 4))
  case('Merge', {**F, 'N': 2}, f(2, 3), ANY)
  case('Merge', {**F, 'N': 2}, f(2, 3), f(2))
  case('LoopCond', {}, Value('bool', [2]))
  case('PlaceholderWithDefault', {'dtype': 'float', 'shape': [-1, 3]}, f(2, 3))
  case('PlaceholderWithDefault', {'dtype': 'float', 'shape': [4]}, f(2, 3))
  case('StringJoin', {'N': 2}, Value('string', [2]), Value('string', []))
  case('StringJoin', {'N': 2}, Value('string', [2]), Value('string', [3]))
  case('Assert', {'T': ['float']}, Value('bool', []), f(2))
  case('Assert', {'T': ['float']}, Value('bool', [1]), f(2))
  case('IdentityN', {'T': ['float', 'int32']}, f(2), i32(3))


def queues():
  handle = Value('resource', [])
  two = {'component_types': ['float', 'int32']}
  case('FIFOQueueV2', two)
  case('RandomShuffleQueueV2', {**two, 'capacity': 4, 'min_after_dequeue': 1})
  for op in ('FIFOQueue', 'RandomShuffleQueue'):
    case(op, {'component_types': ['float']})
  case('QueueEnqueueV2', {'Tcomponents': ['float']}, handle, f(2))
  case('QueueEnqueueManyV2', {'Tcomponents': ['float']}, handle, f())
  case('QueueDequeueV2', two, handle)
  case('QueueDequeueManyV2', two, handle, K(3))
  case('QueueDequeueManyV2', two, handle, K(-1))
  case('QueueDequeueManyV2', two, handle, i32())
  case('QueueDequeueUpToV2', two, handle, K(3))
  case('QueueDequeueUpToV2', two, handle, K(-1))
  case('QueueSizeV2', {}, handle)
  case('QueueIsClosedV2', {}, handle)
  case('QueueCloseV2', {}, handle)
  for name in (Reference(shape) for shape in ([], [2], [3], [1, 2], None)):
    for op in ('QueueSize', 'QueueIsClosed', 'QueueClose'):
      case(op, {}, name)
    for op in ('QueueDequeueMany', 'QueueDequeueUpTo'):
      case(op, two, name, K(-2))


def tables():
  of = {'key_dtype': 'string', 'value_dtype': 'int64'}
  for op in ('HashTable', 'HashTableV2', 'MutableHashTable', 'MutableHashTableV2'):
    case(op, of)
  for op in ('MutableHashTableOfTensors', 'MutableHashTableOfTensorsV2'):
    case(op, {**of, 'value_shape': [2]})
  for key in (f(), f(2), f(2, 1), ANY):
    case('MutableDenseHashTableV2', {'key_dtype': 'float', 'value_dtype': 'int64'}, key, key)
  types = {'Tin': 'float', 'Tout': 'int32'}
  entries = {'Tkey': 'float', 'Tval': 'int32'}
  for handle in (Value('resource', []), Value('resource', [1]), Value('resource', None)):
    case('LookupTableFindV2', types, handle, f(2, 3), i32())
    case('LookupTableFindV2', types, handle, f(2, 3), i32(2, 2))
    case('LookupTableInsertV2', types, handle, f(2, 3), i32(4))
    case('LookupTableRemoveV2', {'Tin': 'float'}, handle, f(2))
    case('LookupTableRemoveV2', {'Tin': 'float'}, handle, f())
    case('LookupTableExportV2', {'Tkeys': 'float', 'Tvalues': 'int32'}, handle)
    case('LookupTableSizeV2', {}, handle)
    for keys, values in ((f(2), i32(2)), (f(2), i32(3)), (f(), i32(3)), (f(2), i32(2, 3)),
                         (ANY, IANY)):
      case('LookupTableImportV2', types, handle, keys, values)
    for keys, values in ((f(2), i32(2)), (f(2), i32(3)), (f(), i32(1)), (f(2, 1), i32(2, 1)),
                         (ANY, IANY)):
      case('InitializeTableV2', entries, handle, keys, values)
    for name in (Value('string', []), Value('string', [1]), Value('string', None)):
      case('InitializeTableFromTextFileV2', {'key_index': -2, 'value_index': -1}, handle, name)


def readers():
  for op in ('TextLineReader', 'TFRecordReader', 'WholeFileReader', 'IdentityReader'):
    case(op + 'V2', {})
  case('WholeFileReader', {})
  case('FixedLengthRecordReaderV2', {'record_bytes': 1})
  of_one = ('ReaderReset', 'ReaderNumRecordsProduced', 'ReaderNumWorkUnitsCompleted',
            'ReaderSerializeState')
  shapes = ([], [1], None)
  for handle in (Value('resource', shape) for shape in shapes):
    for op in of_one:
      case(op + 'V2', {}, handle)
    for other in (Value('resource', shape) for shape in shapes):
      case('ReaderReadV2', {}, handle, other)
      for count in (Value('int64', shape) for shape in shapes):
        case('ReaderReadUpToV2', {}, handle, other, count)
    for state in (Value('string', shape) for shape in shapes):
      case('ReaderRestoreStateV2', {}, handle, state)
  names = [Reference(shape) for shape in ([], [2], [3], None)]
  for name in names:
    for op in of_one:
      case(op, {}, name)
    case('ReaderRestoreState', {}, name, Value('string', []))
    for other in names:
      case('ReaderRead', {}, name, other)
      case('ReaderReadUpTo', {}, name, other, Value('int64', []))


def accumulators():
  handle = Value('resource', [])
  dtype = {'dtype': 'float'}
  step = Value('int64', [])
  for op in ('ConditionalAccumulator', 'SparseConditionalAccumulator',
             'ResourceConditionalAccumulator'):
    case(op, {**dtype, 'shape': [2, 3]})
  for local_step in (step, Value('int64', [1]), Value('int64', None)):
    case('ResourceAccumulatorApplyGradient', dtype, handle, local_step, f(2))
    case('ResourceAccumulatorSetGlobalStep', {}, handle, local_step)
  for count in (K(1), i32(), i32(1), IANY):
    case('ResourceAccumulatorTakeGradient', dtype, handle, count)
  case('ResourceAccumulatorNumAccumulated', {}, handle)


def arrays():
  some = Array('float', [-1, 3])
  fixed = Array('float', [4, 3])
  handles = (some, Value('resource', [2]), Value('resource', []), Value('resource', None))
  flow, vector = f(), f(2)
  for size in (i32(), i32(1), IANY):
    case('TensorArrayV3', {'dtype': 'float', 'element_shape': [2]}, size)
  for handle in handles:
    case('TensorArrayGradV3', {'source': 'gradients'}, handle, flow)
    case('TensorArrayGradWithShape', {'source': 'gradients'}, handle, flow, i32(1))
    case('TensorArrayWriteV3', F, handle, i32(), f(2, 3), flow)
    case('TensorArrayReadV3', {'dtype': 'float'}, handle, i32(), flow)
    case('TensorArrayGatherV3', {'dtype': 'float'}, handle, i32(4), flow)
    case('TensorArrayScatterV3', F, handle, i32(4), f(4, 2, 3), flow)
    case('TensorArrayConcatV3', {'dtype': 'float'}, handle, flow)
    case('TensorArraySplitV3', F, handle, f(4, 3), Value('int64', [2]), flow)
    case('TensorArraySizeV3', {}, handle, flow)
    case('TensorArrayCloseV3', {}, handle)
  case('TensorArrayWriteV3', F, fixed, i32(), f(2, 3), flow)
  case('TensorArrayWriteV3', F, some, i32(1), f(2, 3), flow)
  case('TensorArrayGradV3', {'source': 'gradients'}, some, vector)
  case('TensorArrayGradWithShape', {'source': 'gradients'}, some, vector, i32(1))
  case('TensorArrayWriteV3', F, some, i32(), f(2, 3), vector)
  case('TensorArrayReadV3', {'dtype': 'float'}, some, i32(), vector)
  case('TensorArrayGatherV3', {'dtype': 'float'}, some, i32(4), vector)
  case('TensorArrayScatterV3', F, some, i32(4), f(4, 2, 3), vector)
  case('TensorArrayConcatV3', {'dtype': 'float'}, some, vector)
  case('TensorArraySplitV3', F, some, f(4, 3), Value('int64', [2]), vector)
  case('TensorArraySizeV3', {}, some, vector)
  case('TensorArraySizeV3', {}, Value('resource', [3]), flow)
  case('StackCloseV2', {}, Value('resource', [2]))
  case('TensorArrayReadV3', {'dtype': 'float'}, fixed, i32(), flow)
  case('TensorArrayReadV3', {'dtype': 'int32'}, fixed, i32(), flow)
  case('TensorArrayReadV3', {'dtype': 'float'}, fixed, i32(1), flow)
  case('TensorArrayGatherV3', {'dtype': 'float', 'element_shape': [4, -1]}, some, i32(5), flow)
  case('TensorArrayGatherV3', {'dtype': 'float', 'element_shape': [4, 2]}, some, i32(5), flow)
  case('TensorArrayGatherV3', {'dtype': 'float', 'element_shape': [4, 2]},
       Value('resource', [2]), i32(5), flow)
  case('TensorArrayGatherV3', {'dtype': 'float'}, some, i32(5, 1), flow)
  case('TensorArrayGatherV3', {'dtype': 'float'}, some, IANY, flow)
  case('TensorArrayScatterV3', F, some, i32(4), f(4, 2, 2), flow)
  case('TensorArrayScatterV3', F, some, i32(4, 1), f(4, 2, 3), flow)
  case('TensorArrayScatterV3', F, some, i32(4), f(), flow)
  case('TensorArrayScatterV3', F, some, i32(4), f(3, 2, 3), flow)
  case('TensorArrayConcatV3', {'dtype': 'float', 'element_shape_except0': [3]}, some, flow)
  case('TensorArrayConcatV3', {'dtype': 'float', 'element_shape_except0': [-1]}, fixed, flow)
  case('TensorArrayConcatV3', {'dtype': 'float', 'element_shape_except0': [2]}, fixed, flow)
  case('TensorArraySplitV3', F, some, f(4, 2), Value('int64', [2]), flow)
  case('TensorArraySplitV3', F, fixed, f(4, 3), Value('int64', [2]), flow)
  case('TensorArraySplitV3', F, some, f(4, 3), Value('int64', [2, 1]), flow)
  case('TensorArraySplitV3', F, some, f(), Value('int64', [2]), flow)


def stacks():
  handle = Value('resource', [])
  for size in (i32(), i32(1)):
    case('StackV2', {'elem_type': 'float'}, size)
  case('StackPushV2', F, handle, f(2, -1))
  case('StackPopV2', {'elem_type': 'float'}, handle)
  case('StackCloseV2', {}, handle)


def collectives():
  group = {'group_size': 3, 'group_key': 1, 'instance_key': 1}
  reduction = {'T': 'float', 'merge_op': 'Add', 'final_op': 'Id'}
  for x in (f(2, -1), f(), Value('float', None)):
    case('CollectiveReduce', {**reduction, **group, 'subdiv_offsets': [0]}, x)
    case('CollectiveReduceV2', reduction, x, K(3), K(1), K(1))
  for x in (f(2, -1), f(-1, 3), f(), Value('float', None)):
    case('CollectiveGather', {'T': 'float', **group, 'shape': []}, x)
    case('CollectiveGatherV2', {'T': 'float'}, x, K(3), K(1), K(1))
  for shape in ([], [2, 3]):
    case('CollectiveBcastSend', {'T': 'float', **group, 'shape': shape}, f(2, 3))
    case('CollectiveBcastRecv', {'T': 'float', **group, 'shape': shape})
  case('CollectiveBcastSendV2', {'T': 'float'}, f(2, -1), K(3), K(1), K(1))
  for shape in (K([2, 3]), ShapeOf([2, -1]), i32(2), i32(-1)):
    case('CollectiveBcastRecvV2', {'T': 'float'}, K(3), K(1), K(1), shape)
  case('CollectiveAssignGroupV2', {}, i32(2, 2), i32(), i32())


def checkpoints():
  name = Value('string', [])
  for rows, old_name in ((3, name), (0, name), (3, Value('string', [1]))):
    case('LoadAndRemapMatrix', {'num_rows': rows, 'num_cols': 2}, name, old_name,
         Value('int64', None), Value('int64', None), ANY)


def equations():
  for equation, *inputs in (
      ('ij->ji', f(2, -1)), ('ij->', f(2, 3)), ('ii->i', f(-1, 3)), ('ii->i', f(2, 3)),
      ('i->ii', f(3)), ('ij->ij', ANY), ('ij->ij', f(3)), ('ij', f(2, 3)), ('->', f()),
      ('ij,jk->ik', f(2, 3), f(-1, 4)), ('ij,jk->ik', f(2, 3), f(2, 4)),
      ('ij,jk->ik', ANY, f(3, 4)), ('ij,jk->ik', f(2, 3)), ('ij->ij', f(2, 3), f(2, 3)),
      ('ij,jk,kl->il', f(2, 3), f(3, 2), f(2, 2)), ('ij->ik', f(2, 3)), ('i->j->k', f(3)),
      ('...ij,...jk->...ik', f(2, 1, 2, 3), f(-1, 3, 4)), ('...ij->...ji', ANY),
      ('...ij->ij', ANY), ('...ij->ij', f(2, 3)), ('...ij->ij', f(1, 2, 3)),
      ('...i->i...', f(2, -1, 3)), ('i...j->j...i', f(2, 3, 4, -1)), ('i...j->...', f(2)),
      ('...,...->...', f(2, 3), f(4, 3)), ('...,...->...', f(2, 1), ANY), ('...ij->...ij', f(3)),
      ('ij->...ij', f(2, 3)), ('i.j->ij', f(2, 3)), ('i..j->ij', f(2, 3)),
      ('......i->i', f(3)), ('i...j...->ij', f(2, 3)), ('ij->i..', f(2, 3)),
      ('ij->...i...', f(2, 3)), ('i->i,j', f(3)), ('i1->1', f(2, 3)), ('i j->j i', f(2, 3))):
    case('Einsum', {**F, 'N': len(inputs), 'equation': equation}, *inputs)


def volumes():
  conv = {**F, 'strides': [1, 2, 1, 2, 1], 'padding': 'SAME'}
  x, w = f(-1, 7, 9, 8, 3), f(2, 3, 2, 3, 7)
  case('Conv3D', conv, x, w)
  case('Conv3D', {**conv, 'padding': 'VALID'}, x, w)
  case('Conv3D', {**conv, 'padding': 'VALID', 'dilations': [1, 1, 2, 2, 1]}, x, w)
  case('Conv3D', {**conv, 'padding': 'VALID', 'dilations': [1, 9, 1, 1, 1]}, x, w)
  case('Conv3D', {**conv, 'data_format': 'NCDHW', 'strides': [1, 1, 2, 1, 2]}, f(2, 3, 7, 9, -1), w)
  for strides in ([1, 0, 1, 1, 1], [1, 1, -1, 1, 1], [1, 1, 1, 1, 1, 1]):
    case('Conv3D', {**conv, 'strides': strides}, x, w)
  case('Conv3D', {**conv, 'strides': [2, 1, 1, 1, 1]}, x, w, ours=['error'])
  for a, b in ((f(1, 7, 9, 8, 6), w), (f(7, 9, 8, 3), w), (ANY, w), (x, ANY), (x, f(2, 3, 2, 7)),
               (f(1, -1, 9, 8, 3), w), (f(1, 1, 1, 1, 3), f(-1, -1, -1, 3, -1))):
    case('Conv3D', conv, a, b)
    case('Conv3D', {**conv, 'padding': 'VALID'}, a, b)
  dy = f(-1, 4, 9, 4, 7)
  case('Conv3DBackpropInputV2', conv, ShapeOf([-1, 7, 9, 8, 3]), w, dy)
  case('Conv3DBackpropInputV2', {**conv, 'Tshape': 'int64'}, K([2, 7, 9, 8, 3], 'int64'), w, dy)
  case('Conv3DBackpropInputV2', conv, i32(5), ANY, ANY)
  case('Conv3DBackpropInputV2', conv, i32(4), w, dy)
  case('Conv3DBackpropFilterV2', conv, x, K([2, 3, 2, 3, 7]), dy)
  case('Conv3DBackpropFilterV2', conv, x, i32(5), dy)
  case('Conv3DBackpropFilterV2', conv, x, i32(4), dy)
  pool = {**F, 'ksize': [1, 2, 3, 2, 1], 'strides': [1, 2, 1, 2, 1], 'padding': 'SAME'}
  for op in ('MaxPool3D', 'AvgPool3D'):
    case(op, pool, x)
    case(op, {**pool, 'padding': 'VALID'}, x)
    case(op, {**pool, 'padding': 'VALID'}, f(2, 1, 9, 8, 3))
    case(op, {**pool, 'data_format': 'NCDHW', 'ksize': [1, 1, 2, 3, 2],
              'strides': [1, 1, 2, 2, 2]}, f(2, 3, 7, 9, -1))
    case(op, {**pool, 'strides': [1, 0, 1, 1, 1]}, x)
    case(op, {**pool, 'ksize': [1, 2, 2, 2, 1, 1]}, x)
    case(op, pool, f(2, 3))
    case(op, pool, ANY)
  case('MaxPool3DGrad', {**pool, 'TInput': 'float'}, x, ANY, ANY)
  case('MaxPool3DGrad', {**pool, 'TInput': 'float'}, ANY, ANY, ANY)
  case('MaxPool3DGrad', {**pool, 'TInput': 'float'}, f(2, 3), ANY, ANY)
  case('MaxPool3DGradGrad', pool, x, ANY, f(2, 7, 9, 8, 3))
  case('MaxPool3DGradGrad', pool, x, f(2, 4, 9, 4, 3), ANY)
  case('MaxPool3DGradGrad', pool, x, ANY, f(2, 7, 9, 8, 4))
  case('MaxPool3DGradGrad', pool, x, f(2, 4, 9, 5, 3), ANY)
  case('AvgPool3DGrad', pool, ShapeOf([-1, 7, 9, 8, 3]), f(-1, 4, 9, 4, 3))
  case('AvgPool3DGrad', pool, i32(5), ANY)
  case('AvgPool3DGrad', pool, i32(4), ANY)


def recurrent():
  state, cell = f(-1, 3), [f(4 + 3, 12), f(3), f(3), f(3), f(12)]
  lstm = [f(2, 4), state, state, *cell]
  grad = {**F, 'use_peephole': False}
  for x in (f(2, 4), f(-1, 4), ANY, f(2)):
    case('LSTMBlockCell', F, x, *lstm[1:])
    case('LSTMBlockCellGrad', grad, x, *lstm[1:], *[state] * 8)
    case('GRUBlockCell', F, x, state, f(7, 6), f(7, 3), f(6), f(3))
    case('GRUBlockCellGrad', F, x, state, f(7, 6), f(7, 3), f(6), f(3), *[state] * 4)
  case('LSTMBlockCell', F, lstm[0], ANY, *lstm[2:])
  case('LSTMBlockCell', F, lstm[0], f(3), *lstm[2:])
  case('LSTMBlockCellGrad', grad, lstm[0], ANY, *lstm[2:], *[state] * 8)
  case('GRUBlockCellGrad', F, f(2, 4), ANY, ANY, f(7, 3), f(6), f(3), *[state] * 4)
  case('GRUBlockCellGrad', F, f(2, 4), state, f(7), f(7, 3), f(6), f(3), *[state] * 4)
  steps = Value('int64', [])
  for op in ('BlockLSTM', 'BlockLSTMV2'):
    for x in (f(5, 2, 4), f(-1, -1, 4), ANY, f(2, 4)):
      case(op, F, steps, x, *lstm[1:])
    for b in (f(-1), f(10), f(12, 1), ANY):
      case(op, F, steps, f(5, 2, 4), *lstm[1:-1], b)
    back = op.replace('LSTM', 'LSTMGrad')
    case(back, grad, steps, f(5, 2, 4), *lstm[1:], *[f(5, 2, 3)] * 9)
    case(back, grad, steps, ANY, *[ANY] * 7, *[ANY] * 9)
    case(back, grad, steps, f(5, 2, 4), f(3), *lstm[2:], *[ANY] * 9)


def updates():
  for op in ('ScatterNdUpdate', 'ScatterNdAdd', 'ScatterNdMax'):
    for ref, indices, update in (
        (f(5), i32(2, 1), f(2)), (f(5, 3), i32(-1, 1), f(-1, 3)), (f(5, 3), i32(2, 2), f(2)),
        (f(5), i32(2, 1), f(3)), (f(5), i32(), f(2)), (f(5), i32(2, 1), f()), (ANY, i32(2, 1), f(2)),
        (f(5), IANY, ANY), (f(0), i32(2, 1), f(2)), (f(0), i32(0, 1), f(0)), (f(5), i32(2, 1), f(2, 1))):
      case('Resource' + op, {**F, 'Tindices': 'int32'}, Variable('float', ref.shape), indices, update)
  for indices in (i32(2, 1), i32(-1, 2), i32(4), i32(2, 3), i32(2, 4), IANY, i32()):
    for shape in ([5, -1, 2], [], None):
      case('ResourceGatherNd', {'dtype': 'float', 'Tindices': 'int32'}, Variable('float', shape), indices)
  case('ResourceGatherNd', {'dtype': 'int32', 'Tindices': 'int32'}, Variable('float', [5]), i32(2, 1))
  case('ResourceGatherNd', {'dtype': 'float', 'Tindices': 'int32'}, Value('resource', []), i32(2, 1),
       ours=['<unknown>'])
  for op in ('Mul', 'Div', 'Min', 'Max'):
    for update in (f(2, 3), f(), f(2, 4), ANY):
      case('ResourceScatter' + op, {'dtype': 'float', 'Tindices': 'int32'}, Variable('float', [5, 3]), i32(2), update)
  assign, handle = {**F, 'Index': 'int32'}, Variable('float', [5, 3])
  for begin, end, value in ((K([0]), K([2]), f(2)), (i32(1), i32(1), ANY)):
    case('ResourceStridedSliceAssign', assign, handle, begin, end, K([1]), value)
  for begin, end in ((i32(1), i32(2)), (i32(), i32(1)), (i32(1, 1), i32(1))):
    case('ResourceStridedSliceAssign', assign, handle, begin, end, K([1]), f(2), ours=['error'])
  for shape in ([], [1], None):
    case('ResourceCountUpTo', {'T': 'int32', 'limit': 3}, Variable('int32', shape))
  case('ResourceCountUpTo', {'T': 'int32', 'limit': 3}, Value('resource', []), ours=['[]'])


def counting():
  for size in (K(4), K(-4), i32(), i32(1), K([4]), IANY):
    case('Bincount', F, i32(3), size, f(0))
    dense = {**F, 'Tidx': 'int32'}
    for x in (i32(3), IANY, i32(2, 3, 4)):
      case('DenseBincount', dense, x, size, f(0))
    is_unknown = not isinstance(size, Known) and size.shape != [1]
    case('DenseBincount', dense, i32(2, -1), size, f(0), ours=['[2,?]'] if is_unknown else None)
    case('DenseBincount', dense, i32(), size, f(0), ours=['error'])
    case('HistogramFixedWidth', F, f(3), f(2), size)
  for limits in (f(3), f(2, 1), f(-1), ANY):
    case('HistogramFixedWidth', F, f(3), limits, K(4))
  for a, b in ((f(2, 3), f(-1, 3)), (f(2, 3), f(3)), (ANY, f(2, 3)), (f(2, -1), f(-1, -1)), (f(4), f(4)),
               (f(), f()), (ANY, ANY), (f(2, 3), f(4, 3))):
    case('Cross', F, a, b)
  pool = {**F, 'ksize': [1, 3, 2, 1], 'strides': [1, 2, 2, 1], 'padding': 'SAME', 'Targmax': 'int64'}
  places = Value('int64', None)
  for x in (f(2, 9, 8, 3), f(-1, 9, 8, 3), ANY, f(2, 3)):
    case('MaxPoolGradWithArgmax', pool, x, ANY, places)

def text(*shape):
  return Value('string', list(shape))


STRINGS = Value('string', None)


def images():
  for op in ('DecodeJpeg', 'DecodePng', 'DecodeBmp'):
    for channels in (0, 3, -1):
      case(op, {'channels': channels}, text())
    case(op, {}, text(2))
  case('DecodePng', {'channels': 4, 'dtype': 'uint16'}, STRINGS)
  case('DecodeGif', {}, text())
  case('DecodeGif', {}, text(1))
  for expand in (True, False):
    for channels in (0, 1, -1):
      case('DecodeImage', {'channels': channels, 'expand_animations': expand}, text())
  case('DecodeImage', {}, text(2))
  crop = {'channels': 3}
  case('DecodeAndCropJpeg', crop, text(), K([1, 2, 30, 40]))
  case('DecodeAndCropJpeg', crop, text(), i32(4))
  case('DecodeAndCropJpeg', {}, text(), ShapeOf([1, 2, 30, -1]))
  case('DecodeAndCropJpeg', crop, text(), K([1, 2, 3]))
  case('DecodeAndCropJpeg', crop, text(), i32(2, 2))
  case('DecodeAndCropJpeg', {'channels': -2}, text(), i32(4))
  case('ExtractJpegShape', {'output_type': 'int64'}, text())
  case('ExtractJpegShape', {}, text(1))
  for op in ('EncodeJpeg', 'EncodePng'):
    for shape in ((4, 5, 3), (4, 5), (2, -1, 4, 5, 3), ()):
      case(op, {}, Value('uint8', list(shape)))
    case(op, {}, Value('uint8', None))
  case('EncodeJpegVariableQuality', {}, Value('uint8', [4, 5, 3]), i32())
  case('EncodeJpegVariableQuality', {}, Value('uint8', [2, 4, 5, 3]), i32())
  case('EncodeJpegVariableQuality', {}, Value('uint8', [4, 5, 3]), i32(1))


def examples():
  dense = {'Tdense': ['float', 'int64'], 'dense_shapes': [[2, 3], [-1, 4]]}
  types = {'sparse_types': ['float', 'string']}
  keys = [text(), text()]
  defaults = [f(2, 3), Value('int64', [4])]
  for serialized in (text(5), text(-1), STRINGS, text()):
    v2 = {**dense, **types, 'num_sparse': 2, 'ragged_value_types': ['string'],
          'ragged_split_types': ['int32']}
    case('ParseExampleV2', v2, serialized, text(0), text(2), text(2), text(1), *defaults)
    case('ParseExample', {**dense, **types, 'Nsparse': 2, 'Ndense': 2}, serialized,
         text(0), *keys, *keys, *defaults)
    case('ParseSingleExample', {**dense, **types, 'num_sparse': 2,
         'sparse_keys': ['a', 'b'], 'dense_keys': ['c', 'd']}, serialized, *defaults)
  case('ParseExample', {'Nsparse': 2, 'Ndense': 0, 'Tdense': [], 'sparse_types': ['float'],
       'dense_shapes': []}, text(2), text(0), *keys)
  case('ParseExample', {**dense, 'Nsparse': 0, 'Ndense': 1, 'sparse_types': []}, text(2),
       text(0), text(), *defaults)
  bad = {**dense, 'sparse_types': [], 'num_sparse': 0, 'ragged_value_types': ['string'],
         'ragged_split_types': []}
  case('ParseExampleV2', bad, text(2), text(0), text(0), text(2), text(1), *defaults)
  case('ParseExampleV2', {**bad, 'ragged_value_types': [], 'dense_shapes': [[1]]}, text(2),
       text(0), text(0), text(2), text(0), *defaults)
  for shapes in ([[-1], [2]], [[2, -1], [1]], [None, [1]], [[-1, -1], [1]]):
    case('ParseExampleV2', {**bad, 'ragged_value_types': [], 'dense_shapes': shapes}, text(2),
         text(0), text(0), text(2), text(0), *defaults)


def decoding():
  csv = {'OUT_TYPE': ['float', 'string']}
  for records in (text(), text(-1, 3), STRINGS):
    case('DecodeCSV', csv, records, f(1), text(0))
  case('DecodeCSV', csv, text(2), f(), text(1))
  case('DecodeCSV', csv, text(2), f(2), text(1))
  case('DecodeCSV', csv, text(2), f(1, 1), text(1))
  case('DecodeCSV', csv, text(2), f(-1), STRINGS)
  for shape in ([], [2, -1], None):
    case('DecodeRaw', {'out_type': 'int32'}, Value('string', shape))
    case('DecodeCompressed', {}, Value('string', shape))
    case('ParseTensor', {'out_type': 'float'}, Value('string', shape))
    case('SerializeTensor', {'T': 'string'}, Value('string', shape))
    case('StringToNumber', {'out_type': 'double'}, Value('string', shape))
    case('AsString', {'T': 'float'}, Value('float', shape))
    for length in (K(8), K(0), K(6), K(-4), i32(), i32(1), K([4, 4])):
      case('DecodePaddedRaw', {'out_type': 'float'}, Value('string', shape), length)


def files():
  for name in (text(), text(1), text(2, 3), STRINGS):
    case('ReadFile', {}, name)
    case('MatchingFiles', {}, name)
    case('WriteFile', {}, name, text())
  case('WriteFile', {}, text(), text(2))


def file_datasets():
  for name in (text(), text(1), text(2, 3), STRINGS):
    for size in (Value('int64', []), Value('int64', [1]), Value('int64', None)):
      case('TFRecordDataset', {}, name, text(), size)
      case('TextLineDataset', {}, name, text(), size)
      case('TFRecordDatasetV2', {}, name, text(), Value('int64', []), size)
      case('FixedLengthRecordDataset', {}, name, size, *[Value('int64', [])] * 3)
      case('FixedLengthRecordDatasetV2', {}, name, size, *[Value('int64', [])] * 3, text())
    case('TFRecordDataset', {}, name, text(1), Value('int64', []))
  case('TFRecordDatasetV2', {}, text(1), text(), Value('int64', []), Value('int64', [1, 1]))
  case('TFRecordDatasetV2', {}, text(1), text(), Value('int64', [1]), Value('int64', [1]))
  for i in range(4):
    sizes = [Value('int64', [1] if i == j else []) for j in range(4)]
    case('FixedLengthRecordDataset', {}, text(), *sizes)
    case('FixedLengthRecordDatasetV2', {}, text(), *sizes, text())
  case('FixedLengthRecordDatasetV2', {}, text(), *[Value('int64', [])] * 4, text(1),
       ours=['error'])


def strings():
  for shape in ([], [3], [2, -1], None):
    value = Value('string', shape)
    case('StringSplit', {}, value, text())
    case('StringSplitV2', {}, value, text())
    for op in ('StringToHashBucketFast', 'StringToHashBucket'):
      case(op, {'num_buckets': 10}, value)
    for op in ('StringLength', 'StringLower', 'StringUpper', 'StringStrip',
               'EncodeBase64', 'DecodeBase64'):
      case(op, {}, value)
    case('StringFormat', {'T': ['string'], 'template': '%s'}, value)
    case('ReduceJoin', {}, value, K([0]))
    case('ReduceJoin', {'keep_dims': True}, value, K([-1]))
    case('ReduceJoin', {}, value, i32(1))
  case('StringFormat', {'T': ['string', 'int32'], 'template': '%s%s'}, text(1), i32())
  case('StringFormat', {'T': ['string'], 'template': '%s%s'}, text(1))
  case('StringSplit', {}, text(2), text(3))
  case('StringSplitV2', {}, text(2), text(3))
  case('StringToHashBucketStrong', {'num_buckets': 10, 'key': [1, 2]}, text(2))
  case('ReduceJoin', {}, text(2, 3), K([2]))
  case('ReduceJoin', {}, text(2, 3), K(1))
  case('ReduceJoin', {}, text(2, 3), K([[1]]))
  case('ReduceJoin', {}, text(2, 3), K([0, 1]))
  case('ReduceJoin', {}, text(2, 3), K([0, 0]))
  for pos, size in ((i32(), i32()), (i32(2, 3), i32(2, 3)), (i32(3), i32(3)),
                    (i32(2), i32(2)), (i32(2, 1), i32(2, 1)), (i32(2), i32(3)),
                    (i32(), i32(3)), (IANY, i32()), (i32(2, 3), i32(3))):
    case('Substr', {'T': 'int32'}, text(2, 3), pos, size)
  case('Substr', {'T': 'int32'}, text(2, 3), i32(-1), i32(3), ours=['[2,3]'])
  case('Substr', {'T': 'int32'}, STRINGS, i32(2), i32(2))
  case('Substr', {'T': 'int32'}, text(3), i32(2, 3), i32(2, 3))


print('# Written by dump_shape_cases.py with TensorFlow %s.' % tf.__version__)
for family in (reshaping, joining, slicing, rearranging, gathering, moving,
               blocks, diagonals, comparing, combining, arithmetic,
               convolution, losses, random, variables, lists,
               narrow_indices, flow, queues, tables, readers, accumulators, arrays, stacks,
               collectives,
               checkpoints, equations, volumes, recurrent, updates, counting,
               images, examples, decoding, files, file_datasets, strings):
  family()
