// SPDX-License-Identifier: Apache-2.0
#include "counters/papi_source.hpp"

#include <fmt/core.h>
#include <papi.h>

#include <cerrno>

namespace folioscope {
namespace {

class PapiLibrary {
 public:
  PapiLibrary() {
    PAPI_set_debug(PAPI_QUIET);  // its complaints are ours to word
    int const version = PAPI_library_init(PAPI_VER_CURRENT);
    ready_ = version == PAPI_VER_CURRENT;
    if (!ready_) trouble_ = fmt::format("PAPI does not start ({})", PAPI_strerror(version));
    int const component = ready_ ? PAPI_get_component_index("perf_event") : -1;
    auto const* const info = component >= 0 ? PAPI_get_component_info(component) : nullptr;
    if (info && info->disabled) {
      ready_ = false;
      trouble_ = fmt::format("PAPI's perf_event component is off ({})", info->disabled_reason);
    }
  }
  ~PapiLibrary() {
    if (PAPI_is_initialized() != PAPI_NOT_INITED) PAPI_shutdown();
  }
  PapiLibrary(PapiLibrary const&) = delete;
  PapiLibrary& operator=(PapiLibrary const&) = delete;
  bool ready() const { return ready_; }
  std::string const& trouble() const { return trouble_; }

 private:
  bool ready_ = false;
  std::string trouble_;
};

int errno_of(int papi) {
  switch (papi) {
    case PAPI_EPERM:
      return EACCES;
    case PAPI_ENOEVNT:
      return ENOENT;
    case PAPI_ECNFLCT:
    case PAPI_ECOUNT:
      return ENOSPC;
    case PAPI_ENOSUPP:
    case PAPI_ENOCMP:
      return EOPNOTSUPP;
    default:
      return EINVAL;
  }
}

class PapiSet final : public EventSet {
 public:
  PapiSet(std::shared_ptr<PapiLibrary> library, int set, std::size_t events)
      : library_(std::move(library)), set_(set), values_(events) {}
  ~PapiSet() override {
    if (running_) PAPI_stop(set_, values_.data());
    PAPI_cleanup_eventset(set_);
    PAPI_destroy_eventset(&set_);
  }
  void start() override {
    began_ = PAPI_get_real_nsec();  // outside of what is counted
    running_ = PAPI_start(set_) == PAPI_OK;
  }
  std::vector<std::optional<Count>> stop() override {
    std::vector<std::optional<Count>> out(values_.size());
    if (!running_) return out;
    // PAPI pins a set that it does not multiplex: its events ran all the time, or reading them fails.
    bool const read = PAPI_stop(set_, values_.data()) == PAPI_OK;
    Nanoseconds const time(static_cast<double>(PAPI_get_real_nsec() - began_));
    running_ = false;
    for (std::size_t i = 0; read && i < out.size(); ++i) out[i] = Count{static_cast<double>(values_[i]), time, time};
    return out;
  }

 private:
  std::shared_ptr<PapiLibrary> library_;
  int set_;
  std::vector<long long> values_;
  long long began_ = 0;
  bool running_ = false;
};

class PapiSource final : public EventSource {
 public:
  std::string name() const override { return "PAPI"; }
  std::unique_ptr<EventSet> open(std::span<EventRequest const> events, OpenFailure& failure) override {
    if (!library_) library_ = std::make_shared<PapiLibrary>();
    if (!library_->ready()) {
      failure = {EOPNOTSUPP, library_->trouble()};
      return nullptr;
    }
    int set = PAPI_NULL;
    int status = PAPI_create_eventset(&set);
    if (status == PAPI_OK) status = prepare(set, events);
    for (EventRequest const& event : events)
      if (status == PAPI_OK) status = PAPI_add_named_event(set, event.native.c_str());
    if (status == PAPI_OK) return std::make_unique<PapiSet>(library_, set, events.size());
    failure = {errno_of(status), fmt::format("PAPI: {}", PAPI_strerror(status))};
    if (set != PAPI_NULL) {
      PAPI_cleanup_eventset(set);
      PAPI_destroy_eventset(&set);
    }
    return nullptr;
  }

 private:
  static int prepare(int set, std::span<EventRequest const> events) {
    int status = PAPI_assign_eventset_component(set, PAPI_get_component_index("perf_event"));
    if (status != PAPI_OK || events.empty()) return status;
    PAPI_option_t option{};
    option.domain.eventset = set;
    option.domain.domain = events.front().scope == CountScope::user ? PAPI_DOM_USER : PAPI_DOM_USER | PAPI_DOM_KERNEL;
    status = PAPI_set_opt(PAPI_DOMAIN, &option);
    if (status != PAPI_OK) return status;
    option = {};
    option.inherit.eventset = set;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    return PAPI_set_opt(PAPI_INHERIT, &option);
  }
  std::shared_ptr<PapiLibrary> library_;
};

}  // namespace

std::unique_ptr<EventSource> papi_source() { return std::make_unique<PapiSource>(); }

}  // namespace folioscope
