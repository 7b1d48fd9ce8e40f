# Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
"""Runs clusters whose tasks are processes: servers of Leat and of TensorFlow.

    with Cluster({"ps": ["tensorflow", "leat"], "worker": ["tensorflow"]},
                 leat="build/release/tools/leat") as cluster:
      session = tf1.Session(cluster.target("worker", 0))

All tasks listen on the loopback interface. They end with their cluster.
"""

import json
import operator
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

# The proxies are removed, because the tasks run on this machine and must be
# reached directly.
for _name in ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY",
              "HTTPS_PROXY"):
  os.environ.pop(_name, None)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

START_SECONDS = 60
_TENSORFLOW = """
import json, sys
import tensorflow as tf
tf.config.threading.set_inter_op_parallelism_threads(2)
config = tf.compat.v1.ConfigProto()
config.experimental.collective_group_leader = sys.argv[4]
server = tf.distribute.Server(json.loads(sys.argv[1]), job_name=sys.argv[2],
                              task_index=int(sys.argv[3]), config=config)
print("ready", flush=True)
server.join()
"""


def free_ports(count):
  """Returns ports that are free now. Another program may take one before a task
  listens at it."""
  sockets = [socket.socket() for _ in range(count)]
  try:
    for each in sockets:
      each.bind(("127.0.0.1", 0))
    return [each.getsockname()[1] for each in sockets]
  finally:
    for each in sockets:
      each.close()


def _ends_with_parent(command):
  """Returns a command that runs `command`, and kills it when this process ends in any
  way. Without the program setpriv, nothing kills it."""
  setpriv = shutil.which("setpriv")
  return [setpriv, "--pdeathsig", "KILL", *command] if setpriv else command


class Task:
  """Runs one task. `kind` is "leat" or "tensorflow"."""

  def __init__(self, kind, job, index, cluster, leat, log, leat_flags=(),
               group_leader=""):
    self.kind, self.job, self.index = kind, job, index
    self._log = log
    spec = json.dumps(cluster)
    if kind == "leat":
      self.command = [str(leat), "serve", "--cluster", spec, "--job", job,
                       "--task", str(index), *leat_flags]
    else:
      self.command = [sys.executable, "-c", _TENSORFLOW, spec, job,
                       str(index), group_leader]
    self.process = None

  @property
  def device(self):
    return f"/job:{self.job}/task:{self.index}"

  @property
  def name(self):
    return f"/job:{self.job}/replica:0/task:{self.index}"

  def start(self):
    with open(self._log, "ab") as log:
      self.process = subprocess.Popen(
          _ends_with_parent(self.command), stdin=subprocess.DEVNULL,
          stdout=subprocess.PIPE, stderr=log)

  def wait_until_ready(self):
    readable, _, _ = select.select([self.process.stdout], [], [],
                                   START_SECONDS)
    line = self.process.stdout.readline() if readable else b""
    if not line.startswith(b"ready"):
      self.kill()
      raise OSError(f"{self.name} ({self.kind}) does not serve: {self.log()}")

  def stop(self):
    """Stops the process until go_on is called. Returns when the process has stopped."""
    self.process.send_signal(signal.SIGSTOP)
    os.waitpid(self.process.pid, os.WUNTRACED)

  def go_on(self):
    self.process.send_signal(signal.SIGCONT)

  def kill(self):
    self._end(signal.SIGKILL)

  def terminate(self):
    """Sends SIGTERM, waits for the end, and returns the exit code."""
    return self._end(signal.SIGTERM)

  def _end(self, number):
    if self.process is None:
      return None
    self.process.send_signal(number)
    try:
      code = self.process.wait(START_SECONDS)
    finally:
      self.process.kill()
      self.process.stdout.close()
    self.process = None
    return code

  def restart(self):
    self.kill()
    self.start()
    self.wait_until_ready()

  def log(self):
    return pathlib.Path(self._log).read_text(errors="replace")[-4000:]


class Cluster:
  """Runs the tasks of `kinds`, which is {job: [kind of task 0, ...]}, while a `with`
  statement is active. Tasks of Leat get the flags `leat_flags`. The groups of
  collectives form at the task `group_leader`, for tasks of TensorFlow. `leat` is the
  program of the tasks of Leat."""

  ATTEMPTS = 3  # each attempt uses other ports

  def __init__(self, kinds, leat=None, leat_flags=(), group_leader=""):
    self.leat, self.leat_flags = leat, leat_flags
    self._kinds = kinds
    self._group_leader = group_leader
    self._folder = None
    self.tasks = {}

  def __enter__(self):
    self._folder = tempfile.TemporaryDirectory(prefix="leat_interop_")
    for attempt in range(self.ATTEMPTS):
      try:
        self._start(attempt)
        return self
      except OSError:
        self._stop()
        if attempt + 1 == self.ATTEMPTS:
          self._folder.cleanup()
          raise
    raise AssertionError

  def __exit__(self, *unused):
    self._stop()
    self._folder.cleanup()

  def _start(self, attempt):
    ports = iter(free_ports(sum(map(len, self._kinds.values()))))
    spec = {job: [f"127.0.0.1:{next(ports)}" for _ in kinds]
            for job, kinds in self._kinds.items()}
    self._spec = spec
    for job, kinds in self._kinds.items():
      self.tasks[job] = [
          Task(kind, job, index, spec, self.leat,
               f"{self._folder.name}/{job}-{index}-{attempt}.log",
               self.leat_flags, self._group_leader)
          for index, kind in enumerate(kinds)]
    for task in self.all_tasks():
      task.start()
    for task in self.all_tasks():
      task.wait_until_ready()

  def _stop(self):
    for task in self.all_tasks():
      task.kill()

  def all_tasks(self):
    return [task for tasks in self.tasks.values() for task in tasks]

  def target(self, job, index=0):
    return f"grpc://{self._spec[job][index]}"


def first_line(error):
  """Returns the first line of the server's message in an error of a client. Before this
  line, the client says where the program has built the node, and a master names the
  task."""
  lines = error.message.splitlines()
  if lines and lines[0] == "Graph execution error:":
    nodes = [i for i, line in enumerate(lines) if line.startswith("Node: '")]
    lines = lines[nodes[-1] + 1 if nodes else 1:]
  lines = [line for line in lines
           if line and "From /job:" not in line and not line.startswith("=====")]
  return lines[0] if lines else ""


def compare_programs(usage, programs, run=lambda program, target: program(target),
                     agree=operator.eq, file_root=None):
  """Runs programs in this process and on a server of Leat, and compares the results.

  This is the main program of a script with the arguments LEAT [PROGRAM...]. `usage` is
  printed if there are none. `run` runs a program on a target, which is "" for this
  process. `agree` compares two results. The server may use the files in `file_root`.
  """
  if len(sys.argv) < 2:
    sys.exit(usage)
  leat, *names = sys.argv[1:]
  unknown = set(names) - {program.__name__ for program in programs}
  if unknown:
    sys.exit("There are no such programs: %s" % ", ".join(sorted(unknown)))
  flags = ["--file-root", file_root + ":rw"] if file_root else []
  with Cluster({"worker": ["leat"]}, leat=leat, leat_flags=flags) as cluster:
    for program in programs:
      if names and program.__name__ not in names:
        continue
      start = time.monotonic()
      expected, got = run(program, ""), run(program, cluster.target("worker"))
      if not agree(got, expected):
        raise AssertionError("%s: %s, but TensorFlow has %s" %
                             (program.__name__, got, expected))
      print("%-25s agrees with TensorFlow (%.1f s)" %
            (program.__name__, time.monotonic() - start), flush=True)


def eventually(call, seconds=30, errors=(Exception,)):
  """Repeats the call until it raises none of `errors`, and returns its result."""
  deadline = time.monotonic() + seconds
  while True:
    try:
      return call()
    except errors:
      if time.monotonic() > deadline:
        raise
      time.sleep(0.2)
