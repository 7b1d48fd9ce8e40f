// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// A table is a sequence of blocks with a footer. The blocks are data blocks, a
// meta block, and the index block. The values in the index block are the
// offsets and sizes of the data blocks. The footer has the offset and size of
// the index block. Each block is followed by a byte for its compression and by
// a checksum. Within a block, a key is stored without the bytes that it shares
// with the key before.
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "leat/checkpoint/index_table.h"
#include "leat/core/crc32c.h"
#include "leat/core/held_bytes.h"
#include "leat/core/status_macros.h"
#include "leat/core/varint.h"
#include "snappy.h"

namespace leat {
namespace {

constexpr size_t kFooterBytes = 48;
constexpr size_t kTrailerBytes = 5;  // compression and checksum after a block
constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr char kNotCompressed = 0;
constexpr char kSnappy = 1;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the index is damaged: ", what));
}

uint32_t Fixed32(absl::string_view bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// The offset and size of a block in the file, without its trailer.
struct BlockPlace {
  uint64_t offset = 0;
  uint64_t size = 0;
};

bool TakePlace(absl::string_view& bytes, BlockPlace& place) {
  return TakeVarint64(bytes, place.offset) && TakeVarint64(bytes, place.size);
}

// Returns how many bytes of memory an entry takes. A vector that grows has room
// for up to twice as many elements as it has.
int64_t BytesOfEntry(uint64_t key_size, uint64_t value_size) {
  return static_cast<int64_t>(2 * sizeof(IndexEntries::value_type)) +
         HeldBytesOfText(key_size) + HeldBytesOfText(value_size);
}

class TableReader {
 public:
  TableReader(absl::string_view file, IndexMemory& memory)
      : file_(file), memory_(memory) {}

  absl::StatusOr<IndexEntries> Read() {
    if (file_.size() < kFooterBytes) {
      return Damaged(absl::StrCat("it has only ", file_.size(), " bytes"));
    }
    absl::string_view footer = file_.substr(file_.size() - kFooterBytes);
    uint64_t magic = 0;
    std::memcpy(&magic, footer.data() + kFooterBytes - sizeof(magic),
                sizeof(magic));
    if (magic != kMagic) return Damaged("its last bytes are not those of one");
    BlockPlace meta, index;
    if (!TakePlace(footer, meta) || !TakePlace(footer, index)) {
      return Damaged("its footer has no place of a block");
    }
    IndexEntries places;
    LEAT_RETURN_IF_ERROR(ReadBlock(index, /*in_order=*/nullptr, places));
    IndexEntries entries;
    std::string last_key;
    uint64_t end = 0;  // of the last block
    for (auto& [key, value] : places) {
      absl::string_view bytes = value;
      BlockPlace data;
      if (!TakePlace(bytes, data)) return Damaged("a place of a block is cut");
      // If blocks could overlap, a small file could make the reader read the
      // same bytes very often.
      if (data.offset < end || data.size > file_.size()) {
        return Damaged("its blocks are not in order");
      }
      end = data.offset + data.size;
      LEAT_RETURN_IF_ERROR(ReadBlock(data, &last_key, entries));
    }
    return entries;
  }

 private:
  // Appends the entries of the block. If `last_key` is not null, checks that
  // the keys are sorted, and sets `last_key` to the last key.
  absl::Status ReadBlock(BlockPlace place, std::string* last_key,
                         IndexEntries& entries) {
    LEAT_ASSIGN_OR_RETURN(const absl::string_view stored, Stored(place));
    std::string decompressed;
    absl::string_view block = stored;
    const char compression = stored.data()[stored.size()];
    if (compression == kSnappy) {
      LEAT_RETURN_IF_ERROR(Decompress(stored, decompressed));
      block = decompressed;
    } else if (compression != kNotCompressed) {
      return Damaged(absl::StrCat("the block at byte ", place.offset,
                                  " has the unknown compression ",
                                  static_cast<int>(compression)));
    }
    return ReadEntries(block, place.offset, last_key, entries);
  }

  // Returns the bytes of a block, after its checksum was checked.
  absl::StatusOr<absl::string_view> Stored(BlockPlace place) const {
    const uint64_t end = file_.size() - kFooterBytes;
    if (place.offset > end || place.size > end - place.offset ||
        end - place.offset - place.size < kTrailerBytes) {
      return Damaged(absl::StrCat("it has no block of ", place.size,
                                  " bytes at byte ", place.offset));
    }
    const absl::string_view block = file_.substr(place.offset, place.size);
    const absl::string_view checked =
        file_.substr(place.offset, place.size + 1);
    const uint32_t crc = Fixed32(file_.substr(place.offset + place.size + 1));
    if (Unmask(crc) != Crc32c(checked)) {
      return Damaged(absl::StrCat("the block at byte ", place.offset,
                                  " does not match its checksum"));
    }
    return block;
  }

  absl::Status Decompress(absl::string_view stored, std::string& block) {
    size_t size = 0;
    if (!snappy::GetUncompressedLength(stored.data(), stored.size(), &size)) {
      return Damaged("a compressed block has no length");
    }
    LEAT_RETURN_IF_ERROR(memory_.Count(static_cast<int64_t>(size)));
    if (!snappy::Uncompress(stored.data(), stored.size(), &block)) {
      return Damaged("a block cannot be decompressed");
    }
    return absl::OkStatus();
  }

  absl::Status ReadEntries(absl::string_view block, uint64_t offset,
                           std::string* last_key, IndexEntries& entries) {
    const absl::Status damaged = Damaged(
        absl::StrCat("the block at byte ", offset, " has a wrong entry"));
    // The block ends with the offsets at which keys are stored in full,
    // followed by the number of these offsets.
    if (block.size() < sizeof(uint32_t)) return damaged;
    const uint64_t num_restarts = Fixed32(block.substr(block.size() - 4));
    if (num_restarts > block.size() / sizeof(uint32_t) - 1) return damaged;
    block.remove_suffix(sizeof(uint32_t) * (num_restarts + 1));
    std::string key;
    while (!block.empty()) {
      uint64_t shared = 0, unshared = 0, value_size = 0;
      if (!TakeVarint64(block, shared) || !TakeVarint64(block, unshared) ||
          !TakeVarint64(block, value_size) || shared > key.size() ||
          unshared > block.size() || value_size > block.size() - unshared) {
        return damaged;
      }
      key.resize(shared);
      key.append(block.data(), unshared);
      LEAT_RETURN_IF_ERROR(memory_.Count(BytesOfEntry(key.size(), value_size)));
      if (last_key != nullptr) {
        if (!entries.empty() && key <= *last_key) {
          return Damaged("its keys are not sorted");
        }
        *last_key = key;
      }
      entries.emplace_back(key, block.substr(unshared, value_size));
      block.remove_prefix(unshared + value_size);
    }
    return absl::OkStatus();
  }

  const absl::string_view file_;
  IndexMemory& memory_;
};

}  // namespace

absl::StatusOr<IndexEntries> ReadIndexTable(absl::string_view bytes,
                                            IndexMemory& memory) {
  return TableReader(bytes, memory).Read();
}

}  // namespace leat
