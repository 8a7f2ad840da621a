// SPDX-License-Identifier: Apache-2.0
//
// fmt's header, for builds with MEMTRACE_QUICK_BUILD. The function behind every fmt::format() is
// compiled once, in instances.cpp, and not again in each source. fmt's versions with another form
// of this function are left as they are.
#pragma once

#include_next <fmt/format.h>

#if FMT_VERSION >= 80000 && FMT_VERSION < 110000
#define MEMTRACE_FMT_INSTANCE                                     \
    template void fmt::detail::vformat_to<char>(                  \
        fmt::detail::buffer<char>&, fmt::basic_string_view<char>, \
        fmt::basic_format_args<fmt::buffer_context<char>>, fmt::detail::locale_ref)
extern MEMTRACE_FMT_INSTANCE;
#endif
