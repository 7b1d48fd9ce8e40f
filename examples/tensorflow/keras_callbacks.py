#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Trains a model of Keras 2 in graph mode on a server, with callbacks that save, stop
early, change the learning rate, and write summaries.

  keras_callbacks.py --target grpc://h:2222 --folder /models/keras
"""

import csv
import os

import numpy as np

import model
import tensorflow as tf

tf1 = model.tf1
keras = tf1.keras


def make_model():
  initializer = lambda seed: keras.initializers.glorot_uniform(seed=seed)
  network = keras.Sequential([
      keras.layers.Dense(16, "relu", kernel_initializer=initializer(1),
                         input_shape=[model.INPUTS]),
      keras.layers.BatchNormalization(),
      keras.layers.Dropout(0.1, seed=3),
      keras.layers.Dense(1, kernel_initializer=initializer(2)),
  ])
  network.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
  return network


def callbacks(folder):
  return [
      keras.callbacks.ModelCheckpoint(os.path.join(folder, "best.h5"), "val_loss",
                                      save_best_only=True, save_weights_only=True),
      keras.callbacks.EarlyStopping("val_loss", patience=3),
      keras.callbacks.ReduceLROnPlateau("val_loss", factor=0.5, patience=1),
      keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
      keras.callbacks.TensorBoard(os.path.join(folder, "summaries"), histogram_freq=1),
      keras.callbacks.LambdaCallback(
          on_epoch_end=lambda epoch, logs: print("epoch", epoch, logs)),
  ]


def samples(count, seed):
  inputs = np.random.RandomState(seed).uniform(-1, 1, [count, model.INPUTS])
  return inputs.astype(np.float32), np.sin(inputs.sum(1, keepdims=True))


def main():
  args = model.flags(__doc__.splitlines()[0]).parse_args()
  tf1.set_random_seed(1)
  with tf1.Session(args.target) as session, tf1.device(
      "/job:worker/task:%d" % args.worker):
    keras.backend.set_session(session)
    network = make_model()
    network.fit(*samples(256, 1), batch_size=32, epochs=args.steps, shuffle=False,
                validation_data=samples(64, 2), callbacks=callbacks(args.folder),
                verbose=0)
    network.load_weights(os.path.join(args.folder, "best.h5"))
    loss, error = network.evaluate(*samples(64, 2), verbose=0)
    guesses = network.predict(samples(5, 3)[0])
  with open(os.path.join(args.folder, "log.csv"), encoding="utf-8") as file:
    rates = [float(row["lr"]) for row in csv.DictReader(file)]
  assert tf.io.gfile.glob(os.path.join(args.folder, "summaries/*"))
  model.report(loss=loss, error=error, guesses=guesses, learning_rates=rates)


if __name__ == "__main__":
  main()
