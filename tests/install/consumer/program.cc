// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Is a complete program on synthetic data, as a user of the library would write
// it. Changes of the public API must not break it.
#include "program.h"

#include <leat/leat.h>
#include <leat/protos/graph.pb.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

using namespace leat;  // NOLINT: as a program may

struct Batch {
  Tensor images = {};
  Tensor labels = {};
};

// All pixels of all images of a class have the same grey value.
class GreyImages {
 public:
  std::vector<Batch> Epoch(int64_t batch) const {
    std::vector<float> pixels;
    std::vector<int32_t> classes;
    for (int32_t i = 0; i < batch; ++i) {
      classes.push_back(i % 10);
      pixels.insert(pixels.end(), 28 * 28, 25.0f * static_cast<float>(i % 10));
    }
    const Batch all = {
        Tensor::FromSpan<float>(Shape({batch, 28, 28, 1}), pixels),
        Tensor::FromSpan<int32_t>(Shape({batch}), classes)};
    return std::vector<Batch>(8, all);
  }
};

std::vector<float>& Losses() {
  static auto* const losses = new std::vector<float>;
  return *losses;
}

void LogLoss(float loss) { Losses().push_back(loss); }

absl::Status CheckExport(const Graph& graph) {
  LEAT_ASSIGN_OR_RETURN(const pb::GraphDef graph_def, graph.ToGraphDef());
  if (graph_def.node_size() == graph.num_nodes()) return absl::OkStatus();
  return absl::InternalError("ToGraphDef left nodes out");
}

absl::Status Train(const GreyImages& data, absl::string_view target) {
  GraphBuilder b;
  Output images = b.Placeholder<float>("images", {-1, 28, 28, 1});
  Output labels = b.Placeholder<int32_t>("labels", {-1});

  Output h = images / 255.0f;
  {
    auto device = b.OnDevice("/cpu:1");
    h = nn::Conv2D(h, {.filters = 32, .kernel = 3, .activation = nn::relu});
    h = nn::MaxPool(h, {.size = 2});
  }
  auto scope = b.NameScope("head");
  Output logits = nn::Dense(nn::Flatten(h), {.units = 10});
  Output loss = nn::SparseSoftmaxCrossEntropy(labels, logits);
  Operation step = nn::Adam({.learning_rate = 1e-3}).Minimize(loss);

  LEAT_ASSIGN_OR_RETURN(Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(
      auto session, NewSession(graph, {.target = target, .devices = "cpu:2"}));
  LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}));
  LEAT_ASSIGN_OR_RETURN(
      Callable train,
      session->MakeCallable(
          {.feeds = {images, labels}, .fetches = {loss}, .targets = {step}}));
  for (const Batch& batch : data.Epoch(/*batch=*/128)) {
    LEAT_ASSIGN_OR_RETURN(auto out, train({batch.images, batch.labels}));
    LogLoss(out[0].scalar<float>());
  }
  return CheckExport(graph);
}

}  // namespace

absl::Status RunProgram() {
  LEAT_RETURN_IF_ERROR(Train(GreyImages(), /*target=*/""));
  if (Losses().size() == 8 && Losses().back() < Losses().front()) {
    return absl::OkStatus();
  }
  return absl::InternalError("the program did not learn");
}
