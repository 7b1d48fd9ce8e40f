// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/file_access.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/files/system_error.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

// These are the modes of new files and folders. The system removes the bits of
// the umask.
constexpr mode_t kNewFileMode = 0666;
constexpr mode_t kNewFolderMode = 0777;

// Is the number of attempts to resolve a path while other programs change its
// folders.
constexpr int kMaxTries = 1000;

// Opens `path` from `folder`. If `is_confined`, the path cannot leave the
// folder. Returns no descriptor, and sets errno, on failure.
FileDescriptor OpenAt(int folder, const std::string& path, bool is_confined,
                      int flags) {
  flags |= O_CLOEXEC;
  if (!is_confined) return FileDescriptor(openat(folder, path.c_str(), flags));
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long descriptor = -1;
  for (int i = 0; i < kMaxTries; ++i) {
    descriptor = syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how));
    // EAGAIN means that a folder changed while the kernel resolved the path.
    // The path may then have left the root.
    if (descriptor >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return FileDescriptor(static_cast<int>(descriptor));
}

// Returns the error of an OpenAt that has just failed.
absl::Status CannotOpen(const std::string& path) {
  // ENXIO means that the path is a socket, or a device that does not exist.
  if (errno == ENXIO) return NotRegularError(path, S_IFSOCK);
  if (errno == EXDEV || errno == ELOOP) {
    return absl::PermissionDeniedError(
        absl::StrCat("file '", path,
                     "': its links lead out of its --file-root, or in a "
                     "circle"));
  }
  if (errno == ENOSYS) {
    return absl::PermissionDeniedError(
        absl::StrCat("file '", path,
                     "': this system has no openat2(2), which --file-root "
                     "needs (Linux 5.6)"));
  }
  return SystemError(path, "cannot open");
}

// Returns an absolute path without empty and "." parts. Parts ".." stay.
std::string Absolute(const std::string& path) {
  std::string all = path;
  if (path.empty() || path[0] != '/') {
    char* const current = getcwd(nullptr, 0);
    if (current != nullptr) all = absl::StrCat(current, "/", path);
    free(current);
  }
  std::string result;
  for (const absl::string_view part : absl::StrSplit(all, '/')) {
    if (!part.empty() && part != ".") absl::StrAppend(&result, "/", part);
  }
  return result;
}

// Returns true if `path` is the folder `root` or below it. In that case, sets
// `below` to the path relative to `root`.
bool IsBelow(const std::string& path, const std::string& root,
             std::string& below) {
  if (path == root) {
    below = ".";
    return true;
  }
  const std::string prefix = root == "/" ? root : root + "/";
  if (!absl::StartsWith(path, prefix)) return false;
  below = path.substr(prefix.size());
  return true;
}

// Writes the entries of `folder`, which contains `path`, to the disk.
absl::Status SyncFolder(const FileDescriptor& folder, const std::string& path) {
  // `folder` may have been opened with O_PATH, which fsync refuses.
  const FileDescriptor readable(
      openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!readable.is_open() || fsync(readable.number()) != 0) {
    return SystemError(path, "cannot sync its folder");
  }
  return absl::OkStatus();
}

}  // namespace

FileAccess FileAccess::Unrestricted() {
  FileAccess files;
  files.is_unrestricted_ = true;
  return files;
}

absl::Status FileAccess::AddRoot(const std::string& path, bool may_write) {
  auto root = std::make_shared<Root>();
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) {
    return SystemError(path, "cannot open");
  }
  root->path = resolved;
  root->may_write = may_write;
  root->folder =
      FileDescriptor(open(resolved, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root->folder.is_open()) return SystemError(path, "cannot open");
  for (const auto& other : roots_) {
    std::string below;
    if (other->may_write != may_write &&
        (IsBelow(root->path, other->path, below) ||
         IsBelow(other->path, root->path, below))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "file '", path, "': the folder ", other->path,
          " contains it or lies in it, and only one of the two may be "
          "written"));
    }
  }
  roots_.push_back(std::move(root));
  return absl::OkStatus();
}

absl::StatusOr<FileAccess::Place> FileAccess::Locate(const std::string& path,
                                                     bool to_write) const {
  if (path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("file '", path, "': the path contains a zero byte"));
  }
  if (path.size() >= PATH_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat("a path has ", path.size(), " bytes; at most ",
                     PATH_MAX - 1, " are possible"));
  }
  if (is_unrestricted_) return Place{AT_FDCWD, path, false};
  const std::string absolute = Absolute(path);
  for (const auto& root : roots_) {
    Place place{root->folder.number(), "", true};
    if (!IsBelow(absolute, root->path, place.below)) continue;
    // An empty path names nothing, not the working directory.
    if (path.empty()) place.below.clear();
    if (to_write && !root->may_write) {
      return absl::PermissionDeniedError(
          absl::StrCat("file '", path, "': --file-root ", root->path,
                       " may not be written; --file-root ", root->path,
                       ":rw would allow it"));
    }
    return place;
  }
  return absl::PermissionDeniedError(absl::StrCat(
      "file '", path, "': graphs may not ", to_write ? "write" : "read",
      " it, because it is not below a --file-root of this task"));
}

absl::StatusOr<FileAccess::Entry> FileAccess::OpenParent(
    const std::string& path, bool to_write) const {
  LEAT_ASSIGN_OR_RETURN(Place place, Locate(path, to_write));
  const size_t slash = place.below.rfind('/');
  std::string folder = ".";
  std::string name = place.below;
  if (slash != std::string::npos) {
    folder = slash == 0 ? "/" : place.below.substr(0, slash);
    name = place.below.substr(slash + 1);
  }
  if (name.empty() || name == "." || name == "..") {
    return absl::InvalidArgumentError(
        absl::StrCat("file '", path, "': the path has no name at its end"));
  }
  FileDescriptor parent =
      OpenAt(place.folder, folder, place.is_confined, O_PATH | O_DIRECTORY);
  if (!parent.is_open()) return CannotOpen(path);
  return Entry{std::move(parent), std::move(name)};
}

absl::StatusOr<FileDescriptor> FileAccess::OpenToRead(
    const std::string& path) const {
  return Open(path, /*takes_pipes=*/false);
}

absl::StatusOr<FileDescriptor> FileAccess::OpenToStream(
    const std::string& path) const {
  return Open(path, /*takes_pipes=*/true);
}

absl::StatusOr<FileDescriptor> FileAccess::Open(const std::string& path,
                                                bool takes_pipes) const {
  LEAT_ASSIGN_OR_RETURN(const Place place, Locate(path, /*to_write=*/false));
  FileDescriptor file = OpenAt(place.folder, place.below, place.is_confined,
                               O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.is_open()) return CannotOpen(path);
  struct stat info = {};
  if (fstat(file.number(), &info) != 0) return SystemError(path, "cannot stat");
  if (S_ISREG(info.st_mode)) return file;
  if (takes_pipes && S_ISFIFO(info.st_mode)) return file;
  return NotRegularError(path, info.st_mode);
}

absl::StatusOr<FileDescriptor> FileAccess::Create(
    const std::string& path, const std::string& shown) const {
  LEAT_ASSIGN_OR_RETURN(const Entry entry, OpenParent(path, /*to_write=*/true));
  FileDescriptor file(openat(entry.folder.number(), entry.name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                             kNewFileMode));
  if (!file.is_open()) return SystemError(shown, "cannot create");
  return file;
}

absl::Status FileAccess::Rename(const std::string& from,
                                const std::string& to) const {
  LEAT_ASSIGN_OR_RETURN(const Entry source,
                        OpenParent(from, /*to_write=*/true));
  LEAT_ASSIGN_OR_RETURN(const Entry target, OpenParent(to, /*to_write=*/true));
  if (renameat(source.folder.number(), source.name.c_str(),
               target.folder.number(), target.name.c_str()) != 0) {
    return SystemError(to,
                       absl::StrCat("cannot give its name to '", from, "'"));
  }
  return absl::OkStatus();
}

absl::Status FileAccess::RemoveFile(const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Entry entry, OpenParent(path, /*to_write=*/true));
  if (unlinkat(entry.folder.number(), entry.name.c_str(), 0) != 0) {
    return SystemError(path, "cannot remove");
  }
  return absl::OkStatus();
}

absl::Status FileAccess::RemoveFolder(const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Entry entry, OpenParent(path, /*to_write=*/true));
  if (unlinkat(entry.folder.number(), entry.name.c_str(), AT_REMOVEDIR) != 0) {
    return SystemError(path, "cannot remove");
  }
  return absl::OkStatus();
}

absl::Status FileAccess::MakeFolders(const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Place place, Locate(path, /*to_write=*/true));
  if (OpenAt(place.folder, place.below, place.is_confined, O_PATH | O_DIRECTORY)
          .is_open()) {
    return absl::OkStatus();
  }
  if (errno != ENOENT) return CannotOpen(path);
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) {
    LEAT_RETURN_IF_ERROR(MakeFolders(path.substr(0, slash)));
  }
  if (slash + 1 == path.size()) return absl::OkStatus();  // "folder/"
  LEAT_ASSIGN_OR_RETURN(const Entry entry, OpenParent(path, /*to_write=*/true));
  if (mkdirat(entry.folder.number(), entry.name.c_str(), kNewFolderMode) != 0 &&
      errno != EEXIST) {
    return SystemError(path, "cannot make the folder");
  }
  return SyncFolder(entry.folder, path);
}

absl::StatusOr<std::vector<std::string>> FileAccess::List(
    const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Place place, Locate(path, /*to_write=*/false));
  FileDescriptor folder = OpenAt(place.folder, place.below, place.is_confined,
                                 O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return CannotOpen(path);
  DIR* const stream = fdopendir(folder.number());
  if (stream == nullptr) return SystemError(path, "cannot list");
  folder.Release();  // closedir closes it
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = readdir(stream)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  const absl::Status status =
      errno == 0 ? absl::OkStatus() : SystemError(path, "cannot list");
  closedir(stream);
  if (!status.ok()) return status;
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<bool> FileAccess::Exists(const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Place place, Locate(path, /*to_write=*/false));
  if (OpenAt(place.folder, place.below, place.is_confined, O_PATH).is_open()) {
    return true;
  }
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return CannotOpen(path);
}

absl::StatusOr<bool> FileAccess::AreSame(const std::string& a,
                                         const std::string& b) const {
  struct stat infos[2] = {};
  for (const int i : {0, 1}) {
    const std::string& path = i == 0 ? a : b;
    LEAT_ASSIGN_OR_RETURN(const Place place, Locate(path, /*to_write=*/false));
    const FileDescriptor file =
        OpenAt(place.folder, place.below, place.is_confined, O_PATH);
    if (!file.is_open()) return false;
    if (fstat(file.number(), &infos[i]) != 0) {
      return SystemError(path, "cannot stat");
    }
  }
  return infos[0].st_dev == infos[1].st_dev &&
         infos[0].st_ino == infos[1].st_ino;
}

absl::StatusOr<FileDescriptor> FileAccess::LockFolder(
    const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Place place, Locate(path, /*to_write=*/true));
  FileDescriptor folder = OpenAt(place.folder, place.below, place.is_confined,
                                 O_RDONLY | O_DIRECTORY);
  if (!folder.is_open()) return CannotOpen(path);
  if (flock(folder.number(), LOCK_EX | LOCK_NB) == 0) return folder;
  if (errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(absl::StrCat(
        "folder '", path, "' is in use: another program writes there"));
  }
  if (errno == ENOLCK || errno == EBADF || errno == EOPNOTSUPP) return folder;
  return SystemError(path, "cannot lock");
}

absl::Status FileAccess::SyncFolderOf(const std::string& path) const {
  LEAT_ASSIGN_OR_RETURN(const Entry entry, OpenParent(path, /*to_write=*/true));
  return SyncFolder(entry.folder, path);
}

}  // namespace leat
