#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes the definitions of all ops of TensorFlow (graph/op_table.h).

Run with the Python that has the tensorflow-cpu 2.15.1 wheel
(tools/tensorflow_python makes one):
    python3 write_op_table.py > op_table.txt

The arguments and attrs are written in the form of graph/op_spec.h. Minimums and
sets of types are spelled out.
"""
import inspect
import re

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import test_ops

FLAGS = ('is_stateful', 'is_commutative', 'is_aggregate',
         'allows_uninitialized_input')
# TensorFlow's passes for oneDNN make these ops. No client sends them.
MADE_BY_PASSES = re.compile('__?Mkl')
# The wheel also has the ops of TensorFlow's own tests, with names such as "A".
OF_TESTS = set(re.findall(r'_apply_op_helper\(\s*"([^"]+)"',
                          inspect.getsource(test_ops)))


def dtype(number):
  return types_pb2.DataType.Name(number)[len('DT_'):].lower()


def string(value):
  text = value.decode().replace('\\', '\\\\').replace('\n', '\\n')
  return "'%s'" % text.replace("'", "\\'")


def shape(value):
  if value.unknown_rank:
    return '{ unknown_rank: true }'
  dims = ''.join('dim { size: %d } ' % dim.size for dim in value.dim)
  return '{ %s}' % dims if dims else '{}'


def tensor(value):
  values = ''.join('int_val: %d ' % i for i in value.int_val)
  return '{ dtype: %s tensor_shape %s %s}' % (
      dtype(value.dtype), shape(value.tensor_shape), values)


TEXTS = {'s': string, 'i': str, 'f': lambda f: '%.9g' % f,
         'b': lambda b: 'true' if b else 'false', 'type': dtype,
         'shape': shape, 'tensor': tensor}


def default(value):
  kind = value.WhichOneof('value')
  if kind != 'list':
    return TEXTS[kind](getattr(value, kind))
  for field, text in TEXTS.items():
    if getattr(value.list, field):
      return '[%s]' % ', '.join(text(v) for v in getattr(value.list, field))
  return '[]'


def arg(arg_def):
  text = (arg_def.type_list_attr or arg_def.type_attr or dtype(arg_def.type))
  if arg_def.number_attr:
    text = '%s * %s' % (arg_def.number_attr, text)
  return '%s: %s' % (arg_def.name,
                     'Ref(%s)' % text if arg_def.is_ref else text)


def attr(attr_def):
  allowed = attr_def.allowed_values.list
  values = [dtype(t) for t in allowed.type] + [string(s) for s in allowed.s]
  text = attr_def.type
  if values:
    text = '{%s}' % ', '.join(values)
    if attr_def.type.startswith('list('):
      text = 'list(%s)' % text
  if attr_def.has_minimum:
    text += ' >= %d' % attr_def.minimum
  if attr_def.HasField('default_value'):
    text += ' = ' + default(attr_def.default_value)
  return '%s: %s' % (attr_def.name, text)


def main():
  ops = op_def_pb2.OpList()
  ops.ParseFromString(
      pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
  print('# All ops of TensorFlow %s, written by write_op_table.py.'
        % tf.__version__)
  for op in sorted(ops.op, key=lambda op: op.name):
    if MADE_BY_PASSES.match(op.name) or op.name in OF_TESTS:
      continue
    print('op ' + op.name)
    for flag in FLAGS:
      if getattr(op, flag):
        print('  ' + flag)
    for arg_def in op.input_arg:
      print('  input ' + arg(arg_def))
    for arg_def in op.output_arg:
      print('  output ' + arg(arg_def))
    for attr_def in op.attr:
      print('  attr ' + attr(attr_def))


main()
