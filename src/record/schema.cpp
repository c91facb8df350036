// SPDX-License-Identifier: Apache-2.0
#include "record/schema.hpp"

#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace folioscope::record {
namespace {

// Times are nanoseconds, NULL where not known. A sample's key keeps a block's rows side by side in the order they ran:
// no index beside the table, and reading a campaign is one walk.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): a statement a row, over several lines
constexpr std::string_view objects[] = {
    "CREATE TABLE campaign (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, command TEXT NOT "
    "NULL, "
    "version TEXT NOT NULL, started TEXT NOT NULL, finished TEXT NOT NULL, stop_reason TEXT NOT NULL, complete INTEGER "
    "NOT NULL, "
    "instance_key TEXT NOT NULL, plan TEXT NOT NULL, counter_groups TEXT NOT NULL)",
    "CREATE TABLE fact (campaign INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, "
    "source TEXT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (campaign, position)) WITHOUT ROWID",
    "CREATE TABLE kernel (campaign INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, contract TEXT NOT "
    "NULL, "
    "PRIMARY KEY (campaign, position)) WITHOUT ROWID",
    "CREATE TABLE visits (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, stretches TEXT NOT NULL)",
    "CREATE INDEX visits_by_hash ON visits (hash)",
    "CREATE TABLE cell (campaign INTEGER NOT NULL, id INTEGER NOT NULL, kernel TEXT NOT NULL, \"order\" TEXT NOT NULL, "
    "run_bytes INTEGER, call_bytes INTEGER NOT NULL, prefetch_bytes INTEGER NOT NULL, target INTEGER, state TEXT NOT "
    "NULL, "
    "backing TEXT NOT NULL, footprint_bytes INTEGER NOT NULL, threads INTEGER NOT NULL, fence TEXT, visits INTEGER NOT "
    "NULL, "
    "PRIMARY KEY (campaign, id)) WITHOUT ROWID",
    "CREATE TABLE refusal (campaign INTEGER NOT NULL, position INTEGER NOT NULL, cell INTEGER, placement INTEGER, "
    "subject TEXT NOT NULL, reason TEXT NOT NULL, remedy TEXT NOT NULL, PRIMARY KEY (campaign, position)) WITHOUT "
    "ROWID",
    "CREATE TABLE placement (campaign INTEGER NOT NULL, id INTEGER NOT NULL, common_frames REAL, evidence TEXT NOT "
    "NULL, "
    "PRIMARY KEY (campaign, id)) WITHOUT ROWID",
    "CREATE TABLE block (campaign INTEGER NOT NULL, id INTEGER NOT NULL, placement INTEGER NOT NULL, started_s REAL, "
    "elapsed_ns REAL, clearing_ns REAL, making_state_ns REAL, add_ns_before REAL, add_ns_after REAL, marked INTEGER "
    "NOT NULL, "
    "steal_s REAL, note TEXT NOT NULL, samples INTEGER NOT NULL, readings INTEGER NOT NULL, "
    "points_so_far INTEGER NOT NULL, PRIMARY KEY (campaign, id)) WITHOUT ROWID",
    "CREATE TABLE sample (campaign INTEGER NOT NULL, block INTEGER NOT NULL, position INTEGER NOT NULL, cell INTEGER "
    "NOT NULL, "
    "arm INTEGER NOT NULL, copies INTEGER NOT NULL, wall_ns REAL, user_ns REAL, system_ns REAL, state_ns REAL, "
    "PRIMARY KEY (campaign, block, position, cell, arm)) WITHOUT ROWID",
    "CREATE TABLE event (id INTEGER PRIMARY KEY, counter_group TEXT NOT NULL, event TEXT NOT NULL, scope TEXT NOT "
    "NULL, "
    "UNIQUE (counter_group, event, scope))",
    "CREATE TABLE reading (campaign INTEGER NOT NULL, block INTEGER NOT NULL, position INTEGER NOT NULL, cell INTEGER "
    "NOT NULL, "
    "event INTEGER NOT NULL, value REAL, enabled_ns REAL, running_ns REAL, PRIMARY KEY (campaign, block, position)) "
    "WITHOUT ROWID",
    "CREATE TABLE point (campaign INTEGER NOT NULL, position INTEGER NOT NULL, series TEXT NOT NULL, label TEXT NOT "
    "NULL, "
    "x REAL, y REAL, cell INTEGER, block INTEGER, PRIMARY KEY (campaign, position)) WITHOUT ROWID",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

constexpr std::size_t header_size = 100;
using Header = std::array<unsigned char, header_size>;

/// Through SQLite's own descriptor: closing another one of the same file would drop this process's locks on it (POSIX,
/// fcntl).
sqlite3_file* file_of(Database const& database) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return file && file->pMethods ? file : nullptr;
}

Header read_header(Database const& database) {
  Header header{};
  sqlite3_file* file = file_of(database);
  if (file)
    file->pMethods->xRead(file, header.data(), static_cast<int>(header.size()), 0);  // a short read leaves zeros
  return header;
}

std::uint32_t big_endian(Header const& header, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | header[at + i];
  return n;
}

/// SQLite's file format, section 1.3: the database header.
void check_header(Database const& database) {
  std::filesystem::path const& path = database.path();
  Header const header = read_header(database);
  if (std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    throw Error("not a capsule: it is no SQLite file", path.string(), "give a file that folioscope wrote");
  if (big_endian(header, 68) != application_id)
    throw Error("not a capsule: an SQLite file of another program", path.string(), "give a file that folioscope wrote");
  if (std::int64_t const version = big_endian(header, 60); version > schema_version)
    throw Error(fmt::format("a capsule of schema {}, newer than {}", version, schema_version), path.string(),
                "open it with the folioscope that wrote it, or a newer one");
  if (header[18] != 1 || header[19] != 1)
    throw Error("another program left it in write-ahead mode", path.string(),
                fmt::format("with {}-wal beside it, run: sqlite3 {} 'PRAGMA journal_mode=DELETE'",
                            path.filename().string(), path.filename().string()));
  std::uint64_t page = std::uint64_t{header[16]} << 8 | header[17];
  if (page == 1) page = 65536;
  sqlite3_int64 size = 0;
  if (sqlite3_file* file = file_of(database)) file->pMethods->xFileSize(file, &size);
  if (std::uint64_t const whole = page * big_endian(header, 28); static_cast<std::uint64_t>(size) < whole)
    throw damaged(path, fmt::format("truncated: {} of {} bytes are there", size, whole));
}

void check_schema(Database const& database) {
  // Ours, and no trigger, view or virtual table at all. Further plain tables are somebody's cache, which nothing here
  // reads.
  std::vector<std::string_view> missing(schema().begin(), schema().end());
  Statement rows(database, "SELECT type, name, sql FROM sqlite_master", "reading the schema");
  while (rows.step()) {
    if (rows.is_null(2)) continue;  // the index behind a UNIQUE
    std::string const type = rows.text(0), name = rows.text(1), sql = rows.text(2);
    if (auto const it = std::ranges::find(missing, sql); it != missing.end())
      missing.erase(it);
    else if (type != "table" || !sql.starts_with("CREATE TABLE"))
      throw damaged(database.path(), fmt::format("it holds a {} '{}' that folioscope never makes", type, name));
  }
  if (!missing.empty())
    throw damaged(database.path(), fmt::format("its tables are not those of schema {}", schema_version));
}

}  // namespace

std::span<std::string_view const> schema() { return objects; }

void create_schema(Database const& database) {
  for (std::string_view const sql : schema()) database.run(std::string(sql).c_str(), "creating the tables");
  database.run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application_id, schema_version).c_str(),
               "creating the tables");
}

void fail_empty(std::filesystem::path const& path) {
  throw Error("empty: no campaign was ever committed to it", path.string(), "remove it and measure again");
}

void require_file(std::filesystem::path const& path) {
  std::error_code trouble;
  auto const status = std::filesystem::status(path, trouble);
  if (!std::filesystem::exists(status))
    throw Error(trouble && trouble != std::errc::no_such_file_or_directory ? trouble.message() : "no such file",
                path.string(), "check the name");
  if (!std::filesystem::is_regular_file(status))
    throw Error("not a capsule: it is no regular file", path.string(), "check the name");
  if (std::filesystem::file_size(path, trouble) == 0 && !trouble) fail_empty(path);
}

int first_read(Database const& database) {
  int code = sqlite3_exec(database.handle(), "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1", nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return code;
  code = database.last_code();
  if (database.in_transaction()) sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  return code;
}

void fail_first_read(Database const& database, int code) {
  // SQLite says only "corrupt" or "not a database"; the header often knows more.
  int const kind = code & 0xff;
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_CANTOPEN) check_header(database);
  database.fail(code, "opening it");
}

void check_capsule(Database const& database) {
  check_header(database);
  check_schema(database);
  // A writer's side file lost in copying leaves pages of two ages; so does a failing disk.
  Statement check(database, "PRAGMA quick_check(1)", "checking its pages");
  if (!check.step()) throw damaged(database.path(), "its pages could not be checked");
  if (std::string const verdict = check.text(0); verdict != "ok")
    throw damaged(database.path(),
                  fmt::format("its pages disagree ({}); if it was copied while {}-journal stood beside it, copy both",
                              verdict, database.path().filename().string()));
}

}  // namespace folioscope::record
