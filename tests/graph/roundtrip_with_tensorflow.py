#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Checks that TensorFlow reads the graphs that Leat wrote.

  LEAT_EXPORT_FOLDER=DIR graph_test --gtest_filter=*RoundTripsTheCorpus
  python3 roundtrip_with_tensorflow.py DIR

Leat has read tests/graphs/NAME.pbtxt and written it as DIR/NAME.pb. The script
compares the nodes of the two files twice: first as messages with the defaults
filled in, then as tf.import_graph_def imports them. The build does not run this
script, because the build does not need TensorFlow.
"""
import pathlib
import sys

from google.protobuf import text_format
import tensorflow as tf

GRAPHS = pathlib.Path(__file__).resolve().parent.parent / 'graphs'


def read_original(path):
    text = path.read_text()
    try:
        return text_format.Parse(text, tf.compat.v1.GraphDef())
    except text_format.ParseError:
        return text_format.Parse(text, tf.compat.v1.MetaGraphDef()).graph_def


def nodes_of(graph_def):
    """Imports the graph with TensorFlow. Returns a dict from the name of each
    node to its (op, inputs, device, attrs)."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
    return {node.name: (node.op, list(node.input), node.device,
                        {k: canonical(v) for k, v in node.attr.items()})
            for node in graph.as_graph_def().node}


def canonical(attr):
    """Returns the value of an attr in a form that is equal for equal values.
    Two encodings of the same tensor have the same form."""
    if attr.WhichOneof('value') == 'tensor':
        array = tf.make_ndarray(attr.tensor)
        # Strings and handles are compared as lists. All other elements are
        # compared as bytes, because NaN != NaN.
        values = array.tolist() if array.dtype == object else array.tobytes()
        return (attr.tensor.dtype, array.shape, values)
    return attr.SerializeToString(deterministic=True)


def control_sets(nodes):
    """Yields the nodes with their control inputs as a set, because the order of
    control inputs does not matter."""
    for name, (op, inputs, device, attrs) in nodes.items():
        data = [i for i in inputs if not i.startswith('^')]
        yield name, (op, data, {i for i in inputs if i.startswith('^')},
                     device, attrs)


def main(folder):
    failed = 0
    files = sorted(pathlib.Path(folder).glob('*.pb'))
    for path in files:
        written = tf.compat.v1.GraphDef.FromString(path.read_bytes())
        original = read_original(GRAPHS / (path.stem + '.pbtxt'))
        a = dict(control_sets(nodes_of(original)))
        b = dict(control_sets(nodes_of(written)))
        differing = [n for n in sorted(a.keys() | b.keys())
                     if a.get(n) != b.get(n)]
        functions = [sorted(f.signature.name for f in g.library.function)
                     for g in (original, written)]
        same = (not differing and functions[0] == functions[1] and
                list(a) == list(b))
        print(f'{path.stem}: {len(a)} nodes, {len(functions[0])} functions:',
              'same' if same else f'DIFFER in {differing[:5]}')
        for name in differing[:5]:
            print('  ', a.get(name), '\n  ', b.get(name))
        failed += not same
    if not files:
        sys.exit(f'no .pb in {folder}')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main(sys.argv[1])
