// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Learns embeddings of the words of a text. The method is skip-grams with
// negative sampling (T. Mikolov et al., "Distributed Representations of Words
// and Phrases and their Compositionality", 2013). Then prints, for each of the
// most frequent words, the words nearest to it.
//
//   word_embeddings TEXT [STEPS]
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/leat.h"

namespace leat::examples {
namespace {

constexpr int64_t kMostWords = 5000;
constexpr int64_t kDimension = 32;
constexpr int64_t kBatch = 256;
constexpr int64_t kNegatives = 5;  // random words per pair
constexpr int kWindow = 2;  // maximum distance between the words of a pair

struct Text {
  std::vector<std::string> vocabulary = {};  // the most frequent word first
  std::vector<int32_t> ids = {};             // of the text's words, in order
};

absl::StatusOr<Text> Read(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words(1);
  for (char c = 0; file.get(c);) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(c));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.size() < 10 * kWindow) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the text '", path, "' cannot be read or has too few words"));
  }
  std::map<std::string, int64_t> counts;
  for (const std::string& word : words) ++counts[word];
  Text text;
  for (const auto& [word, count] : counts) text.vocabulary.push_back(word);
  std::stable_sort(text.vocabulary.begin(), text.vocabulary.end(),
                   [&](const std::string& a, const std::string& b) {
                     return counts[a] > counts[b];
                   });
  if (text.vocabulary.size() > kMostWords) text.vocabulary.resize(kMostWords);
  std::map<std::string, int32_t> ids;
  for (const std::string& word : text.vocabulary) {
    ids.emplace(word, static_cast<int32_t>(ids.size()));
  }
  for (const std::string& word : words) {
    const auto found = ids.find(word);
    if (found != ids.end()) text.ids.push_back(found->second);
  }
  return text;
}

struct Model {
  Output centers = {};  // fed: the ids of words
  Output others = {};   // fed: for each of `centers`, a word near it
  Output loss = {};
  Operation train = {};
  Output similarities = {};  // of each word in `centers` to every word
};

Model Build(GraphBuilder& b, int64_t words) {
  b.SetSeed(1);
  Model model;
  model.centers = b.Placeholder<int32_t>("centers", {-1});
  model.others = b.Placeholder<int32_t>("others", {-1});
  const Output shape = b.Const<int64_t>({words, kDimension});
  const Variable inner =
      b.Variable("inner", op::RandomUniform(shape, DType::kFloat) - 0.5);
  const Variable outer = b.Variable("outer", op::Fill(shape, 0.0f));

  // The loss is small if a word fits the words near it and does not fit random
  // words.
  const Output center = op::GatherV2(inner, model.centers, 0);
  const Output near = op::GatherV2(outer, model.others, 0);
  const Output random = op::GatherV2(
      outer,
      op::RandomUniformInt({op::Shape(model.centers).Slice({0}), kNegatives}, 0,
                           static_cast<int32_t>(words)),
      0);
  const Output fit = op::Sum(center * near, 1);
  const Output misfit = op::Sum(op::ExpandDims(center, 1) * random, 2);
  model.loss = nn::MeanOfAll(nn::softplus(-fit)) +
               kNegatives * nn::MeanOfAll(nn::softplus(misfit));
  model.train = nn::Adam({.learning_rate = 5e-3}).Minimize(model.loss);

  const Output unit =
      inner / op::Sqrt(op::Sum(op::Square(inner), 1, {.keep_dims = true}));
  model.similarities = op::MatMul(op::GatherV2(unit, model.centers, 0), unit,
                                  {.transpose_b = true});
  return model;
}

// Makes batches of pairs of words that stand near each other.
class Pairs {
 public:
  explicit Pairs(const std::vector<int32_t>& ids) : ids_(ids) {}

  std::vector<Tensor> Next() {
    std::vector<int32_t> centers, others;
    for (int64_t i = 0; i < kBatch; ++i) {
      const size_t center = kWindow + random_() % (ids_.size() - 2 * kWindow);
      const size_t distance = 1 + random_() % kWindow;
      const bool before = random_() % 2 == 0;
      centers.push_back(ids_[center]);
      others.push_back(ids_[before ? center - distance : center + distance]);
    }
    return {Tensor::FromSpan<int32_t>(Shape{kBatch}, centers),
            Tensor::FromSpan<int32_t>(Shape{kBatch}, others)};
  }

 private:
  const std::vector<int32_t>& ids_;
  std::mt19937 random_{1};
};

absl::Status PrintNearest(Session& session, const Model& model,
                          const std::vector<std::string>& vocabulary) {
  const int words = static_cast<int>(vocabulary.size());
  for (int32_t word = 0; word < std::min(words, 20); ++word) {
    LEAT_ASSIGN_OR_RETURN(
        const auto out,
        session.Run(
            {.feeds = {{model.centers, Tensor::Vector<int32_t>({word})}},
             .fetches = {model.similarities}}));
    const auto near = out[0].data<float>();
    std::vector<size_t> order(near.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return near[a] > near[b]; });
    std::printf("%s:", vocabulary[order[0]].c_str());
    for (size_t i = 1; i < std::min<size_t>(order.size(), 6); ++i) {
      std::printf(" %s", vocabulary[order[i]].c_str());
    }
    std::printf("\n");
  }
  return absl::OkStatus();
}

absl::Status Run(const std::string& path, int steps) {
  LEAT_ASSIGN_OR_RETURN(const Text text, Read(path));
  GraphBuilder b;
  const Model model = Build(b, static_cast<int64_t>(text.vocabulary.size()));
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(const auto session, NewSession(graph));
  LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}));
  LEAT_ASSIGN_OR_RETURN(
      const Callable train,
      session->MakeCallable({.feeds = {model.centers, model.others},
                             .fetches = {model.loss},
                             .targets = {model.train}}));
  Pairs pairs(text.ids);
  for (int step = 1; step <= steps; ++step) {
    LEAT_ASSIGN_OR_RETURN(const auto out, train(pairs.Next()));
    if (step == 1 || step == steps || step % 500 == 0) {
      std::printf("step %d: loss %.4f\n", step, out[0].scalar<float>());
    }
  }
  return PrintNearest(*session, model, text.vocabulary);
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: word_embeddings TEXT [STEPS]\n");
    return 2;
  }
  const absl::Status status =
      leat::examples::Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 3000);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
