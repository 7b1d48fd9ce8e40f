// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileDescriptor: owns a descriptor of the kernel's and closes it. Movable, not
// thread-safe.
#ifndef LEAT_TOOLS_FILE_DESCRIPTOR_H_
#define LEAT_TOOLS_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace leat {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
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
  int number() const { return number_; }  // -1 when there is none

  void Close() {
    if (is_open()) close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace leat

#endif  // LEAT_TOOLS_FILE_DESCRIPTOR_H_
