// SPDX-License-Identifier: Apache-2.0
// What the tests of kernels share: this machine's features, the catalogue as test parameters, and memory between two
// guard pages.
#pragma once
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "terms/features.hpp"

namespace folioscope {

/// Of this machine, read once.
Features const& usable_features();
std::size_t page_size();

/// A test of one kernel. Skipped by name, with the refusal's reason, where this machine cannot run it.
class KernelTest : public testing::TestWithParam<Kernel const*> {
 protected:
  KernelContract const& contract() const { return GetParam()->contract; }
  std::size_t granule() const { return granule_of(contract(), usable_features()).value; }
  void SetUp() override {
    if (auto const refusal = refuse(contract(), usable_features()))
      GTEST_SKIP() << "kernel " << refusal->subject << ": " << refusal->reason;
  }
};

std::vector<Kernel const*> all_kernels();
std::string kernel_name(testing::TestParamInfo<Kernel const*> const& info);

/// Whole pages with an inaccessible page before and after them.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t at_least);
  ~GuardedPages();
  GuardedPages(GuardedPages const&) = delete;
  GuardedPages& operator=(GuardedPages const&) = delete;
  unsigned char* data() const { return mapping_ + page_size(); }
  std::size_t size() const { return size_; }
  /// Changes the access to all pages between the guards.
  void protect(int access) const;

 private:
  std::size_t size_;
  unsigned char* mapping_;
};

}  // namespace folioscope
