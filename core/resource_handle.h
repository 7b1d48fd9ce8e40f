// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ResourceHandle: the name of a variable, queue or the like, as the value of a
// tensor of dtype kResource. It is only a name: whoever uses one looks it up
// again and checks device, container and type. Fields are TensorFlow's
// ResourceHandleProto.
#ifndef LEAT_CORE_RESOURCE_HANDLE_H_
#define LEAT_CORE_RESOURCE_HANDLE_H_

#include <cstdint>
#include <string>

namespace leat {

class ResourceHandle {
 public:
  std::string device;     // full name of the device that owns the resource
  std::string container;  // by default the job's name
  std::string name;
  uint64_t hash_code = 0;       // TensorFlow's type hash; carried, not used
  std::string maybe_type_name;  // "Variable", "Queue", ...

  friend bool operator==(const ResourceHandle&,
                         const ResourceHandle&) = default;
};

}  // namespace leat

#endif  // LEAT_CORE_RESOURCE_HANDLE_H_
