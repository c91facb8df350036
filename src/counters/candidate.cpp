// SPDX-License-Identifier: Apache-2.0
#include "counters/candidate.hpp"

#include <fmt/core.h>
#include <linux/perf_event.h>

#include "counters/advice.hpp"

namespace folioscope {
namespace {

PmuKind kind_of(CounterGroup const& group) {
  return group.pmu == "core" ? PmuKind::core : group.pmu == "software" ? PmuKind::software : PmuKind::uncore;
}

void refuse(EventStatus& status, Refusal const& refusal) {
  status.usable = false;
  status.reason = refusal.reason;
  status.remedy = refusal.remedy;
}

/// Where the event would be opened; empty where Linux lists no such PMU.
std::vector<EventRequest> requests_of(CounterGroup const& group, CounterEvent const& event, CounterHost const& host,
                                      EventStatus& status) {
  std::vector<EventRequest> out;
  EventRequest request;
  request.code = event.code;
  switch (kind_of(group)) {
    case PmuKind::software:
      request.type = PERF_TYPE_SOFTWARE;
      out.push_back(request);
      break;
    case PmuKind::core: {
      // Without a listed PMU Linux is asked all the same: its answer tells a missing PMU from a filter.
      auto const* const pmu = host.core_pmu();
      request.type = pmu ? pmu->type : static_cast<std::uint32_t>(PERF_TYPE_RAW);
      if (pmu) status.pmu = pmu->name;
      out.push_back(request);
      break;
    }
    case PmuKind::uncore:
      request.scope = CountScope::socket;
      for (ListedPmu const& pmu : host.pmus) {
        if (!matches(group.pmu, pmu.name)) continue;
        request.type = pmu.type;
        // Its cpumask names one CPU of each socket or die that has such a box.
        for (unsigned const cpu : pmu.cpus.empty() ? std::vector<unsigned>{host.cpu} : pmu.cpus) {
          request.cpu = static_cast<int>(cpu);
          out.push_back(request);
        }
      }
      break;
  }
  return out;
}

/// User-only first: what Linux answers then is about the event, and not about the right to count Linux itself.
Answers ask(CounterTools const& tools, EventRequest request) {
  Answers answers;
  if (request.scope == CountScope::socket) {
    answers.user = tools.probe(request);
    return answers;
  }
  request.scope = CountScope::user;
  answers.user = tools.probe(request);
  request.scope = CountScope::user_and_kernel;
  answers.kernel = tools.probe(request);
  return answers;
}

struct Way {
  EventSource* source;
  std::string native, words;
};

std::vector<Way> ways(CounterGroup const& group, CounterEvent const& event, CounterHost const& host,
                      CounterTools const& tools) {
  std::vector<Way> out;
  // Names and PAPI's raw codes go to the PMU that Linux takes for raw codes: with several kinds of core, to any.
  if (tools.names && kind_of(group) == PmuKind::core && !host.several_core_pmus()) {
    if (event.verified == "libpfm") out.push_back({tools.names, group.libpfm + "::" + event.name, "PAPI"});
    out.push_back({tools.names, fmt::format("perf_raw::r{:x}", event.code), "PAPI, raw code"});
  }
  if (tools.codes) out.push_back({tools.codes, "", tools.codes->name()});
  return out;
}

}  // namespace

std::optional<Candidate> find_opening(CounterGroup const& group, CounterEvent const& event, CounterHost const& host,
                                      CounterTools const& tools, EventStatus& status) {
  auto requests = requests_of(group, event, host, status);
  std::string const subject = group.id() + " " + event.name;
  if (requests.empty()) {
    refuse(status, refuse_missing_pmu(subject, group.pmu, kind_of(group), host));
    return std::nullopt;
  }
  Answers const answers = ask(tools, requests.front());
  if (answers.user != 0) {
    refuse(status, refuse_event(subject, answers, kind_of(group), host));
    return std::nullopt;
  }
  if (kind_of(group) != PmuKind::uncore) {
    bool const both = answers.kernel == 0;
    for (EventRequest& request : requests) request.scope = both ? CountScope::user_and_kernel : CountScope::user;
    if (!both && answers.kernel) status.remedy = kernel_remedy(*answers.kernel, host);
  }
  status.scope = to_string(requests.front().scope);
  OpenFailure failure;
  for (Way const& way : ways(group, event, host, tools)) {
    for (EventRequest& request : requests) request.native = way.native;
    if (!way.source->open(requests, failure)) continue;
    status.opened_by = way.words;
    return Candidate{&event, way.source, std::move(requests), 0};
  }
  if (failure.error != 0) {
    refuse(status, refuse_event(subject, {failure.error, answers.kernel}, kind_of(group), host));
  } else {
    refuse(status, {subject, "nothing here opens it", ""});
  }
  return std::nullopt;
}

}  // namespace folioscope
