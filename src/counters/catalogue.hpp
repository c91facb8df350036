// SPDX-License-Identifier: Apache-2.0
// The counter groups there are, and which of them are for a CPU: the built-in files under groups/ and a user's folder
// (--groups DIR) alike. A new group is one file; a new CPU is one entry of groups/microarchitectures.toml.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "counters/group.hpp"
#include "counters/host.hpp"

namespace folioscope {

struct Microarchitecture {
  std::string name;                                  ///< the folder of its groups
  std::string title;                                 ///< for people
  std::string architecture;                          ///< "x86_64", "aarch64"
  std::string linux_json;                            ///< folder of Linux's event tables
  std::vector<std::pair<unsigned, unsigned>> cores;  ///< MIDR implementer and part; empty: any
  std::string vendor;
  unsigned family = 0;
  std::vector<std::pair<unsigned, unsigned>> models;  ///< first and last
};

class CounterCatalogue {
 public:
  /// The built-in groups; with `folder`, the user's as well: DIR/<microarchitecture>/<name>.toml, or DIR/<name>.toml
  /// for any CPU. A user's group replaces a built-in one of the same id. Throws Error for files that make no sense.
  static CounterCatalogue read(std::filesystem::path const& folder = {});
  std::span<CounterGroup const> groups() const { return groups_; }
  std::span<Microarchitecture const> microarchitectures() const { return microarchitectures_; }
  bool is_for(CounterGroup const& group, CounterHost const& host) const;
  std::string title_of(CounterGroup const& group) const;
  /// Groups by what a user may say: an id ("zen4/fills"), a folder ("software"), a name or kind ("fills", of those for
  /// this CPU), "all" for this CPU. The most specific folder's group of a name stands for it. Throws UsageError with
  /// the nearest name for anything else.
  std::vector<CounterGroup const*> choose(std::span<std::string const> words, CounterHost const& host) const;

 private:
  std::vector<Microarchitecture> microarchitectures_;
  std::vector<CounterGroup> groups_;  ///< by id
};

}  // namespace folioscope
