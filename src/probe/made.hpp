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
    std::vector<Bytes> pushing;        ///< by level: what is read to get there; pushing_sizes() has candidates
  };
  explicit MadeStates(Request request);

  /// Writes a few pages and brings their lines into the level (an index): one page for the nearest, which more of them
  /// would fill. None where no memory could be had.
  std::vector<std::byte const*> make(std::size_t level, Random& random);
  Bytes page() const { return request_.page; }
  void push_with(std::size_t level, Bytes bytes) { request_.pushing[level] = bytes; }

 private:
  Request request_;
  Ground pages_, others_;
};

/// What might push lines out of the level before and not out of this one: which does is to be tried. For memory, and
/// for the nearest level, the only one.
std::vector<Bytes> pushing_sizes(std::vector<LatencyLevel> const& levels, std::size_t level);

}  // namespace folioscope
