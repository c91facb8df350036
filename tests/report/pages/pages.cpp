// SPDX-License-Identifier: Apache-2.0
// Writes a page of each kind of made-up campaigns into a folder: report_pages DIR.
#include <filesystem>
#include <fstream>

#include "report/machines.hpp"
#include "report/report.hpp"

int main(int argc, char** argv) {
  using namespace folioscope;
  if (argc != 2) return 2;
  for (auto const& [name, campaigns] : synthetic::kinds()) {
    std::vector<ReportSource> const sources{{name + ".folioscope", campaigns.size()}};
    std::ofstream file(std::filesystem::path(argv[1]) / (name + ".html"), std::ios::binary);
    file << report(campaigns, sources, false).html;
    if (!file.flush()) return 1;
  }
}
