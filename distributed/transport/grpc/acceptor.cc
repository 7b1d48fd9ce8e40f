// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/distributed/transport/grpc/acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"
#include "leat/core/threads/thread.h"

namespace leat {
namespace {

using std::chrono::milliseconds;

// Limits the number of connections that the acceptor accepts at one socket
// before it looks at the other sockets.
constexpr int kMaxAtOnce = 64;
// Is the time after which the acceptor checks again whether it can accept.
constexpr milliseconds kLookAgain(100);
// A search for closed connections looks at all connections. Without a limit, a
// peer that connects again and again would keep the thread busy with searches.
// So a search is skipped if the last search was less than kBetweenRemovals ago
// and there are more than kLookedAtPerRefusal connections for each refusal
// since then.
constexpr milliseconds kBetweenRemovals(10);
constexpr size_t kLookedAtPerRefusal = 16;
// Refusals are logged at most this often.
constexpr std::chrono::seconds kBetweenMessages(10);

// Returns the peer's IP address without its port, or "unix".
std::string PeerText(const sockaddr_storage& peer) {
  char text[INET6_ADDRSTRLEN] = "";
  if (peer.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(peer).sin_addr,
              text, sizeof(text));
  } else if (peer.ss_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr,
              text, sizeof(text));
  } else {
    return "unix";
  }
  return text;
}

bool IsLackOfDescriptors(int error) {
  return error == EMFILE || error == ENFILE;
}
bool IsNobodyThere(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}
// Returns true if `error` says that the connection ended before it was
// accepted. accept(2) lists these errors. They do not prevent the acceptor from
// accepting the next connection.
bool IsOfOneConnection(int error) {
  switch (error) {
    case ECONNABORTED:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case EINTR:
    case ENETDOWN:
    case ENETUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
    case EPROTO:
      return true;
    default:
      return false;
  }
}

// Accepts a connection. Returns no descriptor, and sets errno, on failure.
FileDescriptor Accept(int listening, std::string& peer) {
  sockaddr_storage address = {};
  socklen_t size = sizeof(address);
  FileDescriptor connection(accept4(listening,
                                    reinterpret_cast<sockaddr*>(&address),
                                    &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection.is_open()) peer = PeerText(address);
  return connection;
}

// Returns a new descriptor of the same open file.
FileDescriptor Duplicate(const FileDescriptor& file) {
  return FileDescriptor(fcntl(file.number(), F_DUPFD_CLOEXEC, 0));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Start(
    ListeningSockets listening, ConnectionTable connections, Take take, Log log,
    Clock& clock) {
  FileDescriptor stop_event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  FileDescriptor spare;
  if (stop_event.is_open()) spare = Duplicate(stop_event);
  if (!spare.is_open()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot accept connections at ", listening.address, ": ",
                     std::strerror(errno)));
  }
  std::unique_ptr<Acceptor> acceptor;
  LEAT_RETURN_IF_ERROR(StartThreads([&] {
    acceptor.reset(new Acceptor(std::move(stop_event), std::move(spare),
                                std::move(listening), std::move(connections),
                                std::move(take), std::move(log), clock));
    return absl::OkStatus();
  }));
  return acceptor;
}

Acceptor::Acceptor(FileDescriptor stop_event, FileDescriptor spare,
                   ListeningSockets listening, ConnectionTable connections,
                   Take take, Log log, Clock& clock)
    : take_(std::move(take)),
      log_(std::move(log)),
      clock_(clock),
      stop_event_(std::move(stop_event)),
      spare_(std::move(spare)),
      listening_(std::move(listening)),
      connections_(std::move(connections)),
      last_removal_(clock.Now()),
      last_logged_(clock.Now() - kBetweenMessages),
      thread_("leat-accept", [this] { Run(); }) {}

Acceptor::~Acceptor() { Stop(); }

void Acceptor::Stop() {
  MutexLock lock(stop_mutex_);
  is_stopping_ = true;
  eventfd_write(stop_event_.number(), 1);
  thread_.Join();
  listening_ = {};
}

ConnectionCounts Acceptor::counts() {
  MutexLock lock(mutex_);
  RemoveClosed();
  return {.open = connections_.size(),
          .max = connections_.max_connections(),
          .refused = num_refused_,
          .problem = problem_.empty() ? connections_.WhyFull("") : problem_};
}

void Acceptor::Run() {
  while (WaitForPeers()) {
    is_paused_ = false;
    if (HasProblem()) LookAgain();
    for (const FileDescriptor& socket : listening_.sockets) {
      AcceptAll(socket.number());
    }
  }
}

bool Acceptor::WaitForPeers() {
  std::vector<pollfd> polled = {{stop_event_.number(), POLLIN, 0}};
  if (!is_paused_) {
    for (const FileDescriptor& socket : listening_.sockets) {
      polled.push_back({socket.number(), POLLIN, 0});
    }
  }
  const int timeout = is_paused_ || HasProblem() ? kLookAgain.count() : -1;
  if (poll(polled.data(), polled.size(), timeout) < 0 && errno != EINTR) {
    // The kernel has no memory. Looks again later.
    clock_.Sleep(kLookAgain);
  }
  return !is_stopping_;
}

void Acceptor::AcceptAll(int listening) {
  for (int i = 0; i < kMaxAtOnce && !is_paused_; ++i) {
    std::string peer;
    FileDescriptor connection = Accept(listening, peer);
    if (connection.is_open()) {
      Admit(listening, std::move(connection), peer);
    } else if (IsNobodyThere(errno)) {
      return;
    } else if (IsLackOfDescriptors(errno)) {
      if (!CloseWithSpare(listening, errno)) return;
    } else if (!IsOfOneConnection(errno)) {
      // The process has no memory, or the system forbids it to accept.
      is_paused_ = true;
      NoteRefusal("", std::strerror(errno), /*accepts_none=*/true);
    }
  }
}

bool Acceptor::CloseWithSpare(int listening, int error) {
  spare_.Close();
  std::string peer;
  FileDescriptor connection = Accept(listening, peer);
  const bool was_there = connection.is_open();
  // Is true if the whole system, and not only this process, has too many open
  // files.
  const bool is_of_system = !was_there && !IsNobodyThere(errno);
  connection.Close();
  spare_ = Duplicate(stop_event_);
  // If Duplicate fails, other code of this process has meanwhile used the free
  // descriptor.
  is_paused_ = !spare_.is_open() || is_of_system;
  NoteRefusal(peer, std::strerror(error), /*accepts_none=*/true);
  return was_there;
}

void Acceptor::Admit(int listening, FileDescriptor connection,
                     const std::string& peer) {
  std::string why;
  bool accepts_none = false;
  {
    MutexLock lock(mutex_);
    why = connections_.WhyFull(peer);
    if (!why.empty()) {
      RemoveClosed();
      why = connections_.WhyFull(peer);
    }
    if (why.empty()) connections_.Add(connection.number(), peer);
    accepts_none = connections_.is_full();
  }
  if (why.empty()) {
    take_(listening, std::move(connection));
  } else {
    connection.Close();
    NoteRefusal(peer, why, accepts_none);
  }
}

void Acceptor::NoteRefusal(absl::string_view peer, const std::string& why,
                           bool accepts_none) {
  std::string message;
  {
    MutexLock lock(mutex_);
    if (!peer.empty()) ++num_refused_;
    if (accepts_none) problem_ = why;
    const Clock::time_point now = clock_.Now();
    if (now - last_logged_ < kBetweenMessages) {
      if (!peer.empty()) ++num_unlogged_;
      return;
    }
    message = peer.empty()
                  ? absl::StrCat("cannot accept connections: ", why)
                  : absl::StrCat("closed a connection from ", peer, ": ", why);
    if (num_unlogged_ > 0) {
      absl::StrAppend(&message, "; ", num_unlogged_,
                      " others were closed since the last message");
    }
    num_unlogged_ = 0;
    last_logged_ = now;
    is_problem_logged_ = !problem_.empty();
  }
  if (log_) log_(message);
}

void Acceptor::LookAgain() {
  if (!spare_.is_open()) spare_ = Duplicate(stop_event_);
  // Accepting a connection needs one more descriptor besides the spare one.
  const bool can_open = spare_.is_open() && Duplicate(spare_).is_open();
  std::string message;
  {
    MutexLock lock(mutex_);
    RemoveClosed();
    if (!can_open || connections_.is_full()) return;
    problem_.clear();
    if (!std::exchange(is_problem_logged_, false)) return;
    message = absl::StrCat("accepts connections again; ", num_refused_,
                           " were closed since the start");
  }
  if (log_) log_(message);
}

void Acceptor::RemoveClosed() {
  const Clock::time_point now = clock_.Now();
  const size_t num_refused = num_refused_ - refused_before_removal_ + 1;
  if (now - last_removal_ < kBetweenRemovals &&
      connections_.size() > kLookedAtPerRefusal * num_refused) {
    return;
  }
  last_removal_ = now;
  refused_before_removal_ = num_refused_;
  connections_.RemoveClosed();
}

bool Acceptor::HasProblem() {
  MutexLock lock(mutex_);
  return !problem_.empty();
}

}  // namespace leat
