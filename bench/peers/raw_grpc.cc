// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// The floor of calls between processes: gRPC without anything of Leat, by the
// API and the allocator that Leat uses. A process of its own serves; it sends
// as many bytes as it is asked for, out of memory that it has.
//
//   null            an empty call
//   whole/BYTES     so many bytes in one message, copied to where they belong
//   chunks/KIB/N    100 MiB in messages of so many KiB, N of them at a time
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "benchmark/benchmark.h"
#include "leat/bench/processes.h"
#include "leat/core/mutex.h"

namespace leat::bench {
namespace {

constexpr char kServe[] = "--serve";
constexpr char kMethod[] = "/bench/Get";
constexpr int64_t kLarge = int64_t{100} << 20;

class Service final : public grpc::CallbackGenericService {
 public:
  Service() : bytes_(static_cast<size_t>(kLarge), 'x') {}

 private:
  class Call final : public grpc::ServerGenericBidiReactor {
   public:
    explicit Call(const std::string& bytes) : bytes_(bytes) {
      StartRead(&request_);
    }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status(grpc::StatusCode::INTERNAL, ""));
      int64_t size = 0;
      std::vector<grpc::Slice> slices;
      if (request_.Dump(&slices).ok() && slices.size() == 1) {
        std::memcpy(&size, slices[0].begin(),
                    std::min(slices[0].size(), sizeof(size)));
      }
      if (size > 0) {
        const grpc::Slice slice(bytes_.data(), static_cast<size_t>(size),
                                grpc::Slice::STATIC_SLICE);
        response_ = grpc::ByteBuffer(&slice, 1);
      } else {
        response_ = grpc::ByteBuffer(nullptr, 0);
      }
      StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    const std::string& bytes_;
    grpc::ByteBuffer request_;
    grpc::ByteBuffer response_;
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext*) override {
    return new Call(bytes_);  // it deletes itself
  }

  const std::string bytes_;
};

int Serve() {
  Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterCallbackGenericService(&service);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  std::printf("%d\n", port);
  std::fflush(stdout);
  server->Wait();
  return 0;
}

class Client {
 public:
  Client() : server_({absl::StrCat(OwnFolder(), "/raw_grpc"), kServe}) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(
        absl::StrCat("127.0.0.1:", server_.ReadLine()),
        grpc::InsecureChannelCredentials(), arguments);
    Get(0, nullptr);  // until it is connected
  }

  // Waits for so many bytes, at `place` if that is not null.
  void Get(int64_t size, char* place) {
    Waiting waiting;
    Start(size, [&waiting, place](const grpc::ByteBuffer& response) {
      if (place != nullptr) Copy(response, place);
      waiting.End();
    });
    waiting.Wait();
  }

  // All of kLarge in chunks, each copied when it comes.
  void GetChunks(int64_t chunk, int in_flight, char* place) {
    Transfer transfer;
    transfer.client = this;
    transfer.chunk = chunk;
    transfer.place = place;
    for (int i = 0; i < in_flight; ++i) transfer.FetchNext();
    transfer.waiting.Wait();
  }

 private:
  class Waiting {
   public:
    void End() {
      MutexLock lock(mutex_);
      has_ended_ = true;
      ended_.NotifyOne();
    }
    void Wait() {
      MutexLock lock(mutex_);
      while (!has_ended_) ended_.Wait(mutex_);
    }

   private:
    Mutex mutex_;
    CondVar ended_;
    bool has_ended_ = false;
  };

  struct Transfer {
    void FetchNext() {
      int64_t offset = 0;
      {
        MutexLock lock(mutex);
        if (next >= kLarge) return;
        offset = next;
        next += chunk;
      }
      const int64_t size = std::min(chunk, kLarge - offset);
      client->Start(size, [this, offset, size](const grpc::ByteBuffer& bytes) {
        FetchNext();
        Copy(bytes, place + offset);
        bool is_last = false;
        {
          MutexLock lock(mutex);
          there += size;
          is_last = there == kLarge;
        }
        if (is_last) waiting.End();
      });
    }

    Client* client = nullptr;
    int64_t chunk = 0;
    char* place = nullptr;
    Mutex mutex;
    int64_t next = 0;
    int64_t there = 0;
    Waiting waiting;
  };

  static void Copy(const grpc::ByteBuffer& bytes, char* place) {
    std::vector<grpc::Slice> slices;
    if (!bytes.Dump(&slices).ok()) std::abort();
    for (const grpc::Slice& slice : slices) {
      std::memcpy(place, slice.begin(), slice.size());
      place += slice.size();
    }
  }

  template <class Done>
  void Start(int64_t size, Done done) {
    struct Call {
      grpc::ClientContext context;
      grpc::ByteBuffer request;
      grpc::ByteBuffer response;
    };
    auto call = std::make_shared<Call>();
    const grpc::Slice slice(&size, size == 0 ? 0 : sizeof(size));
    call->request = grpc::ByteBuffer(&slice, 1);
    call->context.set_wait_for_ready(true);
    grpc::GenericStub stub(channel_);
    stub.UnaryCall(&call->context, kMethod, grpc::StubOptions(), &call->request,
                   &call->response,
                   [call, done](const grpc::Status& status) mutable {
                     if (!status.ok()) std::abort();
                     done(call->response);
                   });
  }

  ChildProcess server_;
  std::shared_ptr<grpc::Channel> channel_;
};

void Null(benchmark::State& state) {
  Client client;
  for (auto _ : state) client.Get(0, nullptr);
}
BENCHMARK(Null)->Name("null")->UseRealTime();

void Whole(benchmark::State& state) {
  Client client;
  const int64_t bytes = state.range(0);
  std::string place(static_cast<size_t>(bytes), 'y');
  for (auto _ : state) client.Get(bytes, place.data());
  state.SetBytesProcessed(state.iterations() * bytes);
}
BENCHMARK(Whole)->Name("whole")->Arg(kLarge)->UseRealTime()->Unit(
    benchmark::kMillisecond);

void Chunks(benchmark::State& state) {
  Client client;
  std::string place(static_cast<size_t>(kLarge), 'y');
  for (auto _ : state) {
    client.GetChunks(state.range(0) << 10, static_cast<int>(state.range(1)),
                     place.data());
  }
  state.SetBytesProcessed(state.iterations() * kLarge);
}
BENCHMARK(Chunks)
    ->Name("chunks")
    ->ArgsProduct({{256, 1024, 4096, 16384}, {2, 4, 8}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace leat::bench

int main(int argc, char** argv) {
  if (argc == 2 && absl::string_view(argv[1]) == leat::bench::kServe) {
    return leat::bench::Serve();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
