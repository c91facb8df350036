// SPDX-License-Identifier: Apache-2.0
#include "backing/frames.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace folioscope::backing {
namespace {

// Linux: Documentation/admin-guide/mm/pagemap.rst
constexpr std::uint64_t kPresent = 1ull << 63;
constexpr std::uint64_t kFrame = (1ull << 55) - 1;
constexpr std::uint64_t kHead = 1ull << 15;
constexpr std::uint64_t kTail = 1ull << 16;
constexpr std::uint64_t kThp = 1ull << 22;

std::optional<std::vector<std::uint64_t>> read_words(int file, std::uint64_t index, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  auto const bytes = count * sizeof(std::uint64_t);
  std::size_t done = 0;
  while (done < bytes) {
    auto const n = pread(file, reinterpret_cast<char*>(words.data()) + done, bytes - done,
                         static_cast<off_t>(index * sizeof(std::uint64_t) + done));
    if (n <= 0) return std::nullopt;
    done += static_cast<std::size_t>(n);
  }
  return words;
}

bool contiguous(std::vector<std::uint64_t> const& frames) {
  for (std::size_t i = 1; i < frames.size(); ++i)
    if (frames[i] != frames[0] + i) return false;
  return true;
}

}  // namespace

Pagemap::Pagemap()
    : pagemap_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)),
      kpageflags_(open("/proc/kpageflags", O_RDONLY | O_CLOEXEC)) {}

Pagemap::~Pagemap() {
  if (pagemap_ >= 0) close(pagemap_);
  if (kpageflags_ >= 0) close(kpageflags_);
}

std::optional<std::vector<std::uint64_t>> Pagemap::frames(std::byte const* begin, std::size_t pages, Bytes base) const {
  if (pagemap_ < 0) return std::nullopt;
  auto entries = read_words(pagemap_, reinterpret_cast<std::uintptr_t>(begin) / base.value, pages);
  if (!entries) return std::nullopt;
  for (auto& entry : *entries) {
    // Without the right to see them every frame reads as 0, which no program's memory is.
    if (!(entry & kPresent) || (entry & kFrame) == 0) return std::nullopt;
    entry &= kFrame;
  }
  return entries;
}

std::optional<std::vector<std::uint64_t>> Pagemap::flags(std::uint64_t frame, std::size_t count) const {
  if (kpageflags_ < 0) return std::nullopt;
  return read_words(kpageflags_, frame, count);
}

std::optional<FrameSample> sample_frames(Mapping const& mapping, Bytes unit, Bytes base, unsigned most) {
  Pagemap const pagemap;
  FrameSample sample;
  auto const units = mapping.length() / unit;
  auto const pages = unit / base;
  auto const count = std::min<std::uint64_t>(units, most);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const* begin = mapping.begin() + units * i / count * unit.value;
    auto const frames = pagemap.frames(begin, pages, base);
    if (!frames) return std::nullopt;
    bool const one_run = contiguous(*frames);
    auto const flags = pagemap.flags(frames->front(), one_run ? pages : 1);
    if (!flags) return std::nullopt;
    ++sample.units;
    auto const tail = [](std::uint64_t f) { return (f & kTail) != 0; };
    bool const whole = pages > 1 && one_run && frames->front() % pages == 0 && (flags->front() & kHead) &&
                       std::all_of(flags->begin() + 1, flags->end(), tail);
    sample.whole += whole;
    sample.flagged += whole && (flags->front() & kThp);
    sample.single +=
        one_run && std::none_of(flags->begin(), flags->end(), [](auto f) { return (f & (kHead | kTail)) != 0; });
  }
  return sample;
}

Json to_json(FrameSample const& sample) {
  return Json::object(
      {{"units", sample.units}, {"whole", sample.whole}, {"single", sample.single}, {"thp_flag", sample.flagged}});
}

}  // namespace folioscope::backing
