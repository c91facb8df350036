// SPDX-License-Identifier: Apache-2.0
// The kernel contract: what a kernel promises, as data. The functions themselves live in kernels/; analysis sees only
// this.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/json.hpp"
#include "terms/units.hpp"

namespace folioscope {

enum class KernelKind { clear, copy };
/// none: stores nothing. string: rep stos, SET*. zeroing: DC ZVA, CLZERO. non_temporal: MOVNT*, MOVDIR64B. hint: STNP,
/// STNT1 (a hint that hardware may ignore: never assumed to bypass). library: whatever libc chooses by size and CPU; it
/// may be any of these.
enum class StoreKind { none, plain, string, non_temporal, hint, zeroing, library };
enum class Direction { up, down };
/// May Linux use it in clear_page? A recommendation for Linux names only `yes` kernels.
enum class LinuxUse { yes, needs_fpu, user_only };

struct KernelContract {
  std::string name;
  KernelKind kind = KernelKind::clear;
  std::vector<std::string>
      features;      ///< as machine names them ("erms", "avx512f", "zva", "sve"); all usable, not only offered
  Bytes granule{1};  ///< extents are multiples of it and aligned to it; 0: read at run time (ZVA block)
  StoreKind store = StoreKind::plain;
  Direction direction = Direction::up;
  bool weakly_ordered = false;  ///< needs a fence before others may rely on its stores
  LinuxUse linux_use = LinuxUse::user_only;
  std::string source;  ///< manual section, paper or commit
};

std::string to_string(KernelKind kind);
std::string to_string(StoreKind store);
std::string to_string(Direction direction);
std::string to_string(LinuxUse use);
Json to_json(KernelContract const& contract);
KernelContract contract_from_json(Json const& json, std::string_view where);

}  // namespace folioscope
