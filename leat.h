// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// leat.h includes all that a program needs to build, run and train graphs, in
// this process or on a cluster. docs/api.md says which header has what.
//
//   GraphBuilder b;
//   Output x = b.Placeholder<float>("x", {-1, 4});
//   Output y = nn::Dense(x, {.units = 3, .activation = nn::relu});
//   LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
//   LEAT_ASSIGN_OR_RETURN(auto session, NewSession(graph));
//   LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}));
//   LEAT_ASSIGN_OR_RETURN(
//       std::vector<Tensor> fetched,
//       session->Run({.feeds = {{x, Tensor::Filled<float>(Shape{2, 4}, 1)}},
//                     .fetches = {y}}));
//
// The headers below are Leat's public API. The build installs them, the headers
// that they include, and the generated headers. `tools/check_api --write` makes
// docs/api.md from this list.
#ifndef LEAT_LEAT_H_
#define LEAT_LEAT_H_

// IWYU pragma: begin_exports

// Tensors and errors
#include "leat/core/dtype.h"
#include "leat/core/shape.h"
#include "leat/core/status_macros.h"
#include "leat/core/tensor.h"

// Build a graph
#include "leat/graph/autodiff/gradients.h"
#include "leat/graph/builder/builder.h"
#include "leat/graph/builder/control_flow.h"
#include "leat/graph/builder/index.h"
#include "leat/graph/builder/operand.h"
#include "leat/graph/builder/output.h"
#include "leat/graph/ops.h"

// Graphs and files
#include "leat/graph/graph.h"
#include "leat/graph/io/graph_file.h"

// Run a graph
#include "leat/runtime/session.h"
#include "leat/train/session.h"

// Layers, losses and optimizers
#include "leat/train/nn/activations.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/initializers.h"
#include "leat/train/nn/layers.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/losses.h"
#include "leat/train/nn/metrics.h"
#include "leat/train/nn/optimizers.h"
#include "leat/train/nn/partitioned_variable.h"

// Train a model
#include "leat/train/batches.h"
#include "leat/train/dataset.h"
#include "leat/train/datasets/idx.h"
#include "leat/train/freeze.h"
#include "leat/train/progress_bar.h"
#include "leat/train/saver.h"
#include "leat/train/summary_writer.h"

// Save and load a trained model
#include "leat/train/saved_model/save_saved_model.h"
#include "leat/train/saved_model/saved_model.h"

// Run and train on a cluster
#include "leat/distributed/cluster/resolver.h"
#include "leat/distributed/server/server.h"
#include "leat/train/cluster_task.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"
#include "leat/train/recoverable_session.h"
#include "leat/train/session_checkpoints.h"
#include "leat/train/sync_replicas.h"

// Ops and kernels of your own
#include "leat/graph/op_registry.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/runtime/local_session.h"

// IWYU pragma: end_exports

#endif  // LEAT_LEAT_H_
