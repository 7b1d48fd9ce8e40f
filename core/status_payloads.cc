// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/core/status_payloads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "leat/protos/status_payloads.pb.h"

namespace leat {
namespace {

constexpr size_t kMaxPayloads = 16;
constexpr size_t kMaxPayloadBytes = 8 << 10;
// Limits the number of bytes that a payload takes in the message in addition to
// its url and its value. There are three tags of 1 byte each, and three lengths
// of at most 2 bytes each, because every length is below 16 KiB.
constexpr size_t kBytesAround = 9;

// Describes a payload of a status. Smaller payloads are ordered before larger
// ones.
struct Payload {
  std::string url;
  std::string value;

  size_t size() const { return url.size() + value.size() + kBytesAround; }
  bool operator<(const Payload& other) const {
    return size() != other.size() ? size() < other.size() : url < other.url;
  }
};

}  // namespace

absl::Status AsDerived(absl::Status status) {
  status.SetPayload(kDerivedStatusPayload, absl::Cord());
  return status;
}

bool IsDerived(const absl::Status& status) {
  return status.GetPayload(kDerivedStatusPayload).has_value();
}

absl::Status AsWorkerPossiblyRestarted(absl::Status status) {
  status.SetPayload(kWorkerPossiblyRestartedPayload, absl::Cord());
  return status;
}

absl::Status WithMessage(const absl::Status& status,
                         absl::string_view message) {
  absl::Status changed(status.code(), message);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    changed.SetPayload(url, value);
  });
  return changed;
}

absl::Status WithTask(absl::Status status, absl::string_view task) {
  if (status.ok() || absl::StartsWith(status.message(), "From /job:")) {
    return status;
  }
  return WithMessage(status,
                     absl::StrCat("From ", task, ":\n", status.message()));
}

std::string EncodePayloads(const absl::Status& status) {
  std::vector<Payload> payloads;
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& value) {
    payloads.push_back({std::string(url), std::string(value)});
  });
  std::sort(payloads.begin(), payloads.end());
  pb::GrpcPayloadContainer container;
  size_t bytes = 0;
  for (size_t i = 0; i < std::min(payloads.size(), kMaxPayloads); ++i) {
    bytes += payloads[i].size();
    if (bytes > kMaxPayloadBytes) break;
    (*container.mutable_payloads())[payloads[i].url] =
        std::move(payloads[i].value);
  }
  std::string result;
  {
    google::protobuf::io::StringOutputStream stream(&result);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    container.SerializeToCodedStream(&coded);
  }
  return result;
}

void DecodePayloads(absl::string_view bytes, absl::Status& status) {
  if (bytes.size() > kMaxPayloadBytes) return;
  pb::GrpcPayloadContainer container;
  if (!container.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      container.payloads_size() > static_cast<int>(kMaxPayloads)) {
    return;
  }
  for (const auto& [url, value] : container.payloads()) {
    status.SetPayload(url, absl::Cord(value));
  }
}

}  // namespace leat
