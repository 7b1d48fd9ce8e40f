// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/system_calls/lossy_folder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace leat::testing {
namespace {

constexpr size_t kPage = 4096;

// Returns the contents that a file may have after a power failure. The bytes
// `synced` were synced. `written` begins with these bytes and continues with
// bytes that were not synced.
std::vector<std::string> Contents(const std::string& synced,
                                  const std::string& written) {
  std::vector<std::string> contents = {synced};
  if (written == synced) return contents;
  contents.push_back(written);
  contents.push_back(synced +
                     std::string(written.size() - synced.size(), '\0'));
  // The second half of the bytes that were not synced is lost.
  contents.push_back(
      written.substr(0, synced.size() + (written.size() - synced.size()) / 2));
  // Every second page of the bytes that were not synced is lost.
  std::string pages = written;
  for (size_t i = 0; i < pages.size(); i += 2 * kPage) {
    const size_t first = std::max(i, synced.size());
    const size_t end = std::min(i + kPage, pages.size());
    if (first < end) std::fill_n(&pages[first], end - first, '\0');
  }
  contents.push_back(std::move(pages));
  return contents;
}

}  // namespace

std::string LossyFolder::NameOf(const std::string& path) const {
  absl::string_view name = path;
  if (!absl::ConsumePrefix(&name, path_ + "/")) return "";
  return std::string(name);
}

void LossyFolder::Make(const Change& change, Names& names) {
  if (!change.removed.empty()) names.erase(change.removed);
  if (!change.added.empty()) names[change.added] = change.file;
}

void LossyFolder::Add(const Change& change) {
  Make(change, names_);
  changes_.push_back(change);
}

void LossyFolder::Apply(const FileCall& call) {
  const std::string name = NameOf(call.path);
  switch (call.kind) {
    case FileCall::kCreate:
      if (!name.empty()) Add({"", name, std::make_shared<File>()});
      break;
    case FileCall::kWrite:
      if (!name.empty()) names_.at(name)->written += call.bytes;
      break;
    case FileCall::kSync:
      if (call.path == path_) {
        synced_names_ = names_;
        changes_.clear();
      } else if (!name.empty()) {
        names_.at(name)->synced = names_.at(name)->written;
      }
      break;
    case FileCall::kRename:
      if (!name.empty()) Add({name, NameOf(call.to), names_.at(name)});
      break;
    case FileCall::kRemove:
      if (!name.empty()) Add({name, "", nullptr});
      break;
    case FileCall::kMakeFolder:
      break;
  }
}

void LossyFolder::ForEachContent(Names::const_iterator next,
                                 Names::const_iterator end, Files& files,
                                 absl::FunctionRef<void(const Files&)> visit) {
  if (next == end) {
    if (seen_.insert(files).second) visit(files);
    return;
  }
  const auto& [name, file] = *next;
  for (std::string& content : Contents(file->synced, file->written)) {
    files[name] = std::move(content);
    ForEachContent(std::next(next), end, files, visit);
  }
}

void LossyFolder::ForEachState(absl::FunctionRef<void(const Files&)> visit) {
  ASSERT_LT(changes_.size(), 12u) << "too many states";
  for (size_t kept = 0; kept < size_t{1} << changes_.size(); ++kept) {
    Names names = synced_names_;
    for (size_t i = 0; i < changes_.size(); ++i) {
      if ((kept >> i & 1) != 0) Make(changes_[i], names);
    }
    Files files;
    ForEachContent(names.begin(), names.end(), files, visit);
  }
}

}  // namespace leat::testing
