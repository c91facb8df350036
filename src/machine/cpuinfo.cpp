// SPDX-License-Identifier: Apache-2.0
#include "machine/cpuinfo.hpp"

#include <algorithm>

#include "machine/cpu_list.hpp"
#include "machine/files.hpp"
#include "machine/midr.hpp"

namespace folioscope {
namespace {

std::optional<unsigned> small_number(std::string_view text) {
  auto const number = parse_number(text);
  return number && *number < (1u << 24) ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

/// The lines of one CPU, gathered until the next "processor" line.
struct Gathering {
  CpuInfoEntry entry;
  std::optional<unsigned> implementer, variant, part, revision;

  void take(std::string_view key, std::string_view value) {
    if (key == "vendor_id")
      entry.vendor = value;
    else if (key == "model name")
      entry.name = value;
    else if (key == "cpu family")
      entry.family = small_number(value);
    else if (key == "model")
      entry.model = small_number(value);
    else if (key == "stepping")
      entry.stepping = small_number(value);
    else if (key == "CPU implementer")
      implementer = small_number(value);
    else if (key == "CPU variant")
      variant = small_number(value);
    else if (key == "CPU part")
      part = small_number(value);
    else if (key == "CPU revision")
      revision = small_number(value);
  }
  CpuInfoEntry finished() const {
    CpuInfoEntry done = entry;
    constexpr unsigned by_id_scheme = 0xf;  // MIDR_EL1.Architecture of every Armv8 core; cpuinfo prints 8 for it
    if (implementer && part && *implementer <= 0xff && *part <= 0xfff)
      done.midr = encode_midr({*implementer, variant.value_or(0), by_id_scheme, *part, revision.value_or(0)});
    return done;
  }
};

}  // namespace

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  std::optional<Gathering> current;
  auto const finish = [&] {
    if (!current) return;
    info.cpus.push_back(current->finished());
    auto const& last = info.cpus.back();
    if (info.architecture.empty()) info.architecture = last.midr ? "aarch64" : last.vendor.empty() ? "" : "x86_64";
    current.reset();
  };
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    auto const key = trimmed(line.substr(0, colon));
    auto const value = trimmed(line.substr(colon + 1));
    if (key == "processor") {
      finish();
      if (auto const cpu = small_number(value); cpu && *cpu < most_cpus) {
        current.emplace();
        current->entry.cpu = *cpu;
      }
    } else if (current) {
      current->take(key, value);
      if ((key == "flags" || key == "Features") && info.features.empty())
        for (auto word : words_of(value)) info.features.emplace_back(word);
    }
  }
  finish();
  std::ranges::stable_sort(info.cpus, {}, &CpuInfoEntry::cpu);
  auto const repeats = std::ranges::unique(info.cpus, {}, &CpuInfoEntry::cpu);
  info.cpus.erase(repeats.begin(), repeats.end());
  return info;
}

}  // namespace folioscope
