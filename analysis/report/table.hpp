// SPDX-License-Identifier: Apache-2.0
// Rows of named fields: what datasets give and figures show. A value is a text, a number, or not there; a number that
// is none (NaN, infinity) is not there.
#pragma once
#include <cassert>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace folioscope {

using Value = std::variant<std::monostate, double, std::string>;

inline Value number(double d) { return std::isfinite(d) ? Value(d) : Value(); }
inline double as_number(Value const& v) { return std::holds_alternative<double>(v) ? std::get<double>(v) : NAN; }
inline std::string_view as_text(Value const& v) {
  return std::holds_alternative<std::string>(v) ? std::string_view(std::get<std::string>(v)) : std::string_view();
}
inline bool is_there(Value const& v) { return !std::holds_alternative<std::monostate>(v); }

class Table {
 public:
  Table() = default;
  explicit Table(std::vector<std::string> fields) : fields_(std::move(fields)) {}

  std::vector<std::string> const& fields() const { return fields_; }
  std::vector<std::vector<Value>> const& rows() const { return rows_; }
  std::optional<std::size_t> field(std::string_view name) const {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (fields_[i] == name) return i;
    return std::nullopt;
  }
  void add(std::vector<Value> row) {
    assert(row.size() == fields_.size());
    rows_.push_back(std::move(row));
  }

 private:
  std::vector<std::string> fields_;
  std::vector<std::vector<Value>> rows_;
};

}  // namespace folioscope
