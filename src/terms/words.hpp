// SPDX-License-Identifier: Apache-2.0
// Tables between an enumeration and its words, one table a type.
#pragma once
#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace folioscope {

template <class T>
struct Word {
  T value;
  std::string_view text;
};

template <class T, std::size_t n>
std::string word_of(Word<T> const (&words)[n], T value) {
  for (auto const& w : words)
    if (w.value == value) return std::string(w.text);
  assert(false && "enumerator without a word");
  return "?";
}

template <class T, std::size_t n>
std::optional<T> value_of(Word<T> const (&words)[n], std::string_view text) {
  for (auto const& w : words)
    if (w.text == text) return w.value;
  return std::nullopt;
}

}  // namespace folioscope
