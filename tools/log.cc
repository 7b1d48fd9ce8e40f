// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/log.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "leat/core/escaped_text.h"
#include "nlohmann/json.hpp"

namespace leat {
namespace {

absl::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kError:
      return "error";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kInfo:
      return "info";
  }
  return "";
}

}  // namespace

void Log::Error(const absl::Status& status) const {
  Write(LogLevel::kError, status.message(),
        absl::StatusCodeToString(status.code()));
}

void Log::Warning(absl::string_view message) const {
  Write(LogLevel::kWarning, message, "");
}

void Log::Info(absl::string_view message) const {
  Write(LogLevel::kInfo, message, "");
}

std::function<void(absl::string_view message)> Log::Warner() const {
  return [this](absl::string_view message) {
    pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (poll(&output, 1, 0) > 0) Warning(message);
  };
}

void Log::Write(LogLevel level, absl::string_view message,
                absl::string_view code) const {
  if (level > options_.level) return;
  // Each line is written in one piece, because several threads may write.
  if (!options_.json) {
    std::cerr << absl::StrCat(
        program_, ": ", level == LogLevel::kWarning ? "warning: " : "",
        EscapedLines(message),
        code.empty() ? "" : absl::StrCat(" (", code, ")"), "\n");
    std::cerr.clear();  // A line that was lost must not silence later lines.
    return;
  }
  nlohmann::ordered_json line = {
      {"time", absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                                absl::UTCTimeZone())},
      {"level", std::string(NameOf(level))},
      {"program", program_},
      {"message", EscapedLines(message)}};
  if (!code.empty()) line["code"] = std::string(code);
  std::cerr << line.dump() + "\n";
  std::cerr.clear();
}

}  // namespace leat
