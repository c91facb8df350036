// SPDX-License-Identifier: Apache-2.0
#include "report/svg/scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace folioscope::svg {
namespace {

constexpr double most_ticks = 1000;
constexpr double whole_below = 1e15;   // doubles count by ones
constexpr double farthest = 1e280;     // spans and margins stay numbers
constexpr double most_decades = 1e60;  // of a logarithmic axis

double nice_step(double span, std::size_t about) {
  double const raw = span / static_cast<double>(std::max<std::size_t>(about, 1));
  double const power = std::pow(10, std::floor(std::log10(raw)));
  for (double const step : {1.0, 2.0, 5.0})
    if (step * power >= raw) return step * power;
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high, std::size_t about) {
  std::vector<double> out;
  double const step = nice_step(high - low, about);
  // A span that doubles cannot step through has its ends only.
  if (!(step > 0) || !((high - low) / step < most_ticks) || !(std::fabs(low / step) < whole_below)) return {low, high};
  double const first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (int i = 0; first + i <= last; ++i) out.push_back((first + i) * step);
  return out;
}

std::vector<double> log_ticks(double low, double high, double base, std::size_t about) {
  double const first = std::ceil(std::log(low) / std::log(base) - 1e-9);
  double const last = std::floor(std::log(high) / std::log(base) + 1e-9);
  if (last - first < 1) return linear_ticks(low, high, about);
  double const step = std::max(1.0, std::ceil((last - first) / static_cast<double>(std::max<std::size_t>(about, 1))));
  std::vector<double> out;
  for (int i = 0; first + i * step <= last; ++i) out.push_back(std::pow(base, first + i * step));
  return out;
}

std::array<int, 3> rgb(std::string const& hex) {
  if (hex.size() != 7 || hex[0] != '#') return {136, 136, 136};
  auto const n = std::strtol(hex.c_str() + 1, nullptr, 16);
  return {static_cast<int>(n >> 16 & 255), static_cast<int>(n >> 8 & 255), static_cast<int>(n & 255)};
}

}  // namespace

Scale::Scale(Channel const& c, double low, double high)
    : low_(low), high_(high), base_(c.base), log_(c.log), format_(c.format), ticks_(c.ticks) {
  low_ = std::clamp(low_, -farthest, farthest), high_ = std::clamp(high_, -farthest, farthest);
  if (log_) {
    if (!(low_ > 0)) low_ = high_ > 0 ? high_ / base_ : 1;
    if (!(high_ > low_)) high_ = low_ * std::sqrt(2.0), low_ /= std::sqrt(2.0);
    if (!(high_ > low_)) low_ = 0.5, high_ = 2;
    low_ = std::max(low_, high_ / most_decades);
    // Of a panel of about 200 pixels.
    double const room = std::pow(high_ / low_, c.padding / 200);
    low_ /= room, high_ *= room;
    return;
  }
  if (c.zero) low_ = std::min(low_, 0.0), high_ = std::max(high_, 0.0);
  if (!(high_ > low_)) {
    double const half = low_ == 0 ? 1 : std::abs(low_) / 10;
    low_ -= half, high_ += half;
  }
  if (!c.nice) return;
  double const step = nice_step(high_ - low_, 5);
  low_ = std::floor(low_ / step + 1e-9) * step;
  high_ = std::ceil(high_ / step - 1e-9) * step;
}

std::optional<double> Scale::at(double v) const {
  if (!std::isfinite(v) || (log_ && v <= 0)) return std::nullopt;
  double const place = log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
  return std::clamp(place, 0.0, 1.0);
}

std::optional<double> Scale::at(Value const& v) const {
  if (!banded()) return at(as_number(v));
  auto const it = std::ranges::find(names_, as_text(v));
  if (it == names_.end()) return std::nullopt;
  return (static_cast<double>(it - names_.begin()) + 0.5) * band();
}

std::vector<Tick> Scale::ticks(std::size_t about) const {
  std::vector<Tick> out;
  if (banded()) {
    for (std::size_t i = 0; i < names_.size(); ++i) out.push_back({(static_cast<double>(i) + 0.5) * band(), names_[i]});
    return out;
  }
  auto values = !ticks_.empty() ? ticks_
                : log_          ? log_ticks(low_, high_, base_, about)
                                : linear_ticks(low_, high_, about);
  std::erase_if(values, [&](double v) { return v < low_ * (1 - 1e-9) - (log_ ? 0 : 1e-12) || v > high_ * (1 + 1e-9); });
  for (double const v : values) out.push_back({*at(v), tick_label(v, format_)});
  return out;
}

std::string tick_label(double value, std::string const& format) {
  if (format == "bytes" && value >= 1 && value < 9e18) {
    auto const bytes = static_cast<std::uint64_t>(value);
    constexpr char const* units[] = {"", "K", "M", "G", "T"};
    double n = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; n >= 1024 && unit < 4; ++unit) n /= 1024;
    return fmt::format("{:.3g}{}", n, units[unit]);
  }
  if (std::abs(value) < 1e-12) return "0";
  return fmt::format("{:.4g}", value);
}

std::string color_at(Channel const& c, double value) {
  std::size_t const n = std::min(c.domain.size(), c.range.size());
  if (n < 2 || !std::isfinite(value)) return "#888888";
  std::size_t i = 0;
  while (i + 2 < n && value > c.domain[i + 1]) ++i;
  auto const place = [&](double v) { return c.log ? std::log(std::max(v, 1e-300)) : v; };
  double const low = place(c.domain[i]), high = place(c.domain[i + 1]);
  double const share = std::clamp((place(value) - low) / (high - low), 0.0, 1.0);
  auto const a = rgb(c.range[i]), b = rgb(c.range[i + 1]);
  std::array<int, 3> mix{};
  for (std::size_t k = 0; k < 3; ++k) mix[k] = static_cast<int>(std::lround(a[k] + share * (b[k] - a[k])));
  return fmt::format("#{:02x}{:02x}{:02x}", mix[0], mix[1], mix[2]);
}

}  // namespace folioscope::svg
