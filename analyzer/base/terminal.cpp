// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t width_default = 100;
constexpr size_t width_min = 40;
constexpr size_t width_max = 1000;

// Returns the number of a character of two or three bytes.
uint32_t number_of(std::string_view character) {
    const auto byte = [&](size_t i) { return static_cast<uint32_t>(character[i]) & 0x3f; };
    if (character.size() == 2) return (static_cast<uint32_t>(character[0]) & 0x1f) << 6 | byte(1);
    if (character.size() != 3) return 0x10000;
    return (static_cast<uint32_t>(character[0]) & 0x0f) << 12 | byte(1) << 6 | byte(2);
}

// Control characters, the separators of lines and paragraphs, and what turns the direction of text.
bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7f;
    const uint32_t number = number_of(character);
    const auto is_in = [&](uint32_t from, uint32_t to) { return number >= from && number <= to; };
    return number < 0xa0 || number == 0x61c || is_in(0x200e, 0x200f) || is_in(0x2028, 0x202e) ||
           is_in(0x2066, 0x2069);
}

bool begins_mark(std::string_view word) {
    return word == "##" || word == "##vso" || word == "##teamcity";
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) == 1; }

size_t terminal_width(int fd) {
    if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && *columns != '\0') {
        char* end = nullptr;
        const unsigned long value = std::strtoul(columns, &end, 10);
        if (*end == '\0' && value > 0) return std::clamp<size_t>(value, width_min, width_max);
    }
    winsize size{};
    if (is_terminal(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return std::clamp<size_t>(size.ws_col, width_min, width_max);
    }
    return width_default;
}

bool wants_colour(int fd) {
    const char* refused = std::getenv("NO_COLOR");
    if (refused != nullptr && *refused != '\0') return false;
    const char* term = std::getenv("TERM");
    return is_terminal(fd) && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::string printable(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const auto [bytes, is_character] = first_piece(text);
        const std::string_view piece = text.substr(0, bytes);
        if (!is_character) safe.append(bytes, '?');
        else if (is_control(piece)) safe += '?';
        else safe += piece;
        text.remove_prefix(bytes);
    }
    return safe;
}

std::string quotable(std::string_view word) {
    constexpr size_t columns_max = 100;
    const std::string text = cut_to_width(printable(word.substr(0, 8 * columns_max)), columns_max);
    return text.size() < word.size() ? text + "…" : text;
}

std::string LineGuard::pass(std::string_view piece) {
    std::string safe;
    for (const char c : piece) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n' || c == '\r') {
            is_begin_ = true;
            has_colon_ = false;
            word_.clear();
            safe += c;
            continue;
        }
        // A space may be one of Unicode's, so all other bytes count as one.
        const bool may_be_space = byte <= ' ' || byte >= 0x7f;
        const bool is_second = has_colon_ && c == ':';
        if (is_second || (c == '[' && begins_mark(word_))) safe += ' ';
        has_colon_ = is_begin_ && c == ':';
        is_begin_ = is_begin_ && may_be_space;
        const bool may_be_mark = word_.starts_with("##") && c >= 'a' && c <= 'z';
        if (c == '#') word_ = word_ == "#" || word_ == "##" ? "##" : "#";
        else if (may_be_mark) word_ += c;
        else word_.clear();
        safe += c;
    }
    return safe;
}

std::string without_commands(std::string_view text) { return LineGuard().pass(text); }

size_t display_width(std::string_view text) {
    // fmt pads the text to as many columns as it has bytes. No text is wider than that, so the
    // padding tells the width.
    return 2 * text.size() - fmt::formatted_size("{:<{}}", text, text.size());
}

std::string cut_to_width(const std::string& text, size_t width) {
    if (display_width(text) <= width) return text;
    std::string_view rest = text;
    for (size_t columns = 0; !rest.empty();) {
        const std::string_view piece = rest.substr(0, first_piece(rest).bytes);
        columns += display_width(piece);
        if (columns > width) break;
        rest.remove_prefix(piece.size());
    }
    return text.substr(0, text.size() - rest.size());
}

}  // namespace memtrace::analyzer
