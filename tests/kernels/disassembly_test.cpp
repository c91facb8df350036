// SPDX-License-Identifier: Apache-2.0
// What the built kernels really do is what their contracts say: the disassembly of each holds stores of the declared
// kind and of no other. It is made by the build, so it needs no feature of the machine that runs the test.
#include "disassembly.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "usable.hpp"

namespace folioscope {
namespace {

#if defined(__x86_64__)
constexpr auto store_of = store_of_x86;
constexpr char const* isa = "x86_64";
constexpr std::string_view landing_pad = "endbr64";
#else
constexpr auto store_of = store_of_aarch64;
constexpr char const* isa = "aarch64";
constexpr std::string_view landing_pad = "bti";
#endif

std::vector<Function> const& functions() {
  static std::vector<Function> const all = read_disassembly(FOLIOSCOPE_DISASSEMBLY);
  return all;
}

/// folioscope_<name>, and Highway's variants folioscope::N_<target>::<name>.
bool belongs(std::string_view symbol, std::string const& name) {
  if (symbol == "folioscope_" + name) return true;
  auto const mangled = std::to_string(name.size()) + name + "E";
  auto const at = symbol.find(mangled);
  return symbol.starts_with("_ZN10folioscope") && at != std::string_view::npos && symbol.find("N_") < at;
}

std::set<std::string> stores(Function const& function) {
  std::set<std::string> kinds;
  for (auto const& instruction : function.instructions)
    if (auto const kind = store_of(instruction)) kinds.insert(to_string(*kind));
  return kinds;
}

class Disassembly : public testing::TestWithParam<Kernel const*> {
 protected:
  KernelContract const& contract() const { return GetParam()->contract; }
  std::vector<Function const*> own_functions() const {
    std::vector<Function const*> own;
    for (auto const& function : functions())
      if (belongs(function.symbol, contract().name)) own.push_back(&function);
    return own;
  }
};

/// Highway's Stream() differs by target: a hint on SVE, an ordinary store on NEON and in the scalar fallback.
std::string stream_on(std::string_view symbol) {
  if (symbol.find("N_SVE") != std::string_view::npos) return "hint";
  for (auto const* const target : {"N_NEON", "N_SCALAR", "N_EMU128"})
    if (symbol.find(target) != std::string_view::npos) return "plain";
  return "non-temporal";
}

TEST_P(Disassembly, HoldsStoresOfTheDeclaredKindOnly) {
  std::set<std::string> declared{to_string(contract().store)};
  if (contract().store == StoreKind::none || contract().store == StoreKind::library) declared.clear();
  auto const own = own_functions();
  ASSERT_FALSE(own.empty());
  std::set<std::string> found;
  for (auto const* const function : own) {
    SCOPED_TRACE(function->symbol);
    ASSERT_FALSE(function->instructions.empty());
    bool const only_dispatches = own.size() > 1 && function->symbol == "folioscope_" + contract().name;
    auto expected = declared;
    if (contract().name == "hwy_stream") expected = {stream_on(function->symbol)};
    if (only_dispatches) expected.clear();
    EXPECT_EQ(stores(*function), expected);
    found.merge(stores(*function));
  }
  EXPECT_TRUE(std::ranges::includes(found, declared)) << "declares what no target does";
}

TEST_P(Disassembly, CallsTheLibraryOnlyWhenDeclaredSo) {
  bool calls = false;
  for (auto const* const function : own_functions())
    for (auto const& symbol : function->references) calls = calls || symbol.starts_with("mem");
  EXPECT_EQ(calls, contract().store == StoreKind::library);
}

#if defined(__x86_64__)
// Upper halves left dirty slow down every later SSE instruction of the process (Intel Optimization Manual, mixing AVX
// and SSE).
TEST_P(Disassembly, LeavesNoDirtyUpperHalves) {
  for (auto const* const function : own_functions()) {
    bool dirty = false;
    for (auto const& [mnemonic, operands] : function->instructions) {
      if (operands.find("%ymm") != std::string::npos || operands.find("%zmm") != std::string::npos) dirty = true;
      if (mnemonic == "vzeroupper") dirty = false;
      EXPECT_FALSE(dirty && mnemonic == "ret") << function->symbol;
    }
  }
}
#endif

using Assembly = Disassembly;

// Indirect calls reach kernels through a pointer, so each starts where indirect branch tracking lets them land.
TEST_P(Assembly, StartsWithALandingPad) {
  for (auto const* const function : own_functions()) EXPECT_EQ(function->instructions.front().mnemonic, landing_pad);
}

std::vector<Kernel const*> assembly_kernels() {
  auto const folder = std::filesystem::path(FOLIOSCOPE_SOURCE_DIR) / "kernels" / isa;
  auto kernels = all_kernels();
  std::erase_if(kernels,
                [&](auto* kernel) { return !std::filesystem::exists(folder / (kernel->contract.name + ".S")); });
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Assembly, testing::ValuesIn(assembly_kernels()), kernel_name);

INSTANTIATE_TEST_SUITE_P(Kernels, Disassembly, testing::ValuesIn(all_kernels()), kernel_name);

// The tables themselves, on lines as objdump prints them.
struct Line {
  Instruction instruction;
  std::optional<StoreKind> store;
};

TEST(StoreTable, KnowsX86) {
  using enum StoreKind;
  for (auto const& [instruction, store] : std::vector<Line>{
           {{"stos", "%al,%es:(%rdi)"}, string},
           {{"movsq", "%ds:(%rsi),%es:(%rdi)"}, string},
           {{"mov", "%rax,0x8(%rdi)"}, plain},
           {{"movb", "$0x0,(%rdi,%rax,1)"}, plain},
           {{"movsd", "%xmm0,(%rdi)"}, plain},
           {{"vmovdqa64", "%zmm0,(%rdi,%rax,1)"}, plain},
           {{"movnti", "%rax,(%rdi)"}, non_temporal},
           {{"vmovntdq", "%ymm0,0x20(%rdi)"}, non_temporal},
           {{"movdir64b", "(%rax),%rdi"}, non_temporal},
           {{"clzero", "(%rax)"}, zeroing},
           {{"clzero", ""}, zeroing},
           {{"mov", "(%rsi),%rax"}, std::nullopt},
           {{"movntdqa", "(%rsi),%xmm0"}, std::nullopt},
           {{"vmovdqa", "(%rsi,%rax,1),%ymm0"}, std::nullopt},
           {{"cmp", "%rax,(%rdi)"}, std::nullopt},
           {{"nopw", "0x0(%rax,%rax,1)"}, std::nullopt},
           {{"jmp", "*0x8(%rax)"}, std::nullopt},
           {{"mov", "%rax,-0x8(%rbp)"}, std::nullopt},
           {{"push", "%rbx"}, std::nullopt},
       })
    EXPECT_EQ(store_of_x86(instruction), store) << instruction.mnemonic << ' ' << instruction.operands;
}

TEST(StoreTable, KnowsAarch64) {
  using enum StoreKind;
  for (auto const& [instruction, store] : std::vector<Line>{
           {{"stp", "xzr, xzr, [x0]"}, plain},
           {{"str", "q0, [x0], #16"}, plain},
           {{"st1d", "{z0.d}, p0, [x0]"}, plain},
           {{"stnp", "xzr, xzr, [x0, #16]"}, hint},
           {{"stnt1b", "{z0.b}, p0, [x0]"}, hint},
           {{"dc", "zva, x0"}, zeroing},
           {{"dc", "gzva, x0"}, zeroing},
           {{"dc", "civac, x0"}, std::nullopt},
           {{"stz2g", "x0, [x0], #32"}, zeroing},
           {{"setp", "[x0]!, x1!, xzr"}, string},
           {{"seten", "[x0]!, x1!, xzr"}, string},
           {{"cpyfmwn", "[x0]!, [x1]!, x2!"}, string},
           {{"setf8", "w0"}, std::nullopt},
           {{"ldp", "x2, x3, [x1]"}, std::nullopt},
           {{"stp", "x29, x30, [sp, #-16]!"}, std::nullopt},
           {{"subs", "x1, x1, #0x40"}, std::nullopt},
       })
    EXPECT_EQ(store_of_aarch64(instruction), store) << instruction.mnemonic << ' ' << instruction.operands;
}

}  // namespace
}  // namespace folioscope
