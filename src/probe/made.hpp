// SPDX-License-Identifier: Apache-2.0
// States made on purpose: pages just written, pushed out of one cache after the other, and flushed.
#pragma once
#include <cstddef>
#include <vector>

#include "probe/chain.hpp"
#include "probe/ground.hpp"
#include "terms/random.hpp"
#include "terms/units.hpp"

namespace folioscope {

class MadeStates {
 public:
  struct Request {
    std::vector<LatencyLevel> levels;  ///< nearest first, memory last
    Bytes page;                        ///< a multiple of 64
    std::uint64_t seed = 1;
  };
  explicit MadeStates(Request request);

  /// Writes a few pages and brings their lines into the level (an index): one page for the nearest, which more of them
  /// would fill.
  std::vector<std::byte const*> make(std::size_t level, Random& random);
  Bytes page() const { return request_.page; }

 private:
  Request request_;
  Ground pages_, others_;
};

}  // namespace folioscope
