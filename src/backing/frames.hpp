// SPDX-License-Identifier: Apache-2.0
// Physical frames by /proc/self/pagemap and their flags by /proc/kpageflags, both readable by root alone as a rule.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "backing/mapping.hpp"
#include "terms/json.hpp"

namespace folioscope::backing {

/// Frame numbers of `pages` base pages from `begin`; nullopt where Linux hides them or a page is absent.
class Pagemap {
 public:
  Pagemap();
  ~Pagemap();
  Pagemap(Pagemap const&) = delete;
  Pagemap& operator=(Pagemap const&) = delete;
  std::optional<std::vector<std::uint64_t>> frames(std::byte const* begin, std::size_t pages, Bytes base) const;
  /// Of `count` frames that follow each other; nullopt where not readable.
  std::optional<std::vector<std::uint64_t>> flags(std::uint64_t frame, std::size_t count) const;

 private:
  int pagemap_;
  int kpageflags_;
};

/// How a sample of equal, aligned units of a mapping is made.
struct FrameSample {
  unsigned units = 0;
  unsigned whole =
      0;  ///< one compound page covers the unit exactly: contiguous, aligned frames, a head, then only tails
  unsigned single = 0;   ///< no page of the unit belongs to a compound page
  unsigned flagged = 0;  ///< whole, and its head carries the THP flag
};

/// Up to `most` units of `unit` bytes, evenly spread; nullopt where pagemap or kpageflags cannot be read.
std::optional<FrameSample> sample_frames(Mapping const& mapping, Bytes unit, Bytes base, unsigned most);
Json to_json(FrameSample const& sample);

}  // namespace folioscope::backing
