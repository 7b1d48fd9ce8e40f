// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs a program as a shell would, in a folder of the test's process. Every run
// is bounded in time.
#ifndef LEAT_TESTS_TOOLS_PROCESSES_RUN_PROGRAM_H_
#define LEAT_TESTS_TOOLS_PROCESSES_RUN_PROGRAM_H_

#include <string>
#include <vector>

namespace leat::testing {

// Of a folder of this process, which its test makes and removes.
std::string Path(const std::string& name);

// A new file there; its path.
std::string Write(const std::string& name, const std::string& content);

std::string Content(const std::string& path);

struct Ended {
  int code = -1;  // -1: killed, because it did not end or by itself
  std::string out = {};
  std::string err = {};
};

// As Spawn (processes.h) starts it.
Ended RunProgram(const std::string& program,
                 const std::vector<std::string>& args,
                 const std::vector<std::string>& variables = {},
                 const std::string& out = Path("out"));

// Fails the test unless that is how it ended: with `message` on standard error
// and, for an error, nothing on standard output.
void ExpectEnd(const Ended& ended, int code, const std::string& message);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TOOLS_PROCESSES_RUN_PROGRAM_H_
