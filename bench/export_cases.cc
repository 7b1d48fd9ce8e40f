// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// `export_cases FOLDER` writes every case for peers that read GraphDefs. It
// also writes the cases layered_N of planning_bench and layered_tasks_N of
// cluster_bench. A case consists of the graph NAME.pb and the text NAME.case.
// The text has these lines:
//
//   per N                    N divides the time of a step; 0 stands for the
//                            number of nodes that run
//   init OP                  op to run once
//   feed NAME DTYPE FILE D.. a tensor to feed. DTYPE is TensorFlow's number of
//                            its dtype. FILE is a file in FOLDER that has the
//                            bytes of the tensor. D.. are the extents.
//   fetch NAME INDEX         output INDEX of node NAME
//   target OP                op to run in each step
#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "leat/bench/cases.h"
#include "leat/core/check.h"
#include "leat/graph/io/graph_file.h"

namespace leat::bench {
namespace {

void Export(const Case& c, const std::string& folder) {
  const std::string base = absl::StrCat(folder, "/", c.name);
  LEAT_CHECK(SaveGraph(c.graph, absl::StrCat(base, ".pb")).ok());
  std::ofstream file(absl::StrCat(base, ".case"));
  file << "per " << c.per << "\n";
  if (!c.graph.init_op().empty()) file << "init " << c.graph.init_op() << "\n";
  for (size_t i = 0; i < c.feeds.size(); ++i) {
    const Tensor& value = c.feeds[i].value;
    const std::string data = absl::StrCat(c.name, ".feed", i);
    std::ofstream(absl::StrCat(folder, "/", data), std::ios::binary)
        .write(value.raw_data(), value.num_bytes());
    file << "feed " << TensorId::Parse(c.feeds[i].name.text)->node << " "
         << static_cast<int>(value.dtype()) << " " << data;
    for (int64_t dim : value.shape().dims()) file << " " << dim;
    file << "\n";
  }
  for (const TensorName& fetch : c.fetches) {
    const TensorId id = TensorId::Parse(fetch.text).value();
    file << "fetch " << id.node << " " << id.index << "\n";
  }
  for (const TensorName& target : c.targets) {
    file << "target " << target.text << "\n";
  }
  LEAT_CHECK(file.flush().good());
}

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: export_cases FOLDER\n");
    return 2;
  }
  for (const std::string& name : leat::bench::CaseNames()) {
    leat::bench::Export(leat::bench::MakeCase(name), argv[1]);
  }
  for (const int64_t nodes : {10'000, 100'000}) {
    leat::bench::Export(leat::bench::MakeLayered(nodes), argv[1]);
  }
  leat::bench::Export(leat::bench::MakeLayeredOnTasks(7000), argv[1]);
  return 0;
}
