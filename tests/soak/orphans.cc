// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/soak/orphans.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace leat::soak {
namespace {

// Is the file in which the kernel lists the children of the main thread.
char children_path[64];

// This signal handler makes only calls that are safe in a signal handler.
void KillChildren(int signal) {
  char text[4096];
  const int file = open(children_path, O_RDONLY | O_CLOEXEC);
  const ssize_t size = read(file, text, sizeof(text));
  pid_t child = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = 10 * child + (text[i] - '0');
    } else if (child > 0) {  // Each number is followed by a blank.
      kill(child, SIGKILL);
      child = 0;
    }
  }
  raise(signal);  // The signal has its default action again, which ends this
                  // process.
}

}  // namespace

void KillChildrenAtCrash() {
  std::snprintf(children_path, sizeof(children_path),
                "/proc/self/task/%d/children", getpid());
  struct sigaction action = {};
  action.sa_handler = KillChildren;
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGQUIT}) {
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace leat::soak
