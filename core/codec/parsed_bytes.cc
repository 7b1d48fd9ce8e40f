// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/parsed_bytes.h"

#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/io/coded_stream.h"

namespace leat {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;

// Lists the wire types of protobuf, which are the lowest three bits of a tag.
// The bits above them are the field's number.
enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLengthDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

// kNumberBytes and kStringBytes are upper bounds for the memory that a field
// takes in addition to its bytes. kNumberBytes is for a number. kStringBytes is
// for a string, a group or packed numbers. The worst case is a field that
// protobuf keeps as an unknown field, because its number is unknown, its wire
// type does not fit its number, or it is in a group. An unknown field takes 16
// bytes in an array, and the array may be twice as large as needed. An unknown
// string also takes an object of 48 bytes from malloc, and 32 more bytes if its
// text does not fit into the object.
constexpr int64_t kNumberBytes = 32;
constexpr int64_t kStringBytes = 112;

// Describes a message that is still to be counted.
struct Part {
  absl::string_view bytes;
  const Descriptor* type;
};

// Reads the bytes of a length-delimited field from `input`. `all` is the whole
// text that `input` reads. Returns false if the field is cut off.
bool TakeBytes(CodedInputStream& input, absl::string_view all,
               absl::string_view& bytes) {
  uint32_t length = 0;
  if (!input.ReadVarint32(&length)) return false;
  const auto begin = static_cast<size_t>(input.CurrentPosition());
  if (length > all.size() - begin) return false;
  bytes = all.substr(begin, length);
  return input.Skip(static_cast<int>(length));
}

// Adds the memory of a field to `total`. The caller has read the tag of the
// field. If the field is a message, adds the message to `pending`, to be
// counted later. Returns false if the field is malformed.
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
    // These are packed numbers. Each may take one byte on the wire and eight in
    // memory.
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
