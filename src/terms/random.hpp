// SPDX-License-Identifier: Apache-2.0
// Reproducible randomness: the same seed gives the same plan, blocks and draws on every machine and standard library
// (std::shuffle and the standard distributions differ between libraries, so the few functions needed are here).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace folioscope {

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
 public:
  using result_type = std::uint64_t;
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  constexpr result_type operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n), n > 0; the bias of the multiply-shift is below 2^-32 for n < 2^32.
  constexpr std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * n) >> 64);
  }
  /// A generator for a part of the work, independent of how much the others draw.
  constexpr Random split(std::uint64_t tag) const {
    return Random(state_ ^ (tag * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du));
  }

 private:
  std::uint64_t state_;
};

/// Fisher and Yates.
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

inline std::vector<std::uint64_t> permutation(std::uint64_t n, Random& random) {
  std::vector<std::uint64_t> p(n);
  for (std::uint64_t i = 0; i < n; ++i) p[i] = i;
  shuffle(p, random);
  return p;
}

}  // namespace folioscope
