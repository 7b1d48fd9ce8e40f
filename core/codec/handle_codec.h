// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions convert resource handles to and from TensorFlow's message
// ResourceHandleProto. They are stateless.
#ifndef LEAT_CORE_CODEC_HANDLE_CODEC_H_
#define LEAT_CORE_CODEC_HANDLE_CODEC_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "leat/core/resource_handle.h"

namespace leat {

namespace pb {
class ResourceHandleProto;
}  // namespace pb

ResourceHandle DecodeHandle(const pb::ResourceHandleProto& proto);
void EncodeHandle(const ResourceHandle& handle, pb::ResourceHandleProto& proto);

// These two work on the bytes of a message. ParseHandle returns nothing if
// `bytes` is no such message.
std::string SerializeHandle(const ResourceHandle& handle);
std::optional<ResourceHandle> ParseHandle(absl::string_view bytes);

}  // namespace leat

#endif  // LEAT_CORE_CODEC_HANDLE_CODEC_H_
