// SPDX-License-Identifier: Apache-2.0
// The file in which a guardian keeps old values: the boot's id, then one setting a line. Every line is on disk before
// its setting changes. The open journal is locked; the lock is held as long as guardian or child live. Internal to
// changes.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/changes.hpp"

namespace folioscope {

class Journal {
 public:
  enum class Wish { create, existing };
  /// Opens and locks. Refused when somebody holds it, when it cannot be made, or when others could have written it.
  static Granted<Journal> open(std::filesystem::path const& path, Wish wish);
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// Of this boot only; a line that was cut by a crash was never acted upon and is left out.
  std::vector<OldSetting> settings() const;
  /// On disk when it returns true.
  bool append(OldSetting const& setting);
  bool replace(std::vector<OldSetting> const& settings);
  void remove();

 private:
  Journal(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  bool start();
  std::filesystem::path path_;
  int fd_;
};

/// Backslash, tab and line feed as \\, \t and \n.
std::string journal_text(std::string_view text);
std::string unescaped(std::string_view text);

}  // namespace folioscope
