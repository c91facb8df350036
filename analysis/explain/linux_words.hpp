// SPDX-License-Identifier: Apache-2.0
// What was seen of the running Linux, as `explain` says it: rows of JSON, and sentences for a mail.
#pragma once
#include <string>
#include <vector>

#include "explain/explain.hpp"

namespace folioscope {

/// The rows of `linux`: each path's ratio beside what user space predicts, and what clear and use cost in all.
Json linux_json(Explanation const& e);
std::vector<PathBillLine> bills_of(Explanation const& e, std::size_t campaign);
/// The order it clears in, the page to touch first, who wins after the use, and what a host takes back.
std::vector<std::string> linux_sentences(Explanation const& e, std::size_t campaign);

}  // namespace folioscope
