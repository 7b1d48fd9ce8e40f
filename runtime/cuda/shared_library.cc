// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/shared_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace leat {
namespace {

// Returns the value of an environment variable, or "".
std::string Environment(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

std::string ParentOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? ""
                                          : std::string(path.substr(0, slash));
}

// Returns the folder above the one in which this program lies, or "".
std::string PrefixOfProgram() {
  char path[4096];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return "";
  return ParentOf(ParentOf(absl::string_view(path, static_cast<size_t>(size))));
}

// Returns the folder above the one in which PATH finds python3, or "".
std::string PrefixOfPython() {
  for (const absl::string_view folder :
       absl::StrSplit(Environment("PATH"), ':', absl::SkipEmpty())) {
    if (!absl::StartsWith(folder, "/")) continue;
    if (::access(absl::StrCat(folder, "/python3").c_str(), X_OK) == 0) {
      return ParentOf(folder);
    }
  }
  return "";
}

// Returns a glob pattern that matches only `path`.
std::string PatternOf(absl::string_view path) {
  std::string pattern;
  for (const char c : path) {
    if (absl::StrContains("\\*?[]{}", c)) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Returns the glob patterns of files in which the library may lie, in the order
// in which they are tried. The bare name lets the loader search the system's
// folders.
std::vector<std::string> PatternsOf(const std::string& soname,
                                    const LibrarySearch& search) {
  std::vector<std::string> patterns;
  const auto add = [&](absl::string_view folder, absl::string_view below) {
    if (!absl::StartsWith(folder, "/")) return;
    patterns.push_back(absl::StrCat(PatternOf(folder), below, "/", soname));
  };
  for (const std::string& folder : search.folders) add(folder, "");
  patterns.push_back(soname);
  for (const std::string& toolkit : search.toolkits) {
    add(toolkit, "/lib64");
    add(toolkit, "/lib");
  }
  for (const std::string& prefix : search.prefixes) {
    add(prefix, "/lib/python3*/{site,dist}-packages/nvidia/*/lib");
  }
  return patterns;
}

// Returns the files that match a pattern. A bare name stands for itself.
std::vector<std::string> FilesOf(const std::string& pattern) {
  if (!absl::StartsWith(pattern, "/")) return {pattern};
  std::vector<std::string> files;
  glob_t found = {};
  if (::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

}  // namespace

LibrarySearch LibrarySearch::OfProcess() {
  return {.folders = absl::StrSplit(Environment("LEAT_CUDA_LIBRARY_PATH"), ':'),
          .toolkits = {Environment("CUDA_HOME"), Environment("CUDA_PATH"),
                       "/usr/local/cuda"},
          .prefixes = {Environment("VIRTUAL_ENV"), Environment("CONDA_PREFIX"),
                       PrefixOfProgram(), PrefixOfPython(),
                       absl::StrCat(Environment("HOME"), "/.local"),
                       "/usr/local", "/usr"}};
}

absl::StatusOr<SharedLibrary> SharedLibrary::Open(const std::string& soname,
                                                  const LibrarySearch& search) {
  const std::vector<std::string> patterns = PatternsOf(soname, search);
  std::vector<std::string> problems;
  for (const std::string& pattern : patterns) {
    for (const std::string& file : FilesOf(pattern)) {
      void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle != nullptr) return SharedLibrary(handle, file);
      problems.emplace_back(::dlerror());
    }
  }
  return absl::NotFoundError(
      absl::StrCat(soname, " cannot be opened (", absl::StrJoin(problems, "; "),
                   "); looked for ", absl::StrJoin(patterns, ", "),
                   "; LEAT_CUDA_LIBRARY_PATH may name its folder"));
}

absl::Status SharedLibrary::FindAddress(const char* name,
                                        void** address) const {
  *address = ::dlsym(handle_, name);
  if (*address != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path_, " has no function ", name));
}

}  // namespace leat
