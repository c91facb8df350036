// SPDX-License-Identifier: Apache-2.0
// Just enough of the machine that tests run on for pools and states, read from /sys.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "machine/machine.hpp"

namespace folioscope::testing_here {

/// "always [madvise] never" -> "madvise"
inline std::string chosen(std::filesystem::path const& file) {
  std::ifstream stream(file);
  std::string text;
  std::getline(stream, text);
  auto const open = text.find('[');
  auto const close = text.find(']');
  return open == std::string::npos || close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

/// The number in "hugepages-64kB".
inline Bytes size_in(std::string const& name) {
  auto const digits = name.find_first_of("0123456789");
  return digits == std::string::npos ? Bytes{} : Bytes(std::stoull(name.substr(digits)) << 10);
}

inline Machine this_machine() {
  Machine m;
#if defined(__x86_64__)
  m.architecture = "x86_64";
#else
  m.architecture = "aarch64";
#endif
  m.base_page = Bytes(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  std::filesystem::path const thp = "/sys/kernel/mm/transparent_hugepage";
  m.thp_mode = chosen(thp / "enabled");
  std::uint64_t folio = m.base_page.value / 8 * m.base_page.value;  // a page of 8-byte entries
  std::ifstream(thp / "hpage_pmd_size") >> folio;
  m.folio = Bytes(folio);
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(thp, none))
    if (entry.path().filename().string().starts_with("hugepages-"))
      m.mthp.push_back({size_in(entry.path().filename()), chosen(entry.path() / "enabled")});
  for (auto const& entry : std::filesystem::directory_iterator("/sys/kernel/mm/hugepages", none))
    m.hugetlb.push_back({size_in(entry.path().filename()), 0, 0});
  return m;
}

}  // namespace folioscope::testing_here
