// SPDX-License-Identifier: Apache-2.0
// Memory of the probes' own: private, on a huge-page boundary, huge where Linux gives it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "terms/units.hpp"

namespace folioscope {

class Ground {
 public:
  /// As much as is wanted, or a half, a quarter, ... of it where that cannot be mapped; size() says. At least 4 KiB, or
  /// nothing.
  explicit Ground(Bytes wanted);
  ~Ground();
  Ground(Ground const&) = delete;
  Ground& operator=(Ground const&) = delete;
  std::byte* begin() const { return begin_; }
  Bytes size() const { return size_; }

 private:
  void* mapping_ = nullptr;
  std::uint64_t length_ = 0;
  std::byte* begin_ = nullptr;
  Bytes size_;
};

}  // namespace folioscope
