// SPDX-License-Identifier: Apache-2.0
#include "fake_tree.hpp"

#include <fmt/core.h>
#include <stdlib.h>

#include <fstream>
#include <numeric>
#include <stdexcept>

namespace folioscope {

FakeTree::FakeTree() {
  auto name = (std::filesystem::temp_directory_path() / "folioscope-tree-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  root_ = name;
}

FakeTree::~FakeTree() {
  std::error_code error;
  std::filesystem::remove_all(root_, error);
}

FakeTree& FakeTree::write(std::string_view path, std::string_view content) {
  auto const file = root_.native() + std::string(path);
  std::filesystem::create_directories(std::filesystem::path(file).parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return *this;
}

FakeTree& FakeTree::link(std::string_view path, std::string_view target) {
  auto const file = std::filesystem::path(root_.native() + std::string(path));
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::create_symlink(target, file);
  return *this;
}

FakeTree& FakeTree::cpus(std::string const& online, std::string const& present) {
  write("/sys/devices/system/cpu/online", online + "\n");
  write("/sys/devices/system/cpu/possible", present + "\n");
  return write("/sys/devices/system/cpu/present", present + "\n");
}

FakeTree& FakeTree::x86(std::vector<unsigned> const& cpus, std::string const& flags) {
  std::string text;
  for (auto cpu : cpus)
    text += fmt::format(
        "processor\t: {}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Fake CPU\n"
        "stepping\t: 7\nflags\t\t: {}\n\n",
        cpu, flags);
  return write("/proc/cpuinfo", text);
}

FakeTree& FakeTree::arm(std::vector<unsigned> const& cpus, std::string const& part, std::string const& features,
                        std::string const& implementer) {
  std::string text;
  for (auto cpu : cpus)
    text += fmt::format(
        "processor\t: {}\nBogoMIPS\t: 50.00\nFeatures\t: {}\nCPU implementer\t: {}\nCPU architecture: 8\n"
        "CPU variant\t: 0x3\nCPU part\t: {}\nCPU revision\t: 1\n\n",
        cpu, features, implementer, part);
  return write("/proc/cpuinfo", text);
}

FakeTree& FakeTree::midr(unsigned cpu, std::uint64_t value) {
  return write(fmt::format("/sys/devices/system/cpu/cpu{}/regs/identification/midr_el1", cpu),
               fmt::format("{:#018x}\n", value));
}

FakeTree& FakeTree::cache(unsigned cpu, unsigned index, unsigned level, std::string const& type,
                          std::string const& size, std::string const& line, std::string const& shared) {
  auto const folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}", cpu, index);
  write(folder + "/level", fmt::format("{}\n", level)).write(folder + "/type", type + "\n");
  if (!size.empty()) write(folder + "/size", size + "\n");
  if (!line.empty()) write(folder + "/coherency_line_size", line + "\n");
  return write(folder + "/shared_cpu_list", shared + "\n");
}

FakeTree& FakeTree::siblings(unsigned cpu, std::string const& list) {
  return write(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu), list + "\n");
}

FakeTree& FakeTree::node(unsigned node, std::string const& cpus, std::uint64_t kilobytes) {
  auto const folder = fmt::format("/sys/devices/system/node/node{}", node);
  write(folder + "/cpulist", cpus + "\n");
  return write(folder + "/meminfo",
               fmt::format("Node {0} MemTotal:       {1} kB\nNode {0} MemFree:        {1} kB\n", node, kilobytes));
}

FakeTree& FakeTree::thp(std::string const& enabled, std::string const& pmd_bytes) {
  std::string const folder = "/sys/kernel/mm/transparent_hugepage";
  if (!pmd_bytes.empty()) write(folder + "/hpage_pmd_size", pmd_bytes + "\n");
  return write(folder + "/enabled", enabled + "\n");
}

FakeTree& FakeTree::mthp(unsigned kilobytes, std::string const& enabled) {
  return write(fmt::format("/sys/kernel/mm/transparent_hugepage/hugepages-{}kB/enabled", kilobytes), enabled + "\n");
}

FakeTree& FakeTree::pool(unsigned long kilobytes, std::string const& total, std::string const& free) {
  auto const folder = fmt::format("/sys/kernel/mm/hugepages/hugepages-{}kB", kilobytes);
  return write(folder + "/nr_hugepages", total + "\n").write(folder + "/free_hugepages", free + "\n");
}

FakeTree& FakeTree::pmu(std::string const& name, std::string const& type, std::string const& cpus) {
  auto const folder = "/sys/bus/event_source/devices/" + name;
  if (!cpus.empty()) write(folder + "/cpus", cpus + "\n");
  return write(folder + "/type", type + "\n");
}

std::vector<unsigned> range(unsigned first, unsigned last) {
  std::vector<unsigned> numbers(last - first + 1);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace folioscope
