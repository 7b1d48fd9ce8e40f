// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Trains on a cluster for some minutes, and disturbs the cluster with all
// faults of faults.h, one after the other. After each fault the training must
// continue and its variables must be correct. The tasks must keep nothing that
// the fault left behind. At the end, the program prints a table. tools/soak
// runs this program.
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "leat/core/files/descriptor_limit.h"
#include "leat/tests/soak/cluster.h"
#include "leat/tests/soak/failures.h"
#include "leat/tests/soak/orphans.h"
#include "leat/tests/soak/report.h"
#include "leat/tests/soak/round.h"
#include "leat/tests/soak/watchdog.h"
#include "leat/tools/program.h"

namespace leat::soak {
namespace {

// The program ends after this many failed rounds, because more rounds would
// show nothing new.
constexpr int kMaxFailedRounds = 5;

struct Options {
  double minutes = 1;
  uint32_t seed = 0;
};

std::atomic<bool> must_end{false};

// The first signal ends the program after the current round. The second signal
// ends the program and the tasks at once (KillChildrenAtCrash). If the process
// already ignores a signal, for example under nohup, the signal stays ignored.
void EndAtSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (must_end.exchange(true)) std::abort();
  };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

// Runs rounds on a cluster, which is replaced after a failure.
class Soak {
 public:
  explicit Soak(const Options& options)
      : options_(options),
        failures_(new FailureCount),
        schedule_(options.seed) {
    ::testing::UnitTest::GetInstance()->listeners().Append(failures_);
  }

  // Returns true if nothing has failed.
  bool Run();

 private:
  // MayGoOn returns whether another round may begin. MustGoOn returns whether
  // another round is needed.
  bool MayGoOn() const;
  bool MustGoOn() const;
  // Starts a cluster and trains on it without a fault. This measures what the
  // tasks use when they are idle.
  void Begin();
  void RunRound(const Round& round);
  std::string WithSeed(const std::string& what) const;
  void ExplainFailure(const Round& round);
  void End();

  const Options options_;
  FailureCount* const failures_;  // owned by GoogleTest
  const absl::Time begin_ = absl::Now();
  Schedule schedule_;
  Report report_;
  int reported_failures_ = 0;  // in the rounds that `report_` contains
  std::unique_ptr<SoakCluster> cluster_;
};

bool Soak::Run() {
  while (MayGoOn() && MustGoOn()) {
    if (cluster_ == nullptr) {
      Begin();
    } else {
      RunRound(schedule_.Next());
    }
  }
  End();
  std::cout << "\n" << report_.Text(absl::Now() - begin_, options_.seed);
  return failures_->count() == 0;
}

bool Soak::MayGoOn() const {
  return !must_end && report_.failed_rounds() < kMaxFailedRounds;
}

// A slow machine may need more than the requested time to see all faults.
bool Soak::MustGoOn() const {
  return absl::Now() < begin_ + absl::Minutes(options_.minutes) ||
         !schedule_.HasHadAll();
}

void Soak::Begin() {
  {
    const Watchdog watchdog(WithSeed("the start of the cluster"));
    cluster_ = std::make_unique<SoakCluster>();
  }
  for (const bool is_sync : {true, false}) {
    if (cluster_ == nullptr) return;  // The previous round has failed.
    RunRound({.fault = &NoFault(), .is_sync = is_sync});
  }
}

std::string Soak::WithSeed(const std::string& what) const {
  return absl::StrCat("with seed ", options_.seed, ": ", what);
}

void Soak::RunRound(const Round& round) {
  const Watchdog watchdog(WithSeed(round.Text()));
  const absl::Time begin = absl::Now();
  RoundResult result = soak::Run(round, *cluster_);
  // A failure at the start of a cluster counts as a failure of its first round.
  result.has_failed = failures_->count() > reported_failures_;
  reported_failures_ = failures_->count();
  report_.Add(round.fault->name, result);
  std::cout << absl::FormatDuration(
                   absl::Trunc(begin - begin_, absl::Milliseconds(100)))
            << ": " << round.Text() << ": " << result.errors
            << " errors, right again after "
            << absl::Trunc(result.recovery, absl::Milliseconds(1)) << "\n"
            << std::flush;
  if (result.has_failed) ExplainFailure(round);
}

void Soak::ExplainFailure(const Round& round) {
  std::cout << "FAILED " << WithSeed(round.Text()) << "\n"
            << cluster_->Logs() << std::flush;
  cluster_.reset();
}

void Soak::End() {
  if (cluster_ == nullptr) return;
  const Watchdog watchdog(WithSeed("the end of the cluster"));
  cluster_->served().End();
}

// Parses the flags. Returns an exit code if the program must end now.
std::optional<int> Parse(int argc, char** argv, Options& options) {
  CLI::App app(
      "Trains on a cluster and disturbs it at random. Exits with 0 if every "
      "step was right, nobody hung and nothing leaked.");
  options.seed = std::random_device()();
  app.add_option("--minutes", options.minutes,
                 "After this time, no further round begins if every fault has "
                 "happened once")
      ->check(NumberFrom(0, 1e6))
      ->capture_default_str();
  app.add_option("--seed", options.seed,
                 "The seed of the rounds [a random number, which is printed]");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return std::nullopt;
}

int Main(int argc, char** argv) {
  Options options;
  if (const auto code = Parse(argc, argv, options)) return *code;
  std::cout << "seed " << options.seed << "\n" << std::flush;
  ::testing::InitGoogleTest();
  RaiseDescriptorLimit();
  EndAtSignals();
  KillChildrenAtCrash();
  return Soak(options).Run() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace leat::soak

int main(int argc, char** argv) { return leat::soak::Main(argc, argv); }
