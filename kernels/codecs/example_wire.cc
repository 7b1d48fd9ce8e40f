// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/example_wire.h"

#include <cstring>

#include "leat/core/held_bytes.h"
#include "leat/core/varint.h"

namespace leat {
namespace {

// Lists the tags of the fields that are read. A tag is the number of the field
// times 8, plus its wire type.
enum Tag : uint64_t {
  kFirstVarint = 0x08,
  kFirstBytes = 0x0a,
  kFirstFixed32 = 0x0d,
  kSecondBytes = 0x12,
  kThirdBytes = 0x1a,
};

// Takes the next `count` bytes from the front of `bytes`. Returns false if
// there are fewer.
bool Take(absl::string_view& bytes, uint64_t count, absl::string_view& taken) {
  if (count > bytes.size()) return false;
  taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return true;
}

// Takes the content of a length-delimited field, whose tag has been taken.
bool TakeContent(absl::string_view& bytes, absl::string_view& content) {
  uint64_t size = 0;
  return TakeVarint64(bytes, size) && Take(bytes, size, content);
}

// Skips the content of a field of any wire type except groups.
bool SkipContent(absl::string_view& bytes, uint64_t tag) {
  uint64_t number = 0;
  absl::string_view content;
  switch (tag & 7) {
    case 0:
      return TakeVarint64(bytes, number);
    case 1:
      return Take(bytes, 8, content);
    case 2:
      return TakeContent(bytes, content);
    case 5:
      return Take(bytes, 4, content);
    default:
      return false;
  }
}

// Reads an entry of a map: its two fields, in either order, and no other field.
bool ReadEntry(absl::string_view entry, absl::string_view& key,
               absl::string_view& value) {
  bool has_key = false;
  bool has_value = false;
  while (!entry.empty()) {
    uint64_t tag = 0;
    absl::string_view content;
    if (!TakeVarint64(entry, tag) || !TakeContent(entry, content)) return false;
    if (tag == kFirstBytes && !has_key) {
      key = content;
      has_key = true;
    } else if (tag == kSecondBytes && !has_value) {
      value = content;
      has_value = true;
    } else {
      return false;
    }
  }
  return has_key && has_value;
}

// Visits the entries of the map in field 1, the only field of the message.
bool VisitMap(absl::string_view message, EntryVisitor visit) {
  while (!message.empty()) {
    uint64_t tag = 0;
    absl::string_view entry;
    absl::string_view key;
    absl::string_view value;
    if (!TakeVarint64(message, tag) || tag != kFirstBytes ||
        !TakeContent(message, entry) || !ReadEntry(entry, key, value) ||
        !visit(key, value)) {
      return false;
    }
  }
  return true;
}

// Finds the elements of an unpacked list: each has the tag `tag`.
template <class TakeElement>
FeatureStatus FindElements(absl::string_view list, uint64_t tag,
                           FeatureValues& values, TakeElement take) {
  values.bytes = list;
  while (!list.empty()) {
    uint64_t found = 0;
    if (!TakeVarint64(list, found) || found != tag || !take(list)) {
      return FeatureStatus::kMalformed;
    }
    ++values.count;
  }
  return FeatureStatus::kOk;
}

FeatureStatus FindStrings(absl::string_view list, FeatureValues& values) {
  return FindElements(list, kFirstBytes, values, [&](absl::string_view& rest) {
    absl::string_view content;
    if (!TakeContent(rest, content)) return false;
    values.held_bytes += HeldBytesOfText(content.size());
    return true;
  });
}

// If the list is packed, sets values.bytes to the numbers and returns true.
bool FindPacked(absl::string_view list, FeatureValues& values) {
  uint64_t tag = 0;
  values.is_packed = TakeVarint64(list, tag) && tag == kFirstBytes &&
                     TakeContent(list, values.bytes);
  return values.is_packed;
}

FeatureStatus FindFloats(absl::string_view list, FeatureValues& values) {
  if (FindPacked(list, values)) {
    values.count = static_cast<int64_t>(values.bytes.size() / sizeof(float));
    return FeatureStatus::kOk;
  }
  return FindElements(list, kFirstFixed32, values, [](absl::string_view& rest) {
    absl::string_view content;
    return Take(rest, sizeof(float), content);
  });
}

FeatureStatus FindInts(absl::string_view list, FeatureValues& values) {
  if (FindPacked(list, values)) {
    // The last byte of a number has no highest bit.
    int64_t count = 0;
    for (const char byte : values.bytes) count += byte >= 0 ? 1 : 0;
    values.count = count;
    const bool is_whole = values.bytes.empty() || values.bytes.back() >= 0;
    return is_whole ? FeatureStatus::kOk : FeatureStatus::kMalformed;
  }
  return FindElements(list, kFirstVarint, values, [](absl::string_view& rest) {
    uint64_t number = 0;
    return TakeVarint64(rest, number);
  });
}

// Reads the type of a serialized Feature, and only sets `values.type`.
FeatureStatus FindType(absl::string_view feature, FeatureValues& values) {
  if (feature.empty()) return FeatureStatus::kOk;
  uint64_t tag = 0;
  if (!TakeVarint64(feature, tag)) return FeatureStatus::kMalformed;
  switch (tag) {
    case kFirstBytes:
      values.type = DType::kString;
      return FeatureStatus::kOk;
    case kSecondBytes:
      values.type = DType::kFloat;
      return FeatureStatus::kOk;
    case kThirdBytes:
      values.type = DType::kInt64;
      return FeatureStatus::kOk;
    default:
      return FeatureStatus::kUnknownType;
  }
}

}  // namespace

bool VisitFeatures(absl::string_view example, EntryVisitor visit) {
  while (!example.empty()) {
    uint64_t tag = 0;
    absl::string_view content;
    if (!TakeVarint64(example, tag)) return false;
    if (tag == 0) return true;  // TensorFlow ignores what follows
    if (tag != kFirstBytes) {
      if (!SkipContent(example, tag)) return false;
    } else if (!TakeContent(example, content) || !VisitMap(content, visit)) {
      return false;
    }
  }
  return true;
}

FeatureStatus FindValues(absl::string_view feature, FeatureValues& values) {
  values = {};
  const FeatureStatus status = FindType(feature, values);
  if (status != FeatureStatus::kOk || values.type == DType::kInvalid) {
    return status;
  }
  uint64_t tag = 0;
  absl::string_view list;
  if (!TakeVarint64(feature, tag) || !TakeContent(feature, list)) {
    return FeatureStatus::kMalformed;
  }
  if (tag == kFirstBytes) return FindStrings(list, values);
  return tag == kSecondBytes ? FindFloats(list, values)
                             : FindInts(list, values);
}

bool WriteValues(const FeatureValues& values, std::string* to) {
  absl::string_view rest = values.bytes;
  for (int64_t i = 0; i < values.count; ++i) {
    uint64_t tag = 0;
    absl::string_view content;
    if (!TakeVarint64(rest, tag) || !TakeContent(rest, content)) return false;
    to[i].assign(content.data(), content.size());
  }
  return true;
}

bool WriteValues(const FeatureValues& values, float* to) {
  if (values.count == 0) return true;
  if (values.is_packed) {
    std::memcpy(to, values.bytes.data(),
                static_cast<size_t>(values.count) * sizeof(float));
    return true;
  }
  // Each value comes after its tag, which has one byte or, if it is written at
  // length, several bytes.
  absl::string_view rest = values.bytes;
  for (int64_t i = 0; i < values.count; ++i) {
    uint64_t tag = 0;
    absl::string_view content;
    if (!TakeVarint64(rest, tag) || !Take(rest, sizeof(float), content)) {
      return false;
    }
    std::memcpy(to + i, content.data(), sizeof(float));
  }
  return true;
}

bool WriteValues(const FeatureValues& values, int64_t* to) {
  absl::string_view rest = values.bytes;
  for (int64_t i = 0; i < values.count; ++i) {
    uint64_t number = 0;
    if (!values.is_packed && !TakeVarint64(rest, number)) return false;
    if (!TakeVarint64(rest, number)) return false;
    to[i] = static_cast<int64_t>(number);
  }
  return true;
}

}  // namespace leat
