// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/tools/show_model.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leat/core/files/output_file.h"
#include "leat/protos/saved_model.pb.h"
#include "leat/tests/testing/temporary_folder.h"
#include "nlohmann/json.hpp"

namespace leat::show_model_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Fixture(const std::string& name) {
  return absl::StrCat(LEAT_TESTS_DIR, "/train/saved_model/tensorflow/", name);
}

TEST(ShowModelTest, ListsTagsAndSignatures) {
  const auto graphs = ReadShownGraphs(Fixture("x_plus_y"));
  ASSERT_TRUE(graphs.ok()) << graphs.status();
  ASSERT_EQ(graphs->size(), 2u);
  EXPECT_THAT(ShowModelText(*graphs, /*color=*/false),
              HasSubstr("tags gpu, serve\n"
                        "  add  tensorflow/serving/predict\n"
                        "    feed   x    int32[?]  x:0\n"
                        "    feed   y    int32[]   y:0\n"
                        "    fetch  sum  int32[?]  add:0\n"
                        "  both  tensorflow/serving/predict\n"));
  const auto json = nlohmann::json::parse(ShowModelJson(*graphs));
  EXPECT_EQ(json[1]["tags"], (std::vector<std::string>{"gpu", "serve"}));
  const auto& x = json[0]["signatures"]["both"]["inputs"]["x"];
  EXPECT_EQ(x["tensor"], "x:0");
  EXPECT_EQ(x["dtype"], "int32");
  EXPECT_EQ(x["shape"], "[?]");
}

TEST(ShowModelTest, ShowsNoControlCharacters) {
  const TemporaryFolder folder;
  pb::SavedModel message;
  pb::MetaGraphDef& meta = *message.add_meta_graphs();
  meta.mutable_meta_info_def()->add_tags("\x1b[2J");
  pb::SignatureDef& signature = (*meta.mutable_signature_def())["\x1b[3J"];
  (*signature.mutable_inputs())["\x1b[4J"].mutable_coo_sparse();
  ASSERT_TRUE(
      WriteFile(folder.Path("saved_model.pb"), message.SerializeAsString())
          .ok());
  const auto graphs = ReadShownGraphs(folder.Path(""));
  ASSERT_TRUE(graphs.ok()) << graphs.status();
  const std::string text = ShowModelText(*graphs, /*color=*/false);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("(several tensors)"));
}

TEST(ShowModelTest, NamesAFolderWithoutAModel) {
  const absl::Status status = ReadShownGraphs(LEAT_TESTS_DIR).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(LEAT_TESTS_DIR));
}

}  // namespace
}  // namespace leat::show_model_test
