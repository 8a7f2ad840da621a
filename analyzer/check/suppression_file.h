// SPDX-License-Identifier: Apache-2.0
//
// Lists of leaks that somebody has looked at and accepted, in the two languages that people have
// them in already. Both may stand in one file.
//
//   # reason: the plugin keeps its table until the process ends
//   # until: 2027-01-31
//   leak:load_plugin                    LeakSanitizer: part of a function, file or module; * ^ $
//
//   {
//      the_name                         valgrind: frames from the innermost outwards
//      Memcheck:Leak
//      match-leak-kinds: reachable
//      fun:malloc
//      ...
//      fun:dl_open*
//   }
//
// Comments that begin with `reason:`, `until:` or `unless: own code` say more about all that
// follows
// up to the next empty line; LeakSanitizer and valgrind pass over them. `until` is the last day on
// which it holds. `unless: own code` spares stacks in which code of the user's own allocates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memtrace::analyzer {

struct FramePattern {
    enum class Kind : uint8_t { function, object, source, any_frames };
    Kind kind = Kind::function;
    std::string text;  // with * and ?
};

struct Suppression {
    std::string name;     // "leak:load_plugin", or valgrind's name of it
    std::string pattern;  // LeakSanitizer's; empty: valgrind's, see frames
    std::vector<FramePattern> frames;
    std::string reason;
    std::string until;  // "2027-01-31"; empty: for ever
    bool spares_own_code = false;
    std::string file;
    uint32_t line = 0;
    bool is_default = false;
};

// Throws Error with file and line where it makes no sense.
std::vector<Suppression> parse_suppressions(std::string_view text, const std::string& file);
std::vector<Suppression> read_suppressions(const std::string& path);

std::string_view default_suppressions_text();
std::vector<Suppression> default_suppressions();

// LeakSanitizer's patterns. Those of valgrind are wildcards.h's.
bool matches_leak_pattern(std::string_view pattern, std::string_view text);

}  // namespace memtrace::analyzer
