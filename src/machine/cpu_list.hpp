// SPDX-License-Identifier: Apache-2.0
// Linux's CPU lists ("0-3,8") as ascending numbers. CPU sets have no fixed size: machines with more than 1,024 CPUs are
// met.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace folioscope {

/// CPU numbers from here on are not believed.
inline constexpr unsigned most_cpus = 1 << 16;

/// nullopt for what is no list; the empty text is the empty list (a memoryless or CPU-less node has one).
std::optional<std::vector<unsigned>> parse_cpu_list(std::string_view text);
std::string format_cpu_list(std::vector<unsigned> const& cpus);
std::vector<unsigned> intersection(std::vector<unsigned> const& a, std::vector<unsigned> const& b);

/// The CPUs that this thread may run on; empty when Linux does not say.
std::vector<unsigned> affinity();

}  // namespace folioscope
