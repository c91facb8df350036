// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "campaign/after.hpp"

namespace folioscope {
namespace {

constexpr std::uint32_t most_pages = 4096;
constexpr std::size_t most_uses = 400;

[[noreturn]] void refuse_option(std::string const& key, std::string what, std::string remedy) {
  throw Error(std::move(what), "[options] " + key, std::move(remedy));
}

/// A text, or a list of texts and numbers, which the record keeps as JSON.
std::vector<std::string> words_of(std::map<std::string, std::string> const& options, std::string const& key,
                                  std::vector<std::string> otherwise) {
  auto const it = options.find(key);
  if (it == options.end()) return otherwise;
  if (!it->second.starts_with('[')) return {it->second};
  std::vector<std::string> words;
  Json const list = parse_json(it->second, "[options] " + key);
  for (Json const& item : list.items()) words.push_back(item.as_string().value_or(item.dump()));
  if (words.empty()) refuse_option(key, "is empty", "leave it away for its standard");
  return words;
}

std::uint32_t count_of(std::map<std::string, std::string> const& options, std::string const& key,
                       std::uint32_t otherwise) {
  auto const it = options.find(key);
  if (it == options.end()) return otherwise;
  std::uint32_t n = 0;
  auto const* const end = it->second.data() + it->second.size();
  auto const [at, trouble] = std::from_chars(it->second.data(), end, n);
  if (trouble != std::errc() || at != end || n < 1 || n > most_pages)
    refuse_option(key, fmt::format("'{}' is no whole number of at least 1", it->second),
                  fmt::format("write 1 to {}", most_pages));
  return n;
}

double fraction_of(std::string const& word) {
  double fraction = 0;
  auto const [at, trouble] = std::from_chars(word.data(), word.data() + word.size(), fraction);
  if (trouble != std::errc() || at != word.data() + word.size() || !(fraction > 0) || fraction > 1)
    refuse_option("fractions", fmt::format("'{}' is no share of a folio", word), "write 0.01 to 1");
  return fraction;
}

std::vector<Use> uses_of(std::map<std::string, std::string> const& options) {
  std::vector<Use> uses;
  for (auto const& pattern_word :
       words_of(options, "uses", {"target", "ascending", "from_target", "descending", "random"})) {
    auto const pattern = parse_pattern(pattern_word);
    if (!pattern)
      refuse_option("uses", fmt::format("no pattern '{}'", pattern_word),
                    "patterns are target, ascending, from_target, descending, random");
    for (auto const& access_word : words_of(options, "accesses", {"modify"})) {
      auto const access = parse_access(access_word);
      if (!access) refuse_option("accesses", fmt::format("no access '{}'", access_word), "accesses are read, modify");
      for (auto const& who : words_of(options, "company", {"alone"})) {
        if (who != "alone" && who != "corunner")
          refuse_option("company", fmt::format("no company '{}'", who), "write alone, corunner or both");
        for (auto const& fraction : words_of(options, "fractions", {"0.01", "0.1", "1"})) {
          uses.push_back({*pattern, fraction_of(fraction), *access, who == "corunner", {}});
          if (pattern == Pattern::target) break;  // a base page, whatever the fraction
        }
      }
    }
  }
  if (uses.size() > most_uses)
    refuse_option("uses", fmt::format("{} uses together", uses.size()), fmt::format("at most {}", most_uses));
  return uses;
}

}  // namespace

AfterOptions after_of(std::map<std::string, std::string> const& options) {
  AfterOptions after;
  auto const what = options.find("after");
  if (what == options.end()) return after;
  if (what->second == "probe") {
    after.what = AfterOptions::What::probe;
    after.pages = count_of(options, "pages", after.pages);
    after.pages_beyond = count_of(options, "pages_beyond", after.pages_beyond);
  } else if (what->second == "use") {
    after.what = AfterOptions::What::use;
    after.uses = uses_of(options);
  } else {
    refuse_option("after", fmt::format("'{}' means nothing", what->second), "write probe or use");
  }
  return after;
}

}  // namespace folioscope
