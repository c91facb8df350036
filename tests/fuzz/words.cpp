// SPDX-License-Identifier: Apache-2.0
// The words of command lines, capsules and experiment files; what is taken is written the same way again.
#include "explain/compare.hpp"
#include "fuzz.hpp"
#include "machine/cpu_list.hpp"
#include "machine/cpuinfo.hpp"
#include "machine/files.hpp"
#include "orders/order.hpp"
#include "plan/factors.hpp"
#include "terms/cell.hpp"

namespace folioscope::fuzz {
namespace {

void quantities(std::string_view text) {
  if (auto const bytes = parse_bytes(text)) {
    require(parse_bytes(format_bytes(*bytes)) == bytes, "bytes read back");
    require(parse_bytes(compact_bytes(*bytes)) == bytes, "compact bytes read back");
  }
  if (auto const time = parse_duration(text)) {
    require(time->value >= 0 && time->value <= 1e18, "a duration is not negative and has an end");
    require(!format_time(*time).empty(), "a duration is written");
  }
}

void factors(std::string_view text) {
  if (auto const s = parse_state(text)) require(to_string(*s) == text, "a state reads back");
  if (auto const f = parse_fence(text)) require(to_string(*f) == text, "a fence reads back");
  if (auto const b = parse_backing(text)) require(parse_backing(to_string(*b)) == b, "a backing reads back");
  if (auto const o = parse_order(text)) {
    require(parse_order(to_string(*o)) == o, "an order reads back");
    taken([&] { require(canonical(canonical(*o)) == canonical(*o), "a canonical order is canonical"); });
  }
}

void levels(std::string const& text) {
  for (std::size_t i = 0; i < factor_count; ++i)
    taken([&] { check(static_cast<Factor>(i), text, {"input", ExitStatus::usage}); });
  if (auto const target = parse_target(text))
    for (std::uint64_t const pages : {std::uint64_t{1}, std::uint64_t{512}, std::uint64_t{1} << 40})
      target->page(pages);
  for (Factor const factor : {Factor::runs, Factor::calls, Factor::prefetches})
    if (auto const size = parse_size(factor, text)) size->in(2_MiB, 4_KiB);
}

void machine_words(std::string_view text) {
  if (auto const cpus = parse_cpu_list(text)) {
    for (std::size_t i = 1; i < cpus->size(); ++i) require((*cpus)[i - 1] < (*cpus)[i], "CPUs ascend");
    require(cpus->size() <= most_cpus, "CPUs are bounded");
    require(parse_cpu_list(format_cpu_list(*cpus)) == cpus, "a CPU list reads back");
  }
  parse_cpuinfo(text);
  parse_number(text);
  value_of_key(text, "MemAvailable");
  bracketed(text);
}

}  // namespace
}  // namespace folioscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  std::string const text(fuzz::text_of(data, size));
  fuzz::quantities(text);
  fuzz::factors(text);
  fuzz::levels(text);
  fuzz::machine_words(text);
  fuzz::taken([&] { parse_fail_on(text); });
  nearest_name(text, {"sequential", "reverse", "target_last"});
  return 0;
}
