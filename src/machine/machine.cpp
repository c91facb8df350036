// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "machine/survey.hpp"

namespace folioscope {

std::optional<std::string> Survey::know_text(std::string key, std::string const& path) {
  auto text = files.text(path);
  if (text)
    know(std::move(key), *text, path);
  else
    unknown(std::move(key), path, "missing or not readable");
  return text;
}

std::optional<std::uint64_t> Survey::know_number(std::string key, std::string const& path) {
  auto const number = files.number(path);
  if (number && *number <= INT64_MAX) {
    know(std::move(key), *number, path);
    return number;
  }
  unknown(std::move(key), path, files.exists(path) ? "not readable as a number" : "missing");
  return std::nullopt;
}

namespace {

/// Facts of one subject stand together, subjects in the order in which they came up.
Facts by_subject(Facts const& facts) {
  auto const subject = [](Fact const& fact) { return fact.key.substr(0, fact.key.find('.')); };
  std::vector<Fact> sorted;
  std::set<std::string> done;
  for (Fact const& first : facts.all()) {
    if (!done.insert(subject(first)).second) continue;
    std::ranges::copy_if(facts.all(), std::back_inserter(sorted),
                         [&](Fact const& f) { return subject(f) == subject(first); });
  }
  return Facts(std::move(sorted));
}

}  // namespace

Machine read_machine(std::filesystem::path const& sysroot) {
  Survey survey;
  survey.files = SystemFiles(sysroot);
  survey_cpus(survey);
  survey_features(survey);
  survey_caches(survey);
  survey_pages(survey);
  survey_linux(survey);
  survey_memory(survey);
  survey_platform(survey);
  survey_counters(survey);
  survey_clock(survey);
  survey_identity(survey);
  survey.machine.facts = by_subject(survey.machine.facts);
  return std::move(survey.machine);
}

}  // namespace folioscope
