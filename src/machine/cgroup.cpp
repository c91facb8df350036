// SPDX-License-Identifier: Apache-2.0
#include "machine/cgroup.hpp"

#include <algorithm>

namespace folioscope {
namespace {

struct Version {
  char const* root;
  char const *limit, *usage, *inactive;
};
constexpr Version one{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                      "total_inactive_file"};
constexpr Version two{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"};
/// Where version 2 is mounted beside version 1.
constexpr Version hybrid{"/sys/fs/cgroup/unified", "/memory.max", "/memory.current", "inactive_file"};

/// "key value" lines, as memory.stat has them.
std::optional<std::uint64_t> statistic(std::string_view text, std::string_view key) {
  auto const words = words_of(text);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    if (words[i] == key) return parse_number(words[i + 1]);
  return std::nullopt;
}

std::optional<CgroupLimit> limit_of(SystemFiles const& files, Version const& version, std::string const& folder) {
  // "max" (version 2) is no number, and version 1 says nearly 2^63 for none.
  auto const limit = files.number(folder + version.limit);
  if (!limit || *limit >= (std::uint64_t{1} << 60)) return std::nullopt;
  auto const usage = files.number(folder + version.usage).value_or(0);
  auto const stat = files.text(folder + "/memory.stat");
  auto const inactive = stat ? statistic(*stat, version.inactive).value_or(0) : 0;
  auto const held = usage - std::min(usage, inactive);
  return CgroupLimit{Bytes(*limit), Bytes(*limit - std::min(*limit, held)), folder};
}

/// From the process's own group up to the mount. In a cgroup namespace the path names nothing visible; the mount is
/// then the group.
std::optional<CgroupLimit> tightest(SystemFiles const& files, Version const& version, std::string path) {
  std::optional<CgroupLimit> found;
  if (path.find("..") != std::string::npos) path.clear();
  for (;;) {
    if (path == "/") path.clear();
    auto const here = limit_of(files, version, version.root + path);
    if (here && (!found || here->headroom < found->headroom)) found = here;
    if (path.empty()) return found;
    path.erase(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

}  // namespace

std::optional<CgroupLimit> read_cgroup_limit(SystemFiles const& files) {
  auto const text = files.text("/proc/self/cgroup");
  std::string path_one, path_two;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    auto const end = std::min(rest.find('\n'), rest.size());
    auto const line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto const first = line.find(':');
    auto const second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    auto const controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (controllers == ",,") path_two = line.substr(second + 1);
    if (controllers.find(",memory,") != std::string::npos) path_one = line.substr(second + 1);
  }
  std::optional<CgroupLimit> found;
  for (auto const& [version, path] :
       {std::pair(one, path_one), std::pair(two, path_two), std::pair(hybrid, path_two)}) {
    auto const limit = tightest(files, version, path);
    if (limit && (!found || limit->headroom < found->headroom)) found = limit;
  }
  return found;
}

}  // namespace folioscope
