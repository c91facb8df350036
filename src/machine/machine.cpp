// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

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
  return std::move(survey.machine);
}

}  // namespace folioscope
