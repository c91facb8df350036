// SPDX-License-Identifier: Apache-2.0
// What was asked for, or why this machine cannot give it.
#pragma once
#include <utility>
#include <variant>

#include "terms/error.hpp"

namespace folioscope {

template <class T>
class Granted {
 public:
  Granted(T value) : either_(std::move(value)) {}
  Granted(Refusal refusal) : either_(std::move(refusal)) {}
  explicit operator bool() const { return std::holds_alternative<T>(either_); }
  T& operator*() { return std::get<T>(either_); }
  T const& operator*() const { return std::get<T>(either_); }
  T* operator->() { return &std::get<T>(either_); }
  T const* operator->() const { return &std::get<T>(either_); }
  Refusal const& refusal() const { return std::get<Refusal>(either_); }

 private:
  std::variant<T, Refusal> either_;
};

}  // namespace folioscope
