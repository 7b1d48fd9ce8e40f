#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Writes a line for each op for which TensorFlow registers a gradient. The word
after the op is "none" if no input of the op ever gets a gradient, and
"function" otherwise.

Run with the Python that has the tensorflow-cpu 2.15.1 wheel:
    python3 dump_gradients.py > tensorflow_gradients.txt
"""
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import ops


def gives_none(function):
  """Returns whether the gradient function gives no input a gradient, whatever
  operation it is called for."""
  try:
    gradients = function(object(), object())
  except Exception:  # the function read an attribute of its arguments
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
  all_ops = op_def_pb2.OpList()
  all_ops.ParseFromString(
      pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
  print('# Written by dump_gradients.py with TensorFlow %s.' % tf.__version__)
  for name in sorted(op.name for op in all_ops.op):
    if gradient(name):
      print(name, gradient(name))


main()
