#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Lets TensorFlow write the SavedModels that saved_model_test.cc loads.

Run with the Python that has the tensorflow-cpu 2.15.1 wheel:
    python3 make_saved_models.py tensorflow
"""
import os
import shutil
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)


def predict(inputs, outputs):
  def infos(tensors):
    return {key: tf1.saved_model.build_tensor_info(tensor)
            for key, tensor in tensors.items()}

  return tf1.saved_model.build_signature_def(
      infos(inputs), infos(outputs), "tensorflow/serving/predict")


def half_plus_two(folder):
  """Saves a reference variable and a resource variable. Both are on the device
  CPU:1, which exists only in this session."""
  with tf1.Graph().as_default():
    with tf1.device("/job:localhost/task:0/device:CPU:1"):
      a = tf1.get_variable("a", initializer=0.5, use_resource=False)
      b = tf1.get_variable("b", initializer=2.0, use_resource=True)
    x = tf1.placeholder(tf.float32, [None], name="x")
    y = tf.add(a * x, b, name="y")
    config = tf1.ConfigProto(device_count={"CPU": 2})
    with tf1.Session(config=config) as session:
      session.run(tf1.global_variables_initializer())
      builder = tf1.saved_model.builder.SavedModelBuilder(folder)
      builder.add_meta_graph_and_variables(
          session, ["serve"], {"serving_default": predict({"x": x}, {"y": y})})
      builder.save()


def x_plus_y(folder):
  """Saves two graphs without variables and with several signatures, as text."""
  builder = tf1.saved_model.builder.SavedModelBuilder(folder)
  for tags in [["serve"], ["serve", "gpu"]]:
    with tf1.Graph().as_default(), tf1.Session() as session:
      x = tf1.placeholder(tf.int32, [None], name="x")
      y = tf1.placeholder(tf.int32, [], name="y")
      signatures = {"add": predict({"x": x, "y": y}, {"sum": x + y}),
                    "both": predict({"x": x, "y": y},
                                    {"sum": x + y, "product": x * y})}
      if tags == ["serve"]:
        builder.add_meta_graph_and_variables(session, tags, signatures)
      else:
        builder.add_meta_graph(tags, signatures)
  builder.save(as_text=True)


def partitioned(folder):
  """Saves a variable that is cut into three parts."""
  rows = np.arange(14, dtype=np.float32).reshape(7, 2)
  with tf1.Graph().as_default(), tf1.Session() as session:
    parts = tf1.get_variable(
        "parts", shape=[7, 2], initializer=lambda shape, dtype, partition_info: (
            tf.constant(rows[partition_info.var_offset[0]:][:shape[0]])),
        partitioner=tf1.fixed_size_partitioner(3), use_resource=True)
    ids = tf1.placeholder(tf.int32, [None], name="ids")
    found = tf.gather(tf.convert_to_tensor(parts), ids)
    session.run(tf1.global_variables_initializer())
    tf1.saved_model.simple_save(session, folder, {"ids": ids}, {"rows": found})


def assets_and_init(folder):
  """Saves an asset and an init op. When the model is loaded, the init op adds
  one to the restored variable."""
  source = os.path.join(os.path.dirname(folder), "words.txt")
  with open(source, "w") as file:
    file.write("two\nwords\n")
  with tf1.Graph().as_default(), tf1.Session() as session:
    path = tf.constant(source, name="path")
    tf1.add_to_collection(tf1.GraphKeys.ASSET_FILEPATHS, path)
    count = tf1.get_variable("count", initializer=41, use_resource=True)
    with tf.control_dependencies([tf.identity(path)]):
      init = count.assign_add(1).op
    builder = tf1.saved_model.builder.SavedModelBuilder(folder)
    session.run(tf1.global_variables_initializer())
    builder.add_meta_graph_and_variables(
        session, ["serve"],
        {"serving_default": predict({}, {"path": tf.identity(path),
                                         "count": count.read_value()})},
        assets_collection=tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS),
        main_op=init)
    builder.save()
  os.remove(source)


def table(folder):
  """Saves a lookup table, which the main op fills."""
  with tf1.Graph().as_default(), tf1.Session() as session:
    words = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    text = tf1.placeholder(tf.string, [None], name="text")
    builder = tf1.saved_model.builder.SavedModelBuilder(folder)
    builder.add_meta_graph_and_variables(
        session, ["serve"],
        {"serving_default": predict({"text": text}, {"ids": words.lookup(text)})},
        main_op=tf1.tables_initializer())
    builder.save()


def boosted_trees(folder):
  """Saves a signature with an op for which Leat has no kernel, and one without."""
  with tf1.Graph().as_default(), tf1.Session() as session:
    x = tf1.placeholder(tf.float32, [None], name="x")
    bucket, = tf.raw_ops.BoostedTreesBucketize(
        float_values=[x], bucket_boundaries=[[0.0, 1.0]])
    builder = tf1.saved_model.builder.SavedModelBuilder(folder)
    builder.add_meta_graph_and_variables(
        session, ["serve"],
        {"bucketize": predict({"x": x}, {"bucket": bucket}),
         "negate": predict({"x": x}, {"y": -x})})
    builder.save()


class Module(tf.Module):
  """Has a function with control flow, and an asset."""

  def __init__(self, path):
    self.path = tf.saved_model.Asset(path)
    self.steps = tf.Variable(3, name="steps")

  @tf.function(input_signature=[tf.TensorSpec([], tf.float32, "x")])
  def grow(self, x):
    for _ in tf.range(self.steps):
      if x < 100.0:
        x = x * 10.0
      else:
        x = x + 1.0
    return {"y": x, "path": tf.identity(self.path.asset_path)}


def module(folder):
  source = os.path.join(os.path.dirname(folder), "notes.txt")
  with open(source, "w") as file:
    file.write("notes\n")
  saved = Module(source)
  tf.saved_model.save(saved, folder, signatures={"serving_default": saved.grow})
  os.remove(source)


def keras(folder):
  """Saves a Keras model, exported for serving. Some of its layers have moving
  averages."""
  def ramp(shape, dtype=None):
    return tf.reshape(tf.range(np.prod(shape), dtype=dtype), shape) / 10.0

  model = tf.keras.Sequential([
      tf.keras.layers.Input((4, 4, 1), name="image"),
      tf.keras.layers.Conv2D(2, 3, activation="relu", kernel_initializer=ramp),
      tf.keras.layers.BatchNormalization(moving_mean_initializer=ramp),
      tf.keras.layers.Flatten(),
      tf.keras.layers.Dense(3, kernel_initializer=ramp, activation="softmax"),
  ])
  model.export(folder)
  image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1) / 100
  print(folder, model(image).numpy().tolist())


def main(root):
  for make in [half_plus_two, x_plus_y, partitioned, assets_and_init, table,
               boosted_trees, module, keras]:
    folder = os.path.join(root, make.__name__)
    shutil.rmtree(folder, ignore_errors=True)
    make(folder)
    # TensorFlow writes a different file in each run, and only its metrics read
    # the file.
    if os.path.exists(folder + "/fingerprint.pb"):
      os.remove(folder + "/fingerprint.pb")


if __name__ == "__main__":
  main(*sys.argv[1:])
