// SPDX-License-Identifier: Apache-2.0
// Three kinds of trouble. "The machine cannot" is a Refusal: data. "The world failed" (file, disk, bad input) is the
// one exception type below: what, where, remedy, caught once in the command line. "Our bug" asserts.
#pragma once
#include <stdexcept>
#include <string>

namespace folioscope {

/// Why something could not be measured. Recorded in the capsule, printed by name, never a 0 and never silence.
struct Refusal {
  std::string subject;  ///< what was refused: a kernel, a backing, a cell, a Linux path
  std::string reason;   ///< why, in one clause
  std::string remedy;   ///< what would help; empty when nothing would
  friend bool operator==(Refusal const&, Refusal const&) = default;
};

/// Exit statuses of the command line.
enum class ExitStatus : int { done = 0, failed = 1, usage = 2, interrupted = 3, condition_held = 4 };

class Error : public std::runtime_error {
 public:
  /// One line "where: what; remedy". Line breaks in the parts (they may come from files) become spaces.
  Error(std::string what, std::string where, std::string remedy, ExitStatus status = ExitStatus::failed);
  ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

/// Bad usage: exit status 2.
class UsageError : public Error {
 public:
  UsageError(std::string what, std::string where, std::string remedy)
      : Error(std::move(what), std::move(where), std::move(remedy), ExitStatus::usage) {}
};

}  // namespace folioscope
