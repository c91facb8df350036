// SPDX-License-Identifier: Apache-2.0
// Time and peak memory of `explain` on a capsule of a million samples, in a process that does nothing else.
// explain_cost [SAMPLES [SECONDS MEGABYTES]]: exit status 1 when either limit (3 s, 500 MB) is passed.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "explain/explain.hpp"
#include "synthetic/synthetic.hpp"

namespace {

using namespace folioscope;

Campaign large(std::size_t samples) {
  synthetic::Grid const grid{.kernels = {"rep_stosb", "rep_stosq", "movnti", "mov_avx2", "movnt_avx2", "movnt_avx512"},
                             .orders = {"reverse", "target_last", "neighbourhood_last@2", "far_ascending", "random"},
                             .runs = {4096, 65536},
                             .states = {State::cold, State::hot},
                             .backings = {"thp", "base", "thp-pte"},
                             .folios = {1, 8, 64}};
  synthetic::Request request{.plan = synthetic::plan_of(grid, "full"),
                             .true_ns = synthetic::by_order({{"reverse", 3.0}, {"target_last", 2.0}}),
                             .noise = {.pass = 0.02, .spike_share = 0.02, .placement_cell = 0.01}};
  std::size_t runs = 0;
  for (auto const& p : request.plan.cells) runs += is_reference(p.cell) ? 2 : 1;
  request.placements = static_cast<std::uint32_t>(samples / (runs * request.blocks_per_placement)) + 1;
  return synthetic::campaign(request);
}

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

struct Cost {
  double seconds = 0;
  double megabytes = 0;
  bool done = false;
};

/// Runs `work` in a child, so that its peak memory is its own.
Cost cost_of(std::function<void()> const& work) {
  auto const start = std::chrono::steady_clock::now();
  pid_t const child = fork();
  if (child == 0) {
    try {
      work();
      _exit(0);
    } catch (std::exception const& e) {
      fmt::print(stderr, "{}\n", e.what());
      _exit(1);
    }
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return {};
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {seconds, static_cast<double>(usage.ru_maxrss) / 1000, WIFEXITED(status) && WEXITSTATUS(status) == 0};
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
