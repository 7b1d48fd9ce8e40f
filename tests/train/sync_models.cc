// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tests/train/sync_models.h"

#include <cstring>

#include "gtest/gtest.h"
#include "leat/graph/ops.h"
#include "leat/train/nn/embedding.h"
#include "leat/train/nn/learning_rate.h"
#include "leat/train/nn/partitioned_variable.h"
#include "leat/train/nn/replica_device_setter.h"
#include "leat/train/readiness.h"

namespace leat::testing {
namespace {

constexpr int kBatch = 4;

Output MeanSquare(Output error) {
  return op::Mean(op::Square(error), Tensor::Vector<int32_t>({0, 1}));
}

Variable Bias(GraphBuilder& b) {
  return b.GetVariable("c", DType::kFloat, Shape{1},
                       [&] { return b.Const(Tensor::Vector<float>({0.1f})); });
}

// Returns a number in [-1, 1) that depends on all arguments. A simple
// recurrence computes the number.
float Number(int worker, int step, int i) {
  uint32_t x =
      static_cast<uint32_t>(worker * 7919 + step * 104729 + i * 31 + 1);
  for (int round = 0; round < 4; ++round) x = x * 1664525u + 1013904223u;
  return static_cast<float>(x >> 8) / static_cast<float>(1 << 23) - 1;
}

Tensor Targets(int worker, int step) {
  std::vector<float> values;
  for (int i = 0; i < kBatch; ++i) {
    values.push_back(Number(worker, step, 100 + i));
  }
  return Tensor::FromSpan<float>(Shape{kBatch, 1}, values);
}

// Concatenates tensors along the first axis.
template <class T>
Tensor Concat(const std::vector<Tensor>& parts) {
  std::vector<T> values;
  for (const Tensor& part : parts) {
    const auto data = part.data<T>();
    values.insert(values.end(), data.begin(), data.end());
  }
  std::vector<int64_t> extents(parts[0].shape().dims().begin(),
                               parts[0].shape().dims().end());
  extents[0] *= static_cast<int64_t>(parts.size());
  return Tensor::FromSpan<T>(*Shape::Create(extents), values);
}

}  // namespace

Output LinearLoss(GraphBuilder& b) {
  const Output x = b.Placeholder<float>("x", {-1, 3});
  const Output y = b.Placeholder<float>("y", {-1, 1});
  const Variable w = b.GetVariable("w", DType::kFloat, Shape{3, 1}, [&] {
    return b.Const(Tensor::Of<float>(Shape{3, 1}, {0.5f, -0.25f, 1.0f}));
  });
  return MeanSquare(op::MatMul(x, w.value()) + Bias(b).value() - y);
}

Output EmbeddingLoss(GraphBuilder& b) {
  const Output ids = b.Placeholder<int32_t>("x", {-1, 2});
  const Output y = b.Placeholder<float>("y", {-1, 1});
  std::vector<float> rows;
  for (int i = 0; i < 7 * 2; ++i) rows.push_back(0.1f * static_cast<float>(i));
  const nn::PartitionedVariable table = nn::GetPartitionedVariable(
      b, "emb", b.Const(Tensor::FromSpan<float>(Shape{7, 2}, rows), "rows"),
      nn::FixedSizePartitioner(2));
  const Output found = nn::EmbeddingLookup(table, ids);
  const Output flat = op::Reshape(found, Tensor::Vector<int32_t>({-1, 4}));
  const Output weights =
      b.Const(Tensor::Of<float>(Shape{4, 1}, {1.0f, -0.5f, 0.25f, 2.0f}));
  return MeanSquare(op::MatMul(flat, weights) + Bias(b).value() - y);
}

std::vector<Feed> LinearBatch(int worker, int step) {
  std::vector<float> values;
  for (int i = 0; i < kBatch * 3; ++i)
    values.push_back(Number(worker, step, i));
  return {{"x", Tensor::FromSpan<float>(Shape{kBatch, 3}, values)},
          {"y", Targets(worker, step)}};
}

// Worker 0 uses no row above 4. The other workers use no row below 2. Some rows
// occur twice.
std::vector<Feed> EmbeddingBatch(int worker, int step) {
  std::vector<int32_t> ids;
  for (int i = 0; i < kBatch * 2; ++i) {
    const int id = static_cast<int>((Number(worker, step, i) + 1) * 2.4f);
    ids.push_back(worker == 0 ? id : id + 2);
  }
  ids[1] = ids[2];
  return {{"x", Tensor::FromSpan<int32_t>(Shape{kBatch, 2}, ids)},
          {"y", Targets(worker, step)}};
}

std::vector<Feed> Together(const std::vector<std::vector<Feed>>& batches) {
  std::vector<Feed> result;
  for (size_t i = 0; i < batches[0].size(); ++i) {
    std::vector<Tensor> parts;
    for (const std::vector<Feed>& batch : batches) {
      parts.push_back(batch[i].value);
    }
    result.push_back({batches[0][i].name, parts[0].dtype() == DType::kFloat
                                              ? Concat<float>(parts)
                                              : Concat<int32_t>(parts)});
  }
  return result;
}

SyncModel BuildSyncModel(const SyncReplicas& sync,
                         const SyncModelOptions& options,
                         const std::function<void(GraphBuilder& b)>& add) {
  GraphBuilder b;
  SyncModel model;
  {
    nn::ReplicaDeviceSetterOptions devices;
    if (!options.worker_device.empty()) {
      devices = {.ps_tasks = options.ps_tasks,
                 .worker_device = options.worker_device};
    }
    const Scope device = b.OnDevice(nn::ReplicaDeviceSetter(devices));
    const Variable step = nn::GlobalStep(b);
    const Output loss = options.loss(b);
    const SyncStep sync_step = sync.Minimize(loss, {.global_step = step});
    model.loss = loss.name();
    model.global_step = step.value().name();
    model.train = sync_step.train.name();
    model.worker_init = sync_step.worker_init.name();
    model.chief_init = sync_step.chief_init.name();
    model.chief_step = sync_step.chief_step.name();
    model.finish = sync_step.finish.name();
    model.finished = sync_step.finished.name();
    model.uninitialized = UninitializedVariables(b).name();
    if (add != nullptr) add(b);
  }
  absl::StatusOr<Graph> graph = b.Build();
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (graph.ok()) model.graph = *std::move(graph);
  return model;
}

}  // namespace leat::testing
