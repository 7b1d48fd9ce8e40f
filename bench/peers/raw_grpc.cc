// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Measures gRPC alone, which shows the minimum time of a call between two
// processes of Leat. It uses gRPC as Leat does, with the same API, a single
// polling thread and the same allocator, but runs no steps. A second process is
// the server. It sends as many bytes as the request asks for, from memory that
// it has allocated before.
//
//   null            an empty call
//   null_spinning   the same, with threads that look for the next event for
//                   half a millisecond before they sleep, as Leat's do
//   whole/BYTES     BYTES bytes in one message, copied to their place
//   chunks/KIB/N    100 MiB in messages of KIB KiB, N of them at a time
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "benchmark/benchmark.h"
#include "leat/bench/processes.h"
#include "leat/core/threads/mutex.h"
#include "leat/core/threads/spin.h"

namespace leat::bench {
namespace {

constexpr char kServe[] = "--serve";
constexpr char kSpin[] = "--spin";
constexpr char kMethod[] = "/bench/Get";
constexpr int64_t kLarge = int64_t{100} << 20;

// Handles the end of an asynchronous operation of gRPC. The tag of the
// operation is the address of its Completion.
class Completion {
 public:
  virtual void End(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// Handles the events of a queue until the queue is shut down. If `spins` is
// true, polls the queue for a while before sleeping.
void Poll(grpc::CompletionQueue& queue, bool spins) {
  constexpr std::chrono::system_clock::time_point kPast;
  IdleSpin spin;
  void* tag = nullptr;
  bool ok = false;
  for (;;) {
    auto next = grpc::CompletionQueue::TIMEOUT;
    const auto look = [&] {
      next = queue.AsyncNext(&tag, &ok, kPast);
      return next != grpc::CompletionQueue::TIMEOUT;
    };
    if (spins && spin.Until(look)) {
      if (next == grpc::CompletionQueue::SHUTDOWN) return;
    } else if (!queue.Next(&tag, &ok)) {
      return;
    }
    static_cast<Completion*>(tag)->End(ok);
  }
}

// Holds what the serving process needs for its calls.
struct Service {
  grpc::AsyncGenericService service = {};
  std::unique_ptr<grpc::ServerCompletionQueue> queue = {};
  const std::string bytes = std::string(static_cast<size_t>(kLarge), 'x');
};

// A ServedCall is a call on the server. It deletes itself at its end.
class ServedCall final : Completion {
 public:
  explicit ServedCall(Service& service) : service_(service) {
    service.service.RequestCall(&context_, &stream_, service.queue.get(),
                                service.queue.get(), this);
  }

  void End(bool ok) override {
    switch (state_) {
      case State::kRequested:
        if (!ok) std::abort();
        new ServedCall(service_);
        state_ = State::kRead;
        return stream_.Read(&request_, this);
      case State::kRead:
        state_ = State::kAnswered;
        return Answer();
      case State::kAnswered:
        delete this;
    }
  }

 private:
  enum class State { kRequested, kRead, kAnswered };

  // Sends as many bytes as the request asks for.
  void Answer() {
    int64_t size = 0;
    std::vector<grpc::Slice> slices;
    if (request_.Dump(&slices).ok() && slices.size() == 1) {
      std::memcpy(&size, slices[0].begin(),
                  std::min(slices[0].size(), sizeof(size)));
    }
    const grpc::Slice slice(service_.bytes.data(), static_cast<size_t>(size),
                            grpc::Slice::STATIC_SLICE);
    const grpc::ByteBuffer response(&slice, size > 0 ? 1 : 0);
    stream_.WriteAndFinish(response, grpc::WriteOptions(), grpc::Status::OK,
                           this);
  }

  Service& service_;
  State state_ = State::kRequested;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  grpc::ByteBuffer request_;
};

int Serve(bool spins) {
  Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterAsyncGenericService(&service.service);
  service.queue = builder.AddCompletionQueue();
  const auto server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  for (int i = 0; i < 16; ++i) new ServedCall(service);
  std::printf("%d\n", port);
  std::fflush(stdout);
  Poll(*service.queue, spins);  // until the process is killed
  return 0;
}

// A Client is a client with its own server process. It is used by one thread.
class Client {
 public:
  explicit Client(bool spins = false)
      : server_({absl::StrCat(OwnFolder(), "/raw_grpc"), kServe,
                 spins ? kSpin : ""}),
        thread_([this, spins] { Poll(queue_, spins); }) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(
        absl::StrCat("127.0.0.1:", server_.ReadLine()),
        grpc::InsecureChannelCredentials(), arguments);
    Get(0, nullptr);  // waits for the connection
  }
  ~Client() {
    queue_.Shutdown();
    thread_.join();
  }

  // Requests `size` bytes and waits for them. Copies them to `place` unless
  // `place` is null.
  void Get(int64_t size, char* place) {
    Waiting waiting;
    Start(size, [&waiting, place](const grpc::ByteBuffer& response) {
      if (place != nullptr) Copy(response, place);
      waiting.End();
    });
    waiting.Wait();
  }

  // Requests kLarge bytes in chunks of `chunk` bytes, `in_flight` of them at a
  // time, and waits for all. Copies each chunk to its place when it arrives.
  void GetChunks(int64_t chunk, int in_flight, char* place) {
    Transfer transfer;
    transfer.client = this;
    transfer.chunk = chunk;
    transfer.place = place;
    for (int i = 0; i < in_flight; ++i) transfer.FetchNext();
    transfer.waiting.Wait();
  }

 private:
  // Lets a thread wait for an event.
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

  // Holds the state of a call of GetChunks.
  struct Transfer {
    // Asks for the next chunk, if there is one.
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

  // Starts a call. The polling thread calls `done` with the response.
  template <class Done>
  void Start(int64_t size, Done done) {
    struct Call final : Completion {
      void End(bool) override {
        if (!status.ok()) std::abort();
        done(response);
        delete this;
      }
      explicit Call(Done&& then) : done(std::move(then)) {}
      Done done;
      grpc::ClientContext context;
      grpc::ByteBuffer request;
      grpc::ByteBuffer response;
      grpc::Status status;
      std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
    };
    auto* call = new Call(std::move(done));
    const grpc::Slice slice(&size, size == 0 ? 0 : sizeof(size));
    call->request = grpc::ByteBuffer(&slice, 1);
    call->context.set_wait_for_ready(true);
    grpc::GenericStub stub(channel_);
    call->reader =
        stub.PrepareUnaryCall(&call->context, kMethod, call->request, &queue_);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call);
  }

  ChildProcess server_;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::CompletionQueue queue_;
  std::thread thread_;
};

void Null(benchmark::State& state, bool spins) {
  Client client(spins);
  for (auto _ : state) client.Get(0, nullptr);
}
BENCHMARK_CAPTURE(Null, sleeping, false)->Name("null")->UseRealTime();
BENCHMARK_CAPTURE(Null, spinning, true)->Name("null_spinning")->UseRealTime();

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
  // Debug builds of Abseil search for deadlocks, which takes time. `leat serve`
  // turns this off, too.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  if (argc == 3 && absl::string_view(argv[1]) == leat::bench::kServe) {
    return leat::bench::Serve(absl::string_view(argv[2]) == leat::bench::kSpin);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
