// SPDX-License-Identifier: Apache-2.0
// Time, peak memory and size of `report` on a capsule of a million samples, and time on a hundred ordinary capsules.
// report_cost [SAMPLES [CAPSULES]]: exit status 1 when a limit (3 s, 500 MB, a page of 5 MB; 10 s for the hundred) is
// passed.
#include <cstdlib>
#include <filesystem>

#include "cost/cost.hpp"
#include "report/report.hpp"

namespace {

using namespace folioscope;
using own_cost::cost_of, own_cost::Cost;
namespace fs = std::filesystem;

void write_capsule(fs::path const& path, Campaign const& c) {
  CapsuleWriter::open(path, *c.facts.value(fact::instance_key).as_string()).copy(c);
}

Campaign ordinary(std::uint64_t n) {
  synthetic::Grid const grid{.kernels = {"rep_stosb", "mov_avx512", "movnt_avx512"},
                             .orders = {"reverse", "target_last", "neighbourhood_last@2", "far_ascending", "random"},
                             .backings = {"thp", "base"},
                             .folios = {1, 8, 100}};
  synthetic::Request r{.plan = synthetic::plan_of(grid, "quick"),
                       .true_ns = synthetic::by_order({{"reverse", 2.5}}),
                       .noise = {.pass = 0.02, .placement_cell = 0.01},
                       .placements = 26,
                       .seed = n + 1};
  r.machine = fmt::format("Synthetic {}", n);
  return synthetic::campaign(r);
}

/// As the command does it: load, draw, write. Says the page's size; fails when that of one capsule is too large.
void report_capsules(std::vector<fs::path> const& paths, fs::path const& out) {
  std::vector<Campaign> campaigns;
  std::vector<ReportSource> sources;
  for (auto const& path : paths) {
    Capsule const capsule = Capsule::open(path);
    for (auto const& header : capsule.headers()) campaigns.push_back(capsule.load(header.id));
    sources.push_back({path.filename().string(), capsule.headers().size()});
  }
  std::string const html = report(campaigns, sources, true).html;
  std::FILE* const file = std::fopen(out.c_str(), "w");
  if (!file || std::fwrite(html.data(), 1, html.size(), file) != html.size() || std::fclose(file) != 0)
    throw std::runtime_error("cannot write " + out.string());
  double const megabytes = static_cast<double>(html.size()) * 1e-6;
  fmt::print("{} capsule(s), page {:.2f} MB{}\n", paths.size(), megabytes, paths.size() == 1 ? " (at most 5)" : "");
  std::fflush(stdout);
  if (paths.size() == 1 && megabytes > 5) throw std::runtime_error("the page is too large");
}

bool within(std::vector<fs::path> const& paths, fs::path const& folder, double seconds, double megabytes) {
  Cost const cost = cost_of([&] { report_capsules(paths, folder / fmt::format("page-{}.html", paths.size())); });
  bool const held = cost.done && cost.seconds <= seconds && cost.megabytes <= megabytes;
  fmt::print("  {:.2f} s (at most {:g}), peak {:.0f} MB (at most {:g}): {}\n", cost.seconds, seconds, cost.megabytes,
             megabytes, held ? "within" : "PASSED");
  return held;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t const samples = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  std::size_t const capsules = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;
  fs::path const folder = fs::temp_directory_path() / fmt::format("report-cost-{}", getpid());
  fs::create_directories(folder);
  std::vector<fs::path> many;
  for (std::size_t i = 0; i < capsules; ++i) many.push_back(folder / fmt::format("{}.folioscope", i));
  bool const written = cost_of([&] {
                         write_capsule(folder / "large.folioscope", own_cost::large(samples));
                         for (std::size_t i = 0; i < capsules; ++i) write_capsule(many[i], ordinary(i));
                       }).done;
  bool const large = written && within({folder / "large.folioscope"}, folder, 3, 500);
  // Their samples are all in memory together, some hundred bytes each.
  bool const hundred = written && within(many, folder, 10, 2000);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return large && hundred ? 0 : 1;
}
