// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "machine/survey.hpp"

namespace folioscope {
namespace {

std::string const thp_folder = "/sys/kernel/mm/transparent_hugepage/";
std::string const hugetlb_folder = "/sys/kernel/mm/hugepages/";

/// Page sizes of arm64 (Arm ARM D8.2, translation granules) and x86-64, and what Linux builds of them.
struct Granule {
  Bytes base, pmd, contpte;
};
constexpr Granule arm64_granules[] = {{4_KiB, 2_MiB, 64_KiB}, {16_KiB, 32_MiB, 2_MiB}, {64_KiB, 512_MiB, 2_MiB}};

bool plausible(std::optional<Bytes> size) {
  return size && std::has_single_bit(size->value) && *size >= 4_KiB && *size <= Bytes(std::uint64_t{1} << 40);
}

std::optional<Bytes> file_size(Survey const& s, std::string const& path) {
  auto const number = s.files.number(path);
  auto const size = number ? std::optional(Bytes(*number)) : std::nullopt;
  return plausible(size) ? size : std::nullopt;
}

std::optional<Bytes> kilobytes_of(Survey const& s, std::string const& path, std::string_view key) {
  auto const text = s.files.text(path);
  auto const value = text ? value_of_key(*text, key) : std::nullopt;
  if (!value || !value->ends_with(" kB")) return std::nullopt;
  auto const number = parse_number(trimmed(std::string_view(*value).substr(0, value->size() - 3)));
  return number && *number < (std::uint64_t{1} << 50) ? std::optional(Bytes(*number << 10)) : std::nullopt;
}

/// "hugepages-2048kB" is 2 MiB.
std::optional<Bytes> size_in_name(std::string_view name) {
  if (!name.starts_with("hugepages-") || !name.ends_with("kB")) return std::nullopt;
  auto const number = parse_number(name.substr(10, name.size() - 12));
  if (!number || *number >= (std::uint64_t{1} << 40)) return std::nullopt;
  auto const size = Bytes(*number << 10);
  return plausible(size) ? std::optional(size) : std::nullopt;
}

void read_hugetlb(Survey& s) {
  for (auto const& name : s.files.names(hugetlb_folder)) {
    auto const size = size_in_name(name);
    auto const total = s.files.number(hugetlb_folder + name + "/nr_hugepages");
    auto const free = s.files.number(hugetlb_folder + name + "/free_hugepages");
    if (size) s.machine.hugetlb.push_back({*size, total.value_or(0), free.value_or(0)});
  }
  std::ranges::sort(s.machine.hugetlb, {}, &HugetlbPool::size);
  for (auto const& pool : s.machine.hugetlb) {
    auto const name = fmt::format("hugepages-{}kB", pool.size.value >> 10);
    auto const in_pool = [&](std::string const& folder, char const* file) {
      auto const number = s.files.number(folder + name + file);
      return number && *number <= INT64_MAX ? Json(*number) : Json();
    };
    Json nodes = Json::array();
    for (auto const& node : s.files.names("/sys/devices/system/node")) {
      auto const folder = "/sys/devices/system/node/" + node + "/hugepages/";
      if (!node.starts_with("node") || !s.files.exists(folder + name)) continue;
      nodes.push(Json::object(
          {{"node", node}, {"total", in_pool(folder, "/nr_hugepages")}, {"free", in_pool(folder, "/free_hugepages")}}));
    }
    s.know("hugetlb." + compact_bytes(pool.size),
           Json::object({{"total", in_pool(hugetlb_folder, "/nr_hugepages")},
                         {"free", in_pool(hugetlb_folder, "/free_hugepages")},
                         {"nodes", nodes}}),
           hugetlb_folder + name);
  }
  if (s.machine.hugetlb.empty())
    s.know("hugetlb.sizes", Json::array(), hugetlb_folder, "this Linux shows no hugetlb pages");
}

/// Where neither the program nor a file names the base page, the huge pages do: each granule has its own.
std::pair<std::optional<Bytes>, std::string> base_from_files(Survey const& s) {
  if (s.machine.architecture == "x86_64") return {4_KiB, "x86-64 has one base page"};
  if (auto const size = kilobytes_of(s, "/proc/self/smaps", "KernelPageSize")) return {size, "/proc/self/smaps"};
  if (s.machine.architecture != "aarch64") return {};
  if (auto const pmd = file_size(s, thp_folder + "hpage_pmd_size"))
    for (auto const& granule : arm64_granules)
      if (granule.pmd == *pmd) return {granule.base, thp_folder + "hpage_pmd_size"};
  for (auto const& granule : arm64_granules)
    if (std::ranges::find(s.machine.hugetlb, granule.pmd, &HugetlbPool::size) != s.machine.hugetlb.end())
      return {granule.base, hugetlb_folder};
  return {};
}

void find_base(Survey& s) {
  std::optional<Bytes> base;
  std::string source;
  if (s.live()) {
    long const size = ::sysconf(_SC_PAGESIZE);
    if (size > 0) base = Bytes(static_cast<std::uint64_t>(size));
    source = "sysconf";
  } else {
    std::tie(base, source) = base_from_files(s);
  }
  if (plausible(base)) {
    s.machine.base_page = *base;
    s.know(std::string(fact::base_page), base->value, source);
  } else {
    s.unknown(std::string(fact::base_page), "files", "no file tells the base page");
  }
}

Granule const* granule_of_base(Survey const& s) {
  if (s.machine.architecture != "aarch64" || s.machine.facts.value(fact::base_page).is_null()) return nullptr;
  auto const found = std::ranges::find(arm64_granules, s.machine.base_page, &Granule::base);
  return found == std::end(arm64_granules) ? nullptr : found;
}

void find_folio(Survey& s) {
  auto const key = std::string(fact::folio);
  auto const path = thp_folder + "hpage_pmd_size";
  auto const* granule = granule_of_base(s);
  auto const said = s.files.text(path, 64);
  std::string const why = said ? fmt::format("hpage_pmd_size says {}, which is no size of a huge page", *said)
                          : s.files.exists(path) ? "hpage_pmd_size is not readable"
                                                 : "hpage_pmd_size is missing";
  if (auto const pmd = file_size(s, path)) {
    s.machine.folio = pmd;
    s.know(key, pmd->value, path);
  } else if (s.machine.architecture == "x86_64") {
    s.machine.folio = 2_MiB;
    s.know(key, s.machine.folio->value, "x86-64 has one PMD page", why);
  } else if (granule) {
    s.machine.folio = granule->pmd;
    s.know(key, granule->pmd.value, "arm64's translation granule", why);
  } else if (auto const huge = kilobytes_of(s, "/proc/meminfo", "Hugepagesize"); plausible(huge)) {
    s.machine.folio = huge;
    s.know(key, huge->value, "/proc/meminfo", "the default hugetlb page, a PMD page as a rule");
  } else {
    s.unknown(key, path, why + ", and nothing else tells");
  }
  if (granule) s.know("pages.contpte_bytes", granule->contpte.value, "arm64's translation granule");
}

/// One of Linux's selector files; "" when it is missing.
std::string selected(Survey& s, std::string const& key, std::string const& path, std::string const& missing) {
  auto const text = s.files.text(path);
  auto const mode = text ? bracketed(*text) : std::nullopt;
  if (mode)
    s.know(key, *mode, path);
  else
    s.unknown(key, path, text ? "has no [selected] word" : missing);
  return mode.value_or("");
}

void read_thp(Survey& s) {
  std::string const not_built = s.files.exists(thp_folder)
                                    ? "missing or not readable"
                                    : "missing: transparent huge pages are not built, or /sys is hidden";
  s.machine.thp_mode = selected(s, "thp.enabled", thp_folder + "enabled", not_built);
  selected(s, "thp.defrag", thp_folder + "defrag", not_built);
  s.machine.shmem_mode = selected(s, "thp.shmem_enabled", thp_folder + "shmem_enabled", not_built);
  s.know_number("thp.use_zero_page", thp_folder + "use_zero_page");
  for (auto const& name : s.files.names(thp_folder)) {
    auto const size = size_in_name(name);
    if (!size) continue;
    auto const text = s.files.text(thp_folder + name + "/enabled");
    auto const mode = text ? bracketed(*text) : std::nullopt;
    // Sizes that exist for shared memory only have no such file.
    if (mode) s.machine.mthp.push_back({*size, *mode});
  }
  std::ranges::sort(s.machine.mthp, {}, &MthpSize::size);
  for (auto const& mthp : s.machine.mthp) {
    auto const path = fmt::format("{}hugepages-{}kB/", thp_folder, mthp.size.value >> 10);
    s.know("mthp." + compact_bytes(mthp.size), mthp.mode, path + "enabled");
  }
  if (s.machine.mthp.empty()) s.know("mthp.sizes", Json::array(), thp_folder, "this Linux shows no mTHP sizes");
}

}  // namespace

void survey_pages(Survey& s) {
  Survey pools;  // the pools tell the base page, but their facts come after it
  pools.files = s.files;
  read_hugetlb(pools);
  s.machine.hugetlb = pools.machine.hugetlb;
  find_base(s);
  find_folio(s);
  read_thp(s);
  for (auto const& fact : pools.machine.facts.all()) s.know(fact.key, fact.value, fact.source, fact.note);
}

}  // namespace folioscope
