// SPDX-License-Identifier: Apache-2.0
// A JSON value without the heavy header: nlohmann-json parses and writes it in json.cpp alone, toml++ in toml.cpp.
// NaN and infinity become null. Objects keep insertion order. Parsing bounds depth (64) and size; bad text throws
// Error.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace folioscope {

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  // Special members and conversions stand in json.cpp: inline, the temporaries of one object({...}) cost seconds of
  // compile time.
  Json() noexcept;
  ~Json();
  Json(Json const&);
  Json(Json&&) noexcept;
  Json& operator=(Json const&);
  Json& operator=(Json&&) noexcept;
  Json(std::nullptr_t) noexcept;
  Json(bool b);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Json(T n) : Json(Integer{static_cast<std::int64_t>(n)}) {}
  template <std::floating_point T>
  Json(T d) : Json(Number{static_cast<double>(d)}) {}
  Json(char const* s);
  Json(std::string s);
  Json(std::string_view s);
  Json(Array a);
  Json(Object o);
  template <class T>
  Json(std::optional<T> const& o) : Json() {
    if (o) *this = Json(*o);
  }
  static Json object(std::initializer_list<Member> members);
  static Json array(std::initializer_list<Json> items);
  static Json array();

  bool is_null() const;
  bool is_bool() const;
  bool is_integer() const;
  bool is_number() const;  ///< integers too
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  /// Typed views; nullopt (or an empty sequence) when the value has another type.
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_number() const;
  std::optional<std::string> as_string() const;
  Array const& items() const;
  Object const& members() const;

  /// The member, or a null value when absent or not an object.
  Json const& operator[](std::string_view key) const;
  bool contains(std::string_view key) const;
  /// Sets or adds a member; a null value becomes an object first.
  Json& set(std::string key, Json value);
  /// Appends; a null value becomes an array first.
  Json& push(Json value);

  /// indent < 0: one line.
  std::string dump(int indent = -1) const;

  friend bool operator==(Json const& a, Json const& b);

 private:
  struct Integer {
    std::int64_t value;
  };
  struct Number {
    double value;
  };
  explicit Json(Integer n);
  explicit Json(Number d);

  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

struct Json::Member {
  std::string first;  ///< key
  Json second;
  Member(std::string key, Json value);
  ~Member();
  Member(Member const&);
  Member(Member&&) noexcept;
  Member& operator=(Member const&);
  Member& operator=(Member&&) noexcept;
  friend bool operator==(Member const& a, Member const& b);
};

/// Throws Error naming `where` and the position.
Json parse_json(std::string_view text, std::string_view where);
/// TOML as the same value type (dates as strings). Throws Error naming `where`, line and column.
Json parse_toml(std::string_view text, std::string_view where);

}  // namespace folioscope
