// SPDX-License-Identifier: Apache-2.0
// A tmpfs of our own with the huge= option wanted, without root: mounted nowhere, in a user namespace that a child
// process makes and leaves. What comes back is an open file without a name in it.
#pragma once
#include "terms/granted.hpp"

namespace folioscope {

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File();
  File(File&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  File& operator=(File&&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// `huge`: "always", "never", "within_size", "advise".
Granted<File> file_in_own_tmpfs(char const* huge);

}  // namespace folioscope
