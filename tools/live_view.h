// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// LiveView: the output of several tasks on one stream, a line after the other,
// each with the name of its task before it:
//
//   [chief-0]  step 100 loss 0.31
//   [worker-1] waiting for the chief
//
// Never waits for whoever reads the stream: what it cannot take is kept, up to
// a bound, then left out and counted. Not thread-safe.
#ifndef LEAT_TOOLS_LIVE_VIEW_H_
#define LEAT_TOOLS_LIVE_VIEW_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "leat/tools/file_descriptor.h"

namespace leat {

struct LiveViewOptions {
  int output = 1;  // descriptor, borrowed
  bool color = false;
  size_t max_line = 4096;     // bytes; a longer line becomes several
  size_t max_kept = 1 << 20;  // bytes for a reader that is slow
};

class LiveView {
 public:
  LiveView(std::vector<std::string> names, LiveViewOptions options);

  // What task `task` of the names has written. A line is shown when it ends, at
  // a line feed or a carriage return, and is not when it is empty; bytes that a
  // terminal would obey are escaped.
  void Show(size_t task, absl::string_view bytes);
  // Shows a line that has no end.
  void EndLine(size_t task);
  // A line of the program's own.
  void Note(absl::string_view text);

  // The descriptor to poll for output, -1 when there is nothing to write.
  int waits_for() const { return kept_.empty() ? -1 : output(); }
  // Writes what the stream takes now.
  void Write();
  // Writes what is left, lines without an end too, for so long at most.
  void Finish(std::chrono::milliseconds patience);

 private:
  int output() const;
  void AddLine(absl::string_view prefix, absl::string_view text);
  void TellWhatIsLeftOut();

  const LiveViewOptions options_;
  std::vector<std::string> prefixes_;  // of tasks; the last is the program's
  std::vector<std::string> lines_;     // begun, of each task
  // The same stream, opened anew so that it does not wait; else not open.
  FileDescriptor own_;
  std::string kept_;
  int64_t left_out_ = 0;    // lines
  bool is_closed_ = false;  // nobody reads any more
};

}  // namespace leat

#endif  // LEAT_TOOLS_LIVE_VIEW_H_
