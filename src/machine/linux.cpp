// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>

#include "machine/build_config.hpp"
#include "machine/clear_kernel.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

struct Release {
  std::string release, version, source;
};

Release read_release(Survey const& s) {
  if (s.live()) {
    utsname name{};
    if (::uname(&name) == 0) return {name.release, name.version, "uname"};
  }
  auto const release = s.files.text("/proc/sys/kernel/osrelease");
  auto const version = s.files.text("/proc/sys/kernel/version");
  if (release) return {*release, version.value_or(""), "/proc/sys/kernel"};
  // "Linux version 6.1.0-18-arm64 (builder) (compiler) #1 SMP PREEMPT Debian ..."
  auto const line = s.files.text("/proc/version");
  if (!line || !line->starts_with("Linux version ")) return {"", "", "/proc/version"};
  auto const words = words_of(*line);
  auto const hash = line->find(" #");
  return {words.size() > 2 ? std::string(words[2]) : "", hash == std::string::npos ? "" : line->substr(hash + 1),
          "/proc/version"};
}

/// The last value of a boot parameter; nullopt when it is not given.
std::optional<std::string> boot_parameter(std::optional<std::string> const& command_line, std::string_view name) {
  std::optional<std::string> value;
  if (command_line)
    for (auto word : words_of(*command_line)) {
      if (word == "--") break;  // what follows is init's
      if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
        value = std::string(word.substr(name.size() + 1));
    }
  return value;
}

/// The model that the configuration chose at build time.
std::optional<std::string> configured_preemption(BuildConfig const& config) {
  struct Option {
    char const *name, *model;
  };
  for (auto const& [name, model] : {Option{"CONFIG_PREEMPT_RT", "realtime"}, Option{"CONFIG_PREEMPT_LAZY", "lazy"},
                                    Option{"CONFIG_PREEMPT", "full"}, Option{"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
                                    Option{"CONFIG_PREEMPT_NONE", "none"}})
    if (config.says_yes(name)) return model;
  return std::nullopt;
}

void find_preemption(Survey& s, std::string const& version, std::optional<std::string> const& command_line,
                     BuildConfig const& config) {
  auto const key = std::string(fact::preemption);
  constexpr char const* now = "/sys/kernel/debug/sched/preempt";
  if (auto const text = s.files.text(now))
    if (auto const open = text->find('('); open != std::string::npos && text->find(')', open) != std::string::npos)
      return s.know(key, text->substr(open + 1, text->find(')', open) - open - 1), now);
  auto const words = words_of(version);
  auto const has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (has("PREEMPT_RT")) return s.know(key, "realtime", "version", "PREEMPT_RT");
  bool const dynamic = has("PREEMPT_DYNAMIC");
  // The boot parameter counts only for a Linux that can switch.
  auto const asked = boot_parameter(command_line, "preempt");
  if (dynamic && asked && (*asked == "none" || *asked == "voluntary" || *asked == "full" || *asked == "lazy"))
    return s.know(key, *asked, "/proc/cmdline", "PREEMPT_DYNAMIC: a later change is seen only in debugfs");
  if (auto const built = configured_preemption(config))
    return s.know(key, *built, config.source,
                  dynamic ? "PREEMPT_DYNAMIC: its default; a later change is seen only in debugfs" : "");
  if (has("PREEMPT_LAZY")) return s.know(key, "lazy", "version");
  if (has("PREEMPT")) return s.know(key, "full", "version");
  if (version.empty()) return s.unknown(key, "version", "missing or not readable");
  s.unknown(
      key, "version",
      dynamic
          ? "PREEMPT_DYNAMIC, whose model is readable only in /sys/kernel/debug/sched/preempt (root, debugfs mounted)"
          : "none or voluntary: the version string does not tell which");
}

void find_init_on_alloc(Survey& s, std::optional<std::string> const& command_line, BuildConfig const& config) {
  std::string const key = "linux.init_on_alloc";
  std::string const meaning = "Linux clears at allocation too; a huge page may be cleared twice in a fault";
  if (auto const asked = boot_parameter(command_line, "init_on_alloc"); asked && !asked->empty()) {
    // Linux's kstrtobool.
    auto const first = (*asked)[0];
    bool const on = first == '1' || first == 'y' || first == 'Y' || asked->starts_with("on");
    bool const off = first == '0' || first == 'n' || first == 'N' || asked->starts_with("of");
    if (on || off) return s.know(key, on, "/proc/cmdline", on ? meaning : "");
  }
  if (config.known()) {
    bool const on = config.says_yes("CONFIG_INIT_ON_ALLOC_DEFAULT_ON");
    return s.know(key, on, config.source, on ? meaning : "");
  }
  s.unknown(key, "/proc/cmdline", "not on the command line, and the build configuration is not readable");
}

/// Free pages that Linux gives back to the hypervisor are cleared and mapped anew by the host at the next touch.
void find_page_reporting(Survey& s) {
  constexpr char const* path = "/sys/module/page_reporting/parameters/page_reporting_order";
  constexpr std::uint64_t highest_order = 64;  // Linux says "none chosen" by all ones
  auto const order = s.files.number(path);
  if (order && *order < highest_order)
    s.know("linux.page_reporting_order", *order, path);
  else
    s.unknown("linux.page_reporting_order", path,
              s.files.exists(path) ? "no order is chosen" : "missing: no page reporting");
}

}  // namespace

void survey_linux(Survey& s) {
  auto const [release, version, source] = read_release(s);
  auto const know = [&](std::string key, std::string const& text, std::string const& from) {
    if (text.empty())
      s.unknown(std::move(key), from, "missing or not readable");
    else
      s.know(std::move(key), text, from);
  };
  know(std::string(fact::linux_release), release, source);
  know("linux.version", version, source);
  auto const command_line = s.files.text("/proc/cmdline");
  auto const config = read_build_config(s.files, release);
  find_preemption(s, version, command_line, config);
  find_init_on_alloc(s, command_line, config);
  find_page_reporting(s);

  auto view = s.machine.features;
  if (s.machine.architecture == "x86_64")
    view = s.cpuinfo.features.empty() ? Features{} : decode_x86_words(s.cpuinfo.features);
  auto const chosen = choose_clear_kernel(s.machine.architecture, view, parse_release(release));
  s.machine.linux_kernel = chosen.name;
  if (chosen.name.empty())
    s.unknown(std::string(fact::linux_kernel), "Linux's alternatives", chosen.why);
  else
    s.know(std::string(fact::linux_kernel), chosen.name, "Linux's alternatives", chosen.why);
}

}  // namespace folioscope
