// SPDX-License-Identifier: Apache-2.0
// Files that are no capsules, damaged ones, and ones made to harm: one clear line, never a crash, nothing changed.
#include <sys/stat.h>

#include <algorithm>

#include "fixture.hpp"
#include "sql.hpp"
#include "terms/random.hpp"

namespace folioscope::record_test {
namespace {

using testing::Values;

class Hostile : public InFolder {
 protected:
  /// Opens as a reader does, and reads everything.
  void read_all() const {
    auto const capsule = Capsule::open(file());
    for (auto const& header : capsule.headers()) capsule.load(header.id);
  }
  std::string reading() const {
    std::string const before = bytes_of(file());
    std::string const message = error_of([&] { read_all(); });
    EXPECT_EQ(bytes_of(file()), before);
    EXPECT_NE(message.find(file().string()), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
  }
  std::string writing() const {
    std::string const before = bytes_of(file());
    std::string const message = error_of([&] { CapsuleWriter::open(file(), "instance-1"); });
    EXPECT_EQ(bytes_of(file()), before) << "a file that is refused is not touched";
    return message;
  }
  void expect_both(std::string const& part) const {
    EXPECT_NE(reading().find(part), std::string::npos) << reading();
    EXPECT_NE(writing().find(part), std::string::npos) << writing();
    EXPECT_EQ(files_there(), 1u);
  }
};

TEST_F(Hostile, WhatIsNotThere) {
  EXPECT_NE(error_of([&] { Capsule::open(file()); }).find("no such file"), std::string::npos);
  EXPECT_EQ(files_there(), 0u);
  EXPECT_NE(error_of([&] { CapsuleWriter::open(file("no/such/folder"), "i"); }).find("No such file"),
            std::string::npos);
}

TEST_F(Hostile, WhatIsNoFile) {
  EXPECT_NE(error_of([&] { Capsule::open(folder()); }).find("no regular file"), std::string::npos);
  EXPECT_NE(error_of([&] { CapsuleWriter::open(folder(), "i"); }).find("no regular file"), std::string::npos);
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { Capsule::open(file()); }).find("no regular file"), std::string::npos);
  EXPECT_NE(error_of([&] { CapsuleWriter::open(file(), "i"); }).find("no regular file"), std::string::npos);
}

TEST_F(Hostile, AnEmptyFile) {
  write_bytes(file(), "");
  EXPECT_NE(reading().find("empty"), std::string::npos);
  write_campaign(file());  // a writer may use it: mktemp makes such files
  read_all();
}

TEST_F(Hostile, Text) {
  write_bytes(file(), "kernel,order,ns\nrep_stosb,reverse,1\n");
  expect_both("not a capsule");
  write_bytes(file(), std::string(100000, 'x'));
  expect_both("not a capsule");
}

TEST_F(Hostile, AnotherProgramsDatabase) {
  Sql(file()).run("CREATE TABLE bookmark (url TEXT)");
  expect_both("an SQLite file of another program");
}

TEST_F(Hostile, ANewerSchema) {
  write_campaign(file());
  Sql(file()).run("PRAGMA user_version=7");
  expect_both("a capsule of schema 7, newer than 1");
}

TEST_F(Hostile, WriteAheadMode) {
  write_campaign(file());
  Sql(file()).run("PRAGMA journal_mode=WAL");
  expect_both("write-ahead mode");
}

TEST_F(Hostile, AnotherMachinesCapsuleIsNotAppendedTo) {
  write_campaign(file());
  std::string const message = error_of([&] { CapsuleWriter::open(file(), "instance-2"); });
  EXPECT_NE(message.find("instance-1"), std::string::npos) << message;
  EXPECT_NE(message.find("instance-2"), std::string::npos) << message;
}

TEST_F(Hostile, TruncatedAnywhere) {
  write_campaign(file());
  std::string const whole = bytes_of(file());
  for (std::size_t size = 1; size < whole.size(); size += size < 200 ? 7 : 1531) {
    write_bytes(file(), std::string_view(whole).substr(0, size));
    std::string const message = reading();
    if (size > 4096) {
      EXPECT_NE(message.find("truncated"), std::string::npos) << size << ": " << message;
    }
  }
}

class Changed : public Hostile, public testing::WithParamInterface<char const*> {};

TEST_P(Changed, IsDamage) {
  write_campaign(file());
  Sql(file()).run(GetParam());
  reading();
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, Changed,
    Values("CREATE TRIGGER t AFTER INSERT ON sample BEGIN DELETE FROM block; END",
           "DROP TABLE sample; CREATE VIEW sample AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
           "SELECT * FROM r",
           "CREATE VIEW extra AS SELECT 1", "CREATE VIRTUAL TABLE v USING fts5(text)", "DROP TABLE point",
           "ALTER TABLE sample ADD COLUMN generated AS (abs(-9223372036854775807 - 1))",
           "CREATE INDEX i ON sample (abs(wall_ns))",
           "CREATE TABLE other AS SELECT * FROM sample; DROP TABLE sample; ALTER TABLE other RENAME TO sample",
           "UPDATE sqlite_master SET sql = 'CREATE TABLE point (x)' WHERE name = 'point'",
           "UPDATE sqlite_master SET rootpage = 2 WHERE name = 'sample'",
           "UPDATE sqlite_master SET rootpage = 100000 WHERE name = 'cell'"));

INSTANTIATE_TEST_SUITE_P(
    Contents, Changed,
    Values("UPDATE sample SET cell = 3", "UPDATE sample SET cell = -1", "UPDATE sample SET arm = 3",
           "UPDATE sample SET copies = 0", "UPDATE sample SET wall_ns = 'much'",
           "UPDATE sample SET block = block + 100", "UPDATE sample SET block = 1e300 WHERE block = 1 AND position = 0",
           "DELETE FROM sample WHERE block = 1 AND position = 0", "DELETE FROM block WHERE id = 2",
           "UPDATE block SET placement = 77", "UPDATE block SET samples = 4000000000", "UPDATE block SET marked = 2",
           "UPDATE block SET note = x'00ff'", "DELETE FROM visits",
           "UPDATE visits SET stretches = '0+64*1000000000000@64'", "UPDATE visits SET stretches = '0+4096*512@-4096'",
           "UPDATE visits SET stretches = 'x'", "UPDATE cell SET state = 'lukewarm'",
           "UPDATE cell SET backing = 'paper'", "UPDATE cell SET \"order\" = ''",
           "UPDATE cell SET footprint_bytes = -1", "UPDATE cell SET fence = 'none'", "UPDATE cell SET id = id + 1000",
           "DELETE FROM cell", "UPDATE campaign SET plan = '{'", "UPDATE campaign SET plan = '[]'",
           "UPDATE campaign SET complete = 5", "UPDATE campaign SET id = -4", "UPDATE campaign SET uuid = x'17'",
           "UPDATE kernel SET contract = '{}'", "UPDATE fact SET value = '[' || replace(hex(zeroblob(5000)), '0', '[')",
           "UPDATE reading SET event = 99", "UPDATE reading SET cell = 99",
           "UPDATE reading SET block = 99 WHERE block = 1", "DELETE FROM reading WHERE position = 0",
           "UPDATE point SET cell = 99", "DELETE FROM point WHERE position = 0", "UPDATE point SET x = 'a'",
           "UPDATE placement SET evidence = 'no json'", "UPDATE refusal SET cell = 99",
           "UPDATE refusal SET reason = x'00'"));

TEST_F(Hostile, FurtherTablesAreNobodysBusiness) {
  write_campaign(file());
  Sql(file()).run("CREATE TABLE cache (key TEXT PRIMARY KEY, value TEXT)");
  read_all();
}

TEST_F(Hostile, TooMuchAskedOfMemory) {
  // 4 million stretches a cell from a few bytes, in many cells: bounded, and said.
  write_campaign(file());
  {
    Sql sql(file());
    sql.run("UPDATE visits SET stretches = '0+1*2000000@1'");
    sql.run(
        "WITH RECURSIVE r(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM r WHERE n < 2000) INSERT INTO cell SELECT "
        "campaign, n, kernel, "
        "\"order\", run_bytes, call_bytes, prefetch_bytes, target, state, backing, footprint_bytes, threads, fence, "
        "visits FROM cell, r "
        "WHERE id = 0");
  }
  EXPECT_NE(reading().find("visits are too many"), std::string::npos);
}

TEST_F(Hostile, FlippedBytesAreAnErrorOrHarmless) {
  write_campaign(file(), 2);
  std::string const whole = bytes_of(file());
  Random random(20240816);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    // Headers of pages are small: half of the flips go there, where structure is.
    for (std::uint64_t flips = 1 + random.below(6); flips > 0; --flips) {
      std::size_t at = random.below(bytes.size());
      if (flips % 2) at = at / 4096 * 4096 + random.below(40);
      bytes[std::min(at, bytes.size() - 1)] = static_cast<char>(random());
    }
    write_bytes(file(), bytes);
    try {
      read_all();
    } catch (Error const&) {
      ++refused;
    }
    ASSERT_EQ(bytes_of(file()), bytes);
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace folioscope::record_test
