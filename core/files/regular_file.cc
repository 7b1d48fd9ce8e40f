// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/regular_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"

namespace leat {

absl::StatusOr<RegularFile> RegularFile::Open(const std::string& path,
                                              int64_t max_bytes,
                                              const FileAccess& files) {
  LEAT_ASSIGN_OR_RETURN(FileDescriptor descriptor, files.OpenToRead(path));
  RegularFile file(path, std::move(descriptor));
  struct stat info = {};
  if (fstat(file.file_.number(), &info) != 0) {
    return SystemError(path, "cannot stat");
  }
  file.size_ = info.st_size;
  if (file.size_ > max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("file '", path, "' has ", file.size_,
                     " bytes, but may have at most ", max_bytes));
  }
  return file;
}

absl::Status RegularFile::Read(char* to, size_t count) {
  while (count > 0) {
    const ssize_t done = read(file_.number(), to, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return SystemError(path_, "cannot read");
    if (done == 0) {
      return absl::DataLossError(
          absl::StrCat("file '", path_, "' became shorter while it was read"));
    }
    to += done;
    count -= static_cast<size_t>(done);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& path,
                                            int64_t max_bytes,
                                            const FileAccess& files) {
  LEAT_ASSIGN_OR_RETURN(RegularFile file,
                        RegularFile::Open(path, max_bytes, files));
  std::string content(static_cast<size_t>(file.size()), '\0');
  LEAT_RETURN_IF_ERROR(file.Read(content.data(), content.size()));
  return content;
}

}  // namespace leat
