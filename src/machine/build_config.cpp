// SPDX-License-Identifier: Apache-2.0
#include "machine/build_config.hpp"

#include <algorithm>

#if defined(FOLIOSCOPE_ZLIB)
#include <zlib.h>
#endif

namespace folioscope {
namespace {

constexpr std::size_t largest = 4 << 20;
/// Any file of that name is believed only when it looks like one.
bool looks_right(std::string const& text) { return text.find("CONFIG_") != std::string::npos; }

}  // namespace

bool BuildConfig::says_yes(std::string_view option) const {
  auto const line = std::string(option) + "=y\n";
  return text.starts_with(line) || text.find("\n" + line) != std::string::npos ||
         text.ends_with("\n" + std::string(option) + "=y");
}

#if defined(FOLIOSCOPE_ZLIB)

/// Grows as the text does: a page that is never written costs nothing, and in some virtual machines one that is costs
/// much.
std::string gunzip(std::string const& compressed, std::size_t limit) {
  constexpr std::size_t step = 256 << 10;
  constexpr int gzip_window = 16 + MAX_WBITS;
  z_stream stream{};
  if (::inflateInit2(&stream, gzip_window) != Z_OK) return {};
  std::string text;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  int result = Z_OK;
  while (result == Z_OK && text.size() < limit) {
    std::size_t const before = text.size();
    text.resize(std::min(limit, before + step));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = static_cast<uInt>(text.size() - before);
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  return result == Z_STREAM_END ? text : std::string();
}

#else

std::string gunzip(std::string const&, std::size_t) { return {}; }

#endif

BuildConfig read_build_config(SystemFiles const& files, std::string const& release) {
  if (auto const compressed = files.bytes("/proc/config.gz", 1 << 20)) {
    auto text = gunzip(*compressed, largest);
    if (looks_right(text)) return {std::move(text), "/proc/config.gz"};
  }
  // A release comes from a file too: it must not walk out of the folder.
  if (release.empty() || release.find('/') != std::string::npos) return {};
  for (auto const& path :
       {"/boot/config-" + release, "/lib/modules/" + release + "/config", "/lib/modules/" + release + "/build/.config"})
    if (auto text = files.bytes(path, largest); text && looks_right(*text)) return {std::move(*text), path};
  return {};
}

}  // namespace folioscope
