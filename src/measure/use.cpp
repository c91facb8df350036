// SPDX-License-Identifier: Apache-2.0
#include "measure/use.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "terms/random.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

constexpr std::uint64_t used_line = 64;

template <Access access>
inline void use_line(std::byte* at, std::uint64_t& sum) {
  auto* const word = reinterpret_cast<std::uint64_t*>(at);
  if constexpr (access == Access::modify)
    *word += 1;
  else
    sum += *word;
  asm volatile("" : "+r"(sum)::"memory");  // no access is moved, merged or dropped by the compiler
}

template <Access access>
void use_lines(FolioUse const& use, std::byte* folio) {
  std::uint64_t sum = 0;
  auto const up = [&](std::uint64_t first, std::uint64_t count) {
    for (auto *at = folio + first * used_line, *end = at + count * used_line; at != end; at += used_line)
      use_line<access>(at, sum);
  };
  switch (use.pattern) {
    case Pattern::target:
    case Pattern::ascending:
    case Pattern::from_target: {
      auto const before_end = std::min(use.count, use.lines - use.first);
      up(use.first, before_end);
      up(0, use.count - before_end);
      return;
    }
    case Pattern::descending:
      for (auto *at = folio + use.lines * used_line, *end = at - use.count * used_line; at != end;) {
        at -= used_line;
        use_line<access>(at, sum);
      }
      return;
    case Pattern::random: {
      auto const mask = std::bit_ceil(use.lines) - 1;
      auto line = use.first;
      for (std::uint64_t left = use.count; left > 0;) {
        line = (line * use.factor + use.step) & mask;
        if (line >= use.lines) continue;
        use_line<access>(folio + line * used_line, sum);
        --left;
      }
      return;
    }
  }
}

}  // namespace

FolioUse ready(Use const& use, Bytes extent, Bytes base_page, std::uint64_t seed) {
  FolioUse r;
  r.pattern = use.pattern;
  r.access = use.access;
  r.lines = extent.value / used_line;
  auto const page = std::min(r.lines, base_page.value / used_line);
  auto const wanted = static_cast<std::uint64_t>(std::llround(use.fraction * static_cast<double>(r.lines)));
  r.count = use.pattern == Pattern::target ? page : std::clamp<std::uint64_t>(wanted, 1, r.lines);
  if (use.target) r.first = std::min(*use.target * page, r.lines - page);
  if (use.pattern == Pattern::random) {
    // Full period modulo a power of two: an odd step and a factor of 1 modulo 4 (Hull and Dobell, 1962). A large factor
    // scatters neighbours over the folio.
    Random random(seed);
    auto const all = std::bit_ceil(r.lines);
    r.factor = ((all / 3 + random.below(all / 3 + 1)) & ~std::uint64_t{3}) | 1;
    r.step = random.below(all) | 1;
    r.first = random.below(all);
  }
  return r;
}

void use_folio(FolioUse const& use, std::byte* folio) {
  if (use.access == Access::modify)
    use_lines<Access::modify>(use, folio);
  else
    use_lines<Access::read>(use, folio);
}

Bill clear_and_use(Walk const& what, FolioUse const& use) {
  Bill bill;
  std::uint64_t clearing = 0;
  for (std::byte* const& folio : what.folios) {
    Walk one = what;
    one.folios = {&folio, 1};
    Ticks const clear = walk(one);
    use_folio(use, folio);
    full_fence();
    bill.use_ticks += ticks() - clear.end;
    clearing += clear.end - clear.start;
    if (bill.clears.start == 0) bill.clears.start = clear.start;
  }
  bill.clears.end = bill.clears.start + clearing;
  return bill;
}

}  // namespace folioscope
