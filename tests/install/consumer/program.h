// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RunProgram is a program as a user of the installed library would write it.
#ifndef CONSUMER_PROGRAM_H_
#define CONSUMER_PROGRAM_H_

#include <absl/status/status.h>

// Builds a small network and trains it for eight steps. Returns an error if a
// step fails, or if the loss does not fall.
absl::Status RunProgram();
// Runs a graph with an op that the program defines itself.
absl::Status RunOwnOp();

#endif  // CONSUMER_PROGRAM_H_
