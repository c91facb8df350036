// SPDX-License-Identifier: Apache-2.0
// The machine that an emulator pretends is read as what it is: its clear block, vector length, string operations and
// base page, and that it is emulated. Without this a set-up that runs every test on one CPU would pass as many.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "machine/machine.hpp"
#include "on_arm64.hpp"

namespace folioscope {
namespace {

struct Cpu {
  std::string_view name;
  std::uint64_t zva_block;
  std::uint64_t vector_bytes;  ///< 0: no SVE
  bool mops;
  bool mte;
};

// What QEMU gives each model in user mode, as its documents and the models' reference manuals say.
constexpr Cpu cpus[] = {
    {"cortex-a72", 64, 0, false, false},
    {"neoverse-n1", 64, 0, false, false},
    {"a64fx", 256, 64, false, false},
    {"neoverse-v1", 64, 32, false, false},
    {"neoverse-n2", 64, 16, false, true},
    {"max", 512, 64, true, true},
    {"max,sve128=on,sve256=off", 512, 16, true, true},
};

std::string environment(char const* name, char const* otherwise) {
  char const* const value = std::getenv(name);
  return value && *value ? value : otherwise;
}

/// nullptr for a CPU that the user chose and the table does not know.
Cpu const* expected_cpu() {
  auto const name = environment("FOLIOSCOPE_CPU", FOLIOSCOPE_DEFAULT_CPU);
  for (auto const& cpu : cpus)
    if (cpu.name == name) return &cpu;
  return nullptr;
}

/// Emulators from before 8.2 do not have them, whatever the CPU; tests/cross/run says so.
bool emulator_has_mops() { return environment("FOLIOSCOPE_EMULATOR_MOPS", "yes") == "yes"; }

Machine const& machine() {
  static Machine const read = read_machine();
  return read;
}

bool usable(std::string_view feature) {
  auto const found = machine().features.status.find(feature);
  return found != machine().features.status.end() && found->second.usable;
}

class Emulated : public testing::Test {
 protected:
  void SetUp() override {
    cpu = expected_cpu();
    if (!cpu)
      GTEST_SKIP() << environment("FOLIOSCOPE_CPU", FOLIOSCOPE_DEFAULT_CPU)
                   << " has no entry in the table of this test";
  }
  Cpu const* cpu = nullptr;
};

TEST_F(Emulated, ClearBlockIsReadFromTheCpu) {
  ASSERT_TRUE(machine().features.zva_block);
  EXPECT_EQ(machine().features.zva_block->value, cpu->zva_block);
  EXPECT_TRUE(usable("zva"));
}

TEST_F(Emulated, VectorLengthIsTheCpusOwn) {
  EXPECT_EQ(usable("sve"), cpu->vector_bytes != 0);
  EXPECT_EQ(vector_bytes(), cpu->vector_bytes);
}

TEST_F(Emulated, StringOperationsAreUsableWhereLinuxSaysSo) {
  EXPECT_EQ(usable("mops"), cpu->mops && emulator_has_mops());
}

TEST_F(Emulated, TagsAreUsableWhereLinuxSaysSo) { EXPECT_EQ(usable("mte"), cpu->mte); }

TEST_F(Emulated, BasePageIsTheProcesssOwn) {
  EXPECT_EQ(machine().base_page.value, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  auto const asked = environment("FOLIOSCOPE_PAGE_SIZE", "");
  if (!asked.empty()) {
    EXPECT_EQ(std::to_string(machine().base_page.value), asked);
  }
}

TEST_F(Emulated, MachineSaysThatItsTimingsAreNoResults) {
  ASSERT_TRUE(machine().emulator);
  EXPECT_FALSE(machine().emulator->empty());
  EXPECT_EQ(machine().architecture, "aarch64");
}

}  // namespace
}  // namespace folioscope
