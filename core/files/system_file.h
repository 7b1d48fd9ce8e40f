// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadSystemFile reads a file of /proc or /sys. The operating system makes the
// contents of such a file at the moment of reading. core/files/regular_file.h
// has the functions for other files.
//
//   ReadSystemFile("/proc/self/cgroup");
#ifndef LEAT_CORE_FILES_SYSTEM_FILE_H_
#define LEAT_CORE_FILES_SYSTEM_FILE_H_

#include <string>

namespace leat {

// Returns the contents of the file, or "" if the file cannot be read. Stops
// reading after about 1 MiB. Is thread-safe.
std::string ReadSystemFile(const std::string& path);

}  // namespace leat

#endif  // LEAT_CORE_FILES_SYSTEM_FILE_H_
