// Copyright 2026 The Leat Authors. SPDX-License-Identifier: Apache-2.0
//
// Defines AddAudio.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "leat/core/dtype.h"
#include "leat/core/saturating.h"
#include "leat/core/status_macros.h"
#include "leat/protos/summary.pb.h"
#include "leat/summary/records.h"
#include "leat/summary/values.h"

namespace leat {
namespace {

constexpr int64_t kBytesPerSample = 2;
constexpr int64_t kWavHeaderBytes = 44;

// Describes one sound: its samples, frame by frame.
struct Sound {
  int64_t sample_rate;  // frames per second
  int64_t channels;
  absl::Span<const float> samples;
};

template <class T>
void AppendNumber(int64_t number, std::string& to) {
  const auto stored = static_cast<T>(number);
  to.append(reinterpret_cast<const char*>(&stored), sizeof(stored));
}

// NaN becomes 0, as in TensorFlow.
int16_t ToSample(float value) {
  if (std::isnan(value)) return 0;
  return static_cast<int16_t>(
      std::clamp(std::round(value * 32768.0F), -32768.0F, 32767.0F));
}

absl::StatusOr<std::string> EncodeWav(const Sound& sound) {
  if (sound.sample_rate <= 0 || sound.sample_rate > UINT32_MAX) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sample_rate must be in (0, 2^32), got: ", sound.sample_rate));
  }
  if (sound.channels == 0 || sound.channels > UINT16_MAX) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_channels must be in (0, 2^16), got: ", sound.channels));
  }
  // The samples are in memory, so their size in bytes does not overflow.
  const int64_t data_bytes =
      static_cast<int64_t>(sound.samples.size()) * kBytesPerSample;
  if (data_bytes > UINT32_MAX - kWavHeaderBytes) {
    return absl::InvalidArgumentError(
        "Provided channels and frames cannot be encoded as a WAV.");
  }
  const int64_t frame_bytes = kBytesPerSample * sound.channels;
  std::string wav = "RIFF";
  wav.reserve(static_cast<size_t>(kWavHeaderBytes + data_bytes));
  AppendNumber<uint32_t>(kWavHeaderBytes + data_bytes - 8, wav);
  wav += "WAVEfmt ";
  AppendNumber<uint32_t>(16, wav);  // bytes of what follows, up to "data"
  AppendNumber<uint16_t>(1, wav);   // PCM
  AppendNumber<uint16_t>(sound.channels, wav);
  AppendNumber<uint32_t>(sound.sample_rate, wav);
  AppendNumber<uint32_t>(sound.sample_rate * frame_bytes, wav);
  AppendNumber<uint16_t>(frame_bytes, wav);
  AppendNumber<uint16_t>(8 * kBytesPerSample, wav);
  wav += "data";
  AppendNumber<uint32_t>(data_bytes, wav);
  for (const float sample : sound.samples) {
    AppendNumber<int16_t>(ToSample(sample), wav);
  }
  return wav;
}

}  // namespace

absl::Status AddAudio(const std::string& tag, const Tensor& sounds,
                      float sample_rate, int64_t max_outputs,
                      pb::Summary& summary) {
  const Shape& shape = sounds.shape();
  if (shape.rank() != 2 && shape.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor must be 3-D or 2-D, got: ", shape.DebugString()));
  }
  if (sounds.dtype() != DType::kFloat) {
    return absl::InvalidArgumentError(
        absl::StrCat("sounds must be float, but are ", Name(sounds.dtype())));
  }
  if (!(sample_rate > 0)) {
    return absl::InvalidArgumentError("sample_rate must be > 0");
  }
  const int64_t frames = shape.dim(1);
  const int64_t channels = shape.rank() == 2 ? 1 : shape.dim(2);
  const auto size = static_cast<size_t>(frames * channels);
  // Rates beyond 2^32 fail below. The limit makes every rate fit an int64.
  const float whole_rate = std::min(std::rint(sample_rate), 0x1p33F);
  const int64_t outputs = std::min(max_outputs, shape.dim(0));
  LEAT_RETURN_IF_ERROR(CheckNumValues(outputs, tag));
  if (outputs > 0 && frames > 0 && channels == 0) {
    return absl::InvalidArgumentError("audio is null");
  }
  const int64_t bytes = SaturatingMultiply(
      outputs, SaturatingMultiply(static_cast<int64_t>(size), kBytesPerSample));
  if (bytes > kMaxRecordBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sounds of ", bytes, " bytes are too large for a summary"));
  }
  for (int64_t i = 0; i < outputs; ++i) {
    pb::Summary::Value& value = *summary.add_value();
    value.set_tag(max_outputs > 1 ? absl::StrCat(tag, "/audio/", i)
                                  : absl::StrCat(tag, "/audio"));
    pb::Summary::Audio& audio = *value.mutable_audio();
    audio.set_sample_rate(sample_rate);
    audio.set_num_channels(channels);
    audio.set_length_frames(frames);
    audio.set_content_type("audio/wav");
    const auto begin = static_cast<size_t>(i) * size;
    LEAT_ASSIGN_OR_RETURN(
        *audio.mutable_encoded_audio_string(),
        EncodeWav({.sample_rate =
                       std::max<int64_t>(1, static_cast<int64_t>(whole_rate)),
                   .channels = channels,
                   .samples = sounds.data<float>().subspan(begin, size)}));
  }
  return absl::OkStatus();
}

}  // namespace leat
