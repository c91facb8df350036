// SPDX-License-Identifier: Apache-2.0
#include "terms/use.hpp"

#include <charconv>
#include <sstream>

#include "terms/words.hpp"

namespace folioscope {
namespace {

constexpr Word<Pattern> patterns[] = {{Pattern::target, "target"},
                                      {Pattern::ascending, "ascending"},
                                      {Pattern::from_target, "from_target"},
                                      {Pattern::descending, "descending"},
                                      {Pattern::random, "random"}};
constexpr Word<Access> accesses[] = {{Access::read, "read"}, {Access::modify, "modify"}};
constexpr Word<bool> company[] = {{false, "alone"}, {true, "corunner"}};

}  // namespace

std::string to_string(Pattern pattern) { return word_of(patterns, pattern); }
std::string to_string(Access access) { return word_of(accesses, access); }
std::optional<Pattern> parse_pattern(std::string_view text) { return value_of(patterns, text); }
std::optional<Access> parse_access(std::string_view text) { return value_of(accesses, text); }
bool has_target(Pattern pattern) { return pattern == Pattern::target || pattern == Pattern::from_target; }

std::string label_of(Use const& use) {
  std::string text = to_string(use.pattern) + " " + to_string(use.access) + " " + word_of(company, use.corunner);
  if (use.target) text += " " + std::to_string(*use.target);
  return text;
}

std::optional<Use> use_of(std::string_view label, double fraction) {
  std::istringstream words{std::string(label)};
  std::string pattern, access, who, target, more;
  words >> pattern >> access >> who >> target;
  auto const p = parse_pattern(pattern);
  auto const a = parse_access(access);
  auto const c = value_of(company, who);
  if (!p || !a || !c || words >> more || !(fraction > 0) || fraction > 1) return std::nullopt;
  Use use{*p, fraction, *a, *c, {}};
  if (has_target(*p) != !target.empty()) return std::nullopt;
  if (!target.empty()) {
    std::uint64_t page = 0;
    auto const [end, trouble] = std::from_chars(target.data(), target.data() + target.size(), page);
    if (trouble != std::errc() || end != target.data() + target.size()) return std::nullopt;
    use.target = page;
  }
  return use;
}

}  // namespace folioscope
