// SPDX-License-Identifier: Apache-2.0
// Anonymous memory that was cold and full of data, and was just given back: what is populated next are pages that the
// host still backs, whose lines are in no cache.
#pragma once
#include <cstddef>
#include <optional>

#include "machine/machine.hpp"
#include "terms/error.hpp"
#include "terms/random.hpp"

namespace folioscope {

/// Over an own mapping: huge pages, cold data, given back. Left mapped and advised. 0 or an errno.
int make_warm(std::byte* begin, Bytes length, Machine const& machine, Random& random);
/// The same of the pages of a hugetlb mapping.
int make_warm_hugetlb(std::byte* begin, Bytes length, Bytes page, Machine const& machine, Random& random);
/// Why not: less than 99 % of it is mapped as huge pages, by smaps. Where /proc cannot be read nothing contradicts.
std::optional<Refusal> not_huge(std::byte const* begin, Bytes length);

}  // namespace folioscope
