// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines the kernels of Print and PrintV2. They print to standard error, or to
// standard output if PrintV2's attr output_stream is "stdout". PrintV2 refuses
// to write to files, because otherwise a graph could write to any file.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/kernel_context.h"
#include "leat/kernels/kernel_registry.h"
#include "leat/kernels/tensor_summary.h"

namespace leat::kernels::any::print {
namespace {

// Writes `text` in one call, so that lines of several threads do not mix, and
// flushes `stream`.
void Write(const std::string& text, std::FILE* stream) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

class Print final : public Kernel {
 public:
  Print(std::string message, int64_t first_n, int64_t summarize)
      : message_(std::move(message)), left_(first_n), summarize_(summarize) {}

  absl::Status Compute(KernelContext& context) const final {
    context.set_output(0, context.input(0));
    if (!MayPrint()) return absl::OkStatus();
    Write(
        absl::StrCat(message_, SummarizeInputs(context, summarize_, ""), "\n"),
        stderr);
    return absl::OkStatus();
  }

 private:
  // Returns true while there are lines left to print, and counts `left_` down
  // to 0. A negative `left_` means that the number of lines is not limited.
  bool MayPrint() const {
    int64_t left = left_.load(std::memory_order_relaxed);
    while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {
    }
    return left != 0;
  }

  const std::string message_;
  mutable std::atomic<int64_t> left_;
  const int64_t summarize_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakePrint(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string message,
                        node.attrs.GetOr<std::string>("message", ""));
  LEAT_ASSIGN_OR_RETURN(int64_t first_n,
                        node.attrs.GetOr<int64_t>("first_n", -1));
  LEAT_ASSIGN_OR_RETURN(const int64_t summarize,
                        node.attrs.GetInt32("summarize"));
  return std::unique_ptr<Kernel>(
      std::make_unique<Print>(std::move(message), first_n, summarize));
}

class PrintV2 final : public Kernel {
 public:
  // `stream` is stdout or stderr.
  PrintV2(std::string end, std::FILE* stream)
      : end_(std::move(end)), stream_(stream) {}

  absl::Status Compute(KernelContext& context) const final {
    const Tensor& text = context.input(0);
    if (text.rank() != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("Input is expected to be scalar, but got ",
                       text.shape().DebugString()));
    }
    const std::string& line = text.scalar<std::string>();
    // Reserves memory for the copy of the line that is made when `end_` is
    // appended.
    const BufferRef reserved =
        context.step().device->host_allocator().Reserve(HeldBytes(line));
    if (reserved == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("PrintV2 cannot write a line of ", line.size(),
                       " bytes, because there is not enough memory"));
    }
    Write(absl::StrCat(line, end_), stream_);
    return absl::OkStatus();
  }

 private:
  const std::string end_;
  std::FILE* const stream_;
};

absl::StatusOr<std::unique_ptr<Kernel>> MakePrintV2(const NodeDef& node) {
  LEAT_ASSIGN_OR_RETURN(std::string stream, node.attrs.GetOr<std::string>(
                                                "output_stream", "stderr"));
  LEAT_ASSIGN_OR_RETURN(std::string end,
                        node.attrs.GetOr<std::string>("end", "\n"));
  if (absl::StartsWith(stream, "file://")) {
    return absl::PermissionDeniedError(
        absl::StrCat("PrintV2 '", node.name, "' may not write to ", stream,
                     ", because graphs write to no files; valid streams are "
                     "stdout, stderr, log(info), log(warning) and log(error)"));
  }
  for (const char* known :
       {"stdout", "stderr", "log(info)", "log(warning)", "log(error)"}) {
    if (stream == known) {
      return std::unique_ptr<Kernel>(std::make_unique<PrintV2>(
          std::move(end), stream == "stdout" ? stdout : stderr));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "PrintV2 '", node.name, "' has an unknown output_stream: ", stream,
      "; valid streams are stdout, stderr, log(info), log(warning) and "
      "log(error)"));
}

}  // namespace

void Register(KernelRegistry& registry) {
  registry.Add("Print", kCpu, &MakePrint);
  registry.Add("PrintV2", kCpu, &MakePrintV2);
}

}  // namespace leat::kernels::any::print
