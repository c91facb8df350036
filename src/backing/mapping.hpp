// SPDX-License-Identifier: Apache-2.0
// An extent of this process's address space, on a boundary of its own, with inaccessible neighbours: Linux cannot merge
// it with other mappings, so what smaps says of it is said of nothing else. Unmapped at the end of its life.
#pragma once
#include <cstddef>
#include <string>

#include "terms/granted.hpp"
#include "terms/units.hpp"

namespace folioscope::backing {

class Mapping {
 public:
  enum class Source { anonymous, memory_file };
  /// Readable and writable, not yet populated. A Refusal when there is no room.
  static Granted<Mapping> make(Source source, Bytes length, Bytes alignment, std::string const& subject);
  /// From the hugetlb pool of that page size; reserved there or refused.
  static Granted<Mapping> make_hugetlb(Bytes length, Bytes page, std::string const& subject);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + length_.value; }
  Bytes length() const { return length_; }

 private:
  Mapping() = default;
  std::byte* begin_ = nullptr;
  Bytes length_;
  void* reserved_ = nullptr;
  std::size_t reserved_length_ = 0;
};

/// "No such file or directory" for an errno, from any thread.
std::string errno_text(int error);

}  // namespace folioscope::backing
