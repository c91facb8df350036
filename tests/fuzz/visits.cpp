// SPDX-License-Identifier: Apache-2.0
// A first line "EXTENT RUN TARGET ORDER", then the run-length text of visits as a capsule has it.
#include "fuzz.hpp"
#include "orders/order.hpp"
#include "terms/cell.hpp"

namespace folioscope::fuzz {
namespace {

std::string_view word(std::string_view& line) {
  auto const end = line.find(' ');
  std::string_view const first = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return first;
}

void round_trip(Visits const& visits, Bytes extent) {
  Visits const again = decode_visits(encode_visits(visits), extent, "again");
  require(again == visits, "visits read back as they were written");
}

}  // namespace
}  // namespace folioscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  std::string_view rest = fuzz::text_of(data, size);
  auto const end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  Bytes const extent = parse_bytes(fuzz::word(line)).value_or(2_MiB);
  fuzz::taken([&] { fuzz::round_trip(decode_visits(rest, extent, "visits"), extent); });

  auto const run = parse_bytes(fuzz::word(line));
  auto const target = parse_bytes(fuzz::word(line));
  auto const order = parse_order(fuzz::word(line));
  if (!order || extent > 64_MiB) return 0;
  fuzz::taken([&] {
    VisitRequest request{.order = *order, .extent = extent, .run = run, .base_page = 4_KiB};
    if (target) request.target_page = target->value;
    fuzz::round_trip(visits(request), extent);
  });
  return 0;
}
