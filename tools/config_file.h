// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConfigFile reads the values of flags from a TOML or INI file.
//
//   steps = 3        # --steps 3, for every command that has --steps
//   [run]
//   steps = 5        # for `leat run` only, instead of 3
//
// "run.steps = 5" means the same as the last two lines. Each line must be
// empty, a comment, "[section]" or "key = value". An array must end in the line
// in which it begins.
#ifndef LEAT_TOOLS_CONFIG_FILE_H_
#define LEAT_TOOLS_CONFIG_FILE_H_

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"

namespace leat {

// A ConfigFile is a reader of configuration for CLI11. Unlike CLI11's own
// reader, this one does not read pipes and devices, and it accepts only flags
// as keys. Its errors are CLI::FileErrors that name the file and, if known, the
// line or the key.
class ConfigFile : public CLI::ConfigTOML {
 public:
  // `app` has the flags. `app` is borrowed and must outlive this.
  explicit ConfigFile(CLI::App& app) : app_(&app) {}

  // Reads and checks the file. Must be called before CLI11 opens the file
  // itself. Throws CLI::FileError.
  void Read(const std::string& path);

  // Gives the values of the file to the flags that are not set on the command
  // line. Returns an empty list to CLI11, because CLI11 would accept any key.
  // Throws CLI::FileError.
  std::vector<CLI::ConfigItem> from_config(
      std::istream& ignored) const override;

 private:
  // Throws a CLI::FileError with the problem.
  [[noreturn]] void Fail(const std::string& problem) const;
  // Returns the apps that may have the flag of a key: the command that the key
  // names or, if the key names no command, `app_` and all its commands.
  std::vector<CLI::App*> AppsOf(const CLI::ConfigItem& item) const;
  // Gives the value of a key to the flags with that name.
  void Apply(const CLI::ConfigItem& item) const;
  // Gives the value of a key to one flag.
  void Set(const CLI::ConfigItem& item, CLI::Option& option) const;

  CLI::App* const app_;  // Borrowed.
  std::string path_;
  std::string content_;
};

}  // namespace leat

#endif  // LEAT_TOOLS_CONFIG_FILE_H_
