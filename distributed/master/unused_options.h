// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// UnusedOptions logs the options of clients that a server accepts but does not
// use. Each option is logged once.
#ifndef LEAT_DISTRIBUTED_MASTER_UNUSED_OPTIONS_H_
#define LEAT_DISTRIBUTED_MASTER_UNUSED_OPTIONS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "leat/core/threads/mutex.h"

namespace leat::pb {
class ConfigProto;
class RunOptions;
}  // namespace leat::pb

namespace leat {

// Returns the fields that are set in the options and that a server does not
// use, such as "config.graph_options.build_cost_model". Fields that TensorFlow
// has added after 2.15 count as one field of their message.
std::vector<std::string> UnusedIn(const pb::ConfigProto& config);
std::vector<std::string> UnusedIn(const pb::RunOptions& options);

// Is thread-safe.
class UnusedOptions {
 public:
  // `log` gets the messages, on the threads that call Note. May be null.
  explicit UnusedOptions(std::function<void(absl::string_view message)> log)
      : log_(std::move(log)) {}

  // Logs the unused options in `message`, but each option only once. `Options`
  // is ConfigProto or RunOptions.
  template <class Options>
  void Note(const Options& message) {
    if (log_ != nullptr) Note(UnusedIn(message));
  }

 private:
  void Note(const std::vector<std::string>& names);

  const std::function<void(absl::string_view message)> log_;
  Mutex mutex_;
  // Holds the names that were logged. The set has at most as many names as the
  // messages have fields.
  absl::flat_hash_set<std::string> named_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_MASTER_UNUSED_OPTIONS_H_
