// SPDX-License-Identifier: Apache-2.0
// A tree of /proc and /sys as one text: a line "@PATH" or "@PATH -> TARGET" begins a file or link, the lines behind it
// are its content.
#include "machine/machine.hpp"

#include <unistd.h>

#include <algorithm>

#include "fuzz.hpp"
#include "made/capsule.hpp"

namespace folioscope::fuzz {
namespace {

namespace fs = std::filesystem;

bool is_inside(std::string_view path) {
  return path.starts_with('/') && path.size() < 160 && std::ranges::count(path, '/') < 16 &&
         path.find("..") == std::string_view::npos && path.find('\0') == std::string_view::npos;
}

void add(fs::path const& root, std::string_view head, std::string_view content) {
  auto const arrow = head.find(" -> ");
  std::string_view const path = head.substr(0, arrow);
  if (!is_inside(path)) return;
  fs::path const file = root / path.substr(1);
  std::error_code trouble;
  fs::create_directories(file.parent_path(), trouble);
  if (trouble || fs::exists(fs::symlink_status(file, trouble))) return;
  // A parent may be a link that leads out: nothing is ever written through one.
  if (!fs::weakly_canonical(file.parent_path(), trouble).string().starts_with(root.string())) return;
  if (arrow != std::string_view::npos)
    fs::create_symlink(fs::path(head.substr(arrow + 4)), file, trouble);
  else
    write_file(file, content);
}

void plant(fs::path const& root, std::string_view text) {
  for (int files = 0; files < 64 && !text.empty(); ++files) {
    auto const next = text.find("\n@", 1);
    std::string_view part = text.substr(0, next);
    text = next == std::string_view::npos ? std::string_view{} : text.substr(next + 1);
    if (!part.starts_with('@')) continue;
    part.remove_prefix(1);
    auto const end = part.find('\n');
    add(root, part.substr(0, end), end == std::string_view::npos ? std::string_view{} : part.substr(end + 1));
  }
}

}  // namespace
}  // namespace folioscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace folioscope;
  static fuzz::Folder const folder;
  auto const root = folder.path() / "root";
  std::filesystem::create_directory(root);
  fuzz::plant(root, fuzz::text_of(data, size));
  Machine const machine = read_machine(root);  // never throws: unknown stays unknown
  for (Fact const& fact : machine.facts.all())
    for (char const c : fact.value.dump()) fuzz::require(c >= ' ' && c <= '~', "facts are printable");
  std::error_code ignored;
  std::filesystem::remove_all(root, ignored);
  return 0;
}
