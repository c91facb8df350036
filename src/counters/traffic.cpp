// SPDX-License-Identifier: Apache-2.0
#include "counters/traffic.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <numeric>
#include <vector>

#include "terms/random.hpp"
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace folioscope {
namespace {

constexpr std::size_t line_memory = 16u << 20;
constexpr std::size_t flush_memory = 512u << 10;  // stays in a cache until it is flushed
constexpr std::size_t page_memory = 32u << 20;    // more base pages than any second-level TLB holds
constexpr std::size_t fault_pages = 64;
constexpr std::size_t sleeps = 4;
constexpr std::uint64_t rounds = 40'000;
constexpr std::uint64_t adds_a_round = 64;

#if defined(__x86_64__)
void flush_line(char* p) { _mm_clflush(p); }
void flush_fence() { _mm_mfence(); }
void store_line_nt(char* p) {
  auto const zero = _mm_setzero_si128();
  for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(p) + i, zero);
}
/// 64 dependent adds, a decrement and a branch a round.
void add_rounds(std::uint64_t n) {
  std::uint64_t value = 1;
  asm volatile("1:\n .rept 64\n add %2, %0\n .endr\n dec %1\n jnz 1b\n" : "+r"(value), "+r"(n) : "r"(rounds) : "cc");
}
#else
void flush_line(char* p) { asm volatile("dc civac, %0" ::"r"(p) : "memory"); }
void flush_fence() { asm volatile("dsb ish" ::: "memory"); }
void store_line_nt(char* p) {
  for (int i = 0; i < 4; ++i) asm volatile("stnp xzr, xzr, [%0]" ::"r"(p + 16 * i) : "memory");
}
void add_rounds(std::uint64_t n) {
  std::uint64_t value = 1;
  asm volatile("1:\n .rept 64\n add %0, %0, %2\n .endr\n subs %1, %1, #1\n b.ne 1b\n"
               : "+r"(value), "+r"(n)
               : "r"(rounds)
               : "cc");
}
#endif

std::size_t line_size() {
#if defined(__aarch64__)
  std::uint64_t type = 0;
  asm("mrs %0, ctr_el0" : "=r"(type));
  return std::size_t{4} << (type >> 16 & 15);  // CTR_EL0.DminLine: what DC CIVAC works on
#else
  return 64;
#endif
}

class Mapping {
 public:
  ~Mapping() {
    if (at_) munmap(at_, size_);
  }
  Mapping() = default;
  Mapping(Mapping const&) = delete;
  Mapping& operator=(Mapping const&) = delete;
  /// Base pages, populated with data that is not zero.
  bool provide(std::size_t size) {
    if (at_) return true;
    void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    at_ = static_cast<char*>(at);
    size_ = size;
    madvise(at, size, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) *reinterpret_cast<std::uint64_t*>(at_ + i) = i | 1;
    return true;
  }
  char* at() const { return at_; }

 private:
  char* at_ = nullptr;
  std::size_t size_ = 0;
};

std::vector<std::uint32_t> shuffled(std::size_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random random(0x74726166666963);
  shuffle(order, random);  // prefetchers follow what is regular, and would take fills from the demand events
  return order;
}

std::uint64_t cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

class RealTraffic final : public Traffic {
 public:
  bool prepare(KnownTraffic what) override {
    switch (what) {
      case KnownTraffic::load:
      case KnownTraffic::store:
      case KnownTraffic::store_nt:
      case KnownTraffic::flush:
        return prepare_lines(what);
      case KnownTraffic::pages:
        if (!page_mapping_.provide(page_memory)) return false;
        if (pages_.empty()) pages_ = shuffled(page_memory / page_);
        return true;
      default:
        return true;
    }
  }
  double run(KnownTraffic what) override {
    switch (what) {
      case KnownTraffic::load:
        return each_line([](char* p) { asm volatile("" ::"r"(*reinterpret_cast<std::uint64_t volatile*>(p))); });
      case KnownTraffic::store:
        return each_line([](char* p) { *reinterpret_cast<std::uint64_t volatile*>(p) = 1; });
      case KnownTraffic::store_nt:
        return each_line(store_line_nt);
      case KnownTraffic::flush:
        return flush_first_lines();
      case KnownTraffic::pages:
        for (std::uint32_t page : pages_)
          // Another line each time, or the pages' lines would fight for one set of the cache.
          *reinterpret_cast<std::uint64_t volatile*>(page_mapping_.at() + page * page_ + std::size_t{page % 64} * 64) =
              1;
        return static_cast<double>(pages_.size());
      case KnownTraffic::adds:
        add_rounds(rounds);
        return static_cast<double>(rounds * adds_a_round);
      case KnownTraffic::instructions:
        add_rounds(rounds);
        return static_cast<double>(rounds * (adds_a_round + 2));
      case KnownTraffic::faults:
        return touch_fresh_pages();
      case KnownTraffic::sleeps: {
        timespec const moment{0, 50'000};
        for (std::size_t i = 0; i < sleeps; ++i) nanosleep(&moment, nullptr);
        return sleeps;
      }
      case KnownTraffic::time: {
        auto const began = cpu_nanoseconds();
        add_rounds(rounds);
        return static_cast<double>(cpu_nanoseconds() - began);
      }
      case KnownTraffic::none:
        break;
    }
    return 0;
  }

 private:
  bool prepare_lines(KnownTraffic what) {
    if (!line_mapping_.provide(line_memory)) return false;
    if (lines_.empty()) lines_ = shuffled(line_memory / line_);
    char* const at = line_mapping_.at();
    // Lines to be flushed are modified first; all others start in memory.
    if (what == KnownTraffic::flush)
      for (std::size_t i = 0; i < flush_memory; i += line_) *reinterpret_cast<std::uint64_t volatile*>(at + i) = i;
    else
      for (std::size_t i = 0; i < line_memory; i += line_) flush_line(at + i);
    flush_fence();
    return true;
  }
  template <class Work>
  double each_line(Work work) {
    for (std::uint32_t line : lines_) work(line_mapping_.at() + line * line_);
    flush_fence();
    return static_cast<double>(lines_.size());
  }
  double flush_first_lines() {
    for (std::size_t i = 0; i < flush_memory; i += line_) flush_line(line_mapping_.at() + i);
    flush_fence();
    std::size_t const lines = flush_memory / line_;
    return static_cast<double>(lines);
  }
  /// Without the sanitizer of test builds, whose own memory would fault beside it.
  __attribute__((no_sanitize_address)) double touch_fresh_pages() const {
    void* const memory = mmap(nullptr, fault_pages * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    madvise(memory, fault_pages * page_, MADV_NOHUGEPAGE);
    for (std::size_t i = 0; i < fault_pages; ++i) static_cast<char volatile*>(memory)[i * page_] = 1;
    munmap(memory, fault_pages * page_);
    return fault_pages;
  }
  std::size_t const page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t const line_ = line_size();
  Mapping line_mapping_, page_mapping_;
  std::vector<std::uint32_t> lines_, pages_;
};

}  // namespace

std::unique_ptr<Traffic> real_traffic() { return std::make_unique<RealTraffic>(); }

}  // namespace folioscope
