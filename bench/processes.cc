// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/bench/processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace leat::bench {
namespace {

[[noreturn]] void Die(absl::string_view what) {
  std::fprintf(stderr, "%s\n", std::string(what).c_str());
  std::exit(1);
}

// Returns `count` different free ports. Another program may take a port before
// the server listens on it. Then the server reports an error, and the benchmark
// must be run again.
std::vector<int> FreePorts(int count) {
  std::vector<int> sockets, ports;
  for (int i = 0; i < count; ++i) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (fd < 0 || bind(fd, any, size) != 0 ||
        getsockname(fd, any, &size) != 0) {
      Die("there is no free port");
    }
    sockets.push_back(fd);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int fd : sockets) close(fd);
  return ports;
}

// Returns the cluster as JSON, for the flag --cluster.
std::string ClusterText(const std::map<std::string, std::vector<int>>& ports) {
  std::vector<std::string> jobs;
  for (const auto& [job, of_job] : ports) {
    std::vector<std::string> addresses;
    for (const int port : of_job) {
      addresses.push_back(absl::StrCat("\"127.0.0.1:", port, "\""));
    }
    jobs.push_back(
        absl::StrCat("\"", job, "\": [", absl::StrJoin(addresses, ", "), "]"));
  }
  return absl::StrCat("{", absl::StrJoin(jobs, ", "), "}");
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Die("there is no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  // If setpriv is installed, the child is run with it, so that the kernel kills
  // the child when this program ends for any reason.
  std::vector<std::string> full = {"/usr/bin/setpriv", "--pdeathsig", "KILL"};
  if (access(full[0].c_str(), X_OK) != 0) full.clear();
  full.insert(full.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (const std::string& each : full) {
    arguments.push_back(const_cast<char*>(each.c_str()));
  }
  arguments.push_back(nullptr);
  const int error = posix_spawn(&pid_, arguments[0], &actions, nullptr,
                                arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_ = ends[0];
  if (error != 0) Die(absl::StrCat(command[0], " cannot be started"));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, -1)) {}

ChildProcess::~ChildProcess() {
  if (output_ >= 0) close(output_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string ChildProcess::ReadLine() {
  std::string line;
  char c = 0;
  while (read(output_, &c, 1) == 1) {
    if (c == '\n') return line;
    line.push_back(c);
  }
  Die("a process has ended early");
}

Processes::Processes(const std::string& leat, const Jobs& jobs,
                     const std::vector<std::string>& flags) {
  int count = 0;
  for (const auto& [job, tasks] : jobs) count += tasks;
  std::vector<int> free = FreePorts(count);
  for (const auto& [job, tasks] : jobs) {
    for (int i = 0; i < tasks; ++i) {
      ports_[job].push_back(free.back());
      free.pop_back();
    }
  }
  const std::string cluster = ClusterText(ports_);
  for (const auto& [job, tasks] : jobs) {
    for (int i = 0; i < tasks; ++i) {
      std::vector<std::string> command = {leat,     "serve",        "--cluster",
                                          cluster,  "--job",        job,
                                          "--task", absl::StrCat(i)};
      command.insert(command.end(), flags.begin(), flags.end());
      processes_.emplace_back(command);
    }
  }
  for (ChildProcess& process : processes_) process.ReadLine();  // "ready ..."
}

std::string Processes::Target(const std::string& job, int task) const {
  return absl::StrCat("grpc://127.0.0.1:",
                      ports_.at(job).at(static_cast<size_t>(task)));
}

std::string OwnFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

}  // namespace leat::bench
