// SPDX-License-Identifier: Apache-2.0
// fallocate on a tmpfs: the first call over a range only allocates, the second clears, in an order of tmpfs's own. On a
// mount of our own with huge=always and one with huge=never, without root.
#include <algorithm>
#include <memory>

#include "linuxmm/catalogue.hpp"
#include "linuxmm/fallocated.hpp"
#include "linuxmm/tmpfs_mount.hpp"

namespace folioscope::linux_path {
namespace {

// Mapping and filling its base pages takes many times as long as the clear (6 us a page in a guest of a guest): more
// would be at the cost of every other path's blocks.
constexpr std::uint64_t most_tmpfs_folios = 4;
struct Variant {
  char const *kernel, *huge;
};
constexpr Variant variants[] = {{"linux_fallocate_tmpfs_always", "always"}, {"linux_fallocate_tmpfs_never", "never"}};

void plan_tmpfs(Plan& plan, Machine const& machine, LinuxRequest const& request) {
  auto const refused = [&](std::string reason, std::string remedy) {
    plan.refusals.push_back({"fallocate-tmpfs", std::move(reason), std::move(remedy)});
  };
  if (!machine.folio) return refused("the PMD size is not known here", "boot a Linux with transparent huge pages");
  Cell cell;
  cell.backing = {BackingKind::tmpfs, {}};
  Bytes const room = room_of(machine, request);
  cell.footprint = *machine.folio * std::min(most_tmpfs_folios, room / *machine.folio);
  cell.call = cell.footprint;
  if (cell.footprint.value == 0)
    return refused("its memory is more than may be used", "raise --max-memory, or the memory limit of the cgroup");
  for (Variant const& v : variants) {
    cell.kernel = v.kernel;
    add_fallocate(plan, cell);
  }
}

/// A file in each tmpfs, or why there is none.
using Files = std::vector<Granted<File>>;

Granted<Passed> tmpfs_pass(Files const& files, PassPlace const& place) {
  auto const variant = std::ranges::find_if(variants, [&](Variant const& v) { return place.cell.kernel == v.kernel; });
  if (variant == std::end(variants))
    return Refusal{{}, "this build knows no such path", "use the build that planned it"};
  Granted<File> const& file = files[static_cast<std::size_t>(variant - std::begin(variants))];
  if (!file) return file.refusal();
  Fallocated const what{file->get(), place.cell.footprint, *place.machine.folio, true};
  auto passed = fallocate_pass(what, place);
  if (!passed) return passed;
  bool const always = variant == std::begin(variants);
  auto const share = huge_share(file->get(), what.length, what.folio);
  if (share && always && *share < 0.99)
    return Refusal{{}, "tmpfs gave smaller pages", "free memory, or compact it (/proc/sys/vm/compact_memory)"};
  return passed;
}

std::unique_ptr<Subject> tmpfs_subject(Plan const& part, Machine const& machine, Clock const& clock,
                                       LinuxRequest const&) {
  auto const files = std::make_shared<Files>();
  for (Variant const& v : variants) files->push_back(file_in_own_tmpfs(v.huge));
  return std::make_unique<Passes>(part, machine, clock,
                                  [files](PassPlace const& place) { return tmpfs_pass(*files, place); });
}

}  // namespace

constexpr LinuxPath fallocate_tmpfs{
    .name = "fallocate-tmpfs",
    .summary = "the fallocate of a tmpfs range that clears it, and its use, huge=always and never, in a user namespace",
    .clears = "tmpfs's own order",
    .plan = plan_tmpfs,
    .subject = tmpfs_subject};

}  // namespace folioscope::linux_path
