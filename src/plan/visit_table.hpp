// SPDX-License-Identifier: Apache-2.0
// The visits of a plan's orders, each made once: cells that visit alike get the same id, whatever their orders are
// called.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orders/order.hpp"
#include "terms/granted.hpp"

namespace folioscope {

/// 16 bytes each: what a plan's visits may take, once in the table and once over all cells.
inline constexpr std::uint64_t most_stretches = std::uint64_t{1} << 23;

class VisitTable {
 public:
  using Id = std::size_t;
  struct Key {
    OrderName order;
    Bytes extent;
    std::optional<Bytes> run;
    std::optional<std::uint64_t> target;
    friend auto operator<=>(Key const&, Key const&) = default;
  };

  /// `order_files`: name and text.
  VisitTable(Bytes base_page, std::uint64_t seed, std::vector<std::pair<std::string, std::string>> const& order_files);
  /// A file that does not fit the extent is a refusal here; see check_files().
  Granted<Id> find(Key const& key);
  /// Throws Error where a file fitted no extent that it was asked for and is no permutation of `folio` either.
  void check_files(Bytes folio) const;
  Visits const& visits(Id id) const { return *by_id_[id]; }
  Bytes longest(Id id) const;
  /// The unit that a file's indices count.
  Bytes run_of(Key const& key) const { return file_runs_.at({key.order.base, key.extent}); }

 private:
  Bytes base_page_;
  std::uint64_t seed_;
  std::map<std::string, std::string> texts_;
  std::map<Key, Granted<Id>> known_;
  std::map<Visits, Id> ids_;
  std::vector<Visits const*> by_id_;
  std::vector<Bytes> longest_;
  std::map<std::pair<std::string, Bytes>, Bytes> file_runs_;  ///< of the files that fitted, by "file:NAME" and extent
  std::uint64_t stretches_ = 0;

  Granted<Id> make(Key const& key);
  Granted<OrderFile> read(Key const& key);
  Granted<Id> keep(Key const& key, Visits visits);
};

}  // namespace folioscope
