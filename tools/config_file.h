// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ConfigFile: values of flags from a TOML or INI file. "steps = 3" is for every
// command that has --steps, "run.steps = 3", or "steps = 3" below "[run]", for
// `leat run` alone, and comes before the other. Each line is blank, a comment,
// "[section]" or "key = value"; an array ends in its line.
#ifndef LEAT_TOOLS_CONFIG_FILE_H_
#define LEAT_TOOLS_CONFIG_FILE_H_

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"

namespace leat {

// CLI11's reader of configuration, except that it reads no pipes and devices
// and accepts no key that is not a flag. Its errors are CLI::FileError naming
// the file, and the line or the key where there is one.
class ConfigFile : public CLI::ConfigTOML {
 public:
  // `app` must outlive this.
  explicit ConfigFile(CLI::App& app) : app_(&app) {}

  // To be called before CLI11 opens the file itself. Throws.
  void Read(const std::string& path);

  // Gives the values of what was read to the flags that the command line does
  // not set, and nothing to CLI11, which would accept any key. Throws.
  std::vector<CLI::ConfigItem> from_config(
      std::istream& ignored) const override;

 private:
  [[noreturn]] void Fail(const std::string& problem) const;
  std::vector<CLI::App*> AppsOf(const CLI::ConfigItem& item) const;
  void Apply(const CLI::ConfigItem& item) const;
  void Set(const CLI::ConfigItem& item, CLI::Option& option) const;

  CLI::App* const app_;
  std::string path_;
  std::string content_;
};

}  // namespace leat

#endif  // LEAT_TOOLS_CONFIG_FILE_H_
