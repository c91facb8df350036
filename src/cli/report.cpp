// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/capsules.hpp"
#include "cli/commands.hpp"
#include "cli/text.hpp"
#include "record/capsule.hpp"

namespace folioscope::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string const& what, fs::path const& path, int error) {
  throw Error(fmt::format("{}: {}", what, std::strerror(error)), path.string(), "give another place to write to");
}

/// Pages and figures replace one another, never measurements.
void refuse_capsule(fs::path const& path) {
  constexpr std::string_view mark = "SQLite format 3";
  std::string begin(mark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && file.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
      begin == mark)
    throw UsageError("would replace a capsule", path.string(), "give another name for the page");
}

/// Whole or not at all: a reader, or a crash, never meets half a file.
void write_whole(fs::path const& path, std::string_view text) {
  std::error_code ignored;
  refuse_capsule(path);
  if (fs::is_directory(path, ignored)) fail("cannot write the file", path, EISDIR);
  // A device or pipe (/dev/stdout) takes no renaming.
  bool const special = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  fs::path const target = !special && fs::is_symlink(path, ignored) ? fs::canonical(path, ignored) : path;
  fs::path const draft = special ? path : fs::path(fmt::format("{}.{}.part", target.string(), ::getpid()));
  int const file = ::open(draft.c_str(), special ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) fail("cannot write the file", path, errno);
  int error = 0;
  while (!text.empty() && error == 0) {
    ssize_t const n = ::write(file, text.data(), text.size());
    if (n > 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (n < 0 && errno != EINTR)
      error = errno;
  }
  if (error == 0 && !special && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && !special && ::rename(draft.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (!special) ::unlink(draft.c_str());
  fail("cannot write the file", path, error);
}

}  // namespace

ExitStatus run_report(ReportArguments const& a) {
  refuse_capsule(a.out);  // before the work
  auto const foreign = load_all_foreign(a.foreign);
  std::vector<Campaign> campaigns;
  std::vector<ReportSource> sources;
  for (auto const& file : a.files) {
    Capsule const capsule = Capsule::open(file);
    auto const headers = capsule.headers();
    refuse_empty(capsule);
    for (auto const& header : headers) campaigns.push_back(plausible(capsule.load(header.id)));
    sources.push_back({fs::path(file).filename().string(), headers.size()});
  }
  Report const made = report(campaigns, sources, !a.svg.empty(), foreign);
  write_whole(a.out, made.html);
  if (!a.svg.empty()) {
    std::error_code error;
    fs::create_directories(a.svg, error);
    if (error) fail("cannot make the folder", a.svg, error.value());
    for (NamedSvg const& svg : made.svgs) write_whole(fs::path(a.svg) / (svg.name + ".svg"), svg.text);
    say("{} figures in {}", made.svgs.size(), printable(a.svg));
    for (std::size_t i = 0; i < made.undrawn.size(); ++i)
      say("{}{}", i ? ", " : "; nothing to draw in ", made.undrawn[i]);
    say("\n");
  }
  say("{} ({:.1f} MB); open it in a browser\n", printable(a.out), static_cast<double>(made.html.size()) * 1e-6);
  return ExitStatus::done;
}

}  // namespace folioscope::cli
