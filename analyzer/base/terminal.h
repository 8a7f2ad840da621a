// SPDX-License-Identifier: Apache-2.0
//
// Properties of the terminal that text goes to: its width, its colours, and the width of a text on
// it. Names come from other people's programs, so none of them may reach a terminal before
// printable() has made it harmless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace memtrace::analyzer {

bool is_terminal(int fd);

// Returns the columns of the terminal at `fd`: $COLUMNS if set, else the terminal's own width, and
// 100 if `fd` is not a terminal.
size_t terminal_width(int fd);

// True if `fd` is a terminal and neither NO_COLOR nor TERM=dumb is set.
bool wants_colour(int fd);

// Returns `text` with '?' for each control character, each character that changes the direction of
// the text around it, and each byte of invalid UTF-8.
std::string printable(std::string_view text);

// Returns the first columns of a word that a sentence quotes, with "…" if it is longer. A file that
// is no text may have a word of a million letters.
std::string quotable(std::string_view word);

// Keeps lines of text from being commands of the CI system whose log they are in. GitHub obeys a
// line that begins with "::" after spaces, and "##[" anywhere; Azure and TeamCity obey similar
// marks. Lines begin with names of other people's programs, so a space is put into such marks.
class LineGuard {
public:
    // Returns the next piece of the text, which may begin and end anywhere.
    std::string pass(std::string_view piece);

private:
    bool is_begin_ = true;  // The line has had nothing but spaces so far.
    bool has_colon_ = false;
    std::string word_;  // the end of the line that may begin a mark: "##", "##vso"
};

// The same for a whole text.
std::string without_commands(std::string_view text);

// Returns the columns that `text` takes, as fmt::format counts them for padding: two for each wide
// character of East Asian scripts and for emoji, one for any other character.
size_t display_width(std::string_view text);

// Returns as much of the beginning of `text` as fits into `width` columns.
std::string cut_to_width(const std::string& text, size_t width);

// Adds colours to text, or returns it unchanged if colours are off.
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
