// SPDX-License-Identifier: Apache-2.0
// The distribution's libfmt comes from GCC, which mangles this one template otherwise than clang does.
#include <fmt/format.h>

template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view, fmt::format_args,
                                            fmt::detail::locale_ref);
