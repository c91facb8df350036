// SPDX-License-Identifier: Apache-2.0
#include "measure/measure.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>

#include "machine/machine.hpp"
#include "orders/order.hpp"

namespace folioscope {
namespace {

constexpr Bytes extent = 128_KiB;

/// Folios of a thread with a marked page before and after each.
class Buffer {
 public:
  explicit Buffer(std::size_t folios) : stride_(extent.value + 2 * 4096), size_(folios * stride_) {
    memory_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    std::memset(memory_, 0x5a, size_);
    for (std::size_t i = 0; i < folios; ++i) folios_.push_back(memory_ + i * stride_ + 4096);
  }
  ~Buffer() { munmap(memory_, size_); }
  Buffer(Buffer const&) = delete;
  Buffer& operator=(Buffer const&) = delete;
  std::vector<std::byte*> const& folios() const { return folios_; }
  bool all(std::size_t i, std::byte value) const { return same(folios_[i], extent.value, value); }
  bool some_of_each_page_set(std::size_t i) const {
    for (std::uint64_t page = 0; page < extent.value; page += 4096)
      if (same(folios_[i] + page, 4096, std::byte{0})) return false;
    return true;
  }
  bool guards_untouched() const {
    for (std::byte* folio : folios_)
      if (!same(folio - 4096, 4096, std::byte{0x5a}) || !same(folio + extent.value, 4096, std::byte{0x5a}))
        return false;
    return true;
  }

 private:
  static bool same(std::byte const* at, std::size_t n, std::byte value) {
    return at[0] == value && std::memcmp(at, at + 1, n - 1) == 0;
  }
  std::size_t stride_, size_;
  std::byte* memory_ = nullptr;
  std::vector<std::byte*> folios_;
};

Cell cell_of(Kernel const& kernel, std::string order, State state) {
  Cell cell;
  cell.kernel = kernel.contract.name;
  cell.order = std::move(order);
  cell.run = 4_KiB;
  cell.call = 4_KiB;
  cell.state = state;
  cell.footprint = extent;
  return cell;
}

std::vector<Call> calls_for(Cell const& cell) {
  VisitRequest request;
  request.order = *parse_order(cell.order);
  request.extent = extent;
  if (cell.order != "sequential") request.run = cell.run;
  request.target_page = 5;
  request.base_page = 4096_B;
  return calls_of(visits(request), cell.call);
}

class Measure : public ::testing::Test {
 protected:
  Machine const machine = read_machine();
  Clock const clock = read_clock();
  Random random{42};

  Crew hire(std::size_t threads) {
    auto crew = Crew::hire(std::span(machine.allowed_cpus).first(threads));
    if (!crew) throw std::runtime_error(crew.refusal().reason);
    return std::move(*crew);
  }
  Sample pass(Crew& crew, Kernel const& kernel, Cell const& cell, std::vector<std::vector<std::byte*>> const& folios,
              std::vector<Call> const& calls, std::span<std::uint32_t const> prefetches = {}) {
    Pass const what{&kernel, &cell, calls, extent, 4096_B, folios, 1, prefetches};
    return measure(crew, what, clock, random);
  }
};

void expect_sane(Sample const& sample) {
  EXPECT_GT(sample.wall.value, 0);
  EXPECT_TRUE(std::isfinite(sample.wall.value));
  EXPECT_GT(sample.state.value, 0);
  EXPECT_GE(sample.user.value, 0);
  EXPECT_GE(sample.system.value, 0);
}

TEST_F(Measure, EveryUsableKernelClearsTheWholeFootprintInEveryOrderAndState) {
  auto crew = hire(1);
  for (Kernel const& kernel : kernel_catalogue()) {
    if (!kernel.clear || kernel.contract.store == StoreKind::none || refuse(kernel.contract, machine.features))
      continue;
    for (Order const* order : order_catalogue())
      for (State state : {State::cold, State::hot}) {
        Buffer buffer(3);
        Cell const cell = cell_of(kernel, std::string(order->name), state);
        expect_sane(pass(crew, kernel, cell, {buffer.folios()}, calls_for(cell)));
        for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(buffer.all(i, std::byte{0})) << describe(cell);
        EXPECT_TRUE(buffer.guards_untouched()) << describe(cell);
      }
  }
}

TEST_F(Measure, TheEmptyKernelLeavesTheStateThatWasMade) {
  auto crew = hire(1);
  Kernel const* nothing = find_kernel("nothing");
  ASSERT_NE(nothing, nullptr);
  for (State state : {State::cold, State::hot, State::cold_zero}) {
    Buffer buffer(2);
    Cell const cell = cell_of(*nothing, "reverse", state);
    expect_sane(pass(crew, *nothing, cell, {buffer.folios()}, calls_for(cell)));
    for (std::size_t i = 0; i < 2; ++i)
      if (state == State::cold_zero)
        EXPECT_TRUE(buffer.all(i, std::byte{0}));
      else
        EXPECT_TRUE(buffer.some_of_each_page_set(i)) << to_string(state);
  }
}

TEST_F(Measure, AllThreadsClearTheirOwn) {
  std::size_t const threads = machine.allowed_cpus.size();
  auto crew = hire(threads);
  Kernel const* kernel = find_kernel("memset");
  ASSERT_NE(kernel, nullptr);
  Buffer buffer(2 * threads);
  std::vector<std::vector<std::byte*>> folios(threads);
  for (std::size_t i = 0; i < 2 * threads; ++i) folios[i / 2].push_back(buffer.folios()[i]);
  Cell cell = cell_of(*kernel, "sequential", State::hot);
  cell.threads = static_cast<std::uint32_t>(threads);
  expect_sane(pass(crew, *kernel, cell, folios, calls_for(cell)));
  for (std::size_t i = 0; i < 2 * threads; ++i) EXPECT_TRUE(buffer.all(i, std::byte{0}));
  EXPECT_TRUE(buffer.guards_untouched());
}

std::vector<std::pair<std::byte*, std::size_t>> recorded;
extern "C" void record_call(void* to, std::size_t n) { recorded.emplace_back(static_cast<std::byte*>(to), n); }

TEST_F(Measure, HandsTheKernelTheOrdersCallsFolioByFolio) {
  auto crew = hire(1);
  Kernel recorder;
  recorder.contract.name = "recorder";
  recorder.clear = record_call;
  for (Order const* order : order_catalogue())
    for (Fence fence : {Fence::call, Fence::pass})
      for (Bytes ahead : {0_B, 1_KiB}) {
        Buffer buffer(2);
        Cell cell = cell_of(recorder, std::string(order->name), State::cold);
        cell.fence = fence;
        auto const calls = calls_for(cell);
        auto const prefetches = prefetch_plan(calls, ahead, 64_B);
        recorded.clear();
        pass(crew, recorder, cell, {buffer.folios()}, calls, prefetches);
        ASSERT_EQ(recorded.size(), 1 + 2 * calls.size()) << "one warming call on a scratch, then the folios'";
        EXPECT_LE(recorded[0].second, 2048u);
        std::size_t next = 1;
        for (std::byte* folio : buffer.folios())
          for (Call const& call : calls) {
            EXPECT_EQ(recorded[next].first, folio + call.offset) << order->name;
            EXPECT_EQ(recorded[next++].second, call.length);
          }
      }
}

TEST_F(Measure, PrefetchingClearsTheSameBytes) {
  auto crew = hire(1);
  Kernel const* kernel = find_kernel("memset");
  ASSERT_NE(kernel, nullptr);
  Buffer buffer(2);
  Cell cell = cell_of(*kernel, "reverse", State::cold);
  cell.prefetch = 4_KiB;
  auto const calls = calls_for(cell);
  expect_sane(pass(crew, *kernel, cell, {buffer.folios()}, calls, prefetch_plan(calls, cell.prefetch, 64_B)));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(buffer.all(i, std::byte{0}));
  EXPECT_TRUE(buffer.guards_untouched());
}

}  // namespace
}  // namespace folioscope
