// SPDX-License-Identifier: Apache-2.0
// The tables of a capsule, and whether a file is one: its own mark, a schema version known here, exactly these tables
// with exactly this SQL, nothing that could run, and pages that agree with each other. Described for readers of the
// file in docs/record-format.md.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "record/database.hpp"

namespace folioscope::record {

inline constexpr std::int64_t application_id = 0x466f5363;  // "FoSc"
inline constexpr std::int64_t schema_version = 1;

/// The SQL that makes the schema, one object an entry: "CREATE TABLE name (...)" or "CREATE INDEX name ON ...".
std::span<std::string_view const> schema();

/// Inside a transaction on an empty file.
void create_schema(Database const& database);

/// A file that is there, regular and not empty; Error otherwise. Nothing is opened: a pipe would wait for its writer.
void require_file(std::filesystem::path const& path);
[[noreturn]] void fail_empty(std::filesystem::path const& path);

/// The first read, which also finds what a killed writer left: an extended SQLite code. Begins a transaction when it is
/// SQLITE_OK.
int first_read(Database const& database);
/// The Error behind a first read that failed.
[[noreturn]] void fail_first_read(Database const& database, int code);
/// Checks everything that this header's first paragraph promises, inside the transaction that first_read began.
void check_capsule(Database const& database);

}  // namespace folioscope::record
