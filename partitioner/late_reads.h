// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadReferencesLate gives the reads of reference variables the meaning that
// they have in TensorFlow. There, the Identity that reads a variable returns no
// copy. So a node that takes the output of the Identity sees all updates that
// ran before the node, even those that ran after the Identity.
// SyncReplicasOptimizer depends on this:
//
//   global_step -> AssignAdd -> (control edge) -> Fill
//   global_step -> Identity ----------------------^    // the new step
#ifndef LEAT_PARTITIONER_LATE_READS_H_
#define LEAT_PARTITIONER_LATE_READS_H_

#include "absl/status/status.h"
#include "leat/graph/graph.h"

namespace leat {

// Finds nodes that take the output of an Identity of a reference variable, run
// on the same device as the Identity and the variable, and run after an update
// of the variable. Makes these nodes take the reference itself, so that they
// read the variable when they run. All other nodes get the value that the
// variable had when the Identity ran. (TensorFlow does not say which value
// these nodes get.) Takes O(nodes + edges) time for each 64 variables that are
// read and updated. Returns INVALID_ARGUMENT if the graph has a cycle.
// REQUIRES: every node has a device.
absl::Status ReadReferencesLate(Graph& graph);

}  // namespace leat

#endif  // LEAT_PARTITIONER_LATE_READS_H_
