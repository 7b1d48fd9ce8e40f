// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// FileAccess says which files the ops of a graph may open, and opens them. A
// program that runs its own graphs may open every file. A server lets its
// clients open only the files below certain folders, called roots:
//
//   FileAccess files;
//   LEAT_RETURN_IF_ERROR(files.AddRoot("/data", /*may_write=*/false));
//   LEAT_RETURN_IF_ERROR(files.AddRoot("/models", /*may_write=*/true));
//   LEAT_ASSIGN_OR_RETURN(FileDescriptor file, files.OpenToRead("/data/x"));
//
// No path leads out of a root: neither "..", nor a symbolic link, nor a link
// that changes while the path is resolved. The kernel resolves each path below
// the root (openat2 with RESOLVE_BENEATH).
#ifndef LEAT_CORE_FILES_FILE_ACCESS_H_
#define LEAT_CORE_FILES_FILE_ACCESS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/mutex.h"

namespace leat {

// Is a value; copies share the descriptors of the roots and one lock. Is
// thread-safe once the roots have been added. A relative path starts at the
// working directory of the process. All functions return PERMISSION_DENIED if
// the path is not below a root, or would be written below a root that may only
// be read. The message names the flag that would allow the access. If the
// system refuses, the functions return the errors of SystemError
// (system_error.h). All errors name the path.
class FileAccess {
 public:
  // Returns access to all files that the process may open.
  static FileAccess Unrestricted();
  // Gives access to no file until AddRoot is called.
  FileAccess() = default;

  // Adds the folder `path` with all files below it. Returns an error if there
  // is no such folder. If one root contains another one, a path could lead from
  // one into the other. So AddRoot returns INVALID_ARGUMENT if only one of the
  // two may be written.
  absl::Status AddRoot(const std::string& path, bool may_write);

  // Opens a regular file. Never blocks. Returns INVALID_ARGUMENT if the file is
  // of another kind, such as a pipe.
  absl::StatusOr<FileDescriptor> OpenToRead(const std::string& path) const;
  // Does the same, but also opens named pipes. Reads of a pipe do not block. A
  // pipe need not have a writer yet: until it has one, reads give 0 bytes, as
  // at the end. So read only after poll(2) has said that there is something.
  absl::StatusOr<FileDescriptor> OpenToStream(const std::string& path) const;
  // Creates a file that does not exist yet and opens it to write. Errors name
  // the file `shown`.
  absl::StatusOr<FileDescriptor> Create(const std::string& path,
                                        const std::string& shown) const;
  // Gives the file `from` the path `to`. Replaces a file that is there.
  absl::Status Rename(const std::string& from, const std::string& to) const;
  // Removes a file, or an empty folder.
  absl::Status RemoveFile(const std::string& path) const;
  absl::Status RemoveFolder(const std::string& path) const;
  // Makes a folder and all missing folders that contain it. Does nothing if the
  // folder exists.
  absl::Status MakeFolders(const std::string& path) const;
  // Returns the sorted names of the files and folders in a folder.
  absl::StatusOr<std::vector<std::string>> List(const std::string& path) const;
  // Returns true if a file or folder exists at `path`.
  absl::StatusOr<bool> Exists(const std::string& path) const;
  // Returns true if both paths lead to the same file. Returns false if one of
  // them leads to no file.
  absl::StatusOr<bool> AreSame(const std::string& a,
                               const std::string& b) const;
  // Locks a folder for this process until the result is closed. Returns
  // FAILED_PRECONDITION if this process or another one has locked the folder
  // already. The kernel unlocks the folder when the process ends. If the file
  // system has no locks, succeeds without a lock.
  absl::StatusOr<FileDescriptor> LockFolder(const std::string& path) const;
  // Writes the entries of the folder that contains `path` to the disk, so that
  // new files and new names there survive a loss of power.
  absl::Status SyncFolderOf(const std::string& path) const;
  // Returns the lock to hold while renaming several files that belong together.
  // Copies of this object share it.
  Mutex& renaming() const { return *renaming_; }

 private:
  struct Root {
    std::string path;
    bool may_write = false;
    FileDescriptor folder;
  };
  // A path relative to the open folder `folder`. This folder is a root, or the
  // working directory if the access is unrestricted.
  struct Place {
    int folder;
    std::string below;
    bool is_confined;  // the path must not leave the folder
  };
  // A file or folder named `name` in the open folder `folder`. The file or
  // folder need not exist.
  struct Entry {
    FileDescriptor folder;
    std::string name;
  };

  absl::StatusOr<Place> Locate(const std::string& path, bool to_write) const;
  // Opens a regular file or, if `takes_pipes`, a named pipe.
  absl::StatusOr<FileDescriptor> Open(const std::string& path,
                                      bool takes_pipes) const;
  // Opens the folder that contains `path`. Returns INVALID_ARGUMENT if the path
  // ends with "/", "." or "..".
  absl::StatusOr<Entry> OpenParent(const std::string& path,
                                   bool to_write) const;

  bool is_unrestricted_ = false;
  std::vector<std::shared_ptr<const Root>> roots_;
  std::shared_ptr<Mutex> renaming_ = std::make_shared<Mutex>();
};

}  // namespace leat

#endif  // LEAT_CORE_FILES_FILE_ACCESS_H_
