// SPDX-License-Identifier: Apache-2.0
#include "explain/layout.hpp"
#include "terms/fixed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace folioscope {
namespace {

struct Symbol {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// One UTF-8 sequence; overlong forms, surrogates and cut sequences are not valid.
Symbol next_symbol(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t const length = lead >= 0xf0 && lead < 0xf5   ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                                                           : 0;
  if (length == 0 || text.size() < length) return {};
  char32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, length, true};
}

bool harmless(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return false;  // C0, DEL, C1
  if (c >= 0x200b && c <= 0x200f) return false;           // invisible, direction marks
  if ((c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff)
    return false;  // separators, overrides
  return true;
}

template <class Each>
void each_symbol(std::string_view text, Each each) {
  while (!text.empty()) {
    Symbol const s = next_symbol(text);
    each(s, text.substr(0, s.bytes));
    text.remove_prefix(s.bytes);
  }
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::vector<std::string> symbols;
  each_symbol(text, [&](Symbol s, std::string_view bytes) {
    symbols.emplace_back(s.valid && harmless(s.code) ? bytes : std::string_view("?"));
  });
  if (symbols.size() > most) {
    symbols.resize(most > 3 ? most - 3 : 0);
    symbols.emplace_back("...");
  }
  std::string out;
  for (auto const& s : symbols) out += s;
  return out;
}

std::string ascii(std::string_view text) {
  std::string out;
  each_symbol(text, [&](Symbol s, std::string_view bytes) {
    if (s.valid && s.code < 0x80)
      out += bytes;
    else if (s.code == U'µ' || s.code == U'μ')
      out += "u";
    else if (s.code == U'×')
      out += "x";
    else if (s.code == U'±')
      out += "+-";
    else if (s.code == U'÷')
      out += "/";
    else if (s.code == U'δ')
      out += "delta";
    else if (s.code == U'–' || s.code == U'−')
      out += "-";
    else
      out += "?";
  });
  return out;
}

std::size_t shown_width(std::string_view text) {
  std::size_t n = 0;
  each_symbol(text, [&](Symbol, std::string_view) { ++n; });
  return n;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t first_indent, std::size_t indent) {
  std::string out(first_indent, ' ');
  std::size_t column = first_indent;
  bool fresh = true;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    std::size_t const w = shown_width(word);
    if (!fresh && column + 1 + w > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      fresh = true;
    }
    if (!fresh) {
      out += ' ';
      ++column;
    }
    out += word;
    column += w;
    fresh = false;
  }
  return out;
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (auto const& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i]));
  }
  return widths;
}

std::size_t TextTable::width() const {
  std::size_t sum = 0;
  for (std::size_t w : widths()) sum += w + gap_;
  return sum > gap_ ? sum - gap_ : 0;
}

std::string TextTable::text(std::size_t indent) const {
  auto const wide = widths();
  std::string out;
  for (auto const& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) line.append(gap_, ' ');
      std::size_t const pad = wide[i] - shown_width(row[i]);
      line += i < left_ ? row[i] + std::string(pad, ' ') : std::string(pad, ' ') + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

namespace {

TextTable part_of(Sheet const& sheet, std::size_t from, std::size_t to) {
  TextTable table(sheet.labels, sheet.gap);
  for (auto const* rows : {&sheet.headings, &sheet.rows})
    for (auto const& row : *rows) {
      std::vector<std::string> cut(row.begin(),
                                   row.begin() + static_cast<std::ptrdiff_t>(std::min(sheet.labels, row.size())));
      for (std::size_t i = from; i < to; ++i) cut.push_back(i < row.size() ? row[i] : std::string());
      // A heading line that only figures of the other part need would be blank here, as would a row of none.
      if (rows == &sheet.headings && std::ranges::all_of(cut, &std::string::empty)) continue;
      auto const figures = cut.begin() + static_cast<std::ptrdiff_t>(std::min(sheet.labels, cut.size()));
      if (rows == &sheet.rows && from > sheet.labels &&
          std::all_of(figures, cut.end(), [](auto const& f) { return f.empty(); }))
        continue;
      table.add(std::move(cut));
    }
  return table;
}

}  // namespace

std::string fitted(Sheet const& sheet, std::size_t width, std::size_t indent) {
  std::size_t columns = 0;
  for (auto const* rows : {&sheet.headings, &sheet.rows})
    for (auto const& row : *rows) columns = std::max(columns, row.size());
  std::string out;
  for (std::size_t from = sheet.labels; from < columns;) {
    std::size_t to = from + 1;
    while (to < columns && part_of(sheet, from, to + 1).width() + indent <= width) ++to;
    if (!out.empty()) out += "\n";
    out += part_of(sheet, from, to).text(indent);
    from = to;
  }
  return out;
}

Sheet narrowed(Sheet sheet, std::size_t width, std::size_t indent, std::size_t& left_out) {
  std::size_t columns = 0;
  for (auto const& row : sheet.headings) columns = std::max(columns, row.size());
  std::size_t kept = std::min(columns, sheet.labels + 1);
  while (kept < columns && part_of(sheet, sheet.labels, kept + 1).width() + indent <= width) ++kept;
  left_out = columns - kept;
  for (auto* rows : {&sheet.headings, &sheet.rows})
    for (auto& row : *rows) row.resize(std::min(row.size(), kept));
  // The first figure is the reference's own: a row must have one of a comparison too.
  left_out += std::erase_if(sheet.rows, [&](auto const& row) {
    std::size_t figures = 0;
    for (std::size_t i = sheet.labels; i < row.size(); ++i) figures += !row[i].empty();
    return figures < std::min<std::size_t>(2, kept - sheet.labels);
  });
  return sheet;
}

std::string figure(double value) {
  if (!std::isfinite(value)) return "-";
  double const a = std::fabs(value);
  if (a >= 1e6 || (a > 0 && a < 1e-3)) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.1 ? 2 : 3);
}

std::string with_interval(Estimate const& e) {
  if (e.n == 0) return "not measured";
  if (!e.ci) return figure(e.ratio) + " (one placement)";
  return fmt::format("{} ({} to {})", figure(e.ratio), figure(e.ci->low), figure(e.ci->high));
}

std::string microseconds(Nanoseconds time) { return fixed(time.value / 1000, 1); }

std::string percent(double share) { return fixed(share * 100, std::fabs(share) < 0.0995 ? 1 : 0) + " %"; }

std::string footprint_words(Bytes footprint, Bytes folio) {
  if (folio.value == 0 || footprint.value % folio.value != 0 || footprint.value == 0) return format_bytes(footprint);
  std::uint64_t const n = footprint / folio;
  return n == 1 ? "1 folio" : fmt::format("{} folios", n);
}

std::string footprint_mark(Bytes footprint, Bytes folio) {
  if (folio.value == 0 || footprint.value % folio.value != 0 || footprint.value == 0) return compact_bytes(footprint);
  return fmt::format("N={}", footprint / folio);
}

}  // namespace folioscope
