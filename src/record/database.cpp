// SPDX-License-Identifier: Apache-2.0
#include "record/database.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "terms/json.hpp"

namespace folioscope::record {
namespace {

constexpr int longest_value = 64 << 20;  // bytes of one text; the longest visits are a few MiB
constexpr int patience_ms = 20'000;      // a reader may hold the writer up while it loads, and a commit the reader
constexpr char const* from_a_copy = "restore it from a copy; `sqlite3 FILE .recover` saves what can be read";

bool disk_is_full(int code, int system_error) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  return (code & 0xff) == SQLITE_IOERR && (system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG);
}

/// Nothing that a file may bring along is run: no trigger, view, function in the schema or extension.
void harden(sqlite3* db) {
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, patience_ms);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, longest_value);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 100'000);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 25'000);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
}

int flags_of(Database::Mode mode) {
  return mode == Database::Mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
}

}  // namespace

Error damaged(std::filesystem::path const& path, std::string_view what) {
  return Error(fmt::format("damaged capsule: {}", what), path.string(), from_a_copy);
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database Database::open(std::filesystem::path const& path, Mode mode, std::filesystem::path const& shown) {
  sqlite3* handle = nullptr;
  // The handle is given even when opening fails: it holds the reason.
  // An absolute path: ":memory:" and "file:" are names like any other.
  int const code = sqlite3_open_v2(std::filesystem::absolute(path).c_str(), &handle,
                                   flags_of(mode) | SQLITE_OPEN_PRIVATECACHE, nullptr);
  Database database(handle, shown);
  if (!handle) throw Error("not enough memory to open it", shown.string(), "");
  if (code != SQLITE_OK) database.fail(sqlite3_extended_errcode(handle), "opening it");
  harden(handle);
  database.run("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY", "opening it");
  return database;
}

void Database::run(char const* sql, std::string_view doing) const {
  errno = 0;
  int const code = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, doing);
}

std::int64_t Database::number(char const* sql, std::string_view doing) const {
  Statement statement(*this, sql, std::string(doing));
  if (!statement.step()) throw damaged(shown_, fmt::format("nothing there {}", doing));
  return statement.integer(0, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

int Database::last_code() const { return sqlite3_extended_errcode(handle()); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Database::fail(int code, std::string_view doing) const {
  // SQLite keeps errno only of statements, not of a failing COMMIT; whoever calls has cleared it before.
  int const kept = sqlite3_system_errno(handle()), system_error = kept ? kept : errno;
  std::string const where = shown_.string();
  if (disk_is_full(code, system_error))
    throw Error(fmt::format("no space left while {}; all blocks committed before are intact", doing), where,
                "free space on that file system; a stopped campaign goes on with --resume, all else is run again");
  std::string const system = system_error ? fmt::format(": {}", std::strerror(system_error)) : "";
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
      throw damaged(shown_, fmt::format("inconsistent while {}", doing));
    case SQLITE_NOTADB:
      throw Error("not a capsule", where, "give a file that folioscope wrote");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(fmt::format("another program holds it while {}", doing), where, "wait until that has finished");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      throw Error(fmt::format("cannot be opened or written while {}{}", doing, system), where,
                  "check the permissions of the file and its folder");
    case SQLITE_IOERR:
      throw Error(fmt::format("the file system failed while {}{}", doing, system), where,
                  "check that disk; all blocks committed before are intact");
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      throw damaged(shown_, fmt::format("a value too large while {}", doing));
    default:
      throw damaged(shown_, fmt::format("{} while {}", sqlite3_errmsg(handle()), doing));
  }
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(Database const& database, std::string_view sql, std::string doing)
    : database_(&database), doing_(std::move(doing)) {
  sqlite3_stmt* statement = nullptr;
  int const code = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) database.fail(code, doing_);
}

void Statement::restart() { sqlite3_reset(statement_.get()); }

bool Statement::step() {
  errno = 0;
  int const code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  // Reset by the destructor; resetting here could lose errno.
  database_->fail(database_->last_code(), doing_);
}

void Statement::bind(int place, std::string_view text) {
  int const code = sqlite3_bind_text64(statement_.get(), place, text.data() ? text.data() : "", text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code == SQLITE_TOOBIG)
    throw Error(fmt::format("a text of {} bytes is too long while {}", text.size(), doing_), database_->path().string(),
                "choose a smaller experiment");
  if (code != SQLITE_OK) database_->fail(code, doing_);
}
void Statement::bind(int place, double value) {
  // SQLite makes NULL of NaN by itself, but keeps infinity, which no JSON can carry on.
  if (std::isfinite(value))
    sqlite3_bind_double(statement_.get(), place, value);
  else
    sqlite3_bind_null(statement_.get(), place);
}
void Statement::bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_.get(), place, value); }

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

std::string Statement::text(int column) const {
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT)
    throw damaged(database_->path(),
                  fmt::format("{}: '{}' is no text", doing_, sqlite3_column_name(statement_.get(), column)));
  auto const* bytes = reinterpret_cast<char const*>(sqlite3_column_text(statement_.get(), column));
  if (!bytes) database_->fail(SQLITE_NOMEM, doing_);
  std::string text(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text;
  // What is no UTF-8 becomes what JSON makes of it: everything that is written from it reads back.
  return *parse_json(Json(text).dump(), "a text of the record").as_string();
}

std::int64_t Statement::integer(int column, std::int64_t least, std::int64_t most) const {
  std::int64_t const value = sqlite3_column_int64(statement_.get(), column);
  if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER || value < least || value > most)
    throw damaged(database_->path(),
                  fmt::format("{}: '{}' is out of range", doing_, sqlite3_column_name(statement_.get(), column)));
  return value;
}

double Statement::real(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL:
      return std::numeric_limits<double>::quiet_NaN();
    case SQLITE_FLOAT:
    case SQLITE_INTEGER:
      return sqlite3_column_double(statement_.get(), column);
    default:
      throw damaged(database_->path(),
                    fmt::format("{}: '{}' is no number", doing_, sqlite3_column_name(statement_.get(), column)));
  }
}

Transaction::Transaction(Database const& database, char const* begin) : database_(&database) {
  database.run(begin, "starting a transaction");
}
Transaction::~Transaction() {
  if (database_ && database_->in_transaction())
    sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}
void Transaction::commit() {
  database_->run("COMMIT", "committing");
  database_ = nullptr;
}

}  // namespace folioscope::record
