// SPDX-License-Identifier: Apache-2.0
//
// Lists of leaks that have been examined and accepted, in the two existing formats: LeakSanitizer's
// and valgrind's. One file may contain both.
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
// Comments that begin with `reason:`, `until:` or `unless: own code` apply to all suppressions up
// to the next empty line. LeakSanitizer and valgrind ignore them. `until` is the last day on which
// the suppression applies. `unless: own code` excepts stacks in which the user's own code
// allocates. `match-leak-kinds` counts where a search for lost blocks was done.
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

// Of the blocks of a call site, those of which a search says this. Bits of a set.
enum LostKinds : uint8_t {
    kind_none = 0,
    kind_definite = 1,
    kind_indirect = 2,
    kind_possible = 4,
    kind_reachable = 8,  // also what was not searched, and garbage of Python
    kinds_all = 15
};

struct Suppression {
    std::string name;     // "leak:load_plugin", or the name in valgrind's format
    std::string pattern;  // in LeakSanitizer's format; empty: see `frames`, in valgrind's
    std::vector<FramePattern> frames;
    uint8_t kinds = kinds_all;  // LostKinds that it takes
    std::string reason;
    std::string until;  // "2027-01-31"; empty: no end
    bool spares_own_code = false;
    std::string file;
    uint32_t line = 0;
    bool is_default = false;
};

// Both throw Error if a file cannot be read or its text makes no sense; then with file and line.
std::vector<Suppression> parse_suppressions(std::string_view text, const std::string& file);
std::vector<Suppression> read_suppressions(const std::string& path);

std::string_view default_suppressions_text();
std::vector<Suppression> default_suppressions();

// Those that the program brings itself (Model::program_suppressions), for what LeakSanitizer calls
// leaks. Lines that are not for leaks are passed over.
std::vector<Suppression> program_suppressions(std::string_view text);

// True if a pattern in LeakSanitizer's format matches. For valgrind's patterns see wildcards.h.
bool matches_leak_pattern(std::string_view pattern, std::string_view text);

}  // namespace memtrace::analyzer
