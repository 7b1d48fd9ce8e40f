// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs a program as a shell would, in the folder of the test's process. Every
// run has a time limit.
#ifndef LEAT_TESTS_TOOLS_PROCESSES_RUN_PROGRAM_H_
#define LEAT_TESTS_TOOLS_PROCESSES_RUN_PROGRAM_H_

#include <string>
#include <vector>

namespace leat::testing {

// Returns the path of the file `name` in the folder of this process. The test
// process makes and removes the folder.
std::string Path(const std::string& name);

// Writes a file in that folder and returns its path.
std::string Write(const std::string& name, const std::string& content);

// Returns the bytes of the file at `path`.
std::string Content(const std::string& path);

// Holds the exit code of a program, and the text that it wrote to standard
// output and to standard error.
struct Ended {
  int code = -1;  // -1 if a signal or the time limit ended it
  std::string out = {};
  std::string err = {};
};

// Starts `program` with Spawn (processes.h) and waits for its end. Standard
// output goes to the file `out`. If `out` is the default, Ended::out is the
// content of that file. Otherwise Ended::out is empty.
Ended RunProgram(const std::string& program,
                 const std::vector<std::string>& args,
                 const std::vector<std::string>& variables = {},
                 const std::string& out = Path("out"));

// Run the program `leat` and the program `graph-dump`.
Ended Leat(const std::vector<std::string>& args,
           const std::vector<std::string>& variables = {});
Ended GraphDump(const std::vector<std::string>& args,
                const std::vector<std::string>& variables = {});

// Makes the test fail unless the exit code is `code` and standard error
// contains `message`. If `code` is not 0, standard output must be empty.
void ExpectEnd(const Ended& ended, int code, const std::string& message);

}  // namespace leat::testing

#endif  // LEAT_TESTS_TOOLS_PROCESSES_RUN_PROGRAM_H_
