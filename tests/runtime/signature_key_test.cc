// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/signature_key.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace leat::signature_key_test {
namespace {

using Names = std::vector<std::string>;

TEST(SignatureKeyTest, KeysTellSignaturesApart) {
  const std::vector<std::vector<Names>> signatures = {
      {{}, {}, {}},
      {{"a"}, {}, {}},
      {{}, {"a"}, {}},
      {{}, {}, {"a"}},
      {{"a", "b"}, {}, {}},
      {{"b", "a"}, {}, {}},
      {{"ab"}, {}, {}},
      {{"a"}, {"b"}, {}},
      // These names contain the bytes that separate the parts of a key.
      {{"a1:b"}, {}, {}},
      {{"a:b"}, {}, {}},
      {{"a,b"}, {}, {}},
      {{"a;"}, {}, {}},
      {{"a;;1:b"}, {}, {}},
      {{"1:a"}, {}, {}},
      {{std::string("a\0", 2)}, {}, {}},
  };
  std::vector<std::string> keys;
  for (const auto& s : signatures) {
    const std::string key = SignatureKey(s[0], s[1], s[2]);
    for (const std::string& other : keys) EXPECT_NE(key, other);
    keys.push_back(key);
  }
}

TEST(SignatureKeyTest, NamesOfBothKindsGiveTheSameKey) {
  const std::vector<TensorName> names = {"x:0", "y"};
  const Names texts = {"x:0", "y"};
  EXPECT_EQ(SignatureKey(names, {}, names), SignatureKey(texts, {}, texts));
}

}  // namespace
}  // namespace leat::signature_key_test
