// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/config_file.h"

#include <algorithm>
#include <exception>
#include <sstream>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "leat/core/files/regular_file.h"

namespace leat {
namespace {

constexpr int64_t kMaxConfigBytes = int64_t{1} << 16;

// Returns true for control characters except those that separate lines and
// words.
bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
}

// Returns what is wrong with a line, or "" if CLI11 reads the line as intended.
// CLI11 skips some malformed lines. If an array has no ']', CLI11 takes the
// rest of the array from the lines below.
absl::string_view ProblemOf(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line[0] == '#' || line[0] == ';') return "";
  const bool is_section =
      line.size() > 2 && line[0] == '[' && line.back() == ']';
  const size_t equals = line.find('=');
  const absl::string_view key =
      is_section ? line.substr(1, line.size() - 2)
                 : absl::StripAsciiWhitespace(line.substr(0, equals));
  if (!is_section && (equals == absl::string_view::npos || key.empty())) {
    return "is neither '[section]' nor 'key = value'";
  }
  // For each dot in a key, even inside of quotes, CLI11 copies everything
  // before the dot. Keys with many dots would take too much memory.
  if (std::count(key.begin(), key.end(), '.') > 1 || absl::EndsWith(key, ".")) {
    return "has a key that is neither 'flag' nor 'command.flag'";
  }
  if (is_section) return "";
  absl::string_view value = line.substr(equals + 1);
  value = absl::StripAsciiWhitespace(value.substr(0, value.find('#')));
  if (absl::ConsumePrefix(&value, "[")) {
    if (!absl::ConsumeSuffix(&value, "]")) return "has no ']' at its end";
    value = absl::StripAsciiWhitespace(value);
  }
  return value.empty() ? "has no value" : "";
}

// Returns true for the items with which CLI11 marks the start and end of a
// section.
bool IsMark(const CLI::ConfigItem& item) {
  return item.inputs.empty() && (item.name == "++" || item.name == "--");
}

CLI::Option* FindFlag(CLI::App& app, const std::string& name) {
  CLI::Option* option = app.get_option_no_throw("--" + name);
  return option != nullptr ? option : app.get_option_no_throw(name);
}

}  // namespace

void ConfigFile::Fail(const std::string& problem) const {
  throw CLI::FileError(absl::StrCat("file '", path_, "': ", problem),
                       CLI::ExitCodes::FileError);
}

void ConfigFile::Read(const std::string& path) {
  path_ = path;
  absl::StatusOr<std::string> content = ReadRegularFile(path, kMaxConfigBytes);
  if (!content.ok()) {
    throw CLI::FileError(std::string(content.status().message()),
                         CLI::ExitCodes::FileError);
  }
  content_ = *std::move(content);
  const auto control =
      std::find_if(content_.begin(), content_.end(), IsControl);
  if (control != content_.end()) {
    Fail(absl::StrCat("line ", std::count(content_.begin(), control, '\n') + 1,
                      " has a control character"));
  }
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(content_, '\n')) {
    ++number;
    const absl::string_view problem = ProblemOf(line);
    if (!problem.empty()) Fail(absl::StrCat("line ", number, " ", problem));
  }
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream&) const {
  std::vector<CLI::ConfigItem> items;
  try {
    std::istringstream input(content_);
    items = CLI::ConfigTOML::from_config(input);
  } catch (const std::exception& error) {
    Fail(error.what());
  }
  std::stable_partition(
      items.begin(), items.end(),
      [](const CLI::ConfigItem& item) { return !item.parents.empty(); });
  for (const CLI::ConfigItem& item : items) Apply(item);
  return {};
}

std::vector<CLI::App*> ConfigFile::AppsOf(const CLI::ConfigItem& item) const {
  std::vector<CLI::App*> apps = app_->get_subcommands({});
  if (item.parents.empty()) {
    apps.insert(apps.begin(), app_);
    return apps;
  }
  apps.erase(std::remove_if(apps.begin(), apps.end(),
                            [&](const CLI::App* app) {
                              return item.parents.size() > 1 ||
                                     app->get_name() != item.parents[0];
                            }),
             apps.end());
  if (apps.empty()) {
    Fail(absl::StrCat("there is no command '",
                      CLI::detail::join(item.parents, "."), "'"));
  }
  return apps;
}

void ConfigFile::Apply(const CLI::ConfigItem& item) const {
  const std::vector<CLI::App*> apps = AppsOf(item);
  if (IsMark(item)) return;
  bool is_known = false;
  for (CLI::App* app : apps) {
    CLI::Option* option = FindFlag(*app, item.name);
    if (option == nullptr || !option->get_configurable()) continue;
    is_known = true;
    const bool is_used = app == app_ || app->parsed();
    if (is_used && option->empty()) Set(item, *option);
  }
  if (!is_known) {
    Fail(absl::StrCat("there is no flag '", item.fullname(), "'"));
  }
}

void ConfigFile::Set(const CLI::ConfigItem& item, CLI::Option& option) const {
  const bool is_flag = option.get_expected_min() == 0;
  const std::string first = item.inputs.empty() ? "" : item.inputs[0];
  // CLI11 would read an empty value as "true".
  if (is_flag && (first.empty() || first == "{}")) {
    Fail(absl::StrCat("'", item.fullname(), "' has no value"));
  }
  try {
    if (is_flag) {
      option.add_result(option.get_flag_value(item.name, to_flag(item)));
    } else {
      option.add_result(item.inputs);
    }
    option.run_callback();
  } catch (const CLI::ParseError& error) {
    // CLI11 would check the value again, and its error would not name the file.
    option.clear();
    Fail(error.what());
  }
}

}  // namespace leat
