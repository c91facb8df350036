// SPDX-License-Identifier: Apache-2.0
// The text of an order file, for a huge page, a base page and an extent that suits nobody.
#include <vector>

#include "fuzz.hpp"
#include "orders/order.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  for (Bytes const extent : {2_MiB, 16_KiB, Bytes(4096 * 3 + 64), Bytes(0)}) {
    fuzz::taken([&] {
      OrderFile const file = parse_order_file(fuzz::text_of(data, size), "orders.txt", extent, 4_KiB);
      std::vector<bool> seen(file.indices.size());
      for (std::uint64_t const i : file.indices) {
        fuzz::require(i < seen.size() && !seen[i], "an order file that is taken is a permutation");
        seen[i] = true;
      }
      Visits const all = visits({.order = {"file:x", {}}, .extent = extent, .base_page = 4_KiB, .file = &file});
      Bytes covered;
      for (Stretch const& s : all) covered = covered + s.length;
      fuzz::require(covered == extent, "visits cover the extent");
    });
  }
  return 0;
}
