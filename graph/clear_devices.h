// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// ClearDevices removes the devices that the nodes of a graph request, so that
// the nodes can be placed on any device.
//
//   LEAT_ASSIGN_OR_RETURN(Graph graph, LoadGraph("trained_on_a_cluster.pb"));
//   ClearDevices(graph);
//   LEAT_ASSIGN_OR_RETURN(auto session, NewSession(graph));
#ifndef LEAT_GRAPH_CLEAR_DEVICES_H_
#define LEAT_GRAPH_CLEAR_DEVICES_H_

#include "leat/graph/graph.h"

namespace leat {

// Removes the requested devices of all nodes, including nodes in functions.
// Keeps requests for colocation and assigned devices.
void ClearDevices(Graph& graph);

}  // namespace leat

#endif  // LEAT_GRAPH_CLEAR_DEVICES_H_
