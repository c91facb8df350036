// SPDX-License-Identifier: Apache-2.0
// Figures with a set number of decimals that stay short whatever a file made of them.
#pragma once
#include <string>

namespace folioscope {

/// "3.10"; "1.23e+07" for what is too long, "-" for no number.
std::string fixed(double value, int decimals);

}  // namespace folioscope
