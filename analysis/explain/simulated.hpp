// SPDX-License-Identifier: Apache-2.0
// Fills as a model of caches and prefetching has them, beside those that were counted: on a machine without a PMU the
// only ones there are. Never evidence for or against a hypothesis: the model was told what it shows.
#pragma once
#include "explain/counts.hpp"
#include "model/caches.hpp"

namespace folioscope {

/// The campaign's machine: cache sizes from its facts, the last level's as far as the idle latency curve reaches, where
/// that is less (a guest's share). No levels where no size is known.
CacheModel cache_model(Campaign const& campaign);

/// Of the cold cells of one thread whose kernel stores through the caches, without prefetching of their own.
std::vector<Fill> simulated_fills(Campaign const& campaign, std::size_t index);

}  // namespace folioscope
