// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ResourceHandle is the name of a variable, a queue or the like. It is the
// element of a tensor of dtype kResource. It is only a name: kernels look the
// resource up each time and check device, container and type.
#ifndef LEAT_CORE_RESOURCE_HANDLE_H_
#define LEAT_CORE_RESOURCE_HANDLE_H_

#include <cstdint>
#include <string>

namespace leat {

// Is a plain value with the fields of TensorFlow's ResourceHandleProto. Is
// thread-compatible.
class ResourceHandle {
 public:
  // Is the full name of the device that owns the resource.
  std::string device;
  // Is the name of the container that the resource is in. The default container
  // has the name of the job.
  std::string container;
  // Is the name of the resource, unique in its container.
  std::string name;
  // Is TensorFlow's hash of the resource's type. Leat passes it on, but does
  // not use it.
  uint64_t hash_code = 0;
  // Is the type of the resource, as TensorFlow names it: "N10tensorflow3VarE".
  // Types of resources that only Leat has use names that TensorFlow does not
  // use.
  std::string maybe_type_name;

  friend bool operator==(const ResourceHandle&,
                         const ResourceHandle&) = default;
};

}  // namespace leat

#endif  // LEAT_CORE_RESOURCE_HANDLE_H_
