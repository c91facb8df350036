// SPDX-License-Identifier: Apache-2.0
// Events through Linux's own call, with no library between: software and uncore events, raw codes on a named PMU, and
// the probe that says what Linux answers.
#pragma once
#include <functional>

#include "counters/source.hpp"

struct perf_event_attr;

namespace folioscope {

/// perf_event_open for a process and CPU: a descriptor, or minus errno. Tests pass their own.
using OpenCall = std::function<int(perf_event_attr const& attributes, int pid, int cpu)>;
OpenCall linux_open_call();

class PerfSource final : public EventSource {
 public:
  explicit PerfSource(OpenCall call = linux_open_call()) : call_(std::move(call)) {}
  std::string name() const override { return "perf_event_open"; }
  std::unique_ptr<EventSet> open(std::span<EventRequest const> events, OpenFailure& failure) override;
  /// Opens and closes: 0, or the errno that Linux answered.
  int probe(EventRequest const& event) const;

 private:
  OpenCall call_;
};

}  // namespace folioscope
