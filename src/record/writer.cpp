// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "record/capsule.hpp"
#include "record/load.hpp"
#include "record/schema.hpp"
#include "record/store.hpp"

namespace folioscope {
namespace {

namespace fs = std::filesystem;
using record::Database;
using record::Store;

std::string now_utc() {
  std::time_t const now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

/// RFC 4122, version 4.
std::string new_uuid() {
  unsigned char b[16];
  if (getrandom(b, sizeof b, 0) != static_cast<ssize_t>(sizeof b))
    throw Error("no random numbers for a campaign's name", "getrandom", "");
  b[6] = static_cast<unsigned char>((b[6] & 0x0f) | 0x40);
  b[8] = static_cast<unsigned char>((b[8] & 0x3f) | 0x80);
  std::string text;
  for (int i = 0; i < 16; ++i) text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
  return text;
}

/// The file, and the claim to be its only writer: an open-file-description lock on a byte far behind anything SQLite
/// locks. It goes with the process however that ends, and a reader in the same process cannot drop it by closing
/// another descriptor (as POSIX locks are).
class Claim {
 public:
  explicit Claim(fs::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    created_ = descriptor_ >= 0;
    if (!created_ && errno == EEXIST) descriptor_ = open_existing();
    if (descriptor_ < 0)
      throw Error(fmt::format("cannot be {}: {}", errno == EEXIST ? "opened" : "written", std::strerror(errno)),
                  path_.string(), "choose a file in a folder that can be written, with --out");
    try {
      lock();
    } catch (...) {
      release();
      throw;
    }
  }
  ~Claim() { release(); }
  Claim(Claim const&) = delete;
  Claim& operator=(Claim const&) = delete;

  bool empty() const {
    struct stat status {};
    return fstat(descriptor_, &status) == 0 && status.st_size == 0;
  }
  /// Something is committed: the file stays.
  void keep() { created_ = false; }

 private:
  fs::path path_;
  int descriptor_ = -1;
  bool created_ = false;  ///< by us, and nothing committed to it yet

  int open_existing() const {
    std::error_code trouble;
    if (!fs::is_regular_file(path_, trouble))
      throw Error("not a capsule: it is no regular file", path_.string(), "choose another name with --out");
    return ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  }
  void lock() const {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = off_t{1} << 60;
    range.l_len = 1;
    if (fcntl(descriptor_, F_OFD_SETLK, &range) == 0) return;
    if (errno == EAGAIN || errno == EACCES)
      throw Error("another folioscope is writing it", path_.string(),
                  "wait until that has finished, or choose another file with --out");
    throw Error(fmt::format("cannot be locked: {}", std::strerror(errno)), path_.string(),
                "choose a file on a local file system, with --out");
  }
  void release() {
    if (descriptor_ < 0) return;
    if (created_) ::unlink(path_.c_str());
    ::close(descriptor_);
    descriptor_ = -1;
  }
};

std::string instance_of(Facts const& facts, std::string const& otherwise) {
  return facts.value(fact::instance_key).as_string().value_or(otherwise);
}

void check_instance(Database const& database, std::string_view key) {
  if (key.empty()) return;
  record::Statement row(database, "SELECT instance_key FROM campaign WHERE instance_key <> ? LIMIT 1",
                        "reading whose it is");
  if (row.with(key).step())
    throw Error(fmt::format("it holds campaigns of another machine: instance {} there, {} here", row.text(0), key),
                database.path().string(), "choose another file with --out");
}

}  // namespace

struct CapsuleWriter::Inside {
  // Destroyed from the last to the first: statements, then SQLite (which undoes what is in flight), then the claim.
  Claim claim;
  Database database;
  std::optional<Store> store;
  std::string instance_key;

  explicit Inside(fs::path const& path) : claim(path), database(Database::open(path, Database::Mode::write, path)) {}

  /// Additions wait for the next commit in one open transaction, so that a placement or a point costs no write of its
  /// own.
  void begin_transaction() {
    if (!database.in_transaction()) database.run("BEGIN IMMEDIATE", "starting to write");
  }
  template <class F>
  void change(F&& body) {
    try {
      begin_transaction();
      body();
    } catch (...) {
      undo();
      throw;
    }
  }
  void commit() {
    database.run("COMMIT", "committing to it");
    claim.keep();
  }
  void undo() {
    if (database.in_transaction()) sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Store& campaign() {
    assert(store && store->id() > 0 && "begin() or continue_campaign() comes first");
    return *store;
  }
  /// The tables, in the same transaction as the first campaign: never a capsule with nothing in it.
  void ready() {
    if (store) return;
    if (database.number("PRAGMA user_version", "opening it") == 0) record::create_schema(database);
    store.emplace(database);
  }
};

CapsuleWriter::CapsuleWriter(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
CapsuleWriter::~CapsuleWriter() = default;
CapsuleWriter::CapsuleWriter(CapsuleWriter&&) noexcept = default;
CapsuleWriter& CapsuleWriter::operator=(CapsuleWriter&&) noexcept = default;

CapsuleWriter CapsuleWriter::open(fs::path const& path, std::string_view instance_key) {
  auto inside = std::make_unique<Inside>(path);
  inside->instance_key = instance_key;
  Database const& database = inside->database;
  // The first read undoes what a killed writer left, so an empty file is known only after it.
  if (int const code = record::first_read(database); code != SQLITE_OK) record::fail_first_read(database, code);
  bool const empty = inside->claim.empty();
  if (!empty) record::check_capsule(database);
  database.run("COMMIT", "opening it");
  if (!empty) {
    check_instance(database, instance_key);
    inside->store.emplace(database);
  }
  // Why a rollback journal, and why EXTRA: docs/decisions/0002-rollback-journal.md.
  database.run("PRAGMA journal_mode=DELETE; PRAGMA synchronous=EXTRA; PRAGMA cache_size=-16000", "opening it");
  return CapsuleWriter(std::move(inside));
}

std::int64_t CapsuleWriter::begin(CampaignHeader header, Facts const& facts, Plan const& plan,
                                  std::span<KernelContract const> kernels, Json const& groups) {
  if (header.uuid.empty()) header.uuid = new_uuid();
  if (header.started.empty()) header.started = now_utc();
  header.finished.clear();
  header.complete = false;
  Inside& in = *inside_;
  bool const fresh = !in.store;
  try {
    in.change([&] {
      in.ready();
      in.store->campaign(header, instance_of(facts, in.instance_key), facts, plan, kernels, groups);
      in.commit();
    });
  } catch (...) {
    if (fresh) in.store.reset();  // its tables are undone
    throw;
  }
  return in.store->id();
}

std::optional<Campaign> CapsuleWriter::unfinished() {
  if (!inside_->store) return std::nullopt;
  auto const all = record::headers(inside_->database);
  for (auto it = all.rbegin(); it != all.rend(); ++it)
    if (!it->complete) return record::load(inside_->database, it->id);
  return std::nullopt;
}

void CapsuleWriter::continue_campaign(std::int64_t id) {
  assert(inside_->store);
  inside_->change([&] {
    inside_->store->continue_campaign(id);
    inside_->store->finish("", "", false);
  });
}

Campaign CapsuleWriter::so_far() const { return record::load(inside_->database, inside_->campaign().id()); }

void CapsuleWriter::add(Placement const& placement) {
  inside_->change([&] { inside_->campaign().placement(placement); });
}
void CapsuleWriter::add(std::span<Point const> points) {
  inside_->change([&] { inside_->campaign().points(points); });
}
void CapsuleWriter::add(std::span<Refusal const> refusals) {
  inside_->change([&] { inside_->campaign().refusals(refusals); });
}
void CapsuleWriter::add(std::span<RefusedCell const> refused) {
  inside_->change([&] { inside_->campaign().refused(refused); });
}

void CapsuleWriter::commit(Block const& block, std::span<Sample const> samples, std::span<Reading const> readings,
                           std::span<Point const> points) {
  inside_->change([&] {
    inside_->campaign().points(points);  // first: the block's row says how many there are
    inside_->campaign().block(block, samples, readings);
    inside_->commit();
  });
}

void CapsuleWriter::finish(std::string stop_reason, bool complete) {
  inside_->change([&] {
    inside_->campaign().finish(now_utc(), stop_reason, complete);
    inside_->commit();
  });
}

bool CapsuleWriter::copy(Campaign const& c) {
  Inside& in = *inside_;
  if (in.store) {
    record::Statement there(in.database, "SELECT 1 FROM campaign WHERE uuid = ?", "looking for a campaign");
    if (there.with(c.header.uuid).step()) return false;
  }
  bool const fresh = !in.store;
  try {
    in.change([&] {
      in.ready();
      Store& store = *in.store;
      store.campaign(c.header, instance_of(c.facts, ""), c.facts, c.plan, c.kernels, c.groups);
      for (Placement const& p : c.placements) store.placement(p);
      store.points(c.points);
      auto sample = c.samples.begin();
      auto reading = c.readings.begin();
      for (Block const& b : c.blocks) {
        auto const samples = sample;
        auto const readings = reading;
        while (sample != c.samples.end() && sample->block == b.id) ++sample;
        while (reading != c.readings.end() && reading->block == b.id) ++reading;
        store.block(b, {samples, sample}, {readings, reading});
      }
      store.refused(c.refused);
      in.commit();
    });
  } catch (...) {
    if (fresh) in.store.reset();
    throw;
  }
  return true;
}

}  // namespace folioscope
