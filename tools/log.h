// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Log writes the messages of a command line tool to standard error. Results go
// to standard output. The messages are text for people or, for collectors of
// logs, one JSON object per line. Bytes that would control a terminal are
// escaped.
#ifndef LEAT_TOOLS_LOG_H_
#define LEAT_TOOLS_LOG_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Lists how important a message can be, from the highest level to the lowest.
enum class LogLevel { kError, kWarning, kInfo };

// Holds the options of a Log: what to write, and in which form.
struct LogOptions {
  // Is the least important level that is written.
  LogLevel level = LogLevel::kWarning;
  // If true, each line is an object with the keys "time", "level", "program",
  // "message" and, for errors, "code".
  bool json = false;
};

// Is thread-safe after its options were set.
class Log {
 public:
  // `program` is the name of the tool, which begins each message.
  explicit Log(std::string program) : program_(std::move(program)) {}

  // Returns the name that begins each message.
  const std::string& program() const { return program_; }
  // Change the options only while a single thread uses the log.
  LogOptions& options() { return options_; }

  // Error, Warning and Info write a message if the options allow its level.
  // Error also shows the code of the status.
  void Error(const absl::Status& status) const;
  void Warning(absl::string_view message) const;
  void Info(absl::string_view message) const;

  // Returns a function that calls Warning, but drops the message if a write to
  // standard error would wait. The function is for notices that say what a
  // program waits for. Writing such a notice must not make the program wait
  // again. The log must outlive the function.
  std::function<void(absl::string_view message)> Warner() const;

 private:
  // Writes one line. `code` is "" except for errors.
  void Write(LogLevel level, absl::string_view message,
             absl::string_view code) const;

  const std::string program_;
  LogOptions options_ = {};
};

}  // namespace leat

#endif  // LEAT_TOOLS_LOG_H_
