// SPDX-License-Identifier: Apache-2.0
//
// What the program itself accepts as lost (__lsan_default_suppressions of LeakSanitizer's
// interface). It is in notes with this subject: the lines of its text, in order, in as many notes
// as are needed.
#pragma once

#include <string_view>

namespace memtrace {

inline constexpr std::string_view program_suppressions_subject = "lsan_suppressions";

}  // namespace memtrace
