// SPDX-License-Identifier: Apache-2.0
#include "preload/base/options.h"

#include "preload/base/hot_data.h"
#include "preload/base/log.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA Options options;

namespace {

enum class Kind { choice, flag, number, size, time, set };

struct Row {
    Kind kind;
    std::string_view name;
    std::string_view value;    // default, as text
    std::string_view choices;  // choice only
    uint64_t low;
    uint64_t high;
    std::string_view help;
    uint64_t Options::*field;
};

constexpr uint64_t time_max_s = 7 * 24 * 3600;

constexpr Row rows[] = {
#define MEMTRACE_CHOICE(name, value, choices, help) \
    {Kind::choice, #name, #value, choices, 0, 0, help, &Options::name},
#define MEMTRACE_FLAG(name, value, help) \
    {Kind::flag, #name, #value, "0|1", 0, 1, help, &Options::name},
#define MEMTRACE_NUMBER(name, value, low, high, help) \
    {Kind::number, #name, #value, "", low, high, help, &Options::name},
#define MEMTRACE_SIZE(name, value, low, high, help) \
    {Kind::size, #name, #value, "", low, high, help, &Options::name},
#define MEMTRACE_SET(name, value, words, help) \
    {Kind::set, #name, #value, words, 0, 0, help, &Options::name},
#define MEMTRACE_TIME(name, value, words, help) \
    {Kind::time, #name, #value, words, time_min_s, time_max_s, help, &Options::name},
#include "preload/base/options.def"
};

// Splits `text` at the first `mark`. Returns the part before it and leaves the rest in `text`.
std::string_view cut_at(std::string_view& text, char mark) {
    const size_t at = text.find(mark);
    const std::string_view first = text.substr(0, at);
    text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
    return first;
}

bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// Finds a word of "off|exit".
bool parse_choice(const Row& row, std::string_view text, uint64_t& value) {
    std::string_view rest = row.choices;
    for (uint64_t index = 0; !rest.empty(); ++index) {
        if (cut_at(rest, '|') == text) {
            value = index;
            return true;
        }
    }
    return false;
}

// Reads seconds: "90s", "10m", "2h".
bool parse_time(std::string_view text, uint64_t& value) {
    if (text.empty()) return false;
    const char unit = text.back();
    const uint64_t seconds = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 0;
    text.remove_suffix(1);
    if (seconds == 0 || !parse_number(text, value) || value > time_max_s) return false;
    value *= seconds;
    return true;
}

// Reads "none", or words of "stacks|data" with + between them.
bool parse_set(const Row& row, std::string_view text, uint64_t& value) {
    value = 0;
    if (text == "none") return true;
    if (text.ends_with('+')) return false;
    while (!text.empty()) {
        uint64_t bit = 0;
        if (!parse_choice(row, cut_at(text, '+'), bit)) return false;
        value |= uint64_t{1} << bit;
    }
    return value != 0;
}

bool parse_value(const Row& row, std::string_view text, uint64_t& value) {
    if (row.kind == Kind::choice) return parse_choice(row, text, value);
    if (row.kind == Kind::set) return parse_set(row, text, value);
    if (row.kind == Kind::time) {
        return parse_choice(row, text, value) ||
               (parse_time(text, value) && value >= row.low && value <= row.high);
    }
    if (row.kind == Kind::size) {
        return parse_size(text, value) && (value == 0 || (value >= row.low && value <= row.high));
    }
    if (!parse_number(text, value) || value < row.low || value > row.high) return false;
    return row.name != "ring" || is_power_of_two(value);
}

void describe_values(const Row& row, Line& out) {
    if (row.kind == Kind::number) out << row.low << " to " << row.high;
    else if (row.kind == Kind::size) out << "0, or " << row.low << " to " << row.high;
    else if (row.kind == Kind::set) out << "none, or of " << row.choices;
    else out << row.choices << (row.kind == Kind::time ? ", or 10s to 168h" : "");
}

void set_text(const Row& row, uint64_t value, Line& out) {
    if (value == 0) out << "none";
    std::string_view rest = row.choices;
    bool is_first = true;
    for (uint64_t bit = 0; !rest.empty(); ++bit) {
        const std::string_view word = cut_at(rest, '|');
        if ((value >> bit & 1) == 0) continue;
        out << (is_first ? "" : "+") << word;
        is_first = false;
    }
}

void value_text(const Row& row, Line& out) {
    if (row.kind == Kind::set) return set_text(row, options.*row.field, out);
    uint64_t value = options.*row.field;
    const bool is_time = row.kind == Kind::time && value >= time_min_s;
    if ((row.kind != Kind::choice && row.kind != Kind::time) || is_time) {
        out << value << (is_time ? "s" : "");
        return;
    }
    std::string_view rest = row.choices;
    std::string_view choice = cut_at(rest, '|');
    while (value-- > 0) choice = cut_at(rest, '|');
    out << choice;
}

}  // namespace

bool parse_options(std::string_view text, Line& problem) {
    while (!text.empty()) {
        std::string_view value = cut_at(text, ',');
        if (value.empty()) continue;
        const std::string_view item = value;
        const bool has_value = item.find('=') != std::string_view::npos;
        const std::string_view key = cut_at(value, '=');
        const Row* row = nullptr;
        for (const Row& candidate : rows) {
            if (candidate.name == key) row = &candidate;
        }
        if (row == nullptr) {
            problem << "MEMTRACE_OPTIONS: there is no option '" << key
                    << "' (help=1 prints all); the program runs unrecorded.";
            return false;
        }
        if (!has_value || !parse_value(*row, value, options.*row->field)) {
            problem << "MEMTRACE_OPTIONS: '" << item << "' is not a value for " << key << " (";
            describe_values(*row, problem);
            if (row->name == "ring") problem << ", a power of two";
            problem << "); the program runs unrecorded.";
            return false;
        }
    }
    return true;
}

void print_options() {
    say_raw("memtrace: options for MEMTRACE_OPTIONS=key=value,key=value\n");
    for (const Row& row : rows) {
        Line values;
        describe_values(row, values);
        Line line("  ");
        line << row.name << '=' << row.value;
        for (size_t width = row.name.size() + row.value.size(); width < 16; ++width) line << ' ';
        line << ' ' << row.help << " (" << values.view() << ")\n";
        say_raw(line.view());
    }
}

void for_each_option(void (*visit)(void* context, std::string_view key, std::string_view value),
                     void* context) {
    for (const Row& row : rows) {
        Line value;
        value_text(row, value);
        visit(context, row.name, value.view());
    }
}

}  // namespace memtrace::preload
