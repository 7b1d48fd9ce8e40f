#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes the definitions that TensorFlow gives our ops, one field a line, and
whether it has a gradient: a function, none (paths end there), or no line.

Run with the Python that has the tensorflow-cpu 2.15.1 wheel:
    python3 dump_op_defs.py > tensorflow_op_defs.txt
tests/ops/op_defs_test.cc prints the registered ops in the same form.
"""
import tensorflow as tf
from tensorflow.core.framework import types_pb2
from tensorflow.python.framework import op_def_registry
from tensorflow.python.framework import ops

OPS = """
Abort Abs AccumulatorApplyGradient AccumulatorNumAccumulated
AccumulatorSetGlobalStep AccumulatorTakeGradient Add AddN AddV2 All Any
ApplyAdagrad ApplyAdam ApplyCenteredRMSProp ApplyGradientDescent ApplyMomentum
ApplyRMSProp ArgMax ArgMin Assert Assign AssignAdd AssignAddVariableOp
AssignSub AssignSubVariableOp AssignVariableOp AvgPool AvgPoolGrad
BatchMatMulV2 BiasAdd BiasAddGrad BroadcastGradientArgs BroadcastTo Case Cast
CheckNumerics ConcatOffset ConcatV2 ConditionalAccumulator Const ControlTrigger
Conv2D Conv2DBackpropFilter Conv2DBackpropInput Cos Cumprod Cumsum
DestroyResourceOp DestroyTemporaryVariable Div DivNoNan DynamicPartition
DynamicStitch Elu EluGrad EmptyTensorList Enter Equal Exit Exp ExpandDims
FIFOQueueV2 FakeParam Fill Floor FloorDiv FloorMod FusedBatchNormGradV3
FusedBatchNormV3 Gather GatherNd GatherV2 Greater GreaterEqual Identity
IdentityN If InTopK InTopKV2 InvertPermutation IsVariableInitialized L2Loss LRN
LRNGrad LeakyRelu LeakyReluGrad Less LessEqual Log Log1p LogSoftmax LogicalAnd
LogicalNot LogicalOr LoopCond MatMul Max MaxPool MaxPoolGrad Maximum Mean Merge
Min Minimum Mul Neg NextIteration NoOp NotEqual OneHot OnesLike
OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone Pack Pad
ParallelDynamicStitch PartitionedCall Placeholder PlaceholderV2
PlaceholderWithDefault Pow PreventGradient Print PrintV2 Prod QueueCloseV2
QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeueV2 QueueEnqueueManyV2
QueueEnqueueV2 QueueIsClosedV2 QueueSizeV2 RandomShuffle RandomShuffleQueueV2
RandomStandardNormal RandomUniform RandomUniformInt Range Rank ReadVariableOp
RealDiv Reciprocal ReciprocalGrad RefEnter RefExit RefIdentity RefMerge
RefNextIteration RefSwitch Relu Relu6 Relu6Grad ReluGrad Reshape
ResourceAccumulatorApplyGradient ResourceAccumulatorNumAccumulated
ResourceAccumulatorSetGlobalStep ResourceAccumulatorTakeGradient
ResourceApplyAdagrad ResourceApplyAdam ResourceApplyCenteredRMSProp
ResourceApplyGradientDescent ResourceApplyMomentum ResourceApplyRMSProp
ResourceConditionalAccumulator ResourceGather ResourceScatterAdd
ResourceScatterSub ResourceScatterUpdate ResourceSparseApplyAdagrad
ResourceSparseApplyMomentum ResourceSparseApplyRMSProp Rsqrt RsqrtGrad
ScatterAdd ScatterNd ScatterSub ScatterUpdate Select SelectV2 Shape ShapeN
Sigmoid SigmoidGrad Sign Sin Size Slice Softmax SoftmaxCrossEntropyWithLogits
Softplus SoftplusGrad SparseAccumulatorApplyGradient
SparseAccumulatorTakeGradient SparseApplyAdagrad SparseApplyMomentum
SparseApplyRMSProp SparseConditionalAccumulator
SparseSoftmaxCrossEntropyWithLogits Split SplitV Sqrt SqrtGrad Square
SquaredDifference Squeeze StatefulPartitionedCall StatelessCase StatelessIf
StatelessRandomGetAlg StatelessRandomGetKeyCounter StatelessRandomNormalV2
StatelessRandomUniformV2 StatelessTruncatedNormalV2 StatelessWhile StopGradient
StridedSlice StridedSliceGrad StringJoin Sub Sum Switch Tanh TanhGrad
TemporaryVariable TensorListConcatV2 TensorListElementShape
TensorListFromTensor TensorListGather TensorListGetItem TensorListLength
TensorListPopBack TensorListPushBack TensorListReserve TensorListResize
TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem
TensorListSplit TensorListStack Tile ToBool TopKV2 Transpose TruncatedNormal
Unique Unpack UnsortedSegmentSum VarHandleOp VarIsInitializedOp Variable
VariableShape VariableV2 Where While ZerosLike _Arg _HostRecv _HostSend _Recv
_FusedConv2D _FusedMatMul _Retval _Send
""".split()


def type_name(number):
  return types_pb2.DataType.Name(number)[len('DT_'):].lower()


def string(value):
  text = value.decode().replace('\\', '\\\\').replace('\n', '\\n')
  return "'%s'" % text


def shape(value):
  if value.unknown_rank:
    return '<unknown>'
  return '[%s]' % ','.join(str(d.size) for d in value.dim)


def boolean(value):
  return 'true' if value else 'false'


def number(value):
  return '%.9g' % value


def attr_value(value):
  scalars = {'s': string, 'i': str, 'f': number, 'b': boolean,
             'type': type_name, 'shape': shape}
  kind = value.WhichOneof('value')
  if kind != 'list':
    return scalars[kind](getattr(value, kind))
  for field, text in scalars.items():
    values = getattr(value.list, field)
    if values:
      return '[%s]' % ', '.join(text(v) for v in values)
  return '[]'


def arg_line(direction, arg):
  parts = [direction, arg.name]
  if arg.type:
    parts.append('type=' + type_name(arg.type))
  for field in ('type_attr', 'number_attr', 'type_list_attr'):
    if getattr(arg, field):
      parts.append('%s=%s' % (field, getattr(arg, field)))
  if arg.is_ref:
    parts.append('ref')
  return '  ' + ' '.join(parts)


def attr_line(attr):
  parts = ['attr', attr.name, 'type=' + attr.type]
  if attr.has_minimum:
    parts.append('minimum=%d' % attr.minimum)
  allowed = attr.allowed_values.list
  if allowed.type:
    parts.append('allowed=' + ','.join(type_name(t)
                                       for t in sorted(allowed.type)))
  if allowed.s:
    parts.append('allowed=' + ','.join(string(s) for s in allowed.s))
  if attr.HasField('default_value'):
    parts.append('default=' + attr_value(attr.default_value))
  return '  ' + ' '.join(parts)


def gives_none(function):
  """Whether it gives no input a gradient, whatever the operation."""
  try:
    gradients = function(object(), object())
  except Exception:  # it looked at the operation
    return False
  if not isinstance(gradients, (list, tuple)):
    gradients = [gradients]
  return all(gradient is None for gradient in gradients)


def gradient(op):
  try:
    function = ops.gradient_registry.lookup(op)
  except LookupError:
    return ''
  return 'function' if function and not gives_none(function) else 'none'


def main():
  print('# Written by dump_op_defs.py with TensorFlow %s.' % tf.__version__)
  for name in OPS:
    op = op_def_registry.get(name)
    print('op ' + name)
    for flag in ('is_stateful', 'is_commutative', 'is_aggregate',
                 'allows_uninitialized_input'):
      if getattr(op, flag):
        print('  flag ' + flag)
    for arg in op.input_arg:
      print(arg_line('input', arg))
    for arg in op.output_arg:
      print(arg_line('output', arg))
    for attr in sorted(op.attr, key=lambda a: a.name):
      print(attr_line(attr))
    if gradient(name):
      print('  gradient ' + gradient(name))


main()
