// SPDX-License-Identifier: Apache-2.0
#include "counters/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "terms/cell.hpp"
#include "terms/embedded.hpp"
#include "terms/error.hpp"

namespace folioscope {
namespace embedded {
std::span<EmbeddedFile const> counter_group_data();
}
namespace {

constexpr std::string_view identities = "microarchitectures.toml";
constexpr std::size_t largest_file = 1 << 20;

/// "0x10-0x1f", "0x55", "0x41/0xd0c": two numbers, or one twice.
std::pair<unsigned, unsigned> pair_of(std::string const& text, char between, std::string_view where) {
  auto const at = text.find(between);
  try {
    std::size_t used = 0;
    auto const first = static_cast<unsigned>(std::stoul(text.substr(0, at), &used, 0));
    if (at == std::string::npos && used == text.size()) return {first, first};
    if (at != std::string::npos) return {first, static_cast<unsigned>(std::stoul(text.substr(at + 1), nullptr, 0))};
  } catch (std::exception const&) {
  }
  throw Error(fmt::format("'{}' is no number or range", text), std::string(where), "write for example 0x10-0x1f");
}

std::vector<Microarchitecture> identities_of(std::string_view text, std::string_view where) {
  std::vector<Microarchitecture> out;
  Json const table = parse_toml(text, where);
  for (Json const& entry : table["microarchitecture"].items()) {
    Microarchitecture m;
    auto const word = [&](char const* key) { return entry[key].as_string().value_or(""); };
    m.name = word("name");
    m.title = word("title");
    m.architecture = word("architecture");
    m.linux_json = word("linux_json");
    m.vendor = word("vendor");
    m.family = static_cast<unsigned>(entry["family"].as_integer().value_or(0));
    for (Json const& core : entry["cores"].items())
      m.cores.push_back(pair_of(core.as_string().value_or(""), '/', where));
    for (Json const& model : entry["models"].items())
      m.models.push_back(pair_of(model.as_string().value_or(""), '-', where));
    if (m.name.empty() || m.title.empty() || m.architecture.empty())
      throw Error("a microarchitecture without name, title or architecture", std::string(where), "give all three");
    out.push_back(std::move(m));
  }
  return out;
}

bool is_of(Microarchitecture const& m, CounterHost const& host) {
  if (m.architecture != host.architecture) return false;
  if (m.architecture == "aarch64") {
    if (m.cores.empty()) return true;
    if (!host.midr) return false;
    auto const implementer = static_cast<unsigned>(*host.midr >> 24 & 0xff);
    auto const part = static_cast<unsigned>(*host.midr >> 4 & 0xfff);
    return std::ranges::find(m.cores, std::pair(implementer, part)) != m.cores.end();
  }
  if (m.vendor != host.vendor || !host.family || m.family != *host.family || !host.model) return false;
  return std::ranges::any_of(
      m.models, [&](auto const& range) { return *host.model >= range.first && *host.model <= range.second; });
}

void place(std::vector<CounterGroup>& groups, CounterGroup group) {
  auto const same = std::ranges::find(groups, group.id(), &CounterGroup::id);
  if (same != groups.end())
    *same = std::move(group);
  else
    groups.push_back(std::move(group));
}

std::string content_of(std::filesystem::path const& path) {
  std::error_code trouble;
  if (std::filesystem::file_size(path, trouble) > largest_file || trouble)
    throw Error("cannot be read, or is larger than 1 MiB", path.string(), "give a counter group");
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!(text << file.rdbuf())) throw Error("cannot be read, or is empty", path.string(), "give a counter group");
  return text.str();
}

void add_folder(std::vector<CounterGroup>& groups, std::filesystem::path const& folder) {
  namespace fs = std::filesystem;
  std::error_code trouble;
  if (!fs::is_directory(folder, trouble)) throw Error("is no folder", folder.string(), "give --groups a folder");
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, trouble), end;
       it != end && !trouble; it.increment(trouble)) {
    if (it.depth() >= 1) it.disable_recursion_pending();
    if (it->path().extension() == ".toml" && it->path().filename() != identities) files.push_back(it->path());
  }
  if (files.empty())
    throw Error("holds no group", folder.string(), "put <microarchitecture>/<name>.toml or <name>.toml there");
  std::ranges::sort(files);
  for (fs::path const& file : files) {
    auto const above = fs::relative(file, folder).parent_path().string();
    place(groups,
          parse_counter_group(content_of(file), above.empty() ? "own" : above, file.stem().string(), file.string()));
  }
}

}  // namespace

CounterCatalogue CounterCatalogue::read(std::filesystem::path const& folder) {
  CounterCatalogue out;
  for (EmbeddedFile const& file : embedded::counter_group_data()) {
    auto const slash = file.name.rfind('/');
    auto const name = file.name.substr(slash + 1);
    if (name == identities) {
      out.microarchitectures_ = identities_of(file.bytes, file.name);
      continue;
    }
    auto const path = file.name.substr(0, slash);
    place(out.groups_, parse_counter_group(file.bytes, path.substr(path.rfind('/') + 1),
                                           name.substr(0, name.rfind('.')), file.name));
  }
  if (!folder.empty()) add_folder(out.groups_, folder);
  std::ranges::sort(out.groups_, {}, &CounterGroup::id);
  return out;
}

bool CounterCatalogue::is_for(CounterGroup const& group, CounterHost const& host) const {
  auto const named = std::ranges::find(microarchitectures_, group.microarchitecture, &Microarchitecture::name);
  return named == microarchitectures_.end() || is_of(*named, host);
}

std::string CounterCatalogue::title_of(CounterGroup const& group) const {
  auto const named = std::ranges::find(microarchitectures_, group.microarchitecture, &Microarchitecture::name);
  return named == microarchitectures_.end() ? "any CPU" : named->title;
}

std::vector<CounterGroup const*> CounterCatalogue::choose(std::span<std::string const> words,
                                                          CounterHost const& host) const {
  std::vector<CounterGroup const*> chosen;
  auto const add = [&](CounterGroup const& g) {
    if (std::ranges::find(chosen, &g) == chosen.end()) chosen.push_back(&g);
  };
  // The architecture's own events stand in where the core has no group of that name.
  auto const stands = [&](CounterGroup const& g) {
    if (!is_for(g, host)) return false;
    auto const named = std::ranges::find(microarchitectures_, g.microarchitecture, &Microarchitecture::name);
    bool const general = named != microarchitectures_.end() && named->cores.empty() && named->models.empty();
    return !general || std::ranges::none_of(groups_, [&](CounterGroup const& other) {
      return other.name == g.name && other.microarchitecture != g.microarchitecture && is_for(other, host) &&
             other.pmu == g.pmu;
    });
  };
  for (std::string const& word : words) {
    std::size_t const before = chosen.size();
    bool known = word == "all";
    for (CounterGroup const& g : groups_) {
      bool const exact = g.id() == word || g.microarchitecture == word;
      bool const by_name = word == "all" || g.name == word || g.kind == word;
      known = known || exact || by_name;
      if (exact || (by_name && stands(g))) add(g);
    }
    if (chosen.size() > before) continue;
    std::vector<std::string> names;
    for (CounterGroup const& g : groups_)
      for (auto const& name : {g.id(), g.name, g.kind})
        if (is_for(g, host)) names.push_back(name);
    if (known && word != "all") {
      if (std::ranges::any_of(chosen, [&](auto* g) { return g->name == word || g->kind == word || g->id() == word; }))
        continue;
      throw UsageError(fmt::format("no group '{}' for this CPU ({})", word, host.cpu_name), "--counters",
                       "`folioscope list counters` names those there are; docs/counters.md says how to add one");
    }
    auto const near = nearest_name(word, names);
    throw UsageError(fmt::format("unknown counter group '{}'", word), "--counters",
                     near ? fmt::format("did you mean '{}'?", *near) : "`folioscope list counters` names them");
  }
  return chosen;
}

}  // namespace folioscope
