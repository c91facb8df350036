// SPDX-License-Identifier: Apache-2.0
#include "made/capsule.hpp"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "record/capsule.hpp"
#include "synthetic/synthetic.hpp"

namespace folioscope::fuzz {
namespace {

namespace fs = std::filesystem;

Campaign with_everything(std::string experiment, std::uint64_t seed) {
  synthetic::Request request;
  request.plan = synthetic::plan_of({.orders = {"reverse", "target_last"}, .targets = {0}, .states = {State::cold}},
                                    std::move(experiment));
  request.plan.refusals.push_back({"movdir64b", "CPUID does not offer it", "another machine"});
  request.true_ns = synthetic::by_order({{"reverse", 2}});
  request.noise.pass = 0.01;
  request.placements = 3;
  request.blocks_per_placement = 2;
  request.seed = seed;
  Campaign campaign = synthetic::campaign(request);
  std::uint32_t const first = campaign.blocks.front().id;
  campaign.readings = {{first, 0, "cache", "L2:MISS", 1e6, Nanoseconds(100), Nanoseconds(50), "user"}};
  campaign.points = {{"latency.idle", "", 4096, 1.2, {}, {}}, {"state_check.cold", "", 0, 0.98, 0, first}};
  campaign.refused = {{1, 0, {"reverse", "its backing was taken away", ""}}};
  campaign.groups = Json::object({{"cache", "L2:MISS"}});
  return campaign;
}

}  // namespace

Folder::Folder() {
  fs::path const base = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string pattern = (base / "folioscope-fuzz-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw fs::filesystem_error("mkdtemp", pattern, std::error_code(errno, std::generic_category()));
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(fs::path const& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(fs::path const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string small_capsule() {
  Folder const folder;
  fs::path const path = folder.path() / "small.folioscope";
  {
    auto writer = CapsuleWriter::open(path, "");
    writer.copy(with_everything("quick", 1));
    writer.copy(with_everything("published-table", 2));
  }
  return read_file(path);
}

}  // namespace folioscope::fuzz
