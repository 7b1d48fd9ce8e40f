// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/wire/wire.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "google/protobuf/message_lite.h"
#include "leat/core/check.h"
#include "leat/core/codec/host_bytes.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/codec/tensor_codec.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/distributed/wire/slice_cursor.h"
#include "leat/protos/named_tensor.pb.h"
#include "leat/protos/tensor.pb.h"
#include "leat/protos/tensor_shape.pb.h"

namespace leat {
namespace {

using pb::NamedTensorProto;
using pb::TensorProto;
using pb::TensorShapeProto;

// ---------------------------------------------------------------------------
// Encoding

void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
}

// Appends the tag and the length of a field of wire type kBytes.
void AppendLengthOf(int number, size_t length, std::string& bytes) {
  AppendVarint(static_cast<uint64_t>(number) << 3 |
                   static_cast<uint64_t>(WireType::kBytes),
               bytes);
  AppendVarint(length, bytes);
}

void AppendBytes(int number, absl::string_view value, std::string& bytes) {
  AppendLengthOf(number, value.size(), bytes);
  bytes.append(value.data(), value.size());
}

void AppendNumber(int number, uint64_t value, std::string& bytes) {
  AppendVarint(static_cast<uint64_t>(number) << 3, bytes);
  AppendVarint(value, bytes);
}

// Returns the bytes of a plain tensor's TensorProto up to the first byte of its
// content.
std::string BeforeContent(const Tensor& tensor) {
  std::string proto, shape, dim;
  AppendNumber(TensorProto::kDtypeFieldNumber,
               static_cast<uint64_t>(tensor.dtype()), proto);
  for (const int64_t extent : tensor.shape().dims()) {
    dim.clear();
    AppendNumber(TensorShapeProto::Dim::kSizeFieldNumber,
                 static_cast<uint64_t>(extent), dim);
    AppendBytes(TensorShapeProto::kDimFieldNumber, dim, shape);
  }
  if (!shape.empty()) {
    AppendBytes(TensorProto::kTensorShapeFieldNumber, shape, proto);
  }
  AppendLengthOf(TensorProto::kTensorContentFieldNumber,
                 static_cast<size_t>(tensor.num_bytes()), proto);
  return proto;
}

absl::Status TooLarge(int64_t bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("A message takes ", bytes, " bytes, more than the ",
                   kMaxMessageBytes, " that one may have"));
}

// Collects the segments of a message of at most kMaxMessageBytes.
class Encoder {
 public:
  // REQUIRES: `header` has at most kMaxMessageBytes.
  Encoder(std::string header, TensorField field)
      : field_(field), left_(kMaxMessageBytes) {
    left_ -= static_cast<int64_t>(header.size());
    segments_.emplace_back();
    segments_.back().bytes = std::move(header);
  }

  absl::Status Add(WireTensor wire) {
    if (IsPlainBytes(wire.tensor.dtype())) return AddPlain(std::move(wire));
    TensorProto proto;
    LEAT_RETURN_IF_ERROR(EncodeTensor(wire.tensor, &proto, left_));
    const size_t bytes = proto.ByteSizeLong();
    LEAT_RETURN_IF_ERROR(Begin(wire.name, bytes));
    proto.AppendToString(&segments_.back().bytes);
    left_ -= static_cast<int64_t>(bytes);
    return absl::OkStatus();
  }

  std::vector<Segment> Finish() && {
    if (segments_.back().bytes.empty()) segments_.pop_back();
    return std::move(segments_);
  }

 private:
  absl::Status AddPlain(WireTensor wire) {
    LEAT_RETURN_IF_ERROR(CheckOnHost(wire.tensor));
    const int64_t content = wire.tensor.num_bytes();
    if (content > left_) return TooLarge(Taken(content));
    const std::string before = BeforeContent(wire.tensor);
    LEAT_RETURN_IF_ERROR(
        Begin(wire.name, before.size() + static_cast<size_t>(content)));
    left_ -= static_cast<int64_t>(before.size()) + content;
    std::string& bytes = segments_.back().bytes;
    bytes += before;
    if (content <= kMaxCopiedTensorBytes) {
      bytes.append(wire.tensor.raw_data(), static_cast<size_t>(content));
      return absl::OkStatus();
    }
    segments_.emplace_back();
    segments_.back().tensor = std::move(wire.tensor);
    segments_.emplace_back();
    return absl::OkStatus();
  }

  // Writes the tags, lengths and name that precede a TensorProto of
  // `proto_bytes` bytes. Returns an error if these bytes and the TensorProto
  // together exceed the limit.
  absl::Status Begin(const std::string& name, size_t proto_bytes) {
    std::string before;
    if (field_.named) {
      std::string inner;
      if (!name.empty()) {
        AppendBytes(NamedTensorProto::kNameFieldNumber, name, inner);
      }
      AppendLengthOf(NamedTensorProto::kTensorFieldNumber, proto_bytes, inner);
      AppendLengthOf(field_.number, inner.size() + proto_bytes, before);
      before += inner;
    } else {
      AppendLengthOf(field_.number, proto_bytes, before);
    }
    const int64_t needed = static_cast<int64_t>(before.size() + proto_bytes);
    if (needed > left_) return TooLarge(Taken(needed));
    left_ -= static_cast<int64_t>(before.size());
    segments_.back().bytes += before;
    return absl::OkStatus();
  }

  int64_t Taken(int64_t more) const {
    return SaturatingAdd(kMaxMessageBytes - left_, more);
  }

  const TensorField field_;
  int64_t left_;                   // bytes that are left of the limit
  std::vector<Segment> segments_;  // the last one has no tensor
};

// ---------------------------------------------------------------------------
// Splitting

bool IsTensor(const WireField& field, int number) {
  return field.number == number && field.type == WireType::kBytes;
}

// Limits the number of fields of a message. A message may be split on a
// transport's thread, which must not be busy for a long time. No step has this
// many feeds and fetches.
constexpr int64_t kMaxFields = int64_t{1} << 20;

// Describes a message, split into its tensors and its other fields.
struct SplitMessage {
  std::string rest;         // the other fields
  SliceCursor tensor = {};  // the last tensor
  int64_t tensors = 0;
  int64_t tensor_bytes = 0;  // of all tensors, with their tags
};

// Splits a message into the last of its tensors, which are in field `number`,
// and the other fields. Counts the other tensors but does not keep them,
// because a list of many small tensors would take more memory than the message
// itself. Reads the message twice. The first pass counts the bytes of `rest`,
// so that `rest` is allocated only once.
absl::StatusOr<SplitMessage> Split(const SliceCursor& message, int number) {
  SplitMessage split;
  WireField field;
  int64_t fields = 0;
  SliceCursor cursor = message;
  while (cursor.left() > 0) {
    const uint64_t left = cursor.left();
    if (!TakeField(cursor, field)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "A message of ", message.left(), " bytes has no valid field at byte ",
          message.left() - left));
    }
    if (++fields > kMaxFields) {
      return absl::InvalidArgumentError(
          absl::StrCat("A message of ", message.left(), " bytes has more than ",
                       kMaxFields, " fields"));
    }
    if (!IsTensor(field, number)) continue;
    split.tensor = field.bytes;
    ++split.tensors;
    split.tensor_bytes += static_cast<int64_t>(field.whole.left());
  }
  split.rest.reserve(message.left() - static_cast<size_t>(split.tensor_bytes));
  cursor = message;
  while (cursor.left() > 0 && TakeField(cursor, field)) {
    if (!IsTensor(field, number)) field.whole.AppendTo(split.rest);
  }
  return split;
}

// ---------------------------------------------------------------------------
// Decoding

// Describes a TensorProto in the plain form, which nearly all TensorProtos
// have: dtype, shape and tensor_content.
struct PlainForm {
  DType dtype = DType::kInvalid;
  Shape shape = {};
  SliceCursor content = {};
};

// Limits the size of a shape in bytes. 254 extents take less than half of it.
constexpr uint64_t kMaxShapeBytes = 8192;

std::optional<Shape> ShapeOf(const TensorShapeProto& proto) {
  const absl::StatusOr<PartialShape> partial = DecodeShape(proto);
  if (!partial.ok() || !partial->IsFullyKnown()) return std::nullopt;
  const absl::StatusOr<Shape> shape = partial->ToShape();
  if (!shape.ok()) return std::nullopt;
  return *shape;
}

std::optional<Shape> ReadShape(const SliceCursor& bytes) {
  if (bytes.left() > kMaxShapeBytes) return std::nullopt;
  std::string text;
  bytes.AppendTo(text);
  TensorShapeProto proto;
  if (!proto.ParseFromString(text)) return std::nullopt;
  return ShapeOf(proto);
}

// Reads a TensorProto in the plain form. Returns nullopt for any other form,
// valid or not.
std::optional<PlainForm> ReadPlainForm(SliceCursor proto) {
  PlainForm form;
  WireField field;
  if (!TakeField(proto, field) ||
      field.number != TensorProto::kDtypeFieldNumber ||
      field.type != WireType::kVarint || field.varint > INT32_MAX) {
    return std::nullopt;
  }
  const std::optional<DType> dtype =
      DTypeFromWire(static_cast<int>(field.varint));
  if (!dtype || IsRef(*dtype) || !IsPlainBytes(*dtype)) return std::nullopt;
  form.dtype = *dtype;
  if (!TakeField(proto, field)) return std::nullopt;
  if (IsTensor(field, TensorProto::kTensorShapeFieldNumber)) {
    const std::optional<Shape> shape = ReadShape(field.bytes);
    if (!shape || !TakeField(proto, field)) return std::nullopt;
    form.shape = *shape;
  }
  if (!IsTensor(field, TensorProto::kTensorContentFieldNumber) ||
      proto.left() > 0) {
    return std::nullopt;
  }
  // A TensorProto without content whose shape has elements represents zeros.
  // This is not the plain form.
  if (field.bytes.left() == 0 && form.shape.num_elements() > 0) {
    return std::nullopt;
  }
  form.content = field.bytes;
  return form;
}

// A transport's thread may parse a TensorProto that is not in the plain form if
// the TensorProto has at most this many bytes.
constexpr int64_t kMaxParsedBytes = 16 << 10;
// Is an upper bound on the number of bytes that a resource handle takes without
// its strings.
constexpr int64_t kHandleBytes = 256;

// Returns an upper bound on the number of bytes that one element takes.
int64_t ElementBytes(const TensorProto& proto, DType dtype) {
  if (IsPlainBytes(dtype)) return static_cast<int64_t>(SizeOf(dtype));
  if (dtype != DType::kString) {
    return kHandleBytes + static_cast<int64_t>(proto.ByteSizeLong());
  }
  // The last string may be repeated for many elements.
  const auto& texts = proto.string_val();
  return static_cast<int64_t>(sizeof(std::string) +
                              (texts.empty() ? 0 : texts.rbegin()->size()));
}

// Holds the tensors of a received message, as TensorProtos in its slices.
class ReceivedTensors final : public PendingTensors {
 public:
  ReceivedTensors(ReceivedSlices slices, TensorField field, int64_t bytes)
      : slices_(std::move(slices)), field_(field), bytes_(bytes) {}

  int64_t bytes() const override { return bytes_; }

  bool IsQuick() const override {
    if (bytes_ > kMaxInlineBytes) return false;
    int64_t bytes = 0;
    WireField field;
    SliceCursor message(slices_.bytes);
    while (message.left() > 0 && TakeField(message, field)) {
      if (!IsTensor(field, field_.number)) continue;
      bytes = SaturatingAdd(bytes, field_.named ? NamedBytes(field.bytes)
                                                : DecodedBytes(field.bytes));
      if (bytes > kMaxInlineBytes) return false;
    }
    return true;
  }

  absl::StatusOr<WireTensors> Decode(Allocator& allocator,
                                     const VariantDecoders* variants,
                                     int64_t max_bytes) override {
    Decoding decoding = {allocator, variants, max_bytes, max_bytes};
    WireTensors tensors;
    WireField field;
    SliceCursor message(slices_.bytes);
    while (message.left() > 0 && TakeField(message, field)) {
      if (!IsTensor(field, field_.number)) continue;
      if (decoding.left < kWireTensorBytes) {
        return Exhausted("Another tensor", kWireTensorBytes, decoding);
      }
      decoding.left -= kWireTensorBytes;
      WireTensor wire;
      if (field_.named) {
        LEAT_ASSIGN_OR_RETURN(wire, DecodeNamed(field.bytes, decoding));
      } else {
        LEAT_ASSIGN_OR_RETURN(wire.tensor, DecodeOne(field.bytes, decoding));
      }
      tensors.push_back(std::move(wire));
    }
    return tensors;
  }

 private:
  static constexpr int64_t kWireTensorBytes = sizeof(WireTensor);

  // Returns an upper bound on the number of bytes that a tensor takes after
  // decoding. Returns INT64_MAX if computing the bound would take too long.
  // Only the plain form is read here. Protobuf parses all other forms, as in
  // Decode, so that DecodedBytes and Decode read a message in the same way.
  static int64_t DecodedBytes(const SliceCursor& proto) {
    const auto received = static_cast<int64_t>(proto.left());
    if (ReadPlainForm(proto)) return kWireTensorBytes + received;
    if (received > kMaxParsedBytes) return INT64_MAX;
    std::string text;
    proto.AppendTo(text);
    TensorProto tensor;
    if (!tensor.ParseFromString(text)) return received;  // Decode refuses it.
    const auto dtype = DTypeFromWire(tensor.dtype());
    if (!dtype) return received;  // Decode refuses it.
    const std::optional<Shape> shape = ShapeOf(tensor.tensor_shape());
    // A variant contains other tensors, so its size is not known here.
    if (!shape || *dtype == DType::kVariant || tensor.variant_val_size() > 0) {
      return INT64_MAX;
    }
    return SaturatingAdd(kWireTensorBytes + received,
                         SaturatingMultiply(shape->num_elements(),
                                            ElementBytes(tensor, *dtype)));
  }
  // Does what DecodedBytes does, for a NamedTensorProto.
  static int64_t NamedBytes(const SliceCursor& named) {
    const absl::StatusOr<SplitMessage> split =
        Split(named, NamedTensorProto::kTensorFieldNumber);
    if (!split.ok() || split->tensors != 1 ||
        static_cast<int64_t>(split->rest.size()) > kMaxParsedBytes) {
      return INT64_MAX;
    }
    return SaturatingAdd(static_cast<int64_t>(split->rest.size()),
                         DecodedBytes(split->tensor));
  }

  // Holds the state of one call of Decode.
  struct Decoding {
    Allocator& allocator;
    const VariantDecoders* const variants;
    const int64_t max_bytes;
    int64_t left;  // the bytes that are left of max_bytes
  };

  static absl::Status Exhausted(absl::string_view what, int64_t bytes,
                                const Decoding& decoding) {
    return absl::ResourceExhaustedError(
        absl::StrCat(what, " takes at least ", bytes, " bytes, of which ",
                     decoding.left, " are left below the limit of ",
                     decoding.max_bytes, " (max_message_bytes)"));
  }

  // Joins `bytes` and parses them with protobuf. Returns RESOURCE_EXHAUSTED,
  // without parsing, if the parsed message would take more than
  // `decoding.left`.
  template <class Proto>
  static absl::Status Parse(const SliceCursor& bytes, const Decoding& decoding,
                            Proto& proto) {
    const absl::string_view name = Proto::descriptor()->name();
    if (bytes.left() > static_cast<uint64_t>(kMaxMessageBytes)) {
      return TooLarge(static_cast<int64_t>(bytes.left()));
    }
    std::string joined;
    absl::string_view view;
    if (const std::optional<absl::string_view> whole = bytes.Contiguous()) {
      view = *whole;
    } else {
      joined.reserve(bytes.left());
      bytes.AppendTo(joined);
      view = joined;
    }
    const int64_t parsed =
        ParsedBytes(view, *Proto::descriptor(), decoding.left);
    if (parsed > decoding.left) {
      return Exhausted(
          absl::StrCat("To parse a ", name, " of ", view.size(), " bytes"),
          parsed, decoding);
    }
    if (proto.ParseFromArray(view.data(), static_cast<int>(view.size()))) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(
        absl::StrCat(view.size(), " bytes are not a ", name));
  }

  static absl::StatusOr<Tensor> DecodeProto(const TensorProto& proto,
                                            Decoding& decoding) {
    int64_t bytes = 0;
    absl::StatusOr<Tensor> tensor = DecodeTensor(
        proto, decoding.allocator, decoding.left, decoding.variants, &bytes);
    if (bytes > decoding.left) {
      return absl::ResourceExhaustedError(absl::StrCat(
          tensor.status().message(), " (left of max_message_bytes)"));
    }
    if (tensor.ok()) decoding.left -= bytes;
    return tensor;
  }

  static absl::StatusOr<Tensor> DecodeOne(const SliceCursor& bytes,
                                          Decoding& decoding) {
    if (const std::optional<PlainForm> form = ReadPlainForm(bytes)) {
      return DecodePlain(*form, decoding);
    }
    TensorProto proto;
    LEAT_RETURN_IF_ERROR(Parse(bytes, decoding, proto));
    return DecodeProto(proto, decoding);
  }

  static absl::StatusOr<WireTensor> DecodeNamed(const SliceCursor& bytes,
                                                Decoding& decoding) {
    const absl::StatusOr<SplitMessage> split =
        Split(bytes, NamedTensorProto::kTensorFieldNumber);
    const bool usual = split.ok() && split->tensors == 1;
    // If the message has the usual form, `proto` gets only the name. Otherwise
    // `proto` gets the whole message.
    NamedTensorProto proto;
    if (usual) {
      const absl::string_view rest = split->rest;
      LEAT_RETURN_IF_ERROR(
          Parse(SliceCursor(absl::MakeConstSpan(&rest, 1)), decoding, proto));
    } else {
      LEAT_RETURN_IF_ERROR(Parse(bytes, decoding, proto));
    }
    WireTensor wire;
    wire.name = std::move(*proto.mutable_name());
    const auto name_bytes = static_cast<int64_t>(wire.name.size());
    if (decoding.left < name_bytes) {
      return Exhausted("A name", name_bytes, decoding);
    }
    decoding.left -= name_bytes;
    absl::StatusOr<Tensor> tensor = usual
                                        ? DecodeOne(split->tensor, decoding)
                                        : DecodeProto(proto.tensor(), decoding);
    if (!tensor.ok()) return Named(wire.name, tensor.status());
    wire.tensor = *std::move(tensor);
    return wire;
  }

  static absl::Status Named(absl::string_view name,
                            const absl::Status& status) {
    constexpr size_t kShown = 500;
    return absl::Status(status.code(), absl::StrCat("'", name.substr(0, kShown),
                                                    "': ", status.message()));
  }

  static absl::StatusOr<Tensor> DecodePlain(const PlainForm& form,
                                            Decoding& decoding) {
    const int64_t bytes = SaturatingMultiply(
        form.shape.num_elements(), static_cast<int64_t>(SizeOf(form.dtype)));
    const auto what = [&form] {
      return absl::StrCat(Name(form.dtype), form.shape.DebugString());
    };
    if (decoding.left < bytes) {
      return Exhausted(absl::StrCat("A tensor of ", what()), bytes, decoding);
    }
    if (form.content.left() != static_cast<uint64_t>(bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("TensorProto of ", what(), " has tensor_content of ",
                       form.content.left(), " bytes instead of ", bytes));
    }
    decoding.left -= bytes;
    LEAT_ASSIGN_OR_RETURN(
        Tensor tensor,
        Tensor::Allocate(decoding.allocator, form.dtype, form.shape));
    form.content.CopyTo(tensor.mutable_raw_data());
    if (form.dtype == DType::kBool) {
      // Reading a bool whose byte is neither 0 nor 1 is undefined behaviour.
      char* const data = tensor.mutable_raw_data();
      for (int64_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
    }
    return tensor;
  }

  const ReceivedSlices slices_;
  const TensorField field_;
  const int64_t bytes_;
};

}  // namespace

absl::StatusOr<std::vector<Segment>> EncodePayload(Payload payload,
                                                   TensorField field) {
  LEAT_CHECK(payload.pending == nullptr);
  if (field.number == 0 && !payload.tensors.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(payload.tensors.size(),
                     " tensors are in a message that has no field for them"));
  }
  if (payload.header.size() > static_cast<size_t>(kMaxMessageBytes)) {
    return TooLarge(static_cast<int64_t>(payload.header.size()));
  }
  Encoder encoder(std::move(payload.header), field);
  for (WireTensor& tensor : payload.tensors) {
    LEAT_RETURN_IF_ERROR(encoder.Add(std::move(tensor)));
  }
  return std::move(encoder).Finish();
}

absl::StatusOr<Payload> SplitPayload(ReceivedSlices slices, TensorField field) {
  Payload payload;
  const SliceCursor message(slices.bytes);
  if (field.number == 0) {
    payload.header.reserve(message.left());
    message.AppendTo(payload.header);
    return payload;
  }
  LEAT_ASSIGN_OR_RETURN(SplitMessage split, Split(message, field.number));
  payload.header = std::move(split.rest);
  if (split.tensors > 0) {
    payload.pending = std::make_unique<ReceivedTensors>(
        std::move(slices), field, split.tensor_bytes);
  }
  return payload;
}

}  // namespace leat
