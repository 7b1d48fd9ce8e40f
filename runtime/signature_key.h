// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SignatureKey writes the signature of a step (feeds, fetches and targets) as
// one text. A session finds the plan of the step by this text.
#ifndef LEAT_RUNTIME_SIGNATURE_KEY_H_
#define LEAT_RUNTIME_SIGNATURE_KEY_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/partitioner/prune.h"
#include "leat/runtime/session.h"

namespace leat {

namespace internal {

// These functions return the text of a name.
inline const std::string& NameText(const std::string& name) { return name; }
inline const std::string& NameText(const TensorName& name) { return name.text; }

// Appends each name with its length, and a ';' at the end of the list, so that
// no two signatures have the same key.
template <class Name>
void AppendNames(const std::vector<Name>& names, std::string& key) {
  for (const Name& name : names) {
    absl::StrAppend(&key, NameText(name).size(), ":", NameText(name));
  }
  key.push_back(';');
}

}  // namespace internal

// Returns the key of a signature. `Name` is TensorName or std::string. The
// order of the names matters, and names may contain any bytes.
template <class Name>
std::string SignatureKey(const std::vector<Name>& feeds,
                         const std::vector<Name>& fetches,
                         const std::vector<Name>& targets) {
  std::string key;
  internal::AppendNames(feeds, key);
  internal::AppendNames(fetches, key);
  internal::AppendNames(targets, key);
  return key;
}

// Returns the key of a whole signature: the key of its feeds, fetches and
// targets, then the connections, and then 'p' for a partial run.
inline std::string SignatureKey(const StepSignature& signature) {
  std::string key =
      SignatureKey(signature.feeds, signature.fetches, signature.targets);
  for (const TensorConnection& connection : signature.connections) {
    internal::AppendNames<std::string>({connection.from, connection.to}, key);
  }
  if (signature.is_partial) key.push_back('p');
  return key;
}

}  // namespace leat

#endif  // LEAT_RUNTIME_SIGNATURE_KEY_H_
