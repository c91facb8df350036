// SPDX-License-Identifier: Apache-2.0
// A capsule that is a sound SQLite file of the right tables with wrong values in them: what a raw mutation rarely
// reaches.
#include <fmt/core.h>
#include <fuzzer/FuzzedDataProvider.h>
#include <sqlite3.h>

#include <vector>

#include "made/capsule.hpp"
#include "made/reader.hpp"

namespace folioscope::fuzz {
namespace {

struct Table {
  std::string name;
  std::vector<std::string> columns;
};

class Sql {
 public:
  explicit Sql(std::filesystem::path const& path) {
    require(sqlite3_open(path.c_str(), &handle_) == SQLITE_OK, "the capsule opens");
    sqlite3_exec(handle_, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
  }
  ~Sql() { sqlite3_close(handle_); }
  Sql(Sql const&) = delete;
  Sql& operator=(Sql const&) = delete;

  /// The first two columns of every row.
  std::vector<std::pair<std::string, std::string>> rows(std::string const& sql) {
    std::vector<std::pair<std::string, std::string>> all;
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr);
    auto const text = [&](int i) {
      return std::string(reinterpret_cast<char const*>(sqlite3_column_text(statement, i)));
    };
    while (sqlite3_step(statement) == SQLITE_ROW) all.emplace_back(text(0), text(1));
    sqlite3_finalize(statement);
    return all;
  }

  /// Constraints may refuse it: then the file stays as it is.
  void change(std::string const& sql, FuzzedDataProvider& input) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return;
    if (sqlite3_bind_parameter_count(statement) == 1) bind(statement, input);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
  }

 private:
  static void bind(sqlite3_stmt* statement, FuzzedDataProvider& input) {
    std::string text;
    switch (input.ConsumeIntegralInRange(0, 5)) {
      case 0:
        sqlite3_bind_null(statement, 1);
        break;
      case 1:
        sqlite3_bind_int64(statement, 1, input.ConsumeIntegral<std::int64_t>());
        break;
      case 2:
        sqlite3_bind_int64(statement, 1, input.ConsumeIntegralInRange(-2, 300));
        break;
      case 3:
        sqlite3_bind_double(statement, 1, input.ConsumeFloatingPoint<double>());
        break;
      case 4:
        text = input.ConsumeRandomLengthString(300);
        sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
        break;
      default:
        text = input.ConsumeRandomLengthString(300);
        sqlite3_bind_blob(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }

  sqlite3* handle_ = nullptr;
};

std::vector<Table> tables_of(std::filesystem::path const& path) {
  Sql sql(path);
  std::vector<Table> tables;
  for (auto const& [name, type] : sql.rows("SELECT name, type FROM sqlite_master WHERE type = 'table' ORDER BY name")) {
    tables.push_back({name, {}});
    for (auto const& [number, column] : sql.rows("PRAGMA table_info(" + name + ")"))
      tables.back().columns.push_back(column);
  }
  require(tables.size() > 5, "a capsule has its tables");
  return tables;
}

struct Start {
  Folder folder;
  std::filesystem::path path = folder.path() / "a.folioscope";
  std::string bytes = small_capsule();
  std::vector<Table> tables;
  Start() {
    write_file(path, bytes);
    tables = tables_of(path);
    read_capsule(path);  // it is sound before it is changed
  }
};

}  // namespace
}  // namespace folioscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope::fuzz;
  static Start const start;
  FuzzedDataProvider input(data, size);
  write_file(start.path, start.bytes);
  {
    Sql sql(start.path);
    for (int changes = 0; changes < 8 && input.remaining_bytes() > 0; ++changes) {
      Table const& table = start.tables[input.ConsumeIntegralInRange<std::size_t>(0, start.tables.size() - 1)];
      auto const column = [&] {
        return table.columns[input.ConsumeIntegralInRange<std::size_t>(0, table.columns.size() - 1)];
      };
      std::string where;
      if (input.ConsumeBool()) {
        std::string const by = column();
        where = fmt::format(" WHERE \"{0}\" IS (SELECT \"{0}\" FROM {1} LIMIT 1 OFFSET {2})", by, table.name,
                            input.ConsumeIntegral<std::uint8_t>());
      }
      if (input.ConsumeIntegralInRange(0, 9) == 0)
        sql.change(fmt::format("DELETE FROM {}{}", table.name, where), input);
      else
        sql.change(fmt::format("UPDATE OR IGNORE {} SET \"{}\" = ?{}", table.name, column(), where), input);
    }
  }
  taken([&] { read_capsule(start.path); });
  return 0;
}
