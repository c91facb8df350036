// SPDX-License-Identifier: Apache-2.0
// Counts user instructions of known work through PAPI, by name and by raw code, and prints what it saw. Under an
// emulator's instruction-counting clock the counts are exact; tests/guest/run holds them against the work.
#include <fmt/core.h>

#include "counters/papi_source.hpp"
#include "counters/traffic.hpp"

namespace folioscope {
namespace {

/// What one further run of the known work adds: start, stop and their system calls cancel out.
void count(EventSource& papi, Traffic& traffic, std::string const& native) {
  EventRequest request;
  request.native = native;
  request.scope = CountScope::user;
  OpenFailure failure;
  auto const set = papi.open(std::span(&request, 1), failure);
  if (!set) {
    fmt::print("refused {} {}\n", native, failure.text);
    return;
  }
  auto const runs = [&](int n) {
    double known = 0;
    set->start();
    for (int i = 0; i < n; ++i) known += traffic.run(KnownTraffic::instructions);
    auto const counts = set->stop();
    return std::pair(counts.front() ? counts.front()->value : -1, known);
  };
  runs(1);  // resolves what is bound at first use
  auto const [one, known_one] = runs(1);
  auto const [two, known_two] = runs(2);
  auto const [three, known_three] = runs(3);
  fmt::print("papi {} known {:.0f} second {:.0f} third {:.0f}\n", native, known_two - known_one, two - one,
             three - two);
}

int count_all() {
  auto const papi = papi_source();
  auto const traffic = real_traffic();
  for (char const* native : {"arm_n1::INST_RETIRED", "perf_raw::r8"}) count(*papi, *traffic, native);
  return 0;
}

}  // namespace
}  // namespace folioscope

int main() { return folioscope::count_all(); }
