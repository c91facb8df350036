// SPDX-License-Identifier: Apache-2.0
#include "counters/perf_source.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace folioscope {
namespace {

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

/// The layout of PERF_FORMAT_TOTAL_TIME_ENABLED | _RUNNING.
struct RawCount {
  std::uint64_t value = 0, enabled = 0, running = 0;
};

class PerfSet final : public EventSet {
 public:
  explicit PerfSet(std::vector<Descriptor> open) : open_(std::move(open)), base_(open_.size()) {}
  void start() override {
    // A reset does not reach the threads' shares: what was there is taken off instead.
    for (std::size_t i = 0; i < open_.size(); ++i) base_[i] = now(i);
    for (Descriptor const& event : open_) ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
  std::vector<std::optional<Count>> stop() override {
    for (Descriptor const& event : open_) ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
    std::vector<std::optional<Count>> out(open_.size());
    for (std::size_t i = 0; i < open_.size(); ++i) {
      auto const count = now(i);
      if (!count || !base_[i]) continue;
      auto const since = [](std::uint64_t end, std::uint64_t begin) {
        return static_cast<double>(static_cast<std::int64_t>(end - begin));  // a counter set back shows as negative
      };
      out[i] = Count{since(count->value, base_[i]->value), Nanoseconds(since(count->enabled, base_[i]->enabled)),
                     Nanoseconds(since(count->running, base_[i]->running))};
    }
    return out;
  }

 private:
  std::optional<RawCount> now(std::size_t i) const {
    RawCount count;
    if (read(open_[i].get(), &count, sizeof count) != static_cast<ssize_t>(sizeof count)) return std::nullopt;
    return count;
  }
  std::vector<Descriptor> open_;
  std::vector<std::optional<RawCount>> base_;
};

int open_with(OpenCall const& call, EventRequest const& event) {
  perf_event_attr attributes{};
  attributes.type = event.type;
  attributes.size = sizeof attributes;
  attributes.config = event.code;
  attributes.disabled = 1;
  bool const socket = event.scope == CountScope::socket;
  attributes.inherit = socket ? 0 : 1;
  // Uncore PMUs refuse filters by privilege: they do not know whose work it is.
  attributes.exclude_kernel = event.scope == CountScope::user ? 1 : 0;
  attributes.exclude_hv = socket ? 0 : 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return call(attributes, socket ? -1 : 0, event.cpu);
}

}  // namespace

std::string to_string(CountScope scope) {
  return scope == CountScope::user ? "user" : scope == CountScope::user_and_kernel ? "user+kernel" : "socket";
}

OpenCall linux_open_call() {
  return [](perf_event_attr const& attributes, int pid, int cpu) {
    auto const fd = static_cast<int>(syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
    return fd >= 0 ? fd : -errno;
  };
}

std::unique_ptr<EventSet> PerfSource::open(std::span<EventRequest const> events, OpenFailure& failure) {
  std::vector<Descriptor> open;
  for (EventRequest const& event : events) {
    int const fd = open_with(call_, event);
    if (fd < 0) {
      failure = {-fd, {}};
      return nullptr;
    }
    open.emplace_back(fd);
  }
  return std::make_unique<PerfSet>(std::move(open));
}

int PerfSource::probe(EventRequest const& event) const {
  Descriptor const opened(open_with(call_, event));
  return opened.get() < 0 ? -opened.get() : 0;
}

}  // namespace folioscope
