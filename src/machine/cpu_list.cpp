// SPDX-License-Identifier: Apache-2.0
#include "machine/cpu_list.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "machine/files.hpp"

namespace folioscope {

std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  text = trimmed(text);
  while (!text.empty()) {
    auto const comma = std::min(text.find(','), text.size());
    auto const item = text.substr(0, comma);
    auto const dash = item.find('-');
    auto const first = parse_number(item.substr(0, dash));
    auto const last = dash == std::string_view::npos ? first : parse_number(item.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= most_cpus) return std::nullopt;
    if (cpus.size() + (*last - *first) >= most_cpus) return std::nullopt;
    for (auto cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<unsigned>(cpu));
    if (comma + 1 == text.size()) return std::nullopt;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(std::vector<unsigned> const& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::vector<unsigned> intersection(std::vector<unsigned> const& a, std::vector<unsigned> const& b) {
  std::vector<unsigned> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

std::vector<unsigned> affinity() {
  // Linux answers EINVAL while the set is smaller than its own (nr_cpu_ids), so the set grows until it is not.
  for (unsigned n = 1024; n <= most_cpus; n *= 2) {
    std::vector<cpu_set_t> set(n / CPU_SETSIZE + 1);
    std::size_t const size = set.size() * sizeof(cpu_set_t);
    for (auto& part : set) CPU_ZERO(&part);
    if (::sched_getaffinity(0, size, set.data()) == 0) {
      std::vector<unsigned> cpus;
      for (unsigned cpu = 0; cpu < size * 8; ++cpu)
        if (CPU_ISSET_S(cpu, size, set.data())) cpus.push_back(cpu);
      return cpus;
    }
    if (errno != EINVAL) break;
  }
  return {};
}

}  // namespace folioscope
