#!/usr/bin/env python3
# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Tests that an error names its cause, even if the master hears of a consequence first.

An op fails on a parameter server of Leat. A worker of TensorFlow waits for the result of
this op, so the worker fails, too. The worker is also the master. A proxy delays the reply
of the parameter server, so the master learns first that the worker has failed. The client
must nevertheless get the error of the parameter server. The master can tell, because the
worker's error says that it is only a consequence.

Usage: late_replies.py LEAT
  LEAT  the program `leat`
"""

import concurrent.futures
import sys
import tempfile
import time

import tasks  # must come first: sets the environment of TensorFlow

LATE = "/tensorflow.WorkerService/RunGraph"
SECONDS = 0.3
RUNS = 3


def serve_proxy(port, target):
  """Passes all calls on to `target`. The proxy needs a process of its own, because
  TensorFlow's client holds Python's global lock while it waits."""
  import grpc  # installed with TensorFlow

  channel = grpc.insecure_channel(target)

  class Proxy(grpc.GenericRpcHandler):

    def service(self, details):
      def pass_on(request, context):
        call = channel.unary_unary(details.method).future(request)
        context.add_callback(call.cancel)
        try:
          response = call.result()
        except grpc.FutureCancelledError:
          return b""
        except grpc.RpcError as error:
          context.set_trailing_metadata(tuple(error.trailing_metadata() or ()))
          context.abort(error.code(), error.details())
        if details.method == LATE:
          time.sleep(SECONDS)
        return response

      return grpc.unary_unary_rpc_method_handler(pass_on)

  server = grpc.server(concurrent.futures.ThreadPoolExecutor(32),
                       handlers=[Proxy()])
  server.add_insecure_port(f"127.0.0.1:{port}")
  server.start()
  print("ready", flush=True)
  server.wait_for_termination()


def check_errors(target, ps):
  import tensorflow as tf
  tf1 = tf.compat.v1
  tf1.logging.set_verbosity(tf1.logging.ERROR)
  tf1.disable_v2_behavior()
  with tf1.device(ps.device):
    index = tf1.placeholder(tf.int32, [])
    bad = tf1.gather(tf1.constant([1.0, 2.0]), index, name="bad_gather")
  with tf1.device("/job:worker/task:0"):
    on_worker = tf1.identity(bad)
  with tf1.Session(target) as session:
    for _ in range(RUNS):
      try:
        session.run(on_worker, {index: 7})
        raise AssertionError("the step does not fail")
      except tf.errors.InvalidArgumentError as error:
        for part in (f"From {ps.name}", "bad_gather", "is not in [0, 2)"):
          if part not in error.message:
            raise AssertionError(f"{part} is not in: {error.message}") from error
    if session.run(on_worker, {index: 1}) != 2:
      raise AssertionError("the next step has a wrong result")


def main():
  if sys.argv[1] == "--proxy":
    return serve_proxy(*sys.argv[2:])
  leat = sys.argv[1]
  ps_port, proxy_port, worker_port = tasks.free_ports(3)
  worker_address = f"127.0.0.1:{worker_port}"
  with tempfile.TemporaryDirectory(prefix="leat_interop_") as folder:
    ps = tasks.Task("leat", "ps", 0, {
        "ps": [f"127.0.0.1:{ps_port}"], "worker": [worker_address]}, leat,
                    f"{folder}/ps.log")
    worker = tasks.Task("tensorflow", "worker", 0, {
        "ps": [f"127.0.0.1:{proxy_port}"], "worker": [worker_address]}, None,
                        f"{folder}/worker.log")
    proxy = tasks.Task("proxy", "proxy", 0, {}, None, f"{folder}/proxy.log")
    proxy.command = [sys.executable, __file__, "--proxy", str(proxy_port),
                     f"127.0.0.1:{ps_port}"]
    try:
      for task in (ps, worker, proxy):
        task.start()
      for task in (ps, worker, proxy):
        task.wait_until_ready()
      check_errors(f"grpc://{worker_address}", ps)
    finally:
      for task in (ps, worker, proxy):
        task.kill()
  print(f"all {RUNS} errors name the parameter server as the cause")


if __name__ == "__main__":
  main()
