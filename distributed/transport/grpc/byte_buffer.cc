// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/byte_buffer.h"

#include <memory>
#include <string>
#include <utility>

#include "grpcpp/support/slice.h"

namespace leat {
namespace {

// Texts of at most this many bytes are copied, because that is faster than
// keeping the std::string alive for gRPC.
constexpr size_t kMaxCopiedText = 4096;

// gRPC calls this to free the object whose bytes a slice refers to.
template <class T>
void Delete(void* object) {
  delete static_cast<T*>(object);
}

grpc::Slice ShareText(std::string text) {
  auto* const kept = new std::string(std::move(text));  // Delete frees it
  return grpc::Slice(kept->data(), kept->size(), Delete<std::string>, kept);
}

grpc::Slice ShareTensor(Tensor tensor) {
  const auto size = static_cast<size_t>(tensor.num_bytes());
  auto* const kept = new Tensor(std::move(tensor));
  return grpc::Slice(kept->mutable_raw_data(), size, Delete<Tensor>, kept);
}

// Describes a message that was received. The buffer is destroyed last, because
// only gRPC's destructor of buffers may free memory of a quota on a thread that
// is not gRPC's. If a slice is the last object that refers to such memory, its
// destructor crashes the process when the quota is nearly used up (gRPC 1.51).
struct ReceivedMessage {
  grpc::ByteBuffer buffer;
  std::vector<grpc::Slice> slices;
};

}  // namespace

grpc::ByteBuffer ToByteBuffer(std::vector<Segment> segments) {
  std::vector<grpc::Slice> slices;
  slices.reserve(segments.size());
  for (Segment& segment : segments) {
    if (segment.tensor.IsValid()) {
      slices.push_back(ShareTensor(std::move(segment.tensor)));
    } else if (segment.bytes.size() > kMaxCopiedText) {
      slices.push_back(ShareText(std::move(segment.bytes)));
    } else if (!segment.bytes.empty()) {
      slices.emplace_back(segment.bytes);
    }
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

ReceivedSlices FromByteBuffer(grpc::ByteBuffer& buffer) {
  auto message = std::make_shared<ReceivedMessage>();
  message->buffer.Swap(&buffer);
  std::vector<grpc::Slice>& slices = message->slices;
  // Dump fails for a message without bytes, which then has no slices.
  static_cast<void>(message->buffer.Dump(&slices));
  ReceivedSlices received;
  received.bytes.reserve(slices.size());
  // gRPC stores the bytes of short slices inside the Slice objects. The bytes
  // stay in place, because these objects are not moved any more.
  for (const grpc::Slice& slice : slices) {
    received.bytes.emplace_back(reinterpret_cast<const char*>(slice.begin()),
                                slice.size());
  }
  received.owner = std::move(message);
  return received;
}

}  // namespace leat
