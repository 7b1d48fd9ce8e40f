// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
#include "leat/kernels/codecs/decode_gif.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "leat/core/status_macros.h"

namespace leat {
namespace {

constexpr int kChannels = 3;
// A code of the compression has at least 3 bits and stands for at most this
// many pixels.
constexpr int64_t kMostPixelsOfCode = 4096;
constexpr int kNoColor = -1;

using Colors = std::vector<GifColorType>;

// Is one frame of the file. Each pixel is the index of a color.
struct Frame {
  GifImageDesc place = {};  // without the colors, which giflib owns
  Colors colors = {};       // empty if it has those of the file
  int transparent = kNoColor;
  Tensor pixels = {};  // uint8 [height, width]
};

// Reads the file from memory, frame by frame. In contrast to DGifSlurp, the
// pixels come from an allocator, and are counted before they are decoded.
class GifReader {
 public:
  explicit GifReader(absl::string_view bytes) : rest_(bytes) {
    gif_ = DGifOpen(this, &GifReader::Take, &error_);
  }
  ~GifReader() {
    if (gif_ != nullptr) DGifCloseFile(gif_, nullptr);
  }
  GifReader(const GifReader&) = delete;
  GifReader& operator=(const GifReader&) = delete;

  bool is_open() const { return gif_ != nullptr; }
  // Returns the colors of frames that have none of their own.
  Colors colors() const { return ColorsOf(gif_->SColorMap); }
  // Returns giflib's text for the last error.
  absl::string_view error() const {
    const char* const text =
        GifErrorString(gif_ != nullptr ? gif_->Error : error_);
    return text != nullptr ? text : "Unknown error";
  }

  // Reads the next frame. Returns false at the end of the file, and if the rest
  // of the file is damaged.
  absl::StatusOr<bool> Next(Allocator& allocator, Frame& frame) {
    int transparent = kNoColor;
    bool has_control = false;
    for (;;) {
      GifRecordType type = UNDEFINED_RECORD_TYPE;
      if (DGifGetRecordType(gif_, &type) == GIF_ERROR) return false;
      if (type == IMAGE_DESC_RECORD_TYPE) break;
      if (type == TERMINATE_RECORD_TYPE) {
        gif_->Error = D_GIF_ERR_NO_IMAG_DSCR;
        return false;
      }
      if (type == EXTENSION_RECORD_TYPE &&
          !ReadExtension(transparent, has_control)) {
        return false;
      }
    }
    frame.transparent = transparent;
    return ReadFrame(allocator, frame);
  }

 private:
  static Colors ColorsOf(const ColorMapObject* map) {
    if (map == nullptr) return {};
    return Colors(map->Colors, map->Colors + map->ColorCount);
  }

  static int Take(GifFileType* gif, GifByteType* to, int count) {
    auto& rest = static_cast<GifReader*>(gif->UserData)->rest_;
    const size_t taken = std::min(rest.size(), static_cast<size_t>(count));
    std::memcpy(to, rest.data(), taken);
    rest.remove_prefix(taken);
    return static_cast<int>(taken);
  }

  // Reads an extension. Of those before a frame, the first one that controls
  // the frame counts.
  bool ReadExtension(int& transparent, bool& has_control) {
    int code = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(gif_, &code, &block) == GIF_ERROR) return false;
    while (block != nullptr) {
      GraphicsControlBlock control;
      if (code == GRAPHICS_EXT_FUNC_CODE && !has_control &&
          DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
        transparent = control.TransparentColor;
        has_control = true;
      }
      if (DGifGetExtensionNext(gif_, &block) == GIF_ERROR) return false;
    }
    return true;
  }

  absl::StatusOr<bool> ReadFrame(Allocator& allocator, Frame& frame) {
    if (DGifGetImageDesc(gif_) == GIF_ERROR) return false;
    frame.place = gif_->Image;
    frame.place.ColorMap = nullptr;
    frame.colors = ColorsOf(gif_->Image.ColorMap);
    const int64_t width = frame.place.Width;
    const int64_t height = frame.place.Height;
    const int64_t most =
        static_cast<int64_t>(rest_.size()) * 8 / 3 * kMostPixelsOfCode;
    if (width <= 0 || height <= 0) return false;
    if (width * height > most) {
      gif_->Error = D_GIF_ERR_EOF_TOO_SOON;
      return false;
    }
    LEAT_ASSIGN_OR_RETURN(
        frame.pixels,
        Tensor::Allocate(allocator, DType::kUint8, Shape{height, width}));
    return ReadPixels(frame.place.Interlace, height, width,
                      frame.pixels.mutable_data<uint8_t>().data());
  }

  bool ReadRow(int64_t width, uint8_t* to) {
    return DGifGetLine(gif_, to, static_cast<int>(width)) == GIF_OK;
  }
  // Reads the rows. If they are interlaced, they come in four passes.
  bool ReadPixels(bool is_interlaced, int64_t height, int64_t width,
                  uint8_t* to) {
    if (!is_interlaced) {
      for (int64_t y = 0; y < height; ++y) {
        if (!ReadRow(width, to + y * width)) return false;
      }
      return true;
    }
    constexpr int64_t kFirst[] = {0, 4, 2, 1};
    constexpr int64_t kStep[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; ++pass) {
      for (int64_t y = kFirst[pass]; y < height; y += kStep[pass]) {
        if (!ReadRow(width, to + y * width)) return false;
      }
    }
    return true;
  }

  absl::string_view rest_;
  int error_ = 0;
  GifFileType* gif_ = nullptr;
};

absl::Status Invalid(absl::string_view bytes, absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("Invalid GIF data (size ", bytes.size(), "), ", reason));
}

// Returns the frames that can be decoded, at least one. Sets `colors` to the
// colors of frames that have none of their own.
absl::StatusOr<std::vector<Frame>> ReadFrames(absl::string_view bytes,
                                              Allocator& allocator,
                                              Colors& colors) {
  GifReader reader(bytes);
  if (!reader.is_open()) {
    return Invalid(bytes,
                   absl::StrCat("failed to open gif file: ", reader.error()));
  }
  colors = reader.colors();
  std::vector<Frame> frames;
  for (;;) {
    Frame frame;
    LEAT_ASSIGN_OR_RETURN(const bool has_frame, reader.Next(allocator, frame));
    if (!has_frame) break;
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) {
    return Invalid(bytes,
                   absl::StrCat("failed to slurp gif file: ", reader.error()));
  }
  return frames;
}

// Paints the pixels of a frame onto the image `to`, which has the pixels of the
// frame before it, or zeros.
absl::Status Paint(absl::string_view bytes, const Frame& frame,
                   const Colors& colors, int64_t height, int64_t width,
                   uint8_t* to) {
  const GifImageDesc& place = frame.place;
  const int64_t bottom =
      std::min(height, int64_t{place.Top} + int64_t{place.Height});
  const int64_t right =
      std::min(width, int64_t{place.Left} + int64_t{place.Width});
  if (place.Left >= right) return absl::OkStatus();
  const auto pixels = frame.pixels.data<uint8_t>();
  const auto num_colors = static_cast<int>(colors.size());
  for (int64_t y = place.Top; y < bottom; ++y) {
    const uint8_t* from = pixels.data() + (y - place.Top) * place.Width;
    uint8_t* pixel = to + (y * width + place.Left) * kChannels;
    for (int64_t x = place.Left; x < right; ++x, pixel += kChannels) {
      const int index = *from++;
      if (index == frame.transparent) continue;
      if (index >= num_colors) {
        return Invalid(
            bytes, absl::StrCat("found color index ", index,
                                " outside of color map range ", num_colors));
      }
      const GifColorType& color = colors[index];
      pixel[0] = color.Red;
      pixel[1] = color.Green;
      pixel[2] = color.Blue;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> DecodeGif(absl::string_view bytes, bool first_only,
                                 Allocator& allocator) {
  Colors file_colors;
  LEAT_ASSIGN_OR_RETURN(std::vector<Frame> frames,
                        ReadFrames(bytes, allocator, file_colors));
  int64_t height = 0;
  int64_t width = 0;
  for (const Frame& frame : frames) {
    height = std::max<int64_t>(height, frame.place.Height);
    width = std::max<int64_t>(width, frame.place.Width);
  }
  if (first_only) frames.resize(1);
  LEAT_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Create({static_cast<int64_t>(frames.size()),
                                       height, width, kChannels}));
  LEAT_ASSIGN_OR_RETURN(Tensor images,
                        Tensor::Allocate(allocator, DType::kUint8, shape));
  uint8_t* to = images.mutable_data<uint8_t>().data();
  const int64_t frame_bytes = height * width * kChannels;
  for (size_t i = 0; i < frames.size(); ++i, to += frame_bytes) {
    if (i == 0) {
      std::fill(to, to + frame_bytes, uint8_t{0});
    } else {
      std::copy(to - frame_bytes, to, to);
    }
    const Colors& colors =
        frames[i].colors.empty() ? file_colors : frames[i].colors;
    if (colors.empty()) {
      return Invalid(bytes, absl::StrCat("missing color map for frame ", i));
    }
    LEAT_RETURN_IF_ERROR(Paint(bytes, frames[i], colors, height, width, to));
  }
  return images;
}

}  // namespace leat
