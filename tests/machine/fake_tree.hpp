// SPDX-License-Identifier: Apache-2.0
// Small /sys, /proc and /etc trees of machines that have been met in the field, in a folder of their own that goes away
// at the end.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace folioscope {

class FakeTree {
 public:
  FakeTree();
  ~FakeTree();
  FakeTree(FakeTree const&) = delete;
  FakeTree& operator=(FakeTree const&) = delete;

  std::filesystem::path const& root() const { return root_; }
  FakeTree& write(std::string_view path, std::string_view content);
  FakeTree& link(std::string_view path, std::string_view target);

  /// online, possible and present.
  FakeTree& cpus(std::string const& online, std::string const& present);
  FakeTree& x86(std::vector<unsigned> const& cpus, std::string const& flags = "fpu sse2 erms");
  FakeTree& arm(std::vector<unsigned> const& cpus, std::string const& part,
                std::string const& features = "fp asimd atomics", std::string const& implementer = "0x41");
  FakeTree& midr(unsigned cpu, std::uint64_t value);
  /// An empty size or line leaves that file out.
  FakeTree& cache(unsigned cpu, unsigned index, unsigned level, std::string const& type, std::string const& size,
                  std::string const& line, std::string const& shared);
  FakeTree& siblings(unsigned cpu, std::string const& list);
  FakeTree& node(unsigned node, std::string const& cpus, std::uint64_t kilobytes);
  FakeTree& thp(std::string const& enabled, std::string const& pmd_bytes = {});
  FakeTree& mthp(unsigned kilobytes, std::string const& enabled);
  FakeTree& pool(unsigned long kilobytes, std::string const& total, std::string const& free);
  FakeTree& pmu(std::string const& name, std::string const& type, std::string const& cpus = {});

 private:
  std::filesystem::path root_;
};

std::vector<unsigned> range(unsigned first, unsigned last);

}  // namespace folioscope
