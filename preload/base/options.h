// SPDX-License-Identifier: Apache-2.0
//
// The settings of MEMTRACE_OPTIONS; options.def lists them.
#pragma once

#include <cstdint>
#include <string_view>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

enum class Children : uint64_t { same, all, none };
enum class Start : uint64_t { now, later };
enum class Rings : uint64_t { in_file_if_safe, private_memory };
// A larger number is that of seconds between two searches.
enum class LostSearches : uint64_t { off, exit };
inline constexpr uint64_t time_min_s = 10;

enum class PythonAllocs : uint64_t { off, sample, all };

// Returns the place of `value` in `choices`, words with | between them.
constexpr uint64_t number_of_choice(std::string_view choices, std::string_view value) {
    uint64_t number = 0;
    while (choices.substr(0, choices.find('|')) != value) {
        choices.remove_prefix(choices.find('|') + 1);
        number += 1;
    }
    return number;
}

struct Options {
#define MEMTRACE_CHOICE(name, value, choices, help) \
    uint64_t name = number_of_choice(choices, #value);
#define MEMTRACE_FLAG(name, value, help) uint64_t name = value;
#define MEMTRACE_NUMBER(name, value, low, high, help) uint64_t name = value;
#define MEMTRACE_SIZE(name, value, low, high, help) uint64_t name = value;
#define MEMTRACE_SET(name, value, words, help) uint64_t name = 0;
#define MEMTRACE_TIME(name, value, words, help) uint64_t name = number_of_choice(words, #value);
#include "preload/base/options.def"
};
extern Options options;

// Reads "key=value,key=value" into `options`. If the text is wrong, returns false and writes one
// sentence that names the wrong part to `problem`.
bool parse_options(std::string_view text, Line& problem);

// Prints every option with its default, for help=1.
void print_options();

// Calls visit(key, value) for every setting in force.
void for_each_option(void (*visit)(void* context, std::string_view key, std::string_view value),
                     void* context);

}  // namespace memtrace::preload
