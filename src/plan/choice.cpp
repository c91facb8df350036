// SPDX-License-Identifier: Apache-2.0
#include "plan/choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "orders/order.hpp"

namespace folioscope {
namespace {

struct Role {
  std::string_view name;
  bool (*fits)(KernelContract const&);
  enum class Take { one, widest, all } take;  ///< one: the kernel of Linux where it fits, else the first
};

/// Bytes a store, by what the contract says: the vector length of SVE is not known here and counts as the least it can
/// be.
unsigned width(KernelContract const& k) {
  auto const needs = [&](char const* feature) {
    return std::find(k.features.begin(), k.features.end(), feature) != k.features.end();
  };
  if (needs("avx512f") || needs("movdir64b")) return 64;
  if (needs("avx2")) return 32;
  return k.linux_use == LinuxUse::needs_fpu ? 16 : 8;
}

/// Portable kernels leave the choice of instructions to a library: they stand for no role.
bool of_system(KernelContract const& k) { return k.linux_use != LinuxUse::user_only; }
bool up(KernelContract const& k) { return of_system(k) && k.direction == Direction::up; }

constexpr Role roles[] = {
    {"string", [](KernelContract const& k) { return up(k) && k.store == StoreKind::string; }, Role::Take::one},
    {"zeroing", [](KernelContract const& k) { return up(k) && k.store == StoreKind::zeroing; }, Role::Take::one},
    {"down", [](KernelContract const& k) { return of_system(k) && k.direction == Direction::down; }, Role::Take::all},
    {"best_plain", [](KernelContract const& k) { return up(k) && k.store == StoreKind::plain; }, Role::Take::widest},
    {"best_bypass", [](KernelContract const& k) { return up(k) && k.store == StoreKind::non_temporal; },
     Role::Take::widest},
    {"best_bypass", [](KernelContract const& k) { return up(k) && k.store == StoreKind::hint; }, Role::Take::widest},
    {"best_bypass", [](KernelContract const& k) { return up(k) && k.store == StoreKind::zeroing; }, Role::Take::widest},
};

struct Foreign {
  std::string_view name;
  std::string_view architecture;
};
#define CLEAR(name, ...) {#name, "x86-64"},
#define COPY(name, ...) {#name, "x86-64"},
constexpr Foreign of_x86_64[] = {
#include "kernels/x86_64/catalogue.def"
};
#undef CLEAR
#undef COPY
#define CLEAR(name, ...) {#name, "arm64"},
#define COPY(name, ...) {#name, "arm64"},
constexpr Foreign of_aarch64[] = {
#include "kernels/aarch64/catalogue.def"
};
#undef CLEAR
#undef COPY

/// An experiment may name kernels of both architectures: those of the other one are refused, not unknown.
std::string_view architecture_of(std::string_view name) {
  for (auto const& list : {std::span<Foreign const>(of_x86_64), std::span<Foreign const>(of_aarch64)})
    for (Foreign const& kernel : list)
      if (kernel.name == name) return kernel.architecture;
  return {};
}

using Choice = Granted<KernelContract const*>;

Choice usable(KernelContract const& contract, Machine const& machine) {
  if (contract.kind != KernelKind::clear) return Refusal{contract.name, "copies, and this experiment clears", ""};
  if (auto refusal = refuse(contract, machine.features)) return *refusal;
  return &contract;
}

Choice linux_kernel(Machine const& machine) {
  if (machine.linux_kernel.empty())
    return Refusal{"linux", "which kernel Linux clears pages with here is not known", "name one with --kernels"};
  Kernel const* kernel = find_kernel(machine.linux_kernel);
  if (!kernel)
    return Refusal{
        "linux", fmt::format("Linux clears pages with '{}' here, which folioscope does not have", machine.linux_kernel),
        ""};
  return usable(kernel->contract, machine);
}

std::vector<Choice> fill_role(std::string const& name, Machine const& machine) {
  for (Role const& role : roles) {
    if (role.name != name) continue;
    std::vector<KernelContract const*> fitting;
    for (Kernel const& kernel : kernel_catalogue()) {
      KernelContract const& k = kernel.contract;
      if (k.kind == KernelKind::clear && role.fits(k) && !refuse(k, machine.features)) fitting.push_back(&k);
    }
    if (fitting.empty()) continue;
    auto best = fitting.begin();
    if (role.take == Role::Take::widest)
      best = std::max_element(fitting.begin(), fitting.end(), [](auto* a, auto* b) { return width(*a) < width(*b); });
    if (role.take == Role::Take::one)
      best = std::max_element(fitting.begin(), fitting.end(), [&](auto* a, auto* b) {
        return (a->name == machine.linux_kernel) < (b->name == machine.linux_kernel);
      });
    if (role.take != Role::Take::all) return {*best};
    return {fitting.begin(), fitting.end()};
  }
  return {Refusal{name, "no kernel of this kind is usable here", "`folioscope list kernels` says why"}};
}

bool is_role(std::string_view word) {
  return std::any_of(std::begin(roles), std::end(roles), [&](Role const& role) { return role.name == word; });
}

std::optional<Refusal> refuse_thp(Machine const& machine, std::string const& subject) {
  if (machine.thp_mode.empty())
    return Refusal{subject, "this Linux has no transparent huge pages, or does not say so", ""};
  if (machine.thp_mode == "never")
    return Refusal{subject, "transparent huge pages are off",
                   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
  return std::nullopt;
}

/// `inherit` follows the setting of all huge pages.
bool enabled(MthpSize const& size, Machine const& machine) {
  if (size.mode == "inherit") return machine.thp_mode == "always" || machine.thp_mode == "madvise";
  return size.mode == "always" || size.mode == "madvise";
}

/// `may_switch`: a size that is off will be switched on before the pools are made.
Granted<Backing> mthp(Backing const& backing, Machine const& machine, bool may_switch) {
  if (*backing.size >= folio_for({}, machine)) return Refusal{to_string(backing), "that is a whole folio", "use thp"};
  for (MthpSize const& size : machine.mthp) {
    if (size.size != *backing.size) continue;
    if (enabled(size, machine) || may_switch) return backing;
    return Refusal{to_string(backing), "this size is not enabled",
                   fmt::format("echo madvise > /sys/kernel/mm/transparent_hugepage/hugepages-{}kB/enabled",
                               size.size.value >> 10) +
                       ", or give --allow-system-changes"};
  }
  return Refusal{to_string(backing), "this Linux offers no transparent huge pages of this size", ""};
}

Granted<Backing> hugetlb(Backing const& backing, Machine const& machine) {
  // Offsets within a folio are 32 bits wide where calls are walked.
  if (*backing.size >= Bytes(std::uint64_t{1} << 32))
    return Refusal{to_string(backing), "folios of 4 GiB and more are not measured", ""};
  for (HugetlbPool const& pool : machine.hugetlb)
    if (pool.size == *backing.size) return backing;
  return Refusal{to_string(backing), "this Linux offers no hugetlb pages of this size", ""};
}

}  // namespace

void check_kernel(std::string const& word, Place const& place) {
  if (word == "all" || word == "linux" || is_role(word) || find_kernel(word) || !architecture_of(word).empty()) return;
  std::vector<std::string> names{"all", "linux"};
  for (Role const& role : roles) names.emplace_back(role.name);
  for (Kernel const& kernel : kernel_catalogue()) names.push_back(kernel.contract.name);
  place.unknown("kernel", word, names);
}

std::vector<Granted<KernelContract const*>> choose_kernels(std::string const& word, Machine const& machine) {
  if (word == "linux") return {linux_kernel(machine)};
  if (is_role(word)) return fill_role(word, machine);
  std::vector<Choice> chosen;
  if (word == "all") {
    for (Kernel const& kernel : kernel_catalogue())
      if (kernel.contract.kind == KernelKind::clear && kernel.contract.store != StoreKind::none)
        chosen.push_back(usable(kernel.contract, machine));
    return chosen;
  }
  if (Kernel const* kernel = find_kernel(word)) return {usable(kernel->contract, machine)};
  return {Refusal{word, fmt::format("a kernel of {}", architecture_of(word)), ""}};
}

void check_order(std::string const& word, Place const& place) {
  if (word == "all" || word == "candidates" || word == "probes") return;
  auto const name = parse_order(word);
  if (!name) place.fail(fmt::format("'{}' is no order", word), "write NAME, NAME@NUMBER or file:NAME");
  if (!is_file(*name) && !find_order(name->base)) {
    std::vector<std::string> names{"all", "candidates", "probes"};
    for (Order const* order : order_catalogue()) names.emplace_back(order->name);
    place.unknown("order", name->base, names);
  }
  try {
    canonical(*name);
  } catch (UsageError const& error) {
    place.fail(error.what(), {});
  }
}

std::vector<std::string> choose_orders(std::string const& word) {
  if (word != "all" && word != "candidates" && word != "probes") return {to_string(canonical(*parse_order(word)))};
  std::vector<std::string> chosen;
  for (Order const* order : order_catalogue())
    if (word == "all" || order->probe == (word == "probes"))
      chosen.push_back(to_string(canonical({std::string(order->name), {}})));
  return chosen;
}

void check_backing(std::string const& word, Place const& place) {
  if (word == "mthp" || word == "hugetlb" || parse_backing(word)) return;
  place.unknown("backing", word,
                {"base", "mthp", "mthp-64K", "thp", "thp-pte", "hugetlb", "hugetlb-2M", "hugetlb-1G", "tmpfs"});
}

std::vector<Granted<Backing>> choose_backings(std::string const& word, Machine const& machine, bool may_switch) {
  std::vector<Granted<Backing>> chosen;
  if (word == "mthp") {
    for (MthpSize const& size : machine.mthp)
      if (enabled(size, machine) && size.size < folio_for({}, machine))
        chosen.push_back(Backing{BackingKind::mthp, size.size});
    if (chosen.empty() && may_switch) return {mthp({BackingKind::mthp, 64_KiB}, machine, true)};
    if (chosen.empty())
      chosen.push_back(Refusal{word, "no multi-size huge page is enabled",
                               "echo madvise > /sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled"});
    return chosen;
  }
  if (word == "hugetlb") {
    for (HugetlbPool const& pool : machine.hugetlb)
      if (pool.size <= folio_for({}, machine)) chosen.push_back(hugetlb({BackingKind::hugetlb, pool.size}, machine));
    if (chosen.empty())
      chosen.push_back(Refusal{word, "this Linux offers no hugetlb pages up to the size of a folio", ""});
    return chosen;
  }
  Backing const backing = *parse_backing(word);
  switch (backing.kind) {
    case BackingKind::mthp:
      return {mthp(backing, machine, may_switch)};
    case BackingKind::hugetlb:
      return {hugetlb(backing, machine)};
    case BackingKind::thp:
    case BackingKind::thp_pte:
      if (auto refusal = refuse_thp(machine, word)) return {*refusal};
      return {backing};
    case BackingKind::base:
    case BackingKind::tmpfs:
      return {backing};
  }
  return {backing};
}

}  // namespace folioscope
