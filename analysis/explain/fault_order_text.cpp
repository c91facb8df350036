// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "explain/fault_order.hpp"
#include "explain/layout.hpp"

namespace folioscope {
namespace {

Json interval(std::optional<Interval> const& ci) { return ci ? Json::array({ci->low, ci->high}) : Json(); }

Json to_json(FaultPoint const& p) {
  Estimate const& e = p.against_first;
  return Json::object({{"index", p.index},
                       {"ns", p.time.value},
                       {"user_ns", p.user.value},
                       {"system_ns", p.system.value},
                       {"ratio", e.ratio},
                       {"ci", interval(e.ci)},
                       {"p_holm", e.ci ? Json(p.p_holm) : Json()},
                       {"n", e.n},
                       {"replica_ns", p.replica ? Json(p.replica->value) : Json()},
                       {"replica_error", p.replica_error}});
}

Json to_json(LineFit const& fit) {
  return Json::object({{"a_ns", fit.a}, {"a_ci", interval(fit.a_ci)}, {"b", fit.b}, {"b_ci", interval(fit.b_ci)}});
}

Json to_json(std::vector<LevelShare> const& shares) {
  Json rows = Json::array();
  for (LevelShare const& s : shares)
    rows.push(Json::object({{"level", s.level}, {"share", s.share}, {"ci", interval(s.ci)}}));
  return rows;
}

/// The level of most looks: "L2 in 97 % (95 to 98)".
std::string mostly_in(std::vector<LevelShare> const& shares) {
  auto const most = std::ranges::max_element(shares, {}, &LevelShare::share);
  std::string text = fmt::format("{} in {:.0f} %", printable(most->level, 30), 100 * most->share);
  return most->ci ? text + fmt::format(" ({:.0f} to {:.0f})", 100 * most->ci->low, 100 * most->ci->high) : text;
}

std::string kernel_words(FaultOrderFinding const& f) {
  if (f.clear_kernel.empty()) return "";
  std::string text = fmt::format("This Linux clears pages with {}", printable(f.clear_kernel));
  return text + (f.clear_kernel_why.empty() ? "." : fmt::format(" ({}).", printable(f.clear_kernel_why)));
}

std::string replica_words(FaultOrderFinding const& f) {
  if (!f.replica) return "";
  LineFit const& r = *f.replica;
  std::string text =
      fmt::format("Replica ({} {}): fault = {} us + {} x replica, median error {}.", printable(f.replica_kernel),
                  printable(f.replica_order), microseconds(Nanoseconds(r.a)), figure(r.b), percent(r.median_error));
  return text;
}

std::string warm_words(FaultOrderFinding const& f) {
  std::string text = fmt::format("{} faults on warm memory, {} left out as served by the host too or interrupted.",
                                 f.faults, f.excluded);
  if (f.first_touch) text += fmt::format(" First touch of free memory: {} us a folio.", microseconds(*f.first_touch));
  if (f.after_wait) text += fmt::format(" Touched again 2.5 s after it was freed: {} us.", microseconds(*f.after_wait));
  return text;
}

}  // namespace

std::string order_sentence(FaultOrderFinding const& f) {
  std::string text = to_string(f.recognition.recognised);
  if (f.recognition.recognised == Recognised::cannot_tell) {
    text += " (may be";
    for (std::size_t i = 0; i < f.recognition.candidates.size(); ++i)
      text += (i ? ", " : " ") + f.recognition.candidates[i];
    text += ")";
  }
  text += ": " + f.recognition.why + ".";
  if (!f.expected) return text + " The release does not tell what to expect.";
  text += fmt::format(" The release suggests {}", *f.expected);
  return text + (f.agrees ? (*f.agrees ? ", which agrees." : ", which does not agree.") : ".");
}

std::string gain_sentence(FaultOrderFinding const& f) {
  if (!f.best_index) return "No page is faster to touch first than page 0.";
  std::string const text = fmt::format("Touching page {} first is {} times as fast as touching page 0 first",
                                       *f.best_index, with_interval(f.gain));
  bool const last = *f.best_index + 1 == f.pages;
  // A number is one of a THP's pages; of what else the cure populates, the last page has the same name.
  bool const cured = f.backing.kind == BackingKind::thp || (f.backing.kind == BackingKind::hugetlb && last);
  if (!cured) return text + ".";
  return text + fmt::format(
                    " (programs: include/folioscope_prefault.h, or preload its library; to tell them: "
                    "export FOLIOSCOPE_PREFAULT_INDEX={}).",
                    last ? "last" : std::to_string(*f.best_index));
}

std::string nearness_sentence(FaultOrderFinding const& f) {
  if (f.near_levels.empty() || f.last_levels.empty() || !f.witness || !f.probe) return "";
  return fmt::format(
      "After {} faults at page 0 the lines of page 1 were in {} of looks, those of the last page in {}; of pages "
      "brought to a level on purpose the probe found at least {} there (worst: {}).",
      f.witness->looks, mostly_in(f.near_levels), mostly_in(f.last_levels), least_right_words(*f.probe),
      printable(f.probe->least_right_level, 30));
}

Json to_json(FaultOrderFinding const& f) {
  Json curve = Json::array(), candidates = Json::array();
  for (FaultPoint const& p : f.curve) curve.push(to_json(p));
  for (std::string const& c : f.recognition.candidates) candidates.push(c);
  Json witness;
  if (f.witness)
    witness = Json::object({{"near_ns", f.witness->near_ns},
                            {"last_ns", f.witness->last_ns},
                            {"cached_ns", f.witness->cached_ns},
                            {"cold_ns", f.witness->cold_ns},
                            {"looks", f.witness->looks},
                            {"near_levels", to_json(f.near_levels)},
                            {"last_levels", to_json(f.last_levels)}});
  return Json::object({{"path", "fault-order"},
                       {"backing", to_string(f.backing)},
                       {"recognised", to_string(f.recognition.recognised)},
                       {"candidates", std::move(candidates)},
                       {"why", f.recognition.why},
                       {"expected_from_release", f.expected},
                       {"agrees", f.agrees},
                       {"clear_kernel", f.clear_kernel.empty() ? Json() : Json(f.clear_kernel)},
                       {"clear_kernel_why", f.clear_kernel_why.empty() ? Json() : Json(f.clear_kernel_why)},
                       {"best_index", f.best_index},
                       {"gain", f.best_index ? Json(f.gain.ratio) : Json()},
                       {"ci", f.best_index ? interval(f.gain.ci) : Json()},
                       {"replica_error_median", f.replica ? Json(f.replica->median_error) : Json()},
                       {"replica", f.replica ? to_json(*f.replica) : Json()},
                       {"replica_kernel", f.replica ? Json(f.replica_kernel) : Json()},
                       {"replica_order", f.replica ? Json(f.replica_order) : Json()},
                       {"delta", f.delta},
                       {"pages", f.pages},
                       {"witness", std::move(witness)},
                       {"probe", f.probe ? to_json(*f.probe) : Json()},
                       {"faults", f.faults},
                       {"excluded", f.excluded},
                       {"first_touch_ns", f.first_touch ? Json(f.first_touch->value) : Json()},
                       {"after_wait_ns", f.after_wait ? Json(f.after_wait->value) : Json()},
                       {"curve", std::move(curve)}});
}

std::string to_text(FaultOrderFinding const& f) {
  std::string text =
      fmt::format("Faults on {} ({} pages), {} placements:\n", to_string(f.backing), f.pages, f.placements);
  TextTable table(0);
  table.add({"first", "us", "x page 0", "replica us"});
  for (FaultPoint const& p : f.curve)
    table.add({std::to_string(p.index), microseconds(p.time), p.against_first.ci ? with_interval(p.against_first) : "1",
               p.replica ? microseconds(*p.replica) : "-"});
  text += table.text(2);
  if (!text.ends_with('\n')) text += '\n';
  for (std::string const& sentence :
       {order_sentence(f), nearness_sentence(f), kernel_words(f), gain_sentence(f), replica_words(f), warm_words(f)})
    if (!sentence.empty()) text += wrapped(sentence, 100, 0, 0) + "\n";
  text.pop_back();
  return text;
}

}  // namespace folioscope
