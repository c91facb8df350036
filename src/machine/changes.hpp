// SPDX-License-Identifier: Apache-2.0
// System settings changed for a while and given back whatever happens. The process that asks becomes a small guardian:
// it forks the child that works, holds the old values, ignores the signals that end programs (it passes them on) and
// restores when the child ends in any way. A journal on disk lets the next start offer what even that missed. Nothing
// is changed unless the user allowed it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terms/granted.hpp"

namespace folioscope {

/// One setting and its value before the first change: what restoring writes back.
struct OldSetting {
  std::string path, value;
  friend bool operator==(OldSetting const&, OldSetting const&) = default;
};

/// What a setting was and what it reads now. Linux may give less than asked (nr_hugepages): compare `now`.
struct ChangedSetting {
  std::string old_value, now;
};

/// A model-specific register as a setting: the msr device's path, '#' and the register's number
/// ("/dev/cpu/0/msr#0x1a4"); its value is 64 bits in hexadecimal. read_setting and write_setting know the form.
std::string register_setting(std::filesystem::path const& device, std::uint32_t number);

/// The value of a settings file as it can be written back: the [selected] word where there is one, else the whole line.
std::optional<std::string> read_setting(std::filesystem::path const& path);
/// Why it could not be written; nullopt when it was.
std::optional<Refusal> write_setting(std::filesystem::path const& path, std::string_view value);

/// The child's handle on settings.
class Changes {
 public:
  /// Journals the old value, then writes. Refused when not allowed, when the file cannot be read or written, or when
  /// the old value could not be made safe first.
  Granted<ChangedSetting> set(std::filesystem::path const& path, std::string_view value);
  bool allowed() const { return guardian_ >= 0; }

  Changes(Changes const&) = delete;
  Changes& operator=(Changes const&) = delete;

 private:
  friend struct Guarded;
  Changes(int guardian, std::string refusal) : guardian_(guardian), refusal_(std::move(refusal)) {}
  int guardian_;         ///< the socket to the guardian; -1: nothing may be changed
  std::string refusal_;  ///< why nothing may be changed
  std::vector<std::string> held_;
};

struct GuardedEnd {
  int status = 0;                     ///< what `work` returned, or 128 + the signal that ended the child
  std::vector<Refusal> not_restored;  ///< still in the journal
};

/// Call before any thread exists, in the program's main thread. `work` runs in a child process (in this one when
/// `allow` is false, then every set is refused). It must not throw; its result is the child's exit status. Returns in
/// the guardian only.
GuardedEnd run_guarded(bool allow, std::filesystem::path const& journal, std::function<int(Changes&)> const& work);

/// Settings that an earlier run left changed: its guardian and child are gone, and Linux has not been booted since. A
/// journal that others could have written is not believed.
std::vector<OldSetting> leftovers(std::filesystem::path const& journal);
/// Writes them back and forgets the journal; what cannot be written stays in it.
std::vector<Refusal> restore(std::filesystem::path const& journal);

/// /run/folioscope for root, else the user's runtime folder; nullopt where there is none.
std::optional<std::filesystem::path> default_journal();

}  // namespace folioscope
