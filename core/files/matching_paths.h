// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// MatchingPaths finds the files and folders that match a pattern. It is
// stateless and thread-safe.
//
//   MatchingPaths(files, "/data/*/train-?.csv");
#ifndef LEAT_CORE_FILES_MATCHING_PATHS_H_
#define LEAT_CORE_FILES_MATCHING_PATHS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "leat/core/files/file_access.h"
#include "leat/core/threads/cancellation.h"

namespace leat {

// Is how many paths may match a pattern.
inline constexpr size_t kMaxMatchingPaths = 5'000'000;
// Is how many paths may match the beginning of a pattern, before a slash. Links
// that lead back to their folders could make any number.
inline constexpr size_t kMaxMatchingFolders = 100'000;

// Returns the paths that match, sorted. A pattern without a folder finds paths
// such as "./x". Between two slashes, "*" stands for any characters, "?" for
// one character, "[a-z]" for one of some characters, "[!a-z]" or "[^a-z]" for
// one of the others, and a backslash takes the meaning from the character
// behind it. Slashes at the end do not count, unless no such character is in
// the pattern.
//
// A folder that does not exist or cannot be read has no matches, except that
// the result is PERMISSION_DENIED if `files` denies the folder in which the
// search begins. Returns RESOURCE_EXHAUSTED if there are more paths
// than these limits. `cancellation` may be null; if it is cancelled, returns
// its status.
absl::StatusOr<std::vector<std::string>> MatchingPaths(
    const FileAccess& files, const std::string& pattern,
    const Cancellation* cancellation = nullptr);

// Returns true if `name` matches a part of a pattern without slashes. Takes
// time that is at most proportional to the product of their lengths.
bool MatchesWildcards(absl::string_view name, absl::string_view pattern);

}  // namespace leat

#endif  // LEAT_CORE_FILES_MATCHING_PATHS_H_
