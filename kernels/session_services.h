// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionServices are what a kernel may use after its step has ended.
// StepServices (kernel_context.h) are only valid during the step. An iterator,
// for example, reads ahead between the steps that take its elements.
//
//   LEAT_ASSIGN_OR_RETURN(const SessionServices* const session,
//                         SessionOf(context, "an iterator"));
#ifndef LEAT_KERNELS_SESSION_SERVICES_H_
#define LEAT_KERNELS_SESSION_SERVICES_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "leat/core/devices/device.h"
#include "leat/core/threads/background_work.h"
#include "leat/kernels/kernel_context.h"

namespace leat {

class ResourceStore;

// Is a value. Whoever keeps a copy must not outlive the devices of the process.
// These wait for all work that `background` counts before they end.
struct SessionServices {
  Device* device = nullptr;            // charges memory to the session
  ResourceStore* resources = nullptr;  // the device's
  // Counts the work that uses these services between steps.
  BackgroundWork* background = nullptr;
  // Keeps `device` and `resources` alive.
  std::shared_ptr<const void> owner = {};
};

// Returns the services for what outlives the step of `context`. Returns
// UNIMPLEMENTED, with a text that names `user`, if nothing may outlive it.
inline absl::StatusOr<const SessionServices*> SessionOf(
    const KernelContext& context, absl::string_view user) {
  const SessionServices* const session = context.step().session;
  if (session != nullptr) return session;
  return absl::UnimplementedError(absl::StrCat(user, " cannot be used here"));
}

}  // namespace leat

#endif  // LEAT_KERNELS_SESSION_SERVICES_H_
