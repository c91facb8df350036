// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "explain/layout.hpp"
#include "explain/path_bill.hpp"

namespace folioscope {
namespace {

Json path_interval(std::optional<Interval> const& ci) { return ci ? Json::array({ci->low, ci->high}) : Json(); }

std::string use_words(PathBillLine const& line) { return line.downwards ? "downwards" : "upwards"; }

std::string first_words(PathBillLine const& line) {
  if (!line.first) return "-";
  return line.last ? "last" : std::to_string(*line.first);
}

/// What the finding says of touching another page than page 0 first, or of using downwards.
std::string verdict_words(PathBillLine const& line, std::string const& what, std::string const& other) {
  switch (line.finding) {
    case Finding::faster:
      return fmt::format("{} wins: clear and use take {} times as long as {}", what, with_interval(line.ratio), other);
    case Finding::slower:
      return fmt::format("{} loses: clear and use take {} times as long as {}", what, with_interval(line.ratio), other);
    case Finding::no_difference:
      return fmt::format("{} makes no detectable difference above {} to clear and use ({})", what, percent(line.delta),
                         with_interval(line.ratio));
    case Finding::cannot_tell:
      return fmt::format("whether {} wins cannot be told: clear and use {} times as long as {}", what,
                         with_interval(line.ratio), other);
  }
  return {};
}

/// The same workload and use with the phases apart.
PathBillLine const* apart_of(std::span<PathBillLine const> lines, PathBillLine const& line) {
  auto const it = std::ranges::find_if(lines, [&](PathBillLine const& l) {
    return l.campaign == line.campaign && l.apart && l.path == line.path && l.downwards == line.downwards &&
           l.first == line.first;
  });
  return it == lines.end() ? nullptr : &*it;
}

std::string parts_words(PathBillLine const& line) {
  if (!line.clear_ratio || !line.use_ratio || line.clear_ratio->n == 0 || line.use_ratio->n == 0) return "";
  return fmt::format("the clear {}, the use {}", with_interval(*line.clear_ratio), with_interval(*line.use_ratio));
}

}  // namespace

Json to_json(PathBillLine const& line) {
  auto const part = [](std::optional<Nanoseconds> const& t) { return t ? Json(t->value) : Json(); };
  auto const ratio = [](std::optional<Estimate> const& e) { return e && e->n > 0 ? Json(e->ratio) : Json(); };
  bool const compared = line.reference && line.ratio.n > 0;
  return Json::object({{"bytes", line.memory.value},
                       {"use", line.downwards ? "descending" : "ascending"},
                       {"apart", line.apart},
                       {"first", line.first ? Json(*line.first) : Json()},
                       {"clear_ns", part(line.clear)},
                       {"use_ns", part(line.spent)},
                       {"total_ns", line.total.value},
                       {"total_ci", path_interval(line.ci)},
                       {"bill_ratio", compared ? Json(line.ratio.ratio) : Json()},
                       {"bill_ci", compared ? path_interval(line.ratio.ci) : Json()},
                       {"clear_ratio", ratio(line.clear_ratio)},
                       {"use_ratio", ratio(line.use_ratio)},
                       {"bill_p_holm", compared && line.ratio.ci ? Json(line.p_holm) : Json()},
                       {"bill_verdict", compared ? Json(to_string(line.finding)) : Json()},
                       {"bill_n", line.n}});
}

std::vector<std::string> path_bill_sentences(std::span<PathBillLine const> lines) {
  std::vector<std::string> out;
  for (PathBillLine const& line : lines) {
    if (!line.reference || line.ratio.n == 0) continue;
    if (!line.first) {
      std::string text = verdict_words(line, "using it downwards", "used upwards");
      if (auto const parts = parts_words(line); !parts.empty()) text += " (" + parts + ")";
      out.push_back(printable(line.path) + ": " + text + ".");
      continue;
    }
    // What programs do is together; apart says where the difference lies.
    if (line.apart) continue;
    std::string text = verdict_words(
        line, line.last ? "touching the last page first" : fmt::format("touching page {} first", *line.first),
        "page 0 first");
    PathBillLine const* const apart = apart_of(lines, line);
    if (auto const parts = apart ? parts_words(*apart) : ""; !parts.empty()) text += "; apart, " + parts;
    out.push_back(fmt::format("{}, used {}: {}.", printable(line.path), use_words(line), text));
  }
  return out;
}

std::string to_text(std::span<PathBillLine const> lines, std::size_t width) {
  if (lines.empty()) return "";
  TextTable table(4);
  table.add({"path", "used", "first", "", "clear", "use", "total", "95 %", "x page 0"});
  for (PathBillLine const& line : lines)
    table.add({printable(line.path), use_words(line), first_words(line), line.apart ? "apart" : "together",
               line.clear ? microseconds(*line.clear) : "-", line.spent ? microseconds(*line.spent) : "-",
               microseconds(line.total),
               line.ci ? fmt::format("{} to {}", microseconds(Nanoseconds(line.ci->low)),
                                     microseconds(Nanoseconds(line.ci->high)))
                       : "-",
               line.first && line.reference && line.ratio.n > 0 ? figure(line.ratio.ratio) : ""});
  std::string text = "Clear and use along Linux's paths, us a folio:\n" + table.text(2);
  if (!text.ends_with('\n')) text += '\n';
  auto const [least, most] = std::ranges::minmax(lines, {}, [](PathBillLine const& l) { return l.memory.value; });
  text +=
      wrapped(fmt::format("A pass takes {}{}; the workloads that these are modelled on take half of memory. A longer "
                          "--budget takes more.",
                          format_bytes(least.memory),
                          least.memory == most.memory ? "" : " to " + format_bytes(most.memory)),
              width, 0, 0) +
      "\n";
  for (std::string const& sentence : path_bill_sentences(lines))
    text += "  - " + wrapped(sentence, width - 4, 0, 4) + "\n";
  return text;
}

}  // namespace folioscope
