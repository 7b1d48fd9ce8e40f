// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions check and raise the number of descriptors (files, sockets)
// that this process may have open at the same time. All of them are
// thread-safe.
//
//   RaiseDescriptorLimit();  // at the beginning of main
//   LEAT_RETURN_IF_ERROR(CheckFreeDescriptors(64, "a task"));
#ifndef LEAT_CORE_FILES_DESCRIPTOR_LIMIT_H_
#define LEAT_CORE_FILES_DESCRIPTOR_LIMIT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace leat {

// Raises the soft limit of open descriptors of this process to the hard limit,
// but not above 2^20. Processes that this one starts inherit the new limit.
// Does nothing if the system refuses.
void RaiseDescriptorLimit();

// Returns how many more descriptors this process may open now, at most
// INT32_MAX. Returns INT32_MAX if the system does not tell the number.
int64_t NumFreeDescriptors();

// Returns RESOURCE_EXHAUSTED if this process cannot open `needed` more
// descriptors. The message says that `who` needs the descriptors, and how high
// the limit would have to be.
absl::Status CheckFreeDescriptors(int64_t needed, absl::string_view who);

}  // namespace leat

#endif  // LEAT_CORE_FILES_DESCRIPTOR_LIMIT_H_
