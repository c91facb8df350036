// SPDX-License-Identifier: Apache-2.0
// Time and peak memory of `explain` on a capsule of a million samples, in a process that does nothing else.
// explain_cost [SAMPLES [SECONDS MEGABYTES]]: exit status 1 when either limit (3 s, 500 MB) is passed.
#include <cstdlib>
#include <filesystem>

#include "cost/cost.hpp"
#include "explain/explain.hpp"

namespace {

using namespace folioscope;
using own_cost::cost_of, own_cost::Cost, own_cost::large;

void write_capsule(std::filesystem::path const& path, std::size_t samples) {
  Campaign const c = large(samples);
  CapsuleWriter writer = CapsuleWriter::open(path, *c.facts.value(fact::instance_key).as_string());
  writer.copy(c);
}

void explain_capsule(std::filesystem::path const& path) {
  auto const since = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Capsule const capsule = Capsule::open(path);
  std::vector<Campaign> campaigns;
  for (auto const& header : capsule.headers()) campaigns.push_back(capsule.load(header.id));
  double const loaded = since();
  Explanation const e = explain(campaigns);
  double const explained = since();
  std::size_t const bytes = to_text(e).size() + to_json(e).dump().size() + to_mail(e).size();
  fmt::print("{} samples, {} verdicts: load {:.2f} s, explain {:.2f} s, text + JSON + mail ({} KiB) {:.2f} s\n",
             e.campaigns.front().samples, e.judgement.verdicts.size(), loaded, explained - loaded, bytes >> 10,
             since() - explained);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const samples = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  double const seconds = argc > 3 ? std::strtod(argv[2], nullptr) : 3;
  double const megabytes = argc > 3 ? std::strtod(argv[3], nullptr) : 500;
  auto const path = std::filesystem::temp_directory_path() / fmt::format("explain-cost-{}.folioscope", getpid());
  bool const written = cost_of([&] { write_capsule(path, samples); }).done;
  Cost const cost = written ? cost_of([&] { explain_capsule(path); }) : Cost{};
  std::error_code ignored;
  auto const size = std::filesystem::file_size(path, ignored);
  std::filesystem::remove(path, ignored);
  if (!cost.done) return 1;
  bool const within = cost.seconds <= seconds && cost.megabytes <= megabytes;
  fmt::print("capsule {} MB; in all {:.2f} s (at most {:g}), peak {:.0f} MB (at most {:g}): {}\n", size / 1000000,
             cost.seconds, seconds, cost.megabytes, megabytes, within ? "within" : "PASSED");
  return within ? 0 : 1;
}
