// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds FILE: writes the small capsule, a seed that would age if it were kept as bytes.
#include <cstdio>

#include "made/capsule.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds FILE\n");
    return 2;
  }
  folioscope::fuzz::write_file(arguments[1], folioscope::fuzz::small_capsule());
  return 0;
}
