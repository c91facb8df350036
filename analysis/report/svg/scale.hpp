// SPDX-License-Identifier: Apache-2.0
// From values to places and colours.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/svg/chart.hpp"
#include "report/table.hpp"

namespace folioscope::svg {

struct Tick {
  double value = 0;
  std::string label;
};

/// A position scale: numbers on [low, high], or named bands of equal width.
class Scale {
 public:
  Scale() = default;
  Scale(Channel const& channel, double low, double high);
  explicit Scale(std::vector<std::string> names) : names_(std::move(names)) {}

  bool banded() const { return !names_.empty(); }
  std::vector<std::string> const& names() const { return names_; }
  /// In [0, 1]; a band's middle. Nothing for what is not on the scale.
  std::optional<double> at(Value const& value) const;
  std::optional<double> at(double value) const;
  double band() const { return names_.empty() ? 0 : 1 / static_cast<double>(names_.size()); }
  std::vector<Tick> ticks(std::size_t about) const;

 private:
  std::vector<std::string> names_;
  double low_ = 0, high_ = 1, base_ = 10;
  bool log_ = false;
  std::string format_;
  std::vector<double> ticks_;
};

/// "4K", "2M" for bytes, three significant digits without needless zeros for others.
std::string tick_label(double value, std::string const& format);
/// Along a channel's domain and range, on its log or linear scale.
std::string color_at(Channel const& channel, double value);

}  // namespace folioscope::svg
