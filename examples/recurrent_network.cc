// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains a recurrent network (S. Hochreiter and J. Schmidhuber, "Long
// Short-Term Memory", 1997) to predict the next character of a text. Then
// writes a new text with the network.
//
//   recurrent_network TEXT [STEPS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/leat.h"

namespace leat::examples {
namespace {

constexpr int64_t kCharacters = 256;
constexpr int64_t kUnits = 128;
constexpr int64_t kBatch = 32;
constexpr int64_t kLength = 40;  // characters per text in a training step
constexpr int kWritten = 400;    // characters written at the end

// Holds the state that the network keeps from one character to the next.
struct Memory {
  Output cell = {};
  Output hidden = {};
};

class Network {
 public:
  explicit Network(GraphBuilder& b)
      : embedding_(Weights(b, "embedding", {kCharacters, kUnits})),
        kernel_(Weights(b, "kernel", {2 * kUnits, 4 * kUnits})),
        bias_(b.Variable("bias", Tensor::Filled<float>(Shape{4 * kUnits}, 0))),
        readout_(Weights(b, "readout", {kUnits, kCharacters})) {}

  // Reads one character of each text and returns the new memory. `characters`
  // is int32 [batch].
  Memory Read(const Output& characters, const Memory& memory) const {
    const Output x = op::GatherV2(embedding_, characters, 0);
    const std::vector<Output> gates = op::Split(
        1, op::MatMul(op::ConcatV2({x, memory.hidden}, 1), kernel_) + bias_, 4);
    const Output forget = op::Sigmoid(gates[0] + 1);
    const Output input = op::Sigmoid(gates[1]);
    const Output output = op::Sigmoid(gates[2]);
    Memory next;
    next.cell = forget * memory.cell + input * op::Tanh(gates[3]);
    next.hidden = output * op::Tanh(next.cell);
    return next;
  }

  // Returns the logits of the next character: float [batch, kCharacters].
  Output Guess(const Memory& memory) const {
    return op::MatMul(memory.hidden, readout_);
  }

 private:
  static Variable Weights(GraphBuilder& b, absl::string_view name,
                          const Shape& shape) {
    return b.GetVariable(name, DType::kFloat, shape, [&] {
      return nn::GlorotUniform()(b, shape, DType::kFloat, shape);
    });
  }

  Variable embedding_;
  Variable kernel_;
  Variable bias_;
  Variable readout_;
};

struct Model {
  Output texts = {};  // the input of a step: int32 [kBatch, kLength + 1]
  Output loss = {};
  Operation train = {};

  // To write a character, a step is fed the last character and the memory
  // before that character. The step computes the memory after that character,
  // and the probabilities for the next character.
  Output character = {};
  Memory before = {};
  Memory after = {};
  Output chances = {};  // probability of each character to be the next
};

Model Build(GraphBuilder& b) {
  b.SetSeed(1);
  const Network network(b);
  Model model;
  model.texts = b.Placeholder<int32_t>("texts", {kBatch, kLength + 1});
  const Output zeros = b.Const(Tensor::Filled<float>(Shape{kBatch, kUnits}, 0));
  const std::vector<Output> end = While(
      {0, zeros, zeros, 0.0f}, [](auto v) { return op::Less(v[0], kLength); },
      [&](auto v) {
        const Memory memory =
            network.Read(model.texts.Slice({All(), v[0]}), {v[1], v[2]});
        const Output next = model.texts.Slice({All(), v[0] + 1});
        const Output loss =
            nn::SparseSoftmaxCrossEntropy(next, network.Guess(memory));
        return std::vector<Output>{v[0] + 1, memory.cell, memory.hidden,
                                   v[3] + loss};
      });
  model.loss = end[3] / kLength;
  model.train = nn::Adam({.learning_rate = 3e-3}).Minimize(model.loss);

  model.character = b.Placeholder<int32_t>("character", {1});
  model.before = {b.Placeholder<float>("cell", {1, kUnits}),
                  b.Placeholder<float>("hidden", {1, kUnits})};
  model.after = network.Read(model.character, model.before);
  model.chances = op::Softmax(network.Guess(model.after));
  return model;
}

// Returns kBatch pieces of the text, each from a random place.
Tensor Pieces(const std::string& text, std::mt19937& random) {
  std::vector<int32_t> characters;
  for (int64_t i = 0; i < kBatch; ++i) {
    const size_t start = random() % (text.size() - kLength);
    for (int64_t k = 0; k <= kLength; ++k) {
      characters.push_back(static_cast<unsigned char>(text[start + k]));
    }
  }
  return Tensor::FromSpan<int32_t>(Shape{kBatch, kLength + 1}, characters);
}

absl::Status Write(Session& session, const Model& model, std::mt19937& random) {
  LEAT_ASSIGN_OR_RETURN(
      const Callable step,
      session.MakeCallable(
          {.feeds = {model.character, model.before.cell, model.before.hidden},
           .fetches = {model.chances, model.after.cell, model.after.hidden}}));
  const Tensor zeros = Tensor::Filled<float>(Shape{1, kUnits}, 0);
  std::vector<Tensor> out = {Tensor(), zeros, zeros};
  int32_t character = '\n';
  for (int i = 0; i < kWritten; ++i) {
    LEAT_ASSIGN_OR_RETURN(
        out, step({Tensor::Vector<int32_t>({character}), out[1], out[2]}));
    const auto chances = out[0].data<float>();
    std::discrete_distribution<int32_t> draw(chances.begin(), chances.end());
    character = draw(random);
    std::putchar(character);
  }
  std::putchar('\n');
  return absl::OkStatus();
}

absl::Status Run(const std::string& path, int steps) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.size() <= kLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("the text '", path, "' cannot be read or is too short"));
  }
  GraphBuilder b;
  const Model model = Build(b);
  LEAT_ASSIGN_OR_RETURN(const Graph graph, b.Build());
  LEAT_ASSIGN_OR_RETURN(const auto session, NewSession(graph));
  LEAT_RETURN_IF_ERROR(session->Run({.targets = {graph.init_op()}}));
  LEAT_ASSIGN_OR_RETURN(const Callable train,
                        session->MakeCallable({.feeds = {model.texts},
                                               .fetches = {model.loss},
                                               .targets = {model.train}}));
  std::mt19937 random(1);
  for (int step = 1; step <= steps; ++step) {
    LEAT_ASSIGN_OR_RETURN(const auto out, train({Pieces(text, random)}));
    if (step == 1 || step == steps || step % 100 == 0) {
      std::printf("step %d: loss %.4f\n", step, out[0].scalar<float>());
    }
  }
  return Write(*session, model, random);
}

}  // namespace
}  // namespace leat::examples

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: recurrent_network TEXT [STEPS]\n");
    return 2;
  }
  const absl::Status status =
      leat::examples::Run(argv[1], argc > 2 ? std::atoi(argv[2]) : 1000);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
