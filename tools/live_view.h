// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LiveView shows the output of several tasks on one stream, line by line. The
// name of the task stands before each of its lines:
//
//   [chief-0]  step 100 loss 0.31
//   [worker-1] waiting for the chief
//
// The program never waits for the reader of the stream. Output that the stream
// does not take at once is kept, up to a limit; further lines are dropped and
// counted.
#ifndef LEAT_TOOLS_LIVE_VIEW_H_
#define LEAT_TOOLS_LIVE_VIEW_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/core/files/file_descriptor.h"
#include "leat/core/threads/clock.h"

namespace leat {

// Holds the options of a LiveView: where and how to show the output.
struct LiveViewOptions {
  int output = 1;  // descriptor, borrowed
  bool color = false;
  size_t max_line = 4096;       // bytes; longer lines are split
  size_t max_kept = 1 << 20;    // bytes that a slow reader has not taken
  Clock* clock = &RealClock();  // borrowed, must outlive the view
};

// Is not thread-safe.
class LiveView {
 public:
  // `names` are the names of the tasks. The functions below name a task by its
  // index in `names`.
  LiveView(std::vector<std::string> names, LiveViewOptions options);

  // Shows what task `task` has written. A line is shown when it is complete,
  // that is, after a line feed or a carriage return. Empty lines are not shown.
  // Bytes that would control a terminal are escaped.
  void Show(size_t task, absl::string_view bytes);
  // Shows the line that the task has begun, if it has begun one.
  void EndLine(size_t task);
  // Shows a line from the program that owns the view, under the name "leat".
  void Note(absl::string_view text);

  // Returns the descriptor to poll for output, or -1 if there is nothing to
  // write.
  int waits_for() const { return kept_.empty() ? -1 : output(); }
  // Writes as much as the stream takes now.
  void Write();
  // Writes everything that is left, including incomplete lines. Returns after
  // `patience` at the latest, even if something is left.
  void Finish(std::chrono::milliseconds patience);

 private:
  // Returns the descriptor to write to.
  int output() const;
  // Keeps a line. If `kept_` would then exceed the limit, counts the line as
  // dropped instead.
  void AddLine(absl::string_view prefix, absl::string_view text);
  // If lines were dropped, keeps a line that says how many.
  void TellWhatIsLeftOut();

  const LiveViewOptions options_;
  std::vector<std::string> prefixes_;  // of the tasks, then of the program
  std::vector<std::string> lines_;     // the incomplete line of each task
  // Is the same stream, opened a second time so that writing never waits.
  // `own_` is not open if the stream cannot be opened a second time.
  FileDescriptor own_;
  // Holds output that the stream has not taken yet.
  std::string kept_;
  int64_t left_out_ = 0;    // dropped lines
  bool is_closed_ = false;  // nobody reads any more
};

}  // namespace leat

#endif  // LEAT_TOOLS_LIVE_VIEW_H_
