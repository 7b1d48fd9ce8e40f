// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Log: what a command line tool says besides its result, on standard error, for
// a person or, as a JSON object per line, for a collector of logs. Bytes that a
// terminal would obey are escaped. Thread-safe once its options are set.
#ifndef LEAT_TOOLS_LOG_H_
#define LEAT_TOOLS_LOG_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

enum class LogLevel { kError, kWarning, kInfo };

struct LogOptions {
  LogLevel level = LogLevel::kWarning;  // the least important that is written
  // {"time", "level", "program", "message"} and, for errors, "code".
  bool json = false;
};

class Log {
 public:
  explicit Log(std::string program) : program_(std::move(program)) {}

  const std::string& program() const { return program_; }
  LogOptions& options() { return options_; }

  void Error(const absl::Status& status) const;
  void Warning(absl::string_view message) const;
  void Info(absl::string_view message) const;

 private:
  void Write(LogLevel level, absl::string_view message,
             absl::string_view code) const;

  const std::string program_;
  LogOptions options_ = {};
};

}  // namespace leat

#endif  // LEAT_TOOLS_LOG_H_
