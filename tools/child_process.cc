// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/files/system_file.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int kSignalExit = 128;

absl::Status NoProcess(absl::string_view what) {
  return absl::ResourceExhaustedError(
      absl::StrCat("no process can be started, because ", what,
                   " has failed: ", std::strerror(errno)));
}

absl::Status CannotRun(const std::string& command, int error) {
  const std::string message = absl::StrCat(
      "the program '", command, "' cannot be run: ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message)
                         : absl::PermissionDeniedError(message);
}

struct Pipe {
  FileDescriptor read_end = {};
  FileDescriptor write_end = {};
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return NoProcess("pipe");
  return Pipe{.read_end = FileDescriptor(ends[0]),
              .write_end = FileDescriptor(ends[1])};
}

// Returns pointers to the strings and a final null, as exec needs them.
std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& each : strings) {
    pointers.push_back(const_cast<char*>(each.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Holds what the new process needs to start. The new process itself must not
// allocate memory.
struct Start {
  pid_t parent = -1;
  int input = -1;
  int output = -1;
  int failure = -1;  // receives errno if the command cannot be run
  char* const* command = nullptr;
  char* const* environment = nullptr;
};

// Runs in the new process and turns it into the command.
[[noreturn]] void BecomeCommand(const Start& start) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have ended before the call of prctl.
  if (getppid() != start.parent) _exit(kSignalExit + SIGKILL);
  dup2(start.input, STDIN_FILENO);
  dup2(start.output, STDOUT_FILENO);
  dup2(start.output, STDERR_FILENO);
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGCHLD}) {
    std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(start.command[0], start.command, start.environment);
  const int error = errno;
  const ssize_t written = write(start.failure, &error, sizeof(error));
  _exit(written == sizeof(error) ? 127 : 126);
}

// Waits until the command has started or cannot be started. The kernel closes
// the pipe when the command starts. Returns the errno of a failed start, or 0.
int ErrorOfStart(const FileDescriptor& failure) {
  int error = 0;
  ssize_t count = 0;
  do {
    count = read(failure.number(), &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  return count == sizeof(error) ? error : 0;
}

// Returns the parent of a process, or 0 if there is no such process. The parent
// is the 4th field of /proc/PID/stat. The 2nd field, a name in parentheses, may
// contain anything.
pid_t ParentOf(pid_t pid) {
  const std::string text = ReadSystemFile(absl::StrCat("/proc/", pid, "/stat"));
  const size_t name_end = text.rfind(')');
  if (name_end == text.npos) return 0;
  const std::vector<std::string> fields = absl::StrSplit(
      absl::string_view(text).substr(name_end + 1), ' ', absl::SkipEmpty());
  int parent = 0;
  return fields.size() > 1 && absl::SimpleAtoi(fields[1], &parent) ? parent : 0;
}

}  // namespace

absl::StatusOr<ChildProcess> StartChild(
    const std::vector<std::string>& command,
    const std::vector<std::string>& environment) {
  LEAT_ASSIGN_OR_RETURN(Pipe output, MakePipe());
  LEAT_ASSIGN_OR_RETURN(Pipe failure, MakePipe());
  const FileDescriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input.is_open()) return NoProcess("opening /dev/null");
  if (fcntl(output.read_end.number(), F_SETFL, O_NONBLOCK) != 0) {
    return NoProcess("making a pipe non-blocking");
  }
  const std::vector<char*> arguments = Pointers(command);
  const std::vector<char*> variables = Pointers(environment);
  const Start start{.parent = getpid(),
                    .input = input.number(),
                    .output = output.write_end.number(),
                    .failure = failure.write_end.number(),
                    .command = arguments.data(),
                    .environment = variables.data()};
  const pid_t pid = fork();
  if (pid < 0) return NoProcess("fork");
  if (pid == 0) BecomeCommand(start);
  failure.write_end.Close();
  if (const int error = ErrorOfStart(failure.read_end); error != 0) {
    waitpid(pid, nullptr, 0);
    return CannotRun(command[0], error);
  }
  return ChildProcess{.pid = pid, .output = std::move(output.read_end)};
}

absl::Status BecomeSubreaper() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "leat launch cannot adopt the processes that tasks leave behind: ",
      std::strerror(errno)));
}

std::optional<EndedChild> NextEndedChild() {
  siginfo_t info = {};
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  const bool by_itself = info.si_code == CLD_EXITED;
  return EndedChild{
      .pid = info.si_pid,
      .code = by_itself ? info.si_status : kSignalExit + info.si_status,
      .signal = by_itself ? 0 : info.si_status};
}

void Forget(const EndedChild& child) { waitpid(child.pid, nullptr, 0); }

bool HasChildren() {
  siginfo_t info = {};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"),
                                                      &closedir);
  if (processes == nullptr) return children;
  while (const dirent* entry = readdir(processes.get())) {
    int pid = 0;
    if (absl::SimpleAtoi(entry->d_name, &pid) && ParentOf(pid) == getpid()) {
      children.push_back(pid);
    }
  }
  return children;
}

}  // namespace leat
