// SPDX-License-Identifier: Apache-2.0
#include "machine/survey.hpp"

namespace folioscope {
namespace {

std::string read_features(Survey& s) {
  auto& features = s.machine.features;
  if (s.machine.architecture == "x86_64") {
    auto listed = decode_x86_words(s.cpuinfo.features);
    if (!s.cpuid) {
      if (!s.cpuinfo.features.empty()) features = std::move(listed);
      return "/proc/cpuinfo";
    }
    features = decode_x86(*s.cpuid);
    // Linux sets this word itself; CPUID does not know it.
    features.status["rep_good"] = listed.status["rep_good"];
    if (s.cpuinfo.features.empty()) features.status["rep_good"].reason = "/proc/cpuinfo is not readable";
    return "cpuid and XCR0";
  }
  if (s.registers) {
    features = decode_arm64(*s.registers);
    return "HWCAP, HWCAP2 and DCZID_EL0";
  }
  if (s.machine.architecture == "aarch64" && !s.cpuinfo.features.empty())
    features = decode_arm64_words(s.cpuinfo.features);
  return "/proc/cpuinfo";
}

}  // namespace

void survey_features(Survey& s) {
  auto const source = read_features(s);
  auto const& features = s.machine.features;
  for (auto const& [name, status] : features.status) {
    // From files alone "no" and "cannot tell" differ.
    bool const untold = !status.usable && status.reason.starts_with("no file tells");
    s.know("feature." + name, untold ? Json() : Json(status.usable), name == "rep_good" ? "/proc/cpuinfo" : source,
           status.reason);
  }
  if (features.status.empty()) s.unknown("feature.list", source, "the CPU's features are not told");
  if (s.machine.architecture != "aarch64") return;
  if (features.zva_block)
    s.know("feature.zva_block_bytes", features.zva_block->value, "DCZID_EL0");
  else
    s.unknown("feature.zva_block_bytes", "DCZID_EL0",
              features.status.contains("zva") ? features.status.at("zva").reason : "not told");
  auto const sve = features.status.find("sve");
  if (s.live() && sve != features.status.end() && sve->second.usable) {
    if (auto const vector = read_sve_vector())
      s.know("feature.sve_vector_bytes", vector->value, "prctl PR_SVE_GET_VL");
    else
      s.unknown("feature.sve_vector_bytes", "prctl PR_SVE_GET_VL", "Linux does not answer");
  }
}

}  // namespace folioscope
