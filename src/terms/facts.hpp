// SPDX-License-Identifier: Apache-2.0
// Machine facts with provenance. A fact that is not known has a null value and says why in its note; it is never 0 or
// -1. Two sources that disagree are two facts under one key, the trusted one first.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/json.hpp"

namespace folioscope {

struct Fact {
  std::string key;  ///< dotted: "cpu.model", "cache.L2.size_bytes", "linux.release", "thp.enabled"
  Json value;
  std::string source;  ///< "/sys/devices/...", "cpuid 0x80000026", "measured", "uname"
  std::string note;
  friend bool operator==(Fact const&, Fact const&) = default;
};

class Facts {
 public:
  Facts() = default;
  explicit Facts(std::vector<Fact> facts) : facts_(std::move(facts)) {}
  void add(std::string key, Json value, std::string source, std::string note = {});
  /// The first fact of that key; nullptr when there is none.
  Fact const* find(std::string_view key) const;
  /// Its value, or null.
  Json const& value(std::string_view key) const;
  std::vector<Fact> const& all() const { return facts_; }

 private:
  std::vector<Fact> facts_;
};

/// The keys that more than one module relies on.
namespace fact {
inline constexpr std::string_view architecture = "cpu.architecture";  // "x86_64", "aarch64"
inline constexpr std::string_view cpu_vendor = "cpu.vendor";
inline constexpr std::string_view cpu_model = "cpu.model";  // name for people
inline constexpr std::string_view model_key = "identity.model_key";
inline constexpr std::string_view instance_key = "identity.instance_key";
inline constexpr std::string_view hostname = "identity.hostname";
inline constexpr std::string_view boot_id = "identity.boot_id";
inline constexpr std::string_view emulator = "platform.emulator";  // null, or its name: timings are no results
inline constexpr std::string_view hypervisor = "platform.hypervisor";
inline constexpr std::string_view linux_release = "linux.release";
inline constexpr std::string_view preemption = "linux.preemption";
inline constexpr std::string_view base_page = "pages.base_bytes";
inline constexpr std::string_view folio = "pages.folio_bytes";  // PMD size
inline constexpr std::string_view linux_kernel =
    "linux.clear_kernel";                                        // the kernel that Linux itself uses here: "rep_stosb"
inline constexpr std::string_view cpus_allowed = "cpu.allowed";  // list text
inline constexpr std::string_view cache_prefix =
    "cache.";  // cache.L1d.size_bytes, cache.L2.size_bytes, cache.L3.size_bytes, ...line_bytes, ...shared_cpus
}  // namespace fact

/// Instance and model together: clones of one image share their machine id. nullopt: the instance is unknown.
std::optional<std::string> machine_of(Facts const& facts);

}  // namespace folioscope
