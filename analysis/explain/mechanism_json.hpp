// SPDX-License-Identifier: Apache-2.0
// The keys of explain's JSON that say why: each an array, or null where there is nothing to say.
#pragma once
#include "explain/explain.hpp"

namespace folioscope {

Json mechanisms_json(Explanation const& explanation);
Json knees_json(Explanation const& explanation);
Json lines_in_flight_json(Explanation const& explanation);

}  // namespace folioscope
