// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileDescriptor owns a file descriptor of the operating system and closes it.
//
//   const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
//   if (!file.is_open()) return SystemError(path, "cannot open");
#ifndef LEAT_CORE_FILES_FILE_DESCRIPTOR_H_
#define LEAT_CORE_FILES_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace leat {

// A FileDescriptor holds a descriptor or nothing. It is movable, but not
// copyable. It is not thread-safe.
class FileDescriptor {
 public:
  // Holds nothing.
  FileDescriptor() = default;
  // Takes over `number`, which may be -1 after a failed open.
  explicit FileDescriptor(int number) : number_(number) {}
  // Moving leaves the other object without a descriptor.
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      Close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { Close(); }

  bool is_open() const { return number_ >= 0; }
  // Returns the number of the descriptor, or -1 if there is no descriptor.
  int number() const { return number_; }

  // Gives the descriptor to the caller, who must close it.
  int Release() { return std::exchange(number_, -1); }
  // Closes the descriptor, if there is one.
  void Close() {
    if (is_open()) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace leat

#endif  // LEAT_CORE_FILES_FILE_DESCRIPTOR_H_
