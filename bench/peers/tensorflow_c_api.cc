// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Uses TensorFlow's C API to run the cases that export_cases has written.
// bench/compare builds this program with the headers and libraries of a
// TensorFlow wheel.
//
//   tensorflow_c_api FOLDER      reads commands from standard input and
//                                answers each on standard output:
//   load CASE off|on             loads a case; "off" turns off all optimizers
//                                of TensorFlow. Answers with the number of
//                                nodes that a step runs.
//   time CASE SECONDS            answers with the mean time of a step in
//                                seconds, measured for about SECONDS
//   import CASE                  answers with the seconds from the bytes of a
//                                GraphDef to the end of the first step, on 8
//                                CPU devices
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tensorflow/c/c_api.h"

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "tensorflow_c_api: %s\n", message.c_str());
  std::exit(1);
}

class Status {
 public:
  Status() : status_(TF_NewStatus()) {}
  ~Status() { TF_DeleteStatus(status_); }
  operator TF_Status*() { return status_; }  // NOLINT
  void Check() const {
    if (TF_GetCode(status_) != TF_OK) Die(TF_Message(status_));
  }

 private:
  TF_Status* status_;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Die("cannot open " + path);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Is a ConfigProto in wire format. It sets two fields, which are written here
// with the field numbers in parentheses: graph_options (10) .optimizer_options
// (3) .opt_level (3) to L0, which is -1, and graph_options (10)
// .rewrite_options (10) .disable_meta_optimizer (19) to true.
constexpr std::string_view kNoOptimizers =
    "\x52\x12\x1a\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
    "\x52\x03\x98\x01\x01";
// Is a ConfigProto with device_count (1): {"CPU": 8}.
constexpr std::string_view kEightCpus = "\x0a\x07\x0a\x03\x43PU\x10\x08";
// Is a RunOptions with trace_level (1) SOFTWARE_TRACE.
constexpr std::string_view kTrace = "\x08\x01";

// Reads the fields of one message in wire format.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  // Reads the next field. Returns false at the end. Sets `value` to the value
  // of a length-delimited field, or to "" for other fields.
  bool Next(uint64_t& number, std::string_view& value) {
    if (rest_.empty()) return false;
    const uint64_t tag = Varint();
    number = tag >> 3;
    value = {};
    switch (tag & 7) {
      case 0:
        Varint();
        break;
      case 1:
        Skip(8);
        break;
      case 2:
        value = Skip(Varint());
        break;
      case 5:
        Skip(4);
        break;
      default:
        Die("RunMetadata is malformed");
    }
    return true;
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(Skip(1)[0]);
      value |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
    return value;
  }
  std::string_view Skip(size_t size) {
    if (size > rest_.size()) Die("RunMetadata ends early");
    const std::string_view skipped = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return skipped;
  }

  std::string_view rest_;
};

// Counts the elements of RunMetadata.step_stats (1) .dev_stats (1) .node_stats
// (2). Leaves out the source node, which TensorFlow adds to every graph and
// names "_SOURCE" in node_name (1).
int64_t CountNodes(std::string_view metadata) {
  int64_t nodes = 0;
  uint64_t number = 0;
  std::string_view stats, device, node, name;
  for (Fields all(metadata); all.Next(number, stats);) {
    if (number != 1) continue;
    for (Fields step(stats); step.Next(number, device);) {
      if (number != 1) continue;
      for (Fields fields(device); fields.Next(number, node);) {
        if (number != 2) continue;
        Fields parts(node);
        while (parts.Next(number, name) && number != 1) {
        }
        if (name != "_SOURCE") ++nodes;
      }
    }
  }
  return nodes;
}

struct Feed {
  std::string node = {};
  int dtype = 0;
  std::string bytes = {};
  std::vector<int64_t> dims = {};
};

// Holds the contents of a .case file; see export_cases.cc.
struct Description {
  std::string init;
  std::vector<Feed> feeds;
  std::vector<std::pair<std::string, int>> fetches;
  std::vector<std::string> targets;
};

Description ReadCase(const std::string& folder, const std::string& name) {
  Description description;
  std::istringstream lines(ReadFile(folder + "/" + name + ".case"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, node;
    words >> kind >> node;
    if (kind == "init") description.init = node;
    if (kind == "target") description.targets.push_back(node);
    if (kind == "fetch") {
      int index = 0;
      words >> index;
      description.fetches.emplace_back(node, index);
    }
    if (kind == "feed") {
      Feed feed{.node = node};
      std::string file;
      words >> feed.dtype >> file;
      for (int64_t dim = 0; words >> dim;) feed.dims.push_back(dim);
      feed.bytes = ReadFile(folder + "/" + file);
      description.feeds.push_back(std::move(feed));
    }
  }
  return description;
}

// A Case is a graph and a session on it.
class Case {
 public:
  Case(const std::string& graph_def, const Description& description,
       const std::string& config)
      : graph_(TF_NewGraph()) {
    TF_Buffer* buffer =
        TF_NewBufferFromString(graph_def.data(), graph_def.size());
    TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
    TF_GraphImportGraphDef(graph_, buffer, options, status_);
    status_.Check();
    TF_DeleteImportGraphDefOptions(options);
    TF_DeleteBuffer(buffer);
    TF_SessionOptions* session_options = TF_NewSessionOptions();
    TF_SetConfig(session_options, config.data(), config.size(), status_);
    status_.Check();
    session_ = TF_NewSession(graph_, session_options, status_);
    status_.Check();
    TF_DeleteSessionOptions(session_options);
    if (!description.init.empty()) {
      const TF_Operation* init = Find(description.init);
      TF_SessionRun(session_, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0,
                    &init, 1, nullptr, status_);
      status_.Check();
    }
    for (const Feed& feed : description.feeds) {
      feeds_.push_back({Find(feed.node), 0});
      // The tensor is made once, as in Leat's benchmark, because a step does
      // not consume its feeds.
      TF_Tensor* tensor = TF_AllocateTensor(
          static_cast<TF_DataType>(feed.dtype), feed.dims.data(),
          static_cast<int>(feed.dims.size()), feed.bytes.size());
      std::memcpy(TF_TensorData(tensor), feed.bytes.data(), feed.bytes.size());
      feed_values_.push_back(tensor);
    }
    for (const auto& [node, index] : description.fetches) {
      fetches_.push_back({Find(node), index});
    }
    for (const std::string& target : description.targets) {
      targets_.push_back(Find(target));
    }
  }
  ~Case() {
    for (TF_Tensor* tensor : feed_values_) TF_DeleteTensor(tensor);
    TF_CloseSession(session_, status_);
    TF_DeleteSession(session_, status_);
    TF_DeleteGraph(graph_);
  }

  void Step(TF_Buffer* run_options = nullptr, TF_Buffer* metadata = nullptr) {
    std::vector<TF_Tensor*> out(fetches_.size());
    TF_SessionRun(session_, run_options, feeds_.data(), feed_values_.data(),
                  static_cast<int>(feed_values_.size()), fetches_.data(),
                  out.data(), static_cast<int>(out.size()), targets_.data(),
                  static_cast<int>(targets_.size()), metadata, status_);
    status_.Check();
    for (TF_Tensor* tensor : out) TF_DeleteTensor(tensor);
  }

  int64_t CountNodesOfAStep() {
    TF_Buffer* options = TF_NewBufferFromString(kTrace.data(), kTrace.size());
    TF_Buffer* metadata = TF_NewBuffer();
    Step(options, metadata);
    const int64_t nodes = CountNodes(
        {static_cast<const char*>(metadata->data), metadata->length});
    TF_DeleteBuffer(metadata);
    TF_DeleteBuffer(options);
    return nodes;
  }

  // Returns the mean time of a step in seconds.
  double Time(double seconds) {
    Step();
    const auto start = Clock::now();
    int64_t steps = 0;
    do {
      // The clock is read only after every ten steps, so that the time to read
      // it does not matter.
      for (int i = 0; i < 10; ++i) Step();
      steps += 10;
    } while (SecondsSince(start) < seconds);
    return SecondsSince(start) / static_cast<double>(steps);
  }

 private:
  TF_Operation* Find(const std::string& name) {
    TF_Operation* operation = TF_GraphOperationByName(graph_, name.c_str());
    if (operation == nullptr) Die("there is no node " + name);
    return operation;
  }

  Status status_;
  TF_Graph* graph_;
  TF_Session* session_ = nullptr;
  std::vector<TF_Output> feeds_;
  std::vector<TF_Tensor*> feed_values_;
  std::vector<TF_Output> fetches_;
  std::vector<const TF_Operation*> targets_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) Die("usage: tensorflow_c_api FOLDER");
  const std::string folder = argv[1];
  std::map<std::string, std::unique_ptr<Case>> cases;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, name, argument;
    words >> command >> name >> argument;
    if (command == "load") {
      cases[name] = std::make_unique<Case>(
          ReadFile(folder + "/" + name + ".pb"), ReadCase(folder, name),
          std::string(argument == "off" ? kNoOptimizers : ""));
      std::printf("%lld\n",
                  static_cast<long long>(cases[name]->CountNodesOfAStep()));
    } else if (command == "time" && cases.contains(name)) {
      std::printf("%.9g\n",
                  cases[name]->Time(std::strtod(argument.c_str(), nullptr)));
    } else if (command == "import") {
      const std::string graph_def = ReadFile(folder + "/" + name + ".pb");
      const Description description = ReadCase(folder, name);
      const auto start = Clock::now();
      auto imported =
          std::make_unique<Case>(graph_def, description,
                                 std::string(kNoOptimizers).append(kEightCpus));
      imported->Step();
      std::printf("%.9g\n", SecondsSince(start));
    } else {
      Die("what is '" + line + "'?");
    }
    std::fflush(stdout);
  }
  return 0;
}
