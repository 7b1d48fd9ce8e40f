// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/files/matching_paths.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr char kSpecial[] = "*?[\\";

// Is a named class of characters, as in "[[:digit:]]".
struct CharacterClass {
  absl::string_view name;
  bool (*contains)(unsigned char c);
};
constexpr CharacterClass kClasses[] = {
    {"alnum", absl::ascii_isalnum}, {"alpha", absl::ascii_isalpha},
    {"blank", absl::ascii_isblank}, {"cntrl", absl::ascii_iscntrl},
    {"digit", absl::ascii_isdigit}, {"graph", absl::ascii_isgraph},
    {"lower", absl::ascii_islower}, {"print", absl::ascii_isprint},
    {"punct", absl::ascii_ispunct}, {"space", absl::ascii_isspace},
    {"upper", absl::ascii_isupper}, {"xdigit", absl::ascii_isxdigit}};

// Takes a class such as "[:digit:]" from the front of `set`. Returns false if
// there is none.
bool TakeClass(absl::string_view& set, unsigned char c, bool& matches) {
  if (set.substr(0, 2) != "[:") return false;
  for (const CharacterClass& known : kClasses) {
    const std::string text = absl::StrCat("[:", known.name, ":]");
    if (set.substr(0, text.size()) != text) continue;
    set.remove_prefix(text.size());
    matches = matches || known.contains(c);
    return true;
  }
  return false;
}

// Takes a character from the front of `set`, behind a backslash if there is
// one.
unsigned char TakeCharacter(absl::string_view& set) {
  if (set[0] == '\\' && set.size() > 1) set.remove_prefix(1);
  const auto c = static_cast<unsigned char>(set[0]);
  set.remove_prefix(1);
  return c;
}

// Takes a set such as "[a-z]" from the front of `pattern`, and sets `matches`
// to whether `c` is in it. Returns false if the set has no end.
bool TakeSet(absl::string_view& pattern, unsigned char c, bool& matches) {
  absl::string_view set = pattern.substr(1);
  const bool is_negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (is_negated) set.remove_prefix(1);
  matches = false;
  // A bracket that comes first does not end the set.
  for (bool is_first = true; !set.empty(); is_first = false) {
    if (set[0] == ']' && !is_first) {
      pattern = set.substr(1);
      matches = matches != is_negated;
      return true;
    }
    if (TakeClass(set, c, matches)) continue;
    const unsigned char low = TakeCharacter(set);
    unsigned char high = low;
    if (set.size() > 1 && set[0] == '-' && set[1] != ']') {
      set.remove_prefix(1);
      high = TakeCharacter(set);
    }
    matches = matches || (low <= c && c <= high);
  }
  return false;
}

// Takes what stands for one character from the front of `pattern`. Returns true
// if it stands for `c`. REQUIRES: the pattern does not begin with "*".
bool TakeOne(absl::string_view& pattern, char c) {
  bool matches = false;
  if (pattern[0] == '[' &&
      TakeSet(pattern, static_cast<unsigned char>(c), matches)) {
    return matches;
  }
  if (pattern[0] == '?') {
    pattern.remove_prefix(1);
    return true;
  }
  return TakeCharacter(pattern) == static_cast<unsigned char>(c);
}

bool IsSpecial(absl::string_view text) {
  return text.find_first_of(kSpecial) != absl::string_view::npos;
}

// Appends the paths below `folder` that match one part of a pattern.
absl::Status AppendMatches(const FileAccess& files, const std::string& folder,
                           absl::string_view part,
                           std::vector<std::string>& paths) {
  const std::string prefix = folder == "/" ? folder : folder + "/";
  if (!IsSpecial(part)) {
    std::string path = absl::StrCat(prefix, part);
    LEAT_ASSIGN_OR_RETURN(const bool exists, files.Exists(path));
    if (exists) paths.push_back(std::move(path));
    return absl::OkStatus();
  }
  LEAT_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        files.List(folder));
  for (const std::string& name : names) {
    if (!MatchesWildcards(name, part)) continue;
    paths.push_back(prefix + name);
  }
  return absl::OkStatus();
}

// Divides a pattern into the folder in which the search begins and the parts
// between slashes behind it.
std::string FirstFolder(absl::string_view pattern,
                        std::vector<absl::string_view>& parts) {
  const size_t special = pattern.find_first_of(kSpecial);
  const size_t slash = pattern.substr(0, special).rfind('/');
  const bool has_folder = slash != absl::string_view::npos;
  parts = absl::StrSplit(has_folder ? pattern.substr(slash + 1) : pattern, '/',
                         absl::SkipEmpty());
  if (!has_folder) return ".";
  return slash == 0 ? "/" : std::string(pattern.substr(0, slash));
}

}  // namespace

bool MatchesWildcards(absl::string_view name, absl::string_view pattern) {
  // If the rest of the name does not match, the last "*" takes one character
  // more, and what follows it is tried again. An earlier "*" need not change.
  absl::string_view name_at_star;
  absl::string_view pattern_at_star;
  bool has_star = false;
  while (!name.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      name_at_star = name;
      pattern_at_star = pattern;
      has_star = true;
      continue;
    }
    if (!name.empty() && !pattern.empty() && TakeOne(pattern, name[0])) {
      name.remove_prefix(1);
      continue;
    }
    if (!has_star || name_at_star.empty()) return false;
    name_at_star.remove_prefix(1);
    name = name_at_star;
    pattern = pattern_at_star;
  }
  return true;
}

absl::StatusOr<std::vector<std::string>> MatchingPaths(
    const FileAccess& files, const std::string& pattern,
    const Cancellation* cancellation) {
  if (!IsSpecial(pattern)) {
    LEAT_ASSIGN_OR_RETURN(const bool exists, files.Exists(pattern));
    return exists ? std::vector<std::string>{pattern}
                  : std::vector<std::string>{};
  }
  std::vector<absl::string_view> parts;
  std::vector<std::string> folders = {FirstFolder(pattern, parts)};
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t limit =
        i + 1 < parts.size() ? kMaxMatchingFolders : kMaxMatchingPaths;
    std::vector<std::string> paths;
    for (const std::string& folder : folders) {
      if (cancellation != nullptr) LEAT_RETURN_IF_ERROR(cancellation->status());
      const absl::Status status = AppendMatches(files, folder, parts[i], paths);
      if (i == 0 && absl::IsPermissionDenied(status)) return status;
      if (paths.size() > limit) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "more than ", limit, " paths match the pattern '", pattern, "'"));
      }
    }
    folders = std::move(paths);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace leat
