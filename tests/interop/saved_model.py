#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs SavedModels of Leat in TensorFlow, and SavedModels of TensorFlow in Leat.

Usage: saved_model.py LEAT TRAIN_TEST

LEAT is the program `leat`. TRAIN_TEST is the test program whose tests save models
(save_saved_model_test.cc). TensorFlow loads these models.
"""

import json
import os
import subprocess
import sys
import tempfile

import tasks  # must come first: sets the environment of TensorFlow
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.logging.set_verbosity(tf1.logging.ERROR)
TESTS = ("SaveSavedModelTest.SavesValuesOfTheVariablesThatSignaturesNeed:"
         "SaveSavedModelTest.SavesAssetsAndTheInitOp")


def expect(value, expected, what):
  if not np.allclose(value, expected, rtol=1e-6):
    raise AssertionError(f"{what}: {value} instead of {expected}")


def run_as_v1(folder, signature, feeds):
  """Returns the outputs of the signature in a session of tf.compat.v1."""
  with tf1.Graph().as_default(), tf1.Session() as session:
    meta = tf1.saved_model.load(session, ["serve"], folder)
    found = meta.signature_def[signature]
    return session.run(
        {key: info.name for key, info in found.outputs.items()},
        {found.inputs[key].name: value for key, value in feeds.items()})


def run_as_v2(folder, signature, feeds):
  model = tf.saved_model.load(folder)
  inputs = {key: tf.constant(value) for key, value in feeds.items()}
  return {key: value.numpy()
          for key, value in model.signatures[signature](**inputs).items()}


def tensorflow_loads(test, root):
  """Runs two models that Leat has saved. The first one computes y = 0.5 x + 2. The init
  op of the second one adds 1 to the result."""
  subprocess.run([test, "--gtest_filter=" + TESTS], check=True,
                 stdout=subprocess.DEVNULL,
                 env=dict(os.environ, LEAT_TEST_SAVED_MODELS=root))
  x = np.array([1, 10], np.float32)
  for run in [run_as_v1, run_as_v2]:
    plain = run(root + "/new/model/1", "serving_default", {"x": x})
    expect(plain["y"], 0.5 * x + 2, run.__name__)
    model = root + "/model"
    expect(run(model, "serving_default", {"x": x})["y"], 0.5 * x + 3, "init op")
  # TensorFlow 1 feeds the asset only to the init op, and TensorFlow 2 never
  # feeds it.
  with tf1.Graph().as_default(), tf1.Session() as session:
    meta = tf1.saved_model.load(session, ["serve"], model)
    asset = meta.asset_file_def[0]
    if (asset.filename, asset.tensor_info.name) != ("words.txt", "path:0"):
      raise AssertionError(asset)


def tensorflow_restores_and_saves_again(root):
  """Saves the variables of a model of Leat with the model's saver nodes."""
  with tf1.Graph().as_default(), tf1.Session() as session:
    meta = tf1.saved_model.load(session, ["serve"], root + "/new/model/1")
    prefix = session.run(meta.saver_def.save_tensor_name,
                         {meta.saver_def.filename_tensor_name: root + "/again"})
  names = [name for name, _ in tf.train.list_variables(prefix.decode())]
  if names != ["a", "b"]:
    raise AssertionError(names)


def leat_runs(leat, root):
  """Runs a Keras model with random weights in TensorFlow and with `leat run`."""
  tf.random.set_seed(7)
  model = tf.keras.Sequential([
      tf.keras.layers.Input((8, 8, 3), name="image"),
      tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu"),
      tf.keras.layers.BatchNormalization(),
      tf.keras.layers.MaxPooling2D(),
      tf.keras.layers.Dropout(0.5),
      tf.keras.layers.Flatten(),
      tf.keras.layers.Dense(10, activation="softmax"),
  ])
  image = np.random.RandomState(1).rand(2, 8, 8, 3).astype(np.float32)
  np.save(root + "/image.npy", image)
  tf.saved_model.save(model, root + "/keras")
  shown = json.loads(subprocess.check_output(
      [leat, "show", root + "/keras", "--json"]))
  (output,) = shown[0]["signatures"]["serving_default"]["outputs"]
  subprocess.run([leat, "run", root + "/keras", "--signature", "serving_default",
                  "--feed", f"image=@{root}/image.npy",
                  "--fetch", f"{output}=@{root}/y.npy"],
                 check=True, stdout=subprocess.DEVNULL)
  expect(np.load(root + "/y.npy"), model(image).numpy(), "leat run")


def main(leat, test):
  with tempfile.TemporaryDirectory() as root:
    tensorflow_loads(test, root)
    tensorflow_restores_and_saves_again(root)
    leat_runs(leat, root)


if __name__ == "__main__":
  main(*sys.argv[1:])
