// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/live_view.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/escaped_text.h"

namespace leat {
namespace {

constexpr char kOwnName[] = "leat";
constexpr std::chrono::milliseconds kBetweenWrites(1);
// These are the colours of the names. Red is left out, because it stands for
// alarms.
constexpr int kColors[] = {36, 33, 32, 35, 34, 96, 93, 92, 95, 94};

// Returns the text that stands before each line of a task. The text is padded
// to the same width for all tasks.
std::string PrefixOf(const std::string& name, size_t width,
                     const std::string& color) {
  std::string prefix = absl::StrCat("[", name, "]");
  const std::string padding(width - name.size() + 1, ' ');
  if (!color.empty()) {
    prefix = absl::StrCat("\033[", color, "m", prefix, "\033[0m");
  }
  return prefix + padding;
}

// Opens the stream a second time. The flag O_NONBLOCK belongs to an open file,
// which other processes share. So the view needs its own open file. Regular
// files and sockets cannot be opened a second time.
FileDescriptor OpenAnew(int output) {
  struct stat info = {};
  if (fstat(output, &info) != 0 ||
      !(S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode))) {
    return FileDescriptor();
  }
  return FileDescriptor(open(absl::StrCat("/proc/self/fd/", output).c_str(),
                             O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

LiveView::LiveView(std::vector<std::string> names, LiveViewOptions options)
    : options_(options), lines_(names.size()), own_(OpenAnew(options.output)) {
  size_t width = sizeof(kOwnName) - 1;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (size_t i = 0; i < names.size(); ++i) {
    prefixes_.push_back(PrefixOf(
        names[i], width,
        options.color ? absl::StrCat(kColors[i % std::size(kColors)]) : ""));
  }
  prefixes_.push_back(PrefixOf(kOwnName, width, options.color ? "1" : ""));
}

void LiveView::Show(size_t task, absl::string_view bytes) {
  std::string& line = lines_[task];
  for (const char c : bytes) {
    if (c == '\n' || c == '\r') {
      EndLine(task);
      continue;
    }
    line.push_back(c);
    if (line.size() == options_.max_line) EndLine(task);
  }
}

void LiveView::EndLine(size_t task) {
  if (lines_[task].empty()) return;  // also between "\r" and "\n"
  AddLine(prefixes_[task], lines_[task]);
  lines_[task].clear();
}

void LiveView::Note(absl::string_view text) { AddLine(prefixes_.back(), text); }

void LiveView::AddLine(absl::string_view prefix, absl::string_view text) {
  if (is_closed_) return;
  const std::string line = absl::StrCat(prefix, EscapedLines(text), "\n");
  if (kept_.size() + line.size() > options_.max_kept) {
    ++left_out_;
    return;
  }
  TellWhatIsLeftOut();
  kept_ += line;
}

// Keeps the line about dropped lines even if `kept_` then exceeds the limit.
void LiveView::TellWhatIsLeftOut() {
  if (left_out_ == 0) return;
  absl::StrAppend(&kept_, prefixes_.back(), left_out_,
                  " lines are left out: nobody read them in time\n");
  left_out_ = 0;
}

int LiveView::output() const {
  return own_.is_open() ? own_.number() : options_.output;
}

void LiveView::Write() {
  size_t written = 0;
  while (written < kept_.size() && !is_closed_) {
    // If poll() reports POLLOUT, even a stream that may block takes PIPE_BUF
    // bytes without blocking.
    pollfd ready = {.fd = output(), .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, 0) <= 0) break;
    const ssize_t count =
        write(output(), kept_.data() + written,
              std::min<size_t>(kept_.size() - written, PIPE_BUF));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    is_closed_ = count <= 0;
    written += is_closed_ ? 0 : static_cast<size_t>(count);
  }
  kept_.erase(0, is_closed_ ? kept_.npos : written);
}

void LiveView::Finish(std::chrono::milliseconds patience) {
  Clock& clock = *options_.clock;
  const Clock::time_point deadline = clock.After(patience);
  for (size_t task = 0; task < lines_.size(); ++task) EndLine(task);
  TellWhatIsLeftOut();
  for (Write(); !kept_.empty() && clock.Now() < deadline; Write()) {
    clock.Sleep(kBetweenWrites);
  }
}

}  // namespace leat
