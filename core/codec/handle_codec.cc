// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/codec/handle_codec.h"

#include <climits>

#include "leat/protos/resource_handle.pb.h"

namespace leat {

ResourceHandle DecodeHandle(const pb::ResourceHandleProto& proto) {
  ResourceHandle handle;
  handle.device = proto.device();
  handle.container = proto.container();
  handle.name = proto.name();
  handle.hash_code = proto.hash_code();
  handle.maybe_type_name = proto.maybe_type_name();
  return handle;
}

void EncodeHandle(const ResourceHandle& handle,
                  pb::ResourceHandleProto& proto) {
  proto.set_device(handle.device);
  proto.set_container(handle.container);
  proto.set_name(handle.name);
  proto.set_hash_code(handle.hash_code);
  proto.set_maybe_type_name(handle.maybe_type_name);
}

std::string SerializeHandle(const ResourceHandle& handle) {
  pb::ResourceHandleProto proto;
  EncodeHandle(handle, proto);
  return proto.SerializeAsString();
}

std::optional<ResourceHandle> ParseHandle(absl::string_view bytes) {
  pb::ResourceHandleProto proto;
  if (bytes.size() > INT_MAX ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return std::nullopt;
  }
  return DecodeHandle(proto);
}

}  // namespace leat
