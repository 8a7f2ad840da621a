// SPDX-License-Identifier: Apache-2.0
//
// What we know about the place where text goes: its width, whether it shows colours, and how wide
// a piece of text is there. Names come from other people's programs, so nothing of them reaches
// a terminal before printable() has made it harmless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

bool is_terminal(int fd);

// Columns of the terminal at `fd`: $COLUMNS, else what the terminal says; 100 if it is none.
size_t terminal_width(int fd);

// Whether `fd` is a terminal that wants colours: not with NO_COLOR, nor with TERM=dumb.
bool wants_colour(int fd);

// Replaces control characters and invalid UTF-8 by '?'.
std::string printable(std::string_view text);

// Columns that `text` takes, as fmt::format counts them when it pads: two for each wide character
// of East Asian scripts, one for any other.
size_t display_width(std::string_view text);

// Returns as much of the beginning of `text` as fits into `width` columns.
std::string cut_to_width(const std::string& text, size_t width);

// Text with colours, or without if the reader wants none.
class Style {
public:
    explicit Style(bool colour) : colour_(colour) {}

    std::string heading(const std::string& text) const { return wrap("1", text); }
    std::string strong(const std::string& text) const { return wrap("1", text); }
    std::string number(const std::string& text) const { return wrap("36", text); }
    std::string faint(const std::string& text) const { return wrap("2", text); }
    std::string good(const std::string& text) const { return wrap("32", text); }
    std::string bad(const std::string& text) const { return wrap("31", text); }

private:
    std::string wrap(const char* code, const std::string& text) const {
        if (!colour_ || text.empty()) return text;
        return "\033[" + std::string(code) + "m" + text + "\033[0m";
    }

    bool colour_;
};

}  // namespace memtrace::analyzer
