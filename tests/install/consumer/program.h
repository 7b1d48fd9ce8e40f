// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#ifndef CONSUMER_PROGRAM_H_
#define CONSUMER_PROGRAM_H_

#include <absl/status/status.h>

// Builds and trains a small network for eight steps; an error unless its loss
// falls.
absl::Status RunProgram();

#endif  // CONSUMER_PROGRAM_H_
