// SPDX-License-Identifier: Apache-2.0
#include "backing/state.hpp"

#include <algorithm>
#include <cassert>

#include "backing/cold.hpp"
#include "terms/ticks.hpp"

namespace folioscope {
namespace {

/// No byte of it is zero, and no two words of a line could pass for a pointer or a repeated small number.
constexpr std::uint64_t kPattern = 0xa5c3'96e1'5a3c'691eu;

#if defined(__x86_64__)
constexpr auto kArchitecture = "x86_64";
#else
constexpr auto kArchitecture = "aarch64";
#endif

/// Ordinary 8-byte stores that no compiler turns into a library call, which may bypass the caches by size.
void store_plain(std::byte* to, std::uint64_t length, std::uint64_t pattern) {
  for (std::uint64_t i = 0; i < length; i += 64)
    for (std::uint64_t j = 0; j < 64; j += 8) *reinterpret_cast<std::uint64_t volatile*>(to + i + j) = pattern;
}

void make_hot(std::span<std::byte* const> extents, std::uint64_t length, std::uint64_t page, Random& random) {
  auto const pages = (length + page - 1) / page;
  std::vector<std::uint32_t> order(extents.size() * pages);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  shuffle(order, random);
  for (auto const i : order) {
    auto const offset = i % pages * page;
    store_plain(extents[i / pages] + offset, std::min(page, length - offset), kPattern);
  }
  full_fence();
}

}  // namespace

std::optional<Refusal> refuse(State state, Machine const& machine) {
  if (machine.architecture != kArchitecture)
    return Refusal{to_string(state), "states are made by " + std::string(kArchitecture) + " instructions in this build",
                   ""};
  if (state == State::hot) return std::nullopt;
  if (auto reason = backing::why_no_cold_stores())
    return Refusal{to_string(state), std::move(*reason), "measure the state hot"};
  return std::nullopt;
}

void make_state(State state, std::span<std::byte* const> extents, Bytes length, Bytes base_page, Random& random) {
  assert(length.value % 64 == 0);
  if (state == State::hot) return make_hot(extents, length.value, base_page.value, random);
  for (auto* extent : extents) backing::store_cold(extent, length.value, state == State::cold ? kPattern : 0);
  backing::finish_cold_stores();
}

}  // namespace folioscope
