// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadSystemFile reads a file that the kernel makes up while it is read, such
// as those of /proc and /sys. core/regular_file.h has the functions for other
// files.
//
//   ReadSystemFile("/proc/self/cgroup");
#ifndef LEAT_CORE_SYSTEM_FILE_H_
#define LEAT_CORE_SYSTEM_FILE_H_

#include <string>

namespace leat {

// Returns the contents of the file, at most 1 MiB, or "" if it cannot be read.
// Thread-safe.
std::string ReadSystemFile(const std::string& path);

}  // namespace leat

#endif  // LEAT_CORE_SYSTEM_FILE_H_
