// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SharedLibrary is a library of CUDA that is opened when it is first needed.
// Programs are not linked with these libraries, so they start quickly, and also
// run on machines without the libraries.
//
//   LEAT_ASSIGN_OR_RETURN(const SharedLibrary library,
//                         SharedLibrary::Open("libcublasLt.so.13",
//                                             LibrarySearch::OfProcess()));
//   decltype(&cublasLtCreate) create = nullptr;
//   LEAT_RETURN_IF_ERROR(library.Find("cublasLtCreate", create));
#ifndef LEAT_RUNTIME_CUDA_SHARED_LIBRARY_H_
#define LEAT_RUNTIME_CUDA_SHARED_LIBRARY_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace leat {

// The folders in which a library may lie. Relative paths are ignored, so that
// no library is loaded from the current folder. The system itself may still
// look there, for example if LD_LIBRARY_PATH has an empty entry. A plain value.
struct LibrarySearch {
  // These folders are searched first. Next come the folders in which the system
  // looks.
  std::vector<std::string> folders = {};
  // Folders of CUDA toolkits, such as "/usr/local/cuda". Their libraries lie in
  // lib64 or lib.
  std::vector<std::string> toolkits = {};
  // Where Python may be installed, such as "/usr" or the folder of a virtual
  // environment. NVIDIA's Python packages lie in
  // lib/python3*/site-packages/nvidia or lib/python3*/dist-packages/nvidia
  // there.
  std::vector<std::string> prefixes = {};

  // Returns where this process looks. `folders` comes from the environment
  // variable LEAT_CUDA_LIBRARY_PATH, in which colons separate the folders.
  // `toolkits` has CUDA_HOME, CUDA_PATH and /usr/local/cuda. `prefixes` has
  // VIRTUAL_ENV, CONDA_PREFIX, the prefix of this program, the prefix of the
  // python3 in PATH, HOME/.local, /usr/local and /usr. A program with more
  // rights than its user ignores the environment.
  static LibrarySearch OfProcess();
};

// A value. Copies stand for the same library, which stays open until the
// process ends, because libraries of CUDA cannot be closed safely.
class SharedLibrary {
 public:
  // Opens the library `soname`, such as "libcublasLt.so.13". Takes up to a
  // second. Returns NOT_FOUND if no folder has a library of that name that can
  // be opened. The message has the loader's words about each file, and the
  // places that were searched.
  static absl::StatusOr<SharedLibrary> Open(const std::string& soname,
                                            const LibrarySearch& search);

  // Stores the address of the function `name` in `function`. Returns
  // FAILED_PRECONDITION, naming the library and the function, if the library
  // has no such function.
  template <class Function>
  absl::Status Find(const char* name, Function*& function) const {
    return FindAddress(name, reinterpret_cast<void**>(&function));
  }

  // Returns the path of the file, such as
  // "/usr/local/cuda/lib64/libcublasLt.so.13", or its bare name if the system
  // found it.
  const std::string& path() const { return path_; }

 private:
  SharedLibrary(void* handle, std::string path)
      : handle_(handle), path_(std::move(path)) {}
  absl::Status FindAddress(const char* name, void** address) const;

  void* handle_;
  std::string path_;
};

}  // namespace leat

#endif  // LEAT_RUNTIME_CUDA_SHARED_LIBRARY_H_
