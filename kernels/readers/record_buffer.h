// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// RecordBuffer holds the records of a reader that no caller has yet, and
// charges the memory that they need besides their tensors.
//
//   LEAT_RETURN_IF_ERROR(buffer.Reserve());
//   buffer.Add(std::move(record));
//   const std::vector<KeyedRecord> taken = buffer.Take(10);
#ifndef LEAT_KERNELS_READERS_RECORD_BUFFER_H_
#define LEAT_KERNELS_READERS_RECORD_BUFFER_H_

#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "leat/core/status_macros.h"
#include "leat/kernels/pipeline/element_charge.h"
#include "leat/kernels/readers/work_unit.h"

namespace leat::kernels {

// Is thread-compatible.
class RecordBuffer {
 public:
  explicit RecordBuffer(std::shared_ptr<const Pipeline> pipeline)
      : charge_(std::move(pipeline)) {}

  // Charges the memory of one record. Returns RESOURCE_EXHAUSTED if there is
  // none.
  absl::Status Reserve() { return charge_.AddBytes(kBytes); }
  // Gives back what Reserve has charged for a record that does not come.
  void Unreserve() { charge_.RemoveBytes(kBytes); }
  // Adds a record at the back. REQUIRES: its memory is reserved.
  void Add(KeyedRecord record) { records_.push_back(std::move(record)); }

  bool empty() const { return records_.empty(); }
  int64_t size() const { return static_cast<int64_t>(records_.size()); }
  // Returns the work unit of the first record. REQUIRES: !empty().
  int64_t front_unit() const { return records_.front().unit; }

  // Takes up to `most` records of one work unit from the front. REQUIRES:
  // !empty().
  std::vector<KeyedRecord> Take(int64_t most) {
    std::vector<KeyedRecord> taken;
    const int64_t unit = front_unit();
    while (!empty() && front_unit() == unit &&
           static_cast<int64_t>(taken.size()) < most) {
      taken.push_back(std::move(records_.front()));
      records_.pop_front();
      charge_.RemoveBytes(kBytes);
    }
    return taken;
  }
  // Puts records back to the front. Returns RESOURCE_EXHAUSTED, and drops them,
  // if there is no memory.
  absl::Status PutBack(std::vector<KeyedRecord> taken) {
    const auto count = static_cast<int64_t>(taken.size());
    LEAT_RETURN_IF_ERROR(charge_.AddBytes(count * kBytes));
    records_.insert(records_.begin(), std::make_move_iterator(taken.begin()),
                    std::make_move_iterator(taken.end()));
    return absl::OkStatus();
  }

  // Removes and returns all records. Gives back all memory that was reserved.
  std::deque<KeyedRecord> Clear() {
    charge_.Clear();
    return std::exchange(records_, {});
  }

 private:
  static constexpr auto kBytes = static_cast<int64_t>(sizeof(KeyedRecord));

  std::deque<KeyedRecord> records_;
  ElementCharge charge_;
};

}  // namespace leat::kernels

#endif  // LEAT_KERNELS_READERS_RECORD_BUFFER_H_
