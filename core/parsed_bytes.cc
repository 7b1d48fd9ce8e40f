// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/parsed_bytes.h"

#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"

namespace leat {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;

// The lowest three bits of a tag; above them is the field's number.
enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLengthDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

// What a field can take at most beside its bytes: one of unknown number, or of
// another wire type than its number's, or in a group. It has 16 bytes in an
// array that may be twice too large, and what it holds is an object of
// malloc's: of a string 48 bytes, and 32 more than a short text has.
constexpr int64_t kNumberBytes = 32;
constexpr int64_t kStringBytes = 112;

struct Part {
  absl::string_view bytes;
  const Descriptor* type;
};

// The bytes of a field that begins with its length; false when cut off.
bool TakeBytes(CodedInputStream& input, absl::string_view all,
               absl::string_view& bytes) {
  uint32_t length = 0;
  if (!input.ReadVarint32(&length)) return false;
  const auto begin = static_cast<size_t>(input.CurrentPosition());
  if (length > all.size() - begin) return false;
  bytes = all.substr(begin, length);
  return input.Skip(static_cast<int>(length));
}

// Counts a field of which the tag has been read, and keeps a message that is in
// it for later. False where the message is malformed.
bool CountField(CodedInputStream& input, uint32_t tag, const Part& part,
                std::vector<Part>& pending, int64_t& total) {
  uint64_t number = 0;
  absl::string_view bytes;
  switch (tag & 7) {
    case kVarint:
      total += kNumberBytes;
      return input.ReadVarint64(&number);
    case kFixed64:
      total += kNumberBytes;
      return input.Skip(8);
    case kFixed32:
      total += kNumberBytes;
      return input.Skip(4);
    case kStartGroup:
      total += kStringBytes;
      return true;
    case kEndGroup:
      return true;
    case kLengthDelimited:
      break;
    default:
      return false;
  }
  if (!TakeBytes(input, part.bytes, bytes)) return false;
  const FieldDescriptor* field =
      part.type->FindFieldByNumber(static_cast<int>(tag >> 3));
  const auto size = static_cast<int64_t>(bytes.size());
  if (field == nullptr || field->type() == FieldDescriptor::TYPE_STRING ||
      field->type() == FieldDescriptor::TYPE_BYTES) {
    total += kStringBytes + size;
  } else if (const Descriptor* type = field->message_type()) {
    total += kParsedMessageBytes;
    pending.push_back({bytes, type});
  } else {
    // Packed numbers: of one byte each on the wire, and eight in memory.
    total += kStringBytes + 8 * size;
  }
  return true;
}

}  // namespace

int64_t ParsedBytes(absl::string_view bytes, const Descriptor& type,
                    int64_t limit) {
  int64_t total = kParsedMessageBytes;
  std::vector<Part> pending = {{bytes, &type}};
  while (!pending.empty()) {
    const Part part = pending.back();
    pending.pop_back();
    if (part.bytes.size() > INT32_MAX) return INT64_MAX;
    CodedInputStream input(reinterpret_cast<const uint8_t*>(part.bytes.data()),
                           static_cast<int>(part.bytes.size()));
    while (const uint32_t tag = input.ReadTag()) {
      if (!CountField(input, tag, part, pending, total)) break;
      if (total > limit) return total;
    }
  }
  return total;
}

}  // namespace leat
