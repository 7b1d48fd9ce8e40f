// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/runtime/cuda/region_heap.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/core/allocation_gate.h"

namespace leat {
namespace {

// No larger request can succeed. Larger ones are refused at once, because sums
// could overflow.
constexpr size_t kMost = size_t{1} << 47;

// The most live blocks that Describe lists.
constexpr size_t kNumDescribed = 10;

size_t Rounded(size_t bytes) {
  constexpr size_t kUnit = RegionHeap::kAlignment;
  return std::max((bytes + kUnit - 1) / kUnit * kUnit, kUnit);
}

}  // namespace

struct RegionHeap::Region {
  char* memory = nullptr;
  size_t bytes = 0;
  int64_t num_live = 0;
  bool was_used = true;  // since the last GiveBackUnused
  Chunk* first = nullptr;
};

// A part of a region: a live block or a free one. Two free chunks never lie
// beside each other.
struct RegionHeap::Chunk {
  char* memory = nullptr;
  size_t bytes = 0;
  Region* region = nullptr;
  Chunk* previous = nullptr;  // in the region, by address
  Chunk* next = nullptr;
  bool is_live = false;
};

class RegionHeap::Block final : public Buffer {
 public:
  Block(std::shared_ptr<RegionHeap> heap, Chunk* chunk, size_t bytes)
      : Buffer(chunk->memory, bytes, heap->memory_),
        heap_(std::move(heap)),
        chunk_(chunk) {}

 private:
  void Dispose() override {
    heap_->Free(chunk_);
    delete this;
  }

  const std::shared_ptr<RegionHeap> heap_;
  Chunk* const chunk_;
};

bool RegionHeap::SmallerFirst::operator()(const Chunk* a,
                                          const Chunk* b) const {
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  return std::less<>()(a->memory, b->memory);
}

bool RegionHeap::SmallerFirst::operator()(const Chunk* a, size_t bytes) const {
  return a->bytes < bytes;
}

std::shared_ptr<RegionHeap> RegionHeap::New(
    std::unique_ptr<RegionSource> source, RegionHeapOptions options) {
  return std::shared_ptr<RegionHeap>(
      new RegionHeap(std::move(source), options));
}

RegionHeap::RegionHeap(std::unique_ptr<RegionSource> source,
                       RegionHeapOptions options)
    : source_(std::move(source)),
      options_(options),
      memory_(source_->memory()),
      next_region_bytes_(
          Rounded(static_cast<size_t>(options.first_region_bytes))) {}

RegionHeap::~RegionHeap() {
  MutexLock lock(mutex_);
  RemoveRegions(/*only_unused=*/false);
}

BufferRef RegionHeap::Allocate(size_t bytes) {
  if (bytes > kMost || !AllocationGate::Admits()) return nullptr;
  const size_t rounded = Rounded(bytes);
  Chunk* chunk;
  {
    MutexLock lock(mutex_);
    figures_.largest_request =
        std::max(figures_.largest_request, static_cast<int64_t>(bytes));
    chunk = TakeChunk(rounded);
    if (chunk == nullptr && Grow(rounded)) chunk = TakeChunk(rounded);
    if (chunk == nullptr) return nullptr;
    Split(chunk, rounded);
    chunk->is_live = true;
    ++chunk->region->num_live;
    chunk->region->was_used = true;
    ++figures_.num_live;
    live_bytes_ += rounded;
    figures_.peak_live_bytes =
        std::max(figures_.peak_live_bytes, static_cast<int64_t>(live_bytes_));
    source_->Begin(chunk->memory, rounded);
  }
  return BufferRef(new Block(shared_from_this(), chunk, bytes));
}

RegionHeap::Chunk* RegionHeap::TakeChunk(size_t bytes) {
  const auto found = free_.lower_bound(bytes);
  if (found == free_.end()) return nullptr;
  Chunk* const chunk = *found;
  free_.erase(found);
  return chunk;
}

void RegionHeap::Split(Chunk* chunk, size_t bytes) {
  if (chunk->bytes == bytes) return;
  Chunk* const rest = new Chunk{chunk->memory + bytes, chunk->bytes - bytes,
                                chunk->region,         chunk,
                                chunk->next,           false};
  if (rest->next != nullptr) rest->next->previous = rest;
  chunk->next = rest;
  chunk->bytes = bytes;
  free_.insert(rest);
}

void RegionHeap::JoinWithNext(Chunk* chunk) {
  Chunk* const next = chunk->next;
  chunk->bytes += next->bytes;
  chunk->next = next->next;
  if (chunk->next != nullptr) chunk->next->previous = chunk;
  delete next;
}

void RegionHeap::Free(Chunk* chunk) {
  MutexLock lock(mutex_);
  source_->End(chunk->memory, chunk->bytes);
  chunk->is_live = false;
  --chunk->region->num_live;
  --figures_.num_live;
  live_bytes_ -= chunk->bytes;
  if (chunk->next != nullptr && !chunk->next->is_live) {
    free_.erase(chunk->next);
    JoinWithNext(chunk);
  }
  if (chunk->previous != nullptr && !chunk->previous->is_live) {
    chunk = chunk->previous;
    free_.erase(chunk);
    JoinWithNext(chunk);
  }
  free_.insert(chunk);
}

bool RegionHeap::Grow(size_t bytes) {
  const auto limit = static_cast<size_t>(options_.limit_bytes);
  if (bytes > limit) return false;
  if (bytes > limit - held_bytes_) RemoveRegions(/*only_unused=*/false);
  if (bytes > limit - held_bytes_) return false;
  const size_t most = (limit - held_bytes_) / kAlignment * kAlignment;
  for (size_t size = std::min(std::max(bytes, next_region_bytes_), most);;
       size = std::max(bytes, size / 2 / kAlignment * kAlignment)) {
    if (AddRegion(size)) return true;
    if (size == bytes) break;
  }
  // The source may have less memory than the limit allows, because other
  // programs also use the GPU. Giving back free regions may make room.
  return RemoveRegions(/*only_unused=*/false) > 0 && AddRegion(bytes);
}

bool RegionHeap::AddRegion(size_t bytes) {
  ++num_requests_;
  char* const memory = source_->Take(bytes);
  if (memory == nullptr) return false;
  auto region = std::make_unique<Region>();
  region->memory = memory;
  region->bytes = bytes;
  region->first =
      new Chunk{memory, bytes, region.get(), nullptr, nullptr, false};
  free_.insert(region->first);
  regions_.push_back(std::move(region));
  held_bytes_ += bytes;
  next_region_bytes_ = std::min(std::max(next_region_bytes_, bytes) * 2, kMost);
  return true;
}

int64_t RegionHeap::RemoveRegions(bool only_unused) {
  const size_t before = held_bytes_;
  std::vector<std::unique_ptr<Region>> kept;
  for (auto& region : regions_) {
    const bool was_used = std::exchange(region->was_used, region->num_live > 0);
    if (region->num_live > 0 || (only_unused && was_used)) {
      kept.push_back(std::move(region));
      continue;
    }
    free_.erase(region->first);
    delete region->first;
    source_->Give(region->memory);
    held_bytes_ -= region->bytes;
  }
  regions_ = std::move(kept);
  return static_cast<int64_t>(before - held_bytes_);
}

int64_t RegionHeap::GiveBackUnused() {
  MutexLock lock(mutex_);
  return RemoveRegions(/*only_unused=*/true);
}

AllocatorStats RegionHeap::stats() const {
  MutexLock lock(mutex_);
  AllocatorStats stats;
  stats.live_bytes = static_cast<int64_t>(live_bytes_);
  stats.kept_bytes = static_cast<int64_t>(held_bytes_ - live_bytes_);
  stats.system_requests = num_requests_;
  return stats;
}

RegionHeapStats RegionHeap::heap_stats() const {
  MutexLock lock(mutex_);
  RegionHeapStats stats = figures_;
  stats.num_regions = static_cast<int64_t>(regions_.size());
  if (!free_.empty()) {
    stats.largest_free = static_cast<int64_t>((*free_.rbegin())->bytes);
  }
  return stats;
}

std::string RegionHeap::Describe() const {
  MutexLock lock(mutex_);
  std::vector<size_t> live;
  for (const auto& region : regions_) {
    for (const Chunk* chunk = region->first; chunk != nullptr;
         chunk = chunk->next) {
      if (chunk->is_live) live.push_back(chunk->bytes);
    }
  }
  const size_t described = std::min(live.size(), kNumDescribed);
  std::partial_sort(live.begin(), live.begin() + described, live.end(),
                    std::greater<>());
  std::string text =
      absl::StrCat(live_bytes_, " bytes of at most ", options_.limit_bytes,
                   " are in use in ", live.size(), " blocks");
  for (size_t i = 0; i < described; ++i) {
    absl::StrAppend(&text, i == 0 ? ", the largest of " : ", ", live[i]);
  }
  absl::StrAppend(&text, "; ", held_bytes_ - live_bytes_, " bytes are free in ",
                  free_.size(), " blocks");
  if (!free_.empty()) {
    absl::StrAppend(&text, ", the largest of ", (*free_.rbegin())->bytes);
  }
  return text;
}

}  // namespace leat
