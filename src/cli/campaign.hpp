// SPDX-License-Identifier: Apache-2.0
// What the commands that measure have in common: where the capsule goes, what is said meanwhile.
#pragma once
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "cli/progress.hpp"
#include "machine/machine.hpp"
#include "record/capsule.hpp"
#include "terms/kernel.hpp"

namespace folioscope::cli {

/// ./MODEL-DATE.folioscope
std::string default_out(Machine const& machine);
/// The newest file of that name here, whatever its date; default_out where there is none.
std::string newest_out(Machine const& machine);
/// Pages of other sizes are another machine to a plan: Error. Another boot or Linux is said.
void refuse_other_machine(Campaign const& before, Machine const& machine, std::string const& out);
/// Of every kernel of this build.
std::vector<KernelContract> contracts();
/// On stderr, the first dozen by name.
void say_refusals(std::vector<Refusal> const& refusals);
/// A busy machine gives rough figures: said before the minute is spent.
void say_load(Machine const& machine);
/// Why it ended and what the capsule has gained.
void say_outcome(Outcome const& outcome, bool resumed, std::string const& out);
void show(ProgressLine& line, Progress const& progress);

}  // namespace folioscope::cli
