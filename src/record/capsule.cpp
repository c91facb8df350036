// SPDX-License-Identifier: Apache-2.0
#include "record/capsule.hpp"

#include <fmt/core.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <utility>

#include "record/load.hpp"
#include "record/schema.hpp"

namespace folioscope {
namespace {

namespace fs = std::filesystem;
using record::Database;

/// A folder that only this process sees, gone with its contents at the end.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::string pattern = (fs::temp_directory_path() / "folioscope-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw fs::filesystem_error("mkdtemp", pattern, std::error_code(errno, std::generic_category()));
    path_ = pattern;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PrivateFolder(PrivateFolder const&) = delete;
  PrivateFolder& operator=(PrivateFolder const&) = delete;
  fs::path const& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path journal_of(fs::path path) { return path += "-journal"; }

/// A killed writer left its journal. The reader changes nothing where the capsule lies (it may be read-only, or
/// evidence): SQLite undoes the transaction in flight on a private copy, whose names are gone before this returns.
Database recovered_copy(fs::path const& path) {
  try {
    PrivateFolder const folder;
    fs::path const copy = folder.path() / "capsule";
    fs::copy_file(path, copy);
    fs::copy_file(journal_of(path), journal_of(copy));
    for (fs::path const& file : {copy, journal_of(copy)})
      fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    {
      Database const undo = Database::open(copy, Database::Mode::recover, path);
      if (int const code = record::first_read(undo); code != SQLITE_OK) record::fail_first_read(undo, code);
    }
    if (fs::file_size(copy) == 0) record::fail_empty(path);  // killed in its very first commit
    Database database = Database::open(copy, Database::Mode::read, path);
    if (int const code = record::first_read(database); code != SQLITE_OK) record::fail_first_read(database, code);
    return database;
  } catch (fs::filesystem_error const& error) {
    throw Error(fmt::format("its writer was killed, and undoing what was in flight failed: {}", error.code().message()),
                path.string(),
                fmt::format("copy it with {} to a folder that can be written, or give TMPDIR room",
                            journal_of(path).filename().string()));
  }
}

}  // namespace

struct Capsule::Inside {
  fs::path path;
  Database database;
  std::vector<std::string> notes;
};

Capsule::Capsule(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Capsule::~Capsule() = default;
Capsule::Capsule(Capsule&&) noexcept = default;
Capsule& Capsule::operator=(Capsule&&) noexcept = default;

Capsule Capsule::open(fs::path const& path) {
  record::require_file(path);
  std::vector<std::string> notes;
  Database database = Database::open(path, Database::Mode::read, path);
  int const code = record::first_read(database);
  if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY) {
    database = recovered_copy(path);
    notes.push_back(fmt::format(
        "{}: its writer was killed; the block in flight is left out ({} stays until the next sweep into it)",
        path.string(), journal_of(path).filename().string()));
  } else if (code != SQLITE_OK) {
    record::fail_first_read(database, code);
  }
  record::check_capsule(database);
  database.run("COMMIT", "opening it");
  return Capsule(std::make_unique<Inside>(Inside{path, std::move(database), std::move(notes)}));
}

std::vector<CampaignHeader> Capsule::headers() const { return record::headers(inside_->database); }
Campaign Capsule::load(std::int64_t id) const { return record::load(inside_->database, id); }
fs::path const& Capsule::path() const { return inside_->path; }
std::vector<std::string> const& Capsule::notes() const { return inside_->notes; }

}  // namespace folioscope
