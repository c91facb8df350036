// SPDX-License-Identifier: Apache-2.0
// A capsule's bytes, damaged in any way: opened, loaded and explained, or refused.
#include "made/capsule.hpp"
#include "fuzz.hpp"
#include "made/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope::fuzz;
  static Folder const folder;
  auto const path = folder.path() / "a.folioscope";
  write_file(path, text_of(data, size));
  taken([&] { read_capsule(path); });
  require(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1, "a reader leaves nothing behind");
  return 0;
}
