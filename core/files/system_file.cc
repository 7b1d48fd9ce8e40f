// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/system_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "leat/core/files/file_descriptor.h"

namespace leat {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

}  // namespace

std::string ReadSystemFile(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char piece[4096];
  while (file.is_open() && text.size() < kMaxBytes) {
    const ssize_t count = read(file.number(), piece, sizeof(piece));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return "";
    if (count == 0) break;
    text.append(piece, static_cast<size_t>(count));
  }
  return text;
}

}  // namespace leat
