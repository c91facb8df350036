// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <map>

#include "explain/layout.hpp"
#include "explain/recommend.hpp"

namespace folioscope {
namespace {

Json strings(std::vector<std::string> const& texts) {
  Json out = Json::array();
  for (auto const& t : texts) out.push(t);
  return out;
}

Json pattern_json(PatternAdvice const& p) {
  auto const bytes = [](std::optional<Bytes> const& b) { return b ? Json(b->value) : Json(); };
  return Json::object({{"pattern", p.pattern},
                       {"order", p.order},
                       {"kernel", p.kernel},
                       {"call_bytes", bytes(p.call)},
                       {"radius_bytes", bytes(p.radius)},
                       {"gain", p.gain && p.gain->n ? Json(p.gain->ratio) : Json()},
                       {"ci", p.gain && p.gain->ci ? Json::array({p.gain->ci->low, p.gain->ci->high}) : Json()},
                       {"source", p.source},
                       {"text", p.text}});
}

std::string stretch_sentence(Recommendation const& r) {
  return fmt::format(
      "Without a chance to reschedule, one call for a folio keeps the CPU for {}, Linux v7.0's largest batch "
      "(32 MiB) for {}.",
      format_time(*r.folio_stretch), format_time(*r.batch_stretch));
}

}  // namespace

Json recommendation_json(Explanation const& e, std::size_t campaign) {
  Recommendation const& r = e.recommendations.at(campaign);
  if (r.patterns.empty()) return {};
  Json patterns = Json::array();
  for (PatternAdvice const& p : r.patterns) patterns.push(pattern_json(p));
  return Json::object({{"patterns", std::move(patterns)},
                       {"linux", r.today},
                       {"patch", r.patch},
                       {"settings", strings(r.settings)},
                       {"programs", strings(r.programs)},
                       {"folio_stretch_ns", r.folio_stretch ? Json(r.folio_stretch->value) : Json()},
                       {"batch_stretch_ns", r.batch_stretch ? Json(r.batch_stretch->value) : Json()},
                       {"user_space_only", r.user_only}});
}

std::vector<std::string> recommendation_sentences(Explanation const& e, std::size_t campaign) {
  Recommendation const& r = e.recommendations.at(campaign);
  // Patterns with one answer are said together.
  std::vector<std::pair<std::string, std::string>> said;
  for (PatternAdvice const& p : r.patterns) {
    bool joined = false;
    for (auto& [patterns, text] : said)
      if (text == p.text) {
        patterns += ", " + p.pattern;
        joined = true;
      }
    if (!joined) said.emplace_back(p.pattern, p.text);
  }
  std::vector<std::string> out;
  for (auto const& [patterns, text] : said) out.push_back(fmt::format("Use {}: {}", patterns, text));
  for (auto const* text : {&r.today, &r.patch})
    if (*text) out.push_back(**text);
  for (auto const* list : {&r.programs, &r.settings})
    for (auto const& text : *list) out.push_back(text);
  if (r.folio_stretch) out.push_back(stretch_sentence(r));
  if (r.user_only) out.push_back(*r.user_only);
  return out;
}

}  // namespace folioscope
