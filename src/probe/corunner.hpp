// SPDX-License-Identifier: Apache-2.0
// Somebody else at work on another CPU: what memory and shared caches are like on a machine that is not idle.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "probe/chain.hpp"
#include "terms/granted.hpp"

namespace folioscope {

class Corunner {
 public:
  /// One step of the work, some microseconds long; called over and over.
  using Step = std::function<void()>;
  /// A thread pinned to the CPU, asleep until it is told to go; refused where the pin does not hold.
  static Granted<Corunner> hire(unsigned cpu, Step step);
  ~Corunner();
  Corunner(Corunner&&) noexcept;
  Corunner& operator=(Corunner&&) noexcept;

  void go();    ///< returns when a first step is done
  void rest();  ///< returns when the last step is done
  /// Steps done since it was hired.
  std::uint64_t steps() const;

 private:
  struct Inside;
  explicit Corunner(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

/// Reads and writes every line of an own buffer, round and round: presses on caches of about that size.
Corunner::Step pressing_on(Bytes size);
/// Clears an own buffer of that size with `clear`, `piece` bytes a step, round and round.
Corunner::Step clearing(void (*clear)(void*, std::size_t), Bytes size, Bytes piece);

/// The latency curve while the co-runner works: idle_latency_curve otherwise.
std::vector<LatencyPoint> loaded_latency_curve(LatencyRequest const& request, Corunner& corunner);

}  // namespace folioscope
