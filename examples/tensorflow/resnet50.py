#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs ResNet-50 of Keras applications on a server, forward and backward.

  resnet50.py --target grpc://h:2222 --folder /tmp/resnet --size 224 --batch 8 --steps 3
"""

import time

import numpy as np

import model

tf1 = model.tf1
keras = tf1.keras


def main():
  parser = model.flags(__doc__.splitlines()[0])
  parser.add_argument("--size", type=int, default=96, help="height and width in pixels")
  parser.add_argument("--batch", type=int, default=4)
  args = parser.parse_args()
  tf1.set_random_seed(1)
  with tf1.Session(args.target) as session, tf1.device(
      "/job:worker/task:%d" % args.worker):
    keras.backend.set_session(session)
    network = keras.applications.ResNet50(
        weights=None, input_shape=[args.size, args.size, 3], classifier_activation=None)
    images = tf1.placeholder(tf1.float32, [args.batch, args.size, args.size, 3])
    labels = tf1.placeholder(tf1.int32, [args.batch])
    loss = tf1.losses.sparse_softmax_cross_entropy(labels, network(images, training=True))
    optimizer = tf1.train.MomentumOptimizer(1e-4, 0.9)
    gradients = optimizer.compute_gradients(loss, network.trainable_weights)
    # Without rounding, the gradients of biases before a batch norm are 0.
    norms = [tf1.norm(gradient) for gradient, variable in gradients
             if "bias" not in variable.name]
    train = [optimizer.apply_gradients(gradients), *network.get_updates_for(images)]
    keras.backend.get_session().run(tf1.variables_initializer(optimizer.variables()))
    random = np.random.RandomState(1)
    feed = {images: keras.applications.resnet50.preprocess_input(
                random.uniform(0, 255, images.shape.as_list())),
            labels: random.randint(0, 1000, args.batch)}
    kernel = network.get_layer("predictions").kernel
    before = session.run(kernel)
    guesses = network.predict_on_batch(feed[images])
    start = time.monotonic()
    steps = [session.run([loss, norms, train], feed) for _ in range(args.steps)]
    change = session.run(kernel) - before
    moments = network.get_layer("conv1_bn").get_weights()[2:]
    print("%d training steps took %.2f s" % (args.steps, time.monotonic() - start))
  model.report(guesses=guesses[:, :10], losses=[step[0] for step in steps],
               gradient_norms=steps[0][1], change_of_kernel=np.linalg.norm(change, axis=0),
               moving_moments=moments)


if __name__ == "__main__":
  main()
