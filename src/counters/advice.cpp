// SPDX-License-Identifier: Apache-2.0
#include "counters/advice.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace folioscope {
namespace {

constexpr char const* give_a_pmu =
    "give the guest a virtual PMU (QEMU and libvirt: -cpu host,pmu=on; in clouds a bare-metal or whole-socket "
    "instance)";

std::string paranoid_words(CounterHost const& host) {
  return host.paranoid ? fmt::format("perf_event_paranoid is {}", *host.paranoid)
                       : std::string("perf_event_paranoid forbids it");
}

bool no_core_pmu(CounterHost const& host) { return host.pmus_known && !host.core_pmu(); }

std::string where_no_pmu(CounterHost const& host) {
  if (host.emulator) return fmt::format("no PMU: this is an emulator ({})", *host.emulator);
  if (host.hypervisor) return fmt::format("no PMU in this guest ({})", *host.hypervisor);
  return fmt::format("Linux has no PMU driver for this CPU ({})", host.cpu_name.empty() ? "unknown" : host.cpu_name);
}

std::string pmu_remedy(CounterHost const& host) {
  if (host.emulator) return "measure on hardware";
  if (host.hypervisor) return give_a_pmu;
  return "a newer Linux may know the CPU";
}

Refusal blocked(std::string subject, int error, CounterHost const& host) {
  bool const filtered = host.seccomp == 2u;
  if (filtered)
    return {std::move(subject),
            fmt::format("a seccomp filter blocks perf_event_open ({}), as containers have", std::strerror(error)),
            "allow perf_event_open in the container's seccomp profile, or run outside it"};
  if (error == ENOSYS)
    return {
        std::move(subject),
        host.emulator ? fmt::format("the emulator ({}) has no perf_event_open", *host.emulator)
                      : "this Linux is built without performance events (ENOSYS)",
        host.emulator ? "measure on hardware, or in a whole emulated machine" : "use a Linux with CONFIG_PERF_EVENTS"};
  return {std::move(subject), "this process may not call perf_event_open (EPERM), and no seccomp filter is seen",
          host.perfmon ? "a security module or lockdown forbids it: see the kernel log"
                       : "give CAP_PERFMON; a security module or lockdown may forbid it as well"};
}

Refusal forbidden(std::string subject, PmuKind pmu, CounterHost const& host) {
  if (pmu == PmuKind::uncore)
    return {std::move(subject), fmt::format("socket-wide events are privileged, and {}", paranoid_words(host)),
            "give CAP_PERFMON, or write 0 to /proc/sys/kernel/perf_event_paranoid"};
  std::string const allow = "write 2 or less to /proc/sys/kernel/perf_event_paranoid, or give CAP_PERFMON";
  if (pmu == PmuKind::core && no_core_pmu(host))
    return {std::move(subject),
            fmt::format("{}, which forbids counting; and there is {}", paranoid_words(host), where_no_pmu(host)),
            fmt::format("{}; lowering perf_event_paranoid alone will not help", pmu_remedy(host))};
  return {std::move(subject), fmt::format("{}, which forbids counting without privilege", paranoid_words(host)), allow};
}

Refusal not_there(std::string subject, Answers const& answers, PmuKind pmu, CounterHost const& host) {
  if (pmu == PmuKind::core && (no_core_pmu(host) || !host.pmus_known)) {
    std::string reason = where_no_pmu(host);
    if (!host.pmus_known) reason = fmt::format("Linux opens no such event ({})", std::strerror(answers.user));
    if (answers.kernel == EACCES)
      reason += fmt::format("; counting Linux's own work is not allowed either ({}), but lowering that would not help",
                            paranoid_words(host));
    return {std::move(subject), std::move(reason), pmu_remedy(host)};
  }
  return {std::move(subject),
          fmt::format("the PMU is listed, and refuses this event ({})", std::strerror(answers.user)),
          host.hypervisor ? "hypervisors pass some events only; `perf stat -e r...` tells whether others open" : ""};
}

}  // namespace

Refusal refuse_event(std::string subject, Answers const& answers, PmuKind pmu, CounterHost const& host) {
  switch (answers.user) {
    case EACCES:
      return forbidden(std::move(subject), pmu, host);
    case EPERM:
      if (pmu == PmuKind::uncore && !host.perfmon && host.seccomp != 2u)
        return forbidden(std::move(subject), pmu, host);
      return blocked(std::move(subject), EPERM, host);
    case ENOSYS:
      return blocked(std::move(subject), ENOSYS, host);
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
    case EINVAL:
      return not_there(std::move(subject), answers, pmu, host);
    case EBUSY:
    case ENOSPC:
      return refuse_taken(std::move(subject), host);
    case EMFILE:
    case ENFILE:
      return {std::move(subject), "no file descriptor is left", "raise the limit: ulimit -n"};
    default:
      return {std::move(subject), fmt::format("perf_event_open failed: {}", std::strerror(answers.user)), ""};
  }
}

Refusal refuse_missing_pmu(std::string subject, std::string const& pmu, PmuKind kind, CounterHost const& host) {
  if (!host.pmus_known)
    return {std::move(subject), "Linux lists no PMU: /sys/bus/event_source is hidden or not built",
            "mount /sys into the container"};
  if (kind == PmuKind::core) return {std::move(subject), where_no_pmu(host), pmu_remedy(host)};
  return {std::move(subject), fmt::format("Linux lists no PMU {}", pmu),
          host.hypervisor ? "uncore PMUs are not passed to guests: measure on the host"
                          : "load its driver (modprobe), or a newer Linux may have one"};
}

Refusal refuse_taken(std::string subject, CounterHost const& host) {
  if (host.nmi_watchdog == true)
    return {std::move(subject), "opens, but gets no counter: the NMI watchdog holds one",
            "write 0 to /proc/sys/kernel/nmi_watchdog"};
  return {std::move(subject), "opens, but gets no counter: another program holds them",
          "end other profilers (perf, a cloud agent); in a guest the host may hold them"};
}

std::string kernel_remedy(int error, CounterHost const& host) {
  if (error == EACCES || (error == EPERM && host.seccomp != 2u))
    return fmt::format(
        "counts this program only, {}: write 1 or less, or give CAP_PERFMON, to count Linux's work as well",
        paranoid_words(host));
  return {};
}

}  // namespace folioscope
