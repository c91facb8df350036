// SPDX-License-Identifier: Apache-2.0
#include "machine/identity.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>

#include "machine/cpu_list.hpp"
#include "machine/survey.hpp"

namespace folioscope {
namespace {

/// The model key's text: what makes two machines the same hardware. Not in it, because it changes without the hardware:
/// Linux, its settings, memory size (firmware reserves varying amounts), allowed CPUs, names. In it, because timings
/// differ: hypervisor, emulator.
std::string model_text(Survey const& s) {
  std::string text = "folioscope model 1\n";
  auto const add = [&text](std::string_view name, std::string const& value) {
    text += fmt::format("{}={}\n", name, value);
  };
  auto const number = [](auto const& value) { return value ? std::to_string(*value) : std::string("unknown"); };
  add("architecture", s.machine.architecture);
  add("vendor", s.machine.vendor);
  add("model", s.machine.model);
  add("family", number(s.family));
  add("number", number(s.model_number));
  add("stepping", number(s.stepping));
  add("cpus", std::to_string(s.present.size()));
  // Kinds as a sorted list of identity and count: the numbering of cores may change with firmware.
  std::map<std::string, std::size_t> kinds;
  for (auto const& kind : read_kinds(s))
    kinds[fmt::format("{}/{:#x}", kind.name, kind.midr.value_or(0))] += kind.cpus.size();
  if (kinds.size() > 1)
    for (auto const& [name, count] : kinds) add("kind " + name, std::to_string(count));
  for (auto const& cache : s.machine.caches)
    add(fmt::format("cache {} {}", cache.level, cache.type),
        cache.size ? std::to_string(cache.size->value) : "unknown");
  add("zva", s.machine.features.zva_block ? std::to_string(s.machine.features.zva_block->value) : "none");
  add("hypervisor", s.machine.facts.value(fact::hypervisor).as_string().value_or("none"));
  add("emulator", s.machine.emulator.value_or("none"));
  return text;
}

bool is_machine_id(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         text.find_first_not_of('0') != std::string_view::npos;
}

bool is_uuid(std::string_view text) {
  return text.size() == 36 && std::ranges::count(text, '-') == 4 &&
         text.find_first_not_of("0-") != std::string_view::npos &&
         text.find_first_not_of("fF-") != std::string_view::npos;
}

void find_instance(Survey& s) {
  auto const know = [&s](std::string const& text, std::string const& source, std::string const& note) {
    s.machine.instance_key = key_of("folioscope instance 1\n" + text);
    s.know(std::string(fact::instance_key), s.machine.instance_key, source, note);
  };
  for (auto const* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"})
    if (auto const id = s.files.text(path); id && is_machine_id(*id)) return know(*id, path, "");
  constexpr char const* uuid_path = "/sys/class/dmi/id/product_uuid";
  if (auto const uuid = s.files.text(uuid_path); uuid && is_uuid(*uuid)) return know(*uuid, uuid_path, "no machine id");
  for (auto const* path : {"/proc/device-tree/serial-number", "/sys/firmware/devicetree/base/serial-number"})
    if (auto const serial = s.files.bytes(path, 256); serial && serial->size() > 4)
      return know(*serial, path, "no machine id");
  know(s.machine.model_key + "\n" + s.machine.facts.value(fact::hostname).as_string().value_or(""),
       "model key and host name",
       "neither a machine id nor a firmware id is readable: two machines of one model and name look alike");
}

void find_host_name(Survey& s) {
  std::string name, source = "uname";
  if (s.live()) {
    utsname system{};
    if (::uname(&system) == 0) name = system.nodename;
    for (char& c : name)
      if (c < ' ' || c > '~') c = '?';
  } else {
    for (auto const* path : {"/proc/sys/kernel/hostname", "/etc/hostname"})
      if (name.empty()) name = s.files.text(source = path).value_or("");
  }
  if (name.empty())
    s.unknown(std::string(fact::hostname), source, "missing or not readable");
  else
    s.know(std::string(fact::hostname), name, source, "a label: it tells no machines apart");
}

}  // namespace

std::string key_of(std::string_view text) { return fmt::format("{:016x}", fnv1a(text)); }

void survey_identity(Survey& s) {
  find_host_name(s);
  s.know_text(std::string(fact::boot_id), "/proc/sys/kernel/random/boot_id");
  s.machine.model_key = key_of(model_text(s));
  s.know(std::string(fact::model_key), s.machine.model_key, "hash of hardware facts",
         "architecture, CPU, number of CPUs, kinds of cores, caches, ZVA block, hypervisor, emulator");
  find_instance(s);
}

}  // namespace folioscope
