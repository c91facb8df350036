// SPDX-License-Identifier: Apache-2.0
// Caches of the first allowed CPU. /sys is believed first, then hwloc, then CPUID; glibc's sysconf is shown but never
// used: it has been seen to report ten times the L3. A size of 0 means unknown everywhere.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "machine/cpu_list.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

std::string name_of(unsigned level, std::string_view type) {
  auto const suffix = type == "data" ? "d" : type == "instruction" ? "i" : "";
  return fmt::format("L{}{}", level, suffix);
}

std::optional<Bytes> positive(std::optional<Bytes> bytes) { return bytes && bytes->value != 0 ? bytes : std::nullopt; }

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool same_cache(Cache const& a, Cache const& b) { return a.level == b.level && a.type == b.type; }

std::vector<Cache> read_sysfs(Survey const& s, unsigned cpu) {
  std::vector<Cache> caches;
  auto const folder = fmt::format("{}cpu{}/cache", cpu_folder, cpu);
  for (auto const& index : s.files.names(folder)) {
    if (!index.starts_with("index")) continue;
    auto const path = fmt::format("{}/{}", folder, index);
    auto const level = s.files.number(path + "/level");
    auto const type = lower(s.files.text(path + "/type").value_or(""));
    if (!level || *level == 0 || *level > 9 || (type != "data" && type != "instruction" && type != "unified")) continue;
    Cache cache;
    cache.level = static_cast<unsigned>(*level);
    cache.type = type;
    if (auto const size = s.files.text(path + "/size")) cache.size = positive(parse_bytes(*size));
    if (auto const line = s.files.number(path + "/coherency_line_size")) cache.line = positive(Bytes(*line));
    if (auto const shared = s.files.text(path + "/shared_cpu_list"))
      cache.cpus = parse_cpu_list(*shared).value_or(cache.cpus);
    cache.source = path;
    if (std::ranges::none_of(caches, [&](Cache const& other) { return same_cache(cache, other); }))
      caches.push_back(cache);
  }
  return caches;
}

std::vector<Cache> caches_of_cpuid(Survey const& s) {
  std::vector<Cache> caches;
  if (s.cpuid)
    for (auto const& c : decode_caches(*s.cpuid))
      caches.push_back({c.level, c.type, positive(c.size), positive(c.line), {}, c.leaf});
  return caches;
}

std::vector<Cache> caches_of_sysconf() {
  std::vector<Cache> caches;
  struct Name {
    unsigned level;
    char const* type;
    int size, line;
  };
  constexpr Name names[] = {{1, "data", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_LINESIZE},
                            {1, "instruction", _SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_LINESIZE},
                            {2, "unified", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_LINESIZE},
                            {3, "unified", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_LINESIZE}};
  for (auto const& name : names) {
    long const size = ::sysconf(name.size), line = ::sysconf(name.line);
    if (size <= 0) continue;
    caches.push_back({name.level,
                      name.type,
                      Bytes(static_cast<std::uint64_t>(size)),
                      line > 0 ? std::optional(Bytes(static_cast<std::uint64_t>(line))) : std::nullopt,
                      {},
                      "glibc sysconf"});
  }
  return caches;
}

/// What a trusted source leaves open, a less trusted one fills.
void fill(std::vector<Cache>& caches, std::vector<Cache> const& others) {
  bool const none = caches.empty();
  for (auto const& other : others) {
    auto const found = std::ranges::find_if(caches, [&](Cache const& c) { return same_cache(c, other); });
    if (found == caches.end()) {
      if (none) caches.push_back(other);
      continue;
    }
    bool const took_size = !found->size && other.size;
    if (took_size) found->size = other.size;
    if (!found->line) found->line = other.line;
    if (took_size) found->source = other.source;
    if (found->cpus.empty()) found->cpus = other.cpus;
  }
}

void know_cache(Survey& s, Cache const& cache, std::vector<Cache> const& all) {
  auto const key = std::string(fact::cache_prefix) + name_of(cache.level, cache.type);
  std::string agree;
  std::vector<Cache const*> differ;
  for (auto const& other : all) {
    if (!same_cache(other, cache) || !other.size || other.source == cache.source) continue;
    if (other.size == cache.size)
      agree += (agree.empty() ? "" : ", ") + other.source;
    else
      differ.push_back(&other);
  }
  if (cache.size) {
    auto note = agree.empty() ? "" : "agreed by " + agree;
    for (auto const* other : differ)
      note += fmt::format("{}{} says {}", note.empty() ? "" : "; ", other->source, format_bytes(*other->size));
    s.know(key + ".size_bytes", cache.size->value, cache.source, note);
    for (auto const* other : differ)
      s.know(key + ".size_bytes", other->size->value, other->source,
             "disagrees with " + cache.source + ", which is believed");
  } else {
    s.unknown(key + ".size_bytes", cache.source, "no source tells the size");
  }
  if (cache.line)
    s.know(key + ".line_bytes", cache.line->value, cache.source);
  else
    s.unknown(key + ".line_bytes", cache.source, "no source tells the line");
  if (cache.cpus.empty())
    s.unknown(key + ".shared_cpus", cache.source, "no source tells who shares it");
  else
    s.know(key + ".shared_cpus", format_cpu_list(cache.cpus), cache.source);
}

/// Where cores differ, the caches of the first allowed CPU say nothing of the others.
void know_caches_of_kinds(Survey& s) {
  auto const kinds = read_kinds(s);
  if (kinds.size() < 2) return;
  for (auto const& kind : kinds) {
    auto caches = read_sysfs(s, kind.cpus.front());
    std::ranges::sort(caches, {}, [](Cache const& c) { return std::pair(c.level, c.type); });
    for (auto const& cache : caches) {
      auto const key =
          fmt::format("caches_of_kinds.cpu{}.{}.size_bytes", kind.cpus.front(), name_of(cache.level, cache.type));
      auto const note = fmt::format("{}CPUs {}", kind.name.empty() ? "" : kind.name + ", ", format_cpu_list(kind.cpus));
      if (cache.size)
        s.know(key, cache.size->value, cache.source, note);
      else
        s.unknown(key, cache.source, "no size is readable; " + note);
    }
  }
}

}  // namespace

void survey_caches(Survey& s) {
  auto& caches = s.machine.caches;
  std::vector<Cache> all;
  std::string looked = std::string(cpu_folder) + "cpu*/cache";
  if (!s.machine.allowed_cpus.empty()) {
    unsigned const cpu = s.machine.allowed_cpus.front();
    caches = read_sysfs(s, cpu);
    if (s.live()) {
      looked += ", hwloc and cpuid";
      auto const hwloc = read_hwloc(cpu);
      auto const cpuid = caches_of_cpuid(s);
      for (auto const& source : {hwloc ? hwloc->caches : std::vector<Cache>{}, cpuid, caches_of_sysconf()})
        all.insert(all.end(), source.begin(), source.end());
      if (hwloc) fill(caches, hwloc->caches);
      fill(caches, cpuid);
      if (hwloc && hwloc->packages) s.know("cpu.packages", hwloc->packages, "hwloc");
      if (hwloc && hwloc->cores) s.know("cpu.cores", hwloc->cores, "hwloc", "allowed ones");
    }
  }
  // Data before instruction within a level.
  std::ranges::sort(
      caches, [](Cache const& a, Cache const& b) { return std::pair(a.level, a.type) < std::pair(b.level, b.type); });
  for (auto const& cache : caches) know_cache(s, cache, all);
  know_caches_of_kinds(s);
  if (caches.empty())
    for (auto const* name : {"L1d", "L2", "L3"})
      s.unknown(std::string(fact::cache_prefix) + name + ".size_bytes", looked,
                "no source lists caches; footprints can be found by measuring latency");
}

}  // namespace folioscope
