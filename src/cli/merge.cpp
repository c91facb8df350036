// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "cli/capsules.hpp"
#include "cli/commands.hpp"
#include "record/capsule.hpp"

namespace folioscope::cli {

ExitStatus run_merge(MergeArguments const& a) {
  if (std::filesystem::exists(a.out))
    throw UsageError("the file is there already", a.out, "give the name of a new file");
  std::vector<Capsule> capsules;
  for (auto const& file : a.files) {  // all must open before anything is written
    capsules.push_back(Capsule::open(file));
    refuse_empty(capsules.back());
  }
  std::size_t copied = 0, skipped = 0;
  try {
    CapsuleWriter writer = CapsuleWriter::open(a.out, "");
    for (Capsule const& capsule : capsules)
      for (CampaignHeader const& header : capsule.headers())
        (writer.copy(capsule.load(header.id)) ? copied : skipped) += 1;
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(a.out, ignored);
    throw;
  }
  fmt::print("{}: {} campaign{} of {} capsule{}", a.out, copied, copied == 1 ? "" : "s", a.files.size(),
             a.files.size() == 1 ? "" : "s");
  fmt::print("{}\n", skipped ? fmt::format(", {} there already", skipped) : "");
  return ExitStatus::done;
}

}  // namespace folioscope::cli
