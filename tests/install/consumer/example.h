// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Example defines the names that the examples at the top of the public headers
// use but do not define. Each example becomes a function of a class derived
// from Example.
#ifndef LEAT_TESTS_INSTALL_CONSUMER_EXAMPLE_H_
#define LEAT_TESTS_INSTALL_CONSUMER_EXAMPLE_H_

#include <absl/strings/str_cat.h>
#include <leat/leat.h>
#include <leat/protos/graph.pb.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat::header_examples {

// Holds the objects that a program has before it runs the code of an example.
struct Example {
  GraphBuilder b;
  Output x, h, t, batch, i0, x0, images, labels, ids, logits, loss;
  Variable w;
  Graph graph;
  pb::GraphDef graph_def;
  std::shared_ptr<Session> session;
  std::unique_ptr<ClusterTask> task;
  nn::PartitionedVariable table;
  Output uninitialized;
  std::vector<Feed> feeds;
  std::vector<Tensor> fetched;
  Tensor value;
  FashionMnist data;
  Dims dims_from_file;
  Cancellation cancellation;
  std::function<void(const absl::Status&)> stop_waiting;
};

// These are functions that the examples use but do not declare.
Output BuildNetwork(GraphBuilder& b);
void Train(const Tensor& images, const Tensor& labels);
absl::Status ComputeTwice(KernelContext& context);

}  // namespace leat::header_examples

#endif  // LEAT_TESTS_INSTALL_CONSUMER_EXAMPLE_H_
