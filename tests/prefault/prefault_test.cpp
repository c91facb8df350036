// SPDX-License-Identifier: Apache-2.0
// Whatever is populated with the cure ends as it would have ended without: the same result, the same errno, the same
// pages present, the same data. Twin mappings, one treated by the original call, tell.
#include "folioscope_prefault.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>
#include <vector>

namespace {

std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
std::size_t const huge = page / 8 * page;  // PMD size of every architecture with 8-byte entries

bool known() { return madvise(nullptr, 0, FOLIOSCOPE_MADV_POPULATE_WRITE) == 0; }

/// Anonymous (or shared) memory on a huge-page boundary, unmapped afterwards.
class Memory {
 public:
  explicit Memory(std::size_t length, int flags = MAP_PRIVATE, int protection = PROT_READ | PROT_WRITE)
      : reserved_(length + 2 * huge) {
    base_ = mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT_NE(base_, MAP_FAILED);
    auto const start = (reinterpret_cast<std::uintptr_t>(base_) + huge) & ~(std::uintptr_t{huge} - 1);
    at = reinterpret_cast<char*>(start);
    EXPECT_NE(mmap(at, length, protection, flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0), MAP_FAILED);
  }
  ~Memory() { munmap(base_, reserved_); }
  Memory(Memory const&) = delete;
  Memory& operator=(Memory const&) = delete;
  char* at = nullptr;

 private:
  void* base_;
  std::size_t reserved_;
};

std::vector<bool> present(char* at, std::size_t length) {
  std::vector<bool> out;
  for (std::size_t offset = 0; offset < length; offset += page) {
    unsigned char in = 0;
    out.push_back(mincore(at + offset, page, &in) == 0 && (in & 1));
  }
  return out;
}

struct Result {
  int returned, error;
  friend bool operator==(Result const&, Result const&) = default;
};
std::ostream& operator<<(std::ostream& out, Result r) { return out << r.returned << " errno " << r.error; }

Result of(std::function<int()> const& call) {
  errno = 0;
  int const returned = call();
  return {returned, returned ? errno : 0};
}

/// The same preparation of two mappings, the original call on one, the cure on the other.
void expect_alike(std::size_t length, std::function<void(char*)> const& prepare, std::ptrdiff_t offset,
                  std::size_t asked, long index) {
  Memory original(length), cured(length);
  for (char* at : {original.at, cured.at}) {
    madvise(at, length, MADV_NOHUGEPAGE);  // page by page, so that one too many would show
    prepare(at);
  }
  auto const expected = of([&] { return madvise(original.at + offset, asked, FOLIOSCOPE_MADV_POPULATE_WRITE); });
  auto const got = of([&] { return folioscope_prefault_at(cured.at + offset, asked, huge, index); });
  EXPECT_EQ(got, expected);
  EXPECT_EQ(present(cured.at, length), present(original.at, length));
}

class Prefault : public testing::TestWithParam<long> {
 protected:
  void SetUp() override {
    if (!known()) GTEST_SKIP() << "MADV_POPULATE_WRITE needs Linux 5.14";
  }
};

TEST_P(Prefault, PopulatesWhatTheOriginalPopulates) {
  auto const nothing = [](char*) {};
  auto const p = static_cast<std::ptrdiff_t>(page);
  expect_alike(3 * huge, nothing, 0, 3 * huge, GetParam());
  expect_alike(3 * huge, nothing, 5 * p, huge, GetParam());      // no whole huge page
  expect_alike(3 * huge, nothing, 7 * p, 2 * huge, GetParam());  // one, and parts on both sides
  expect_alike(3 * huge, nothing, 0, page, GetParam());
  expect_alike(3 * huge, nothing, 0, 0, GetParam());
  expect_alike(3 * huge, nothing, 0, huge + 100, GetParam());  // no whole number of pages
}

TEST_P(Prefault, FailsAsTheOriginalFails) {
  auto const nothing = [](char*) {};
  expect_alike(2 * huge, nothing, 1, huge, GetParam());      // misaligned
  expect_alike(2 * huge, nothing, 0, SIZE_MAX, GetParam());  // around the end of the address space
  expect_alike(2 * huge, nothing, 0, SIZE_MAX - 64 * huge, GetParam());
  expect_alike(
      2 * huge, [](char* at) { mprotect(at, huge, PROT_READ); }, 0, 2 * huge, GetParam());
  expect_alike(
      2 * huge, [](char* at) { mprotect(at + huge, huge, PROT_NONE); }, 0, 2 * huge, GetParam());
  expect_alike(
      3 * huge, [](char* at) { munmap(at + huge, huge); }, 0, 3 * huge, GetParam());
}

TEST_P(Prefault, BehindAHoleInAHugePageAtMostOnePageMoreIsThere) {
  Memory original(3 * huge), cured(3 * huge);
  for (char* at : {original.at, cured.at}) {
    madvise(at, 3 * huge, MADV_NOHUGEPAGE);
    munmap(at + 4 * page, page);
  }
  auto const expected = of([&] { return madvise(original.at, 3 * huge, FOLIOSCOPE_MADV_POPULATE_WRITE); });
  EXPECT_EQ(of([&] { return folioscope_prefault_at(cured.at, 3 * huge, huge, GetParam()); }), expected);
  auto const a = present(original.at, 3 * huge), b = present(cured.at, 3 * huge);
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
  EXPECT_LE(different, 1u);
}

TEST_P(Prefault, LeavesDataAsItIs) {
  for (int flags : {MAP_PRIVATE, MAP_SHARED}) {
    Memory memory(2 * huge, flags);
    madvise(memory.at, 2 * huge, MADV_HUGEPAGE);
    for (std::size_t i = 0; i < 2 * huge; i += 37 * page) memory.at[i + 5] = static_cast<char>(i / page + 1);
    EXPECT_EQ(folioscope_prefault_at(memory.at, 2 * huge, huge, GetParam()), 0);
    for (std::size_t i = 0; i < 2 * huge; i += page)
      EXPECT_EQ(memory.at[i + 5], i % (37 * page) == 0 ? static_cast<char>(i / page + 1) : 0);
  }
}

TEST_P(Prefault, IsSafeWhileOthersWrite) {
  constexpr int writers = 3, rounds = 2000;
  Memory memory(4 * huge);
  madvise(memory.at, 4 * huge, MADV_HUGEPAGE);
  std::atomic<bool> wrong = false;
  std::vector<std::jthread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, w] {
      auto* counters = reinterpret_cast<std::uint32_t*>(memory.at);
      for (int r = 0; r < rounds; ++r) {
        std::size_t const i =
            (static_cast<std::size_t>(r) * 4099 % (4 * huge / page)) * (page / 4) + static_cast<std::size_t>(w);
        if (++counters[i] == 0) wrong = true;
      }
    });
  for (int w = 0; w < 2; ++w)
    threads.emplace_back([&] {
      for (int r = 0; r < 5; ++r)
        if (folioscope_prefault_at(memory.at, 4 * huge, huge, GetParam()) != 0) wrong = true;
    });
  threads.clear();
  EXPECT_FALSE(wrong);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 4 * huge / 4; ++i) sum += reinterpret_cast<std::uint32_t*>(memory.at)[i];
  EXPECT_EQ(sum, static_cast<std::uint64_t>(writers) * rounds);
}

TEST_P(Prefault, AnEmptyHugetlbPoolIsNoSignal) {
  auto const map = [] {
    return mmap(nullptr, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1,
                0);
  };
  void* const first = map();
  if (first == MAP_FAILED) GTEST_SKIP() << "no hugetlb here";
  auto const expected = of([&] { return madvise(first, huge, FOLIOSCOPE_MADV_POPULATE_WRITE); });
  munmap(first, huge);
  void* const second = map();
  ASSERT_NE(second, MAP_FAILED);
  EXPECT_EQ(of([&] { return folioscope_prefault_at(second, huge, huge, GetParam()); }), expected);
  munmap(second, huge);
}

TEST_P(Prefault, SuccessLeavesErrnoAlone) {
  Memory memory(2 * huge);
  errno = EDOM;
  EXPECT_EQ(folioscope_prefault_at(memory.at, huge, huge, GetParam()), 0);
  EXPECT_EQ(errno, EDOM);
}

INSTANTIATE_TEST_SUITE_P(Indices, Prefault,
                         testing::Values(FOLIOSCOPE_PREFAULT_PLAIN, FOLIOSCOPE_PREFAULT_LAST, 0L, 100L, 100000L));

TEST(PrefaultIndex, FollowsTheRelease) {
  for (char const* release : {"4.14.0", "5.10.0-27-amd64", "6.1.0", "6.19.3", "6.18"})
    EXPECT_EQ(folioscope_prefault_index_of(release), FOLIOSCOPE_PREFAULT_LAST) << release;
  for (char const* release :
       {"4.13.16", "3.10.0-1160.el7", "7.0.0", "8.2", "10.0", "", "x", "6", "6.", "-1.2", "99999999999999999999.1"})
    EXPECT_EQ(folioscope_prefault_index_of(release), FOLIOSCOPE_PREFAULT_PLAIN) << release;
}

TEST(PrefaultIndex, TheEnvironmentOverrules) {
  for (auto const& [text, index] : std::vector<std::pair<char const*, long>>{{"last", FOLIOSCOPE_PREFAULT_LAST},
                                                                             {"plain", FOLIOSCOPE_PREFAULT_PLAIN},
                                                                             {"17", 17},
                                                                             {"17x", FOLIOSCOPE_PREFAULT_PLAIN},
                                                                             {"-3", FOLIOSCOPE_PREFAULT_PLAIN}}) {
    setenv("FOLIOSCOPE_PREFAULT_INDEX", text, 1);
    EXPECT_EQ(folioscope_prefault_index(), index) << text;
  }
  unsetenv("FOLIOSCOPE_PREFAULT_INDEX");
}

/// The preloaded library, asked by name: its calls against the originals, made directly.
class Library : public testing::Test {
 protected:
  void SetUp() override {
    if (!known()) GTEST_SKIP() << "MADV_POPULATE_WRITE needs Linux 5.14";
    setenv("FOLIOSCOPE_PREFAULT_INDEX", "last", 1);
    library = dlopen(FOLIOSCOPE_PREFAULT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    map = reinterpret_cast<decltype(map)>(dlsym(library, "mmap"));
    advise = reinterpret_cast<decltype(advise)>(dlsym(library, "madvise"));
    ASSERT_TRUE(map && advise);
  }
  void TearDown() override {
    if (library) dlclose(library);
    unsetenv("FOLIOSCOPE_PREFAULT_INDEX");
  }
  void* library = nullptr;
  void* (*map)(void*, std::size_t, int, int, int, off_t) = nullptr;
  int (*advise)(void*, std::size_t, int) = nullptr;
};

TEST_F(Library, MapsAndPopulates) {
  for (int flags : {MAP_PRIVATE, MAP_SHARED}) {
    std::size_t const length = 3 * huge + 5 * page;
    auto* const at =
        static_cast<char*>(map(nullptr, length, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
    ASSERT_NE(at, MAP_FAILED);
    EXPECT_EQ(present(at, length), std::vector<bool>(length / page, true));
    munmap(at, length);
  }
}

/// What mmap gives for MAP_POPULATE on hugetlb memory: how much of it is there, or the errno.
struct Populated {
  std::size_t pages = 0;
  int error = 0;
  friend bool operator==(Populated const&, Populated const&) = default;
};
std::ostream& operator<<(std::ostream& out, Populated p) { return out << p.pages << " pages, errno " << p.error; }

template <class Map>
Populated hugetlb_by(Map const& map_it, std::size_t length, int more) {
  int const flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_HUGETLB | more;
  errno = 0;
  void* const at = map_it(nullptr, length, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (at == MAP_FAILED) return {0, errno};
  auto const in = present(static_cast<char*>(at), length);
  munmap(at, length);
  return {static_cast<std::size_t>(std::count(in.begin(), in.end(), true)), errno};
}

TEST_F(Library, PopulatesHugetlbPagesAsLinuxDoes) {
  auto const original = [](void* at, std::size_t length, int protection, int flags, int fd, off_t offset) {
    return reinterpret_cast<void*>(syscall(SYS_mmap, at, length, protection, flags, fd, offset));
  };
  if (hugetlb_by(original, 2 * huge, 0).error != 0) GTEST_SKIP() << "no two hugetlb pages free";
  // Beyond the pool: refused where pages are reserved; without a reservation what there is, and no signal.
  for (int const more : {0, MAP_NORESERVE})
    for (std::size_t const pages : {std::size_t{1}, std::size_t{2}, std::size_t{1} << 17}) {
      if (more == MAP_NORESERVE && pages > 2) continue;  // of a pool of any size
      EXPECT_EQ(hugetlb_by(map, pages * huge, more), hugetlb_by(original, pages * huge, more)) << pages;
    }
  std::size_t free_pages = 0;
  for (std::size_t n = 2; n < 64 && hugetlb_by(original, n * huge, 0).error == 0; ++n) free_pages = n;
  if (free_pages < 63) {
    std::size_t const beyond = (free_pages + 2) * huge;
    EXPECT_EQ(hugetlb_by(map, beyond, MAP_NORESERVE), hugetlb_by(original, beyond, MAP_NORESERVE));
  }
}

TEST_F(Library, RefusesWhatLinuxRefuses) {
  struct Asked {
    std::size_t length;
    int protection, flags, fd;
  };
  for (Asked const& a : {Asked{0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1},
                         Asked{SIZE_MAX / 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1},
                         Asked{page, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_POPULATE, -1},
                         Asked{page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, -1},
                         Asked{huge, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_HUGETLB | (63 << 26), -1}}) {
    errno = 0;
    auto const expected = syscall(SYS_mmap, nullptr, a.length, a.protection, a.flags, a.fd, 0);
    int const error = errno;
    errno = 0;
    void* const got = map(nullptr, a.length, a.protection, a.flags, a.fd, 0);
    EXPECT_EQ(got == MAP_FAILED, expected == -1);
    EXPECT_EQ(errno, error);
  }
}

TEST_F(Library, ReadOnlyAndFileMappingsGoToLinuxAsTheyAre) {
  auto* const at = static_cast<char*>(map(nullptr, huge, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
  ASSERT_NE(at, MAP_FAILED);
  EXPECT_EQ(at[page], 0);
  munmap(at, huge);
}

TEST_F(Library, OtherAdviceGoesToLinuxAsItIs) {
  Memory memory(huge);
  memory.at[3] = 1;
  EXPECT_EQ(advise(memory.at, huge, MADV_DONTNEED), 0);
  EXPECT_EQ(memory.at[3], 0);
  EXPECT_EQ(advise(memory.at, huge, 12345), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(advise(memory.at, huge, FOLIOSCOPE_MADV_POPULATE_WRITE), 0);
  EXPECT_EQ(present(memory.at, huge), std::vector<bool>(huge / page, true));
}

}  // namespace
