// SPDX-License-Identifier: Apache-2.0
// What somebody else may do to a capsule with SQLite's own tools.
#pragma once
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

namespace folioscope::record_test {

class Sql {
 public:
  explicit Sql(std::filesystem::path const& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle_), SQLITE_OK);
    run("PRAGMA writable_schema=ON");
  }
  ~Sql() { sqlite3_close(handle_); }
  Sql(Sql const&) = delete;
  Sql& operator=(Sql const&) = delete;
  void run(std::string const& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << sql << ": " << message;
    sqlite3_free(message);
  }

 private:
  sqlite3* handle_ = nullptr;
};

}  // namespace folioscope::record_test
