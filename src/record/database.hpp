// SPDX-License-Identifier: Apache-2.0
// SQLite for this module alone: handles that close themselves, typed binding, and columns that are checked, because the
// file may come from anywhere. Every failure is an Error that names the file and says what to do.
#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "terms/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace folioscope::record {

/// What is said of a file whose contents cannot be what folioscope wrote.
Error damaged(std::filesystem::path const& path, std::string_view what);

class Database {
 public:
  enum class Mode { read, recover, write };
  /// `shown` is the name for people where the file is a private copy. recover: lets SQLite undo what a killed writer
  /// left.
  static Database open(std::filesystem::path const& path, Mode mode, std::filesystem::path const& shown);

  sqlite3* handle() const { return handle_.get(); }
  std::filesystem::path const& path() const { return shown_; }
  void run(char const* sql, std::string_view doing) const;
  /// Reads the first whole number of a query.
  std::int64_t number(char const* sql, std::string_view doing) const;
  [[noreturn]] void fail(int code, std::string_view doing) const;
  /// The extended result code of the last call.
  int last_code() const;
  bool in_transaction() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(sqlite3* handle, std::filesystem::path shown) : handle_(handle), shown_(std::move(shown)) {}
  std::unique_ptr<sqlite3, Close> handle_;
  std::filesystem::path shown_;
};

/// One prepared statement. `doing` completes "while ...": "reading samples".
class Statement {
 public:
  Statement(Database const& database, std::string_view sql, std::string doing);

  /// Binds the parameters in order and starts anew.
  template <class... T>
  Statement& with(T const&... values) {
    restart();
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }
  /// True while there is a row.
  bool step();
  /// A statement without rows.
  void once() {
    step();
    restart();
  }

  /// Columns of the row; a value of another type or out of range is damage.
  std::string text(int column) const;
  std::int64_t integer(int column, std::int64_t least, std::int64_t most) const;
  std::uint32_t index(int column, std::uint32_t most = std::numeric_limits<std::uint32_t>::max()) const {
    return static_cast<std::uint32_t>(integer(column, 0, most));
  }
  double real(int column) const;  ///< NULL is NaN, as it was written
  bool is_null(int column) const;
  std::optional<std::uint32_t> optional_index(int column, std::uint32_t most) const {
    return is_null(column) ? std::nullopt : std::optional(index(column, most));
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void restart();
  void bind(int place, std::string_view text);
  void bind(int place, std::string const& text) { bind(place, std::string_view(text)); }
  void bind(int place, char const* text) { bind(place, std::string_view(text)); }
  void bind(int place, double value);  ///< what is not finite becomes NULL
  void bind(int place, std::int64_t value);
  void bind(int place, std::uint32_t value) { bind(place, static_cast<std::int64_t>(value)); }
  void bind(int place, bool value) { bind(place, static_cast<std::int64_t>(value)); }
  template <class T>
  void bind(int place, std::optional<T> const& value) {
    if (value)
      bind(place, *value);
    else
      bind(place, std::numeric_limits<double>::quiet_NaN());
  }

  Database const* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string doing_;
};

/// Commits on request, otherwise undoes everything when it goes.
class Transaction {
 public:
  Transaction(Database const& database, char const* begin);
  ~Transaction();
  Transaction(Transaction const&) = delete;
  Transaction& operator=(Transaction const&) = delete;
  void commit();

 private:
  Database const* database_;
};

}  // namespace folioscope::record
