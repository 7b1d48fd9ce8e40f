// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/testing/processes.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace leat::testing {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(1);

bool IsPassedOn(absl::string_view variable) {
  for (const char* prefix : {"LEAT_", "TF_CONFIG=", "TERM=", "NO_COLOR="}) {
    if (absl::StartsWith(variable, prefix)) return false;
  }
  return true;
}

// Returns pointers to the strings and a final null, which exec requires.
std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& each : strings) {
    pointers.push_back(const_cast<char*>(each.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Returns the number of entries of a folder, or 0 if it cannot be read.
int NumEntries(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  return error ? 0
               : static_cast<int>(std::distance(begin(entries), end(entries)));
}

int CodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Waits as AwaitText does, but only while `is_written` returns true.
// `is_written` returns false when no process writes the file any more.
bool AwaitTextWhile(absl::FunctionRef<bool()> is_written,
                    const std::string& path, const std::string& text,
                    absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    // Calls `is_written` before reading the file. In the other order, this
    // function could miss a text that is written just before the writer ends.
    const bool may_come = is_written() && absl::Now() < deadline;
    const std::string content = ReadFile(path);
    if (absl::StrContains(content, text)) return true;
    if (!may_come) {
      ADD_FAILURE() << "'" << text << "' is missing in '" << content << "'";
      return false;
    }
    absl::SleepFor(kPoll);
  }
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

bool AwaitText(const std::string& path, const std::string& text,
               absl::Duration timeout) {
  return AwaitTextWhile([] { return true; }, path, text, timeout);
}

pid_t Spawn(const std::string& program, const std::vector<std::string>& args,
            const std::vector<std::string>& variables, const std::string& out,
            const std::string& err, bool has_own_group) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kWrite, 0600);
  std::vector<std::string> argv = {program};
  argv.insert(argv.end(), args.begin(), args.end());
  std::vector<std::string> environment = variables;
  for (char** each = environ; *each != nullptr; ++each) {
    if (IsPassedOn(*each)) environment.push_back(*each);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (has_own_group) {
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  }
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, program.c_str(), &actions, &attributes,
                  Pointers(argv).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << program;
  return error == 0 ? pid : -1;
}

int WaitFor(pid_t pid, absl::Duration timeout) {
  int status = 0;
  const absl::Time deadline = absl::Now() + timeout;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (absl::Now() > deadline) {
      ADD_FAILURE() << "process " << pid << " does not end";
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      break;
    }
    absl::SleepFor(kPoll);
  }
  return CodeOf(status);
}

Process::Process(const std::string& program,
                 const std::vector<std::string>& args,
                 const std::vector<std::string>& variables, bool has_own_group)
    : pid_(Spawn(program, args, variables, folder_.Path("out"),
                 folder_.Path("err"), has_own_group)) {}

Process::~Process() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string Process::FirstLine(absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (absl::Now() < deadline) {
    const bool running = IsRunning();
    const std::string out = Out();
    const size_t end = out.find('\n');
    if (end != out.npos) return out.substr(0, end);
    if (!running) break;
    absl::SleepFor(kPoll);
  }
  ADD_FAILURE() << "no line of output; exit code " << code_
                << "; errors: " << Err();
  return "";
}

bool Process::AwaitError(const std::string& text, absl::Duration timeout) {
  return AwaitTextWhile([this] { return IsRunning(); }, folder_.Path("err"),
                        text, timeout);
}

void Process::Signal(int signal) {
  if (pid_ >= 0) kill(pid_, signal);
}

void Process::Stop() {
  Signal(SIGSTOP);
  siginfo_t stopped = {};
  if (pid_ >= 0) waitid(P_PID, pid_, &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

int Process::Wait(absl::Duration timeout) {
  if (pid_ >= 0) code_ = WaitFor(pid_, timeout);
  pid_ = -1;
  return code_;
}

bool Process::IsRunning() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, WNOHANG) == 0) return pid_ >= 0;
  code_ = CodeOf(status);
  pid_ = -1;
  return false;
}

int64_t Process::ResidentBytes() const {
  std::ifstream file(absl::StrCat("/proc/", pid_, "/statm"));
  int64_t total = 0;
  int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int Process::NumOpenFiles() const {
  return NumEntries(absl::StrCat("/proc/", pid_, "/fd"));
}

int Process::NumThreads() const {
  return NumEntries(absl::StrCat("/proc/", pid_, "/task"));
}

std::vector<std::string> ServeAlone(const std::string& address) {
  return {"serve", "--cluster", absl::StrCat(R"({"ps": [")", address, R"("]})"),
          "--job", "ps",        "--task",
          "0"};
}

std::vector<std::string> ArgsUnder(const std::string& limit,
                                   const std::string& program,
                                   const std::vector<std::string>& args) {
  std::vector<std::string> all = {
      "-c", absl::StrCat("ulimit ", limit, R"(; exec "$0" "$@")"), program};
  all.insert(all.end(), args.begin(), args.end());
  return all;
}

std::vector<std::string> ServeAloneUnder(const std::string& program,
                                         const std::string& limit,
                                         const std::vector<std::string>& more) {
  std::vector<std::string> args = ServeAlone();
  args.insert(args.end(), more.begin(), more.end());
  return ArgsUnder(limit, program, args);
}

std::string AddressOf(Process& server) {
  constexpr char kReady[] = "ready /job:ps/replica:0/task:0 ";
  const std::string line = server.FirstLine();
  EXPECT_TRUE(absl::StartsWith(line, kReady)) << line;
  return std::string(absl::StripPrefix(line, kReady));
}

}  // namespace leat::testing
