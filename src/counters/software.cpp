// SPDX-License-Identifier: Apache-2.0
#include "counters/software.hpp"

#include <fmt/core.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

namespace folioscope {
namespace {

/// Work that raises an event for certain, and by how much at least.
using KnownWork = double (*)();

double touch_fresh_pages() {
  constexpr std::size_t pages = 16;
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<char volatile*>(memory)[i * page] = 1;
  munmap(memory, pages * page);
  return 1;  // fault-around may map several pages at once
}

double sleep_a_moment() {
  timespec const moment{0, 50'000};
  nanosleep(&moment, nullptr);
  return 1;
}

double spin() {
  for (int i = 0; i < 100'000; ++i) asm volatile("");
  return 1;
}

struct SoftwareEvent {
  char const* name;
  std::uint64_t config;
  KnownWork known_work;    ///< null: none can be had without disturbing the machine
  bool happens_in_kernel;  ///< reads 0 for ever when the kernel is excluded
};

constexpr SoftwareEvent events[] = {
    {"page-faults", PERF_COUNT_SW_PAGE_FAULTS, touch_fresh_pages, false},
    {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, touch_fresh_pages, false},
    {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, nullptr, false},
    {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, sleep_a_moment, true},
    {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, nullptr, true},
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK, spin, false},
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class OpenEvent {
 public:
  struct Count {
    std::uint64_t value = 0, enabled = 0, running = 0;  // the layout of PERF_FORMAT_TOTAL_TIME_ENABLED | _RUNNING
  };
  OpenEvent(std::string name, std::string scope, Descriptor descriptor)
      : name_(std::move(name)), scope_(std::move(scope)), descriptor_(std::move(descriptor)) {}
  void start() {
    base_ = now().value_or(Count{});  // a reset does not reach the threads' shares
    ioctl(descriptor_.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
  std::optional<Count> stop() const {
    ioctl(descriptor_.get(), PERF_EVENT_IOC_DISABLE, 0);
    auto const count = now();
    if (!count) return std::nullopt;
    return Count{count->value - base_.value, count->enabled - base_.enabled, count->running - base_.running};
  }
  std::string const& name() const { return name_; }
  std::string const& scope() const { return scope_; }

 private:
  std::optional<Count> now() const {
    Count count;
    if (read(descriptor_.get(), &count, sizeof count) != static_cast<ssize_t>(sizeof count)) return std::nullopt;
    return count;
  }
  std::string name_, scope_;
  Descriptor descriptor_;
  Count base_;
};

int open_event(std::uint64_t config, bool with_kernel) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = with_kernel ? 0 : 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Refusal why(char const* name, int error) {
  switch (error) {
    case EACCES:
      return {name, "perf_event_paranoid does not allow it",
              "write 2 or less to /proc/sys/kernel/perf_event_paranoid, or give CAP_PERFMON"};
    case EPERM:
    case ENOSYS:
      return {
          name,
          fmt::format("perf_event_open is blocked ({}): a seccomp filter, as containers have", std::strerror(error)),
          "allow perf_event_open in the container's seccomp profile"};
    default:
      return {name, fmt::format("perf_event_open failed: {}", std::strerror(error)), ""};
  }
}

Granted<OpenEvent> open_tested(SoftwareEvent const& event) {
  std::string scope = "user+kernel";
  Descriptor descriptor(open_event(event.config, true));
  int error = descriptor.get() < 0 ? errno : 0;
  if (error == EACCES && !event.happens_in_kernel) {
    scope = "user";
    Descriptor user_only(open_event(event.config, false));
    error = user_only.get() < 0 ? errno : 0;
    if (error != 0) return why(event.name, error);
    return OpenEvent{event.name, scope, std::move(user_only)};
  }
  if (error != 0) return why(event.name, error);
  return OpenEvent{event.name, scope, std::move(descriptor)};
}

class SoftwareReader final : public CounterReader {
 public:
  SoftwareReader(std::vector<OpenEvent> open, std::vector<Refusal> refused)
      : open_(std::move(open)), refused_(std::move(refused)) {}
  void start() override {
    for (OpenEvent& event : open_) event.start();
  }
  std::vector<Reading> stop() override {
    std::vector<Reading> readings;
    for (OpenEvent const& event : open_) {
      auto const count = event.stop();
      if (!count) continue;
      Reading reading;
      reading.group = "software";
      reading.event = event.name();
      reading.value = static_cast<double>(count->value);
      reading.enabled = Nanoseconds(static_cast<double>(count->enabled));
      reading.running = Nanoseconds(static_cast<double>(count->running));
      reading.scope = event.scope();
      readings.push_back(std::move(reading));
    }
    return readings;
  }
  std::vector<Refusal> const& refused() const override { return refused_; }

 private:
  std::vector<OpenEvent> open_;
  std::vector<Refusal> refused_;
};

}  // namespace

Granted<std::unique_ptr<CounterReader>> open_software_counters() {
  std::vector<OpenEvent> open;
  std::vector<Refusal> refused;
  for (SoftwareEvent const& event : events) {
    auto opened = open_tested(event);
    if (!opened) {
      refused.push_back(opened.refusal());
      continue;
    }
    if (event.known_work) {
      opened->start();
      double const expected = event.known_work();
      auto const count = opened->stop();
      if (!count || static_cast<double>(count->value) < expected) {
        refused.push_back({event.name, "opens, but counts nothing on work that raises it", ""});
        continue;
      }
    }
    open.push_back(std::move(*opened));
  }
  if (open.empty()) return refused.front();
  return std::unique_ptr<CounterReader>(std::make_unique<SoftwareReader>(std::move(open), std::move(refused)));
}

}  // namespace folioscope
