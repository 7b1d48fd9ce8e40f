// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions read serialized Examples, which are protobuf messages,
// without parsing them into objects. They find where the values of features
// lie, and then write the values into arrays. They are stateless and
// thread-safe. Whatever the bytes are, no function reads beyond their end.
//
//   message Example { Features features = 1; }
//   message Features { map<string, Feature> feature = 1; }
//   message Feature {
//     oneof kind {
//       BytesList bytes_list = 1;  // repeated bytes value = 1
//       FloatList float_list = 2;  // repeated float value = 1
//       Int64List int64_list = 3;  // repeated int64 value = 1
//     }
//   }
#ifndef LEAT_KERNELS_CODECS_EXAMPLE_WIRE_H_
#define LEAT_KERNELS_CODECS_EXAMPLE_WIRE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "leat/core/dtype.h"

namespace leat {

// Says where the values of one feature lie. Is a value, which refers to the
// serialized message.
struct FeatureValues {
  // Is kString, kFloat or kInt64. Is kInvalid if the feature has no list.
  DType type = DType::kInvalid;
  // Is true if `bytes` has numbers without tags between them.
  bool is_packed = false;
  absl::string_view bytes = {};
  int64_t count = 0;
  // Is how many bytes the values will hold outside of a tensor (HeldBytes).
  int64_t held_bytes = 0;
};

// Receives an entry of a map. Returns false to stop.
using EntryVisitor =
    absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;

// Calls `visit` for each feature of an Example, with the serialized Feature.
// Returns false if the Example is malformed or `visit` returns false. If a key
// comes twice, the last one counts.
bool VisitFeatures(absl::string_view example, EntryVisitor visit);

enum class FeatureStatus : uint8_t {
  kOk,
  kUnknownType,  // the Feature has a field that Features do not have
  kMalformed,
};

// Finds and counts the values of a serialized Feature. Only reads the first
// list if there are several, as TensorFlow does.
FeatureStatus FindValues(absl::string_view feature, FeatureValues& values);

// These functions write all values of a feature to `to`. They return false if a
// value is malformed. REQUIRES: FindValues has found `values`, of the type that
// the function writes, and `to` has values.count elements.
bool WriteValues(const FeatureValues& values, std::string* to);
bool WriteValues(const FeatureValues& values, float* to);
bool WriteValues(const FeatureValues& values, int64_t* to);

}  // namespace leat

#endif  // LEAT_KERNELS_CODECS_EXAMPLE_WIRE_H_
