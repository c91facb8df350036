// SPDX-License-Identifier: Apache-2.0
// From a selector's words to the cell of a campaign: what is left away is what stands for the machine there.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/hypothesis.hpp"
#include "record/capsule.hpp"

namespace folioscope {

class CellFinder {
 public:
  explicit CellFinder(Campaign const& campaign);  ///< which must outlive it

  /// nullopt: the campaign has no such cell, and `why` says what is missing.
  std::optional<std::uint32_t> find(CellSelector const& selector, std::string& why) const;
  /// The same, and where it says prefetch=any all distances that were measured; empty: see `why`.
  std::vector<std::uint32_t> find_all(CellSelector const& selector, std::string& why) const;
  std::optional<std::uint32_t> find(Cell const& cell) const;
  /// Sequential of the same everything else.
  std::optional<std::uint32_t> reference(std::uint32_t cell) const;
  /// The cell that stands for all: sequential, Linux's kernel, one cold folio of the most telling backing.
  std::optional<Cell> main() const { return main_; }
  /// The kernel that a word stands for here; nullopt where there is none.
  std::optional<std::string> kernel(std::string_view word) const;

 private:
  std::optional<Cell> cell_of(CellSelector const& selector, std::string& why) const;
  KernelContract const* widest(StoreKind store) const;

  Campaign const& campaign_;
  std::map<Cell, std::uint32_t> places_;
  std::optional<Cell> main_;
};

}  // namespace folioscope
