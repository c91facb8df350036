// SPDX-License-Identifier: Apache-2.0
#include "model/caches.hpp"

#include <algorithm>

namespace folioscope {
namespace {

/// Calls visit(line) for every line of the folio, in the order in which the kernel writes them.
template <class Visit>
void each_line(Walk const& walk, Bytes line, Visit const& visit) {
  for (Stretch const& s : *walk.visits) {
    std::uint64_t const end = s.offset.value + s.length.value;
    std::uint64_t const piece = std::max(walk.call.value, line.value);
    for (std::uint64_t from = s.offset.value; from < end; from += piece) {
      std::uint64_t const first = from / line.value, last = (std::min(from + piece, end) - 1) / line.value;
      if (walk.down)
        for (std::uint64_t l = last + 1; l-- > first;) visit(l);
      else
        for (std::uint64_t l = first; l <= last; ++l) visit(l);
    }
  }
}

class Prefetcher {
 public:
  explicit Prefetcher(CacheModel const& model) : model_(model) {}

  /// Whether this line had been fetched ahead.
  bool ahead(std::uint64_t line) {
    auto const followed = std::ranges::find_if(streams_, [line](Stream const& s) {
      std::uint64_t const step = line - s.last;  // wraps for the line below
      return (step == 1 && s.direction >= 0) || (step == ~std::uint64_t{0} && s.direction <= 0);
    });
    if (followed == streams_.end()) {
      if (streams_.size() >= model_.streams) streams_.pop_back();
      streams_.insert(streams_.begin(), Stream{line, 0, 1});
      return false;
    }
    bool const runs = followed->seen >= model_.training;
    *followed = {line, line > followed->last ? 1 : -1, followed->seen + 1};
    std::rotate(streams_.begin(), followed, followed + 1);
    return runs;
  }

 private:
  struct Stream {
    std::uint64_t last = 0;
    int direction = 0;  ///< 0: not known yet
    std::uint64_t seen = 0;
  };
  CacheModel const& model_;
  std::vector<Stream> streams_;  ///< the latest first
};

}  // namespace

double simulated_demand(Walk const& walk, CacheModel const& model) {
  Prefetcher prefetcher(model);
  std::uint64_t lines = 0, demand = 0;
  each_line(walk, model.line, [&](std::uint64_t line) {
    ++lines;
    demand += !prefetcher.ahead(line);
  });
  return lines ? static_cast<double>(demand) / static_cast<double>(lines) : 0;
}

std::vector<std::vector<double>> simulated_residency(Walk const& walk, Bytes base_page, std::uint64_t folios,
                                                     CacheModel const& model) {
  std::vector<std::uint64_t> written;  // lines, in their order
  each_line(walk, model.line, [&](std::uint64_t line) { written.push_back(line); });
  std::uint64_t const a_page = std::max<std::uint64_t>(1, base_page / model.line);
  std::uint64_t const last = written.empty() ? 0 : *std::ranges::max_element(written);
  std::vector<std::vector<double>> pages(written.empty() ? 0 : last / a_page + 1,
                                         std::vector<double>(model.levels.size() + 1));
  for (std::uint64_t folio = 0; folio < folios; ++folio)
    for (std::uint64_t i = 0; i < written.size(); ++i) {
      std::uint64_t const since = (folios - folio) * written.size() - i - 1;  // lines written after this one
      auto const holds = std::ranges::find_if(
          model.levels, [&](CacheReach const& l) { return since < l.bytes.value / model.line.value; });
      pages[written[i] / a_page][static_cast<std::size_t>(holds - model.levels.begin())] +=
          1.0 / static_cast<double>(a_page * folios);
    }
  return pages;
}

}  // namespace folioscope
