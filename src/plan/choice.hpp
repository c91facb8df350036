// SPDX-License-Identifier: Apache-2.0
// Words that stand for several things, or for what suits this machine, and what it cannot do: refusals.
#pragma once
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "machine/machine.hpp"
#include "plan/factors.hpp"
#include "terms/cell.hpp"
#include "terms/granted.hpp"

namespace folioscope {

void check_kernel(std::string const& word, Place const& place);
void check_order(std::string const& word, Place const& place);
void check_backing(std::string const& word, Place const& place);

/// Roles: `linux` is what Linux clears pages with here; `string` and `zeroing` the kernel of that kind, Linux's own
/// where it is one; `best_plain` and `best_bypass` the widest plain and the widest non-temporal one (else hint, else
/// zeroing); `down` all descending twins; `all` every clear kernel that stores. Nothing found, or not usable: one
/// refusal by name.
std::vector<Granted<KernelContract const*>> choose_kernels(std::string const& word, Machine const& machine);
/// "all", "candidates" (not the probes), "probes", or one order in its canonical form.
std::vector<std::string> choose_orders(std::string const& word);
/// "mthp" stands for each size that is enabled here, "hugetlb" for each that is offered up to a folio. Whether enough
/// hugetlb pages are free is a question of memory.
std::vector<Granted<Backing>> choose_backings(std::string const& word, Machine const& machine, bool may_switch);

/// What a folio is: the huge page of hugetlb, else the PMD size (that of this base page where Linux does not tell).
Bytes folio_for(Backing const& backing, Machine const& machine);
Granted<Bytes> footprint_for(std::string const& word, Backing const& backing, Machine const& machine);

}  // namespace folioscope
