// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Tests that a loop that pushes to a list never copies the list. The gradients
// of loops contain such loops. A push changes the list in place if nothing else
// refers to the list. The executor makes sure of that: the last node that reads
// a slot clears the slot. So only the slot that the push reads holds the list.
#include <atomic>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/str_replace.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "leat/core/status_macros.h"
#include "leat/core/variants/tensor_list.h"
#include "leat/graph/io/graph_def.h"
#include "leat/graph/op_registry.h"
#include "leat/graph/shape_functions.h"
#include "leat/kernels/kernel_context.h"
#include "leat/protos/graph.pb.h"
#include "leat/runtime/local_session.h"
#include "leat/tests/testing/session_under_test.h"
#include "leat/tests/testing/temporary_folder.h"

namespace leat::list_in_loop_test {
namespace {

// Pushes() counts all pushes. InPlace() counts the pushes that changed the list
// in place.
std::atomic<int>& Pushes() {
  static std::atomic<int> pushes{0};
  return pushes;
}
std::atomic<int>& InPlace() {
  static std::atomic<int> in_place{0};
  return in_place;
}

// A CountedPush is a TensorListPushBack that counts its calls.
class CountedPush final : public Kernel {
 public:
  explicit CountedPush(std::unique_ptr<Kernel> push) : push_(std::move(push)) {}

  absl::Status Compute(KernelContext& context) const final {
    const Variant& variant = context.input(0).scalar<Variant>();
    const int64_t size = variant.get<TensorList>()->size();
    LEAT_RETURN_IF_ERROR(push_->Compute(context));
    ++Pushes();
    if (variant.get<TensorList>()->size() == size + 1) ++InPlace();
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<Kernel> push_;
};

template <const auto& device_type>
absl::StatusOr<std::unique_ptr<Kernel>> MakeCountedPush(const NodeDef& node) {
  NodeDef push = node;
  push.op = BuiltinOps().Find("TensorListPushBack");
  LEAT_ASSIGN_OR_RETURN(auto kernel,
                        BuiltinKernels().Create(push, device_type));
  return std::unique_ptr<Kernel>(
      std::make_unique<CountedPush>(std::move(kernel)));
}

pb::GraphDef ReadGraph() {
  std::ifstream file(testing::TestsDir() +
                     "/graphs/functional/list_in_while.pbtxt");
  std::stringstream text;
  text << file.rdbuf();
  pb::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      absl::StrReplaceAll(
          text.str(), {{"op: \"TensorListPushBack\"", "op: \"CountedPush\""}}),
      &graph));
  return graph;
}

TEST(ListInLoopTest, PushesInPlace) {
  OpRegistry ops;
  ops::RegisterAll(ops);
  ops.Add({.name = "CountedPush",
           .inputs = {"input_handle: variant", "tensor: element_dtype"},
           .outputs = {"output_handle: variant"},
           .attrs = {"element_dtype: type"},
           .shape = shapes::Scalar},
          {NotFoldable(OnCpu()), OnGpu()});
  KernelRegistry kernels;
  RegisterAllKernels(kernels);
  kernels.Add("CountedPush", kCpu, &MakeCountedPush<kCpu>);
  kernels.Add("CountedPush", kGpu, &MakeCountedPush<kGpu>);
  auto graph = ImportGraphDef(ReadGraph(), ops);
  ASSERT_TRUE(graph.ok()) << graph.status();
  auto session = NewTestSession(*graph, {}, kernels);
  ASSERT_TRUE(session.ok()) << session.status();
  for (int step = 0; step < 2; ++step) {
    Pushes() = 0;
    InPlace() = 0;
    auto out = (*session)->Run(
        {.feeds = {{"x", Tensor::Scalar(0.0f)}, {"n", Tensor::Scalar(3000.0f)}},
         .fetches = {"length"}});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<int32_t>(), 3000);
    EXPECT_EQ(Pushes(), 3000);
    EXPECT_EQ(InPlace(), 3000);
  }
}

}  // namespace
}  // namespace leat::list_in_loop_test
