// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/tensor_codec.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/codec/handle_codec.h"
#include "leat/core/codec/host_bytes.h"
#include "leat/core/codec/parsed_bytes.h"
#include "leat/core/dtype_list.h"
#include "leat/core/held_bytes.h"
#include "leat/core/resource_handle.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/core/variant.h"
#include "leat/core/variant_codec.h"
#include "leat/core/varint.h"
#include "leat/protos/resource_handle.pb.h"
#include "leat/protos/tensor.pb.h"
#include "leat/protos/tensor_shape.pb.h"

namespace leat {
namespace {

// Is the number of bytes that are counted for a variant in addition to its
// data. The tags and lengths of a variant take fewer bytes in a message.
// Strings and handles need no such constant. For each of them, the size of the
// std::string or ResourceHandle object is counted, and its tags and lengths
// take fewer bytes than that.
constexpr int64_t kVariantBytes = sizeof(pb::VariantTensorDataProto);
static_assert(sizeof(std::string) >= 6 && sizeof(ResourceHandle) >= 48);
static_assert(sizeof(pb::TensorProto) + 32 <= kParsedMessageBytes);
// Is the memory that a tensor in a variant takes in addition to its elements
// and its extents. There are two Tensor objects for it: one in the VariantData
// and one in the value. Its buffer also needs a header and some bytes for the
// alignment.
constexpr int64_t kHeldTensorBytes = 2 * sizeof(Tensor) + 4 * kBufferAlignment;
// When a tensor in a variant is encoded, this many bytes are counted in
// addition to its elements. So a message has at most half a million such
// tensors. This limit is necessary because such a tensor takes far more memory
// as a protobuf object than it takes bytes in the message.
constexpr int64_t kNestedTensorBytes = 4096;

std::string Describe(DType dtype, const Shape& shape) {
  return absl::StrCat(Name(dtype), shape.DebugString());
}

absl::Status Invalid(DType dtype, const Shape& shape,
                     absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("TensorProto of ", Describe(dtype, shape), " ", problem));
}

// Returns the size in bytes of one element in a tensor's buffer.
int64_t ElementSize(DType dtype) {
  switch (dtype) {
    case DType::kString:
      return sizeof(std::string);
    case DType::kResource:
      return sizeof(ResourceHandle);
    case DType::kVariant:
      return sizeof(Variant);
    default:
      return static_cast<int64_t>(SizeOf(dtype));
  }
}

// Holds the state of one call of DecodeTensor, which also decodes the tensors
// inside variants.
struct Decoding {
  Allocator& allocator;
  const int64_t max_bytes;
  const VariantDecoders* const variants;  // may be null
  int64_t used = 0;                       // bytes counted so far
  int depth = 0;                          // variants around the current tensor
};

// Adds `count` items of `size` bytes each to the bytes used. Returns
// RESOURCE_EXHAUSTED if the sum exceeds the limit.
absl::Status CountBytes(DType dtype, const Shape& shape, int64_t count,
                        int64_t size, Decoding& decoding) {
  const int64_t bytes =
      SaturatingAdd(SaturatingMultiply(count, size), decoding.used);
  decoding.used = bytes;
  if (bytes <= decoding.max_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("A tensor of ", Describe(dtype, shape), " takes at least ",
                   bytes, " bytes, above the limit of ", decoding.max_bytes));
}

using ::leat::HeldBytes;
// Returns the HeldBytes of the ResourceHandle that is made from `handle`.
int64_t HeldBytes(const pb::ResourceHandleProto& handle) {
  return HeldBytes(handle.device()) + HeldBytes(handle.container()) +
         HeldBytes(handle.name()) + HeldBytes(handle.maybe_type_name());
}

// Counts the bytes that the elements made from `field` hold outside of the
// buffer. A value counts once for each element that gets it. The last value
// fills all remaining elements.
template <class Field>
absl::Status CountHeldBytes(DType dtype, const Shape& shape, const Field& field,
                            Decoding& decoding) {
  const int64_t given = std::min<int64_t>(field.size(), shape.num_elements());
  for (int64_t i = 0; i < given; ++i) {
    const int64_t copies =
        i == given - 1 ? shape.num_elements() - given + 1 : 1;
    LEAT_RETURN_IF_ERROR(CountBytes(dtype, shape, copies,
                                    HeldBytes(field.Get(static_cast<int>(i))),
                                    decoding));
  }
  return absl::OkStatus();
}

// Takes a varint of at most 32 bits from the front of `bytes`. Returns false if
// the varint is cut off or longer.
bool TakeVarint32(absl::string_view& bytes, uint32_t& value) {
  uint64_t number = 0;
  if (!TakeVarint64(bytes, number) || number > UINT32_MAX) return false;
  value = static_cast<uint32_t>(number);
  return true;
}

// `content` consists of the lengths of all elements, as varints, and then the
// bytes of all elements. Returns the part with the bytes. Returns
// INVALID_ARGUMENT if the lengths are cut off, or if their sum is not the
// number of bytes.
absl::StatusOr<absl::string_view> SkipLengths(DType dtype, const Shape& shape,
                                              absl::string_view content) {
  const int64_t count = shape.num_elements();
  absl::string_view bytes = content;
  uint64_t total = 0;
  uint32_t length = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!TakeVarint32(bytes, length)) {
      return Invalid(
          dtype, shape,
          absl::StrCat("has tensor_content of ", content.size(),
                       " bytes, in which the length of ", Name(dtype), " ", i,
                       " of ", count, " is cut off or above 32 bits"));
    }
    total += length;
  }
  if (total == bytes.size()) return bytes;
  return Invalid(
      dtype, shape,
      absl::StrCat("has tensor_content with ", bytes.size(), " bytes of ",
                   Name(dtype), "s instead of ", total));
}

absl::StatusOr<Tensor> DecodeStringContent(const Shape& shape,
                                           absl::string_view content,
                                           Decoding& decoding) {
  LEAT_ASSIGN_OR_RETURN(absl::string_view bytes,
                        SkipLengths(DType::kString, shape, content));
  LEAT_RETURN_IF_ERROR(CountBytes(
      DType::kString, shape, 1, static_cast<int64_t>(bytes.size()), decoding));
  absl::string_view lengths = content;
  uint32_t length = 0;
  int64_t held_bytes = 0;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    TakeVarint32(lengths, length);
    held_bytes = SaturatingAdd(held_bytes, HeldBytesOfText(length));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(decoding.allocator, DType::kString, shape, held_bytes));
  lengths = content;
  for (std::string& text : tensor.mutable_data<std::string>()) {
    TakeVarint32(lengths, length);
    text.assign(bytes.data(), length);
    bytes.remove_prefix(length);
  }
  return tensor;
}

absl::StatusOr<Tensor> DecodePlainContent(DType dtype, const Shape& shape,
                                          absl::string_view content,
                                          Allocator& allocator) {
  const int64_t bytes = shape.num_elements() * ElementSize(dtype);
  if (static_cast<int64_t>(content.size()) != bytes) {
    return Invalid(dtype, shape,
                   absl::StrCat("has tensor_content of ", content.size(),
                                " bytes instead of ", bytes));
  }
  LEAT_ASSIGN_OR_RETURN(Tensor tensor,
                        Tensor::Allocate(allocator, dtype, shape));
  std::memcpy(tensor.mutable_raw_data(), content.data(), content.size());
  if (dtype == DType::kBool) {
    // Reading a bool whose byte is neither 0 nor 1 is undefined behaviour.
    for (char* byte = tensor.mutable_raw_data();
         byte != tensor.raw_data() + bytes; ++byte) {
      *byte = *byte != 0;
    }
  }
  return tensor;
}

// Sets the elements, which have the C++ type T, to get_value(0), get_value(1)
// and so on. There are `num_values` values. Ignores surplus values. If there
// are too few values, repeats the last one, or T() if there is none.
template <class T, class GetValue>
void Fill(int64_t num_values, GetValue get_value, Tensor& tensor) {
  T* const elements = reinterpret_cast<T*>(tensor.mutable_raw_data());
  const int64_t count = tensor.num_elements();
  const int64_t given = std::min(num_values, count);
  for (int64_t i = 0; i < given; ++i) {
    elements[i] = get_value(static_cast<int>(i));
  }
  const T last = given > 0 ? elements[given - 1] : T();
  std::fill(elements + given, elements + count, last);
}

// Sets the elements from the values of a repeated field.
template <class T, class Field>
void FillConverted(const Field& field, Tensor& tensor) {
  Fill<T>(
      field.size(), [&](int i) { return static_cast<T>(field.Get(i)); },
      tensor);
}

// Sets the elements from a field that holds real and imaginary parts in turn. A
// real part at the end without an imaginary one is ignored.
template <class T, class Field>
void FillComplex(const Field& field, Tensor& tensor) {
  Fill<std::complex<T>>(
      field.size() / 2,
      [&](int i) {
        return std::complex<T>(field.Get(2 * i), field.Get(2 * i + 1));
      },
      tensor);
}

// Sets the elements from the field that TensorFlow uses for the tensor's dtype.
void FillFromValues(const pb::TensorProto& proto, Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return FillConverted<float>(proto.float_val(), tensor);
    case DType::kDouble:
      return FillConverted<double>(proto.double_val(), tensor);
    case DType::kInt32:
    case DType::kQint32:
      return FillConverted<int32_t>(proto.int_val(), tensor);
    case DType::kInt16:
    case DType::kQint16:
      return FillConverted<int16_t>(proto.int_val(), tensor);
    case DType::kUint16:
    case DType::kQuint16:
      return FillConverted<uint16_t>(proto.int_val(), tensor);
    case DType::kInt8:
    case DType::kQint8:
    case DType::kInt4:
      return FillConverted<int8_t>(proto.int_val(), tensor);
    case DType::kUint8:
    case DType::kQuint8:
    case DType::kUint4:
      return FillConverted<uint8_t>(proto.int_val(), tensor);
    case DType::kInt64:
      return FillConverted<int64_t>(proto.int64_val(), tensor);
    case DType::kUint32:
      return FillConverted<uint32_t>(proto.uint32_val(), tensor);
    case DType::kUint64:
      return FillConverted<uint64_t>(proto.uint64_val(), tensor);
    case DType::kBool:
      return FillConverted<bool>(proto.bool_val(), tensor);
    case DType::kHalf:
    case DType::kBfloat16:
      return FillConverted<uint16_t>(proto.half_val(), tensor);
    case DType::kComplex64:
      return FillComplex<float>(proto.scomplex_val(), tensor);
    case DType::kComplex128:
      return FillComplex<double>(proto.dcomplex_val(), tensor);
    case DType::kString:
      return FillConverted<std::string>(proto.string_val(), tensor);
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3Fn:
      return Fill<char>(
          static_cast<int64_t>(proto.float8_val().size()),
          [&](int i) { return proto.float8_val()[i]; }, tensor);
    case DType::kResource:
      return Fill<ResourceHandle>(
          proto.resource_handle_val_size(),
          [&](int i) { return DecodeHandle(proto.resource_handle_val(i)); },
          tensor);
    case DType::kVariant:  // is decoded by DecodeVariantValues
    case DType::kInvalid:
      return;
  }
}

absl::StatusOr<Tensor> Decode(const pb::TensorProto& proto, Decoding& decoding);

absl::StatusOr<Variant> DecodeVariant(const pb::VariantTensorDataProto& proto,
                                      const Shape& shape, Decoding& decoding) {
  if (proto.type_name().empty() && proto.metadata().empty() &&
      proto.tensors().empty()) {
    return Variant();
  }
  const VariantDecoder decoder =
      decoding.variants == nullptr ? nullptr
                                   : decoding.variants->Find(proto.type_name());
  if (decoder == nullptr) {
    return Invalid(DType::kVariant, shape,
                   absl::StrCat("has a value of type '", proto.type_name(),
                                "', which cannot be decoded"));
  }
  if (decoding.depth >= kMaxVariantDepth) {
    return Invalid(
        DType::kVariant, shape,
        absl::StrCat("is nested in ", decoding.depth, " others; the limit is ",
                     kMaxVariantDepth - 1));
  }
  LEAT_RETURN_IF_ERROR(CountBytes(DType::kVariant, shape, proto.tensors_size(),
                                  kHeldTensorBytes, decoding));
  // In a TensorList, each byte of the metadata may stand for an element that
  // was never written. Such an element takes as much memory as a written one.
  // If there is metadata, the bytes counted for it are also enough for the
  // value object itself.
  constexpr int64_t kGapBytes = sizeof(Tensor) + 8;
  LEAT_RETURN_IF_ERROR(CountBytes(DType::kVariant, shape,
                                  static_cast<int64_t>(proto.metadata().size()),
                                  kGapBytes, decoding));
  VariantData data = {proto.type_name(), proto.metadata(), {}};
  data.tensors.reserve(proto.tensors_size());
  ++decoding.depth;
  for (const pb::TensorProto& tensor_proto : proto.tensors()) {
    LEAT_ASSIGN_OR_RETURN(Tensor tensor, Decode(tensor_proto, decoding));
    data.tensors.push_back(std::move(tensor));
  }
  --decoding.depth;
  return decoder(std::move(data));
}

absl::StatusOr<Tensor> DecodeVariantValues(const pb::TensorProto& proto,
                                           const Shape& shape,
                                           Decoding& decoding) {
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(decoding.allocator, DType::kVariant, shape));
  const auto elements = tensor.mutable_data<Variant>();
  const size_t given =
      std::min<size_t>(proto.variant_val_size(), elements.size());
  for (size_t i = 0; i < given; ++i) {
    LEAT_ASSIGN_OR_RETURN(
        elements[i],
        DecodeVariant(proto.variant_val(static_cast<int>(i)), shape, decoding));
  }
  if (given == 0) return tensor;
  std::fill(elements.begin() + given, elements.end(), elements[given - 1]);
  return tensor;
}

// Takes one element from the front of `bytes`, and the element's length from
// the front of `lengths`. The element is a serialized `Proto`, which is parsed
// into `proto`.
template <class Proto>
absl::Status TakeMessage(DType dtype, const Shape& shape,
                         absl::string_view& lengths, absl::string_view& bytes,
                         Decoding& decoding, Proto& proto) {
  uint32_t length = 0;
  TakeVarint32(lengths, length);
  const absl::string_view encoded = bytes.substr(0, length);
  bytes.remove_prefix(length);
  const int64_t parsed_bytes =
      ParsedBytes(encoded, *Proto::descriptor(), decoding.max_bytes);
  LEAT_RETURN_IF_ERROR(CountBytes(dtype, shape, 1, parsed_bytes, decoding));
  if (length <= INT32_MAX &&
      proto.ParseFromArray(encoded.data(), static_cast<int>(length))) {
    return absl::OkStatus();
  }
  return Invalid(dtype, shape,
                 absl::StrCat("has tensor_content that cannot be read as a ",
                              Proto::descriptor()->name()));
}

// Decodes content in the format of string tensors. Each string is a serialized
// VariantTensorDataProto.
absl::StatusOr<Tensor> DecodeVariantContent(const Shape& shape,
                                            absl::string_view content,
                                            Decoding& decoding) {
  LEAT_ASSIGN_OR_RETURN(absl::string_view bytes,
                        SkipLengths(DType::kVariant, shape, content));
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(decoding.allocator, DType::kVariant, shape));
  for (Variant& element : tensor.mutable_data<Variant>()) {
    pb::VariantTensorDataProto proto;
    LEAT_RETURN_IF_ERROR(
        TakeMessage(DType::kVariant, shape, content, bytes, decoding, proto));
    LEAT_ASSIGN_OR_RETURN(element, DecodeVariant(proto, shape, decoding));
  }
  return tensor;
}

absl::StatusOr<Tensor> DecodeValues(const pb::TensorProto& proto, DType dtype,
                                    const Shape& shape, Decoding& decoding) {
  if (dtype == DType::kVariant) {
    return DecodeVariantValues(proto, shape, decoding);
  }
  const int64_t used = decoding.used;
  if (dtype == DType::kString) {
    LEAT_RETURN_IF_ERROR(
        CountHeldBytes(dtype, shape, proto.string_val(), decoding));
  } else if (dtype == DType::kResource) {
    LEAT_RETURN_IF_ERROR(
        CountHeldBytes(dtype, shape, proto.resource_handle_val(), decoding));
  }
  LEAT_ASSIGN_OR_RETURN(
      Tensor tensor,
      Tensor::Allocate(decoding.allocator, dtype, shape, decoding.used - used));
  FillFromValues(proto, tensor);
  return tensor;
}

// Decodes content in the format of string tensors. Each string is a serialized
// ResourceHandleProto.
absl::StatusOr<Tensor> DecodeResourceContent(const Shape& shape,
                                             absl::string_view content,
                                             Decoding& decoding) {
  LEAT_ASSIGN_OR_RETURN(absl::string_view bytes,
                        SkipLengths(DType::kResource, shape, content));
  pb::TensorProto values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    LEAT_RETURN_IF_ERROR(TakeMessage(DType::kResource, shape, content, bytes,
                                     decoding,
                                     *values.add_resource_handle_val()));
  }
  return DecodeValues(values, DType::kResource, shape, decoding);
}

absl::StatusOr<Tensor> Decode(const pb::TensorProto& proto,
                              Decoding& decoding) {
  const std::optional<DType> dtype = DTypeFromWire(proto.dtype());
  if (!dtype || IsRef(*dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("TensorProto has dtype ", static_cast<int>(proto.dtype()),
                     ", which is not the type of a tensor"));
  }
  LEAT_ASSIGN_OR_RETURN(const PartialShape partial,
                        DecodeShape(proto.tensor_shape()));
  if (!partial.IsFullyKnown()) {
    return absl::InvalidArgumentError(
        absl::StrCat("TensorProto of ", Name(*dtype), " has the shape ",
                     partial.DebugString(), ", which is not fully known"));
  }
  LEAT_ASSIGN_OR_RETURN(const Shape shape, partial.ToShape());
  LEAT_RETURN_IF_ERROR(CountBytes(*dtype, shape, shape.num_elements(),
                                  ElementSize(*dtype), decoding));
  const int64_t extents = decoding.depth > 0 ? 2 * shape.rank() : 0;
  LEAT_RETURN_IF_ERROR(
      CountBytes(*dtype, shape, extents, sizeof(int64_t), decoding));
  const std::string& content = proto.tensor_content();
  if (content.empty()) return DecodeValues(proto, *dtype, shape, decoding);
  switch (*dtype) {
    case DType::kString:
      return DecodeStringContent(shape, content, decoding);
    case DType::kResource:
      return DecodeResourceContent(shape, content, decoding);
    case DType::kVariant:
      return DecodeVariantContent(shape, content, decoding);
    default:
      return DecodePlainContent(*dtype, shape, content, decoding.allocator);
  }
}

// Returns an upper bound for the bytes that the elements take in a message,
// without the data of variants.
int64_t EncodedBytes(const Tensor& tensor) {
  int64_t bytes = tensor.num_bytes();
  if (tensor.dtype() == DType::kString) {
    bytes += TextBytes(tensor.data<std::string>());
  } else if (tensor.dtype() == DType::kResource) {
    for (const ResourceHandle& handle : tensor.data<ResourceHandle>()) {
      bytes += static_cast<int64_t>(
          handle.device.size() + handle.container.size() + handle.name.size() +
          handle.maybe_type_name.size());
    }
  } else if (tensor.dtype() == DType::kVariant) {
    bytes += kVariantBytes * tensor.num_elements();
  }
  return bytes;
}

// Returns INVALID_ARGUMENT if a message has exceeded its limit. `left` is what
// is left of the limit after the caller has subtracted `bytes`.
absl::Status CheckLeft(int64_t left, DType dtype, const Shape& shape,
                       int64_t bytes) {
  if (left >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "A tensor of ", Describe(dtype, shape), " takes ", bytes, " bytes, ",
      -left, " more than are left of a message's limit"));
}

// Encodes `tensor`. `left` is the number of bytes by which the message may
// still grow. Encode subtracts the bytes of `tensor` from `left` while it
// encodes, and stops at the limit. Otherwise a tensor that takes little memory
// could make a very large message, because many variants may share one tensor.
absl::Status Encode(const Tensor& tensor, int64_t& left,
                    pb::TensorProto* proto);

absl::Status EncodeVariant(const Variant& variant, const Shape& shape,
                           int64_t& left, pb::VariantTensorDataProto* proto) {
  if (variant.value() == nullptr) return absl::OkStatus();
  LEAT_ASSIGN_OR_RETURN(const VariantData data, variant.value()->Encode());
  const int64_t bytes =
      static_cast<int64_t>(data.type_name.size() + data.metadata.size());
  left -= bytes;
  LEAT_RETURN_IF_ERROR(CheckLeft(left, DType::kVariant, shape, bytes));
  proto->set_type_name(data.type_name);
  proto->set_metadata(data.metadata);
  for (const Tensor& tensor : data.tensors) {
    left -= kNestedTensorBytes;
    LEAT_RETURN_IF_ERROR(Encode(tensor, left, proto->add_tensors()));
  }
  return absl::OkStatus();
}

absl::Status EncodeVariants(const Tensor& tensor, int64_t& left,
                            pb::TensorProto* proto) {
  const auto variants = tensor.data<Variant>();
  const auto has_value = [](const Variant& v) { return v.value() != nullptr; };
  if (std::none_of(variants.begin(), variants.end(), has_value)) {
    return absl::OkStatus();
  }
  for (const Variant& variant : variants) {
    LEAT_RETURN_IF_ERROR(
        EncodeVariant(variant, tensor.shape(), left, proto->add_variant_val()));
  }
  return absl::OkStatus();
}

absl::Status Encode(const Tensor& tensor, int64_t& left,
                    pb::TensorProto* proto) {
  if (!tensor.IsValid()) {
    return absl::InvalidArgumentError("A tensor without value has no encoding");
  }
  const int64_t bytes = EncodedBytes(tensor);
  left -= bytes;
  LEAT_RETURN_IF_ERROR(CheckLeft(left, tensor.dtype(), tensor.shape(), bytes));
  proto->Clear();
  proto->set_dtype(static_cast<pb::DataType>(tensor.dtype()));
  EncodeShape(tensor.shape(), proto->mutable_tensor_shape());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.data<std::string>()) {
      proto->add_string_val(text);
    }
  } else if (tensor.dtype() == DType::kResource) {
    for (const ResourceHandle& handle : tensor.data<ResourceHandle>()) {
      EncodeHandle(handle, *proto->add_resource_handle_val());
    }
  } else if (tensor.dtype() == DType::kVariant) {
    return EncodeVariants(tensor, left, proto);
  } else {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view content, HostBytes(tensor));
    proto->set_tensor_content(content.data(), content.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> DecodeTensor(const pb::TensorProto& proto,
                                    Allocator& allocator, int64_t max_bytes,
                                    const VariantDecoders* variants,
                                    int64_t* bytes) {
  Decoding decoding = {allocator, max_bytes, variants};
  absl::StatusOr<Tensor> tensor = Decode(proto, decoding);
  if (bytes != nullptr) *bytes = decoding.used;
  return tensor;
}

absl::Status EncodeTensor(const Tensor& tensor, pb::TensorProto* proto,
                          int64_t max_bytes) {
  int64_t left = max_bytes;
  return Encode(tensor, left, proto);
}

absl::StatusOr<PartialShape> DecodeShape(const pb::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("TensorShapeProto of unknown rank has ",
                       proto.dim_size(), " dimensions"));
    }
    return PartialShape();
  }
  Dims dims;
  for (const pb::TensorShapeProto::Dim& dim : proto.dim()) {
    dims.push_back(dim.size());
  }
  return PartialShape::Create(dims);
}

void EncodeShape(const PartialShape& shape, pb::TensorShapeProto* proto) {
  proto->Clear();
  proto->set_unknown_rank(!shape.rank_known());
  for (const int64_t dim : shape.dims()) proto->add_dim()->set_size(dim);
}

}  // namespace leat
