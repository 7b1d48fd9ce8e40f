// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// SessionServices are what a kernel may use after its step has ended.
// StepServices (kernel_context.h) are only valid during the step. An iterator,
// for example, reads ahead between the steps that take its elements.
#ifndef LEAT_KERNELS_SESSION_SERVICES_H_
#define LEAT_KERNELS_SESSION_SERVICES_H_

#include <memory>

#include "leat/core/devices/device.h"
#include "leat/core/threads/background_work.h"

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

}  // namespace leat

#endif  // LEAT_KERNELS_SESSION_SERVICES_H_
