// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// These functions translate the graph and the options of a client into the
// messages to a master. The functions are stateless and thread-safe.
#ifndef LEAT_DISTRIBUTED_CLIENT_EXPORT_SESSION_H_
#define LEAT_DISTRIBUTED_CLIENT_EXPORT_SESSION_H_

#include "absl/status/statusor.h"
#include "leat/distributed/client/remote_session.h"
#include "leat/graph/graph.h"
#include "leat/protos/config.pb.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/session.h"

namespace leat {

// Copies all options except the observer from `options` to `sent`.
void ExportRunOptions(const RunOptions& options, pb::RunOptions& sent);

// Returns a message with the nodes of `graph` from `first` on and all functions
// of `graph`. Returns RESOURCE_EXHAUSTED if the graph is too large for a
// message. The error names the largest node, because usually a large constant
// is the cause.
absl::StatusOr<pb::GraphDef> ExportForMaster(const Graph& graph,
                                             NodeId first = 0);

// Copies the options that the master needs from `options` to `config`.
void ExportConfig(const RemoteSessionOptions& options, pb::ConfigProto& config);

}  // namespace leat

#endif  // LEAT_DISTRIBUTED_CLIENT_EXPORT_SESSION_H_
