// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <charconv>

#include "orders/order.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace {

constexpr std::string_view form =
    "a line holds an index (7), a range (0-15, or 15-0 descending) or a # comment; run=BYTES may come first";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\f\v";
  auto const first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

class OrderFileParser {
 public:
  OrderFileParser(std::string_view where, Bytes extent, Bytes base_page)
      : where_(where), extent_(extent), run_(base_page) {}

  OrderFile parse(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // editors leave a byte order mark
    while (!text.empty()) {
      auto const end = text.find('\n');
      std::string_view const whole = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
      ++line_;
      std::string_view const content = trimmed(whole.substr(0, whole.find('#')));
      if (!content.empty()) take(content);
    }
    prepare();
    for (std::uint64_t i = 0; i < seen_.size(); ++i)
      if (!seen_[i])
        throw Error(fmt::format("{} is missing: {} of {} given", i, indices_.size(), seen_.size()), where_,
                    fmt::format("name every index from 0 to {} once", seen_.size() - 1));
    return {run_, std::move(indices_)};
  }

 private:
  std::string where_;
  Bytes extent_, run_;
  std::uint64_t line_ = 0;
  std::vector<bool> seen_;
  std::vector<std::uint64_t> indices_;

  [[noreturn]] void fail(std::string what, std::string_view remedy) const {
    throw Error(std::move(what), fmt::format("{}:{}", where_, line_), std::string(remedy));
  }

  /// The number of indices is known only after the run is; nothing is allocated before both are bounded.
  void prepare() {
    if (!seen_.empty()) return;
    if (run_ < least_run || run_.value % least_run.value != 0)
      fail(fmt::format("run {} is no multiple of {}", format_bytes(run_), format_bytes(least_run)),
           "give runs in whole cache lines");
    if (extent_.value == 0 || extent_.value % run_.value != 0)
      fail(fmt::format("run {} does not divide {}", format_bytes(run_), format_bytes(extent_)),
           "choose a run that does");
    if (extent_ / run_ > most_runs)
      fail(fmt::format("{} runs of {} are too many", extent_ / run_, format_bytes(run_)),
           fmt::format("at most {}: choose longer runs", most_runs));
    seen_.resize(extent_ / run_);
    indices_.reserve(seen_.size());
  }

  void take(std::string_view content) {
    if (content.starts_with("run")) {
      std::string_view const rest = trimmed(content.substr(3));
      auto const size = rest.starts_with('=') ? parse_bytes(trimmed(rest.substr(1))) : std::nullopt;
      if (!size) fail(fmt::format("'{}' is no run size", content.substr(0, 40)), "write it as run=64K");
      if (!seen_.empty()) fail("run= comes after other lines", "let it come first, once");
      run_ = *size;
      prepare();
      return;
    }
    prepare();
    auto const dash = content.find('-');
    std::uint64_t const first = index(content, trimmed(content.substr(0, dash)));
    std::uint64_t const last =
        dash == std::string_view::npos ? first : index(content, trimmed(content.substr(dash + 1)));
    for (std::uint64_t i = first;; first <= last ? ++i : --i) {
      if (seen_[i]) fail(fmt::format("{} is repeated", i), "name every index once");
      seen_[i] = true;
      indices_.push_back(i);
      if (i == last) break;
    }
  }

  std::uint64_t index(std::string_view content, std::string_view digits) const {
    std::uint64_t n = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (error == std::errc::result_out_of_range && end == digits.data() + digits.size())
      fail(fmt::format("{} lies outside 0 to {}", digits.substr(0, 40), seen_.size() - 1), "indices count from 0");
    if (error != std::errc() || end != digits.data() + digits.size())
      fail(fmt::format("'{}' is no index or range", content.substr(0, 40)), form);
    if (n >= seen_.size()) fail(fmt::format("{} lies outside 0 to {}", n, seen_.size() - 1), "indices count from 0");
    return n;
  }
};

}  // namespace

OrderFile parse_order_file(std::string_view text, std::string_view where, Bytes extent, Bytes base_page) {
  return OrderFileParser(where, extent, base_page).parse(text);
}

}  // namespace folioscope
